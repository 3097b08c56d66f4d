"""Clauses as binding reads them: tokens, and which stretch of them is asked, supposed, wished or denied (SPEC §4).

Moods are scoped. "schema version = 7, check whether the tests pass" restates the version; "check whether the schema
version is 7" does not. A conditional without a comma covers its whole clause, a wish what follows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from policylang.evidence.representation import lexicon
from policylang.evidence.representation.tokens import MARK, Token, tokenise


@dataclass(frozen=True, slots=True)
class Phrase:
    """One clause of one line.

    Attributes:
        tokens: In order.
        words: The words that its tokens lend to keys, in order, one entry a word.
        places: For each of these words its indexes, in order.
        at: For each of ``words`` the index of its token.
        asked: True for a question: it names keys and binds nothing.
        denied: True where the clause as a whole is denied ("it is not true that …", "…; that is false").
        supposed: Indexes of tokens that open a condition.
        wished: Indexes of tokens that open a wish or an order.
        barred: Indexes of tokens that forbid or exclude what follows: "never set …", "instead of …".
        folded: The words between single spaces, for looking up entities.
    """

    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    places: Mapping[str, list[int]]
    at: tuple[int, ...]
    asked: bool
    denied: bool
    supposed: tuple[int, ...]
    wished: tuple[int, ...]
    barred: tuple[int, ...]
    folded: str

    def binds(self, key: range, value: int) -> bool:
        """True if a value at a token may be bound to a key at others: neither is asked, supposed or wished."""
        if self.asked:
            return False
        first, last = min(key.start, value), max(key.stop - 1, value)
        for mark in self.supposed:
            if mark in key:
                continue
            if mark < last or not self._comma(last, mark):
                return False
        for mark in self.wished:
            # "test result: ok": a word of the key is no order.
            if mark in key:
                continue
            if first <= mark <= last or (mark < first and not self._new_subject(mark, first)):
                return False
            if mark > last and not self._comma(last, mark):
                return False
        return not any(mark < first and mark not in key and self._reaches(mark, first) for mark in self.barred)

    def _reaches(self, mark: int, first: int) -> bool:
        """True if nothing between an exclusion and a key ends its reach."""
        return not any(token.low in lexicon.ENDS for token in self.tokens[mark + 1 : first])

    def _comma(self, start: int, end: int) -> bool:
        return any(token.text in (",", "(", ")") for token in self.tokens[start:end])

    def _new_subject(self, start: int, end: int) -> bool:
        """True if a comma and then a copula or separator of its own stand between a wish and a key.

        "needs a restart, so the …" begins anew; "check the id, the schema version" goes on wishing.
        """
        stretch = [token.low for token in self.tokens[start:end]]
        return "," in stretch and any(word in ("so", "since", "because", "as", "whereas") for word in stretch)


@lru_cache(maxsize=32_768)
def parse(text: str, asked: bool = False, denied: bool = False) -> Phrase:
    """One clause of normalised text, read word by word; cached by content."""
    tokens = tokenise(text)
    words: list[str] = []
    at: list[int] = []
    places: dict[str, list[int]] = {}
    for index, token in enumerate(tokens):
        for word in token.pieces:
            places.setdefault(word, []).append(len(words))
            words.append(word)
            at.append(index)
    supposed, wished = _moods(tokens)
    barred = tuple(index for index, token in enumerate(tokens) if _bars(tokens, index, token.low))
    folded = f" {' '.join(words)} "
    asking = asked or _inverted(tokens)
    return Phrase(tokens, tuple(words), places, tuple(at), asking, denied, supposed, wished, barred, folded)


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


def _bars(tokens: tuple[Token, ...], index: int, low: str) -> bool:
    if low in lexicon.BARS:
        return True
    return low == "not" and index > 0 and tokens[index - 1].low in ("do", "did", "does", "to")


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
