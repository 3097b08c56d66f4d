"""Diagnostics for a person: `file:line:column: error[code]: message`, the source line with carets, a help line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from policylang.diagnostics import Diagnostic
from policylang.report.blocks import Block, Gap, Piece, Style, Text, line
from policylang.report.width import TAB, char_width, shorten, text_width, visible, visible_char
from policylang.source import Loc

SEVERITY_STYLE: Final[dict[str, Style]] = {"error": "bad", "warning": "warn", "info": "info"}
WINDOW: Final = 100
"""Columns of a source line that are shown; a longer one is cut around its carets."""


def diagnostics_report(diagnostics: Iterable[Diagnostic]) -> Iterator[Block]:
    """All diagnostics, in the order given, with an empty line between two."""
    for number, found in enumerate(diagnostics):
        if number:
            yield Gap()
        yield from _one(found)


def _one(found: Diagnostic) -> Iterator[Block]:
    style = SEVERITY_STYLE[found.severity]
    where = _where(found.loc)
    head = line(Piece(where, "strong"), Piece(f"{found.severity}[{found.code}]", style), f": {visible(found.message)}")
    yield Text(head, hang=4)
    if found.loc is not None:
        yield from _snippet(found.loc, style)
    for loc, label in found.related:
        yield Text(line(Piece("  see ", "muted"), Piece(_where(loc), "strong"), visible(label)))
        yield from _snippet(loc, "info")
    if found.help is not None:
        yield Text(line(Piece("help: ", "info"), visible(found.help)), indent=2, hang=6)


def _where(loc: Loc | None) -> str:
    if loc is None:
        return ""
    # A file that could not be read has a name and no place in it.
    return f"{visible(loc.source.name)}: " if not loc.source.text and loc.end == 0 else f"{visible(str(loc))}: "


def _snippet(loc: Loc, style: Style) -> Iterator[Block]:
    begin, finish = loc.begin, loc.finish
    if not loc.source.text:
        return
    text = loc.source.line(begin.line)
    stop = finish.column - 1 if finish.line == begin.line else len(text)
    shown, offset, columns = underline(text, begin.column - 1, stop)
    number = f"{begin.line:5} "
    yield Text(line(Piece(number, "muted"), Piece("| ", "muted"), shown), wraps=False)
    yield Text(line(Piece(" " * len(number) + "| ", "muted"), " " * offset, Piece("^" * columns, style)), wraps=False)


def underline(text: str, start: int, stop: int) -> tuple[str, int, int]:
    """How to show a line with a range of code points underlined.

    Returns:
        The line as shown (tabs expanded, controls escaped, at most `WINDOW` columns), and the columns before and of
        the underline; at least one column is underlined.
    """
    cells: list[str] = []
    column = 0
    for char in text:
        cell = " " * (TAB - column % TAB) if char == "\t" else visible_char(char)
        cells.append(cell)
        column += text_width(cell) if len(cell) > 1 else char_width(cell)
    before = sum(map(text_width, cells[:start]))
    under = max(sum(map(text_width, cells[start:stop])), 1)
    first = 0
    if column > WINDOW and before + min(under, WINDOW // 2) > WINDOW - 10:
        # Start a little left of the range, so that the reader sees what it follows.
        while first < start and sum(map(text_width, cells[first:start])) > WINDOW // 3:
            first += 1
    shown = "".join(cells[first:])
    offset = sum(map(text_width, cells[first:start]))
    if first:
        shown, offset = "…" + shown, offset + 1
    shown = shorten(shown, WINDOW)
    return shown, offset, max(min(under, text_width(shown) - offset), 1)
