"""The bundled sessions replayed: the document's failure without the gate, and nothing out of reach with it.

Which facts a session established, and when it went back for them, is the recorder's own ground truth (`FACTS.json`),
not what the replay says of itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from policylang.analysis.epochs import Cut
from policylang.analysis.replay import ReplayOptions, replay
from policylang.analysis.report import LostFact, ReplayReport
from policylang.analysis.session import Session
from policylang.runtime.policy import load
from policylang.transcript.canonical import text_digest
from policylang.transcript.importers import open_transcript
from policylang.transcript.pointer import parse_pointer
from policylang.transcript.span import Span
from tests.e2e.cli_runner import Runner

ROOT = Path(__file__).resolve().parents[2]
SESSIONS = ROOT / "examples" / "sessions"
NAMES = ("build", "incident-response", "research")
DAY = date(2026, 12, 1)
OWN = Cut(hours=4)
"""The sessions' own epochs."""
RUNTIMES = [(compactor, index) for compactor in ("similarity", "structural") for index in ("pre", "rebuilt")]


@cache
def spans_of(name: str) -> tuple[Span, ...]:
    return tuple(open_transcript(SESSIONS / f"{name}.jsonl"))


@cache
def truth_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SESSIONS / "FACTS.json").read_text(encoding="utf-8"))["sessions"][name]
    return found


@cache
def replayed(name: str, compactor: str, index: str, hours: float | None = 4) -> ReplayReport:
    options = ReplayOptions(Cut(hours=hours), compactor, index)  # type: ignore[arg-type]
    return replay(load("std/standard"), spans_of(name), options, name=name, as_of=DAY)


