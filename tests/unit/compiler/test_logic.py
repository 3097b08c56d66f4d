"""The cases of conformance file 05, and the small print of `rules_ir.expr`, through all three evaluators."""

from __future__ import annotations

import math

import pytest

from policylang.rules_ir import expr as ir
from policylang.rules_ir import types as ty
from policylang.rules_ir.facts import ChainFacts, IndexFacts, MonitorFacts, ScoringFacts, World
from tests.unit.compiler.ir import (
    DIVERGENCE,
    EVICTED,
    FALSE,
    TRUE,
    arith,
    assertion,
    both,
    cmp,
    field,
    listed,
    no,
    num,
    outcome,
    quant,
    rule,
    some,
    span,
    text,
    var,
    verdicts,
    word,
    world,
)

EMPTY = world()
ONE = world(span(tokens=4))
TWO = world(span("a", tokens=4), span("b", tokens=5))
MIXED = world(span("a", verified=True), span("c", verified=None))
UNKNOWN = cmp(DIVERGENCE, ">", num(0.01))
V1 = var(1)


def is_known(operand: ir.Expr, negated: bool = False) -> ir.IsKnown:
    return ir.IsKnown(operand, negated, ty.BOOL)


def matches(subject: ir.Expr, pattern: str, flags: str = "") -> ir.Matches:
    return ir.Matches(subject, pattern, flags, ty.BOOL)


def either(condition: ir.Expr, then: ir.Expr, otherwise: ir.Expr, of: ty.Type = ty.BOOL) -> ir.If:
    return ir.If(condition, then, otherwise, of)


def within(item: ir.Expr, collection: ir.Expr, negated: bool = False) -> ir.In:
    return ir.In(item, collection, negated, ty.BOOL)


def verified(name: str) -> ir.Quant:
    return quant(name, 1, EVICTED, field(V1, "verified"))


def among(name: str, wanted: str) -> ir.Quant:
    """`name s in evicted where s.id == wanted: s.verified`."""
    return quant(name, 1, EVICTED, field(V1, "verified"), cmp(field(V1, "id"), "==", text(wanted)))


def rebuilt(never: bool = True) -> World:
    since = math.inf if never else 3
    return world(index=IndexFacts(epochs_since_rebuild=since, rebuilt=-math.inf, source=None, size=0, coverage=None))


SINCE = ir.Field(ir.Global("index", ty.INDEX), "epochs_since_rebuild", ty.NUMBER)
TERMS = ir.Field(ir.Global("scoring", ty.SCORING), "terms", ty.TEXTS)
MONITORED = world(monitor=MonitorFacts(enabled=True, queries=5, divergence=0.0, probe_divergence=None))
VERSION = world(span(kind="tool_result", klass="state", assertions=[assertion("schema_version", "7")]))
KINDS = ty.list_of(ty.KIND)

