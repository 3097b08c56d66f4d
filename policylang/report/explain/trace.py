"""A condition with every part evaluated, by the interpreter: why it came out as it did.

The parts of `and` and `or` are all evaluated, also those that the decision did not need: a reader wants to know what
else would have to change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from policylang.compiler.interpret import evaluate_expression
from policylang.report.explain.spelling import spelled, value_text
from policylang.rules_ir import expr as ir
from policylang.rules_ir.facts import World

DEPTH: Final = 12
ELEMENTS: Final = 5
"""Elements of a quantifier that are shown: those that settle it first."""

Slots = Mapping[int, object]


@dataclass(frozen=True, slots=True)
class Trace:
    """A part of a condition: its text, its value, and its parts. ``note`` says what is left out."""

    text: str
    value: str
    parts: tuple[Trace, ...] = ()
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The part as an explanation spells it."""
        out: dict[str, Any] = {"text": self.text, "value": self.value, "parts": [part.to_json() for part in self.parts]}
        if self.note is not None:
            out["note"] = self.note
        return out


def trace(expr: ir.Expr, world: World, slots: Slots, depth: int = 0) -> Trace:
    """The trace of an expression for one subject (slot 0), as the interpreter sees it."""
    value = value_text(evaluate_expression(expr, world, slots))
    parts: tuple[Trace, ...] = ()
    note = None
    if depth < DEPTH:
        match expr:
            case ir.And() | ir.Or():
                parts = tuple(trace(item, world, slots, depth + 1) for item in expr.operands)
            case ir.Not():
                parts = (trace(expr.operand, world, slots, depth + 1),)
            case ir.If():
                parts = _branch(expr, world, slots, depth)
            case ir.Quant():
                parts, note = _elements(expr, world, slots, depth)
            case _:
                parts = _reads(expr, world, slots, depth)
    return Trace(spelled(expr), value, parts, note)


def _branch(expr: ir.If, world: World, slots: Slots, depth: int) -> tuple[Trace, ...]:
    condition = trace(expr.condition, world, slots, depth + 1)
    if condition.value == "unknown":
        return (condition,)
    chosen = expr.then if condition.value == "true" else expr.otherwise
    return condition, trace(chosen, world, slots, depth + 1)


def _reads(expr: ir.Expr, world: World, slots: Slots, depth: int) -> tuple[Trace, ...]:
    """The fields that an operator reads, each with its value; nothing for a field itself."""
    if isinstance(expr, (ir.Const, ir.Var, ir.Global, ir.Field, ir.Meta, ir.Epsilon)):
        return ()
    found: dict[str, Trace] = {}
    for item in _fields(expr):
        text = spelled(item)
        if text not in found:
            found[text] = trace(item, world, slots, depth + 1)
    return tuple(found.values())


def _fields(expr: ir.Expr) -> Sequence[ir.Expr]:
    match expr:
        case ir.Field() | ir.Meta() | ir.Epsilon() | ir.Quant():
            return [expr]
        case ir.Global():
            # Lists of spans say nothing by themselves; the one plain value among the names in scope is `epoch`.
            return [expr] if expr.name == "epoch" else []
        case ir.Compare() | ir.Arith():
            return [*_fields(expr.left), *_fields(expr.right)]
        case ir.In():
            return [*_fields(expr.item), *_fields(expr.collection)]
        case ir.Matches():
            return _fields(expr.subject)
        case ir.IsKnown() | ir.Neg() | ir.Not():
            return _fields(expr.operand)
        case ir.Builtin():
            return [one for arg in expr.args for one in _fields(arg)]
        case ir.ListLit():
            return [one for item in expr.items for one in _fields(item)]
        case _:
            return []


def _elements(expr: ir.Quant, world: World, slots: Slots, depth: int) -> tuple[tuple[Trace, ...], str | None]:
    """The elements that settle a quantifier, each with its body; else how many there were."""
    elements = evaluate_expression(expr.collection, world, slots)
    if elements is None:
        return (Trace(spelled(expr.collection), "unknown"),), None
    passing: list[object] = []
    for element in elements:
        inner = {**slots, expr.slot: element}
        if expr.where is None or evaluate_expression(expr.where, world, inner) is not False:
            passing.append(element)
    settling = [element for element in passing if _settles(expr, world, {**slots, expr.slot: element})]
    parts = tuple(
        _element(expr, world, {**slots, expr.slot: element}, element, depth) for element in settling[:ELEMENTS]
    )
    ranged = f"{len(elements)} in {spelled(expr.collection)}"
    if expr.where is not None:
        ranged += f", {len(passing)} of them where {spelled(expr.where)}"
    left = len(settling) - len(parts)
    return parts, f"{ranged}; {left} more like these" if left else ranged


def _settles(expr: ir.Quant, world: World, slots: Slots) -> bool:
    """Whether an element is worth showing: for `any` one that is not false, for `all` one that is not true."""
    value = evaluate_expression(expr.body, world, slots)
    match expr.quantifier:
        case "any":
            return value is not False
        case "all":
            return value is not True
        case _:
            return value is not False


def _element(expr: ir.Quant, world: World, slots: Slots, element: object, depth: int) -> Trace:
    found = trace(expr.body, world, slots, depth + 1)
    return Trace(f"{expr.variable} = {value_text(element)}: {found.text}", found.value, found.parts, found.note)


def unknown_parts(expr: ir.Expr, world: World, slots: Slots) -> tuple[str, ...]:
    """The fields for want of which a condition is unknown, sorted."""
    return tuple(sorted(set(_unknown(trace(expr, world, slots)))))


def _unknown(part: Trace) -> Iterator[str]:
    if part.value != "unknown":
        return
    inner = [name for one in part.parts for name in _unknown(one)]
    yield from inner or [part.text]


def to_falsify(expr: ir.Expr, world: World, slots: Slots) -> str:
    """The parts of a condition that would have to be false for it to be: any one of an `and`, all of an `or`."""
    match expr:
        case ir.And():
            return ", or ".join(_grouped(item, world, slots) for item in expr.operands)
        case ir.Or():
            holding = [item for item in expr.operands if evaluate_expression(item, world, slots) is not False]
            return " and ".join(_grouped(item, world, slots) for item in holding)
        case _:
            return f"`{spelled(expr)}`"


def _grouped(expr: ir.Expr, world: World, slots: Slots) -> str:
    text = to_falsify(expr, world, slots)
    return f"({text})" if isinstance(expr, (ir.And, ir.Or)) and not text.startswith("(") and " `" in text else text