def own_epochs(name: str) -> dict[str, int]:
    """Span id -> the epoch of four hours that its time falls in, numbered by the ground truth's own rule."""
    start = datetime.fromisoformat(truth_of(name)["start"])
    return {
        span.id: int((datetime.fromisoformat(span.time) - start).total_seconds() // (4 * 3600))
        for span in spans_of(name)
        if span.time is not None
    }


def recorded(name: str, lost: LostFact) -> dict[str, Any] | None:
    """The recorded fact that a lost one is: the same record and the same value."""
    for fact in truth_of(name)["facts"]:
        if fact["uuid"] == lost.span.split("#")[0] and str(fact["value"]) == lost.value:
            return dict(fact)
    return None


def lost_and_asked(name: str, report: ReplayReport) -> tuple[list[str], list[str]]:
    """Recorded facts that the ungated run lost, and those of them that the session asked for after they were lost."""
    epochs = own_epochs(name)
    worked = sorted(set(epochs.values()))  # hours without work are no epoch of a replay
    lost, asked = [], []
    for item in report.ungated.lost:
        fact = recorded(name, item)
        if fact is None:
            continue
        assert worked.index(epochs[item.span]) + 1 == item.epoch <= item.lost_in
        lost.append(f"{fact['key']} = {fact['value']}")
        if any(worked.index(ask["epoch"]) + 1 > item.lost_in for ask in fact["asked"]):
            asked.append(lost[-1])
    return lost, asked


@pytest.mark.parametrize("name", NAMES)
def test_epochs_of_four_hours_are_the_sessions_own(name: str) -> None:
    own = own_epochs(name)
    number = {epoch: place for place, epoch in enumerate(sorted(set(own.values())), start=1)}
    session = Session(spans_of(name), OWN)
    assert len(session.epochs) == len(number)
    assert {span.id: span.epoch for span in session.spans} == {span: number[epoch] for span, epoch in own.items()}


@pytest.mark.parametrize("name", NAMES)
def test_documents_runtime_loses_recorded_facts(name: str) -> None:
    report = replayed(name, "similarity", "rebuilt")
    lost, _ = lost_and_asked(name, report)
    assert lost
    # It kept its bound all the while, and the query log shows what is wrong: the index holds nothing that was evicted.
    assert all(epoch.aggregate <= 0.08 for epoch in report.ungated.epochs)
    assert report.ungated.epochs[-1].divergence == 1.0


def test_some_of_them_are_asked_for_afterwards() -> None:
    asked = {name: set(lost_and_asked(name, replayed(name, "similarity", "rebuilt"))[1]) for name in NAMES}
    assert "quarantine_run = qrn-71652598e1" in asked["incident-response"]
    assert "approval_id = apr-266bde" in asked["build"]
    # A structural term does not help where the index is rebuilt: then all three sessions go back for what is lost.
    assert all(lost_and_asked(name, replayed(name, "structural", "rebuilt"))[1] for name in NAMES)


@pytest.mark.parametrize(("compactor", "index", "hours"), [*((*one, 4) for one in RUNTIMES), (*RUNTIMES[1], None)])
@pytest.mark.parametrize("name", NAMES)
def test_gate_loses_none(name: str, compactor: str, index: str, hours: float | None) -> None:
    report = replayed(name, compactor, index, hours)
    assert report.gated is not None
    assert report.gated.lost == ()
    assert not any(ask.reach == "lost" for ask in report.gated.asked)
    assert all(epoch.lost == epoch.asked_lost == 0 for epoch in report.gated.epochs)


@pytest.mark.parametrize("name", NAMES)
def test_rebuilt_index_is_refused_and_every_span_can_be_had_again(name: str) -> None:
    report = replayed(name, "similarity", "rebuilt")
    assert report.gated is not None
    decided = [epoch for epoch in report.gated.epochs if epoch.decision is not None]
    assert decided and all({"index-source", "index-rebuilt"} <= set(epoch.rules) for epoch in decided)
    archive = {span.id: span for span in spans_of(name)}
    left = {span.id: span for span in report.gated.transcript}
    assert list(left) == list(archive), "nothing is compacted away, and nothing is out of order"
    pointers = [span for span in left.values() if span.kind == "pointer"]
    assert pointers
    for span in pointers:
        pointer = parse_pointer(span.text)
        assert pointer is not None
        original = archive[pointer.span]
        assert (span.id, text_digest(original.text), original.kind) == (pointer.span, pointer.sha256, pointer.kind)
        assert (span.tool_call_id, span.parents) == (original.tool_call_id, original.parents)
    assert all(span.text == archive[name].text for name, span in left.items() if span.kind != "pointer")


@pytest.mark.parametrize("name", NAMES)
def test_sound_runtime_compacts_less_with_the_gate_and_stays_healthy(name: str) -> None:
    report = replayed(name, "structural", "pre")
    assert report.gated is not None
    gated, ungated = report.gated.totals(), report.ungated.totals()
    assert 0 < gated["compacted_tokens"] < ungated["compacted_tokens"]
    assert gated["spilled"] > 0
    # Conditions 1 and 3 hold, so no epoch is refused for them, and of the queries one goes astray at most.
    rules = {rule for epoch in report.gated.epochs for rule in epoch.rules}
    assert not rules & {"epsilon-exceeded", "index-source", "index-rebuilt", "scoring-not-structural"}
    assert all(epoch.worst_chain is not None and epoch.worst_chain <= 0.08 for epoch in report.gated.epochs
               if epoch.decision is not None)  # fmt: skip
    last = report.gated.epochs[-1]
    assert last.queries >= 20
    assert last.divergence * last.queries <= 1 + 1e-9


def test_same_bytes_from_every_process(run: Runner) -> None:
    told = ("replay", "-p", "std/standard", "incident-response", "--index", "rebuilt", "--epoch-hours", "4", "--as-of",
            "2026-12-01", "--format", "json")  # fmt: skip
    here = run(*told).out
    for seed in ("1", "2"):
        found = subprocess.run(
            (sys.executable, "-m", "policylang", *told),
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            encoding="utf-8",
        )
        assert found.stdout == here
    report = replayed("incident-response", "similarity", "rebuilt")
    assert report.gated is not None
    assert json.loads(here)["gated"] == json.loads(json.dumps(report.gated.to_json()))
    assert json.loads(here)["ungated"]["totals"]["epochs"] == 10


@pytest.mark.parametrize(("compactor", "index"), RUNTIMES)
def test_two_runs_agree(compactor: str, index: str) -> None:
    options = ReplayOptions(OWN, compactor, index)  # type: ignore[arg-type]
    again = replay(load("std/standard"), spans_of("research"), options, name="research", as_of=DAY)
    assert json.dumps(again.to_json()) == json.dumps(replayed("research", compactor, index).to_json())