CONFORMANCE: dict[str, tuple[ir.Expr, World, bool | None]] = {
    "true refuses": (cmp(num(1), "<", num(2)), EMPTY, True),
    "false does not": (cmp(num(2), "<", num(1)), EMPTY, False),
    "unknown refuses as undetermined": (UNKNOWN, EMPTY, None),
    "not unknown is unknown": (no(UNKNOWN), EMPTY, None),
    "false and unknown": (both(FALSE, UNKNOWN), EMPTY, False),
    "unknown and false": (both(UNKNOWN, FALSE), EMPTY, False),
    "true and unknown": (both(TRUE, UNKNOWN), EMPTY, None),
    "true or unknown": (some(TRUE, UNKNOWN), EMPTY, True),
    "unknown or true": (some(UNKNOWN, TRUE), EMPTY, True),
    "false or unknown": (some(FALSE, UNKNOWN), EMPTY, None),
    "is unknown is known": (is_known(DIVERGENCE, negated=True), EMPTY, True),
    "is known": (is_known(DIVERGENCE), MONITORED, True),
    "is known of an unknown": (is_known(DIVERGENCE), EMPTY, False),
    "unknown equals unknown": (cmp(DIVERGENCE, "==", DIVERGENCE), EMPTY, None),
    "division by zero": (cmp(arith(num(1), "/", num(0), ty.NUMBER), ">", num(0)), EMPTY, None),
    "division by minus zero": (cmp(arith(num(1), "/", num(-0.0), ty.NUMBER), ">", num(0)), EMPTY, None),
    "precedence of times": (cmp(arith(num(1), "+", arith(num(2), "*", num(3))), "==", num(7)), EMPTY, True),
    "unary minus": (cmp(arith(ir.Neg(num(2), ty.INT), "+", num(3)), "==", num(1)), EMPTY, True),
    "int and number compare": (cmp(num(7), "==", num(7.0)), EMPTY, True),
    "any over nothing": (quant("any", 1, EVICTED, TRUE), EMPTY, False),
    "all over nothing": (quant("all", 1, EVICTED, FALSE), EMPTY, True),
    "count over nothing": (cmp(quant("count", 1, EVICTED, TRUE), "==", num(0)), EMPTY, True),
    "any with where": (
        quant(
            "any", 1, EVICTED, cmp(field(V1, "tokens"), ">", num(3)), cmp(field(V1, "kind"), "==", word("reasoning"))
        ),
        ONE,
        True,
    ),
    "sum": (cmp(quant("sum", 1, EVICTED, field(V1, "tokens")), "==", num(9)), TWO, True),
    "max of nothing": (cmp(quant("max", 1, EVICTED, field(V1, "tokens")), ">", num(1)), EMPTY, None),
    "one true element decides any": (verified("any"), MIXED, True),
    "a true and an unknown leave all undetermined": (verified("all"), MIXED, None),
    "an unknown makes count unknown": (cmp(verified("count"), ">=", num(1)), MIXED, None),
    "not any": (no(quant("any", 1, EVICTED, field(V1, "anchor"))), ONE, True),
    "a quantifier last in and": (both(TRUE, quant("all", 1, EVICTED, both(field(V1, "anchor"), FALSE))), EMPTY, True),
    "if evaluates only its branch": (either(TRUE, TRUE, UNKNOWN), EMPTY, True),
    "if then else": (either(cmp(num(1), "<", num(2)), FALSE, TRUE), EMPTY, False),
    "if of an unknown condition": (either(UNKNOWN, TRUE, TRUE), EMPTY, None),
    "in a list of kinds": (
        quant("any", 1, EVICTED, within(field(V1, "kind"), listed(ty.KIND, word("tool_result"), word("reasoning")))),
        ONE,
        True,
    ),
    "not in": (
        quant("any", 1, EVICTED, within(field(V1, "kind"), listed(ty.KIND, word("tool_result")), negated=True)),
        ONE,
        True,
    ),
    "regex is a search": (
        quant("any", 1, EVICTED, matches(field(V1, "text"), "ver.ion", "i")),
        world(span(text="the VERSION")),
        True,
    ),
    "a dot is no newline": (
        quant("any", 1, EVICTED, matches(field(V1, "text"), "a.b")),
        world(span(text="a\nb")),
        False,
    ),
    "never is infinitely long ago": (cmp(SINCE, "<=", num(1000000)), rebuilt(), False),
    "big integers do not wrap": (cmp(arith(num(2**63 - 1), "+", num(1)), ">", num(0)), EMPTY, True),
    "shadowed name is the inner one": (
        quant(
            "any",
            1,
            EVICTED,
            quant(
                "any", 2, field(V1, "assertions"), cmp(field(var(2, ty.ASSERTION), "key"), "==", text("schema_version"))
            ),
        ),
        VERSION,
        True,
    ),
    "class of a kind": (
        quant("any", 1, EVICTED, cmp(field(V1, "class"), "==", word("state", ty.CLASS))),
        VERSION,
        True,
    ),
    "age counts epochs": (quant("any", 1, EVICTED, cmp(field(V1, "age"), "==", num(6))), ONE, True),
}


@pytest.mark.parametrize("name", CONFORMANCE)
def test_conformance_05(name: str) -> None:
    condition, facts, expected = CONFORMANCE[name]
    assert outcome(condition, facts) is expected


