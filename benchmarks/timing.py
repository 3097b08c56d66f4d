"""Timing by turns: every contestant runs once a round, so that what slows the machine slows all of them alike.

The order of a round is drawn anew each time (from a fixed seed), so nobody always runs in the wake of the same one.
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

Work = Callable[[], object]

SAMPLE: Final = 1e-3
"""Seconds that a sample lasts at least; quicker work is repeated within it."""
LEAST_ROUNDS: Final = 5
MOST_ROUNDS: Final = 400
TRIES: Final = 5
"""Calls that say how quick a work is. One alone would not do: were it interrupted, every sample would be too short."""


@contextmanager
def without_collector() -> Iterator[None]:
    """No garbage collection in the timed part, as in `timeit`: whose turn it falls into would be chance."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def once(work: Work) -> float:
    """Seconds of one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def medians(works: Mapping[str, Work], seconds: float, least: int = LEAST_ROUNDS) -> dict[str, float]:
    """Median seconds of one call of each work.

    Args:
        works: Contestants by name. Each is called some times before anything counts.
        seconds: Time for all rounds together.
        least: Rounds, whatever they take.
    """
    repeats = {}
    for name, work in works.items():
        work()
        repeats[name] = max(1, round(SAMPLE / max(min(once(work) for _ in range(TRIES)), 1e-9)))
    samples: dict[str, list[float]] = {name: [] for name in works}
    order = list(works)
    draw = random.Random(20261201)
    with without_collector():
        began = time.perf_counter()
        for number in range(MOST_ROUNDS):
            if number >= least and time.perf_counter() - began > seconds:
                break
            draw.shuffle(order)
            for name in order:
                samples[name].append(_sample(works[name], repeats[name]))
    return {name: statistics.median(taken) for name, taken in samples.items()}


def _sample(work: Work, repeat: int) -> float:
    # Untimed: the one before has left the processor's caches full of its own data.
    work()
    if repeat == 1:
        return once(work)
    turns = range(repeat)
    started = time.perf_counter()
    for _ in turns:
        work()
    return (time.perf_counter() - started) / repeat
