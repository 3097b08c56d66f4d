"""Whatever goes wrong inside refuses; it never yields `compact`, and it says what went wrong (SPEC §2)."""

from __future__ import annotations

import pickle
from datetime import date, datetime
from typing import Any

import pytest

import policylang
from policylang.evidence import ingest as ingest_module
from policylang.testing.base import complete

ANCHORS = 'policy "t" version "1.0.0"\nanchor kind tool_result\nanchor detect version\nindex { probe key }\n'
SPAN = {"id": "m", "kind": "tool_result", "text": "schema version = 7", "epoch": 3, "disposition": "evict"}


def broken(*_args: Any, **_kwargs: Any) -> Any:
    raise ZeroDivisionError("broken evidence")


def test_evidence_that_raises_refuses_as_undetermined(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = policylang.load_text(ANCHORS)
    monkeypatch.setattr(ingest_module, "extract_once", broken)
    verdict = policylang.evaluate(policy, complete({"spans": [SPAN]}))
    assert verdict.decision == "spill_lossless"
    assert verdict.reasons
    assert all(reason.undetermined and "internal-error" in reason.missing for reason in verdict.reasons)
    assert verdict.salvage.spill == ("m",)


def test_a_rule_that_raises_does_not_silence_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = policylang.load_text(ANCHORS + 'refuse "plain" { when true because "always" }\n')
    monkeypatch.setattr(ingest_module, "extract_once", broken)
    rules = {reason.rule for reason in policylang.evaluate(policy, complete({"spans": [SPAN]})).reasons}
    assert {"plain", "anchor-unverified"} <= rules


def test_a_shadow_rule_that_raises_is_listed_and_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'policy "t" version "1.0.0"\nrefuse "s" { when any s in evicted: s.bulk because "x" mode shadow }\n'
    policy = policylang.load_text(text + 'refuse "never" { when false because "x" }\n')
    monkeypatch.setattr(ingest_module, "extract_once", broken)
    verdict = policylang.evaluate(policy, complete({"spans": [SPAN]}))
    assert verdict.decision == "compact"
    assert [(reason.rule, reason.missing) for reason in verdict.shadow] == [("s", ("internal-error",))]


def test_a_decision_that_takes_too_long_is_refused() -> None:
    policy = policylang.load_text('policy "t" version "1.0.0"\nrefuse "never" { when false because "x" }\n')
    verdict = policylang.evaluate(policy, complete({"spans": [SPAN]}), timeout=0.0)
    assert verdict.decision == "spill_lossless"
    assert [(reason.rule, reason.missing) for reason in verdict.reasons] == [("evaluation-timeout", ("deadline",))]
    assert verdict.salvage.to_json() == {"evict": [], "spill": ["m"]}
    assert policylang.evaluate(policy, complete({"spans": [SPAN]}), timeout=60.0).decision == "compact"


def test_missing_evidence_is_named() -> None:
    policy = policylang.load("std/decision-boundary")
    verdict = policylang.evaluate(policy, {"epoch": 7, "spans": [SPAN]})
    missing = {reason.rule: reason.missing for reason in verdict.reasons}
    assert missing["anchor-unverified"] == ("verified",)
    assert missing["index-source"] == ("index.source",)
    assert "index.epochs_since_rebuild" in missing["index-rebuilt"]
    assert "scoring.structural" in missing["scoring-not-structural"]
    assert missing["queries-not-logged"] == ("monitor.enabled",)
    assert "monitor.queries" in missing["divergence-exceeded"]


def test_expiry_is_settled_by_the_day_and_until_includes_its_day() -> None:
    text = 'policy "t" version "1.0.0"\nextends "std/decision-boundary"\n' + (
        'relax "divergence-exceeded" because "index migration" until 2027-01-31\n'
    )
    policy = policylang.load_text(text)
    request = complete({"monitor": {"divergence": 0.5}})
    verdicts = {day: policylang.evaluate(policy, request, as_of=date(2027, *day)) for day in ((1, 31), (2, 1))}
    assert verdicts[1, 31].decision == "compact"
    assert [reason.rule for reason in verdicts[1, 31].shadow] == ["divergence-exceeded"]
    assert [reason.rule for reason in verdicts[2, 1].reasons] == ["divergence-exceeded"]
    assert verdicts[2, 1].to_json()["as_of"] == "2027-02-01"


def test_an_exempt_frees_only_what_it_matches_until_its_day() -> None:
    text = ANCHORS.replace("anchor detect version\n", "") + (
        'exempt "listings" when span.text matches /^total \\d+/ because "can be re-run" until 2027-03-31\n'
    )
    policy = policylang.load_text(text)
    spans = [
        {**SPAN, "id": "l", "text": "total 48"},
        {**SPAN, "id": "m", "text": "total 48\nschema version = 7"},
    ]
    request = complete({"spans": spans, "index": {"covers": [], "verified": {}}})
    verdict = policylang.evaluate(policy, request, as_of=date(2027, 3, 31))
    assert [reason.spans for reason in verdict.reasons] == [("m",)]
    assert verdict.to_json()["exempted"] == [{"exempt": "listings", "span": "l"}]
    after = policylang.evaluate(policy, request, as_of=date(2027, 4, 1))
    assert [reason.spans for reason in after.reasons] == [("l",), ("m",)]
    assert after.exempted == ()


def test_verdicts_are_the_same_bytes_again_and_after_pickling() -> None:
    policy = policylang.load("std/standard")
    request = complete({"spans": [SPAN], "index": {"covers": []}})
    first = policylang.evaluate(policy, request, as_of=date(2026, 12, 1))
    again = policylang.evaluate(pickle.loads(pickle.dumps(policy)), request, as_of=date(2026, 12, 1))
    assert first.canonical() == again.canonical() == pickle.loads(pickle.dumps(first)).canonical()
    assert '"source"' not in first.canonical()


def test_an_undeclared_kind_is_state_and_is_reported() -> None:
    policy = policylang.load_text(ANCHORS)
    verdict = policylang.evaluate(policy, complete({"spans": [{**SPAN, "kind": "deploy_receipt"}]}))
    [warning] = verdict.warnings
    assert (warning.rule, warning.spans, warning.evidence) == ("unknown-kind", ("m",), {"kind": "deploy_receipt"})


def test_warnings_fire_on_true_only_and_list_the_undetermined_apart() -> None:
    text = (
        'policy "t" version "1.0.0"\nwarn "w" { when monitor.divergence > 0.01 because "w" }\n'
        'refuse "r" { when monitor.divergence > 0.01 because "r" mode warn }\n'
    )
    policy = policylang.load_text(text)
    known = policylang.evaluate(policy, complete({"monitor": {"divergence": 0.5}}))
    assert (known.decision, [item.rule for item in known.warnings]) == ("compact", ["r", "w"])
    unknown = policylang.evaluate(policy, complete({"monitor": {"divergence": None}}))
    assert (unknown.decision, unknown.warnings) == ("compact", ())
    assert [(item.rule, item.missing) for item in unknown.undetermined_warnings] == [
        ("r", ("monitor.divergence",)),
        ("w", ("monitor.divergence",)),
    ]


def test_word_for_word_means_whole_words() -> None:
    policy = policylang.load_text('policy "t" version "1.0.0"\nintegrity { instructions verbatim }\n')
    said = {"id": "u", "kind": "user_message", "text": "stop", "epoch": 3, "disposition": "evict"}

    def rules(kept: str) -> list[str]:
        other = {"id": "s", "kind": "summary", "text": kept, "epoch": 7, "disposition": "retain"}
        verdict = policylang.evaluate(policy, complete({"spans": [said, other]}))
        return [reason.rule for reason in verdict.reasons]

    assert rules("a nonstop stopper") == ["instruction-evicted"]
    assert rules("nonstop. The user said: stop.") == []


def test_the_day_is_a_date_and_nothing_else() -> None:
    policy = policylang.load("std/reference-code")
    for wrong in (datetime(2026, 12, 1), "2026-12-01"):
        with pytest.raises(TypeError, match=r"datetime\.date"):
            policylang.evaluate(policy, complete({}), as_of=wrong)  # type: ignore[arg-type]


def test_a_verdict_is_no_truth_value_and_a_policy_is_a_loaded_one() -> None:
    verdict = policylang.evaluate(policylang.load("std/reference-code"), complete({}))
    with pytest.raises(TypeError, match="decision"):
        bool(verdict)
    with pytest.raises(TypeError, match=r"policylang\.load"):
        policylang.evaluate("std/standard", complete({}))  # type: ignore[arg-type]