BIG = 10**400
LOSSES = world(span("a", loss=1e308), span("b", loss=1e308))
SMALL_PRINT: dict[str, tuple[ir.Expr, World, bool | None]] = {
    "ints compare with numbers exactly": (cmp(num(2**53 + 1), ">", num(2.0**53)), EMPTY, True),
    "ints are exact whatever their size": (
        cmp(arith(arith(num(BIG), "+", num(1)), "-", num(BIG)), "==", num(1)),
        EMPTY,
        True,
    ),
    "an int too large for a float overflows": (
        cmp(arith(num(BIG), "*", num(1.0), ty.NUMBER), ">", num(0)),
        EMPTY,
        None,
    ),
    "a float overflow is unknown": (cmp(arith(num(1e308), "*", num(10.0), ty.NUMBER), ">", num(0)), EMPTY, None),
    "a sum that overflows is unknown": (cmp(quant("sum", 1, EVICTED, field(V1, "loss")), ">", num(0)), LOSSES, None),
    "infinity is known": (cmp(arith(SINCE, "+", num(1), ty.NUMBER), ">", num(BIG)), rebuilt(), True),
    "infinity minus infinity is not": (cmp(arith(SINCE, "-", SINCE, ty.NUMBER), "==", num(0)), rebuilt(), None),
    "division is never integer division": (cmp(arith(num(7), "/", num(2), ty.NUMBER), "==", num(3.5)), EMPTY, True),
    "an unknown filter and a false body": (quant("any", 1, EVICTED, FALSE, UNKNOWN), ONE, False),
    "an unknown filter and a true body": (quant("any", 1, EVICTED, TRUE, UNKNOWN), ONE, None),
    "an unknown filter and a body true for all": (quant("all", 1, EVICTED, TRUE, UNKNOWN), ONE, True),
    "an unknown filter and a body false for all": (quant("all", 1, EVICTED, FALSE, UNKNOWN), ONE, None),
    "an unknown filter in count": (cmp(quant("count", 1, EVICTED, FALSE, UNKNOWN), "==", num(0)), ONE, None),
    "a filtered element may be unknown": (
        cmp(quant("sum", 1, EVICTED, field(V1, "loss"), is_known(field(V1, "loss"))), "==", num(0.5)),
        world(span("a", loss=0.5), span("b", loss=None)),
        True,
    ),
    "sum of nothing is 0": (cmp(quant("sum", 1, EVICTED, field(V1, "loss")), "==", num(0)), EMPTY, True),
    "in: a true item beats an unknown one": (within(num(1), listed(ty.NUMBER, DIVERGENCE, num(1))), EMPTY, True),
    "in: else an unknown item leaves it open": (within(num(2), listed(ty.NUMBER, DIVERGENCE, num(1))), EMPTY, None),
    "not in: an unknown item leaves it open": (
        within(num(2), listed(ty.NUMBER, DIVERGENCE, num(1)), negated=True),
        EMPTY,
        None,
    ),
    "in: an unknown item of nothing": (within(DIVERGENCE, listed(ty.NUMBER)), EMPTY, None),
    "in: an unknown list": (within(text("structural"), TERMS), EMPTY, None),
    "in: a known list": (
        within(text("structural"), TERMS),
        world(scoring=ScoringFacts(terms=["similarity", "structural"])),
        True,
    ),
    "any over an unknown list": (quant("any", 1, TERMS, TRUE), EMPTY, None),
    "all over an unknown list": (quant("all", 1, TERMS, TRUE), EMPTY, None),
    "lists: a difference beats an unknown item": (
        cmp(listed(ty.NUMBER, DIVERGENCE, num(1)), "==", listed(ty.NUMBER, num(0), num(2))),
        EMPTY,
        False,
    ),
    "lists: else an unknown item leaves it open": (
        cmp(listed(ty.NUMBER, DIVERGENCE, num(1)), "!=", listed(ty.NUMBER, num(0), num(1))),
        EMPTY,
        None,
    ),
    "a meta key that is absent": (
        quant("any", 1, EVICTED, cmp(ir.Meta(V1, "team", ty.TEXT), "==", text("x"))),
        ONE,
        None,
    ),
    "a meta key that is there": (
        quant("any", 1, EVICTED, cmp(ir.Meta(V1, "team", ty.TEXT), "==", text("x"))),
        world(span(meta={"team": "x"})),
        True,
    ),
    "flags of a regex: m and s": (
        both(matches(text("a\nb"), "^b", "m"), matches(text("a\nb"), "a.b", "s")),
        EMPTY,
        True,
    ),
    "lower, starts_with, contains, length": (
        both(
            ir.Builtin("starts_with", (ir.Builtin("lower", (text("ABC"),), ty.TEXT), text("ab")), ty.BOOL),
            ir.Builtin("contains", (text("abc"), text("bc")), ty.BOOL),
            cmp(ir.Builtin("length", (text("aé😀"),), ty.INT), "==", num(3)),
            cmp(ir.Builtin("length", (EVICTED,), ty.INT), "==", num(2)),
        ),
        TWO,
        True,
    ),
    "unary minus of an unknown": (cmp(ir.Neg(DIVERGENCE, ty.NUMBER), "<", num(0)), EMPTY, None),
    "a list that is unknown equals none for certain": (cmp(TERMS, "==", listed(ty.TEXT, text("a"))), EMPTY, None),
    "a list that is unknown differs from none for certain": (cmp(listed(ty.TEXT, text("a")), "!=", TERMS), EMPTY, None),
    "any with where, as a condition": (either(among("any", "a"), TRUE, FALSE), MIXED, True),
    "any with where, as a condition: an unknown among them": (either(among("any", "c"), TRUE, FALSE), MIXED, None),
    "any with where, as a condition: none among them": (either(among("any", "x"), TRUE, FALSE), MIXED, False),
    "all with where, as a condition": (either(among("all", "a"), TRUE, FALSE), MIXED, True),
    "all with where, as a condition: an unknown among them": (either(among("all", "c"), TRUE, FALSE), MIXED, None),
    "all with where, as a condition: none among them": (either(among("all", "x"), FALSE, TRUE), MIXED, False),
    "a condition with an unknown filter": (
        either(quant("any", 1, EVICTED, TRUE, field(V1, "verified")), TRUE, FALSE),
        world(span("c", verified=None)),
        None,
    ),
    "spans are equal by identity": (
        quant("all", 1, EVICTED, quant("any", 2, EVICTED, cmp(V1, "==", var(2)))),
        world(span("same"), span("same")),
        True,
    ),
    "spans of equal facts are two spans": (
        quant("any", 1, EVICTED, quant("all", 2, EVICTED, cmp(V1, "==", var(2)))),
        world(span("same"), span("same")),
        False,
    ),
}


