"""Verdicts, threads and pickles, each row held to a sentence of SPEC."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from typing import Any

import pytest

from policylang.rules_ir.policy import IndexSettings
from policylang.runtime.decide import evaluate
from policylang.runtime.policy import load_text
from policylang.runtime.verdict import Verdict
from policylang.testing.base import complete

DAY = date(2026, 12, 1)


def span(name: str, disposition: str = "evict", **more: Any) -> dict[str, Any]:
    base = {"id": name, "kind": "reasoning", "text": "one two three four", "epoch": 3, "disposition": disposition}
    return {**base, **more}


def decide(policy: str, *spans: dict[str, Any], day: date = DAY) -> dict[str, Any]:
    return evaluate(load_text(policy), complete({"spans": list(spans)}), as_of=day).to_json()


def test_a_span_is_never_spilled_without_a_rule_that_says_so() -> None:
    # §2 `plan` "gives each evicted span an action", with the rules behind it; here a chain that evicts nothing.
    policy = 'refuse "quiet" { for each c in chains when c.id == "kept" because "{c.id}" }'
    verdict = decide(policy, span("a", chain="gone"), span("b", "retain", chain="kept"))
    assert verdict["salvage"] == {"evict": [], "spill": ["a"]}
    assert verdict["plan"] == [{"span": "a", "action": "spill", "rules": ["quiet"]}]


RELAXED = """
extends "std/decision-boundary"
kind plan : reasoning
relax "epsilon-exceeded" because "trial" until 2027-01-31
budget plan epsilon 1 per chain
"""


@pytest.mark.parametrize(
    ("day", "spans"),
    [
        (date(2027, 1, 31), ["a"]),  # §3 "a kind's own budget takes it out"; `until` "includes its day"
        (date(2027, 2, 1), ["a", "p"]),  # "afterwards the parent's setting holds": the pool has `plan` again
    ],
)
def test_a_chain_reason_names_its_evicted_spans_of_the_kind_as_the_budgets_stand_that_day(
    day: date, spans: list[str]
) -> None:
    verdict = decide(RELAXED, span("a", chain="c"), span("p", kind="plan", chain="c"), day=day)
    [reason] = verdict["reasons"]
    assert (reason["rule"], reason["evidence"]["kind"]) == ("epsilon-exceeded", "reasoning")
    assert reason["spans"] == spans


MANY = "".join(
    f'refuse "r-{number}" {{ for each s in evicted when s.age > {number} because "{{s.id}}" then spill span }}\n'
    for number in range(60)
)


@pytest.fixture
def eager_threads() -> Any:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_a_policy_is_shared_by_threads_on_many_days(eager_threads: None) -> None:
    # §6 "frozen, thread-safe, picklable"
    policy = load_text(MANY + 'relax "r-1" because "x" until 2027-01-31')
    days = [DAY + timedelta(days=number % 40) for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(policy.on, days))
    assert {one.rules for one in found} == {policy.on(DAY).rules}


def test_a_day_that_another_thread_adds_meanwhile_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = load_text(MANY)
    plain = IndexSettings.__eq__
    others = [DAY + timedelta(days=number) for number in range(100, 103)]

    def meanwhile(one: IndexSettings, two: object) -> bool:
        if others:
            policy.on(others.pop())
            return False
        return plain(one, two)

    monkeypatch.setattr(IndexSettings, "__eq__", meanwhile)
    for number in range(5):
        policy.on(DAY + timedelta(days=number))
    assert not others


def test_a_verdict_is_read_by_threads(eager_threads: None) -> None:
    policy = load_text(MANY)
    request = complete({"spans": [span(f"s{number}") for number in range(20)]})
    for _ in range(20):
        verdict = evaluate(policy, request, as_of=DAY)
        with ThreadPoolExecutor(8) as pool:
            texts = set(pool.map(Verdict.canonical, [verdict] * 8))
        assert len(texts) == 1


def test_a_policy_is_frozen_and_comes_back_from_a_pickle() -> None:
    policy = load_text(MANY)
    with pytest.raises(AttributeError, match="frozen"):
        policy.checked = policy.checked
    again = pickle.loads(pickle.dumps(policy))
    assert again.checked == policy.checked
    request = complete({"spans": [span("a"), span("b", "retain")]})
    verdicts = [evaluate(one, request, as_of=DAY) for one in (policy, again)]
    assert verdicts[0].canonical() == verdicts[1].canonical() == pickle.loads(pickle.dumps(verdicts[0])).canonical()
