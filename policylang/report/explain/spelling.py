"""Typed expressions as a policy would spell them, with as few parentheses as they need."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, assert_never

from policylang.rules_ir import expr as ir
from policylang.rules_ir.facts import AssertionFacts, ChainFacts, SpanFacts
from policylang.rules_ir.types import ENUM_TYPES

# How tightly each form binds (SPEC §3, low to high).
_QUANTIFIER: Final = 0
_OR: Final = 1
_AND: Final = 2
_NOT: Final = 3
_COMPARISON: Final = 4
_SUM: Final = 5
_PRODUCT: Final = 6
_UNARY: Final = 7
_POSTFIX: Final = 8

WORDS: Final[Mapping[str, str]] = {
    "pair_split": "a call and its result are parted",
    "call_open": "the call has no final result",
    "kept_verbatim": "it is kept word for word",
    "probe_divergence": "divergence of question probes",
    "unsupported_claims": "claims without support",
    "unaccounted": "spans not kept or evicted exactly once",
    "gain": "gain of compacting",
}
"""Facts of the built-in rules that no policy can name, in words."""


def spelled(expr: ir.Expr) -> str:
    """The expression as text; `let`s stand expanded, as the check left them."""
    return _spell(expr)[0]


def _inside(expr: ir.Expr, least: int) -> str:
    text, binds = _spell(expr)
    return f"({text})" if binds < least else text


def _spell(expr: ir.Expr) -> tuple[str, int]:
    match expr:
        case ir.Const():
            return _literal(expr), _POSTFIX
        case ir.Var() | ir.Global():
            return expr.name, _POSTFIX
        case ir.Field(name=name) if name in WORDS:
            return WORDS[name], _POSTFIX
        case ir.Field():
            return f"{_inside(expr.base, _POSTFIX)}.{expr.name}", _POSTFIX
        case ir.Meta():
            return f"{_inside(expr.span, _POSTFIX)}.meta.{expr.key}", _POSTFIX
        case ir.ListLit():
            return f"[{', '.join(map(spelled, expr.items))}]", _POSTFIX
        case ir.Builtin():
            return f"{expr.name}({', '.join(map(spelled, expr.args))})", _POSTFIX
        case ir.Epsilon():
            return f"epsilon({spelled(expr.chain)}, {expr.kind})", _POSTFIX
        case ir.If():
            parts = (spelled(expr.condition), spelled(expr.then), _inside(expr.otherwise, _QUANTIFIER))
            return "if {} then {} else {}".format(*parts), _QUANTIFIER
        case ir.Quant():
            where = f" where {_inside(expr.where, _OR)}" if expr.where is not None else ""
            head = f"{expr.quantifier} {expr.variable} in {_inside(expr.collection, _OR)}{where}"
            return f"{head}: {spelled(expr.body)}", _QUANTIFIER
        case _:
            return _operator(expr)


def _operator(
    expr: ir.Not | ir.Neg | ir.And | ir.Or | ir.Compare | ir.In | ir.Matches | ir.IsKnown | ir.Arith,
) -> tuple[str, int]:
    match expr:
        case ir.Or():
            return " or ".join(_inside(item, _AND) for item in expr.operands), _OR
        case ir.And():
            return " and ".join(_inside(item, _NOT) for item in expr.operands), _AND
        case ir.Not():
            return f"not {_inside(expr.operand, _NOT)}", _NOT
        case ir.Compare():
            return f"{_inside(expr.left, _SUM)} {expr.op} {_inside(expr.right, _SUM)}", _COMPARISON
        case ir.In():
            word = "not in" if expr.negated else "in"
            return f"{_inside(expr.item, _SUM)} {word} {_inside(expr.collection, _SUM)}", _COMPARISON
        case ir.Matches():
            return f"{_inside(expr.subject, _SUM)} matches {_regex(expr.pattern, expr.flags)}", _COMPARISON
        case ir.IsKnown():
            return f"{_inside(expr.operand, _SUM)} is {'unknown' if expr.negated else 'known'}", _COMPARISON
        case ir.Arith():
            binds = _SUM if expr.op in "+-" else _PRODUCT
            return f"{_inside(expr.left, binds)} {expr.op} {_inside(expr.right, binds + 1)}", binds
        case ir.Neg():
            return f"-{_inside(expr.operand, _UNARY)}", _UNARY
        case _:
            assert_never(expr)


def _regex(pattern: str, flags: str) -> str:
    return "/" + pattern.replace("/", "\\/") + f"/{flags}"


def _literal(expr: ir.Const) -> str:
    value = expr.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if expr.type in ENUM_TYPES:
            return value
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def value_text(value: Any) -> str:
    """A value for a person: lists by what they hold, spans and chains by their ids, infinite epochs as `never`."""
    match value:
        case None:
            return "unknown"
        case bool():
            return "true" if value else "false"
        case float():
            if math.isinf(value):
                return "never" if value > 0 else "never rebuilt"
            return f"{value:.6g}"
        case int() | str():
            return str(value)
        case SpanFacts() | ChainFacts():
            return value.id
        case AssertionFacts():
            return f"{value.key} = {value.value}"
        case list() | tuple():
            shown = ", ".join(value_text(item) for item in value[:6])
            more = f", and {len(value) - 6} more" if len(value) > 6 else ""
            return f"[{shown}{more}]"
        case _:
            return type(value).__name__
