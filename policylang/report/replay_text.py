"""A replay for a person: what each epoch came to, what would have been lost, and what the gate did about it.

The words come from the report alone: where nothing was lost, it says so and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from policylang.analysis.report import EpochReport, ReplayReport, RunReport
from policylang.report.blocks import Banner, Block, Column, Heading, Line, Piece, Style, Table, Text, line
from policylang.report.replay_facts import facts_report
from policylang.report.width import number, visible

SHORT: Final[Mapping[str, str]] = {
    "anchor-unverified": "unverified",
    "anchor-contradicted": "contradicted",
    "dangling-reference": "dangling",
    "epsilon-exceeded": "ε",
    "index-source": "source",
    "index-rebuilt": "rebuilt",
    "scoring-not-structural": "scoring",
    "queries-not-logged": "unlogged",
    "divergence-exceeded": "divergence",
    "pair-split": "pair",
    "call-open": "open call",
    "instruction-evicted": "instruction",
    "claim-unsupported": "claim",
    "span-unaccounted": "unaccounted",
    "gain-too-small": "gain",
}
"""Short names of the built-in rules, for a table's cell; a policy's own rules keep their ids."""


def replay_report(report: ReplayReport) -> Iterator[Block]:
    """The whole report."""
    yield _banner(report)
    yield from _epochs(report)
    yield from _totals(report)
    yield from facts_report(report)


def _banner(report: ReplayReport) -> Banner:
    enforced = report.enforced
    last = len(enforced.epochs)
    session = line(
        Piece(visible(report.session), "strong"),
        f": {number(report.spans)} spans, {number(report.tokens)} tokens, {number(report.facts)} facts established",
    )
    policy = line(
        "policy ",
        Piece(visible(report.policy), "strong"),
        f" as of {report.as_of}",
    )
    runtime = line(f"compactor {report.compactor}{_own(report)}; index {_index(report.index)}")
    lost = report.ungated.lost
    if report.gated is None:
        says = line(Piece(f"verdicts ignored: {len(lost)} facts out of reach at the end", "bad" if lost else "good"))
        return Banner(f"REPLAY OF {last} EPOCHS", "info", (session, policy, runtime, says))
    kept = report.gated.lost
    without = Piece(f"{number(len(lost))} without the gate", "bad" if lost else "good")
    with_gate = Piece(f"{number(len(kept))} with it", "bad" if kept else "good")
    says = line("facts out of reach at the end: ", without, ", ", with_gate)
    return Banner(f"REPLAY OF {last} EPOCHS", "info", (session, policy, runtime, says))


def _own(report: ReplayReport) -> str:
    """The compactor's own bound: not the policy's budget, which the gate holds it to."""
    if report.epsilon is None:
        return ""
    over = "epoch" if report.compactor == "similarity" else "causal chain"
    return f" (its own ε {_percent(report.epsilon)} of each {over})"


def _index(mode: str) -> str:
    return "over the original text" if mode == "pre" else "rebuilt after every compaction"


# --- epochs ------------------------------------------------------------------------------------------------------


def _epochs(report: ReplayReport) -> Iterator[Block]:
    run = report.enforced
    yield Heading(line("Epoch by epoch, with the gate" if run.mode == "gated" else "Epoch by epoch, verdicts ignored"))
    columns = (
        Column("epoch", right=True),
        Column("spans", right=True, drop=3),
        Column("tokens", right=True, drop=2),
        Column("evict", right=True, drop=6),
        Column("anchors", right=True, drop=5),
        Column("ε epoch", right=True, drop=1),
        Column("ε chain", right=True, drop=7),
        Column("decision"),
        Column("refused by", grows=True, drop=4),
        Column("compact", right=True),
        Column("spill", right=True),
    )
    always = _always(run.epochs)
    yield Table(columns, tuple(_epoch_row(epoch, always) for epoch in run.epochs), boxed=True)
    if always:
        every = ", ".join(f"{_short(rule, ())}" for rule in always)
        yield Text(line("every refusal also by ", Piece(visible(every), "bad")), indent=2)
    yield from _legend(run.epochs)
    text = (
        "ε epoch: the loss over the whole epoch, all that a similarity compactor bounds. ε chain: the largest of one "
        "causal chain. compact, spill: tokens. spill part: refused, and the salvage compacts the rest. No decision: "
        "nothing to evict."
    )
    yield Text(line(Piece(text, "muted")), indent=2, hang=0)


def _legend(epochs: Sequence[EpochReport]) -> Iterator[Block]:
    """What the short names in the table stand for, of those that are in it."""
    found = sorted({rule for epoch in epochs for rule in epoch.rules if rule in SHORT})
    if found:
        pairs = ", ".join(f"{SHORT[rule]} = {rule}" for rule in found)
        unsure = "; ? = for want of evidence" if any(epoch.undetermined for epoch in epochs) else ""
        yield Text(line(Piece(f"rules: {pairs}{unsure}.", "muted")), indent=2, hang=0)


def _always(epochs: Sequence[EpochReport]) -> tuple[str, ...]:
    """Rules that refused every epoch that was decided: told once, they leave room for what differs."""
    decided = [epoch for epoch in epochs if epoch.decision is not None]
    if len(decided) < 3:
        return ()
    return tuple(rule for rule in decided[0].rules if all(rule in epoch.rules for epoch in decided))


def _epoch_row(epoch: EpochReport, always: Sequence[str]) -> tuple[Line, ...]:
    return (
        line(str(epoch.epoch)),
        line(number(epoch.spans)),
        line(number(epoch.tokens)),
        line(number(epoch.proposed)),
        line(Piece(number(epoch.anchors), "warn" if epoch.anchors else "muted")),
        line(_percent(epoch.aggregate)),
        line(Piece(_percent(epoch.worst_chain) if epoch.decision else "-", _chain_style(epoch))),
        line(_decision(epoch)),
        line(visible(", ".join(_short(rule, epoch.undetermined) for rule in epoch.rules if rule not in always))),
        line(Piece(number(epoch.compacted_tokens), "plain" if epoch.compacted_tokens else "muted")),
        line(Piece(number(epoch.spilled_tokens), "plain" if epoch.spilled_tokens else "muted")),
    )


def _chain_style(epoch: EpochReport) -> Style:
    return "warn" if "epsilon-exceeded" in epoch.rules else "plain"


def _decision(epoch: EpochReport) -> Piece:
    match epoch.decision:
        case "compact":
            return Piece("compact", "good")
        case "spill_lossless":
            # A refused epoch may still compact what the salvage leaves.
            return Piece("spill part", "warn") if epoch.compacted_tokens else Piece("spill", "bad")
        case _:
            return Piece("-", "muted")


def _short(rule: str, undetermined: Sequence[str]) -> str:
    return SHORT.get(rule, rule) + ("?" if rule in undetermined else "")


# --- totals ------------------------------------------------------------------------------------------------------


def _totals(report: ReplayReport) -> Iterator[Block]:
    runs = [run for run in (report.ungated, report.gated) if run is not None]
    yield Heading(line("All told"))
    titles = {"ungated": "without the gate", "gated": "with the gate"}
    columns = (Column("", grows=True), *(Column(titles[run.mode], right=True) for run in runs))
    yield Table(columns, tuple(_total_rows(runs, report)), boxed=True)


def _total_rows(runs: Sequence[RunReport], report: ReplayReport) -> Iterator[tuple[Line, ...]]:
    totals = [run.totals() for run in runs]

    def row(title: str, name: str, unit: str = "") -> tuple[Line, ...]:
        return (line(title), *(line(number(total[name]), Piece(unit, "muted")) for total in totals))

    if report.gated is not None:
        refused = [Piece("-", "muted"), Piece(f"{report.gated.refused} of {len(report.gated.epochs)}")]
        yield (line("epochs refused"), *(line(piece) for piece in refused))
    yield row("compacted away, lossily", "compacted_tokens", " tokens")
    yield row("spilled to the archive", "spilled_tokens", " tokens")
    yield row("transcript at the end", "final_tokens", " tokens")
    yield (line("facts out of reach at the end"), *(_bad(total["lost"]) for total in totals))
    yield row("facts needed after their span had gone", "asked")
    yield (line("  of them out of reach"), *(_bad(total["asked_lost"]) for total in totals))


def _bad(count: int) -> Line:
    return line(Piece(number(count), "bad" if count else "good"))


def _percent(value: float | None) -> str:
    return "?" if value is None else f"{value * 100:.1f} %"
