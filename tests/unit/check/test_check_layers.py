"""Layers: what a child inherits, what several parents ask for together, what a relax weakens and until when."""

from __future__ import annotations

import pickle
from datetime import date
from pathlib import Path

import pytest

from policylang.check import load, load_text
from policylang.rules_ir import expr as ir
from policylang.rules_ir.policy import CheckedPolicy, Rule
from policylang.rules_ir.resolve import resolve_policy, resolve_rules

BEFORE, LAST, AFTER = date(2026, 12, 1), date(2027, 1, 31), date(2027, 2, 1)


def rule(policy: CheckedPolicy, name: str, day: date | None = None) -> Rule:
    rules = policy.rules if day is None else resolve_rules(policy, day)
    return next(one for one in rules if one.id == name)


def bound(found: Rule) -> object:
    """The last evidence of a rule with a bound."""
    labels = {item.label: item.expr for item in found.evidence}
    assert isinstance(labels["bound"], ir.Const)
    return labels["bound"].value


def family(tmp_path: Path, **texts: str) -> CheckedPolicy:
    for name, text in texts.items():
        (tmp_path / f"{name}.policy").write_text(text, "utf-8")
    return load([tmp_path])


def test_a_relax_runs_its_rule_in_shadow_to_the_end_of_its_day() -> None:
    policy = load_text(
        'extends "std/standard"\nrelax "divergence-exceeded" because "SEC-812" owner "sec" until 2027-01-31\n'
    )
    assert rule(policy, "divergence-exceeded", BEFORE).mode == "shadow"
    assert rule(policy, "divergence-exceeded", LAST).mode == "shadow"
    assert rule(policy, "divergence-exceeded", AFTER).mode == "enforce"
    (relaxation,) = rule(policy, "divergence-exceeded").relaxations
    assert (relaxation.because, relaxation.owner, relaxation.until) == ("SEC-812", "sec", LAST)
    assert all(not one.relaxations for one in resolve_rules(policy, AFTER))


def test_a_looser_setting_holds_until_the_date_and_the_parents_after() -> None:
    policy = load_text(
        'extends "std/standard"\nmonitor { divergence 0.2 }\nbudget reasoning epsilon 0.5 per chain\n'
        'relax "divergence-exceeded" because "x" until 2027-01-31\n'
        'relax "epsilon-exceeded" because "x" until 2027-01-31\n'
    )
    for name, loose, tight in (("divergence-exceeded", 0.2, 0.01), ("epsilon-exceeded", 0.5, 0.08)):
        assert rule(policy, name, LAST).mode == "enforce"
        assert bound(rule(policy, name, LAST)) == loose
        assert bound(rule(policy, name, AFTER)) == tight
    assert policy.monitor.divergence == 0.01
    assert resolve_policy(policy, LAST).monitor.divergence == 0.2
    assert resolve_policy(policy, AFTER).monitor.divergence == 0.01


def test_settings_that_only_evidence_reads_are_relaxed_too() -> None:
    policy = load_text(
        'extends "std/standard"\nindex { top_k 50 probe value, key }\nmonitor { window 900 queries }\n'
        'relax "anchor-unverified" because "x" until 2027-01-31\n'
        'relax "divergence-exceeded" because "x" until 2027-01-31\n'
    )
    assert (policy.index.top_k, policy.index.probe, policy.monitor.window) == (10, ("key", "question", "call"), 200)
    relaxed = resolve_policy(policy, LAST)
    assert (relaxed.index.top_k, relaxed.index.probe, relaxed.monitor.window) == (50, ("value", "key"), 900)
    assert resolve_policy(policy, AFTER).index == policy.index


def test_what_the_relax_does_not_name_is_tightened_at_once() -> None:
    policy = load_text(
        'extends "std/standard"\nmonitor { divergence 0.2 minimum 40 queries }\n'
        'relax "divergence-exceeded" because "x" until 2027-01-31\n'
    )
    assert policy.monitor.minimum == 40


@pytest.mark.parametrize("restated", ["0.01", "0.005"])
def test_a_grandchild_that_sets_the_bound_is_held_to_it(tmp_path: Path, restated: str) -> None:
    policy = family(
        tmp_path,
        child='extends "std/standard"\nrelax "divergence-exceeded" because "x" until 2027-01-31\n',
        grandchild=f'extends "child"\nmonitor {{ divergence {restated} }}\n',
    )
    assert rule(policy, "divergence-exceeded", BEFORE).mode == "enforce"
    assert bound(rule(policy, "divergence-exceeded", BEFORE)) == float(restated)


def test_a_grandchild_inherits_a_relax(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        child='extends "std/standard"\nrelax "divergence-exceeded" because "x" until 2027-01-31\n',
        grandchild='extends "child"\n',
    )
    assert rule(policy, "divergence-exceeded", LAST).mode == "shadow"


