"""Cutting a session into epochs: by tokens, by spans or by the clock."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from policylang.transcript.span import Span
from policylang.transcript.vocabulary import KNOWN_KINDS

FIRST_EPOCH = 1
DEFAULT_EPOCHS = 10
LEAST_TOKENS = 1000


@dataclass(frozen=True, slots=True)
class Cut:
    """How long an epoch is: the first limit that is reached ends it. Without any, a session gives about ten epochs.

    Attributes:
        tokens: Tokens that an epoch holds; those of instructions do not count, as they never leave.
        spans: Spans that an epoch holds.
        hours: Length of an epoch by the clock, which runs from the session's first known time whatever else ends an
            epoch; hours without a span are no epoch. Spans without a time, and spans whose time runs backwards, stay
            in the epoch of the span before.
    """

    tokens: int | None = None
    spans: int | None = None
    hours: float | None = None

    def __post_init__(self) -> None:
        for name in ("tokens", "spans", "hours"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"an epoch needs more than {value} {name}")


def default_cut(spans: Sequence[Span]) -> Cut:
    """A tenth of the session's tokens without instructions, and no less than 1 000."""
    total = sum(_mass(span) for span in spans)
    return Cut(tokens=max(LEAST_TOKENS, -(-total // DEFAULT_EPOCHS)))


def cut_epochs(spans: Sequence[Span], cut: Cut | None = None) -> Iterator[tuple[int, tuple[Span, ...]]]:
    """The epochs of a session in order: a number from 1, and its spans with that number as their epoch.

    A runtime compacts before it asks its model again, so no epoch ends while a call waits for its result: an epoch can
    be longer than its limit by one batch of results.
    """
    chosen = cut or Cut()
    if chosen == Cut():
        chosen = default_cut(spans)
    number, tokens = FIRST_EPOCH, 0
    current: list[Span] = []
    first: datetime | None = None
    began: int | None = None
    waiting: set[str] = set()
    for span in spans:
        now = _moment(span.time)
        first = first or now
        turn = _turn(chosen, first, now)
        answers = span.kind != "tool_call" and span.tool_call_id in waiting
        if current and not answers and _full(chosen, tokens + _mass(span), len(current), began, turn):
            yield number, tuple(current)
            number, current, tokens, began, waiting = number + 1, [], 0, None, set()
        current.append(replace(span, epoch=number))
        tokens += _mass(span)
        began = turn if began is None else began
        if span.kind == "tool_call" and span.tool_call_id is not None:
            waiting.add(span.tool_call_id)
    if current:
        yield number, tuple(current)


def _mass(span: Span) -> int:
    return 0 if KNOWN_KINDS.get(span.kind) == "instruction" else span.mass


def _full(cut: Cut, tokens: int, spans: int, began: int | None, turn: int | None) -> bool:
    return (
        (cut.tokens is not None and tokens > cut.tokens)
        or (cut.spans is not None and spans >= cut.spans)
        or (began is not None and turn is not None and turn > began)
    )


def _turn(cut: Cut, first: datetime | None, now: datetime | None) -> int | None:
    """How often the clock has gone round since the session's first time; None where that is not known."""
    if cut.hours is None or first is None or now is None:
        return None
    return math.floor((now - first).total_seconds() / (cut.hours * 3600))


def _moment(time: str | None) -> datetime | None:
    if time is None:
        return None
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    # Times without an offset can only be compared with each other; UTC is the usual meaning.
    return moment if moment.tzinfo is not None else datetime.fromisoformat(time + "+00:00")
