"""Representation on real sessions: how often each status is said, and how often it is right.

Run from the project's root: ``python -m benchmarks.representation [--half HALF]`` prints the rates,
``--sheet 60 --status restated --out FILE`` writes a rating sheet (it quotes the sessions, so keep it out of the
project), ``--score`` compares what is said now with the hand judgements of ``tests/evidence_labels/representation``
(see GUIDE.md there).

Each session is compacted in two ways. `tail`: the oldest 60 % of its spans are evicted and one extractive summary of at
most 300 tokens, the longest sentences of the evicted reasoning, is put in. `state`: only the state spans among them
are evicted, all that was said stays; that is the document's failure, and has most restatements and references.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import policylang
from benchmarks.evidence import wilson
from policylang.analysis.compactor import TALK, sentences_of
from policylang.evidence.session import Session
from policylang.evidence.world import build_world
from policylang.rules_ir.facts import SpanFacts
from policylang.transcript.importers import open_transcript
from policylang.transcript.request import Request
from policylang.transcript.span import Span
from policylang.transcript.vocabulary import KNOWN_KINDS, REPRESENTATIONS

ROOT: Final = Path(__file__).resolve().parents[1]
TRANSCRIPTS: Final = ROOT.parent / "shared" / "transcripts"
LABELS: Final = ROOT / "tests" / "evidence_labels" / "representation"
HALVES: Final[dict[str, tuple[str, ...]]] = {
    "dev": (
        "claude-code/rust-port.jsonl",
        "claude-code/bhavana.jsonl",
        "claude-code/coverage-fix.jsonl",
        "openai-chat/litellm-claude-sonnet-4.json",
        "openai-chat/fncall-messages.json",
        "anthropic/cline-session.messages.json",
        "swe-agent/marshmallow-1867-default.traj",
        "swe-agent/marshmallow-1867-fc.traj",
        "swe-agent/ctf-katy.traj",
        "examples/sessions/build.jsonl",
        "examples/sessions/incident-response.jsonl",
        "examples/sessions/research.jsonl",
    ),
    "heldout": (
        "claude-code/tokenforge.jsonl",
        "claude-code/bastion.jsonl",
        "claude-code/soulpass.jsonl",
        "openai-chat/invariant-sample.jsonl",
        "openai-chat/litellm-deepseek-nonfncall.json",
        "anthropic/transcripts-sample-session.json",
        "swe-agent/pydicom-1458.traj",
        "swe-agent/ctf-i-got-id.traj",
        "swe-agent/marshmallow-1867-fc-replace-source.traj",
        "mini-swe-agent/astropy-12907.traj.json",
        "mini-swe-agent/django-11049.traj.json",
        "mini-swe-agent/django-14730.traj.json",
    ),
    "dialogue": tuple(
        f"tau-bench/gpt-4o-airline-longest-30.json#{task}" for task in (0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15)
    ),
}
"""Sessions by half. `dialogue` is held out too: talks at an airline's desk; extraction was tuned on its file."""
SETUPS: Final = ("tail", "state")
OLDEST: Final = 0.6
EPOCHS: Final = 7
SUMMARY_TOKENS: Final = 300
AS_OF: Final = date(2026, 12, 1)


@dataclass(frozen=True, slots=True)
class Case:
    """One session compacted in one way, with the session that answers for it."""

    file: str
    setup: str
    request: Request
    anchors: tuple[SpanFacts, ...]
    session: Session

    def sha256(self, anchor: SpanFacts) -> str:
        """Of the anchor's text in UTF-8."""
        return hashlib.sha256(anchor.text.encode("utf-8", "surrogatepass")).hexdigest()


def spans_of(file: str) -> list[Span]:
    """The spans of a session file by name, in order; malformed records are left out."""
    name, _, task = file.partition("#")
    path = ROOT / name if name.startswith("examples/") else TRANSCRIPTS / name
    stream = (
        BytesIO(json.dumps({"messages": json.loads(path.read_bytes())[int(task)]["traj"]}).encode()) if task else path
    )
    with open_transcript(stream, lenient=True) as transcript:
        return list(transcript)


