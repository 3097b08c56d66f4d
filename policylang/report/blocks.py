"""What a text report is made of, before anything is known of the screen that shows it.

A report is a sequence of blocks. `plain` writes them as bare text, `terminal` with colour and boxes; both show the
same words in the same order, so that nothing can be read in colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Style = Literal["plain", "strong", "muted", "good", "bad", "warn", "info", "name", "value", "title"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text in one style; its text is shown as it is, so what comes from outside goes through `visible`."""

    text: str
    style: Style = "plain"


Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A line: ``indent`` columns before it, ``hang`` more before what is wrapped, if it ``wraps``."""

    line: Line
    indent: int = 0
    hang: int = 2
    wraps: bool = True


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a part, with an empty line before it."""

    line: Line


@dataclass(frozen=True, slots=True)
class Banner:
    """The answer itself, as large as the screen allows; ``style`` is its colour."""

    answer: str
    style: Style
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: numbers stand right, and at most one column of a table ``grows`` and wraps.

    Where the screen is too narrow, columns go by ``drop``, the lowest first; 0 never goes.
    """

    title: str
    right: bool = False
    grows: bool = False
    drop: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under titles. ``boxed`` asks a terminal for a frame."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Line, ...], ...]
    indent: int = 0
    boxed: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty line."""


Block = Text | Heading | Banner | Table | Gap
Report = Sequence[Block]


def line(*parts: str | Piece) -> Line:
    """A line from words and pieces."""
    return tuple(part if isinstance(part, Piece) else Piece(part) for part in parts)


def words(found: Line) -> str:
    """The bare text of a line."""
    return "".join(piece.text for piece in found)


@dataclass(frozen=True, slots=True)
class Node:
    """A line with what hangs below it."""

    line: Line
    children: tuple[Node, ...] = ()


def tree(root: Node, indent: int = 0) -> Iterator[Text]:
    """A tree as lines with guides, `├─` and `└─`."""
    yield Text(root.line, indent, hang=4)
    yield from _branches(root.children, "", indent)


def _branches(nodes: Sequence[Node], guide: str, indent: int) -> Iterator[Text]:
    for number, node in enumerate(nodes, 1):
        last = number == len(nodes)
        start = Piece(guide + ("└─ " if last else "├─ "), "muted")
        yield Text((start, *node.line), indent, hang=len(guide) + 4)
        yield from _branches(node.children, guide + ("   " if last else "│  "), indent)
