"""Columns, the fused function and the hand-written rules hit the same spans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import policylang
from benchmarks import columns
from policylang.compiler.columns import ColumnHits, ColumnPlan
from policylang.runtime.policy import Policy


@pytest.fixture(scope="module")
def policy() -> Policy:
    return policylang.load_text(columns.POLICY)


@pytest.fixture(scope="module")
def made(policy: Policy) -> columns.Fleet:
    return columns.fleet(policy, 330, per_request=50)


@pytest.fixture
def found(policy: Policy, made: columns.Fleet) -> ColumnHits:
    plan = ColumnPlan(policy.on(columns.DAY).rules)
    return plan.run(plan.encode(made.worlds))


def test_all_three_hit_the_same_spans(policy: Policy, made: columns.Fleet, found: ColumnHits) -> None:
    columns.check_agreement(found, policy.on(columns.DAY).fused.run, made)


def test_every_rule_hits_some_spans_and_spares_others(made: columns.Fleet, found: ColumnHits) -> None:
    hits = columns.flat_hits(found, made.worlds)
    assert set(hits) == set(columns.by_hand())
    assert all(0 < len(rows) < len(made.rows) for rows in hits.values())
    assert not found.undetermined.any()


def test_a_missing_hit_stops_the_run(policy: Policy, made: columns.Fleet, found: ColumnHits) -> None:
    kept = np.arange(len(found.rule)) != 3
    fewer = replace(
        found,
        rule=found.rule[kept],
        world=found.world[kept],
        subject=found.subject[kept],
        undetermined=found.undetermined[kept],
    )
    with pytest.raises(ValueError, match="different spans"):
        columns.check_agreement(fewer, policy.on(columns.DAY).fused.run, made)


def test_fleet_is_the_size_that_was_asked_for_and_the_same_each_time(policy: Policy, made: columns.Fleet) -> None:
    assert len(made.rows) == 330
    assert [len(world.evicted) for world in made.worlds] == [50] * 6 + [30]
    assert columns.fleet(policy, 330, per_request=50).rows == made.rows
