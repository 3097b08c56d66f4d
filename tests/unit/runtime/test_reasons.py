"""What a reason tells: its spans, its message, the evidence it used and the evidence that is missing (SPEC §2, §5)."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

import policylang
from policylang.evidence import ingest as ingest_module
from policylang.rules_ir.facts import SpanFacts, World
from policylang.runtime import decide as decide_module
from policylang.runtime.decide import world_of
from policylang.runtime.salvage import restatement
from policylang.testing.base import complete

DAY = date(2026, 12, 1)
HEAD = 'policy "t" version "1.0.0"\n'


def span(name: str, disposition: str = "evict", **more: Any) -> dict[str, Any]:
    base = {"id": name, "kind": "reasoning", "text": "let us think", "epoch": 3, "disposition": disposition}
    return {**base, **more}


def decide(policy: str, *spans: dict[str, Any], **given: Any) -> policylang.Verdict:
    return policylang.evaluate(policylang.load_text(HEAD + policy), complete({"spans": spans, **given}), as_of=DAY)


def broken(*_args: Any, **_kwargs: Any) -> Any:
    raise ZeroDivisionError("broken evidence")


def test_a_chain_reason_of_ones_own_rule_names_every_evicted_span_of_the_chain() -> None:
    rule = 'refuse "r" { for each c in chains when c.id == "c" because "{c.id}" }'
    spans = [
        span("a", chain="c"),
        span("b", kind="tool_result", chain="c"),
        span("k", "retain", chain="c"),
        span("o", chain="other"),
    ]
    [reason] = decide(rule, *spans).reasons
    assert (reason.scope, reason.chain, reason.spans, reason.message) == ("chain", "c", ("a", "b"), "c")


# (template, given, what it reads)
MESSAGES: list[tuple[str, dict[str, Any], str]] = [
    ("{s.id} {s.kind} {s.epoch}", {}, "a tool_result 3"),
    ("{s.verified} {s.bulk}", {}, "true false"),
    ("{s.verified}", {"index": {"covers": None}}, "unknown"),
    ("{s.anchor_by}", {}, "kind, detect"),
    ("{index.epochs_since_rebuild}", {}, "never"),
    ("{monitor.divergence}", {"monitor": {"divergence": 0.123456}}, "0.1235"),
]


@pytest.mark.parametrize(("template", "given", "expected"), MESSAGES)
def test_values_in_a_message(template: str, given: dict[str, Any], expected: str) -> None:
    policy = "anchor kind tool_result\nanchor detect version\n" + (
        f'refuse "r" {{ for each s in evicted when s.epoch == 3 because "{template}" then spill span }}'
    )
    verdict = decide(policy, span("a", kind="tool_result", text="schema version = 7"), **given)
    assert [reason.message for reason in verdict.reasons if reason.rule == "r"] == [expected]


# (covered ids with what is said of them, the queries logged, the evidence that is missing)
MISSING: list[tuple[dict[str, bool], int | None, tuple[str, ...]]] = [
    ({"a": True}, 100, ("evicted.verified",)),
    ({"a": True, "b": True}, None, ("monitor.queries",)),
    ({"a": True}, None, ("evicted.verified", "monitor.queries")),
]


@pytest.mark.parametrize(("verified", "queries", "expected"), MISSING)
def test_only_what_is_unknown_is_missing(
    verified: dict[str, bool], queries: int | None, expected: tuple[str, ...]
) -> None:
    rule = 'refuse "r" { when (any s in evicted: not s.verified) or monitor.queries < 10 because "x" }'
    given = {"index": {"covers": ["a", "b"], "verified": verified}, "monitor": {"queries": queries}}
    [reason] = decide(rule, span("a"), span("b"), **given).reasons
    assert reason.undetermined
    assert reason.missing == expected


def test_a_reason_whose_evidence_fails_stays_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = 'refuse "r" { for each s in evicted when s.epoch == 3 or s.bulk because "{s.id}" then spill span }'
    monkeypatch.setattr(ingest_module, "extract_once", broken)
    [reason] = decide(rule, span("a")).reasons
    assert (reason.rule, reason.undetermined, reason.missing) == ("r", True, ("internal-error",))


def test_nothing_is_exempted_where_nobody_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = 'anchor kind tool_result\nindex { probe key }\nexempt "e" when span.text matches /^total \\d+/ ' + (
        'because "x" until 2027-01-31\n'
    )
    listing = span("a", kind="tool_result", text="total 48")
    assert decide(policy, listing).to_json()["exempted"] == [{"exempt": "e", "span": "a"}]
    monkeypatch.setattr(ingest_module, "extract_once", broken)
    verdict = decide(policy, listing)
    assert (verdict.decision, verdict.to_json()["exempted"]) == ("spill_lossless", [])
    assert verdict.to_json()["counts"] == {"evicted": 1, "anchors": 1, "spilled": 1}


def test_where_no_plan_can_be_made_everything_is_spilled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide_module, "plan_epoch", broken)
    verdict = decide('refuse "r" { when true because "x" }', span("a"), span("u", kind="user_message"))
    assert verdict.salvage.to_json() == {"evict": [], "spill": ["a", "u"]}
    assert [(item.span, item.action) for item in verdict.plan] == [("a", "spill"), ("u", "restate")]


def test_an_exempt_may_match_in_several_places() -> None:
    # §3 "every material assertion of it … lies inside text matched"
    policy = 'anchor kind tool_result\nexempt "e" when span.text matches /(schema|engine) version = \\d+/ ' + (
        'because "x" until 2027-01-31\n'
    )
    freed = [span("a", kind="tool_result", text="schema version = 7\nengine version = 8")]
    assert [item.span for item in decide(policy + 'refuse "r" { when true because "x" }', *freed).exempted] == ["a"]
    held = [span("a", kind="tool_result", text="schema version = 7\nlease id = zx-77413")]
    assert decide(policy + 'refuse "r" { when true because "x" }', *held).exempted == ()


def test_json_has_the_place_of_each_rule_and_canonical_json_leaves_it_out() -> None:
    verdict = decide('refuse "r" { when true because "x" }', span("a"))
    [reason] = verdict.to_json()["reasons"]
    assert str(reason["source"]).endswith(":2:1")
    assert '"source"' not in verdict.canonical()


def test_a_warning_of_no_rule_has_no_chain_and_no_place() -> None:
    [warning] = decide('refuse "r" { when false because "x" }', span("a", kind="receipt"), span("b")).warnings
    assert warning.to_json() == {
        "rule": "unknown-kind",
        "scope": "span",
        "spans": ["a"],
        "message": "no policy declares the kind `receipt`; it is treated as state",
        "undetermined": False,
        "missing": [],
        "evidence": {"kind": "receipt"},
        "source": None,
    }


# (kind, text, the line that a `restate` keeps beside the pointer; SPEC §2)
RESTATED = [
    ("tool_result", "schema version = 7\nport = 8080", "schema_version = 7; port = 8080"),
    ("user_message", "Never touch version = 7.", "Never touch version = 7."),
    ("tool_result", "nothing that a machine could parse", "nothing that a machine could parse"),
]


@pytest.mark.parametrize(("kind", "text", "expected"), RESTATED)
def test_restatement(kind: str, text: str, expected: str) -> None:
    policy = policylang.load_text(HEAD + 'refuse "r" { when true because "x" }')
    request = policylang.Request.from_json(complete({"spans": [span("a", kind=kind, text=text)]}))
    world: World = world_of(policy, request, DAY)
    first: SpanFacts = world.evicted[0]
    assert restatement(first) == expected
