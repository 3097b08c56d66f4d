"""A replay for a person: what each epoch came to, what would have been lost, and what the gate did about it.

The words come from the report alone: where nothing was lost, it says so and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from policylang.analysis.report import AskedFact, EpochReport, LostFact, ReplayReport, RunReport
from policylang.report.blocks import Banner, Block, Column, Heading, Line, Piece, Style, Table, Text, line
from policylang.report.width import shorten, visible

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

REACHED: Final[Mapping[str, str]] = {
    "live": "still stood in the transcript",
    "spilled": "one pointer away, byte for byte in the archive",
    "indexed": "compacted, and its probes bring it back from the index",
    "superseded": "retired by a later value",
    "lost": "OUT OF REACH with the gate as well",
}
SHOWN: Final = 12
"""Lost facts told one by one before the rest is counted."""


def replay_report(report: ReplayReport) -> Iterator[Block]:
    """The whole report."""
    yield _banner(report)
    yield from _epochs(report)
    yield from _totals(report)
    yield from _needed(report)
    yield from _other_lost(report)


def _banner(report: ReplayReport) -> Banner:
    enforced = report.enforced
    last = len(enforced.epochs)
    session = line(
        Piece(visible(report.session), "strong"),
        f": {_n(report.spans)} spans, {_n(report.tokens)} tokens, {_n(report.facts)} facts established",
    )
    policy = line(
        "policy ",
        Piece(visible(report.policy), "strong"),
        f" as of {report.as_of}",
    )
    runtime = line(f"compactor {report.compactor}; index {_index(report.index)}")
    lost = report.ungated.lost
    if report.gated is None:
        says = line(Piece(f"verdicts ignored: {len(lost)} facts out of reach at the end", "bad" if lost else "good"))
        return Banner(f"REPLAY OF {last} EPOCHS", "info", (session, policy, runtime, says))
    kept = report.gated.lost
    with_gate = Piece(f"with the gate {_n(len(kept))}", "bad" if kept else "good")
    without = Piece(f"{_n(len(lost))} without the gate", "bad" if lost else "good")
    return Banner(
        f"REPLAY OF {last} EPOCHS", "info", (session, policy, line("facts out of reach: ", without, ", ", with_gate))
    )


def _index(mode: str) -> str:
    return "over the original text" if mode == "pre" else "rebuilt after every compaction"


# --- epochs ------------------------------------------------------------------------------------------------------


def _epochs(report: ReplayReport) -> Iterator[Block]:
    run = report.enforced
    yield Heading(line("Epoch by epoch, with the gate" if run.mode == "gated" else "Epoch by epoch, verdicts ignored"))
    columns = (
        Column("epoch", right=True),
        Column("spans", right=True),
        Column("tokens", right=True),
        Column("evict", right=True),
        Column("anchors", right=True),
        Column("ε epoch", right=True),
        Column("ε chain", right=True),
        Column("decision"),
        Column("refused by", grows=True),
        Column("compact", right=True),
        Column("spill", right=True),
    )
    always = _always(run.epochs)
    yield Table(columns, tuple(_epoch_row(epoch, always) for epoch in run.epochs), boxed=True)
    if always:
        every = ", ".join(f"{_short(rule, ())}" for rule in always)
        yield Text(line("refused in every epoch by ", Piece(visible(every), "bad")), indent=2)
    text = (
        "ε epoch: the loss that the compactor itself bounds, over the whole epoch. ε chain: the largest of one causal "
        "chain. compact, spill: tokens."
    )
    yield Text(line(Piece(text, "muted")), indent=2, hang=0)


def _always(epochs: Sequence[EpochReport]) -> tuple[str, ...]:
    """Rules that refused every epoch that was decided: told once, they leave room for what differs."""
    decided = [epoch for epoch in epochs if epoch.decision is not None]
    if len(decided) < 3:
        return ()
    return tuple(rule for rule in decided[0].rules if all(rule in epoch.rules for epoch in decided))


def _epoch_row(epoch: EpochReport, always: Sequence[str]) -> tuple[Line, ...]:
    return (
        line(str(epoch.epoch)),
        line(_n(epoch.spans)),
        line(_n(epoch.tokens)),
        line(_n(epoch.proposed)),
        line(Piece(_n(epoch.anchors), "warn" if epoch.anchors else "muted")),
        line(_percent(epoch.aggregate)),
        line(Piece(_percent(epoch.worst_chain), _chain_style(epoch))),
        line(_decision(epoch)),
        line(visible(", ".join(_short(rule, epoch.undetermined) for rule in epoch.rules if rule not in always))),
        line(Piece(_n(epoch.compacted_tokens), "plain" if epoch.compacted_tokens else "muted")),
        line(Piece(_n(epoch.spilled_tokens), "plain" if epoch.spilled_tokens else "muted")),
    )


def _chain_style(epoch: EpochReport) -> Style:
    return "warn" if "epsilon-exceeded" in epoch.rules else "plain"


def _decision(epoch: EpochReport) -> Piece:
    match epoch.decision:
        case "compact":
            return Piece("compact", "good")
        case "spill_lossless":
            return Piece("spill", "bad")
        case _:
            return Piece("nothing to evict" if not epoch.proposed else "not asked", "muted")


def _short(rule: str, undetermined: Sequence[str]) -> str:
    return SHORT.get(rule, rule) + ("?" if rule in undetermined else "")


# --- totals ------------------------------------------------------------------------------------------------------


def _totals(report: ReplayReport) -> Iterator[Block]:
    runs = [run for run in (report.ungated, report.gated) if run is not None]
    yield Heading(line("All told"))
    titles = {"ungated": "without the gate", "gated": "with the gate"}
    columns = (Column(""), *(Column(titles[run.mode], right=True) for run in runs))
    yield Table(columns, tuple(_total_rows(runs, report)), boxed=True)


def _total_rows(runs: Sequence[RunReport], report: ReplayReport) -> Iterator[tuple[Line, ...]]:
    totals = [run.totals() for run in runs]

    def row(title: str, name: str, unit: str = "") -> tuple[Line, ...]:
        return (line(title), *(line(_n(total[name]), Piece(unit, "muted")) for total in totals))

    if report.gated is not None:
        refused = [Piece("-", "muted"), Piece(f"{report.gated.refused} of {len(report.gated.epochs)}")]
        yield (line("epochs refused"), *(line(piece) for piece in refused))
    yield row("compacted away, lossily", "compacted_tokens", " tokens")
    yield row("spilled to the archive", "spilled_tokens", " tokens")
    yield row("transcript at the end", "final_tokens", " tokens")
    yield (line("facts out of reach at the end"), *(_bad(total["lost"]) for total in totals))
    yield (
        line("needed later and out of reach"),
        *(_bad(total["asked_lost"], f" of {_n(total['asked'])} away") for total in totals),
    )


def _bad(number: int, rest: str = "") -> Line:
    return line(Piece(_n(number), "bad" if number else "good"), Piece(rest, "muted"))


# --- facts -------------------------------------------------------------------------------------------------------


def _needed(report: ReplayReport) -> Iterator[Block]:
    """The facts that the session itself went back for and that a runtime without the gate could not have had."""
    asked = [fact for fact in report.ungated.asked if fact.reach == "lost"]
    title = "Facts that would have been lost, and were needed later"
    yield Heading(line(Piece(title, "bad" if asked else "good"), f": {len(asked)}"))
    if not asked:
        yield from _none_needed(report.ungated)
        return
    answers = _answers(report.gated)
    for fact in asked[:SHOWN]:
        yield from _needed_fact(fact, answers, report.gated)
    if len(asked) > SHOWN:
        yield Text(line(Piece(f"and {len(asked) - SHOWN} more; --format json has them all", "muted")), indent=2)


def _none_needed(run: RunReport) -> Iterator[Block]:
    counts = Counter[str](fact.reach for fact in run.asked)
    if not run.asked:
        yield Text(line("The session never went back for a fact whose span was gone."), indent=2)
        return
    parts = ", ".join(f"{counts[reach]} {_REACH_WORD[reach]}" for reach in _REACH_WORD if counts[reach])
    text = f"It went back {_times(len(run.asked))} for facts whose span was gone, and all could be had: {parts}."
    yield Text(line(text), indent=2, hang=0)


_REACH_WORD: Final[Mapping[str, str]] = {
    "live": "restated in the transcript",
    "spilled": "behind a pointer",
    "indexed": "through the index",
    "superseded": "retired by a later value",
}


def _needed_fact(
    fact: AskedFact, answers: Mapping[tuple[str, str, str], str], gated: RunReport | None
) -> Iterator[Block]:
    yield Text(
        line(
            Piece(f"epoch {fact.established} → {fact.epoch}", "strong"),
            "  ",
            Piece(_fact(fact.fact), "value"),
            Piece(f"  span {_span(fact.span)}", "muted"),
        ),
        indent=2,
        hang=4,
    )
    how = "asked" if fact.how == "key" else "used "
    yield Text(line(Piece(f"{how}  ", "muted"), f"“{shorten(visible(fact.query), 80)}”"), indent=6)
    if gated is not None:
        reach = answers.get((fact.by, fact.span, fact.key), "live")
        yield Text(
            line(Piece("gate   ", "muted"), Piece(REACHED[reach], "bad" if reach == "lost" else "good")), indent=6
        )


def _answers(gated: RunReport | None) -> dict[tuple[str, str, str], str]:
    """Where the gated run had each needed fact; one that is not listed never left the transcript."""
    if gated is None:
        return {}
    return {(fact.by, fact.span, fact.key): fact.reach for fact in gated.asked}


def _other_lost(report: ReplayReport) -> Iterator[Block]:
    needed = {(fact.span, fact.fact) for fact in report.ungated.asked if fact.reach == "lost"}
    others = [fact for fact in report.ungated.lost if (fact.span, fact.fact) not in needed]
    if not others:
        return
    title = "Out of reach at the end without the gate, and not asked for in this session"
    yield Heading(line(title, f": {_n(len(others))}"))
    saved = _saved(others, report.gated)
    yield Table(_LOST_COLUMNS, tuple(_lost_row(fact) for fact in others[:SHOWN]), indent=2)
    if len(others) > SHOWN:
        yield Text(line(Piece(f"and {len(others) - SHOWN} more; --format json has them all", "muted")), indent=2)
    if saved is not None:
        yield Text(line(Piece("gate   ", "muted"), saved), indent=2)


_LOST_COLUMNS: Final = (
    Column("epoch", right=True), Column("lost in", right=True), Column("the transcript"), Column("fact", grows=True)
)  # fmt: skip
_STATUS: Final[Mapping[str, str]] = {
    "contradicted": "says otherwise",
    "referenced": "only names it",
    "absent": "is silent",
}


def _lost_row(fact: LostFact) -> tuple[Line, ...]:
    style: Style = "bad" if fact.status == "contradicted" else "plain"
    return (
        line(str(fact.epoch)),
        line(str(fact.lost_in)),
        line(Piece(_STATUS.get(fact.status, fact.status), style)),
        line(Piece(_fact(fact.fact), "value")),
    )


def _saved(facts: Sequence[LostFact], gated: RunReport | None) -> Piece | None:
    if gated is None:
        return None
    lost = {(fact.span, fact.fact) for fact in gated.lost}
    also = sum((fact.span, fact.fact) in lost for fact in facts)
    if also:
        return Piece(f"kept {_n(len(facts) - also)} of them within reach, {_n(also)} not", "warn")
    return Piece("kept every one of them in the transcript, behind a pointer, or verified in the index", "good")


# --- words -------------------------------------------------------------------------------------------------------


def _fact(text: str) -> str:
    return shorten(visible(text), 60)


def _span(name: str) -> str:
    """A span's id, short where it is a runtime's long one."""
    return visible(name if len(name) <= 16 else f"{name[:8]}…{name[-3:]}")


def _n(number: int | None) -> str:
    return "-" if number is None else f"{number:,}".replace(",", " ")


def _percent(value: float | None) -> str:
    return "?" if value is None else f"{value * 100:.1f} %"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
