"""A policy's syntax as one line of text, for digests: the same for both spellings, and made as fast as it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import date
from operator import attrgetter
from typing import Any, Final

from policylang.syntax import ast

_LEFT_OUT: Final = frozenset({"loc", "doc", "text"})


def fingerprint(file: ast.PolicyFile) -> str:
    """Text that two files share if and only if they declare the same in the same order.

    Places, comments (`##` ones, too) and how a number was written take no part; an int and an equal number differ.
    """
    out: list[str] = []
    stack: list[Any] = [file.decls]
    add = out.append
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is str:
            add(f"{len(item)}:{item}")
        elif kind is tuple:
            add(f"[{len(item)}")
            stack += item[::-1]
        elif kind in _PLAIN:
            add(repr(item))
        else:
            values = _values(kind)
            add(kind.__name__)
            stack += values(item)
    return " ".join(out)


_PLAIN: Final = frozenset({type(None), bool, int, float, date})
_GETTERS: Final[dict[type[Any], Callable[[Any], tuple[Any, ...]]]] = {}


def _values(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of a node's fields, the last field first."""
    known = _GETTERS.get(kind)
    if known is None:
        left_out = _LEFT_OUT if kind is ast.NumberLit else _LEFT_OUT - {"text"}
        names = [field.name for field in fields(kind) if field.name not in left_out][::-1]
        get = attrgetter(*names)
        known = get if len(names) > 1 else lambda node: (get(node),)
        _GETTERS[kind] = known
    return known
