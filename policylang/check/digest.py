"""The digest of a policy: over what its layers say, not over how they are spelt, laid out or commented.

It is taken of the syntax and not of the formatted text: both spellings meet at the syntax, and a formatter that learns
to break lines elsewhere must not change what a deployment pinned.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from hashlib import sha256
from operator import attrgetter
from typing import Any, Final

from policylang.syntax import ast


def policy_digest(closure: Mapping[str, ast.PolicyFile]) -> str:
    """``sha256:…`` of every layer's declarations, by id; comments, places and inline tests are left out."""
    layers = [[name, [_plain(decl) for decl in _meaning(closure[name])]] for name in sorted(closure)]
    text = json.dumps(layers, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _meaning(file: ast.PolicyFile) -> list[ast.Decl]:
    return [decl for decl in file.decls if not isinstance(decl, ast.InlineTest)]


_PARTS: Final[dict[type[Any], Callable[[Any], Any]]] = {
    kind: attrgetter(*(field.name for field in fields(kind) if field.compare and field.name != "doc"))
    for kind in vars(ast).values()
    if isinstance(kind, type) and is_dataclass(kind)
}
"""Reads the fields of a node that mean something; of a node with one such field, that one alone."""


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is ast.Ident:
        return value.name
    if kind is tuple:
        return [_plain(item) for item in value]
    if value is None or kind in (str, int, float, bool):
        return value
    if kind is date:
        return value.isoformat()
    return [kind.__name__, _plain(_PARTS[kind](value))]
