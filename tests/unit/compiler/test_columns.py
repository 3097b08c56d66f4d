"""What only columns can get wrong: many worlds at once, identity of rows, exactness of arrays."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from policylang.compiler import columns_eval
from policylang.compiler.columns import ColumnPlan
from policylang.compiler.interpret import evaluate_rules
from policylang.rules_ir import expr as ir
from policylang.rules_ir import types as ty
from policylang.rules_ir.facts import ChainFacts, SpanFacts, World
from policylang.rules_ir.policy import Rule
from tests.unit.compiler.ir import (
    EVICTED,
    SUBJECT,
    arith,
    assertion,
    both,
    cmp,
    field,
    num,
    quant,
    rule,
    span,
    text,
    var,
    word,
    world,
)


def agree(rules: list[Rule], worlds: list[World]) -> list[list[tuple[str, int, bool]]]:
    plan = ColumnPlan(rules)
    found = plan.run(plan.encode(worlds)).by_world(len(worlds))
    assert found == [evaluate_rules(rules, one) for one in worlds]
    return [[(hit.rule.id, hit.subject, hit.undetermined) for hit in hits] for hits in found]


def test_arrays_are_sorted_by_rule_then_world_then_subject() -> None:
    rules = [
        rule(cmp(field(SUBJECT, "tokens"), ">", num(1)), "evicted", "a"),
        rule(cmp(num(1), "<", num(2)), None, "b"),
    ]
    plan = ColumnPlan(rules)
    worlds = [world(span(tokens=2), span(tokens=1), span(tokens=3)), world(), world(span(tokens=9))]
    hits = plan.run(plan.encode(worlds))
    assert hits.rule.tolist() == [0, 0, 0, 1, 1, 1]
    assert hits.world.tolist() == [0, 0, 2, 0, 1, 2]
    assert hits.subject.tolist() == [0, 2, 0, -1, -1, -1]
    assert hits.undetermined.tolist() == [False] * 6


@pytest.mark.parametrize("worlds", [[], [world()], [world(), world()]], ids=["none", "one", "two"])
def test_nothing_to_look_at(worlds: list[World]) -> None:
    rules = [rule(quant("any", 1, field(SUBJECT, "assertions"), cmp(field(SUBJECT, "loss"), ">", num(0))), "evicted")]
    assert agree(rules, worlds) == [[] for _ in worlds]


def test_no_rules() -> None:
    assert agree([], [world(span())]) == [[]]


def test_encodes_only_what_the_rules_read() -> None:
    read: list[str] = []

    def resolve(_facts: SpanFacts, name: str) -> Any:
        read.append(name)
        return True

    facts = World(evicted=[SpanFacts(resolve, kind="tool_result")])
    plan = ColumnPlan(
        [rule(both(cmp(field(SUBJECT, "kind"), "==", word("tool_result")), field(SUBJECT, "bulk")), "evicted")]
    )
    assert len(plan.run(plan.encode([facts])).rule) == 1
    assert read == ["bulk"]


def test_a_span_shared_by_lists_and_worlds_is_one_row() -> None:
    shared = span("a", tokens=2)
    chain = ChainFacts(id="c", spans=[shared], evicted=[shared], anchors=[], evicted_anchors=[], epsilon=None)
    shared.chain = chain
    worlds = [world(shared, span("a"), chains=[chain]), world(span("b"), shared, chains=[chain])]
    in_chain = ir.In(SUBJECT, field(field(SUBJECT, "chain"), "spans"), False, ty.BOOL)
    for one in worlds:
        for other in one.evicted:
            if other is not shared:
                other.chain = chain
    assert agree([rule(in_chain, "evicted")], worlds) == [[("r", 0, False)], [("r", 1, False)]]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (2**53, 2.0**53),
        (2**53 + 1, 2.0**53),
        (2**63 - 1, 2.0**63),
        (2**63, 2.0**63),
        (-(2**63), -(2.0**63)),
        (10**400, 1e308),
    ],
)
@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
def test_ints_and_floats_compare_exactly(left: int, right: float, op: str) -> None:
    worlds = [world(span(tokens=left, loss=right)), world(span(tokens=1, loss=None))]
    agree([rule(cmp(field(SUBJECT, "tokens"), op, field(SUBJECT, "loss")), "evicted")], worlds)


@pytest.mark.parametrize("size", [1, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, 10**30])
@pytest.mark.parametrize("op", ["+", "-", "*"])
def test_ints_never_wrap(size: int, op: Any) -> None:
    tokens, age = field(SUBJECT, "tokens"), field(SUBJECT, "age")
    result = arith(arith(tokens, op, age), op, tokens)
    worlds = [world(span(tokens=size, age=-size), span(tokens=-size, age=size)), world(span(tokens=size, age=size))]
    agree([rule(cmp(result, sign, num(0)), "evicted", sign) for sign in ("<", ">", "==")], worlds)


def test_a_sum_of_ints_never_wraps() -> None:
    total = quant("sum", 1, EVICTED, field(var(1), "tokens"))
    worlds = [world(*[span(tokens=2**62) for _ in range(4)]), world(), world(span(tokens=-(2**62)))]
    assert agree([rule(cmp(total, "==", num(2**64)))], worlds) == [[("r", -1, False)], [], []]


def test_a_sum_of_floats_adds_from_left_to_right() -> None:
    losses = [0.1, 1e16, -1e16, 0.3, 0.7] * 7
    expected = 0.0
    for loss in losses:
        expected += loss
    total = quant("sum", 1, EVICTED, field(var(1), "loss"))
    facts = world(*[span(loss=loss) for loss in losses])
    assert agree([rule(cmp(total, "==", num(expected)))], [facts, facts]) == [[("r", -1, False)]] * 2


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_nested_quantifiers_in_pieces(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_eval, "CHUNK", chunk)
    pairs = quant(
        "count",
        1,
        EVICTED,
        quant(
            "any",
            2,
            field(var(1), "assertions"),
            cmp(field(var(2, ty.ASSERTION), "value"), "==", field(SUBJECT, "text")),
        ),
    )
    worlds = [
        world(*[span(text=str(n % 3), assertions=[assertion("k", str(v)) for v in range(n % 4)]) for n in range(size)])
        for size in (0, 1, 9)
    ]
    rules = [rule(cmp(pairs, ">", num(limit)), "evicted", f"more than {limit}") for limit in range(4)]
    assert any(agree(rules, worlds))


def test_a_run_leaves_the_columns_as_they_were() -> None:
    lower = ir.Builtin("lower", (field(SUBJECT, "text"),), ty.TEXT)
    plan = ColumnPlan([rule(cmp(lower, "==", text("new text")), "evicted")])
    columns = plan.encode([world(span(text="New Text"))])
    size = len(columns.tables.pool)
    assert len(plan.run(columns).rule) == len(plan.run(columns).rule) == 1
    assert len(columns.tables.pool) == size


def test_many_spans_cost_nanoseconds_each() -> None:
    """A loop in Python cannot pass: it takes ten times the bound on any machine that this would be slow on."""
    kinds = ("tool_result", "reasoning", "summary", "pointer")
    spans = [SpanFacts(kind=kinds[n % 4], epoch=n % 30, representation=None) for n in range(100_000)]
    condition = both(cmp(field(SUBJECT, "kind"), "==", word("tool_result")), cmp(field(SUBJECT, "epoch"), "<", num(17)))
    plan = ColumnPlan([rule(condition, "evicted", f"r{n}") for n in range(20)])
    columns = plan.encode([World(evicted=spans)])
    rows = [(one.kind, one.epoch) for one in spans]
    array = _fastest(lambda: plan.run(columns))
    loop = _fastest(lambda: [n for n, (kind, epoch) in enumerate(rows) if kind == "tool_result" and epoch < 17])
    assert array / 20 < loop


def _fastest(call: Any) -> float:
    from time import process_time

    times = []
    for _ in range(3):
        start = process_time()
        call()
        times.append(process_time() - start)
    return min(times)


def test_numpy_is_loaded_only_with_columns() -> None:
    program = "import sys, policylang.compiler.fused, policylang.compiler.cost; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_hits_are_plain_arrays() -> None:
    plan = ColumnPlan([rule(field(SUBJECT, "bulk"), "evicted")])
    hits = plan.run(plan.encode([world(span(bulk=True))]))
    assert [array.dtype for array in (hits.rule, hits.world, hits.subject)] == [np.dtype(np.int64)] * 3
    assert hits.undetermined.dtype == np.bool_
