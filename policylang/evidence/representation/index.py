"""Retained text, cut into lines and found by words: no question looks at a line that lacks its words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from policylang.evidence import keys
from policylang.evidence import text as texts
from policylang.evidence.representation.phrases import Phrase, parse

_RUN: Final = re.compile(r"\w++")
_NONE: Final[frozenset[int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one span.

    Attributes:
        span: Position of its span.
        start: Offset of its first character in the original text.
        text: Normalised, with bulk blanked out.
    """

    span: int
    start: int
    text: str

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """Its clauses; parsed on first use and cached by content."""
        return parse(self.text)


@lru_cache(maxsize=16_384)
def lines(text: str, regions: tuple[tuple[int, int], ...]) -> tuple[tuple[int, str], ...]:
    """The lines of a text that hold something outside bulk, as (offset in the original, normalised line)."""
    normal = texts.normalise(text)
    found: list[tuple[int, str]] = []
    starts = [region[0] for region in regions]
    at = 0
    for line in normal.text.split("\n"):
        end = at + len(line)
        if line and not line.isspace():
            first = normal.start(at)
            kept = _unmasked(line, first, normal.end(end), regions, starts) if regions else line
            if kept:
                found.append((first, kept))
        at = end + 1
    return tuple(found)


def _unmasked(line: str, first: int, last: int, regions: tuple[tuple[int, int], ...], starts: list[int]) -> str:
    """The line without what lies in bulk regions; they are mostly whole lines."""
    number = max(0, bisect_right(starts, first) - 1)
    while number < len(regions) and regions[number][0] < last:
        start, end = max(first, regions[number][0]), min(last, regions[number][1])
        if start < end:
            # Offsets inside a line are those of the original: exact where normalisation kept its length.
            left, right = start - first, end - first
            line = line[:left] + " " * (min(right, len(line)) - left) + line[right:] if left < len(line) else line
        number += 1
    return "" if line.isspace() else line


@lru_cache(maxsize=16_384)
def runs(text: str) -> frozenset[str]:
    """The distinct runs of word characters of a text, as written."""
    return frozenset(_RUN.findall(text))


class LineIndex:
    """Lines by the words that they hold. Built in one pass; answers are sorted by line number."""

    __slots__ = ("_by_run", "_cache", "_runs_of", "_starts", "lines")

    def __init__(self, sources: Iterable[tuple[int, str, tuple[tuple[int, int], ...]]]) -> None:
        self.lines: list[Line] = []
        self._by_run: dict[str, list[int]] = {}
        self._starts: dict[int, tuple[int, list[int]]] = {}
        for span, text, regions in sources:
            cut = lines(text, regions)
            self._starts[span] = (len(self.lines), [start for start, _ in cut])
            for start, line in cut:
                number = len(self.lines)
                self.lines.append(Line(span, start, line))
                for run in set(_RUN.findall(line)):
                    self._by_run.setdefault(run, []).append(number)
        self._runs_of: dict[str, list[str]] = {}
        for run in self._by_run:
            for word in set(keys.words(run)):
                self._runs_of.setdefault(word, []).append(run)
        self._cache: dict[str, frozenset[int]] = {}

    def with_word(self, word: str) -> frozenset[int]:
        """Numbers of the lines that hold a word of a key, however it is written."""
        found = self._cache.get(word)
        if found is None:
            found = _NONE.union(*(self._by_run[run] for run in self._runs_of.get(word, ())))
            self._cache[word] = found
        return found

    def with_words(self, words: Sequence[str]) -> list[int]:
        """Numbers of the lines that hold all of the words; none for no words."""
        if not words:
            return []
        found = sorted((self.with_word(word) for word in set(words)), key=len)
        return sorted(found[0].intersection(*found[1:]))

    def with_runs(self, text: str) -> list[int]:
        """Numbers of the lines that hold every run of word characters of ``text``, in the same case."""
        wanted = set(_RUN.findall(text))
        if not wanted:
            return []
        found = sorted((self._by_run.get(run, []) for run in wanted), key=len)
        return sorted(set(found[0]).intersection(*found[1:]))

    def at(self, span: int, offset: int) -> Line | None:
        """The line of a span that holds an original offset, or None where it lies in bulk."""
        base, starts = self._starts.get(span, (0, []))
        number = bisect_right(starts, offset) - 1
        if number < 0:
            return None
        line = self.lines[base + number]
        # A blanked line may lie between; offsets past this line's end belong to it.
        return line if offset <= line.start + 2 * len(line.text) + 2 else None
