"""The document's decision over N evicted spans: policylang, plain Python and other policy engines, by turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.model import Cell, Goal, Report, Table, scaled
from benchmarks.render import count, figure
from benchmarks.sides import ANCHORS, Case, Side, missing, sides
from benchmarks.timing import medians

NAME: Final = "decide"
TITLE: Final = "One decision"

SIZES: Final = (1, 10, 100, 1_000)
LARGEST: Final = SIZES[-1]
HAND: Final = "hand-written Python"
OURS: Final = "policylang"
EACH_SPAN: Final = ("CEL (C++), spans", "CEL (C++), spans, anchors named", "Cedar, a request a span")
"""The peers' forms whose policy sees the spans, as policylang's does."""


def reasoning(size: int) -> Case:
    """An eviction set without an anchor: compaction may go ahead, and every span has to be looked at to say so."""
    return Case(("reasoning",) * size)


def mixed(size: int) -> Case:
    """Every tenth span is an anchor, the last of a smaller set."""
    every = min(10, size)
    return Case(tuple("tool_result" if (n + 1) % every == 0 else "reasoning" for n in range(size)))


SETS: Final = {"no anchor": reasoning, "every tenth an anchor": mixed}


def agreement_cases(sizes: tuple[int, ...]) -> Iterator[Case]:
    """Cases on which all sides must give the same decision before one of them is timed."""
    for size in sizes:
        for make in SETS.values():
            yield make(size)
        for kind in (*ANCHORS, "assistant_message", "user_message", "api_response"):
            yield Case(("reasoning",) * (size - 1) + (kind,))
        for rebuilt in (5, 6, 7, 9):
            yield Case(("reasoning",) * size, rebuilt=rebuilt)
    yield Case(())


def check_agreement(contestants: tuple[Side, ...], sizes: tuple[int, ...]) -> int:
    """How many cases were compared.

    Raises:
        ValueError: two sides decide a case differently, so timing them would compare different things.
    """
    count = 0
    for case in agreement_cases(sizes):
        found = {side.name: side.ready(case)() for side in contestants}
        found |= {f"{side.name} (plain)": side.plain(case)() for side in contestants if side.plain is not None}
        if len(set(found.values())) != 1:
            raise ValueError(f"the sides disagree on {case}: {found}")
        count += 1
    return count


def run(quick: bool) -> Report:
    """Times all sides; by N, without and with anchors, on prepared input and from plain data."""
    contestants = sides()
    compared = check_agreement(contestants, SIZES[:3] if quick else SIZES)
    seconds = 0.3 if quick else 4.0
    notes = (
        f"p50 in µs; in brackets: times policylang's. All sides gave the same decision on {compared} cases beforehand.",
        *(f"{side.name}: {side.included}." for side in contestants),
        *(f"{name}: not run, as it is not installed here." for name in missing()),
    )
    ready: dict[str, dict[int, dict[str, float]]] = {
        label: {size: medians({side.name: side.ready(make(size)) for side in contestants}, seconds) for size in SIZES}
        for label, make in SETS.items()
    }
    plain = {
        size: medians({side.name: side.plain(reasoning(size)) for side in contestants if side.plain}, seconds)
        for size in SIZES
    }
    tables = [
        _table(f"The document's decision, {label}, input prepared", found, notes if number == 0 else ())
        for number, (label, found) in enumerate(ready.items())
    ]
    from_plain = "policylang and Cedar check every field that they read; CEL and plain Python take it as it is."
    tables.append(_table("The same from plain data, no anchor", plain, (from_plain,)))
    return Report(tuple(tables), tuple(_goals(ready["no anchor"][LARGEST])))


def _table(title: str, found: dict[int, dict[str, float]], notes: tuple[str, ...]) -> Table:
    names = list(found[LARGEST])
    rows = []
    for name in names:
        cells: list[Cell] = [name]
        for size in SIZES:
            taken, ours = found[size][name], found[size][OURS]
            ratio = f" ({figure(taken / ours, 2)})" if name != OURS else ""
            cells.append(figure(scaled(taken, "µs")) + ratio)
        rows.append(tuple(cells))
    return Table(title, ("µs", *(f"N = {count(size)}" for size in SIZES)), tuple(rows), notes)


def _goals(found: dict[str, float]) -> Iterator[Goal]:
    ours = found[OURS]
    yield Goal("1 000 spans: policylang ÷ hand-written Python", ours / found[HAND], 1.5, "×")
    peers: dict[str, float] = {name: found[name] for name in EACH_SPAN if name in found}
    if peers:
        name = min(peers, key=peers.__getitem__)
        yield Goal(
            f"1 000 spans: fastest peer that sees the spans ({name}) ÷ policylang", peers[name] / ours, 20.0, "×", False
        )
        others = {name: taken for name, taken in found.items() if name.startswith(("CEL", "Cedar"))}
        name = min(others, key=others.__getitem__)
        yield Goal(
            f"1 000 spans: fastest peer in any form ({name}) ÷ policylang", others[name] / ours, 20.0, "×", False
        )
