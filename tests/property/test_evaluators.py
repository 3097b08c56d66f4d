"""The evaluators agree: random well-typed rules on random facts give the same hits from each of them."""

from __future__ import annotations

import os
import pickle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policylang.compiler import columns_eval
from policylang.compiler.columns import ColumnPlan
from policylang.compiler.cost import cost_bound, world_sizes
from policylang.compiler.fused import fuse
from policylang.compiler.interpret import count_steps, evaluate_rules
from policylang.rules_ir.facts import World
from policylang.rules_ir.policy import Rule
from tests.property.ir_strategies import rules, worlds

EXAMPLES = int(os.environ.get("POLICYLANG_EXAMPLES", "150"))
many = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(rules(), worlds())
def test_fused_code_agrees_with_the_interpreter(drawn: tuple[Rule, ...], facts: list[World]) -> None:
    fused = fuse(drawn)
    for world in facts:
        assert fused.hits(world) == evaluate_rules(drawn, world)


@settings(max_examples=max(1, EXAMPLES // 10), deadline=None)
@given(rules(), worlds(1))
def test_a_pickled_evaluator_is_the_same_evaluator(drawn: tuple[Rule, ...], facts: list[World]) -> None:
    fused = fuse(drawn)
    again = pickle.loads(pickle.dumps(fused))
    assert again.source == fused.source
    assert [(hit.rule.id, hit.subject, hit.undetermined) for hit in again.hits(facts[0])] == [
        (hit.rule.id, hit.subject, hit.undetermined) for hit in fused.hits(facts[0])
    ]


@many
@given(rules(), worlds(), st.sampled_from([columns_eval.CHUNK, 3]))
def test_columns_agree_with_the_interpreter(drawn: tuple[Rule, ...], facts: list[World], chunk: int) -> None:
    plan = ColumnPlan(drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_eval, "CHUNK", chunk)
        found = plan.run(plan.encode(facts)).by_world(len(facts))
    assert found == [evaluate_rules(drawn, world) for world in facts]


@many
@given(rules(), worlds(1))
def test_the_bound_is_never_below_the_work(drawn: tuple[Rule, ...], facts: list[World]) -> None:
    sizes = world_sizes(facts[0])
    for rule, cost in zip(drawn, cost_bound(drawn), strict=True):
        assert count_steps(rule, facts[0]) <= cost.steps(sizes)
