"""The plain and the terminal rendering of one report say the same words in the same order."""

from __future__ import annotations

import io
import re

import pytest

from policylang.report.blocks import Banner, Block, Column, Gap, Heading, Node, Piece, Table, Text, line, tree
from policylang.report.plain import to_text
from policylang.report.terminal import console, show

LONG = "a sentence that is longer than the screen is wide, so that it has to be broken somewhere in between"

REPORT: list[Block] = [
    Banner("SPILL LOSSLESS", "bad", (line("epoch 7"), line("policy ", Piece("std/standard", "strong")))),
    Heading(line("Refused because")),
    Text(line(Piece("rule", "name"), " ", LONG), indent=2, hang=4),
    Text(line("    1 | ", "漢字 " * 30), wraps=False),
    Table(
        (Column("span"), Column("tokens", right=True), Column("why", grows=True)),
        ((line("m42"), line("7"), line(LONG)),),
    ),
    Table((Column("a"), Column("b", right=True)), ((line("x"), line("1")), (line("yy"), line("23"))), boxed=True),
    Gap(),
    *tree(Node(line("root"), (Node(line("one"), (Node(line("leaf")),)), Node(line("two"))))),
]


def terminal(report: list[Block], *, colour: bool, width: int = 60) -> str:
    stream = io.StringIO()
    show(report, console(stream, colour=colour, width=width))
    return stream.getvalue()


def bare_words(text: str) -> list[str]:
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return re.sub(r"[│┃┏┓┗┛━─]+", " ", text).split()


@pytest.mark.parametrize("colour", [True, False])
def test_both_renderings_say_the_same(colour: bool) -> None:
    wrapped_cells = [block for block in REPORT if not isinstance(block, Table)]
    assert bare_words(terminal(wrapped_cells, colour=colour)) == bare_words(to_text(wrapped_cells, 60))
    assert sorted(bare_words(terminal(REPORT, colour=colour))) == sorted(bare_words(to_text(REPORT, 60)))


def test_colour_is_only_there_where_it_is_wanted() -> None:
    assert "31m" in terminal(REPORT, colour=True)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", terminal(REPORT, colour=False))


def test_plain_lines_have_no_trailing_spaces_and_fit() -> None:
    lines = to_text([block for block in REPORT if not (isinstance(block, Text) and not block.wraps)], 60).splitlines()
    assert all(found == found.rstrip() and len(found) <= 60 for found in lines)


def test_a_table_in_plain_text() -> None:
    table = Table((Column("a"), Column("b", right=True)), ((line("x"), line("1")), (line("yy"), line("23"))), indent=2)
    assert to_text([table]) == "  a    b\n  x    1\n  yy  23\n"


def test_a_tree_in_plain_text() -> None:
    root = Node(line("root"), (Node(line("one"), (Node(line("leaf")),)), Node(line("two"))))
    assert to_text(tree(root)) == "root\n├─ one\n│  └─ leaf\n└─ two\n"


def test_nothing_is_read_as_markup() -> None:
    assert "[bold]x[/bold]" in terminal([Text(line("[bold]x[/bold] :smile:"))], colour=True)
    assert ":smile:" in terminal([Text(line(":smile:"))], colour=True)
