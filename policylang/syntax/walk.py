"""Iteration over syntax, without recursion, so that depth costs memory and never the interpreter's stack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final, cast

from policylang.syntax import ast

Node = (
    ast.PolicyFile
    | ast.Decl
    | ast.Expr
    | ast.InlineItem
    | ast.Setting
    | ast.ForEach
    | ast.DateLit
    | ast.Ident
)  # fmt: skip
"""Anything that has a place of its own."""


def _parts(kind: type[Any]) -> tuple[str, ...]:
    known = _PARTS.get(kind)
    if known is None:
        known = _PARTS[kind] = tuple(field.name for field in fields(kind) if field.name != "loc")
    return known


_PARTS: Final[dict[type[Any], tuple[str, ...]]] = {}


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below, in the order of the class's fields; words, numbers and None are not nodes."""
    found: list[Node] = []
    for name in _parts(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple):
            for item in value:
                if isinstance(item, tuple):
                    found.extend(part for part in item if hasattr(part, "loc"))
                elif hasattr(item, "loc"):
                    found.append(item)
        elif hasattr(value, "loc"):
            found.append(cast(Node, value))
    return tuple(found)


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, each before what is below it, from left to right."""
    stack: list[Node] = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))