@pytest.mark.parametrize("name", SMALL_PRINT)
def test_small_print(name: str) -> None:
    condition, facts, expected = SMALL_PRINT[name]
    assert outcome(condition, facts) is expected


def test_a_field_of_a_field_is_read_from_it_and_not_from_the_subject() -> None:
    chains = [ChainFacts(id="c1", epsilon=0.5), ChainFacts(id="c2", epsilon=None)]
    facts = world(span("c2", chain=chains[0]), span("c1", chain=chains[1]), chains=chains)
    its_chain = field(var(0), "chain")
    assert verdicts([rule(cmp(field(its_chain, "id"), "==", text("c1")), "evicted")], facts) == [("r", 0, False)]
    assert verdicts([rule(cmp(field(its_chain, "epsilon"), "<", num(0.1)), "evicted")], facts) == [("r", 1, True)]


def test_epsilon_asks_the_chain_for_the_budget_as_written() -> None:
    asked: list[tuple[str, str, tuple[str, ...]]] = []

    def epsilon_of(kind: str, by: str, excluded: tuple[str, ...]) -> float | None:
        asked.append((kind, by, excluded))
        return 0.09

    chains = ir.Global("chains", ty.list_of(ty.CHAIN))
    epsilon = ir.Epsilon(var(1, ty.CHAIN), "reasoning", "tokens", ("assistant_message",), ty.NUMBER)
    facts = world(chains=[ChainFacts(id="c1", epsilon_of=epsilon_of)])
    assert outcome(quant("any", 1, chains, cmp(epsilon, ">", num(0.08))), facts) is True
    assert set(asked) == {("reasoning", "tokens", ("assistant_message",))}
