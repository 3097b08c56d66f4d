"""Pointers in prose: ids and anaphors that send the reader to a span (SPEC §4, "Pointers in prose")."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final

from policylang.evidence import keys
from policylang.evidence.representation.model import SessionSpan

_SAID: Final = (
    r"(?:established|noted|shown|seen|mentioned|described|reported|stated|discussed|confirmed|determined|found"
    r"|indicated|observed|recorded)"
)
_BACK: Final = r"(?:earlier|above|before|previously|already)"
_NOUN: Final = r"(?P<noun{}>[A-Za-z][\w-]{{1,30}}(?: [A-Za-z][\w-]{{1,30}})?)"
_ANAPHOR: Final = re.compile(
    "|".join(
        (
            rf"\bas (?:was |we |i |already |previously |earlier )*{_SAID} {_BACK}\b",
            rf"\bas (?:previously|earlier|already) {_SAID}\b",
            rf"\bthe {_NOUN.format(3)} from (?:above|earlier|before)\b",
            # "already loaded from earlier": what stands before says what comes from there.
            rf"\b{_NOUN.format(4)} from (?:above|earlier|before)\b",
            r"\b(?:see|refer to|per|from|cf\.?|as in|according to) (?:above|earlier)\b",
            r"\b(?:the|that|this|see|per|from) (?:the )?"
            rf"(?:previous|earlier|prior|preceding|aforementioned|above-mentioned|above) {_NOUN.format(1)}",
            rf"\bthe {_NOUN.format(2)} (?:from )?(?:above|{_SAID} {_BACK})\b",
        )
    ),
    re.IGNORECASE,
)
_ANY: Final = frozenset(
    ["output", "step", "finding", "information", "data", "value", "fact", "state", "one", "message", "answer"]
)
"""Nouns that say no more than "what came before"."""
_HINTS: Final = ("above", "earlier", "previous", "prior", "preceding", "aforementioned", "before", "already")
"""One of these stands in every anaphor."""
_SMALL: Final = frozenset(
    {"the", "and", "of", "is", "was", "we", "i", "a", "an", "see", "as", "it", "this", "that", "per"}
)
_SYNONYMS: Final = {"output": "result", "response": "result", "reply": "result", "ack": "ack", "confirmation": "ack"}
_TOKEN: Final = re.compile(r"[A-Za-z0-9](?:[\w.:/#-]*[A-Za-z0-9])?")
_SHAPED: Final = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z_:.-]).{2,}|.*[a-z][A-Z].*|.*_.*")
_NAMED: Final = re.compile(
    r"\b(?:span|result|message|step|tool call|call|tool result)s?\s+(?:id\s+)?[#`\"']?([A-Za-z0-9][\w.:/-]*)",
    re.IGNORECASE,
)


@lru_cache(maxsize=16_384)
def anaphors(text: str) -> tuple[tuple[str, ...], ...]:
    """The anaphors of a text, each as the words of its noun; empty where it has none or one that fits all."""
    found: list[tuple[str, ...]] = []
    low = text.lower()
    if not any(hint in low for hint in _HINTS):
        return ()
    for match in _ANAPHOR.finditer(text):
        noun = match["noun1"] or match["noun2"] or match["noun3"] or match["noun4"] or ""
        words = tuple(word for word in keys.words(noun) if word not in _SMALL)
        # In "the value from earlier" the noun stands last, in "the previous step went well" first.
        told = words[-1:] if match["noun3"] or match["noun4"] else words[:1]
        found.append(() if not told or told[0] in _ANY else words)
    return tuple(found)


@lru_cache(maxsize=16_384)
def tokens(text: str) -> frozenset[str]:
    """Tokens of a text that may be an id."""
    return frozenset(_TOKEN.findall(text))


def ids_in(text: str, ids: Collection[str]) -> list[str]:
    """The known ids that a text holds as such: identifier-shaped, or any after "span", "result", "call" …"""
    known = [token for token in sorted(tokens(text)) if token in ids]
    if all(map(_SHAPED.fullmatch, known)):
        return known
    named = frozenset(_NAMED.findall(text))
    return [token for token in known if token in named or _SHAPED.fullmatch(token)]


class Pointers:
    """Which spans the prose of the retained transcript points at; read in one pass over it."""

    __slots__ = ("_nouns_read", "_spans", "_states", "targets")

    def __init__(self, spans: Sequence[SessionSpan], prose: Iterable[tuple[int, str]]) -> None:
        """Read pointers.

        Args:
            spans: The session, by position.
            prose: Position and text, bulk left out, of each retained span that can reference.
        """
        self._spans = spans
        # All state spans under "", those of a chain under its name, of a noun under (chain, noun).
        self._states: dict[tuple[str | None, str], list[int]] = {}
        self._nouns_read = False
        for span in spans:
            if span.state:
                self._add(span, "")
        self.targets: frozenset[int] = frozenset(self._read(prose))

    def _add(self, span: SessionSpan, noun: str) -> None:
        for chain in (None, span.chain):
            self._states.setdefault((chain, noun), []).append(span.position)

    def _read(self, prose: Iterable[tuple[int, str]]) -> Iterable[int]:
        ids: dict[str, list[int]] = {}
        for span in self._spans:
            for name in sorted({span.id, span.tool_call_id or ""} - {""}):
                ids.setdefault(name, []).append(span.position)
        for position, text in prose:
            for name in ids_in(text, ids):
                yield from self._holders(ids[name], position)
            for noun in anaphors(text):
                found = self._nearest(position, noun)
                if found is not None:
                    yield found

    def _holders(self, positions: list[int], before: int) -> list[int]:
        """The spans that an id means: all of one call, or of an id used again the last call before."""
        states = [position for position in positions if self._spans[position].state and position < before]
        return states[-1:] if len(states) > 1 else [position for position in positions if position != before]

    def _nearest(self, before: int, noun: tuple[str, ...]) -> int | None:
        """The nearest preceding state span that fits the noun, those of the own chain first."""
        self._read_nouns()
        # "the migration status above": the last word that some span knows decides.
        known = next((word for word in map(_plain, reversed(noun)) if (None, word) in self._states), None)
        if noun and known is None:
            return None
        for chain in (self._spans[before].chain, None):
            places = self._states.get((chain, known or ""), [])
            number = bisect_left(places, before)
            if number:
                return places[number - 1]
        return None

    def _read_nouns(self) -> None:
        if self._nouns_read:
            return
        self._nouns_read = True
        for span in self._spans:
            if span.state:
                words = set(keys.words(span.kind))
                for one in span.extraction.assertions:
                    words.update(keys.words(one.key))
                for word in sorted(words):
                    self._add(span, word)


def _plain(word: str) -> str:
    return _SYNONYMS.get(word, word)
