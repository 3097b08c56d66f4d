"""The facts of a replay for a person: what would have been lost, who asked for it, and where the gate had it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from policylang.analysis.report import AskedFact, LostFact, ReplayReport, RunReport
from policylang.report.blocks import Block, Column, Heading, Line, Piece, Style, Table, Text, line
from policylang.report.width import number, shorten, visible

REACHED: Final[Mapping[str, str]] = {
    "live": "still stood in the transcript",
    "spilled": "one pointer away, byte for byte in the archive",
    "indexed": "compacted, and its probes bring it back from the index",
    "superseded": "retired by a later value",
    "lost": "OUT OF REACH with the gate as well",
}
SHOWN: Final = 12
"""Lost facts told one by one before the rest is counted."""


def facts_report(report: ReplayReport) -> Iterator[Block]:
    """What was needed and lost first, then what was merely lost."""
    yield from _needed(report)
    yield from _other_lost(report)


def _needed(report: ReplayReport) -> Iterator[Block]:
    """The facts that the session itself went back for and that a runtime without the gate could not have had."""
    asked = [fact for fact in report.ungated.asked if fact.reach == "lost"]
    title = "Facts that would have been lost, and were needed later"
    facts: dict[tuple[str, str], list[AskedFact]] = {}
    for fact in asked:
        facts.setdefault((fact.span, fact.fact), []).append(fact)
    often = f", needed {_times(len(asked))}" if len(asked) > len(facts) else ""
    yield Heading(line(Piece(title, "bad" if asked else "good"), f": {len(facts)}{often}"))
    if not asked:
        yield from _none_needed(report.ungated)
        if report.index == "pre":
            hint = "This index held the original text; `--index rebuilt` replays one made from what compaction left."
            yield Text(line(Piece(hint, "muted")), indent=2, hang=0)
        return
    answers = _answers(report.gated)
    for group in list(facts.values())[:SHOWN]:
        yield from _needed_fact(group, answers, report.gated)
    if len(facts) > SHOWN:
        yield Text(line(Piece(f"and {len(facts) - SHOWN} more facts; --format json has them all", "muted")), indent=2)


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
    asks: Sequence[AskedFact], answers: Mapping[tuple[str, str, str], str], gated: RunReport | None
) -> Iterator[Block]:
    """One fact, every later epoch that needed it, and where the gated run had it then."""
    first = asks[0]
    name = Piece(_fact(first.fact), "value")
    yield Text(line(Piece(f"epoch {first.established}  ", "strong"), name), indent=2, hang=4)
    for ask in asks:
        how = "asked for" if ask.how == "key" else "used"
        needed = Piece(f"→ epoch {ask.epoch} ", "warn")
        yield Text(line(needed, Piece(f"{how}: ", "muted"), f"“{shorten(visible(ask.query), 70)}”"), indent=6)
        if gated is not None:
            reach = answers.get((ask.by, ask.span, ask.key), "live")
            style: Style = "bad" if reach == "lost" else "good"
            yield Text(line(Piece("with the gate: ", "muted"), Piece(REACHED[reach], style)), indent=10)
    yield Text(line(Piece(f"established by span {visible(first.span)}", "muted")), indent=6)


def _answers(gated: RunReport | None) -> dict[tuple[str, str, str], str]:
    """Where the gated run had each needed fact; one that is not listed never left the transcript."""
    if gated is None:
        return {}
    return {(fact.by, fact.span, fact.key): fact.reach for fact in gated.asked}


def _other_lost(report: ReplayReport) -> Iterator[Block]:
    needed = {(fact.span, fact.fact) for fact in report.ungated.asked if fact.reach == "lost"}
    found = [fact for fact in report.ungated.lost if (fact.span, fact.fact) not in needed]
    # The worst first: what the transcript gets wrong, then what it names, then what it forgot.
    others = sorted(
        found, key=lambda fact: list(_STATUS).index(fact.status) if fact.status in _STATUS else len(_STATUS)
    )
    if not others:
        return
    title = "Out of reach at the end without the gate, and not asked for in this session"
    yield Heading(line(title, f": {number(len(others))}"))
    saved = _saved(others, report.gated)
    # One fact that several spans state is one row, with how many they are.
    rows: dict[tuple[int, int, str, str], list[LostFact]] = {}
    for fact in others:
        rows.setdefault((fact.epoch, fact.lost_in, fact.status, fact.fact), []).append(fact)
    shown = list(rows.values())[:SHOWN]
    yield Table(_LOST_COLUMNS, tuple(_lost_row(alike[0], len(alike)) for alike in shown), indent=2)
    more = len(others) - sum(map(len, shown))
    if more:
        yield Text(line(Piece(f"and {number(more)} more; --format json has them all", "muted")), indent=2)
    if saved is not None:
        yield Text(line(Piece("with the gate: ", "muted"), saved), indent=2)


_LOST_COLUMNS: Final = (
    Column("epoch", right=True), Column("lost in", right=True), Column("the transcript"), Column("fact", grows=True)
)  # fmt: skip
_STATUS: Final[Mapping[str, str]] = {
    "contradicted": "says otherwise",
    "referenced": "only names it",
    "absent": "is silent",
}


def _lost_row(fact: LostFact, times: int) -> tuple[Line, ...]:
    style: Style = "bad" if fact.status == "contradicted" else "plain"
    return (
        line(str(fact.epoch)),
        line(str(fact.lost_in)),
        line(Piece(_STATUS[fact.status], style)),
        line(Piece(_fact(fact.fact), "value"), Piece(f"  ({times} spans)" if times > 1 else "", "muted")),
    )


def _saved(facts: Sequence[LostFact], gated: RunReport | None) -> Piece | None:
    """Where the gated run has these facts at its end."""
    if gated is None:
        return None
    lost = {(fact.span, fact.fact) for fact in gated.lost}
    kinds = {span.id: span.kind for span in gated.transcript}
    counts = Counter(
        "out of reach" if (fact.span, fact.fact) in lost else _whereabouts(kinds.get(fact.span)) for fact in facts
    )
    parts = ", ".join(f"{number(counts[name])} {name}" for name in _WHERE if counts[name])
    return Piece(parts, "warn" if counts["out of reach"] else "good")


_WHERE: Final = (
    "still in the transcript",
    "behind a pointer, byte for byte in the archive",
    "restated, or verified in the index",
    "out of reach",
)


def _whereabouts(kind: str | None) -> str:
    """Where a fact is whose span stands at the end as this kind, or no longer."""
    if kind is None:
        return _WHERE[2]
    return _WHERE[1] if kind == "pointer" else _WHERE[0]


def _fact(text: str) -> str:
    return shorten(visible(text), 80)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