def compacted(read: Sequence[Span], setup: str) -> Request:
    """The request for a session compacted in one of the `SETUPS`."""
    last = int(len(read) * OLDEST)
    spans = []
    for number, span in enumerate(read):
        state = KNOWN_KINDS.get(span.kind, "state") == "state"
        gone = number < last and (state or setup == "tail")
        spans.append(
            replace(span, epoch=number * (EPOCHS - 1) // max(1, len(read)), disposition="evict" if gone else "retain")
        )
    if setup == "tail":
        text = summary(spans[:last])
        if text:
            spans.append(Span("policylang-summary", "summary", text, EPOCHS, disposition="retain"))
    return Request(epoch=EPOCHS, spans=tuple(spans))


def summary(evicted: Iterable[Span]) -> str:
    """The longest sentences of the evicted talk that fit, each once, in their order."""
    found = list(dict.fromkeys(one for span in evicted if span.kind in TALK for one in sentences_of(span)))
    left = SUMMARY_TOKENS * 4
    taken = []
    for at in sorted((at for at, one in enumerate(found) if len(one) <= 400), key=lambda at: (-len(found[at]), at)):
        size = len(found[at].encode("utf-8", "surrogatepass")) + 1
        if size <= left:
            taken.append(at)
            left -= size
    return "\n".join(found[at] for at in sorted(taken))


def cases(files: Iterable[str], setups: Sequence[str] = SETUPS) -> Iterator[Case]:
    """Every session in every set-up; a file that is not there is skipped and named on standard error."""
    policy = policylang.load("std/standard").checked
    for file in files:
        try:
            read = spans_of(file)
        except FileNotFoundError:
            print(f"not there: {file}", file=sys.stderr)
            continue
        for setup in setups:
            request = compacted(read, setup)
            world = build_world(policy, request, as_of=AS_OF)
            anchors = tuple(span for span in world.evicted if span.anchor)
            yield Case(file, setup, request, anchors, world.data.session)


def rates(files: Iterable[str]) -> dict[str, Any]:
    """Anchors and material assertions by status, for each set-up; anchors that assert something also apart."""
    out: dict[str, dict[str, Counter[str]]] = {
        setup: {"anchors": Counter(), "asserting": Counter(), "assertions": Counter()} for setup in SETUPS
    }
    for case in cases(files):
        for anchor in case.anchors:
            found = case.session.represent(anchor.position)
            tally = out[case.setup]
            tally["anchors"][found.representation] += 1
            tally["asserting"][found.representation] += bool(found.statuses)
            tally["assertions"].update(status or "none" for status in found.statuses)
    return {setup: {name: dict(count) for name, count in tally.items()} for setup, tally in out.items()}


class Drawn(NamedTuple):
    """An anchor drawn for rating."""

    case: Case
    anchor: SpanFacts
    said: str


def draw(files: Iterable[str], status: str, size: int) -> list[Drawn]:
    """Up to ``size`` anchors of a status, by the hash of their names; one that both set-ups say it of counts once."""
    found: dict[str, Drawn] = {}
    for case in cases(files):
        for anchor in case.anchors:
            said = case.session.represent(anchor.position).representation
            if said == status:
                name = _rank(f"{case.file} {anchor.id} {said}")
                # Of two set-ups that say the same, the hash picks.
                if name not in found or int(name, 16) % 2:
                    found[name] = Drawn(case, anchor, said)
    return [found[name] for name in sorted(found)[:size]]


def _rank(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def witnesses(session: Session, position: int, assertion: int | None, status: str) -> list[int]:
    """Positions of the retained spans that alone give an assertion (or the span, for None) its status."""
    gone = [replace(span, retained=False) for span in session.spans]
    found = []
    for span in session.spans:
        if span.represents:
            left = Session([*gone[: span.position], span, *gone[span.position + 1 :]]).represent(position)
            if status == (left.representation if assertion is None else left.statuses[assertion]):
                found.append(span.position)
    return found


def sheet(drawn: Sequence[Drawn]) -> Iterator[str]:
    """The text of a rating sheet: what each anchor says, what is said of it, and the lines it was said for."""
    for number, one in enumerate(drawn):
        session, position = one.case.session, one.anchor.position
        span, found = session.spans[position], session.represent(position)
        yield f"\n===== {number} {one.case.file} {one.case.setup} {span.id} ({span.kind}, {position}) {one.said}"
        yield "  | " + "\n  | ".join(span.text[:700].split("\n"))
        if one.said not in found.statuses:
            yield from _lines(session, witnesses(session, position, None, one.said), span.text.split(), "")
        for at, fact in enumerate(span.extraction.assertions):
            status, denied = found.statuses[at] or "none", "" if fact.polarity else ", denied"
            yield f"  [{at}] {fact.entity or '-'} . {fact.key} = {fact.raw} ({fact.type}{denied}): {status}"
            # What is not found is looked for by its value alone: it may have been missed.
            places = (
                [other.position for other in session.spans if other.represents and fact.raw in other.text]
                if status == "absent"
                else witnesses(session, position, at, status)
            )
            yield from _lines(session, places, fact.key.split("_"), fact.raw)


def _lines(session: Session, places: Sequence[int], words: Sequence[str], value: str) -> Iterator[str]:
    """The two best lines of the first three places: those with the value and most of the words."""
    for place in places[:3]:
        span = session.spans[place]
        lines = [line for line in span.text.split("\n") if line.strip()]
        score = [
            2 * (value in one) + sum(w.lower() in one.lower() for w in words) / max(1, len(words)) for one in lines
        ]
        yield f"      <- {span.id} ({span.kind}, {place})"
        for at in sorted(sorted(range(len(lines)), key=lambda at: (-score[at], at))[:2]):
            yield f"           {lines[at][:260]}"


@dataclass(slots=True)
class Tally:
    """What a half's hand judgements say of the system as it is now; pairs are (said now, true status).

    Attributes:
        spans: Rated anchors that still are anchors.
        asserting: Those of them that assert something.
        facts: Rated assertions that are still found.
        anchors: Anchors of the half in both set-ups.
        false_contradicted: Anchors now said contradicted that were rated, in either set-up, and are not.
        unrated: Anchors now said contradicted that nobody has rated.
        changed: Rated anchors of which something else is said now than when they were rated.
        gone: Rated anchors that are none any more, or whose text is another.
        facts_gone: Rated assertions that are not found any more.
    """

    spans: Counter[tuple[str, str]] = field(default_factory=Counter)
    asserting: Counter[tuple[str, str]] = field(default_factory=Counter)
    facts: Counter[tuple[str, str]] = field(default_factory=Counter)
    anchors: int = 0
    false_contradicted: int = 0
    unrated: int = 0
    changed: int = 0
    gone: int = 0
    facts_gone: int = 0


def rows(half: str) -> list[dict[str, Any]]:
    """The hand judgements of a half."""
    return [json.loads(line) for line in (LABELS / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]


def score(half: str) -> Tally:
    """Compare the judgements of a half with what is said now; a row counts by its truth, whatever was said then."""
    tally = Tally()
    judged = {(row["file"], row["setup"], row["span"]): row for row in rows(half)}
    truth = {(row["file"], row["span"]): row["truth"] for row in judged.values() if row["said"] == "contradicted"}
    for case in cases(HALVES[half]):
        for anchor in case.anchors:
            found = case.session.represent(anchor.position)
            tally.anchors += 1
            row = judged.pop((case.file, case.setup, anchor.id), None)
            if found.representation == "contradicted":
                true = row["truth"] if row is not None else truth.get((case.file, anchor.id))
                tally.unrated += true is None
                tally.false_contradicted += true not in (None, "contradicted")
            if row is not None and row["sha256"] == case.sha256(anchor):
                places = [(one.key, one.start) for one in case.session.spans[anchor.position].extraction.assertions]
                _compare(tally, row, found.representation, dict(zip(places, found.statuses, strict=True)))
            else:
                tally.gone += row is not None
    tally.gone += len(judged)
    return tally


def _compare(tally: Tally, row: dict[str, Any], said: str, statuses: dict[tuple[str, int], str | None]) -> None:
    tally.changed += said != row["said"]
    tally.spans[said, row["truth"]] += 1
    if row.get("assertions"):
        tally.asserting[said, row["truth"]] += 1
    for fact in row.get("assertions", ()):
        now = statuses.get((fact["key"], fact["start"]))
        if now is None:
            tally.facts_gone += 1
        else:
            tally.facts[now, fact["truth"]] += 1


def precision(pairs: Counter[tuple[str, str]], status: str) -> tuple[int, int]:
    """How many of those said to have a status have it, and how many are said to."""
    return pairs[status, status], sum(count for (now, _), count in pairs.items() if now == status)


def missed(pairs: Counter[tuple[str, str]]) -> tuple[int, int]:
    """How many that are not said to be restated are, of all that are not said to be."""
    said, total = precision(pairs, "restated")[1], pairs.total()
    return sum(count for (now, truth), count in pairs.items() if truth == "restated" != now), total - said


def figures(tally: Tally) -> dict[str, dict[str, Any]]:
    """The figures of a half by name: hits, of how many, share, its 95 % Wilson interval, and the target if any."""
    table = {
        "restated is right": (*precision(tally.spans, "restated"), ">= 0.95"),
        "restated is right, anchors that assert": (*precision(tally.asserting, "restated"), None),
        "restated is right, assertions": (*precision(tally.facts, "restated"), None),
        "contradicted wrongly, of all anchors": (tally.false_contradicted, tally.anchors, "<= 0.01"),
        "referenced is right": (*precision(tally.spans, "referenced"), ">= 0.70"),
        "referenced is right, assertions": (*precision(tally.facts, "referenced"), None),
        "superseded is right, assertions": (*precision(tally.facts, "superseded"), None),
        "restated but not said to be": (*missed(tally.spans), None),
        "restated but not said to be, assertions": (*missed(tally.facts), None),
    }
    return {
        name: {
            "hits": hits,
            "of": total,
            "share": hits / total if total else None,
            "interval": wilson(hits, total),
            "target": target,
        }
        for name, (hits, total, target) in table.items()
    }


def print_rates(half: str) -> None:
    """Print how often each status is said."""
    for setup, tally in rates(HALVES[half]).items():
        for name, count in tally.items():
            total = sum(count.values())
            shares = "  ".join(
                f"{status} {count[status]} ({count[status] / total:.1%})"
                for status in REPRESENTATIONS
                if count.get(status)
            )
            print(f"{half:8} {setup:6} {name:11} {total:5}  {shares}")


def print_score(half: str) -> None:
    """Print the figures of a half, and how far the judgements still fit."""
    tally = score(half)
    print(
        f"{half}: {tally.spans.total()} anchors and {tally.facts.total()} assertions rated; "
        f"{tally.changed} to be rated again, {tally.gone} and {tally.facts_gone} gone, "
        f"{tally.unrated} contradicted and not rated"
    )
    for name, row in figures(tally).items():
        share = "-" if row["share"] is None else f"{row['share']:.3f}"
        low, high = row["interval"]
        print(f"  {name:42}{row['hits']:5} of {row['of']:5}  {share:>6} ({low:.3f}-{high:.3f})  {row['target'] or ''}")


def main() -> int:
    """Print rates, figures or a rating sheet; 2 where there is nothing to read."""
    parser = argparse.ArgumentParser(description="Measure representation on real sessions.")
    parser.add_argument("--half", choices=sorted(HALVES), help="one half; both where it is left out")
    parser.add_argument("--score", action="store_true", help="compare with the hand judgements")
    parser.add_argument("--json", action="store_true", help="print as JSON")
    parser.add_argument("--sheet", type=int, metavar="N", help="write a rating sheet of N anchors")
    parser.add_argument("--status", choices=REPRESENTATIONS, default="restated", help="of this status")
    parser.add_argument("--out", type=Path, help="where the sheet goes; it quotes the sessions")
    given = parser.parse_args()
    if not TRANSCRIPTS.exists():
        print(f"no transcripts at {TRANSCRIPTS}", file=sys.stderr)
        return 2
    halves = [given.half] if given.half else list(HALVES)
    if given.sheet is not None:
        if given.out is None or given.out.resolve().is_relative_to(ROOT):
            parser.error("--sheet needs an --out outside the project")
        drawn = [one for half in halves for one in draw(HALVES[half], given.status, given.sheet)]
        given.out.write_text("\n".join(sheet(drawn)) + "\n", encoding="utf-8")
    elif given.json:
        print(json.dumps({half: figures(score(half)) if given.score else rates(HALVES[half]) for half in halves}))
    else:
        for half in halves:
            (print_score if given.score else print_rates)(half)
    return 0


if __name__ == "__main__":
    sys.exit(main())
