"""What only the fused evaluator can get wrong: the source that it writes, and when it reads which fact."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from policylang.compiler.fused import fuse
from policylang.compiler.interpret import evaluate_rules
from policylang.rules_ir import expr as ir
from policylang.rules_ir import types as ty
from policylang.rules_ir.facts import SpanFacts
from tests.unit.compiler.ir import (
    EVICTED,
    SUBJECT,
    TRUE,
    arith,
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

HOSTILE = [
    "'",
    '"',
    "\\",
    "\\'",
    "'''",
    '"""',
    "\n",
    "\r\n",
    "\0",
    "\u2028",
    "\ud800",
    "{x}",
    "%s",
    "');raise SystemExit(1)#",
    "'+__import__('os').abort()+'",
    "\\N{BULLET}",
    "\\x27",
    "#",
    "é😀",
]


@pytest.mark.parametrize("hostile", HOSTILE, ids=ascii)
def test_text_stays_text(hostile: str) -> None:
    condition = both(
        cmp(field(SUBJECT, "text"), "==", text(hostile)),
        ir.In(field(SUBJECT, "kind"), listed(ty.KIND, word(hostile), word("other")), False, ty.BOOL),
        cmp(ir.Meta(SUBJECT, hostile, ty.TEXT), "==", text(hostile)),
        ir.Builtin("contains", (field(SUBJECT, "text"), text(hostile)), ty.BOOL),
    )
    facts = world(span("a", text=hostile, kind=hostile, meta={hostile: hostile}), span("b", text="other"))
    assert verdicts([rule(condition, "evicted")], facts) == [("r", 0, False)]


@pytest.mark.parametrize("hostile", [one for one in HOSTILE if one != "\ud800"], ids=ascii)
def test_a_pattern_stays_a_pattern(hostile: str) -> None:
    pattern = "".join(f"\\x{{{ord(character):x}}}" for character in hostile)
    condition = ir.Matches(field(SUBJECT, "text"), pattern, "", ty.BOOL)
    facts = world(span("a", text=f"<{hostile}>"), span("b", text="other"))
    assert verdicts([rule(condition, "evicted")], facts) == [("r", 0, False)]


def test_hostile_words_in_epsilon_are_arguments() -> None:
    epsilon = ir.Epsilon(field(SUBJECT, "chain"), "')#", "tokens", ('"\\',), ty.NUMBER)
    subject = span("a")
    subject.chain.epsilon_of = lambda kind, by, excluded: (
        1.0 if (kind, by, excluded) == ("')#", "tokens", ('"\\',)) else 0.0
    )
    assert verdicts([rule(cmp(epsilon, ">", num(0.5)), "evicted")], world(subject)) == [("r", 0, False)]


def test_source_holds_no_name_of_the_policy() -> None:
    named = rule(cmp(field(SUBJECT, "kind"), "==", word("zebra")), "evicted", "giraffe")
    names = {node.id for node in ast.walk(ast.parse(fuse([named]).source)) if isinstance(node, ast.Name)}
    assert not {"zebra", "giraffe"} & names


def deep(depth: int, start: ir.Expr, step: Callable[[ir.Expr, int], ir.Expr]) -> ir.Expr:
    for level in range(depth):
        start = step(start, level)
    return start


def nested(inner: ir.Expr, level: int) -> ir.Expr:
    return quant("any", level + 1, EVICTED, both(cmp(field(var(level + 1), "tokens"), "==", num(1)), inner))


