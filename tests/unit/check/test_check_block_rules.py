"""Block rules as the evaluators run them: truth tables, and the evidence that a reason shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from policylang.check import load_text
from policylang.compiler.interpret import evaluate_expression, evaluate_rules
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
from policylang.rules_ir.policy import CheckedPolicy, Rule
from policylang.runtime.reasons import spell


def rule(policy: CheckedPolicy, name: str) -> Rule:
    return next(one for one in policy.rules if one.id == name)


def outcome(found: Rule, world: World) -> str:
    hits = evaluate_rules([found], world)
    return "compact" if not hits else "undetermined" if hits[0].undetermined else "refuses"


def shown(found: Rule, world: World, subject: Any) -> dict[str, Any]:
    """Evidence by label; unknown values are None."""
    return {item.label: evaluate_expression(item.expr, world, {0: subject}) for item in found.evidence}


ANCHORS = load_text("anchor kind tool_result\nindex { probe key }\n")


@pytest.mark.parametrize(
    ("verified", "representation", "anchor_by", "kind", "expected"),
    [
        (True, "absent", ["kind"], "tool_result", "compact"),
        (False, "restated", ["kind"], "tool_result", "compact"),
        (False, "absent", ["kind"], "tool_result", "refuses"),
        (False, "superseded", ["kind"], "tool_result", "refuses"),
        (None, "absent", ["kind"], "tool_result", "undetermined"),
        (None, "restated", ["kind"], "tool_result", "compact"),
        (True, None, ["kind"], "tool_result", "compact"),
        (False, None, ["kind"], "tool_result", "undetermined"),
        (True, "absent", ["carrier"], "summary", "refuses"),
        (True, "absent", ["carrier", "detect"], "summary", "refuses"),
        (True, "restated", ["carrier"], "summary", "compact"),
        (None, "absent", ["carrier"], "summary", "refuses"),
        (True, "absent", ["carrier"], "pointer", "compact"),
        (True, "absent", ["kind"], "summary", "compact"),
    ],
)
def test_anchor_unverified(
    verified: bool | None, representation: str | None, anchor_by: list[str], kind: str, expected: str
) -> None:
    span = SpanFacts(verified=verified, representation=representation, anchor_by=anchor_by, kind=kind)
    assert outcome(rule(ANCHORS, "anchor-unverified"), World(anchors=[span])) == expected


@pytest.mark.parametrize(
    "representation", ["restated", "superseded", "contradicted", "referenced", "partial", "absent"]
)
def test_dangling_and_contradicted(representation: str) -> None:
    span = SpanFacts(verified=True, representation=representation)
    world = World(anchors=[span])
    for name, refused in (("dangling-reference", "referenced"), ("anchor-contradicted", "contradicted")):
        found = rule(ANCHORS, name)
        assert outcome(found, world) == ("refuses" if representation == refused else "compact")
        assert shown(found, world, span) == {"representation": representation}


def test_without_a_probe_setting_nothing_asks_for_verification() -> None:
    assert [one.id for one in load_text("anchor kind tool_result\n").rules] == [
        "anchor-contradicted",
        "dangling-reference",
    ]


TWO = """
kind plan : reasoning
kind note : reasoning
budget plan epsilon 0.125 per chain
budget reasoning epsilon 0.5 per chain
budget note never
"""


@pytest.mark.parametrize(
    ("epsilons", "expected", "evidence"),
    [
        ({"plan": 0.125, "reasoning": 0.5, "note": 0.0}, "compact", None),
        ({"plan": 0.2, "reasoning": 0.0, "note": 0.0}, "refuses", (0.2, 0.125, "plan")),
        ({"plan": 0.0, "reasoning": 0.6, "note": 0.0}, "refuses", (0.6, 0.5, "reasoning")),
        ({"plan": 0.2, "reasoning": 0.6, "note": 0.0}, "refuses", (0.2, 0.125, "plan")),
        ({"plan": 0.126, "reasoning": 0.9, "note": 0.0}, "refuses", (0.9, 0.5, "reasoning")),
        ({"plan": 0.25, "reasoning": 1.0, "note": 0.0}, "refuses", (0.25, 0.125, "plan")),
        ({"plan": 1.0, "reasoning": 1.0, "note": 0.001}, "refuses", (0.001, 0.0, "note")),
        ({"plan": None, "reasoning": 0.6, "note": 0.0}, "refuses", (0.6, 0.5, "reasoning")),
        ({"plan": 0.05, "reasoning": None, "note": 0.0}, "undetermined", (None, 0.5, "reasoning")),
        ({"plan": None, "reasoning": None, "note": 0.0}, "undetermined", (None, 0.125, "plan")),
        ({"plan": 0.0, "reasoning": 0.0, "note": None}, "undetermined", (None, 0.0, "note")),
    ],
)
def test_epsilon_shows_the_worst_offender(
    epsilons: Mapping[str, float | None], expected: str, evidence: tuple[float | None, float, str] | None
) -> None:
    found = rule(load_text(TWO), "epsilon-exceeded")
    chain = ChainFacts(id="c", epsilon_of=lambda kind, by, excluded: epsilons[kind])
    world = World(chains=[chain])
    assert outcome(found, world) == expected
    if evidence is not None:
        assert tuple(shown(found, world, chain).values()) == evidence
        assert list(shown(found, world, chain)) == ["epsilon", "bound", "kind"]


def test_the_pool_leaves_out_kinds_with_a_budget_of_their_own() -> None:
    asked: list[tuple[str, str, tuple[str, ...]]] = []

    def epsilon_of(kind: str, by: str, excluded: tuple[str, ...]) -> float:
        asked.append((kind, by, excluded))
        return 0.0

    found = rule(load_text(TWO.replace("0.5 per chain", "0.5 per chain by spans")), "epsilon-exceeded")
    evaluate_rules([found], World(chains=[ChainFacts(id="c", epsilon_of=epsilon_of)]))
    assert set(asked) == {("plan", "tokens", ()), ("note", "tokens", ()), ("reasoning", "spans", ("note", "plan"))}


def monitor(**values: Any) -> World:
    facts: dict[str, Any] = {"enabled": True, "queries": 100, "divergence": 0.0, "probe_divergence": None}
    return World(monitor=MonitorFacts(**{**facts, **values}))


@pytest.mark.parametrize(
    ("cold_start", "values", "expected"),
    [
        ("probes", {"queries": 20, "divergence": 0.2}, "refuses"),
        ("probes", {"queries": 20, "divergence": 0.01}, "compact"),
        ("probes", {"queries": 19, "divergence": 0.2, "probe_divergence": 0.0}, "compact"),
        ("probes", {"queries": 19, "divergence": 0.0, "probe_divergence": 0.2}, "refuses"),
        ("probes", {"queries": 19, "divergence": 0.0}, "undetermined"),
        ("probes", {"queries": None, "divergence": 0.0}, "undetermined"),
        ("refuse", {"queries": 19, "divergence": 0.0}, "refuses"),
        ("refuse", {"queries": 20, "divergence": 0.0}, "compact"),
        ("allow", {"queries": 19, "divergence": 0.2}, "compact"),
        ("allow", {"queries": 20, "divergence": 0.2}, "refuses"),
        ("allow", {"queries": 20, "divergence": None}, "undetermined"),
        ("allow", {"queries": 0, "divergence": None}, "compact"),
    ],
)
def test_divergence(cold_start: str, values: dict[str, Any], expected: str) -> None:
    policy = load_text(f"monitor {{ divergence 0.01 minimum 20 queries cold_start {cold_start} }}\n")
    assert outcome(rule(policy, "divergence-exceeded"), monitor(**values)) == expected


def test_a_monitor_block_asks_for_a_log_whatever_else_it_says() -> None:
    policy = load_text("monitor { window 100 queries }\n")
    assert [one.id for one in policy.rules] == ["queries-not-logged"]
    for enabled, expected in ((True, "compact"), (False, "refuses"), (None, "undetermined")):
        assert outcome(policy.rules[0], monitor(enabled=enabled)) == expected


@pytest.mark.parametrize(
    ("rebuilt", "since", "expected"),
    [(float("-inf"), float("inf"), "compact"), (4, 3, "refuses"), (3, 4, "compact"), (None, None, "undetermined")],
)
def test_quarantine(rebuilt: float | None, since: float | None, expected: str) -> None:
    found = rule(load_text("index { quarantine 3 epochs }\n"), "index-rebuilt")
    world = World(index=IndexFacts(rebuilt=rebuilt, epochs_since_rebuild=since))
    assert outcome(found, world) == expected
    assert shown(found, world, None) == {"index.rebuilt": rebuilt, "index.epochs_since_rebuild": since}


@pytest.mark.parametrize(
    ("source", "expected"),
    [("pre_compaction", "compact"), ("post_compaction", "refuses"), ("mixed", "refuses"), (None, "undetermined")],
)
def test_source(source: str | None, expected: str) -> None:
    found = rule(load_text("index { source pre_compaction }\n"), "index-source")
    assert outcome(found, World(index=IndexFacts(source=source))) == expected


@pytest.mark.parametrize(("structural", "expected"), [(True, "compact"), (False, "refuses"), (None, "undetermined")])
def test_scoring(structural: bool | None, expected: str) -> None:
    found = rule(load_text("scoring { structural required }\n"), "scoring-not-structural")
    assert outcome(found, World(scoring=ScoringFacts(structural=structural, terms=["similarity"]))) == expected


def test_evidence_of_an_own_rule_names_what_it_reads() -> None:
    policy = load_text(
        'refuse "r" {\n'
        "  for each s in evicted\n"
        '  when s.kind == tool_result and s.text matches /x/ and s.meta.env == "prod" and s.chain.epsilon > 5%\n'
        "    and monitor.divergence > 0.1 and any x in retained: x.verified and x.tokens > s.tokens\n"
        '  because "x"\n}\n'
    )
    found = {item.label: item.only_missing for item in policy.rules[0].evidence}
    assert found == {
        "kind": False,
        "meta.env": False,
        "chain.epsilon": False,
        "monitor.divergence": False,
        "retained.verified": True,
        "tokens": False,
    }


def test_a_gap_inside_a_quantifier_is_named_only_where_it_is() -> None:
    policy = load_text(
        'refuse "r" {\n'
        "  when any s in evicted where s.kind == tool_result: any a in s.assertions: a.status == absent\n"
        '  because "x"\n}\n'
    )
    (item,) = policy.rules[0].evidence
    assert (item.label, item.only_missing) == ("evicted.assertions.status", True)
    known, gap = AssertionFacts(status="absent"), AssertionFacts(status=None)
    for kind, assertions, expected in (
        ("tool_result", [known], False),
        ("tool_result", [known, gap], True),
        ("reasoning", [gap], False),
    ):
        world = World(evicted=[SpanFacts(kind=kind, assertions=assertions)])
        assert evaluate_expression(item.expr, world, {}) is expected


def test_every_block_rule_points_at_the_setting_that_makes_it() -> None:
    text = (
        "anchor kind tool_result\nbudget reasoning epsilon 0.05 per chain\nindex {\n source pre_compaction\n"
        " quarantine 2 epochs\n probe key\n}\nscoring { structural required }\nmonitor {\n divergence 0.01\n}\n"
        "integrity {\n pairs whole\n calls closed\n instructions verbatim\n claims supported\n spans accounted\n"
        " gain 5%\n}\n"
    )
    lines = {one.id: one.loc.begin.line for one in load_text(text).rules}
    assert lines == {
        "anchor-contradicted": 1,
        "dangling-reference": 1,
        "epsilon-exceeded": 2,
        "index-source": 4,
        "index-rebuilt": 5,
        "anchor-unverified": 6,
        "scoring-not-structural": 8,
        "queries-not-logged": 9,
        "divergence-exceeded": 10,
        "pair-split": 13,
        "call-open": 14,
        "instruction-evicted": 15,
        "claim-unsupported": 16,
        "span-unaccounted": 17,
        "gain-too-small": 18,
    }


def test_evidence_reaches_through_every_form() -> None:
    policy = load_text(
        'refuse "r" {\n'
        "  for each s in evicted\n"
        "  when (if s.bulk then -s.tokens else s.age + 1) > 0 and not (s.id in s.anchor_by) and s.loss is unknown\n"
        '    and starts_with(s.tool, "a") and epsilon(s.chain, reasoning) > 5%\n'
        "    and (sum x in retained: x.tokens) > (count x in retained: x.anchor)\n"
        "    and all c in chains: epsilon(c, reasoning) < 1\n"
        "    and any k in [s.kind]: (max t in c.spans: t.loss) < s.loss\n"
        '  because "x"\n}\n'
    )
    found = {item.label: item.only_missing for item in policy.rules[0].evidence}
    assert found == {
        "bulk": False,
        "tokens": False,
        "age": False,
        "id": False,
        "anchor_by": False,
        "loss": False,
        "tool": False,
        "chain.epsilon(reasoning)": False,
        "sum(retained.tokens)": False,
        "count(retained.anchor)": False,
        "chains.epsilon(reasoning)": True,
        "kind": False,
        "chains.spans.loss": True,
    }


def test_two_counts_of_one_list_are_two_values() -> None:
    policy = load_text(
        'refuse "r" { when (count s in evicted: s.anchor and s.bulk) > (count s in evicted: s.anchor or s.bulk)'
        ' because "x" }\n'
    )
    assert [item.label for item in policy.rules[0].evidence] == ["count(evicted)", "count(evicted) #2"]


def test_gaps_of_two_quantifiers_over_one_list_are_both_looked_for() -> None:
    policy = load_text(
        'refuse "r" { when (any s in evicted where s.bulk: s.verified) or any s in evicted where not s.bulk: s.verified'
        ' because "x" }\n'
    )
    (item,) = policy.rules[0].evidence
    for bulk in (True, False):
        world = World(evicted=[SpanFacts(bulk=bulk, verified=None), SpanFacts(bulk=not bulk, verified=True)])
        assert evaluate_expression(item.expr, world, {}) is True
    assert evaluate_expression(item.expr, World(evicted=[SpanFacts(bulk=True, verified=True)]), {}) is False


@pytest.mark.parametrize(
    ("gain", "said"),
    [
        (0.03, "compaction frees 3 % of the tokens, less than the 5 % asked for: a loop in the making"),
        (0.0, "compaction frees 0 % of the tokens, less than the 5 % asked for: a loop in the making"),
        (
            -0.125,
            "the result is 12.5 % larger than what it replaces, and 5 % smaller is asked for: a loop in the making",
        ),
    ],
)
def test_a_small_gain_is_told_in_words_that_a_person_understands(gain: float, said: str) -> None:
    world = World(integrity=IntegrityFacts(gain=gain))
    [hit] = evaluate_rules([rule(load_text("integrity { gain 5% }\n"), "gain-too-small")], world)
    message = hit.rule.message
    parts = (part if isinstance(part, str) else spell(evaluate_expression(part, world, {})) for part in message)
    assert "".join(parts) == said
