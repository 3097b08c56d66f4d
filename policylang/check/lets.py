"""`let`s as such: cycles among them, and mistakes in those that nothing calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from policylang.check.context import ERROR, Names, Typing
from policylang.check.expressions import type_expr
from policylang.check.sink import Sink
from policylang.rules_ir import expr as ir
from policylang.syntax import ast
from policylang.syntax.walk import walk


def broken_lets(lets: Mapping[str, ast.Let], unread: frozenset[str], sink: Sink) -> frozenset[str]:
    """The ``unread`` `let`s and those on or behind a cycle.

    Each cycle is reported once, at the first of its `let`s in the text.
    """
    uses = {name: sorted({word for word in _words(let.body) if word in lets}) for name, let in lets.items()}
    reach = {name: _reachable(name, uses) for name in lets}
    cyclic = {name for name in lets if name in reach[name]}
    reported: set[str] = set()
    for name in sorted(cyclic, key=lambda one: lets[one].loc.start):
        if name in reported:
            continue
        ring = sorted(
            (other for other in cyclic if other in reach[name] and name in reach[other]),
            key=lambda one: lets[one].loc.start,
        )
        reported.update(ring)
        around = " -> ".join(f"`{one}`" for one in _ring(name, uses))
        related = tuple((lets[one].name.loc, "part of the cycle") for one in ring if one != name)
        hint = "every policy ends: a `let` cannot come back to itself"
        sink.error("recursive-let", f"`{name}` uses itself: {around}", lets[name].name.loc, hint, related)
    return unread | frozenset(name for name in lets if name in cyclic or reach[name] & cyclic)


def _reachable(start: str, uses: Mapping[str, list[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(uses[start])
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += uses[name]
    return seen


def _ring(start: str, uses: Mapping[str, list[str]]) -> list[str]:
    """A shortest way from ``start`` back to it."""
    paths = [[start]]
    seen: set[str] = set()
    for path in paths:
        for name in uses[path[-1]]:
            if name == start:
                return [*path, start]
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return [start, start]


def _words(expr: ast.Expr) -> Iterator[str]:
    """Every word of an expression that may name a `let`."""
    for node in walk(expr):
        if isinstance(node, ast.Name):
            yield node.name
        elif isinstance(node, ast.Call):
            yield node.function.name


def check_unused(names: Names, used: set[str], sink: Sink) -> None:
    """Types the `let`s that nothing calls on their own, with parameters that could be anything."""
    for name, let in sorted(names.lets.items()):
        if name in used or name in names.broken:
            continue
        t = Typing(replace(names, broken=frozenset(names.lets)), sink, opaque=True)
        type_expr(t, let.body, {param.name: ir.Var(-1, param.name, ERROR) for param in let.params})
