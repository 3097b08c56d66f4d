"""The parse tables that the driver runs: read from ``tables.json``, or built anew where the grammar has changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

_HERE: Final = Path(__file__).parent
STACK_LIMIT: Final = 512
"""Entries on the parse stack: some eight for each of the 64 levels of nesting that a policy may have."""


@dataclass(frozen=True, slots=True)
class Tables:
    """LALR(1) tables.

    Attributes:
        terminals: Spelling (keywords, marks) or name (`WORD`, `NUMBER`, `$END`) of each terminal, by number.
        number: The other way round.
        keywords: How many terminals are keywords; they come first, so ``terminal < keywords`` asks for one.
        rules: (size, left side, method of the builder or None to pass the only value on).
        actions: Per state, terminal -> state to shift to, or ``-1 - rule``.
        gotos: Per state, left side -> state.
        starts: Start symbol -> (first state, state after the whole).
    """

    terminals: tuple[str, ...]
    number: dict[str, int]
    keywords: int
    rules: tuple[tuple[int, str, str | None], ...]
    actions: tuple[dict[int, int], ...]
    gotos: tuple[dict[str, int], ...]
    starts: dict[str, tuple[int, int]]


@cache
def tables() -> Tables:
    """The tables of the grammar beside this file."""
    return load(_HERE)


def load(folder: Path) -> Tables:
    """The tables of the grammar in a folder, whatever grammar its ``tables.json`` was made from."""
    grammar = (folder / "grammar.lark").read_text("utf-8")
    data = json.loads((folder / "tables.json").read_text("utf-8"))
    if data["grammar"] != sha256(grammar.encode()).hexdigest():
        from policylang.frontend.dsl.generate import build

        data = build(grammar)
    return from_data(data)


def from_data(data: dict[str, Any]) -> Tables:
    """Tables from their JSON form."""
    names = tuple(name for name, _ in data["terminals"])
    return Tables(
        terminals=names,
        number={name: at for at, name in enumerate(names)},
        keywords=sum(kind == "keyword" for _, kind in data["terminals"]),
        rules=tuple((size, left, method) for left, size, method in data["rules"]),
        actions=tuple({int(terminal): to for terminal, to in row.items()} for row in data["actions"]),
        gotos=tuple(data["gotos"]),
        starts={name: (first, end) for name, (first, end) in data["starts"].items()},
    )
