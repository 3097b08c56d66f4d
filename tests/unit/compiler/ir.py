"""Short spellings of typed expressions and facts, for tests that build them by hand."""

from __future__ import annotations

from typing import Any

from policylang.compiler.columns import ColumnPlan
from policylang.compiler.fused import fuse
from policylang.compiler.interpret import evaluate_rules
from policylang.rules_ir import expr as ir
from policylang.rules_ir import types as ty
from policylang.rules_ir.facts import (
    AssertionFacts,
    ChainFacts,
    IndexFacts,
    IntegrityFacts,
    MonitorFacts,
    ScoringFacts,
    SpanFacts,
    World,
)
from policylang.rules_ir.policy import Rule
from policylang.source import nowhere

TRUE, FALSE = ir.Const(True, ty.BOOL), ir.Const(False, ty.BOOL)
EVICTED = ir.Global("evicted", ty.SPANS)
SUBJECT = ir.Var(0, "s", ty.SPAN)
DIVERGENCE = ir.Field(ir.Global("monitor", ty.MONITOR), "divergence", ty.NUMBER)


def num(value: int | float) -> ir.Const:
    return ir.Const(value, ty.INT if isinstance(value, int) else ty.NUMBER)


def text(value: str) -> ir.Const:
    return ir.Const(value, ty.TEXT)


def word(value: str, of: ty.Type = ty.KIND) -> ir.Const:
    return ir.Const(value, of)


def field(base: ir.Expr, name: str) -> ir.Field:
    return ir.Field(base, name, ty.FIELDS[base.type][name].type)


def cmp(left: ir.Expr, op: Any, right: ir.Expr) -> ir.Compare:
    return ir.Compare(op, left, right, ty.BOOL)


def arith(left: ir.Expr, op: Any, right: ir.Expr, of: ty.Type = ty.INT) -> ir.Arith:
    return ir.Arith(op, left, right, of)


def both(*operands: ir.Expr) -> ir.And:
    return ir.And(operands, ty.BOOL)


def some(*operands: ir.Expr) -> ir.Or:
    return ir.Or(operands, ty.BOOL)


def no(operand: ir.Expr) -> ir.Not:
    return ir.Not(operand, ty.BOOL)


def listed(of: ty.Type, *items: ir.Expr) -> ir.ListLit:
    return ir.ListLit(items, ty.list_of(of))


def var(slot: int, of: ty.Type = ty.SPAN) -> ir.Var:
    return ir.Var(slot, f"v{slot}", of)


def quant(name: Any, slot: int, collection: ir.Expr, body: ir.Expr, where: ir.Expr | None = None) -> ir.Quant:
    of = {"any": ty.BOOL, "all": ty.BOOL, "count": ty.INT}.get(name, body.type)
    return ir.Quant(name, slot, f"v{slot}", collection, where, body, of)


def rule(condition: ir.Expr, each: Any = None, name: str = "r") -> Rule:
    return Rule(
        id=name,
        level="refuse",
        mode="enforce",
        scope="epoch",
        each=each,
        condition=condition,
        message=(),
        evidence=(),
        loc=nowhere(),
    )


def span(name: str = "a", **facts: Any) -> SpanFacts:
    """A span whose every fact is set: what is not given is dull but known, or unknown where it can be."""
    chain = ChainFacts(id="c", spans=[], evicted=[], anchors=[], evicted_anchors=[], epsilon=None)
    base: dict[str, Any] = {
        "id": name, "kind": "reasoning", "klass": "reasoning", "text": "x", "epoch": 1, "age": 6, "tokens": 1,
        "anchor": False, "anchor_by": [], "assertions": [], "assertions_truncated": False, "bulk": False,
        "loss": None, "representation": None, "indexed": None, "verified": None, "tool": None, "tool_call_id": None,
        "position": 0, "meta": {}, "chain": chain, "pair_split": False, "call_open": False,
        "kept_verbatim": False,
    }  # fmt: skip
    return SpanFacts(**(base | facts))


def assertion(key: str, value: str, **facts: Any) -> AssertionFacts:
    return AssertionFacts(**({"entity": None, "key": key, "value": value, "type": "version", "status": None} | facts))


def world(*evicted: SpanFacts, **facts: Any) -> World:
    """Evicted spans in an otherwise empty world where no record is known."""
    base: dict[str, Any] = {
        "epoch": 7, "spans": list(evicted), "evicted": list(evicted), "retained": [],
        "anchors": [], "chains": [],
        "index": IndexFacts(source=None, rebuilt=None, epochs_since_rebuild=None, size=None, coverage=None),
        "scoring": ScoringFacts(terms=None, structural=None, structural_weight=None, anchor_auc=None),
        "monitor": MonitorFacts(enabled=None, queries=None, divergence=None, probe_divergence=None),
        "integrity": IntegrityFacts(unsupported_claims=0, unaccounted=0, claims=[], lost=[], gain=None),
    }  # fmt: skip
    if "anchors" not in facts:
        base["anchors"] = [one for one in evicted if one.anchor]
    return World(**(base | facts))


def verdicts(rules: list[Rule], facts: World) -> list[tuple[str, int, bool]]:
    """(rule, subject, undetermined) of every hit, the same from all three evaluators."""
    hits = evaluate_rules(rules, facts)
    plan = ColumnPlan(rules)
    assert fuse(rules).hits(facts) == hits
    assert plan.run(plan.encode([facts])).by_world(1) == [hits]
    return [(hit.rule.id, hit.subject, hit.undetermined) for hit in hits]


def outcome(condition: ir.Expr, facts: World) -> bool | None:
    """The value of a condition that is evaluated once."""
    found = verdicts([rule(condition)], facts)
    return (None if found[0][2] else True) if found else False
