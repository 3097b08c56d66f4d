"""What a condition reads, as the evidence of its reasons: every value with a label, every gap with a name."""

from __future__ import annotations

from typing import Final, assert_never

from policylang.rules_ir import expr as ir
from policylang.rules_ir.policy import Evidence
from policylang.rules_ir.types import BOOL, ENUM_TYPES, FIELDS, INT, NUMBER, SPAN, TEXT, TEXTS, Type

_SCALARS: Final = frozenset(type_.name for type_ in (BOOL, INT, NUMBER, TEXT, *ENUM_TYPES))

Quants = tuple[ir.Quant, ...]


def evidence_of(condition: ir.Expr) -> tuple[Evidence, ...]:
    """The reads of a condition in the order of its text, each label once.

    A read of the rule's subject or of a global is a value. One inside a quantifier has no single value: it is named
    only where it is missing. The text of a span is never evidence, a verdict would repeat the transcript.
    """
    found: dict[str, Evidence] = {}
    _collect(condition, (), found)
    return tuple(found.values())


def _collect(expr: ir.Expr, quants: Quants, found: dict[str, Evidence]) -> None:
    match expr:
        case ir.Const() | ir.Var():
            return
        case ir.Global():
            _read(expr, quants, found)
        case ir.Field():
            _read(expr, quants, found)
            _collect(expr.base, quants, found)
        case ir.Meta():
            _read(expr, quants, found)
            _collect(expr.span, quants, found)
        case ir.Not() | ir.Neg() | ir.IsKnown():
            _collect(expr.operand, quants, found)
        case ir.And() | ir.Or():
            for operand in expr.operands:
                _collect(operand, quants, found)
        case ir.Compare() | ir.Arith():
            _collect(expr.left, quants, found)
            _collect(expr.right, quants, found)
        case ir.In():
            _collect(expr.item, quants, found)
            _collect(expr.collection, quants, found)
        case ir.ListLit():
            for item in expr.items:
                _collect(item, quants, found)
        case ir.Matches():
            _collect(expr.subject, quants, found)
        case ir.Builtin():
            for arg in expr.args:
                _collect(arg, quants, found)
        case ir.If():
            for part in (expr.condition, expr.then, expr.otherwise):
                _collect(part, quants, found)
        case ir.Epsilon():
            _add(f"{_prefix(expr.chain, quants)}epsilon({expr.kind})", expr, quants, True, found)
        case ir.Quant():
            _quantifier(expr, quants, found)
        case _:
            assert_never(expr)


def _quantifier(expr: ir.Quant, quants: Quants, found: dict[str, Evidence]) -> None:
    if expr.quantifier in ("count", "sum", "min", "max") and not _open_slots(expr, quants):
        inner = (*quants, expr)
        read = _path(expr.body, inner) if isinstance(expr.body, ir.Field | ir.Meta) else None
        label = f"{expr.quantifier}({read or _prefix(expr.collection, quants).rstrip('.') or expr.variable})"
        number = sum(other == label or other.startswith(f"{label} #") for other in found)
        name = f"{label} #{number + 1}" if number else label
        found[name] = Evidence(name, expr)
    _collect(expr.collection, quants, found)
    quants = (*quants, expr)
    if expr.where is not None:
        _collect(expr.where, quants, found)
    _collect(expr.body, quants, found)


def _read(expr: ir.Field | ir.Meta | ir.Global, quants: Quants, found: dict[str, Evidence]) -> None:
    if _is_value(expr.type) and not _is_span_text(expr):
        _add(_path(expr, quants) or "", expr, quants, _maybe_unknown(expr), found)


def _add(label: str, expr: ir.Expr, quants: Quants, maybe_unknown: bool, found: dict[str, Evidence]) -> None:
    if not _open_slots(expr, quants):
        found.setdefault(label, Evidence(label, expr))
    elif maybe_unknown:
        missing: ir.Expr = ir.IsKnown(expr, True, BOOL)
        for quant in reversed(quants):
            missing = ir.Quant("any", quant.slot, quant.variable, quant.collection, quant.where, missing, BOOL)
        other = found.get(label)
        if other is not None and other.only_missing:
            missing = ir.Or((other.expr, missing), BOOL)
        if other is None or other.only_missing:
            found[label] = Evidence(label, missing, only_missing=True)


def _path(expr: ir.Expr, quants: Quants) -> str | None:
    """The dotted path of a read: without the subject's name, with the list's in place of a quantifier's variable."""
    match expr:
        case ir.Global():
            return expr.name
        case ir.Field():
            return f"{_prefix(expr.base, quants)}{expr.name}"
        case ir.Meta():
            return f"{_prefix(expr.span, quants)}meta.{expr.key}"
        case _:
            return None


def _prefix(base: ir.Expr, quants: Quants) -> str:
    if isinstance(base, ir.Var):
        for quant in quants:
            if quant.slot == base.slot:
                return _prefix(quant.collection, quants) or f"{quant.variable}."
        return ""
    path = _path(base, quants)
    return f"{path}." if path is not None else ""


def _is_value(type_: Type) -> bool:
    return type_.name in _SCALARS or type_ == TEXTS


def _is_span_text(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Field) and expr.name == "text" and expr.base.type is SPAN


def _maybe_unknown(expr: ir.Expr) -> bool:
    if isinstance(expr, ir.Field):
        return FIELDS[expr.base.type][expr.name].maybe_unknown
    return isinstance(expr, ir.Meta)


def _open_slots(expr: ir.Expr, quants: Quants) -> bool:
    """Whether ``expr`` reads a variable of one of the quantifiers around it."""
    if not quants:
        return False
    match expr:
        case ir.Var():
            return any(quant.slot == expr.slot for quant in quants)
        case ir.Field():
            return _open_slots(expr.base, quants)
        case ir.Meta():
            return _open_slots(expr.span, quants)
        case ir.Epsilon():
            return _open_slots(expr.chain, quants)
        case ir.Quant():
            parts = (expr.collection, expr.body) if expr.where is None else (expr.collection, expr.where, expr.body)
            return any(_open_slots(part, quants) for part in parts)
        case ir.Not() | ir.Neg() | ir.IsKnown():
            return _open_slots(expr.operand, quants)
        case ir.And() | ir.Or():
            return any(_open_slots(operand, quants) for operand in expr.operands)
        case ir.Compare() | ir.Arith():
            return _open_slots(expr.left, quants) or _open_slots(expr.right, quants)
        case ir.In():
            return _open_slots(expr.item, quants) or _open_slots(expr.collection, quants)
        case ir.If():
            return any(_open_slots(part, quants) for part in (expr.condition, expr.then, expr.otherwise))
        case ir.ListLit():
            return any(_open_slots(item, quants) for item in expr.items)
        case ir.Builtin():
            return any(_open_slots(arg, quants) for arg in expr.args)
        case ir.Matches():
            return _open_slots(expr.subject, quants)
        case ir.Const() | ir.Global():
            return False
        case _:
            assert_never(expr)
