"""All that the retained transcript says of one key, arranged for the questions of `status`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from policylang.evidence.representation.model import SessionSpan
from policylang.evidence.representation.pool import Pool
from policylang.evidence.representation.reader import Bound, Naming, bucket

ACKS: Final = frozenset({"state_assertion", "file_write_ack"})
"""Kinds that may retire a fact wherever it came from."""

_Place = tuple[int, int]
_Origin = tuple[str, str, bool]


class Table:
    """The bindings and mentions of one key.

    Attributes:
        bounds: All bindings, in order of span and place.
        conflicts: Bindings that may contradict, in the same order.
        told: Those of them that stand in prose.
        names: Prose that names the key.
        denied: Bindings of denied booleans: "not disabled" says enabled.
    """

    __slots__ = (
        "_by_span",
        "_by_value",
        "_crowded",
        "_later",
        "_spans",
        "bounds",
        "conflicts",
        "denied",
        "names",
        "told",
    )

    def __init__(
        self, bounds: Sequence[Bound], names: Sequence[Naming], spans: Sequence[SessionSpan], common: bool
    ) -> None:
        """Arrange what was read.

        Args:
            bounds: In order.
            names: In order.
            spans: The session, by position.
            common: The key is one word, and that a common one: a bare neighbour is no value of it, nor a mention.
        """
        self._spans = spans
        self.bounds = bounds
        self.denied = [bound for bound in bounds if bound.type == "boolean" and not bound.positive]
        loud = [bound for bound in bounds if bound.explicit or bound.shaped or not common]
        self.conflicts = self._pool([bound for bound in loud if bound.clean and not bound.former])
        self.told = self._pool([bound for bound in self.conflicts if spans[bound.span].prose])
        self.names = Pool([name for name in names if name.shaped or not common], spans)
        groups: dict[str, list[Bound]] = {}
        # Summaries first, then other prose: the best place where a value survived is found first.
        for bound in sorted(bounds, key=self._rank):
            groups.setdefault(bucket(bound.type, bound.value), []).append(bound)
        self._by_value = {value: self._pool(group) for value, group in groups.items()}
        self._by_span: dict[int, list[Bound]] | None = None
        self._crowded: dict[int, bool] = {}
        self._later: dict[_Origin, list[tuple[_Place, Bound]]] | None = None

    def _pool(self, bounds: Sequence[Bound]) -> Pool[Bound]:
        return Pool(bounds, self._spans)

    def _rank(self, bound: Bound) -> tuple[int, int, int]:
        span = self._spans[bound.span]
        return 0 if span.kind == "summary" else 1 if span.prose else 2, bound.span, bound.rank

    def saying(self, kind: str, value: str) -> Pool[Bound]:
        """Bindings of a value, or of one that may be the same."""
        return self._by_value.get(bucket(kind, value)) or self._pool(())

    def in_span(self, position: int) -> list[Bound]:
        """Bindings of one span, in order of place."""
        if self._by_span is None:
            self._by_span = {}
            for bound in self.bounds:
                self._by_span.setdefault(bound.span, []).append(bound)
        return self._by_span.get(position, [])

    def crowded(self, position: int) -> bool:
        """True if a span gives the key different values for different entities: none of them is *the* value."""
        found = self._crowded.get(position)
        if found is None:
            said = {bound.entity: bound.value for bound in self.in_span(position) if bound.entity is not None}
            found = self._crowded[position] = len(set(said.values())) > 1
        return found

    def retiring(self, span: SessionSpan, free: bool) -> Iterator[Bound]:
        """Bindings of state spans that may supersede a fact of a span: later, and of its chain, its tool or an ack.

        Args:
            span: The span that holds the fact.
            free: Only bindings that name no entity.
        """
        if self._later is None:
            self._later = self._by_origin()
        place = (span.epoch, span.position)
        for origin in _origins(span.chain, span.tool, True):
            places = self._later.get((*origin, free), [])
            for number in range(bisect_right(places, place, key=_place), len(places)):
                yield places[number][1]

    def _by_origin(self) -> dict[_Origin, list[tuple[_Place, Bound]]]:
        found: dict[_Origin, list[tuple[_Place, Bound]]] = {}
        for bound in self.conflicts:
            by = self._spans[bound.span]
            if by.state:
                for origin in _origins(by.chain, by.tool, by.kind in ACKS):
                    for free in (False, True)[: 1 + (bound.entity is None)]:
                        found.setdefault((*origin, free), []).append(((by.epoch, by.position), bound))
        for places in found.values():
            places.sort(key=_place)
        return found


def _place(item: tuple[_Place, Bound]) -> _Place:
    return item[0]


def _origins(chain: str, tool: str | None, ack: bool) -> list[tuple[str, str]]:
    found = [("chain", chain)]
    if tool is not None:
        found.append(("tool", tool))
    if ack:
        found.append(("ack", ""))
    return found


def supersedes(later: SessionSpan, span: SessionSpan) -> bool:
    """True if a state span may retire a fact of an earlier one (SPEC §4): same chain, same tool, or an ack."""
    return (
        later.state
        and (later.epoch, later.position) > (span.epoch, span.position)
        and (later.chain == span.chain or (later.tool is not None and later.tool == span.tool) or later.kind in ACKS)
    )
