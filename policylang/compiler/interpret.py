"""The readable evaluator: one function per idea, no cleverness. It is what the other two are compared with.

It counts its steps, so that the bound of `cost.py` can be held against work that was really done: one step for each
node evaluated and each element visited, and as many as there are characters for whatever reads a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any, Final, assert_never

from policylang.compiler import values
from policylang.regex import compile_pattern
from policylang.rules_ir import expr as ir
from policylang.rules_ir.facts import ATTRIBUTE, World
from policylang.rules_ir.outcome import Hit
from policylang.rules_ir.policy import Rule

_ORDER: Final = {"<": lt, "<=": le, ">": gt, ">=": ge}


def evaluate_rules(rules: Sequence[Rule], world: World) -> list[Hit]:
    """All hits, by the order of ``rules`` and then of each rule's list."""
    return [hit for rule in rules for hit in _hits(rule, _Evaluation(world))]


def evaluate_expression(expr: ir.Expr, world: World, slots: Mapping[int, object]) -> Any:
    """The value of an expression, None if unknown. ``slots`` gives the rule's subject (slot 0) where it has one."""
    return _Evaluation(world).value(expr, dict(slots))


def count_steps(rule: Rule, world: World) -> int:
    """The steps that evaluating one rule takes; `cost.cost_bound` is never below it."""
    evaluation = _Evaluation(world)
    for _ in _hits(rule, evaluation):
        pass
    return evaluation.steps


def _hits(rule: Rule, evaluation: _Evaluation) -> Iterator[Hit]:
    if rule.each is None:
        subjects: Sequence[tuple[int, dict[int, Any]]] = [(-1, {})]
    else:
        subjects = [(index, {0: one}) for index, one in enumerate(getattr(evaluation.world, rule.each))]
    for index, slots in subjects:
        evaluation.steps += 1
        value = evaluation.value(rule.condition, slots)
        if value is not False:
            yield Hit(rule, index, value is None)


def _size(*operands: object) -> int:
    """What reading these values costs: the length of a text, nothing for the rest."""
    return sum(len(operand) for operand in operands if isinstance(operand, str))


