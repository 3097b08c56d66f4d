"""Retained text, cut into clauses and found by words: no question looks at a clause that lacks its words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from policylang.evidence import keys
from policylang.evidence.representation.clauses import Clause, clauses
from policylang.evidence.representation.phrases import Phrase, parse

_RUN: Final = re.compile(r"\w++")
_NONE: Final[frozenset[int]] = frozenset()


@lru_cache(maxsize=16_384)
def runs(text: str) -> frozenset[str]:
    """The distinct runs of word characters of a text, as written."""
    return frozenset(_RUN.findall(text))


@dataclass(frozen=True, slots=True)
class Entry:
    """A clause and the position of its span."""

    span: int
    clause: Clause

    @property
    def phrase(self) -> Phrase:
        """The clause, read on first use and cached by content."""
        return parse(self.clause.text, self.clause.asked, self.clause.denied)


class ClauseIndex:
    """Clauses by the words that they hold. Built in one pass; answers are sorted by number."""

    __slots__ = ("_by_run", "_cache", "_runs_of", "_starts", "entries")

    def __init__(self, sources: Iterable[tuple[int, str, tuple[tuple[int, int], ...]]]) -> None:
        """Index texts, each given with its span's position and its bulk regions."""
        self.entries: list[Entry] = []
        self._by_run: dict[str, list[int]] = {}
        self._starts: dict[int, tuple[int, list[int]]] = {}
        by_run = self._by_run
        for span, text, regions in sources:
            cut = clauses(text, regions)
            number = len(self.entries)
            self._starts[span] = (number, [clause.start for clause in cut])
            for clause in cut:
                self.entries.append(Entry(span, clause))
                for run in set(_RUN.findall(clause.text)):
                    known = by_run.get(run)
                    if known is None:
                        by_run[run] = [number]
                    else:
                        known.append(number)
                number += 1
        self._runs_of: dict[str, list[str]] = {}
        for run in by_run:
            for word in set(keys.words(run)):
                self._runs_of.setdefault(word, []).append(run)
        self._cache: dict[str, frozenset[int]] = {}

    def with_word(self, word: str) -> frozenset[int]:
        """Numbers of the clauses that hold a word of a key, however it is written."""
        found = self._cache.get(word)
        if found is None:
            found = _NONE.union(*(self._by_run[run] for run in self._runs_of.get(word, ())))
            self._cache[word] = found
        return found

    def with_words(self, words: Sequence[str]) -> list[int]:
        """Numbers of the clauses that hold all of the words; none for no words."""
        if not words:
            return []
        found = sorted((self.with_word(word) for word in set(words)), key=len)
        return sorted(found[0].intersection(*found[1:]))

    def with_runs(self, text: str) -> list[int]:
        """Numbers of the clauses that hold every run of word characters of ``text``, in the same case."""
        wanted = set(_RUN.findall(text))
        if not wanted:
            return []
        found = sorted((self._by_run.get(run, []) for run in wanted), key=len)
        return sorted(set(found[0]).intersection(*found[1:]))

    def at(self, span: int, offset: int) -> Entry | None:
        """The clause of a span that holds an original offset, or None where it lies in bulk."""
        base, starts = self._starts.get(span, (0, []))
        number = bisect_right(starts, offset) - 1
        if number < 0:
            return None
        entry = self.entries[base + number]
        # What was blanked out lies between two clauses; normalisation can shorten a text, hardly to less than half.
        return entry if offset <= entry.clause.start + 2 * len(entry.clause.text) + 2 else None
