"""`std/standard` on requests as a long session makes them: what a decision costs, and which evidence it goes into."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import policylang
from benchmarks.model import Cell, Goal, Report, Table, scaled
from policylang.analysis.compactor import Budget
from policylang.analysis.compactors import COMPACTORS
from policylang.evidence.ingest import Ingested, ingest
from policylang.runtime.decide import world_of
from policylang.runtime.policy import Policy
from policylang.transcript.importers import open_transcript
from policylang.transcript.request import Request
from policylang.transcript.span import Span

NAME: Final = "standard"
TITLE: Final = "The recommended policy on a real session"

ROOT: Final = Path(__file__).resolve().parents[1]
SESSIONS: Final = ROOT / "examples" / "sessions"
DAY: Final = date(2026, 12, 1)
SIZES: Final = (250, 500, 1_000, 2_000)
SIZE: Final = 500
EPOCH: Final = 9
SPANS_PER_EPOCH: Final = 50
WARM_UP: Final = 120
"""Spans of the request that a process decides before anything is timed."""

PHASES: Final = ("reading", "extraction", "chains", "representation", "other facts and rules", "decision")
"""In the order in which they run; the last is all of them."""


def spans_of_sessions(size: int) -> tuple[Span, ...]:
    """The first ``size`` spans of the bundled sessions one after the other.

    Where they do not suffice they come again with other ids and every digit changed: the same shape of work with
    values that were not seen before.

    Raises:
        FileNotFoundError: the sessions are not in this checkout.
    """
    paths = sorted(SESSIONS.glob("*.jsonl"))
    if not paths:
        raise FileNotFoundError(f"no sessions in {SESSIONS}")
    whole = [(path.stem, span) for path in paths for span in open_transcript(path)]
    found: list[Span] = []
    turn = 0
    while len(found) < size:
        found += [_again(span, f"{stem}-{turn}-", turn) for stem, span in whole[: size - len(found)]]
        turn += 1
    epochs = max(1, -(-size // SPANS_PER_EPOCH))
    # The session's last epoch is the request's; what is older than it could count lies in epoch 0.
    return tuple(
        replace(span, epoch=max(0, EPOCH - epochs + 1 + number // SPANS_PER_EPOCH)) for number, span in enumerate(found)
    )


def _again(span: Span, prefix: str, turn: int) -> Span:
    digits = str.maketrans("0123456789", "".join(str((digit + 3 * turn) % 10) for digit in range(10)))
    call = span.tool_call_id
    return replace(
        span,
        span_id=prefix + span.id,
        text=span.text.translate(digits),
        parents=tuple(prefix + parent for parent in span.parents),
        tool_call_id=prefix + call if call is not None else None,
        batch=prefix + span.batch if span.batch is not None else None,
        represented_by=(),
    )


def request_data(size: int) -> dict[str, Any]:
    """A request of ``size`` spans and a summary, with everything attested that a healthy runtime knows.

    The document's similarity heuristic chooses what goes, until a third of the session's tokens is left.
    """
    spans = spans_of_sessions(size)
    tokens = sum(span.mass for span in spans)
    proposal = COMPACTORS["similarity"](spans, EPOCH, Budget(keep_tokens=tokens // 3, epsilon=1.0))
    gone, summary = frozenset(proposal.evict), proposal.summary
    if summary is None:
        raise ValueError(f"nothing of {size} spans would be evicted")
    sent = [
        replace(
            span,
            disposition="evict" if span.id in gone else "retain",
            loss=proposal.losses.get(span.id),
            represented_by=(summary.id,) if span.id in gone else (),
        )
        for span in spans
    ]
    covered = [span.id for span in spans]
    return {
        "epoch": EPOCH,
        "spans": [span.to_json() for span in (*sent, replace(summary, disposition="retain"))],
        "index": {
            "source": "pre_compaction",
            "rebuilt": "never",
            "covers": covered,
            "verified": dict.fromkeys(covered, True),
        },
        "transcript": covered,
        "scoring": {"terms": {"similarity": 0.7, "structural": 0.3}},
        "monitor": {"enabled": True, "queries": 240, "divergence": 0.004},
    }


class Clock:
    """Seconds by name of what was done since the last mark."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}
        self._last = time.perf_counter()

    def mark(self, name: str) -> None:
        """What ran since the last mark was this."""
        now = time.perf_counter()
        self.taken[name] = now - self._last
        self._last = time.perf_counter()


