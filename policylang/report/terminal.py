"""Blocks on a terminal: the only home of rich. Imported only where colour is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO, assert_never

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table as RichTable
from rich.text import Text as RichText

from policylang.report.blocks import Banner, Block, Gap, Heading, Line, Style, Table, Text
from policylang.report.fit import fitted, least_width
from policylang.report.width import wrap

STYLES: Final[dict[Style, str]] = {
    "plain": "",
    "strong": "bold",
    "muted": "dim",
    "good": "bold green",
    "bad": "bold red",
    "warn": "yellow",
    "info": "cyan",
    "name": "cyan",
    "value": "magenta",
    "title": "bold",
}

FRAME: Final = 2
"""Columns of a boxed table's two edges."""


def console(file: TextIO, *, colour: bool = True, width: int | None = None) -> Console:
    """A console on a stream; without colour it keeps the layout."""
    return Console(
        file=file,
        force_terminal=True,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
        width=width,
        legacy_windows=False,
    )


def show(report: Iterable[Block], on: Console) -> None:
    """Print a report."""
    for block in report:
        _show(block, on)


def _show(block: Block, on: Console) -> None:
    match block:
        case Text():
            _hanging(block, on)
        case Heading():
            on.print()
            on.print(_rich(block.line, "title"))
        case Banner():
            body = RichText("\n").join([_rich(found) for found in block.lines])
            title = RichText(f" {block.answer} ", f"{STYLES[block.style]} reverse")
            colour = STYLES[block.style].removeprefix("bold ")
            on.print(Panel(body, title=title, title_align="left", border_style=colour, box=box.HEAVY, padding=(0, 1)))
        case Table():
            frame = FRAME if block.boxed else 0
            table, below = fitted(block, on.width - frame)
            # A table that has no room even so is written whole: the screen breaks its lines, and no digit is cut.
            width = max(on.width, least_width(table) + table.indent + frame)
            on.print(Padding(_table(table), (0, 0, 0, table.indent)), width=width, crop=False)
            for text in below:
                _show(text, on)
        case Gap():
            on.print()
        case _:
            assert_never(block)


def _rich(line: Line, default: Style = "plain") -> RichText:
    text = RichText(style=STYLES[default])
    for piece in line:
        text.append(piece.text, STYLES[piece.style])
    return text


def _hanging(block: Text, on: Console) -> None:
    """The first line at ``indent``, what is wrapped at ``indent + hang``; broken where `plain` breaks it."""
    text = _rich(block.line)
    if not block.wraps:
        on.print(RichText(" " * block.indent) + text, no_wrap=True, overflow="ignore", crop=False)
        return
    indent, at = block.indent, 0
    while True:
        rest = text.plain[at:]
        found = wrap(rest, max(on.width - indent, 24))
        on.print(RichText(" " * indent) + text[at : at + len(found[0])], no_wrap=True, overflow="ignore", crop=False)
        at += len(found[0])
        while text.plain[at : at + 1] == " ":
            at += 1
        if at >= len(text.plain):
            return
        indent = block.indent + block.hang


def _table(block: Table) -> RichTable:
    table = RichTable(
        box=box.SIMPLE_HEAVY if block.boxed else None,
        show_header=any(column.title for column in block.columns),
        header_style="dim" if not block.boxed else "bold",
        border_style="dim",
        padding=(0, 1, 0, 0) if block.boxed else (0, 2, 0, 0),
        pad_edge=False,
    )
    for column in block.columns:
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            no_wrap=not column.grows,
            overflow="fold",
            ratio=None,
        )
    for row in block.rows:
        table.add_row(*(_rich(cell) for cell in row))
    return table


@contextmanager
def progress(file: TextIO, what: str, total: int | None) -> Iterator[Progress]:
    """A progress line that leaves nothing behind; ``advance`` its one task with id 0."""
    columns = [SpinnerColumn(), TextColumn("{task.description}")]
    if total is not None:
        columns += [BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, console=Console(file=file, stderr=True), transient=True) as bar:
        bar.add_task(what, total=total)
        yield bar
