"""Tables that keep every figure whole on a narrow screen: what has no room is left out, and that is said.

A table says itself what may go, by `Column.drop`. What a dropped `grows` column held is told below the table, a line
for each row, so that nothing but a figure of lesser weight is ever missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from policylang.report.blocks import Piece, Table, Text, line, words
from policylang.report.width import text_width

GUTTER: Final = 2
"""Columns between two columns of a table."""
LEAST: Final = 24
"""Columns that a growing column keeps, if it needs them, however wide its neighbours are."""


def fitted(table: Table, width: int) -> tuple[Table, tuple[Text, ...]]:
    """The table without the columns that ``width`` has no room for, and what to say below it."""
    kept = list(range(len(table.columns)))
    order = sorted((number for number in kept if table.columns[number].drop), key=lambda n: table.columns[n].drop)
    gone: list[int] = []
    while order and least_width(table, kept) > width - table.indent:
        gone.append(order.pop(0))
        kept.remove(gone[-1])
    if not gone:
        return table, ()
    columns = tuple(table.columns[number] for number in kept)
    rows = tuple(tuple(row[number] for number in kept) for row in table.rows)
    return replace(table, columns=columns, rows=rows), tuple(_told(table, gone))


def least_width(table: Table, kept: Sequence[int] | None = None) -> int:
    """Columns that the table needs so that no figure, no title and no word is cut."""
    numbers = range(len(table.columns)) if kept is None else kept
    return sum(least(table, number) for number in numbers) + GUTTER * (len(numbers) - 1)


def least(table: Table, number: int) -> int:
    """Columns that one column needs."""
    column = table.columns[number]
    cells = [column.title, *(words(row[number]) for row in table.rows)]
    if not column.grows:
        return max(map(text_width, cells))
    longest = max((text_width(word) for cell in cells for word in cell.split()), default=0)
    return max(text_width(column.title), min(longest, LEAST))


def _told(table: Table, gone: Sequence[int]) -> list[Text]:
    folded = [number for number in gone if table.columns[number].grows]
    told = [text for number in folded for text in _folded(table, number)]
    left_out = [table.columns[number].title for number in gone if number not in folded]
    if left_out:
        says = f"no room here for: {', '.join(left_out)} (a wider window shows them)"
        told.append(Text(line(Piece(says, "muted")), table.indent + 2))
    return told


def _folded(table: Table, number: int) -> list[Text]:
    """What a column held, a line for each row that has something in it."""
    first, title = table.columns[0].title, table.columns[number].title
    return [
        Text((*line(f"{first} ", *row[0], f" {title}: "), *row[number]), table.indent + 2)
        for row in table.rows
        if words(row[number])
    ]