def test_of_several_relaxes_the_loosest_that_lasts_applies(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        child='extends "std/standard"\nmonitor { divergence 0.2 }\n'
        'relax "divergence-exceeded" because "a" until 2027-01-31\n',
        grandchild='extends "child"\nrelax "divergence-exceeded" because "b" until 2026-12-31\n',
    )
    assert rule(policy, "divergence-exceeded", BEFORE).mode == "shadow"
    assert bound(rule(policy, "divergence-exceeded", LAST)) == 0.2
    assert bound(rule(policy, "divergence-exceeded", AFTER)) == 0.01


def test_what_two_parents_allow_together_goes_from_loose_to_tight_as_the_relaxes_end(tmp_path: Path) -> None:
    """Shadow while both are in shadow, then the looser of what one allows and the other waives, then the tighter."""
    texts = {
        "a": 'extends "std/standard"\nmonitor { divergence 0.2 }\n',
        "b": 'extends "std/standard"\nmonitor { divergence 0.3 }\n',
    }
    own = 'relax "divergence-exceeded" because "x" until 2027-01-31\n'
    policy = family(
        tmp_path,
        **{name: text + own for name, text in texts.items()},
        one='extends "a"\nrelax "divergence-exceeded" because "x" until 2027-01-20\n',
        two='extends "b"\nrelax "divergence-exceeded" because "x" until 2027-01-05\n',
        child='extends "one"\nextends "two"\n',
    )
    assert rule(policy, "divergence-exceeded", date(2027, 1, 5)).mode == "shadow"
    days = (date(2027, 1, 6), date(2027, 1, 20), date(2027, 1, 21), LAST, AFTER)
    assert [bound(rule(policy, "divergence-exceeded", day)) for day in days] == [0.3, 0.3, 0.2, 0.2, 0.01]
    assert [resolve_policy(policy, day).monitor.divergence for day in days] == [0.3, 0.3, 0.2, 0.2, 0.01]


