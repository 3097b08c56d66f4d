"""Clauses as binding reads them: tokens, and which stretch of them is asked, supposed, wished or denied (SPEC §4).

Moods are scoped. "schema version = 7, check whether the tests pass" restates the version; "check whether the schema
version is 7" does not. A conditional without a comma covers its whole clause, a wish what follows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from policylang.evidence import text as texts
from policylang.evidence.representation import lexicon
from policylang.evidence.representation.tokens import MARK, Token, tokenise

_CONTINUES: Final = re.compile(
    r"[\s,]*+(?:(?:it|that|this)(?:'s| is| was)?+|is|are|was|were|has been|have been)?+\s*+(?:now|currently)\b", re.I
)
_REFUTES: Final = re.compile(
    r"[\s,]*+(?:but )?(?:it|this|that|which)(?:'s| is| was)(?:n't| not| no longer)?+ "
    r"(?:false|untrue|wrong|incorrect|outdated|stale|obsolete|true|correct|the case|valid)\b",
    re.I,
)
_FALSE: Final = re.compile(r"\b(?:false|untrue|wrong|incorrect|outdated|stale|obsolete)\b", re.I)
_NEGATED: Final = re.compile(r"\bnot\b|n't|\bno longer\b", re.I)


@dataclass(frozen=True, slots=True)
class Phrase:
    """One clause of one line.

    Attributes:
        tokens: In order.
        words: The words that its tokens lend to keys, in order, one entry a word.
        at: For each of ``words`` the index of its token.
        asked: True for a question: it names keys and binds nothing.
        denied: True where the clause as a whole is denied ("it is not true that …", "…; that is false").
        supposed: Indexes of tokens that open a condition.
        wished: Indexes of tokens that open a wish or an order.
        folded: The words between single spaces, for looking up entities.
    """

    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    at: tuple[int, ...]
    asked: bool
    denied: bool
    supposed: tuple[int, ...]
    wished: tuple[int, ...]
    folded: str

    def binds(self, key: int, value: int) -> bool:
        """True if a value at a token may be bound to a key at another: neither is asked, supposed or wished."""
        if self.asked:
            return False
        first, last = min(key, value), max(key, value)
        for mark in self.supposed:
            if mark < last or not self._comma(last, mark):
                return False
        for mark in self.wished:
            if first <= mark <= last or (mark < first and not self._new_subject(mark, first)):
                return False
            if mark > last and not self._comma(last, mark):
                return False
        return True

    def _comma(self, start: int, end: int) -> bool:
        return any(token.text in (",", "(", ")") for token in self.tokens[start:end])

    def _new_subject(self, start: int, end: int) -> bool:
        """True if a comma and then a copula or separator of its own stand between a wish and a key.

        "needs a restart, so the …" begins anew; "check the id, the schema version" goes on wishing.
        """
        stretch = [token.low for token in self.tokens[start:end]]
        return "," in stretch and any(word in ("so", "since", "because", "as", "whereas") for word in stretch)


@lru_cache(maxsize=32_768)
def parse(line: str) -> tuple[Phrase, ...]:
    """The clauses of one line of normalised text; cached by content."""
    cuts = _joined(line, texts.clauses(line))
    found = []
    for index, (start, end, asked, denied) in enumerate(cuts):
        following = line[cuts[index + 1][0] : cuts[index + 1][1]] if index + 1 < len(cuts) else ""
        phrase = _phrase(line, start, end, asked, denied or refutes(following))
        if phrase.tokens:
            found.append(phrase)
    return tuple(found)


def refutes(clause: str) -> bool:
    """True for a clause that takes back the one before: "that is false", "it is no longer true"."""
    said = _REFUTES.match(clause)
    return said is not None and bool(_FALSE.search(said[0])) != bool(_NEGATED.search(said[0]))


def _joined(line: str, clauses: list[texts.Clause]) -> list[tuple[int, int, bool, bool]]:
    """Clauses as (start, end, asked, denied); "was 6 but is now 7" stays one, as its second half has no key."""
    cuts: list[tuple[int, int, bool, bool]] = []
    for clause in clauses:
        asked = clause.mood == texts.QUESTION
        if cuts and _CONTINUES.match(line, clause.start, clause.end) and not cuts[-1][2]:
            start, _, _, denied = cuts[-1]
            cuts[-1] = (start, clause.end, asked, denied)
        else:
            cuts.append((clause.start, clause.end, asked, clause.denied))
    return cuts


def _phrase(line: str, start: int, end: int, asked: bool, denied: bool) -> Phrase:
    tokens = tokenise(line, start, end)
    words: list[str] = []
    at: list[int] = []
    for index, token in enumerate(tokens):
        words.extend(token.pieces)
        at.extend([index] * len(token.pieces))
    supposed, wished = _moods(tokens)
    folded = f" {' '.join(words)} "
    return Phrase(tokens, tuple(words), tuple(at), asked or _inverted(tokens), denied, supposed, wished, folded)


def _inverted(tokens: tuple[Token, ...]) -> bool:
    """A question without its mark: "is the schema version 7", "what version are we on"."""
    low = [token.low for token in tokens if token.kind != MARK][:3]
    if not low:
        return False
    if low[0] in lexicon.ASKING:
        return True
    return (
        low[0] in lexicon.AUXILIARY and len(low) > 1 and low[1] in ("the", "there", "it", "we", "this", "that", "our")
    )


def _moods(tokens: tuple[Token, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    supposed: list[int] = []
    wished: list[int] = []
    before = ""
    for index, token in enumerate(tokens):
        low = token.low
        after = tokens[index + 1].low if index + 1 < len(tokens) else ""
        # `expected: 7` and `"if": true` are keys of a record, not moods of a sentence; the key itself is checked apart.
        named = after in ("=", ":=", "==") or before in ("`", '"')
        if token.kind == MARK or named:
            pass
        elif low in lexicon.CONDITIONS and after != ":":
            supposed.append(index)
        elif (
            low in lexicon.WISHES
            or (low in lexicon.ORDERS and after != ":" and (not before or before in lexicon.LEADS))
            or (low == "be" and before == "to")
            or (low in ("going", "about", "yet", "trying") and after == "to")
        ):
            wished.append(index)
        if token.kind != MARK or before or low in lexicon.LEADS:
            before = low
    return tuple(supposed), tuple(wished)