def time_phases(policy: Policy, data: dict[str, Any]) -> tuple[dict[str, float], str]:
    """Seconds of each phase of one decision, and the decision. Evidence is asked for in order, so each is paid once."""
    clock = Clock()
    request = Request.from_json(data)
    clock.mark("reading")
    ingested: Ingested = ingest(request)
    for number in range(len(ingested.spans)):
        ingested.extraction(number)
    clock.mark("extraction")
    world = world_of(policy, request, DAY)
    # Chains follow from calls, parents and the use of values; a budget's ε is theirs.
    for chain in world.chains:
        chain.epsilon  # noqa: B018 - reading a fact establishes it
    clock.mark("chains")
    for span in world.anchors:
        span.representation  # noqa: B018
    clock.mark("representation")
    verdict = policylang.evaluate(policy, request, as_of=DAY)
    clock.mark("other facts and rules")
    taken = {**clock.taken, "decision": sum(clock.taken.values())}
    again = Clock()
    policylang.evaluate(policy, request, as_of=DAY)
    again.mark("the same request again")
    verdict.to_json()
    again.mark("reasons, salvage and plan")
    return taken | again.taken, verdict.decision


def measure_here(sizes: tuple[int, ...]) -> dict[str, Any]:
    """What a new process measures: its very first decision, then requests new to it, and each request's successor."""
    policy = policylang.load("std/standard")
    first, _ = time_phases(policy, _slice(request_data(WARM_UP), "warm-up "))
    out: dict[str, Any] = {"first": first}
    for size in sizes:
        data = request_data(size)
        new, decision = time_phases(policy, data)
        known, later = time_phases(policy, data)
        if decision != later:
            raise ValueError(f"{size} spans: {decision}, and then {later}")
        out[str(size)] = {
            "new": new,
            "known": known,
            "decision": decision,
            "evicted": sum(span["disposition"] == "evict" for span in data["spans"]),
            "kilobytes": sum(len(span["text"].encode()) for span in data["spans"]) / 1e3,
        }
    return out


def _slice(data: dict[str, Any], mark: str) -> dict[str, Any]:
    """The same request with every text changed a little, so that later requests find nothing of it remembered."""
    return {**data, "spans": [{**span, "text": f"{mark}\n{span['text']}"} for span in data["spans"]]}


def measure(size: int, rounds: int) -> dict[str, Any]:
    """Medians over new processes, one for each round, since only a new process has seen none of the texts."""
    found = []
    for _ in range(rounds):
        command = [sys.executable, "-m", "benchmarks.standard", str(size)]
        run_once = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        found.append(json.loads(run_once.stdout))
    middle: dict[str, Any] = _median(found)
    return middle


def _median(found: list[Any]) -> Any:
    first = found[0]
    if isinstance(first, dict):
        return {name: _median([one[name] for one in found]) for name in first}
    if isinstance(first, float):
        return sorted(found)[len(found) // 2]
    return first


def run(quick: bool) -> Report:
    """Times each size in processes of its own."""
    sizes = SIZES[:2] if quick else SIZES
    found = {size: measure(size, 1 if quick else 5) for size in sizes}
    at = found[SIZE][str(SIZE)]
    phases = tuple(_phase_rows(at))
    note = (
        f"{SIZE} spans of the bundled sessions and a summary, {at['kilobytes']:.0f} kB of text, {at['evicted']} of "
        f"them evicted; the decision is {at['decision']}."
    )
    notes = (
        note,
        "New: no text was seen before. Known: a request of the same texts, as the next epoch's mostly is; extraction "
        "is remembered by content. Evidence is asked for piece by piece here; a rule that needs none pays nothing.",
    )
    rows: list[tuple[Cell, ...]] = []
    for size in sizes:
        one = found[size][str(size)]
        new, known = one["new"], one["known"]
        rows.append(
            (
                size,
                one["kilobytes"],
                one["evicted"],
                scaled(new["decision"], "ms"),
                scaled(known["decision"], "ms"),
                scaled(new["decision"] / size, "µs"),
                scaled(new["reasons, salvage and plan"], "ms"),
            )
        )
    head = ("spans", "kB", "evicted", "new, ms", "known, ms", "new, µs a span", "reasons and plan, ms")
    tables = (
        Table(f"std/standard on {SIZE} spans: where the time goes", ("ms", "new", "known"), phases, notes),
        Table("std/standard by size of the request", head, tuple(rows)),
    )
    return Report(tables, tuple(_goals(found, sizes)))


def _phase_rows(at: dict[str, Any]) -> Iterator[tuple[Cell, ...]]:
    names = (*PHASES, "the same request again", "reasons, salvage and plan")
    for name in names:
        yield name, scaled(at["new"][name], "ms"), scaled(at["known"][name], "ms")


def _goals(found: dict[int, Any], sizes: tuple[int, ...]) -> Iterator[Goal]:
    small, large = sizes[0], sizes[-1]
    per_span = [
        found[size][str(size)]["new"]["decision"] / found[size][str(size)]["kilobytes"] for size in (small, large)
    ]
    yield Goal(f"std/standard: time a kB at {large} spans ÷ at {small}", per_span[1] / per_span[0], 1.5, "×")


if __name__ == "__main__":
    print(json.dumps(measure_here(tuple(int(size) for size in sys.argv[1:]))))