def test_a_default_holds_beside_a_parent_without_the_block(tmp_path: Path) -> None:
    for number, pair in enumerate((("one", "two"), ("two", "one"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        first, second = pair
        policy = family(
            folder,
            **{
                first: "anchor kind tool_result\nindex { probe key }\n",
                second: "budget state never\nscoring { structural required }\n",
            },
            child='extends "one"\nextends "two"\nindex { top_k 10 }\n',
        )
        assert (policy.index.probe, policy.index.require, policy.index.top_k) == (("key",), 1, 10)


def test_in_shadow_evidence_reads_the_policys_own_setting_and_no_looser_one(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        child='extends "std/standard"\nindex { top_k 20 }\nrelax "anchor-unverified" because "a" until 2027-01-31\n',
        grandchild='extends "child"\nrelax "anchor-unverified" because "b" until 2026-12-31\n',
    )
    assert rule(policy, "anchor-unverified", BEFORE).mode == "shadow"
    assert [resolve_policy(policy, day).index.top_k for day in (BEFORE, LAST, AFTER)] == [10, 20, 10]


def test_a_relax_of_one_parent_weakens_nothing_that_the_other_asks_for(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        one='extends "std/standard"\nrelax "divergence-exceeded" because "x" until 2027-01-31\n',
        two='extends "std/standard"\n',
    )
    assert rule(policy, "divergence-exceeded", BEFORE).mode == "enforce"


def test_relaxes_of_both_parents_meet_at_the_earlier_date_and_the_tighter_setting(tmp_path: Path) -> None:
    relax = 'extends "std/standard"\n{0}relax "divergence-exceeded" because "x" until {1}\n'
    policy = family(
        tmp_path,
        one=relax.format("monitor { divergence 0.2 }\n", "2027-01-31"),
        two=relax.format("monitor { divergence 0.1 }\n", "2027-06-30"),
    )
    assert bound(rule(policy, "divergence-exceeded", LAST)) == 0.1
    assert bound(rule(policy, "divergence-exceeded", AFTER)) == 0.01


def test_a_relax_where_the_other_parent_has_no_such_rule(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        one='extends "std/standard"\nrelax "divergence-exceeded" because "x" until 2027-01-31\n',
        two='refuse "r" { when false because "x" }\n',
    )
    assert rule(policy, "divergence-exceeded", LAST).mode == "shadow"


def test_an_own_rule_is_relaxed_to_shadow(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        base='refuse "r" { when true because "x" }\n',
        child='extends "base"\nrelax "r" because "x" until 2027-01-31\n',
    )
    assert rule(policy, "r", LAST).mode == "shadow"
    assert rule(policy, "r", AFTER).mode == "enforce"


def test_two_parents_together_ask_for_the_tighter_of_each(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        one="anchor kind tool_result\nindex { quarantine 2 epochs probe key, text top_k 5 }\n"
        "monitor { divergence 0.02 cold_start allow }\n",
        two="kind receipt : state\nanchor kind api_response\nanchor detect id\n"
        "index { quarantine 4 epochs probe text, value require 2 top_k 9 }\n"
        "monitor { divergence 0.05 minimum 30 queries cold_start refuse }\n",
    )
    assert policy.anchors is not None
    assert policy.anchors.kinds == {"tool_result", "api_response", "receipt"}
    assert policy.anchors.detect == {"id"}
    index, monitor = policy.index, policy.monitor
    assert (index.quarantine, index.probe, index.require, index.top_k) == (4, ("text",), 2, 5)
    assert (monitor.divergence, monitor.minimum, monitor.cold_start) == (0.02, 30, "refuse")


def test_a_kind_that_one_parent_pools_keeps_the_pools_epsilon(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        one="budget reasoning epsilon 0.08 per chain by spans\n",
        two="budget assistant_message epsilon 0.5 per chain\n",
    )
    found = {(one.kind, one.by): one.epsilon for one in policy.budgets}
    assert found == {
        ("reasoning", "spans"): 0.08,
        ("assistant_message", "spans"): 0.08,
        ("assistant_message", "tokens"): 0.5,
    }


def test_a_parents_rule_keeps_its_meaning_under_a_child(tmp_path: Path) -> None:
    """A child that takes a kind out of the pool does not change what its parent's rule measures."""
    measured = 'refuse "{0}" {{ when any c in chains: epsilon(c, reasoning) > 5% because "x" }}\n'
    policy = family(
        tmp_path,
        base="budget reasoning epsilon 0.08 per chain\n" + measured.format("r"),
        child='extends "base"\nbudget assistant_message epsilon 0.05 per chain\n' + measured.format("q"),
    )

    def excluded(name: str) -> tuple[str, ...]:
        condition = rule(policy, name).condition
        assert isinstance(condition, ir.Quant) and isinstance(condition.body, ir.Compare)
        assert isinstance(condition.body.left, ir.Epsilon)
        return condition.body.left.excluded

    assert excluded("r") == ()
    assert excluded("q") == ("assistant_message",)


def test_declared_state_kinds_are_anchors_wherever_anchor_kind_stands(tmp_path: Path) -> None:
    policy = family(
        tmp_path,
        base="anchor kind tool_result\n",
        child='kind receipt : state\nkind plan : reasoning\nextends "base"\n',
    )
    assert policy.anchors is not None and policy.anchors.kinds == {"tool_result", "receipt"}
    only_detect = load_text("kind receipt : state\nanchor detect id\n")
    assert only_detect.anchors is not None and only_detect.anchors.kinds is None


def test_a_policy_pickles() -> None:
    policy = load(["examples/build"])
    assert pickle.loads(pickle.dumps(policy)) == policy


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("", "monitor { divergence 0.1 }", 0.1),
        ("monitor { divergence 0.1 }", "", 0.1),
        ("monitor { divergence 0.3 }", "monitor { divergence 0.1 }", 0.1),
    ],
)
def test_shadow_in_one_parent_and_a_setting_in_the_other(tmp_path: Path, one: str, two: str, expected: float) -> None:
    text = 'extends "std/standard"\n{0}\nrelax "divergence-exceeded" because "x" until 2027-01-31\n'
    policy = family(tmp_path, one=text.format(one), two=text.format(two))
    assert rule(policy, "divergence-exceeded", LAST).mode == "enforce"
    assert bound(rule(policy, "divergence-exceeded", LAST)) == expected


def test_relaxed_budgets_of_two_parents_meet_at_the_smaller(tmp_path: Path) -> None:
    text = 'extends "std/standard"\nbudget reasoning epsilon {0} per chain\n'
    text += 'relax "epsilon-exceeded" because "x" until 2027-01-31\n'
    policy = family(tmp_path, one=text.format("0.5"), two=text.format("0.3"))
    assert bound(rule(policy, "epsilon-exceeded", LAST)) == 0.3
    assert bound(rule(policy, "epsilon-exceeded", AFTER)) == 0.08


def test_relaxes_that_no_setting_satisfies_together_relax_nothing(tmp_path: Path) -> None:
    text = 'extends "std/standard"\nmonitor {{ window {0} queries }}\n'
    text += 'relax "divergence-exceeded" because "x" until 2027-01-31\n'
    policy = family(tmp_path, one=text.format("100"), two=text.format("300"))
    assert rule(policy, "divergence-exceeded").relaxations == ()
    assert resolve_policy(policy, BEFORE).monitor.window == 200
