"""Texts cut into clauses, cheaply: nothing here looks at words, so that only the clauses asked for are read (SPEC §4).

`text.clauses` cuts at the same marks, but judges the mood of each clause as a whole; binding scopes moods by word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from policylang.evidence import text as texts
from policylang.evidence.representation import lexicon

_MARKS: Final = r";|[.!?]++[\"')\]*`]*+(?=\s|$)|[。；！？]"
_CUT: Final = re.compile(_MARKS)
# Slower, as it stops at every space: only for lines that hold one of the two words.
_CUT_WORDS: Final = re.compile(_MARKS + r"|,?\s(?:but|while)(?=\s)", re.IGNORECASE)
_CONTINUES: Final = re.compile(
    r"[\s,]*+(?:(?:it|that|this)(?:'s| is| was)?+|is|are|was|were|has been|have been)?+\s*+(?:now|currently)\b", re.I
)
_REFUTES: Final = re.compile(
    r"[\s,]*+(?:but )?(?:it|this|that|which)(?:'s| is| was)(?:n't| not| no longer)?+ "
    r"(?:false|untrue|wrong|incorrect|outdated|stale|obsolete|true|correct|the case|valid)\b",
    re.I,
)
_NEGATED: Final = re.compile(r"\bnot\b|n't|\bno longer\b", re.I)
_DENIES: Final = re.compile(
    r"\b(?:it is|it's|this is|that is|that's|it was|is it) "
    r"(?:not (?:true|the case|correct|right)|false|untrue|wrong|incorrect)"
    r"(?: to say)? that\b|\b(?:it isn't|it's not|it wasn't) (?:true|the case|correct) that\b|\bno evidence that\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a text.

    Attributes:
        start: Offset of its first character in the original text.
        text: Normalised, bulk blanked out, the mark that ended it left out.
        asked: It ended with a question mark.
        denied: It, or the clause after it, says that it is not so.
    """

    start: int
    text: str
    asked: bool
    denied: bool


@lru_cache(maxsize=16_384)
def clauses(text: str, regions: tuple[tuple[int, int], ...]) -> tuple[Clause, ...]:
    """The clauses of a text outside its bulk regions, in order; cached by content."""
    found: list[Clause] = []
    for start, line in lines(text, regions):
        _cut(start, line, found)
    return tuple(found)


def lines(text: str, regions: tuple[tuple[int, int], ...]) -> list[tuple[int, str]]:
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
    return found


def _unmasked(line: str, first: int, last: int, regions: tuple[tuple[int, int], ...], starts: list[int]) -> str:
    """The line without what lies in bulk regions; they are mostly whole lines."""
    number = max(0, bisect_right(starts, first) - 1)
    while number < len(regions) and regions[number][0] < last:
        # Offsets inside a line are those of the original: exact where normalisation kept its length.
        left, right = max(first, regions[number][0]) - first, min(last, regions[number][1]) - first
        if left < right and left < len(line):
            line = line[:left] + " " * (min(right, len(line)) - left) + line[right:]
        number += 1
    return "" if line.isspace() else line


def _cut(start: int, line: str, found: list[Clause]) -> None:
    ranges: list[tuple[int, int, bool]] = []
    at = 0
    low = line.lower()
    for mark in (_CUT_WORDS if "but" in low or "while" in low else _CUT).finditer(line):
        # "was 6 but is now 7" stays one clause, as its second half has no key.
        if _CONTINUES.match(line, mark.end()) and "?" not in mark.group():
            continue
        _bounded(line, at, mark.start(), "?" in mark.group(), ranges)
        at = mark.end()
    _bounded(line, at, len(line), False, ranges)
    for number, (first, last, asked) in enumerate(ranges):
        denied = "that" in low and _DENIES.search(line, first, last) is not None
        if number + 1 < len(ranges) and refutes(line, ranges[number + 1][0]):
            denied = not denied
        found.append(Clause(start + first, line[first:last], asked, denied))


def _bounded(line: str, first: int, last: int, asked: bool, ranges: list[tuple[int, int, bool]]) -> None:
    while last - first > texts.MAX_CLAUSE:
        # A document on one line has no sentences: it is cut between its fields.
        comma = line.rfind(",", first + 1, first + texts.MAX_CLAUSE)
        stop = comma if comma > first else first + texts.MAX_CLAUSE
        ranges.append((first, stop, asked))
        first = stop
    if line[first:last].strip():
        ranges.append((first, last, asked))


def refutes(line: str, at: int = 0) -> bool:
    """True where a clause takes back the one before: "that is false", "it is no longer true"."""
    said = _REFUTES.match(line, at)
    if said is None:
        return False
    false = any(word in lexicon.FALSE for word in said[0].lower().split())
    return false != (_NEGATED.search(said[0]) is not None)
