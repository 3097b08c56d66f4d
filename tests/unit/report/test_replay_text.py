"""A replay's report for a person says what its figures say, and no more."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest

from policylang.analysis.report import AskedFact, EpochReport, LostFact, ReplayReport, RunReport
from policylang.report.blocks import Table, words
from policylang.report.plain import to_text
from policylang.report.replay_text import replay_report
from policylang.report.terminal import console, show
from policylang.report.width import text_width
from policylang.transcript.span import Span

TICKET = AskedFact(9, "q1", "which ticket?", "key", "deploy_ticket = CHG-766D", "deploy_ticket", "o1", 2, "lost")
USED = replace(TICKET, epoch=10, by="t9", query="CHG-766D", how="value")
LOST = LostFact("deploy_ticket = CHG-766D", "deploy_ticket", "CHG-766D", "o1", 2, 4, "referenced")
QUIET = LostFact("queue_depth = 42", "queue_depth", "42", "o2", 3, 4, "contradicted")


def epoch(number: int, decision: str | None, *rules: str, **more: Any) -> EpochReport:
    base: dict[str, Any] = {
        "epoch": number, "spans": 48, "tokens": 12549, "proposed": 10, "proposed_tokens": 2218, "anchors": 3,
        "decision": decision, "rules": rules, "undetermined": (), "compacted": 0, "compacted_tokens": 0, "spilled": 2,
        "spilled_tokens": 1158, "kept": 8, "after_tokens": 11043, "aggregate": 0.055, "worst_chain": 0.777,
    }  # fmt: skip
    return EpochReport(**{**base, **more})


def gated_run(
    *epochs: EpochReport, asked: tuple[AskedFact, ...] = (), lost: tuple[LostFact, ...] = (), kind: str = "tool_result"
) -> RunReport:
    """A gated run at whose end `o2` stands as a span of this kind, and `o1` no longer."""
    return RunReport("gated", epochs, lost, asked, (Span("o2", kind, "queue_depth = 42", 3),))


def ungated_run(*asked: AskedFact, lost: tuple[LostFact, ...] = ()) -> RunReport:
    return RunReport("ungated", (epoch(1, None), epoch(2, None)), lost, asked, ())


EPOCHS = (
    epoch(1, None, proposed=0, anchors=None, worst_chain=None),
    epoch(2, "compact", compacted_tokens=900, spilled_tokens=0),
    epoch(3, "spill_lossless", "epsilon-exceeded", "my-own-rule", undetermined=("my-own-rule",)),
)


def report(**more: Any) -> ReplayReport:
    base: dict[str, Any] = {
        "session": "s.jsonl", "format": "spans", "policy": "std/standard 1.0.0", "digest": "sha256:" + "0" * 64,
        "as_of": "2026-12-01", "compactor": "similarity", "index": "rebuilt", "spans": 459, "tokens": 23541,
        "facts": 813, "gated": gated_run(*EPOCHS), "ungated": ungated_run(TICKET, USED, lost=(LOST, QUIET)),
    }  # fmt: skip
    return ReplayReport(**{**base, **more})


def lines(found: ReplayReport) -> list[str]:
    return to_text(replay_report(found)).splitlines()


def test_the_head_says_what_was_replayed_and_what_it_came_to() -> None:
    assert lines(report())[:5] == [
        "REPLAY OF 3 EPOCHS",
        "  s.jsonl: 459 spans, 23 541 tokens, 813 facts established",
        "  policy std/standard 1.0.0 as of 2026-12-01",
        "  compactor similarity; index rebuilt after every compaction",
        "  facts out of reach at the end: 2 without the gate, 0 with it",
    ]


def test_epochs_with_their_decisions_and_the_short_names_of_rules() -> None:
    text = lines(report())
    rows = {row.split()[0]: row for row in text[: text.index("All told")] if row.startswith("    ")}
    assert rows["1"].split() == ["1", "48", "12", "549", "0", "-", "5.5", "%", "-", "-", "0", "1", "158"]
    assert rows["2"].split() == ["2", "48", "12", "549", "10", "3", "5.5", "%", "77.7", "%", "compact", "900", "0"]
    assert "spill     ε, my-own-rule?" in rows["3"]


def test_a_rule_of_every_refusal_is_told_once() -> None:
    epochs = (epoch(number, "spill_lossless", "index-source", "gain-too-small") for number in (1, 2, 3))
    text = to_text(replay_report(report(gated=gated_run(*epochs))))
    told = text.split("rules: ")[0]
    assert told.count("source") == told.count("gain") == 1


@pytest.mark.parametrize(
    ("reach", "says"),
    [
        ("spilled", "one pointer away, byte for byte in the archive"),
        ("indexed", "compacted, and its probes bring it back from the index"),
        ("lost", "OUT OF REACH with the gate as well"),
    ],
)
def test_a_lost_fact_is_told_once_with_all_that_needed_it_and_where_the_gate_had_it(reach: Any, says: str) -> None:
    text = to_text(replay_report(report(gated=gated_run(*EPOCHS, asked=(replace(TICKET, reach=reach),)))))
    assert text.count("deploy_ticket = CHG-766D") == 1
    assert "Facts that would have been lost, and were needed later: 1, needed 2 times" in text
    assert "→ epoch 9 asked for: “which ticket?”" in text
    assert "→ epoch 10 used: “CHG-766D”" in text
    assert text.count(says) == 1
    # The other need is not in the gated run's list: its span was still there.
    assert "still stood in the transcript" in text


def test_what_nobody_asked_for_is_listed_apart() -> None:
    text = to_text(replay_report(report()))
    assert "not asked for in this session: 1\n" in text
    assert "says otherwise  queue_depth = 42" in text
    assert "with the gate: 1 still in the transcript" in text


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"kind": "pointer"}, "with the gate: 1 behind a pointer, byte for byte in the archive"),
        ({"lost": (QUIET,)}, "with the gate: 1 out of reach"),
    ],
)
def test_where_the_gate_has_what_nobody_asked_for(more: Any, says: str) -> None:
    assert says in to_text(replay_report(report(gated=gated_run(*EPOCHS, **more))))


def test_where_nothing_was_lost_it_says_so_and_why() -> None:
    ungated = ungated_run(replace(TICKET, reach="indexed"), replace(USED, reach="live"))
    text = to_text(replay_report(report(ungated=ungated)))
    assert "needed later: 0" in text
    assert "went back 2 times" in text
    assert "1 restated in the transcript, 1 through the index." in " ".join(text.split())
    none = to_text(replay_report(report(ungated=ungated_run())))
    assert "never went back for a fact whose span was gone" in none


def test_verdicts_that_were_ignored_are_called_so() -> None:
    text = to_text(replay_report(report(gated=None)))
    assert "verdicts ignored: 2 facts out of reach at the end" in text
    assert "with the gate" not in text.replace("without the gate", "")


def test_it_fits_a_hundred_columns_on_a_terminal() -> None:
    stream = io.StringIO()
    show(replay_report(report()), console(stream, colour=False, width=100))
    assert all(len(row) <= 100 + row.count("\x1b") * 4 for row in stream.getvalue().splitlines())


def test_a_session_cannot_steer_the_terminal() -> None:
    evil = replace(TICKET, query="\x1b]0;owned\x07", fact="key = \x1b[2J")
    assert "\x1b" not in to_text(replay_report(report(ungated=ungated_run(evil), session="\x1b[31m")))


@pytest.mark.parametrize("width", [40, 60, 80, 90, 100, 120])
@pytest.mark.parametrize("on_terminal", [False, True])
def test_no_figure_and_no_header_is_cut_on_a_narrow_screen(width: int, on_terminal: bool) -> None:
    rules = ("epsilon-exceeded", "anchor-contradicted", "dangling-reference", "acme/no-secrets")
    found = report(gated=gated_run(*EPOCHS, epoch(4, "spill_lossless", *rules, compacted_tokens=1008)))
    blocks = list(replay_report(found))
    stream = io.StringIO()
    if on_terminal:
        show(blocks, console(stream, colour=False, width=width))
    text = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()) if on_terminal else to_text(blocks, width)
    table = next(block for block in blocks if isinstance(block, Table))
    told = text[text.index("Epoch by epoch") : text.index("All told")]
    head = next(row for row in told.splitlines() if row.split()[:1] == ["epoch"])
    dropped = told.split("no room here for: ")[1].split(" (")[0] if "no room here" in told else ""
    left_out = {name.strip() for name in " ".join(dropped.split()).split(",")} - {""}
    folded = "epoch 4 refused by:" in told
    assert [column.title for column in table.columns if column.title in head] == [
        column.title
        for column in table.columns
        if column.title not in left_out and not (folded and column.title == "refused by")
    ]
    assert {"epoch", "decision", "compact", "spill"} & left_out == set()
    for row in table.rows:
        cells = [words(cell) for cell, column in zip(row, table.columns, strict=True) if column.title in head]
        figures = [cell for cell in cells if cell and cell != words(row[8])]
        shown = [line for line in told.splitlines() if line.split()[:1] == [cells[0]] or line.strip() == cells[0]]
        assert any(all(cell in line for cell in figures) for line in shown), (figures, shown)
    for short in ("ε", "contradicted", "dangling", "acme/no-secrets", "my-own-rule?"):
        assert short in told
    if width >= 60:
        assert all(text_width(row) <= width for row in told.splitlines())
    assert left_out >= {40: {"ε epoch", "tokens", "spans"}, 60: {"ε epoch", "tokens", "spans"}, 80: {"ε epoch"}}.get(
        width, set()
    )
    assert bool(left_out) is (width < 100) or (width == 100 and on_terminal)
    assert "1 008" in told


def test_short_names_are_told_with_the_rules_they_stand_for() -> None:
    text = " ".join(to_text(replay_report(report())).split())
    assert "rules: ε = epsilon-exceeded; ? = for want of evidence." in text
    assert "dangling-reference" not in text


def test_one_fact_of_several_spans_is_one_row_with_its_count() -> None:
    again = replace(QUIET, span="o3")
    text = to_text(replay_report(report(ungated=ungated_run(TICKET, USED, lost=(QUIET, again)))))
    assert text.count("queue_depth = 42") == 1
    assert "queue_depth = 42  (2 spans)" in text
    assert "not asked for in this session: 2\n" in text


@pytest.mark.parametrize(("compactor", "over"), [("similarity", "epoch"), ("structural", "causal chain")])
def test_the_bound_of_the_compactor_is_said_to_be_its_own(compactor: str, over: str) -> None:
    text = " ".join(to_text(replay_report(report(compactor=compactor, epsilon=0.08))).split())
    assert f"compactor {compactor} (its own ε 8.0 % of each {over})" in text
