"""A whole session, cut into epochs, with the facts that its state spans establish and what later spans ask of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from policylang.analysis.epochs import Cut, cut_epochs
from policylang.evidence.ingest import Ingested, ingest
from policylang.evidence.keys import is_generic, words
from policylang.evidence.model import Assertion
from policylang.transcript.request import Request
from policylang.transcript.span import Span
from policylang.transcript.vocabulary import KNOWN_KINDS

DISTINCT: Final = frozenset(("id", "checksum", "url", "version", "migration", "ip", "path", "write"))
"""Types of values that show by themselves what a later span uses."""

_ASKING: Final = frozenset(("reasoning", "assistant_message", "user_message"))
_CLAUSE = re.compile(r"[^\n.;!?]+(?:[.;!?](?!\s|$)[^\n.;!?]*)*\??")
_WORD = re.compile(r"[^\W_]+(?:[_.-]?[^\W_]+)*")
_VALUE = re.compile(r"[A-Za-z0-9~/.][A-Za-z0-9_.:/@+%-]{5,255}")
_TRIM = ".:/-"
_SHORTEST = 6


@dataclass(frozen=True, slots=True)
class Fact:
    """One material assertion of a state span: ``entity key = value``, as written, and where it was established."""

    span: str
    position: int
    epoch: int
    entity: str | None
    key: str
    value: str
    type: str

    def __str__(self) -> str:
        return f"{self.entity + ' ' if self.entity else ''}{self.key} = {self.value}"


@dataclass(frozen=True, slots=True)
class Ask:
    """A later span that needs a fact: it names the key (``how`` is `key`) or uses the value (`value`).

    ``query`` is the text that asks: the clause around the key, or the value.
    """

    position: int
    epoch: int
    fact: Fact
    how: str
    query: str


class Session:
    """The spans of a session with their epochs, and everything that can be known of them without a policy."""

    def __init__(self, spans: Sequence[Span], cut: Cut | None = None) -> None:
        self.epochs = tuple(cut_epochs(spans, cut))
        self.spans: tuple[Span, ...] = tuple(span for _, members in self.epochs for span in members)
        self.position = {span.id: number for number, span in enumerate(self.spans)}

    @cached_property
    def ingested(self) -> Ingested:
        """The evidence of the whole session: extraction, pairs, calls."""
        last = self.epochs[-1][0] if self.epochs else 0
        return ingest(Request(last, tuple(replace(span, disposition="retain") for span in self.spans)))

    def is_state(self, position: int) -> bool:
        """Whether a span establishes state, by its kind."""
        return KNOWN_KINDS.get(self.spans[position].kind, "state") == "state"

    def assertions(self, position: int) -> tuple[Assertion, ...]:
        """The material assertions of a span."""
        return self.ingested.extraction(position).assertions

    def fact(self, position: int, item: Assertion) -> Fact:
        """One assertion of a span as a fact."""
        span = self.spans[position]
        return Fact(span.id, position, span.epoch, item.entity, item.key, item.raw, item.type)

    @cached_property
    def established(self) -> dict[tuple[str | None, str, str], frozenset[int]]:
        """Entity, key and value -> the epochs whose state spans assert it."""
        out: dict[tuple[str | None, str, str], set[int]] = {}
        for position, span in enumerate(self.spans):
            if self.is_state(position):
                for item in self.assertions(position):
                    out.setdefault((item.entity, item.key, item.raw), set()).add(span.epoch)
        return {name: frozenset(epochs) for name, epochs in out.items()}

    @cached_property
    def asks(self) -> tuple[Ask, ...]:
        """What later epochs ask of facts that earlier ones established, in session order; each fact once an epoch.

        A key is named by its words standing together in a clause of reasoning or of a message; keys of one word and
        generic keys name nothing by themselves. A value counts as used where it is distinctive (an id, a checksum, a
        path, …) and stands as a whole token in such a text or in a tool call.
        """
        return tuple(_find_asks(self))


def _find_asks(session: Session) -> Iterator[Ask]:
    by_key: dict[str, dict[tuple[str, ...], Fact]] = {}
    by_value: dict[str, Fact] = {}
    for epoch, members in session.epochs:
        seen: set[tuple[str | None, str]] = set()
        for span in members:
            for ask in _asks_of(span, epoch, session.position[span.id], by_key, by_value):
                name = (ask.fact.entity, ask.fact.key)
                if name not in seen:
                    seen.add(name)
                    yield ask
        for span in members:
            position = session.position[span.id]
            if session.is_state(position):
                for item in session.assertions(position):
                    _learn(session.fact(position, item), item, by_key, by_value)


def _learn(
    fact: Fact, item: Assertion, by_key: dict[str, dict[tuple[str, ...], Fact]], by_value: dict[str, Fact]
) -> None:
    parts = words(item.key)
    if len(parts) > 1 and not item.per_call and not is_generic(item.key):
        by_key.setdefault(parts[0], {})[parts] = fact
    value = item.raw.strip(_TRIM)
    if item.type in DISTINCT and len(value) >= _SHORTEST and not item.per_call:
        # The first span that established a value is the one that later uses go back to.
        by_value.setdefault(value, fact)


def _asks_of(
    span: Span,
    epoch: int,
    position: int,
    by_key: dict[str, dict[tuple[str, ...], Fact]],
    by_value: dict[str, Fact],
) -> Iterator[Ask]:
    if span.kind in _ASKING:
        for clause in _CLAUSE.findall(span.text):
            parts = [part for word in _WORD.findall(clause) for part in words(word)]
            for at, part in enumerate(parts):
                for key, fact in by_key.get(part, {}).items():
                    if tuple(parts[at : at + len(key)]) == key:
                        yield Ask(position, epoch, fact, "key", clause.strip())
    if span.kind in _ASKING or span.kind == "tool_call":
        for found in _VALUE.findall(span.text):
            fact_used = by_value.get(found.strip(_TRIM))
            if fact_used is not None:
                yield Ask(position, epoch, fact_used, "value", found.strip(_TRIM))
