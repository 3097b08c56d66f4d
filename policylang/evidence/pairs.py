"""Calls and their results: which spans belong together, which calls are open (SPEC §3 `integrity`, known failures 5.1).

A call and its results share a `tool_call_id`. Ids are used again in one transcript, so they match by occurrence: a
result belongs to the oldest call of its id that no final result has closed yet. Parallel calls of a `batch` go as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from policylang.transcript.span import Span

CALL_KIND = "tool_call"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Calls and results of one transcript, by span position.

    Attributes:
        group: Position -> number of its group (spans that may only go or stay together); absent for a span alone.
        members: Group number -> positions, ascending.
        call_of: Position of a result -> position of its call.
        closed: Positions of the calls that have a final result.
    """

    group: dict[int, int]
    members: dict[int, tuple[int, ...]]
    call_of: dict[int, int]
    closed: frozenset[int]

    def partners(self, position: int) -> tuple[int, ...]:
        """Everything that belongs with a span, the span included; empty for a span alone."""
        number = self.group.get(position)
        return self.members[number] if number is not None else ()


class _Union:
    def __init__(self) -> None:
        self.parent: dict[int, int] = {}

    def find(self, item: int) -> int:
        root = item
        while self.parent.setdefault(root, root) != root:
            root = self.parent[root]
        while self.parent[item] != root:
            self.parent[item], item = root, self.parent[item]
        return root

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self.find(one), self.find(other)))
        self.parent[second] = first


def pair(spans: Sequence[Span]) -> Pairing:
    """Match the calls and results of a transcript; linear in its length."""
    union = _Union()
    call_of: dict[int, int] = {}
    closed: set[int] = set()
    open_calls: dict[str, list[int]] = {}
    last_of: dict[str, int] = {}
    by_span_id = {span.span_id: number for number, span in enumerate(spans)}
    for number, span in enumerate(spans):
        call_id = span.tool_call_id
        if span.kind == CALL_KIND:
            if call_id is not None:
                open_calls.setdefault(call_id, []).append(number)
                last_of[call_id] = number
        elif call_id is not None:
            waiting = open_calls.get(call_id)
            call = waiting[0] if waiting else last_of.get(call_id)
            if call is None:
                # An orphan: later results of the same lost call still belong together.
                last_of[call_id] = number
                continue
            union.join(call, number)
            if spans[call].kind == CALL_KIND:
                call_of[number] = call
                if not span.interim:
                    closed.add(call)
                    if waiting:
                        waiting.pop(0)
        else:
            _pair_by_parent(number, span, spans, by_span_id, union, call_of, closed)
    _join_batches(spans, union)
    return _collect(union, call_of, closed)


def _pair_by_parent(
    number: int,
    span: Span,
    spans: Sequence[Span],
    by_span_id: dict[str, int],
    union: _Union,
    call_of: dict[int, int],
    closed: set[int],
) -> None:
    """A result without a call id answers the call that it names as its parent, if that call has no id either."""
    if span.kind in ("reasoning", "assistant_message", "user_message", "system", "summary", "pointer"):
        return
    for parent in span.parents:
        call = by_span_id.get(parent)
        if call is not None and spans[call].kind == CALL_KIND and spans[call].tool_call_id is None:
            union.join(call, number)
            call_of[number] = call
            if not span.interim:
                closed.add(call)


def _join_batches(spans: Sequence[Span], union: _Union) -> None:
    first_of: dict[str, int] = {}
    for number, span in enumerate(spans):
        if span.batch is not None:
            union.join(first_of.setdefault(span.batch, number), number)


def _collect(union: _Union, call_of: dict[int, int], closed: set[int]) -> Pairing:
    members: dict[int, list[int]] = {}
    for number in sorted(union.parent):
        members.setdefault(union.find(number), []).append(number)
    groups = {root: tuple(found) for root, found in members.items() if len(found) > 1}
    group = {number: root for root, found in groups.items() for number in found}
    return Pairing(group, groups, call_of, frozenset(closed))


def is_split(pairing: Pairing, position: int, present: Iterable[int] | frozenset[int]) -> bool:
    """Whether evicting a span parts it from a partner that stays (``present``: retained or spilled positions)."""
    stays = present if isinstance(present, frozenset) else frozenset(present)
    return any(partner in stays for partner in pairing.partners(position))
