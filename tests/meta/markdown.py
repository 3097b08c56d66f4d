"""Fenced blocks of Markdown files: what the documentation claims, as data that tests can run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=indent)(?P=ticks) *$", re.M | re.S
)
_MARKER = re.compile(r" *\^+")
_ESCAPE = re.compile(r"\\u\{([0-9a-f]+)\}")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: the words behind its fence, its text, and where it stands."""

    info: tuple[str, ...]
    text: str
    path: Path
    line: int

    @property
    def language(self) -> str:
        """The first word behind the fence, or nothing."""
        return self.info[0] if self.info else ""

    @property
    def place(self) -> str:
        """``docs/language.md:12``, also the id of a test."""
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.line}"


@dataclass(frozen=True, slots=True)
class Marked:
    """An example without its marker lines, and what they underline: line, first and last column, 1-based."""

    text: str
    ranges: tuple[tuple[int, int, int], ...]


@cache
def blocks_of(path: Path) -> tuple[Block, ...]:
    """Every fenced block of a file, in order."""
    text = path.read_text(encoding="utf-8")
    return tuple(
        Block(tuple(found["info"].split()), found["body"], path, text.count("\n", 0, found.start()) + 1)
        for found in _FENCE.finditer(text)
    )


def pages() -> tuple[Path, ...]:
    """Every Markdown file that speaks of policylang to its users."""
    return (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md")))


def read_marked(block: Block) -> Marked:
    """The example of a block: a line of spaces and carets underlines the line above it and is no part of the text."""
    lines: list[str] = []
    ranges: list[tuple[int, int, int]] = []
    shown = ""
    for line in block.text.splitlines():
        if _MARKER.fullmatch(line):
            start = line.index("^")
            ranges.append((len(lines), _column(block, shown, start), _column(block, shown, len(line))))
        else:
            shown = line
            lines.append(_unescape(block, line))
    return Marked("\n".join(lines) + "\n", tuple(ranges))


def _column(block: Block, shown: str, at: int) -> int:
    return len(_unescape(block, shown[:at])) + 1


def _unescape(block: Block, line: str) -> str:
    """In a block marked `escaped`, `\\u{202e}` stands for a character that no page should hold."""
    if "escaped" not in block.info:
        return line
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), line)
