"""Blocks as bare text: for pipes, files, screen readers and golden tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from policylang.report.blocks import Banner, Block, Gap, Heading, Line, Table, Text, words
from policylang.report.fit import GUTTER, LEAST, fitted, least
from policylang.report.width import pad, text_width, wrap

WIDTH = 100


def to_text(report: Iterable[Block], width: int = WIDTH) -> str:
    """The report as text that ends with a line end; empty for a report without blocks."""
    lines = [found.rstrip() for block in report for found in _lines(block, width)]
    return "".join(f"{found}\n" for found in lines)


def _lines(block: Block, width: int) -> Iterator[str]:
    match block:
        case Text():
            if block.wraps:
                yield from _wrapped(block.line, block.indent, block.hang, width)
            else:
                yield " " * block.indent + words(block.line)
        case Heading():
            yield ""
            yield words(block.line)
        case Banner():
            yield block.answer
            for found in block.lines:
                yield from _wrapped(found, 2, 2, width)
        case Table():
            table, below = fitted(block, width)
            yield from _table(table, width)
            for text in below:
                yield from _lines(text, width)
        case Gap():
            yield ""
        case _:
            assert_never(block)


def _wrapped(line: Line, indent: int, hang: int, width: int) -> Iterator[str]:
    text = words(line)
    first, *_ = wrap(text, max(width - indent, LEAST))
    yield " " * indent + first
    rest = text[len(first) :].lstrip(" ")
    if rest:
        for found in wrap(rest, max(width - indent - hang, LEAST)):
            yield " " * (indent + hang) + found


def _table(table: Table, width: int) -> Iterator[str]:
    cells = [[words(cell) for cell in row] for row in table.rows]
    titles = [column.title for column in table.columns]
    widths = _widths(table, [titles, *cells], width - table.indent)
    if any(titles):
        yield _row(table, titles, widths)
    for row in cells:
        parts = [
            wrap(cell, widths[number]) if table.columns[number].grows else [cell] for number, cell in enumerate(row)
        ]
        for depth in range(max(map(len, parts))):
            yield _row(table, [part[depth] if depth < len(part) else "" for part in parts], widths)


def _widths(table: Table, rows: Sequence[Sequence[str]], width: int) -> list[int]:
    columns = table.columns
    widths = [max(text_width(row[number]) for row in rows) for number in range(len(columns))]
    for number, column in enumerate(columns):
        if column.grows:
            others = sum(widths) - widths[number] + GUTTER * (len(columns) - 1)
            widths[number] = min(widths[number], max(width - others, least(table, number)))
    return widths


def _row(table: Table, cells: Sequence[str], widths: Sequence[int]) -> str:
    filled = (
        pad(cell, columns, right=column.right)
        for cell, columns, column in zip(cells, widths, table.columns, strict=True)
    )
    return " " * table.indent + (" " * GUTTER).join(filled)
