"""What can be said of an expression before any world is seen: may it be unknown, what does it depend on, is it dear.

Fused code uses plain `and`/`or` where nothing can be unknown, evaluates cheap operands first and hoists what does not
change in a loop. Both rewrites keep the value: Kleene's connectives are symmetric and expressions have no effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from policylang.rules_ir import expr as ir
from policylang.rules_ir.types import FIELDS, INT

CHEAP_FIELDS: Final = frozenset({"id", "kind", "class", "text", "epoch", "age", "position"})
"""Fields that need no evidence (plain slots of the facts): reading one early costs nothing."""

DEAR: Final = 40
"""Cost from which an operand reads texts or loops."""

_EVIDENCE_COST: Final = 8
_TEXT_COST: Final = DEAR
_LOOP_COST: Final = 200


class Shape(NamedTuple):
    """``free``: slots that the expression reads; ``cost``: a rough rank; ``loops``: whether it holds a quantifier."""

    unknown: bool
    items_unknown: bool
    free: frozenset[int]
    cost: int
    loops: bool


_NONE: Final[frozenset[int]] = frozenset()
_FIELDS: Final = {record.name: fields for record, fields in FIELDS.items()}
"""By name: hashing a type costs more than all else here."""


class Shapes:
    """The shapes of every node of one rule, each computed once. Nodes are known by identity: the rule must live on."""

    __slots__ = ("_known", "_unknown_slots")

    def __init__(self) -> None:
        self._known: dict[int, Shape] = {}
        self._unknown_slots: set[int] = set()

    def enter_rule(self) -> None:
        """Forget the rule before: slots are unique within one rule only."""
        self._known.clear()
        self._unknown_slots.clear()

    def of(self, expr: ir.Expr) -> Shape:
        """The shape of a node; a quantifier's body must be asked for after the quantifier."""
        found = self._known.get(id(expr))
        if found is None:
            found = self._compute(expr)
            self._known[id(expr)] = found
        return found

    def by_cost(self, operands: Sequence[ir.Expr]) -> list[ir.Expr]:
        """Operands of a connective, those that cannot be unknown and cost little first; stable."""
        return sorted(operands, key=lambda operand: self.of(operand).cost)

    def _compute(self, expr: ir.Expr) -> Shape:
        match expr:
            case ir.Const():
                return Shape(False, False, _NONE, 0, False)
            case ir.Var():
                return Shape(expr.slot in self._unknown_slots, False, frozenset((expr.slot,)), 0, False)
            case ir.Global():
                return Shape(False, False, _NONE, 1, False)
            case ir.Field():
                base = self.of(expr.base)
                field = _FIELDS[expr.base.type.name][expr.name]
                cost = 1 if expr.name in CHEAP_FIELDS else _EVIDENCE_COST
                return Shape(base.unknown or field.maybe_unknown, False, base.free, base.cost + cost, base.loops)
            case ir.Quant():
                return self._quantifier(expr)
            case _:
                return self._operator(expr)

    def _quantifier(self, expr: ir.Quant) -> Shape:
        collection = self.of(expr.collection)
        if collection.items_unknown:
            self._unknown_slots.add(expr.slot)
        inner = [self.of(expr.body)] if expr.where is None else [self.of(expr.where), self.of(expr.body)]
        unknown = collection.unknown or any(shape.unknown for shape in inner)
        if expr.quantifier in ("min", "max") or (expr.quantifier == "sum" and expr.body.type != INT):
            unknown = True
        free = collection.free.union(*(shape.free for shape in inner)) - {expr.slot}
        cost = collection.cost + _LOOP_COST + 4 * sum(shape.cost for shape in inner)
        return Shape(unknown, False, free, cost, True)

    def _operator(self, expr: ir.Expr) -> Shape:
        parts = [self.of(operand) for operand in operands(expr)]
        free, cost, loops, unknown = _NONE, 1, False, False
        for part in parts:
            if part.free is not free:
                free = free | part.free
            cost += part.cost
            loops = loops or part.loops
            unknown = unknown or part.unknown
        items_unknown = False
        match expr:
            case ir.And() | ir.Or() | ir.Not() | ir.Neg():
                pass
            case ir.Compare() | ir.In():
                unknown = unknown or parts[0].items_unknown or parts[1].items_unknown
            case ir.ListLit():
                unknown, items_unknown = False, unknown
            case ir.IsKnown():
                unknown = False
            case ir.Meta() | ir.Epsilon():
                unknown, cost = True, cost + _EVIDENCE_COST
            case ir.Arith():
                unknown = unknown or expr.op == "/" or expr.type != INT
            case ir.If():
                items_unknown = parts[1].items_unknown or parts[2].items_unknown
            case ir.Matches() | ir.Builtin():
                cost += _TEXT_COST
            case _:
                pass
        return Shape(unknown, items_unknown, free, cost, loops)


def operands(expr: ir.Expr) -> tuple[ir.Expr, ...]:
    """The direct parts of a node that are expressions."""
    match expr:
        case ir.Const() | ir.Var() | ir.Global():
            return ()
        case ir.Field():
            return (expr.base,)
        case ir.Meta():
            return (expr.span,)
        case ir.ListLit():
            return expr.items
        case ir.And() | ir.Or():
            return expr.operands
        case ir.Not() | ir.Neg() | ir.IsKnown():
            return (expr.operand,)
        case ir.Compare() | ir.Arith():
            return (expr.left, expr.right)
        case ir.In():
            return (expr.item, expr.collection)
        case ir.Matches():
            return (expr.subject,)
        case ir.If():
            return (expr.condition, expr.then, expr.otherwise)
        case ir.Quant():
            inner = (expr.body,) if expr.where is None else (expr.where, expr.body)
            return (expr.collection, *inner)
        case ir.Builtin():
            return expr.args
        case ir.Epsilon():
            return (expr.chain,)


def demanded_kinds(condition: ir.Expr) -> frozenset[str] | None:
    """The kinds outside which a condition is false of slot 0, whatever the rest; None if it demands none.

    A span's kind is always known, so outside them an `and` that tests it is false even beside an unknown operand.
    """
    match condition:
        case ir.Compare(op="==", left=left, right=ir.Const(value=str(kind))) if _is_kind(left):
            return frozenset({kind})
        case ir.Compare(op="==", left=ir.Const(value=str(kind)), right=right) if _is_kind(right):
            return frozenset({kind})
        case ir.In(item=item, collection=ir.ListLit(items=items), negated=False) if _is_kind(item):
            kinds = [one.value for one in items if isinstance(one, ir.Const)]
            return frozenset(map(str, kinds)) if len(kinds) == len(items) else None
        case ir.And(operands=parts):
            found = [kinds for kinds in map(demanded_kinds, parts) if kinds is not None]
            return frozenset.intersection(*found) if found else None
        case ir.Or(operands=parts):
            each = [demanded_kinds(part) for part in parts]
            known = [kinds for kinds in each if kinds is not None]
            return frozenset().union(*known) if len(known) == len(each) else None
    return None


def _is_kind(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Field) and expr.name == "kind" and isinstance(expr.base, ir.Var) and expr.base.slot == 0
