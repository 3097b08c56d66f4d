"""Rules over columns of many spans, beside the same rules in plain Python over dict rows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Final

import numpy as np

import policylang
from benchmarks.model import Cell, Goal, Report, Table, Unit, scaled
from benchmarks.render import count
from benchmarks.timing import medians, once, without_collector
from policylang.compiler.columns import ColumnHits, ColumnPlan
from policylang.evidence.world import build_world
from policylang.rules_ir.facts import World
from policylang.runtime.policy import Policy
from policylang.transcript.request import IndexEvidence, Request
from policylang.transcript.span import Span

NAME: Final = "columns"
TITLE: Final = "Many spans at once"

DAY: Final = date(2026, 12, 1)
EPOCH: Final = 9
SPANS_PER_REQUEST: Final = 1_000
SIZES: Final = (10_000, 100_000, 1_000_000)

Row = dict[str, Any]
Test = Callable[[Row], bool]
Rows = Callable[[Sequence[Row]], list[int]]

ANCHORS: Final = frozenset({"tool_result", "state_assertion", "file_write_ack", "api_response"})
KINDS: Final = (
    "reasoning",
    "tool_call",
    "tool_result",
    "assistant_message",
    "tool_result",
    "reasoning",
    "file_write_ack",
    "api_response",
    "state_assertion",
    "user_message",
)

POLICY: Final = """
policy "bench/columns"
refuse "anchor" {
  for each span in evicted
  when span.kind in [tool_result, state_assertion, file_write_ack, api_response]
  because "an anchor"
}
refuse "young-reply" {
  for each span in evicted  when span.kind == api_response and span.age < 3  because "a young reply"
}
refuse "large-state" {
  for each span in evicted  when span.class == state and span.tokens > 400  because "a large state span"
}
refuse "instruction" { for each span in evicted  when span.class == instruction  because "an instruction" }
refuse "old-and-small" {
  for each span in evicted  when span.age >= 6 and span.tokens < 20  because "frees next to nothing"
}
refuse "unindexed" {
  for each span in evicted  when span.kind == tool_result and not span.indexed  because "not in the index"
}
"""


def by_hand() -> dict[str, Rows]:
    """The same rules as a person would write them over dict rows: one list comprehension each."""
    return {
        "anchor": lambda rows: [n for n, r in enumerate(rows) if r["kind"] in ANCHORS],
        "young-reply": lambda rows: [n for n, r in enumerate(rows) if r["kind"] == "api_response" and r["age"] < 3],
        "large-state": lambda rows: [n for n, r in enumerate(rows) if r["class"] == "state" and r["tokens"] > 400],
        "instruction": lambda rows: [n for n, r in enumerate(rows) if r["class"] == "instruction"],
        "old-and-small": lambda rows: [n for n, r in enumerate(rows) if r["age"] >= 6 and r["tokens"] < 20],
        "unindexed": lambda rows: [n for n, r in enumerate(rows) if r["kind"] == "tool_result" and not r["indexed"]],
    }


@dataclass(frozen=True, slots=True)
class Fleet:
    """Many requests of one size each, as worlds and as the rows of their evicted spans in the same order."""

    worlds: list[World]
    rows: list[Row]


def requests(spans: int, per_request: int = SPANS_PER_REQUEST) -> Iterator[Request]:
    """``spans`` evicted spans over requests of ``per_request``, of mixed kinds, ages and sizes; the same each time."""
    draw = np.random.default_rng(20261201)
    for start in range(0, spans, per_request):
        size = min(per_request, spans - start)
        kinds = draw.integers(0, len(KINDS), size).tolist()
        epochs = draw.integers(0, EPOCH + 1, size).tolist()
        tokens = draw.integers(1, 600, size).tolist()
        covered = (draw.random(size) < 0.9).tolist()
        found = tuple(
            Span(f"s{start + n}", KINDS[kinds[n]], "", epochs[n], disposition="evict", tokens=tokens[n])
            for n in range(size)
        )
        covers = frozenset(span.id for span, is_covered in zip(found, covered, strict=True) if is_covered)
        yield Request(EPOCH, found, IndexEvidence("pre_compaction", "never", covers))


def fleet(policy: Policy, spans: int, per_request: int = SPANS_PER_REQUEST) -> Fleet:
    """The facts of `requests`, and the same as dict rows."""
    worlds = [build_world(policy.checked, request, as_of=DAY) for request in requests(spans, per_request)]
    rows = [
        {"id": s.id, "kind": s.kind, "class": s.klass, "age": s.age, "tokens": s.tokens, "indexed": s.indexed}
        for world in worlds
        for s in world.evicted
    ]
    return Fleet(worlds, rows)


def flat_hits(found: ColumnHits, worlds: Sequence[World]) -> dict[str, list[int]]:
    """The hits of each rule as numbers of rows, for comparison with the hand-written rules."""
    starts = np.cumsum([0, *(len(world.evicted) for world in worlds)])
    out: dict[str, list[int]] = {rule.id: [] for rule in found.rules}
    for number, rule in enumerate(found.rules):
        mine = found.rule == number
        out[rule.id] = (starts[found.world[mine]] + found.subject[mine]).tolist()
    return out


def run_by_hand(rules: dict[str, Rows], rows: Sequence[Row]) -> dict[str, list[int]]:
    """All hand-written rules over all rows."""
    return {name: rule(rows) for name, rule in rules.items()}


def run(quick: bool) -> Report:
    """Times columns, the fused function and plain Python; ns per span and rule."""
    policy = policylang.load_text(POLICY)
    rules = policy.on(DAY).rules
    sizes = SIZES[:2] if quick else SIZES
    measured = {size: _measure(policy, size, 0.3 if quick else 6.0) for size in sizes}
    share: dict[int, float] = {size: 1 / (size * len(rules)) for size in sizes}
    names = ("columns", "fused Python, request by request", "plain Python on dict rows")
    rows: list[tuple[Cell, ...]] = [
        (name, *(scaled(measured[size][name] * share[size], "ns") for size in sizes)) for name in names
    ]
    rows.append(("plain Python ÷ columns", *(_ratio(measured[size]) for size in sizes)))
    rows.append(
        ("reading facts into columns, per span", *(scaled(measured[size]["encode"] / size, "ns") for size in sizes))
    )
    notes = (
        f"{len(rules)} rules over evicted spans (kind, class, age, tokens, index), requests of "
        f"{count(SPANS_PER_REQUEST)} spans; ns per span and rule but for the last two rows.",
        "All three give the same hits, compared in full beforehand. Columns hold what the rules read and are encoded "
        "once, however often rules run over them; the dict rows are there already.",
    )
    largest = sizes[-1]
    per_rule = scaled(measured[largest]["columns"] * share[largest], "ns")
    word = f"{count(largest)} spans"
    nanoseconds: Unit = "ns"
    goals = (
        Goal(f"{word}: columns, per span and rule", per_rule, 10.0, nanoseconds),
        Goal(f"{word}: plain Python on dict rows ÷ columns", _ratio(measured[largest]), 10.0, "×", False),
    )
    head = ("ns", *(f"{count(size)} spans" for size in sizes))
    calls = _calls_table(policy, 20_000 if quick else 100_000, 2 if quick else 7)
    return Report((Table("Rules over columns", head, tuple(rows), notes), calls), goals)


def _calls_table(policy: Policy, spans: int, rounds: int) -> Table:
    """The public calls on the same requests: all at once, and one by one."""
    calls: dict[str, Callable[[Sequence[Request]], list[str]]] = {
        "`evaluate_many`": lambda asked: [v.decision for v in policylang.evaluate_many(policy, asked, as_of=DAY)],
        "`evaluate`, one by one": lambda asked: [policylang.evaluate(policy, one, as_of=DAY).decision for one in asked],
    }
    with without_collector():
        parts = [(one.epoch, one.spans, one.index) for one in requests(spans)]
        found = {name: _time_call(call, parts, rounds) for name, call in calls.items()}
    if len({tuple(decisions) for _, _, decisions in found.values()}) != 1:
        raise ValueError("evaluate_many and evaluate decide differently")
    rows = tuple(
        (name, scaled(fresh / spans, "ns"), scaled(again / spans, "ns")) for name, (fresh, again, _) in found.items()
    )
    note = (
        f"All {len(policy.on(DAY).rules)} rules over {count(spans)} spans in {count(len(parts))} requests; ns a span, "
        "medians. A fresh request has no facts yet; again is the same `Request` objects."
    )
    return Table("The calls, by span", ("ns", "fresh requests", "again"), rows, (note,))


def _time_call(
    call: Callable[[Sequence[Request]], list[str]], parts: Sequence[tuple[Any, ...]], rounds: int
) -> tuple[float, float, list[str]]:
    fresh, again = [], []
    decisions: list[str] = []
    for _ in range(rounds):
        asked = [Request(*part) for part in parts]
        started = time.perf_counter()
        decisions = call(asked)
        fresh.append(time.perf_counter() - started)
        again.append(once(partial(call, asked)))
    return statistics.median(fresh), statistics.median(again), decisions


def _ratio(measured: dict[str, float]) -> float:
    return measured["plain Python on dict rows"] / measured["columns"]


def _measure(policy: Policy, size: int, seconds: float) -> dict[str, float]:
    with without_collector():
        made = fleet(policy, size)
    effective = policy.on(DAY)
    plan, hand = ColumnPlan(effective.rules), by_hand()
    with without_collector():
        # Facts are established when they are first read, so the second reading is what encoding costs.
        plan.encode(made.worlds)
        encode = once(lambda: plan.encode(made.worlds))
    columns = plan.encode(made.worlds)
    check_agreement(plan.run(columns), effective.fused.run, made)
    run_fused = effective.fused.run
    works = {
        "columns": lambda: plan.run(columns),
        "fused Python, request by request": lambda: [run_fused(world) for world in made.worlds],
        "plain Python on dict rows": lambda: run_by_hand(hand, made.rows),
    }
    return {**medians(works, seconds), "encode": encode}


def check_agreement(found: ColumnHits, run_fused: Callable[[World], Any], made: Fleet) -> None:
    """ValueError if columns, the fused function and the hand-written rules do not hit the same spans."""
    by_columns = flat_hits(found, made.worlds)
    if by_columns != run_by_hand(by_hand(), made.rows):
        raise ValueError("columns and plain Python hit different spans")
    by_fused: dict[str, list[int]] = {rule.id: [] for rule in found.rules}
    start = 0
    for world in made.worlds:
        for number, certain, unknown in run_fused(world):
            by_fused[found.rules[number].id] += [start + place for place in _places(world, [*certain, *unknown])]
        start += len(world.evicted)
    if by_columns != by_fused:
        raise ValueError("columns and the fused function hit different spans")


def _places(world: World, subjects: list[Any]) -> Iterator[int]:
    wanted = set(map(id, subjects))
    return (number for number, span in enumerate(world.evicted) if id(span) in wanted)
