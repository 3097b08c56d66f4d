"""Tables: pipes, boxes, result sets of databases, columns under a header in capitals or over dashes, CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from policylang.evidence import keys, values
from policylang.evidence.extraction.found import Found, typed
from policylang.evidence.extraction.jsondoc import Document
from policylang.regex import compile_pattern

MAX_ROWS: Final = 500
MAX_ROW: Final = 2_000

_RULE: Final = re.compile(
    r"[ \t]*+[|+]?(?:[ \t]*+:?[-=]{2,}+:?[ \t]*+[|+])*+[ \t]*+(?::?[-=]{2,}+:?)?[ \t]*+[|+]?[ \t\r]*+"
)
_HEADER: Final = re.compile(
    r"[A-Z][A-Z0-9_()/%-]*+(?: [A-Z0-9_()/%-]++)?(?:[ \t]{2,}[A-Z][A-Z0-9_()/%-]*+(?: [A-Z0-9_()/%-]++)?)++[ \t\r]*+"
)
_NAME: Final = re.compile(r"[^ \t](?: ?[^ \t])*+")
_DASHES: Final = re.compile(r" *+-{2,}+(?: ++-{2,}+)++[ \t\r]*+")
_DASH: Final = re.compile(r"-{2,}+")
_BOX: Final = str.maketrans(
    {**dict.fromkeys("│┃║", "|"), **dict.fromkeys("─━═┄╌", "-"),
     **dict.fromkeys("┼╪╋╬╇╈┌┐└┘├┤┬┴┏┓┗┛┣┫┳┻╔╗╚╝╠╣╦╩╭╮╰╯┡┩╞╡╒╕╘╛╤╧", "+")}
)  # fmt: skip
_COLUMN: Final = r"[A-Za-z_][\w.%-]{0,40}"
_SHEET: Final = re.compile(
    rf"{_COLUMN}(?:,{_COLUMN}){{2,40}}[ \r]*|{_COLUMN}(?:\|{_COLUMN}){{1,40}}[ \r]*"
    rf"|{_COLUMN}(?:\t{_COLUMN}){{1,40}}[ \r]*"
)
_RESULT: Final = re.compile(
    rf"(?m)^(?:[^\n|]{{1,200}}(?:\|[^\n|]{{1,200}}){{1,40}}\n[ ]?-+(?:\+-+)+[ \r]*\n"
    rf"|{_COLUMN}(?:\|{_COLUMN}){{1,40}}\r?\n(?=\d+\|))"
)

Line = tuple[int, str]
"""Offset and text of a line."""


_SOME: Final = compile_pattern(
    r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*[|+]|^[A-Z][A-Z0-9_()/% -]*  +[A-Z][A-Z0-9_()/% -]*\r?$|^\+[-=]|^ *-{2,} +-{2,}"
    r"|^[┌╭┏╔]"
    r"|^[A-Za-z_][\w.%-]*(?:,[A-Za-z_][\w.%-]*){2,}[ \r]*$|^[A-Za-z_][\w.%-]*(?:\|[A-Za-z_][\w.%-]*)+[ \r]*$"
    r"|^[A-Za-z_][\w.%-]*(?:\t[A-Za-z_][\w.%-]*)+[ \r]*$",
    "m",
)


def may_hold(text: str) -> bool:
    """True if the text has a line that looks like a table's rule or header."""
    return _SOME.search(text.encode("utf-8")) is not None


_OWN_IDS: Final = frozenset({"id", "uuid", "guid", "sha", "commit", "arn", "ulid"})
"""Headers whose column holds the rows' ids, which are facts as well as entities."""


class _Cell(NamedTuple):
    text: str
    start: int


def results(text: str) -> list[Document]:
    """Result sets of databases. Their rows look like numbered lines, so they are read before bulk is told."""
    found: list[Document] = []
    if "-+-" not in text and "\n1|" not in text:
        return found
    done = 0
    for mark in _RESULT.finditer(text):
        if mark.start() < done:
            continue
        table = list(_piped(text, mark.start()))
        facts: list[Found] = []
        sheet = len(table) > 1 and _RULE.fullmatch(table[1][1]) is None
        stop = _sheet(table, 0, facts) if sheet else _markdown(table, 0, facts)
        if stop > 1:
            last, line = table[stop - 1]
            done = last + len(line)
            found.append(Document(facts, mark.start(), done, True, False, len(facts)))
    return found


def _piped(text: str, at: int) -> Iterable[Line]:
    """The lines from `at` on as far as they hold columns."""
    for number in range(MAX_ROWS + 2):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text[at:stop]
        if "|" not in line and not (number == 1 and "+" in line):
            return
        yield at, line
        if stop == len(text):
            return
        at = stop + 1


