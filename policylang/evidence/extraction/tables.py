"""Tables: Markdown with pipes, and columns under a header in capitals, as `kubectl get` or `docker ps` print them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from policylang.evidence.extraction.found import Found, typed
from policylang.regex import compile_pattern

MAX_ROWS: Final = 500
MAX_ROW: Final = 2_000

_RULE: Final = re.compile(r"[ \t]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)*+[ \t]*+(?::?-{2,}+:?)?[ \t]*+\|?[ \t\r]*+")
_HEADER: Final = re.compile(
    r"[A-Z][A-Z0-9_()/%-]*+(?: [A-Z0-9_()/%-]++)?(?:[ \t]{2,}[A-Z][A-Z0-9_()/%-]*+(?: [A-Z0-9_()/%-]++)?)++[ \t\r]*+"
)
_NAME: Final = re.compile(r"[^ \t](?: ?[^ \t])*+")

Line = tuple[int, str]
"""Offset and text of a line."""


_SOME: Final = compile_pattern(
    r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\||^[A-Z][A-Z0-9_()/% -]*  +[A-Z][A-Z0-9_()/% -]*\r?$", "m"
)


def may_hold(text: str) -> bool:
    """True if the text has a line that looks like a table's rule or header."""
    return _SOME.search(text.encode("utf-8")) is not None


class _Cell(NamedTuple):
    text: str
    start: int


def read(lines: Sequence[Line]) -> tuple[list[Found], set[int]]:
    """Facts of the tables among these lines, and the offsets of the lines that belong to one."""
    found: list[Found] = []
    used: set[int] = set()
    at = 0
    while at + 1 < len(lines):
        (_, first), (_, second) = lines[at], lines[at + 1]
        if "|" in first and "|" in second and len(first) <= MAX_ROW and _RULE.fullmatch(second) and "-" in second:
            stop = _markdown(lines, at, found)
        elif len(first) <= MAX_ROW and _HEADER.fullmatch(first):
            stop = _columns(lines, at, found)
        else:
            stop = at
        if stop > at:
            used.update(offset for offset, _ in lines[at:stop])
        at = max(stop, at + 1)
    return found, used


def _split(line: str, base: int) -> list[_Cell]:
    cells: list[_Cell] = []
    at = 0
    for part in line.split("|"):
        inner = part.strip(" \t\r")
        cells.append(_Cell(inner, base + at + part.find(inner)))
        at += len(part) + 1
    if cells and not cells[0].text:
        cells = cells[1:]
    return cells[:-1] if cells and not cells[-1].text else cells


def _markdown(lines: Sequence[Line], at: int, found: list[Found]) -> int:
    header = _split(lines[at][1], lines[at][0])
    stop = at + 2
    while stop < len(lines) and "|" in lines[stop][1] and stop - at < MAX_ROWS:
        base, line = lines[stop]
        if len(line) <= MAX_ROW:
            _row(header, _split(line, base), found)
        stop += 1
    return stop if len(header) > 1 else at


def _columns(lines: Sequence[Line], at: int, found: list[Found]) -> int:
    """Rows cut at the header's columns; a row that crosses a column's edge ends the table."""
    base, line = lines[at]
    names = [(name.group(), name.start()) for name in _NAME.finditer(line)]
    edges = [start for _, start in names]
    header = [_Cell(name, base + start) for name, start in names]
    stop = at + 1
    while stop < len(lines) and stop - at < MAX_ROWS:
        base, row = lines[stop]
        if len(row) > MAX_ROW or any(edge < len(row) and row[edge - 1 : edge] not in (" ", "\t") for edge in edges[1:]):
            break
        cells = []
        for number, edge in enumerate(edges):
            part = row[edge : edges[number + 1]] if number + 1 < len(edges) else row[edge:]
            inner = part.strip(" \t\r")
            cells.append(_Cell(inner, base + edge + part.find(inner)))
        _row(header, cells, found)
        stop += 1
    return stop if stop > at + 1 else at


def _row(header: list[_Cell], cells: list[_Cell], found: list[Found]) -> None:
    """One row: its first cell is the entity of the others, or their key where there are two columns."""
    if len(cells) < 2:
        return
    label = cells[0].text.strip("`*_ ")
    if not label or len(label) > 80:
        return
    if len(header) == 2:
        fact = typed(label, cells[1].text, cells[1].start, cells[0].start)
        found += [fact] if fact is not None else []
        return
    for name, cell in zip(header[1:], cells[1:], strict=False):
        fact = typed(name.text, cell.text, cell.start, cells[0].start, label) if cell.text else None
        found += [fact] if fact is not None else []
