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
