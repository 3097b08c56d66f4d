"""Source files, offsets and places: every finding points at one of these.

Offsets are code points into ``Source.text``. Lines and columns are 1-based and count code points, as SPEC §7
asks of every diagnostic; an editor that wants UTF-16 columns asks for them by name.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple


class Position(NamedTuple):
    """A 1-based line and column, both in code points."""

    line: int
    column: int


class Source:
    """One text that was read, with its name as the user gave it (``-`` for standard input)."""

    __slots__ = ("_starts", "name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._starts: list[int] | None = None

    def __repr__(self) -> str:
        return f"Source({self.name!r}, {len(self.text)} code points)"

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at != -1:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts
        return self._starts

    def position(self, offset: int) -> Position:
        """The line and column of a code point offset; the offset past the last character is allowed."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its line end."""
        starts = self._line_starts()
        start = starts[number - 1]
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def utf16_column(self, offset: int) -> int:
        """The 0-based column in UTF-16 code units, as the Language Server Protocol counts."""
        start = self._line_starts()[self.position(offset).line - 1]
        return len(self.text[start:offset].encode("utf-16-le")) // 2


class Loc(NamedTuple):
    """A half-open range ``[start, end)`` of code points in one source."""

    source: Source
    start: int
    end: int

    @property
    def begin(self) -> Position:
        """Where the range starts."""
        return self.source.position(self.start)

    @property
    def finish(self) -> Position:
        """Where the range ends (the position after its last character)."""
        return self.source.position(self.end)

    def __str__(self) -> str:
        line, column = self.begin
        return f"{self.source.name}:{line}:{column}"


def nowhere(name: str = "<built in>") -> Loc:
    """A place for things that no file spells out."""
    return Loc(Source(name, ""), 0, 0)
