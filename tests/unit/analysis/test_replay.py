"""Replaying a session: the document's failure without the gate, and nothing out of reach with it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from policylang.analysis.epochs import Cut
from policylang.analysis.index import ReplayIndex
from policylang.analysis.replay import ReplayOptions, replay
from policylang.analysis.report import ReplayReport
from policylang.analysis.session import Session
from policylang.runtime.policy import load, load_text
from policylang.transcript.canonical import text_digest
from policylang.transcript.importers import open_transcript
from policylang.transcript.pointer import parse_pointer, point_at
from policylang.transcript.span import Span
from tests.unit.analysis.sessions import incident

DAY = date(2026, 12, 1)
CUT = Cut(spans=6)
SHARED = Path(__file__).parents[3] / ".." / "shared" / "transcripts"


def run(policy: str, compactor: str, index: str, *, enforce: bool = True) -> ReplayReport:
    options = ReplayOptions(CUT, compactor, index, keep_tokens=500, summary_tokens=80, enforce=enforce)  # type: ignore[arg-type]
    return replay(load(policy), incident(), options, name="incident", as_of=DAY)


def test_documents_failure_without_a_gate() -> None:
    report = run("std/decision-boundary", "similarity", "rebuilt")
    lost = {fact.fact for fact in report.ungated.lost}
    assert {"schema_version = 7", "replica_lag_limit = 340"} <= lost
    asked = {(ask.key, ask.span, ask.epoch > ask.established, ask.reach) for ask in report.ungated.asked}
    assert ("schema_version", "r0", True, "lost") in asked
    assert ("replica_lag_limit", "r1", True, "lost") in asked
    # ε was kept all the time, and the query log shows what is wrong.
    assert all(epoch.aggregate <= 0.08 for epoch in report.ungated.epochs)
    assert report.ungated.epochs[-1].divergence == 1.0


def test_gate_leaves_nothing_out_of_reach() -> None:
    report = run("std/decision-boundary", "similarity", "rebuilt")
    assert report.gated is not None
    decided = [epoch for epoch in report.gated.epochs if epoch.decision is not None]
    assert decided and all(epoch.decision == "spill_lossless" for epoch in decided)
    assert all({"index-source", "index-rebuilt", "scoring-not-structural"} <= set(epoch.rules) for epoch in decided)
    assert report.gated.lost == ()
    assert all(ask.reach != "lost" for ask in report.gated.asked)
    totals = report.gated.totals()
    assert totals["compacted"] == 0 and totals["spilled"] > 0


def test_sound_runtime_compacts_and_keeps_every_fact_in_reach() -> None:
    report = run("std/standard", "structural", "pre")
    assert report.gated is not None
    assert report.gated.totals()["compacted"] > 0
    assert report.gated.lost == ()
    assert not any("scoring-not-structural" in epoch.rules for epoch in report.gated.epochs)
    assert not any({"index-source", "index-rebuilt"} & set(epoch.rules) for epoch in report.gated.epochs)


@pytest.mark.parametrize("index", ["pre", "rebuilt"])
@pytest.mark.parametrize("compactor", ["similarity", "structural"])
def test_books_balance(compactor: str, index: str) -> None:
    report = run("std/standard", compactor, index)
    assert report.gated is not None
    for mode in (report.gated, report.ungated):
        for epoch in mode.epochs:
            assert epoch.proposed == epoch.compacted + epoch.spilled + epoch.kept
            assert epoch.after_tokens <= epoch.tokens + 200
            assert epoch.asked_lost <= epoch.asked
        assert sum(epoch.asked for epoch in mode.epochs) == len(mode.asked)
        assert len(mode.lost) == (mode.epochs[-1].lost if mode.epochs else 0)
    for epoch in report.gated.epochs:
        if epoch.decision == "compact":
            assert (epoch.spilled, epoch.kept, epoch.rules) == (0, 0, ())


def test_ignored_verdict_is_still_noted() -> None:
    report = run("std/decision-boundary", "similarity", "rebuilt", enforce=False)
    assert report.gated is None
    assert report.enforced is report.ungated
    assert report.ungated.refused > 0
    assert report.ungated.totals()["spilled"] == 0
    assert report.ungated.lost


def test_divergence_falls_with_an_index_of_the_originals() -> None:
    rebuilt = run("std/decision-boundary", "similarity", "rebuilt").ungated.epochs[-1]
    pre = run("std/decision-boundary", "similarity", "pre").ungated.epochs[-1]
    assert pre.divergence < 0.01 < rebuilt.divergence
    assert pre.lost == 0


def test_report_is_deterministic_json() -> None:
    first, second = (json.dumps(run("std/standard", "similarity", "rebuilt").to_json()) for _ in range(2))
    assert first == second
    document = json.loads(first)
    assert document["schema"] == "policylang.replay/v1"
    assert document["gated"]["totals"]["epochs"] == len(document["gated"]["epochs"])
    assert (document["session"]["name"], document["session"]["spans"]) == ("incident", 50)


def test_restated_pointer_keeps_the_true_value_in_sight() -> None:
    log = "\n".join(f"[{number}] the migration runner went on with its work" for number in range(40))
    spans = [
        Span("u", "user_message", "Migrate the database.", 0),
        Span("c", "tool_call", "Bash migrate", 0, tool="Bash", tool_call_id="t"),
        Span("r", "tool_result", f"{log}\nschema_version: 7", 0, tool="Bash", tool_call_id="t"),
        Span("lie", "reasoning", "The migration is through, schema_version = 9.", 0),
    ]
    options = ReplayOptions(Cut(spans=9), "similarity", "pre", keep_tokens=100, epsilon=1.0)
    report = replay(load_text('policy "t"\nanchor kind tool_result\n'), spans, options, as_of=DAY)
    assert report.gated is not None
    (epoch,) = report.gated.epochs
    assert "anchor-contradicted" in epoch.rules
    assert report.gated.lost == ()
    (pointer,) = [span for span in report.gated.transcript if span.kind == "pointer"]
    line, restated = pointer.text.split("\n")
    parsed = parse_pointer(line)
    assert parsed is not None
    assert (parsed.span, parsed.sha256, "schema_version" in parsed.keys) == ("r", text_digest(spans[2].text), True)
    assert restated == "schema_version = 7"
    assert (pointer.tool_call_id, pointer.span_id) == ("t", "r")


@pytest.mark.parametrize("compactor", ["similarity", "structural"])
def test_every_original_is_kept_compacted_or_pointed_at(compactor: str) -> None:
    report = run("std/standard", compactor, "pre")
    assert report.gated is not None
    texts = {span.id: span.text for span in incident()}
    left = {span.id: span for span in report.gated.transcript if span.kind != "summary"}
    for name, span in left.items():
        pointer = parse_pointer(span.text) if span.kind == "pointer" else None
        assert (pointer.sha256 if pointer else text_digest(span.text)) == text_digest(texts[name])
    summaries = sum(epoch.compacted for epoch in report.gated.epochs) - len(set(texts) - set(left))
    assert 0 <= summaries < len(report.gated.epochs)


def test_session_without_anything_to_decide() -> None:
    report = replay(load("std/standard"), [], as_of=DAY)
    assert report.ungated.epochs == () and report.ungated.totals()["epochs"] == 0
    assert report.gated is not None and report.gated.lost == ()


@pytest.mark.parametrize("wrong", [{"compactor": "magic"}, {"index": "none"}])
def test_unknown_options_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"magic|none"):
        replay(load("std/standard"), incident(2), ReplayOptions(**wrong), as_of=DAY)  # type: ignore[arg-type]


def test_asks_name_keys_and_use_values() -> None:
    session = Session(incident(), CUT)
    asks = {(ask.fact.key, ask.how, session.spans[ask.position].id) for ask in session.asks}
    assert ("schema_version", "key", "think5") in asks
    assert ("replica_lag_limit", "key", "think6") in asks
    assert all(ask.epoch > ask.fact.epoch for ask in session.asks)


FORMATS = ("anthropic", "claude-code", "openai-chat", "swe-agent")
RECORDED = [f"{name}/{path.name}" for name in FORMATS for path in sorted((SHARED / name).glob("*"))]
"""Sessions recorded by others, in the four formats; none where they are not beside the project."""


@pytest.mark.skipif(not RECORDED, reason="the shared sessions are not here")
@pytest.mark.parametrize("name", RECORDED or ["none"])
@pytest.mark.parametrize(("compactor", "index"), [("similarity", "rebuilt"), ("structural", "pre")])
def test_real_sessions_replay(name: str, compactor: str, index: str) -> None:
    spans = list(open_transcript(SHARED / name))
    options = ReplayOptions(compactor=compactor, index=index)  # type: ignore[arg-type]
    report = replay(load("std/standard"), spans, options, name=name, as_of=DAY)
    assert report.gated is not None
    assert report.gated.lost == ()
    assert report.spans == len(spans)
    decided = [epoch for epoch in report.gated.epochs if epoch.decision is not None]
    if compactor == "similarity":
        assert all({"index-source", "scoring-not-structural"} <= set(epoch.rules) for epoch in decided)
        assert len(report.gated.transcript) == len(spans)
    else:
        assert not any({"epsilon-exceeded", "index-source"} & set(epoch.rules) for epoch in decided)
        assert all(epoch.worst_chain is not None and epoch.worst_chain <= 0.08 for epoch in decided)
    originals = {span.id: span for span in spans}
    for span in report.gated.transcript:
        pointer = parse_pointer(span.text) if span.kind == "pointer" else None
        if pointer is not None and pointer.span in originals:
            assert pointer.sha256 == text_digest(originals[pointer.span].text)


SPILLS = """
policy "t"
refuse "thoughts-of-the-ledger" {
  for each span in evicted
  when span.kind == reasoning and span.text matches /ledger/
  because "the ledger is audited"
  then spill span
}
"""


def test_what_a_replay_left_can_be_replayed_again() -> None:
    options = ReplayOptions(CUT, "structural", "pre", keep_tokens=300, summary_tokens=80, epsilon=0.4)
    first = replay(load_text(SPILLS), incident(), options, as_of=DAY)
    assert first.gated is not None
    left = first.gated.transcript
    assert any(span.kind == "summary" for span in left) and any(span.kind == "pointer" for span in left)
    again = replay(load("std/standard"), left, options, as_of=DAY)
    assert again.gated is not None
    kept = [span for span in again.gated.transcript if span.kind == "pointer"]
    assert {span.id for span in left if span.kind == "pointer"} <= {span.id for span in kept}


def test_needs_that_the_transcript_answers_are_no_queries() -> None:
    # Nothing leaves the transcript, so no one asks the index, whatever later spans name.
    session = Session(incident(), CUT)
    assert session.asks
    options = ReplayOptions(CUT, "structural", "pre", keep_tokens=10**6)
    report = replay(
        load_text(
            'policy "t"\nmonitor { divergence 0.01 window 200 queries minimum 1 queries '
            "cold_start refuse }\nanchor kind tool_result\n"
        ),
        incident(),
        options,
        as_of=DAY,
    )
    assert all(epoch.queries == 0 and epoch.divergence == 0.0 for epoch in report.ungated.epochs)
    assert report.ungated.asked == ()


def test_index_that_is_rebuilt_holds_pointers_and_summaries_in_place_of_what_went() -> None:
    spans = [replace(span, epoch=number // 6 + 1) for number, span in enumerate(incident())]
    session = Session(spans, CUT)
    policy = load("std/standard").checked
    at = session.position["r0"]
    (ask,) = [ask for ask in session.asks if ask.fact.key == "schema_version"]
    for stands, found in (((), False), ((_pointer(session.spans[at]),), True)):
        index = ReplayIndex(session, policy, rebuilt=True)
        index.extend(range(len(spans)))
        index.compacted([*[span for span in session.spans if span.id != "r0"], *stands])
        index.log([ask], {at})
        assert index.monitor(set())[1] == (0.0 if found else 1.0)


def _pointer(span: Span) -> Span:
    text = str(point_at(span.id, span.kind, span.text, ("schema_version", "migration")))
    return replace(span, kind="pointer", text=text)
