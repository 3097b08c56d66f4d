"""The salvage is a fixpoint, the plan gives each span its action (SPEC §2)."""

from __future__ import annotations

from typing import Any

import policylang
from policylang.testing.base import complete

PAIRS = 'policy "t" version "1.0.0"\nanchor kind tool_result\nindex { probe key }\nintegrity { pairs whole }\n'


def decide(policy: str, *spans: dict[str, Any], **given: Any) -> policylang.Verdict:
    base = {"kind": "reasoning", "text": "thinking about the rollout", "epoch": 3, "disposition": "evict"}
    request = complete({"spans": [{**base, **span} for span in spans], **given})
    return policylang.evaluate(policylang.load_text(policy), request)


def unverified(*names: str) -> dict[str, Any]:
    return (
        {"index": {"covers": [], "verified": {}}} if not names else {"index": {"covers": list(names), "verified": {}}}
    )


CALL = {"id": "c", "kind": "tool_call", "text": "migrate", "tool_call_id": "t"}
RESULT = {"id": "r", "kind": "tool_result", "text": "lease: zx-77", "tool_call_id": "t"}
THOUGHT = {"id": "k"}


def test_a_spilled_result_keeps_its_envelope_so_its_call_is_spilled_in_the_next_round() -> None:
    verdict = decide(PAIRS, CALL, RESULT, THOUGHT, **unverified())
    assert [reason.rule for reason in verdict.reasons] == ["anchor-unverified"]
    assert verdict.salvage.to_json() == {"evict": ["k"], "spill": ["c", "r"]}
    assert [(item.span, item.action, item.rules) for item in verdict.plan] == [
        ("c", "spill", ("pair-split",)),
        ("r", "spill", ("anchor-unverified",)),
        ("k", "compact", ()),
    ]


def test_an_epoch_reason_on_the_way_empties_the_salvage() -> None:
    # Alone the eviction of `k` frees too little, once the long result is spilled and its pointer kept.
    policy = PAIRS + 'refuse "few" { when (count s in evicted: true) < 3 because "too few left" }\n'
    verdict = decide(policy, CALL, RESULT, THOUGHT, **unverified())
    assert [reason.rule for reason in verdict.reasons] == ["anchor-unverified"]
    assert verdict.salvage.to_json() == {"evict": [], "spill": ["c", "r", "k"]}
    assert {item.action for item in verdict.plan} == {"spill"}
    assert verdict.plan[2].rules == ("few",)


def test_compact_needs_no_salvage_and_plans_to_compact() -> None:
    verdict = decide(PAIRS, CALL, RESULT, index={"covers": ["r"], "verified": {"r": True}})
    assert verdict.decision == "compact"
    assert verdict.salvage.to_json() == {"evict": ["c", "r"], "spill": []}
    assert {item.action for item in verdict.plan} == {"compact"}


def test_an_instruction_is_restated_whatever_refused() -> None:
    policy = 'policy "t" version "1.0.0"\nmonitor { divergence 0.01 }\n'
    spans = [{"id": "u", "kind": "user_message", "text": "Never touch production."}, {"id": "k"}]
    verdict = decide(policy, *spans, monitor={"enabled": False})
    assert {item.span: item.action for item in verdict.plan} == {"u": "restate", "k": "spill"}


def test_a_restated_instruction_counts_as_kept_word_for_word() -> None:
    policy = 'policy "t" version "1.0.0"\nintegrity { instructions verbatim }\n'
    spans = [{"id": "u", "kind": "user_message", "text": "Never touch production."}, {"id": "k"}]
    verdict = decide(policy, *spans)
    assert verdict.salvage.to_json() == {"evict": ["k"], "spill": ["u"]}


def test_a_chain_reason_names_the_evicted_spans_of_the_budgets_kind() -> None:
    policy = 'policy "t" version "1.0.0"\nbudget reasoning epsilon 0.08 per chain\n'
    spans = [
        {"id": "a", "chain": "lone", "tokens": 5},
        {"id": "m", "chain": "lone", "kind": "assistant_message", "tokens": 5},
        {"id": "t", "chain": "lone", "kind": "tool_result", "tokens": 5},
        {"id": "w", "chain": "wide", "tokens": 1},
        {"id": "x", "chain": "wide", "tokens": 99, "disposition": "retain"},
    ]
    verdict = decide(policy, *spans)
    [reason] = verdict.reasons
    assert (reason.scope, reason.chain, reason.spans) == ("chain", "lone", ("a", "m"))
    assert reason.evidence == {"epsilon": 1.0, "bound": 0.08, "kind": "reasoning"}
    assert verdict.salvage.to_json() == {"evict": ["t", "w"], "spill": ["a", "m"]}


def test_spilling_moves_no_chain_over_its_bound_since_a_spilled_span_weighs_nothing() -> None:
    policy = 'policy "t" version "1.0.0"\nbudget reasoning epsilon 0.5 per chain\n' + (
        'refuse "x" { for each s in evicted when s.id == "a" because "x" then spill span }\n'
    )
    spans = [
        {"id": "a", "chain": "c", "tokens": 40},
        {"id": "b", "chain": "c", "tokens": 10},
        {"id": "d", "chain": "c", "tokens": 50, "disposition": "retain"},
    ]
    verdict = decide(policy, *spans)
    assert [reason.rule for reason in verdict.reasons] == ["x"]
    assert verdict.salvage.to_json() == {"evict": ["b"], "spill": ["a"]}


def test_the_pointers_of_spilled_spans_count_against_the_gain() -> None:
    policy = PAIRS + "integrity { gain 50% }\n".replace("integrity", "integrity")
    policy = policy.replace("integrity { pairs whole }\nintegrity { gain 50% }", "integrity { pairs whole gain 50% }")
    long = {"id": "r", "kind": "tool_result", "text": "lease: zx-77 " + "padding " * 200}
    small = {"id": "k", "text": "x" * 40}
    keep = {"id": "z", "text": "y " * 100, "disposition": "retain"}
    verdict = decide(policy, long, small, keep, **unverified())
    assert [reason.rule for reason in verdict.reasons] == ["anchor-unverified"]
    assert verdict.salvage.spill == ("r",)


def test_a_contradicted_anchor_is_restated_beside_its_pointer_and_its_text_is_then_in_sight() -> None:
    policy = 'policy "t" version "1.0.0"\nanchor kind tool_result\nindex { probe key }\n'
    spans = [
        {"id": "m", "kind": "tool_result", "text": "schema version = 7"},
        {"id": "n", "kind": "tool_result", "text": "schema version = 7"},
        {"id": "s", "kind": "summary", "text": "The schema version is 6.", "epoch": 7, "disposition": "retain"},
    ]
    verdict = decide(policy, *spans)
    assert [(item.span, item.action) for item in verdict.plan] == [("m", "restate"), ("n", "restate")]


def test_raise_for_refusal_names_the_rules() -> None:
    verdict = decide(PAIRS, CALL, RESULT, **unverified())
    try:
        verdict.raise_for_refusal()
    except policylang.CompactionRefusedError as error:
        assert "anchor-unverified" in str(error)
    else:
        raise AssertionError("a refusal must raise")
    decide(PAIRS).raise_for_refusal()