DEEP: dict[str, ir.Expr] = {
    "not": deep(120, TRUE, lambda inner, _: no(inner)),
    "and or": deep(120, TRUE, lambda inner, level: both(inner, TRUE) if level % 2 else some(inner, TRUE)),
    "if": deep(120, TRUE, lambda inner, _: ir.If(TRUE, inner, TRUE, ty.BOOL)),
    "if in conditions": deep(120, TRUE, lambda inner, _: ir.If(inner, TRUE, TRUE, ty.BOOL)),
    "unknown bools": deep(
        40,
        cmp(field(SUBJECT, "loss"), ">", num(0)),
        lambda inner, _: cmp(ir.If(inner, TRUE, TRUE, ty.BOOL), "==", TRUE),
    ),
    "minus": cmp(deep(120, num(1), lambda inner, _: ir.Neg(inner, ty.INT)), "==", num(1)),
    "plus": cmp(deep(120, num(1), lambda inner, _: arith(inner, "+", num(1))), "==", num(121)),
    "number plus": cmp(deep(120, num(1.0), lambda inner, _: arith(inner, "+", num(1), ty.NUMBER)), "==", num(121)),
    "quantifiers": deep(40, TRUE, nested),
    "quantifiers as operands": deep(40, TRUE, lambda inner, level: quant("all", level + 1, EVICTED, no(no(inner)))),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_conditions_compile(name: str) -> None:
    facts = world(span("a", loss=0.5))
    assert verdicts([rule(DEEP[name], "evicted")], facts) == [("r", 0, False)]


def test_source_grows_with_the_policy_not_faster() -> None:
    def step(inner: ir.Expr, level: int) -> ir.Expr:
        unknown = cmp(quant("any", level + 1, EVICTED, both(inner, field(var(level + 1), "verified"))), "==", TRUE)
        return ir.If(unknown, unknown.left, TRUE, ty.BOOL) if level == 0 else unknown

    sizes = [len(fuse([rule(deep(depth, TRUE, step))]).source) for depth in (5, 10, 20)]
    assert sizes[2] - sizes[1] < 4 * (sizes[1] - sizes[0])


def many(count: int) -> list[Any]:
    return [
        rule(
            both(
                cmp(field(SUBJECT, "kind"), "==", word("tool_result")),
                cmp(field(SUBJECT, "epoch"), "<", num(number % 5)),
                cmp(field(SUBJECT, "representation"), "==", word("referenced", ty.REPRESENTATION)),
            ),
            ("evicted", "anchors")[number % 2],
            f"r{number}",
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 64, 65, 66, 200])
def test_hits_come_in_rule_order_however_many_share_a_loop(count: int) -> None:
    kinds = ("tool_result", "reasoning")
    states = ("referenced", None, "absent")
    spans = [
        span(str(n), kind=kinds[n % 2], epoch=n % 4, representation=states[n % 3], anchor=n % 5 > 1) for n in range(30)
    ]
    rules = many(count)
    found = verdicts(rules, world(*spans))
    assert [name for name, _, _ in found] == sorted((name for name, _, _ in found), key=lambda name: int(name[1:]))
    assert (count > 2) <= any(undetermined for _, _, undetermined in found)


def test_one_evaluator_serves_many_threads() -> None:
    fused = fuse(
        [rule(cmp(quant("sum", 1, EVICTED, field(var(1), "tokens")), "==", field(SUBJECT, "tokens")), "evicted")]
    )
    facts = [world(span("a", tokens=number), span("b", tokens=0)) for number in range(1, 200)]
    with ThreadPoolExecutor(8) as pool:
        assert {len(hits) for hits in pool.map(fused.hits, facts)} == {1}


def test_a_quantifier_that_no_subject_changes_is_evaluated_once() -> None:
    reads: list[str] = []
    spans = [SpanFacts(lambda facts, name: reads.append(facts.id) or 1, id=str(n)) for n in range(10)]
    total = quant("sum", 1, EVICTED, field(var(1), "tokens"))
    fused = fuse([rule(cmp(total, ">", num(100)), "evicted", f"r{n}") for n in range(4)])
    assert fused.run(world(*spans, anchors=[])) == []
    assert fused.source.count("for ") == 2
    assert len(reads) == 10


def test_evidence_is_read_only_where_the_matter_is_open() -> None:
    read: list[str] = []

    def resolve(facts: SpanFacts, name: str) -> Any:
        read.append(f"{facts.id}.{name}")
        return "referenced"

    spans = [SpanFacts(resolve, id=kind, kind=kind) for kind in ("reasoning", "tool_result")]
    condition = both(
        cmp(field(SUBJECT, "representation"), "==", word("referenced", ty.REPRESENTATION)),
        cmp(field(SUBJECT, "kind"), "==", word("tool_result")),
    )
    for count in (1, 5):
        read.clear()
        facts = world(*[SpanFacts(resolve, id=one.kind, kind=one.kind) for one in spans], anchors=[])
        assert len(fuse([rule(condition, "evicted")] * count).run(facts)) == count
        assert read == ["tool_result.representation"]


def test_pickles_without_its_code() -> None:
    rules = [
        rule(ir.Matches(field(SUBJECT, "text"), "v\\d", "i", ty.BOOL), "evicted"),
        rule(cmp(num(2**70), ">", num(0))),
    ]
    again = pickle.loads(pickle.dumps(fuse(rules)))
    assert [hit.subject for hit in again.hits(world(span(text="V7"), span(text="x")))] == [0, -1]


def test_a_world_without_subjects_has_no_hits() -> None:
    rules = many(5)
    assert fuse(rules).run(world()) == []
    assert evaluate_rules(rules, world()) == []


def test_unknown_divisor_and_known_dividend() -> None:
    ratio = arith(num(1), "/", field(ir.Global("monitor", ty.MONITOR), "divergence"), ty.NUMBER)
    assert outcome(cmp(ratio, ">", num(0)), world()) is None