def read(lines: Sequence[Line]) -> tuple[list[Found], set[int]]:
    """Facts of the tables among these lines, and the offsets of the lines that belong to one."""
    found: list[Found] = []
    used: set[int] = set()
    lines = [(at, line if line.isascii() else line.translate(_BOX)) for at, line in lines]
    at = 0
    while at + 1 < len(lines):
        (_, first), (_, second) = lines[at], lines[at + 1]
        if len(first) > MAX_ROW:
            stop = at
        elif "|" in first and "-" in second and _RULE.fullmatch(second):
            stop = _markdown(lines, at, found)
        elif _HEADER.fullmatch(first):
            stop = _columns(lines, at, found)
        elif _DASHES.fullmatch(second) and not first.isspace():
            stop = _columns(lines, at, found, ruled=True)
        elif _SHEET.fullmatch(first):
            stop = _sheet(lines, at, found)
        else:
            stop = at
        if stop > at:
            used.update(offset for offset, _ in lines[at:stop])
        at = max(stop, at + 1)
    return found, used


def _split(line: str, base: int, mark: str = "|") -> list[_Cell]:
    cells: list[_Cell] = []
    at = 0
    for part in line.split(mark):
        inner = part.strip(" \t\r")
        cells.append(_Cell(inner, base + at + part.find(inner)))
        at += len(part) + 1
    if mark == "|" and cells and not cells[0].text:
        cells = cells[1:]
    return cells[:-1] if mark == "|" and cells and not cells[-1].text else cells


def _markdown(lines: Sequence[Line], at: int, found: list[Found]) -> int:
    header = _split(lines[at][1], lines[at][0])
    stop = at + 2
    while stop < len(lines) and stop - at < MAX_ROWS:
        base, line = lines[stop]
        if "|" not in line and not (line.startswith("+") and _RULE.fullmatch(line)):
            break
        if len(line) <= MAX_ROW and not _RULE.fullmatch(line):
            _row(header, _split(line, base), found)
        stop += 1
    return stop if len(header) > 1 else at


def _sheet(lines: Sequence[Line], at: int, found: list[Found]) -> int:
    """Values under a header of names, parted by one mark: rows with as many cells, of which the first holds a digit."""
    base, line = lines[at]
    mark = "|" if "|" in line else "\t" if "\t" in line else ","
    header = [_Cell(name.strip(), base) for name in line.split(mark)]
    stop = at + 1
    rows: list[list[_Cell]] = []
    while stop < len(lines) and stop - at < MAX_ROWS:
        base, row = lines[stop]
        if len(row) > MAX_ROW or row.count(mark) != len(header) - 1 or (", " in row and mark == ","):
            break
        if not rows and not any(char.isdigit() for char in row):
            # Asked before the rest is read: else every line of such a text would read all that follow it.
            return at
        rows.append(_split(row, base, mark))
        stop += 1
    if not rows:
        return at
    for cells in rows:
        _row(header, cells, found)
    return stop


def _columns(lines: Sequence[Line], at: int, found: list[Found], *, ruled: bool = False) -> int:
    """Rows cut at the header's columns; a row that crosses a column's edge ends the table."""
    base, line = lines[at]
    if ruled:
        edges = [dash.start() for dash in _DASH.finditer(lines[at + 1][1])]
        names = [line[edge:after].strip() for edge, after in zip(edges, [*edges[1:], len(line)], strict=True)]
    else:
        marks = list(_NAME.finditer(line))
        edges, names = [name.start() for name in marks], [name.group() for name in marks]
    header = [_Cell(name, base + start) for name, start in zip(names, edges, strict=True)]
    first = stop = at + 1 + ruled
    while stop < len(lines) and stop - at < MAX_ROWS:
        base, row = lines[stop]
        if len(row) > MAX_ROW or any(edge < len(row) and row[edge - 1 : edge] not in (" ", "\t") for edge in edges[1:]):
            break
        cells = []
        for number, edge in enumerate(edges):
            part = row[edge : edges[number + 1]] if number + 1 < len(edges) else row[edge:]
            inner = part.strip(" \t\r")
            cells.append(_Cell(inner, base + edge + part.find(inner)))
        if ruled and (len(cells) < 2 or not cells[1].text):
            break
        _row(header, cells, found)
        stop += 1
    return stop if stop > first else at


def _row(header: list[_Cell], cells: list[_Cell], found: list[Found]) -> None:
    """One row: its first cell is the entity of the others, or their key where there are two columns."""
    if len(cells) < 2:
        return
    label = cells[0].text.strip("`*_ ")
    if not label or len(label) > 80:
        return
    lead = keys.words(header[0].text)
    numbered = bool(lead) and lead[-1] in _OWN_IDS
    if len(header) == 2 and not numbered:
        # The header may say what the values are: under `Version`, 23.0 is one.
        kind = values.classify(cells[1].text, header[1].text)
        fact = typed(label, cells[1].text, cells[1].start, cells[0].start)
        if fact is not None and kind is not None and kind[0] == "version":
            fact = fact._replace(type="version", value=kind[1])
        found += [fact] if fact is not None else []
        return
    if numbered:
        fact = typed(header[0].text, cells[0].text, cells[0].start, cells[0].start)
        found += [fact] if fact is not None else []
    for name, cell in zip(header[1:], cells[1:], strict=False):
        fact = typed(name.text, cell.text, cell.start, cells[0].start, label) if cell.text else None
        found += [fact] if fact is not None else []
