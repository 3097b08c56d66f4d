"""Explanations agree with the verdict that they explain, and spell conditions that read back as the same."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from policylang.check import load_text
from policylang.report.explain.advice import to_compact
from policylang.report.explain.case import Case, open_case
from policylang.report.explain.rule import explain_chain, explain_decision, explain_rule
from policylang.report.explain.span import explain_span
from policylang.report.explain.spelling import spelled
from policylang.report.explain.text import explain_report
from policylang.report.explain.trace import to_falsify, trace
from policylang.report.plain import to_text
from policylang.runtime.policy import Policy, load
from policylang.source import Source
from policylang.testing.base import complete
from policylang.testing.cases import read_cases
from policylang.transcript.request import Request

DAY = date(2026, 12, 1)
CONFORMANCE = Path(__file__).parents[2] / "conformance"

CONDITIONS = [
    "epoch + 1 - (2 - 3) > 4 * (5 + 6) / -7",
    "not (epoch > 1 and epoch < 3 or epoch == 5) and not epoch > 7",
    "any s in evicted where s.tokens > 3 and s.anchor: s.age >= 2 or s.bulk",
    "(any s in evicted: s.anchor) and (all s in retained: not s.anchor)",
    "(count s in evicted: s.anchor) >= 1",
    "(if epoch > 3 then 1 else 2) == (if epoch > 4 then 3 else 4)",
    'any s in evicted: s.text matches /a\\/b\\s+"x"/im',
    "any s in evicted: s.kind in [tool_result, reasoning] and s.class not in [state]",
    'any s in evicted: s.meta.owner == "a \\"b\\" \\\\ c"',
    "monitor.divergence is unknown or index.rebuilt is known",
    'any s in evicted: starts_with(lower(s.id), "x") and length(s.text) > 3 and contains(s.id, "y")',
    "any c in chains: epsilon(c, reasoning) > 5% and c.epsilon < 0.5",
    "(max s in evicted: s.tokens) > (sum s in evicted: s.tokens) / 2",
    "any s in evicted: any a in s.assertions: a.type == version and a.status != restated",
    "epoch > -(1 - 2) and (epoch - (1 - epoch)) * 2 > 0",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_spelled_condition_reads_back_as_the_same(condition: str) -> None:
    def read(text: str) -> Any:
        return load_text(f'refuse "r" {{ when {text} because "x" }}').rules[0].condition

    once = read(condition)
    assert read(spelled(once)) == once


@pytest.mark.parametrize("name", ["std/reference-code", "std/decision-boundary", "std/standard"])
def test_conditions_of_blocks_can_be_spelled(name: str) -> None:
    for rule in load(name).checked.rules:
        assert spelled(rule.condition)


def cases() -> list[Any]:
    """Cases over shipped policies that come to a verdict."""
    return [
        pytest.param(case, id=case.name)
        for path in sorted(CONFORMANCE.glob("0[2357]*.yaml"))
        for case in read_cases(Source(str(path), path.read_text(encoding="utf-8")))
        if case.policy is not None and case.policy.form == "name" and "error" not in case.expect
    ]


def opened(case: Any) -> Case:
    return open_case(load(case.policy.value), Request.from_json(complete(case.given)), DAY)


@pytest.mark.parametrize("case", cases())
def test_outcomes_agree_with_the_verdict(case: Any) -> None:
    found = opened(case)
    document = explain_decision(found)
    refusing = {
        rule["rule"] for rule in document["rules"] if any(name.startswith("refuses") for name in rule["outcomes"])
    }
    assert refusing == {reason.rule for reason in found.verdict.reasons}
    assert [entry["rule"] for entry in document["to_compact"]] == sorted(refusing)
    for entry in document["to_compact"]:
        reasons = [reason for reason in found.verdict.reasons if reason.rule == entry["rule"]]
        assert entry["supply"] == sorted({name for reason in reasons for name in reason.missing})
        assert (entry["do"] is not None) == any(not reason.undetermined for reason in reasons)
        assert entry["supply"] or entry["do"]
    for rule in found.rules:
        explained = explain_rule(found, rule.id)
        assert explained is not None
        assert explained["rule"]["vacuous"] == (rule.each is not None and not found.subjects(rule))
        assert to_text(explain_report(explained)).endswith("\n")
    json.dumps(document, allow_nan=False)


@pytest.mark.parametrize("case", cases())
def test_every_span_and_chain_can_be_explained(case: Any) -> None:
    found = opened(case)
    for span in found.world.spans:
        document = explain_span(found, span.id)
        assert document is not None
        assert document["anchor"]["is"] == span.anchor
        assert document["representation"]["value"] == span.representation
        named = {reason.rule for reason in found.verdict.reasons if reason.scope == "span" and span.id in reason.spans}
        assert named <= {rule["rule"] for rule in document["rules"] if rule["outcome"].startswith("refuses")}
        assert to_text(explain_report(document))
        json.dumps(document, allow_nan=False)
    for chain in found.world.chains:
        document = explain_chain(found, chain.id)
        assert document is not None
        for item in document["chain"]["epsilon"]:
            terms = [term["loss"] * term["mass"] for term in item["terms"] if term["loss"] is not None]
            if len(terms) == len(item["terms"]) and item["mass"]:
                assert item["epsilon"] == pytest.approx(sum(terms) / item["mass"])
        assert to_text(explain_report(document))


def test_what_is_not_there_is_not_explained() -> None:
    found = opened(cases()[0].values[0])
    assert explain_span(found, "nobody") is None
    assert explain_rule(found, "nobody") is None
    assert explain_chain(found, "nobody") is None


def one_rule(condition: str, tokens: int = 9) -> Case:
    policy = Policy(load_text(f'refuse "r" {{ when {condition} because "x" }}'))
    span = {"id": "a", "kind": "reasoning", "text": "x", "epoch": 1, "disposition": "evict", "tokens": tokens}
    return open_case(policy, Request.from_json({"epoch": 7, "spans": [span]}), DAY)


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("epoch > 3", "`epoch > 3`"),
        ("epoch > 3 and epoch < 9", "`epoch > 3`, or `epoch < 9`"),
        ("epoch > 3 or epoch < 9", "`epoch > 3` and `epoch < 9`"),
        ("epoch > 3 or epoch > 9", "`epoch > 3`"),
        ("epoch > 1 and (epoch > 2 or epoch > 3)", "`epoch > 1`, or (`epoch > 2` and `epoch > 3`)"),
        ("monitor.divergence > 1 or epoch > 3", "`monitor.divergence > 1` and `epoch > 3`"),
    ],
)
def test_what_would_have_to_be_false(condition: str, wanted: str) -> None:
    found = one_rule(condition)
    assert to_falsify(found.rules[0].condition, found.world, {}) == wanted
    assert to_compact(found)[0]["do"] == f"make false: {wanted}"


def test_a_trace_shows_each_part_with_its_value() -> None:
    found = one_rule("any s in evicted where s.tokens > 3: s.age > 2 and monitor.divergence > 0.5")
    part = trace(found.rules[0].condition, found.world, {})
    assert (part.value, part.note) == ("unknown", "1 in evicted, 1 of them where s.tokens > 3")
    [element] = part.parts
    assert (element.text, element.value) == ("s = a: s.age > 2 and monitor.divergence > 0.5", "unknown")
    assert [(one.text, one.value) for one in element.parts] == [
        ("s.age > 2", "true"), ("monitor.divergence > 0.5", "unknown"),
    ]  # fmt: skip
    assert [(one.text, one.value) for one in element.parts[0].parts] == [("s.age", "6")]
    assert found.verdict.reasons[0].undetermined


def test_an_if_shows_its_condition_and_the_branch_that_counts() -> None:
    found = one_rule("if epoch > 3 then epoch > 5 else epoch > 99")
    assert [part.text for part in trace(found.rules[0].condition, found.world, {}).parts] == ["epoch > 3", "epoch > 5"]


POLICY = """policy "p" version "1.0.0"
kind approval : state
anchor kind approval, tool_result
anchor ticket when span.tool == "ticket"
exempt "listings" when span.kind == tool_result and span.tool == "ls" because "can be run again" until 2027-01-01
integrity { calls closed }
refuse "no-approval" { for each s in evicted when s.kind == approval because "an approval goes" }
refuse "only-named" {
  for each s in evicted
  when s.kind == approval and s.representation != restated
  because "it goes"
}
"""


def approvals(*ids: str, **more: Any) -> Case:
    base = {"kind": "approval", "text": "granted", "epoch": 1, "disposition": "evict", "tokens": 1, **more}
    request = Request.from_json({"epoch": 2, "spans": [{"id": name, **base} for name in ids]})
    return open_case(Policy(load_text(POLICY)), request, DAY)


def shown(document: Any) -> str:
    assert document is not None
    return " ".join(to_text(explain_report(document)).split())


def test_own_rules_of_spans_say_first_what_can_be_done_with_the_span() -> None:
    one = {entry["rule"]: entry["do"] for entry in to_compact(approvals("a"))}
    assert one["no-approval"] == "keep a, or spill it; or make false: `s.kind == approval`"
    assert one["only-named"].startswith("restate a in a kept span, or spill it; or make false: ")
    two = {entry["rule"]: entry["do"] for entry in to_compact(approvals("a", "b"))}
    assert two["only-named"].startswith("restate a, b in kept spans, or spill them; or make false: ")


def test_an_anchor_says_whether_it_holds_or_is_unknown_and_an_exempt_what_it_was_asked() -> None:
    unknown = shown(explain_span(approvals("a", kind="tool_result", tool_call_id="c9"), "a"))
    assert "`anchor ticket when …` is unknown (span.tool unknown), and what is unknown anchors" in unknown
    assert "exempt `listings` was asked: unknown (span.tool unknown)" in unknown
    holds = shown(explain_span(approvals("a", kind="tool_result", tool="ticket"), "a"))
    assert "`anchor ticket when …` holds (" in holds
    assert "exempt `listings` was asked: false" in holds


def test_facts_that_no_policy_can_name_are_said_in_words() -> None:
    case = approvals("a", kind="tool_call", tool_call_id="c1")
    for text in (shown(explain_span(case, "a")), shown(explain_rule(case, "call-open"))):
        assert "the call has no final result" in text
        assert "call_open" not in text


def test_counts_agree_with_what_they_count() -> None:
    text = shown(explain_decision(approvals("a")))
    assert "spill 1 span losslessly" in text
    assert "1 refuses" in text
    assert "2 refuse" in shown(explain_decision(approvals("a", "b")))
    assert "1 epoch old" in shown(explain_span(approvals("a"), "a"))


def test_what_is_undecided_is_not_told_as_if_it_held() -> None:
    policy = Policy(load_text('policy "p" version "1.0.0"\nmonitor { divergence 0.01 }\n'))
    case = open_case(policy, Request.from_json({"epoch": 7, "spans": []}), DAY)
    text = shown(explain_rule(case, "divergence-exceeded"))
    assert "if it holds: query-anchor divergence is unknown" in text
    assert "not known: monitor.divergence" in text
    assert "probe_divergence" not in text
