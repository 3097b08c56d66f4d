"""An in-memory lexical index over spans, and the probes that say whether it still finds an anchor (SPEC §4).

Rows of a span: its text in chunks, one card for each kept assertion, and the call that produced it. A span ranks by its
best row (BM25). It stands in a replay for the rehydration index of the runtime that is replayed.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from policylang.evidence.keys import words
from policylang.evidence.model import Assertion

CHUNK: Final = 1200
_K1, _B = 1.2, 0.75
_TOKEN = re.compile(r"[^\W_]+(?:[._:/@+-]+[^\W_]+)*|[^\W_]+")
_FUNCTION_WORDS = """
a an and are as at be been but by can did do does for from had has have how i if in into is it its me my not now of on
or our so than that the their then there these they this to up was we were what when where which who why will with
would you your
"""
_STOP = frozenset(_FUNCTION_WORDS.split())


@lru_cache(maxsize=1 << 15)
def _pieces(raw: str) -> tuple[str, ...]:
    parts = words(raw)
    whole = raw.lower()
    if parts == (whole,):
        return parts
    return (*(part for part in parts if part not in _STOP), whole)


def tokens(text: str) -> list[str]:
    """The tokens of a text: every word as it is written, and the words that it is made of; lower case, singular."""
    return [piece for raw in _TOKEN.findall(text) for piece in _pieces(raw) if piece not in _STOP]


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index knows of a span: its position in the session, epoch, text, assertions, and its call's text."""

    position: int
    epoch: int
    text: str
    assertions: tuple[Assertion, ...]
    call: str | None = None


@dataclass(slots=True)
class LexicalIndex:
    """BM25 over rows; spans are known by their position."""

    entries: dict[int, Entry] = field(default_factory=dict)
    _postings: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    _rows: list[tuple[int, int]] = field(default_factory=list)  # (position, length)
    _length: int = 0
    _values: dict[tuple[str | None, str], set[str]] = field(default_factory=dict)
    _values_then: dict[tuple[str | None, str, int], set[str]] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Adds the rows of a span."""
        self.entries[entry.position] = entry
        for chunk in _chunks(entry.text):
            self._row(entry.position, tokens(chunk))
        for item in entry.assertions:
            card = f"{item.entity or ''} {item.key} = {item.raw}"
            self._row(entry.position, [*tokens(card), f"epoch={entry.epoch}"])
            self._values.setdefault((item.entity, item.key), set()).add(item.value)
            self._values_then.setdefault((item.entity, item.key, entry.epoch), set()).add(item.value)
        if entry.call:
            self._row(entry.position, tokens(entry.call[:CHUNK]))

    def _row(self, position: int, row: list[str]) -> None:
        if not row:
            return
        number = len(self._rows)
        for token, times in Counter(row).items():
            self._postings.setdefault(token, []).append((number, times))
        self._rows.append((position, len(row)))
        self._length += len(row)

    def search(self, query: Iterable[str], limit: int, before: int | None = None) -> list[int]:
        """Positions of the best spans, best first; of equals the earlier. ``before`` leaves out later spans."""
        scores: dict[int, float] = {}
        count = len(self._rows)
        mean = self._length / count if count else 1.0
        for token in sorted(set(query)):
            rows = self._postings.get(token, ())
            weight = math.log(1 + (count - len(rows) + 0.5) / (len(rows) + 0.5))
            for number, times in rows:
                length = self._rows[number][1]
                part = times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length / mean))
                scores[number] = scores.get(number, 0.0) + weight * part
        best: dict[int, float] = {}
        for number, score in scores.items():
            position = self._rows[number][0]
            if (before is None or position < before) and score > best.get(position, 0.0):
                best[position] = score
        return sorted(best, key=lambda position: (-round(best[position], 9), position))[:limit]

    def verified(self, position: int, families: Sequence[str], require: int, top_k: int) -> bool:
        """Whether at least ``require`` probes of the families find the span itself in the top ``top_k``."""
        entry = self.entries.get(position)
        if entry is None:
            return False
        passed = 0
        for probe in self.probes(entry, families):
            passed += position in self.search(probe, top_k)
            if passed >= require:
                return True
        return False

    def probes(self, entry: Entry, families: Sequence[str]) -> Iterator[list[str]]:
        """The probes of an anchor, as tokens, those of its assertions first."""
        for item in entry.assertions:
            for family in ("key", "question", "value"):
                probe = self.probe(item, entry.epoch, family) if family in families else None
                if probe:
                    yield probe
        if "call" in families and entry.call:
            values = {token for item in entry.assertions for token in tokens(item.raw)}
            yield [token for token in tokens(entry.call[:CHUNK]) if token not in values]
        if "text" in families:
            yield tokens(entry.text)

    def probe(self, item: Assertion, epoch: int, family: str) -> list[str] | None:
        """One probe of one assertion; None where it cannot be told from another value of the same key."""
        if family == "value":
            return tokens(item.raw)
        # A question adds function words alone ("what is the … of …"), and those weigh nothing in this index.
        asked = tokens(f"{item.entity or ''} {item.key.replace('_', ' ')}")
        if len(self._values.get((item.entity, item.key), ())) > 1:
            if len(self._values_then.get((item.entity, item.key, epoch), ())) > 1:
                return None
            asked.append(f"epoch={epoch}")
        hidden = set(tokens(item.raw))
        return [token for token in asked if token not in hidden]


def _chunks(text: str) -> Iterator[str]:
    """Pieces of at most 1 200 characters, cut at a line end or a space where there is one near."""
    at = 0
    while at < len(text):
        end = min(len(text), at + CHUNK)
        if end < len(text):
            cut = max(text.rfind("\n", at + CHUNK // 2, end), text.rfind(" ", at + CHUNK // 2, end))
            end = cut + 1 if cut > 0 else end
        yield text[at:end]
        at = end