class _Evaluation:
    """One evaluation of one rule or expression against one world."""

    __slots__ = ("steps", "world")

    def __init__(self, world: World) -> None:
        self.world = world
        self.steps = 0

    def value(self, expr: ir.Expr, slots: dict[int, Any]) -> Any:
        """The value of ``expr``, None if unknown."""
        self.steps += 1
        match expr:
            case ir.Const():
                return expr.value
            case ir.Var():
                return slots[expr.slot]
            case ir.Global():
                return getattr(self.world, expr.name)
            case ir.Field():
                record = self.value(expr.base, slots)
                return None if record is None else getattr(record, ATTRIBUTE.get(expr.name, expr.name))
            case ir.Meta():
                span = self.value(expr.span, slots)
                return None if span is None else span.meta.get(expr.key)
            case ir.ListLit():
                return tuple(self.value(item, slots) for item in expr.items)
            case ir.And() | ir.Or():
                return self._connective(expr.operands, slots, decisive=isinstance(expr, ir.Or))
            case ir.Not():
                return values.negation(self.value(expr.operand, slots))
            case ir.If():
                condition = self.value(expr.condition, slots)
                if condition is None:
                    return None
                return self.value(expr.then if condition else expr.otherwise, slots)
            case ir.IsKnown():
                return (self.value(expr.operand, slots) is None) == expr.negated
            case ir.Quant():
                return self._quantifier(expr, slots)
            case _:
                return self._operator(expr, slots)

    def _operator(
        self,
        expr: ir.Neg | ir.Arith | ir.Compare | ir.In | ir.Matches | ir.Builtin | ir.Epsilon,
        slots: dict[int, Any],
    ) -> Any:
        """Everything that is unknown as soon as an operand is."""
        match expr:
            case ir.Neg():
                operand = self.value(expr.operand, slots)
                return None if operand is None else -operand
            case ir.Arith():
                return values.ARITHMETIC[expr.op](self.value(expr.left, slots), self.value(expr.right, slots))
            case ir.Compare():
                return self._compare(expr.op, self.value(expr.left, slots), self.value(expr.right, slots))
            case ir.In():
                item, items = self.value(expr.item, slots), self.value(expr.collection, slots)
                self.steps += sum(1 + _size(item, other) for other in items or ())
                found = values.member(item, items)
                return values.negation(found) if expr.negated else found
            case ir.Matches():
                subject = self.value(expr.subject, slots)
                self.steps += _size(subject)
                if subject is None:
                    return None
                return compile_pattern(expr.pattern, expr.flags).search(subject) is not None
            case ir.Builtin():
                return self._builtin(expr.name, [self.value(arg, slots) for arg in expr.args])
            case ir.Epsilon():
                chain = self.value(expr.chain, slots)
                return None if chain is None else chain.epsilon_of(expr.kind, expr.by, expr.excluded)
            case _:
                assert_never(expr)

    def _compare(self, op: str, left: Any, right: Any) -> bool | None:
        self.steps += _size(left, right)
        if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            self.steps += sum(1 + _size(one, other) for one, other in zip(left, right, strict=False))
        if op == "==":
            return values.equal(left, right)
        if op == "!=":
            return values.negation(values.equal(left, right))
        return None if left is None or right is None else bool(_ORDER[op](left, right))

    def _builtin(self, name: ir.BuiltinName, args: list[Any]) -> Any:
        self.steps += _size(*args)
        if any(arg is None for arg in args):
            return None
        match name:
            case "lower":
                return args[0].lower()
            case "length":
                return len(args[0])
            case "starts_with":
                return args[0].startswith(args[1])
            case "contains":
                return args[1] in args[0]
            case _:
                assert_never(name)

    def _connective(self, operands: Sequence[ir.Expr], slots: dict[int, Any], *, decisive: bool) -> bool | None:
        """Kleene `or` (``decisive`` true) and `and` (false): the decisive value wins, then unknown."""
        result: bool | None = not decisive
        for operand in operands:
            value: bool | None = self.value(operand, slots)
            if value is decisive:
                return decisive
            if value is None:
                result = None
        return result

    def _quantifier(self, expr: ir.Quant, slots: dict[int, Any]) -> Any:
        elements = self.value(expr.collection, slots)
        if elements is None:
            return None
        match expr.quantifier:
            case "any" | "all":
                return self._any_or_all(expr, elements, slots)
            case "count":
                found = self._passing(expr, elements, slots)
                return None if found is None or None in found else sum(found)
            case "sum":
                found = self._passing(expr, elements, slots)
                return None if found is None else values.total(found)
            case "min" | "max":
                found = self._passing(expr, elements, slots)
                return None if found is None else values.extreme(found, largest=expr.quantifier == "max")
            case _:
                assert_never(expr.quantifier)

    def _any_or_all(self, expr: ir.Quant, elements: Sequence[Any], slots: dict[int, Any]) -> bool | None:
        """`any` is the `or` of (filter and body), `all` the `and` of (not filter or body), over the elements."""
        decisive = expr.quantifier == "any"
        result: bool | None = not decisive
        for element in elements:
            self.steps += 1
            slots[expr.slot] = element
            passes = True if expr.where is None else self.value(expr.where, slots)
            if passes is False:
                continue
            value: bool | None = self.value(expr.body, slots)
            if value is decisive and passes:
                return decisive
            if value is None or value is decisive:
                result = None
        return result

    def _passing(self, expr: ir.Quant, elements: Sequence[Any], slots: dict[int, Any]) -> list[Any] | None:
        """The body's value for each element that passes the filter; None if a filter is unknown."""
        found: list[Any] = []
        for element in elements:
            self.steps += 1
            slots[expr.slot] = element
            passes = True if expr.where is None else self.value(expr.where, slots)
            if passes is None:
                return None
            if passes:
                found.append(self.value(expr.body, slots))
        return found
