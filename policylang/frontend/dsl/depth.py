"""The nesting limit: what a policy nests deeper than this, no pass of the engine has to read."""

from __future__ import annotations

from typing import Final

from policylang.diagnostics import Diagnostic
from policylang.frontend.dsl.lexer import Tokens
from policylang.source import Loc
from policylang.syntax.ast import Expr, Ident
from policylang.syntax.walk import Node, children

DEPTH_LIMIT: Final = 64
"""Levels of expressions or of brackets, one inside the other."""

LENGTH_LIMIT: Final = 10_000
"""Tokens of one expression; a flat chain of conditions or a list may be so long."""

DECLARATION_LIMIT: Final = 50_000
"""Tokens of one declaration; there is no need to read 10^6 of them only to refuse the expression they make."""


def too_deep(loc: Loc) -> Diagnostic:
    """The finding for what nests deeper than `DEPTH_LIMIT`."""
    return _beyond(f"the expression nests more than {DEPTH_LIMIT} levels deep here", DEPTH_LIMIT, loc)


def too_long(loc: Loc, what: str, limit: int) -> Diagnostic:
    """The finding for an expression or a declaration of more than ``limit`` tokens."""
    return _beyond(f"the {what} is longer than {limit} words and marks", limit, loc)


def _beyond(message: str, limit: int, loc: Loc) -> Diagnostic:
    return Diagnostic("too-deep", message, loc, "name a part of it with `let`", args=(("limit", limit),))


def check_depth(expr: Expr, tokens: Tokens, first: int, end: int) -> Diagnostic | None:
    """The finding for an expression of tokens ``first`` to ``end`` that nests too deep, or None."""
    if end - first <= DEPTH_LIMIT:
        return None  # every level takes a token
    if end - first > LENGTH_LIMIT:
        return too_long(expr.loc, "expression", LENGTH_LIMIT)
    level = 0
    for at in range(first, end):
        if tokens.texts[at] in ("(", "["):
            level += 1
            if level > DEPTH_LIMIT:
                return too_deep(Loc(tokens.source, tokens.starts[at], tokens.ends[at]))
        elif tokens.texts[at] in (")", "]"):
            level -= 1
    row: list[Node] = [expr]
    for _ in range(DEPTH_LIMIT):
        row = [below for node in row for below in children(node) if not isinstance(below, Ident)]
        if not row:
            return None
    return too_deep(row[0].loc)
