"""The span that no exempt may free: a tool_result `queue depth = 42`, of which nothing else is known (SPEC §3).

A small three-valued evaluation of one condition on one span, so that a policy is judged when it is loaded. What the
span does not say is unknown, and an exempt that is unknown frees nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any, Final, assert_never

from policylang.regex import compile_pattern
from policylang.rules_ir import expr as ir

TEXT: Final = "queue depth = 42"
_VALUE: Final = (TEXT.index("42"), len(TEXT))
_ASSERTION: Final = {"key": "queue_depth", "value": "42", "entity": None, "type": None, "status": None}
_SPAN: Final[dict[str, Any]] = {
    "kind": "tool_result",
    "class": "state",
    "text": TEXT,
    "tokens": 4,
    "assertions": (_ASSERTION,),
    "assertions_truncated": False,
    "bulk": False,
}
_OPERATORS: Final[dict[str, Any]] = {
    "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge, "+": add, "-": sub, "*": mul, "/": truediv,
}  # fmt: skip

Slots = dict[int, Any]


def frees_queue_depth(condition: ir.Expr, patterns: Iterable[tuple[str, str]]) -> bool:
    """Whether the exempt frees the span, or whatever it is asked of (`when true`)."""
    if _value(condition, {0: {}}) is True:
        return True
    return holds_of_queue_depth(condition) is True and any(_covers(*pattern) for pattern in patterns)


def holds_of_queue_depth(condition: ir.Expr) -> bool | None:
    """A condition's value for the span; None where it hangs on what the span does not say."""
    value: bool | None = _value(condition, {0: _SPAN})
    return value


def _covers(pattern: str, flags: str) -> bool:
    start, end = _VALUE
    return any(
        found.start() <= start and end <= found.end() for found in compile_pattern(pattern, flags).finditer(TEXT)
    )


def _value(expr: ir.Expr, slots: Slots) -> Any:
    match expr:
        case ir.Const(value):
            return value
        case ir.Var(slot):
            return slots[slot]
        case ir.Global() | ir.Meta() | ir.Epsilon():
            return None
        case ir.Field(base, name):
            record = _value(base, slots)
            return record.get(name) if isinstance(record, dict) else None
        case ir.Not(operand):
            value = _value(operand, slots)
            return None if value is None else not value
        case ir.Neg(operand):
            value = _value(operand, slots)
            return None if value is None else -value
        case ir.And(operands):
            return _junction([_value(operand, slots) for operand in operands], False)
        case ir.Or(operands):
            return _junction([_value(operand, slots) for operand in operands], True)
        case ir.Compare(op, left, right) | ir.Arith(op, left, right):
            return _operator(op, _value(left, slots), _value(right, slots))
        case ir.In(item, collection, negated):
            return _in(_value(item, slots), _value(collection, slots), negated)
        case ir.ListLit(items):
            return tuple(_value(item, slots) for item in items)
        case ir.Matches(subject, pattern, flags):
            text = _value(subject, slots)
            return None if text is None else compile_pattern(pattern, flags).search(text) is not None
        case ir.IsKnown(operand, negated):
            return (_value(operand, slots) is None) is negated
        case ir.If(condition, then, otherwise):
            chosen = _value(condition, slots)
            return None if chosen is None else _value(then if chosen else otherwise, slots)
        case ir.Builtin(name, args):
            return _builtin(name, [_value(arg, slots) for arg in args])
        case ir.Quant():
            return _quantifier(expr, slots)
        case _:
            assert_never(expr)


def _junction(values: Sequence[Any], decisive: bool) -> bool | None:
    if any(value is decisive for value in values):
        return decisive
    return None if any(value is None for value in values) else not decisive


def _operator(op: str, left: Any, right: Any) -> Any:
    if left is None or right is None or (op == "/" and right == 0):
        return None
    try:
        return _OPERATORS[op](left, right)
    except OverflowError:
        return None  # as the language says of a number that no float holds


def _in(item: Any, collection: Any, negated: bool) -> bool | None:
    if item is None or collection is None:
        return None
    found = _junction([None if one is None else one == item for one in collection], True)
    return found if found is None else found is not negated


def _builtin(name: str, args: list[Any]) -> Any:
    if any(arg is None for arg in args):
        return None
    match name:
        case "lower":
            return args[0].lower()
        case "length":
            return len(args[0])
        case "starts_with":
            return args[0].startswith(args[1])
        case _:
            return args[1] in args[0]


def _quantifier(expr: ir.Quant, slots: Slots) -> Any:
    collection = _value(expr.collection, slots)
    if collection is None:
        return None
    values: list[Any] = []
    for element in collection:
        inner = {**slots, expr.slot: element}
        where = True if expr.where is None else _value(expr.where, inner)
        if where is False:
            continue
        body = _value(expr.body, inner)
        if where is None:
            # An unknown filter: `any` asks for (filter and element), `all` for (not filter or element).
            body = _junction([None, body], expr.quantifier == "all") if expr.quantifier in ("any", "all") else None
        values.append(body)
    if expr.quantifier in ("any", "all"):
        return _junction(values, expr.quantifier == "any")
    if any(value is None for value in values):
        return None
    match expr.quantifier:
        case "count" | "sum":
            return sum(values)
        case "min":
            return min(values, default=None)
        case _:
            return max(values, default=None)
