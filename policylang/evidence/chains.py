"""Causal chains and ε per chain (SPEC §4, condition 3 of the document).

A chain is given by the runtime, or derived from parents, call and result pairs, and value flow: a later span that uses
a distinctive value which an assertion introduced follows from it. A span without a chain of its own that links to one
with a chain joins it; two chains that a runtime named never merge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from policylang.evidence.model import Extraction
from policylang.evidence.pairs import Pairing
from policylang.regex import compile_words
from policylang.transcript.span import Span

FLOW_TYPES = frozenset({"id", "checksum", "url"})
"""Types whose values are distinctive enough to show that one span uses what another established."""

FLOW_LENGTH = 6
FLOW_SHARE = 0.1
FLOW_MINIMUM = 8
"""A value used in more than max(8, 10 %) of the spans names the whole session (a host, a work folder), not a chain."""

_JOINTS = "-.:/@+%"
_BATCH = 500
"""Values in one pattern; more would outgrow RE2's automaton."""


def chain_ids(spans: Sequence[Span], pairing: Pairing, extraction: Callable[[int], Extraction]) -> tuple[str, ...]:
    """The chain id of every span. A derived chain is named after its first span, as ``derived:<span id>``."""
    if all(span.chain is not None for span in spans):
        return tuple(str(span.chain) for span in spans)
    parent = list(range(len(spans)))

    def find(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    adopted: dict[int, tuple[int, str]] = {}  # root -> (position of the named span, its chain)
    for one, other in _links(spans, pairing, extraction):
        named_one, named_other = spans[one].chain, spans[other].chain
        if named_one is not None and named_other is not None:
            continue
        if named_one is not None or named_other is not None:
            free, named = (other, one) if named_one is not None else (one, other)
            root, offer = find(free), (named, str(spans[named].chain))
            adopted[root] = min(adopted.get(root, offer), offer)
            continue
        first, second = sorted((find(one), find(other)))
        if first != second:
            parent[second] = first
            if second in adopted:
                offer = adopted.pop(second)
                adopted[first] = min(adopted.get(first, offer), offer)
    return tuple(
        span.chain if span.chain is not None else _name(find(number), spans, adopted)
        for number, span in enumerate(spans)
    )


def _name(root: int, spans: Sequence[Span], adopted: dict[int, tuple[int, str]]) -> str:
    return adopted[root][1] if root in adopted else f"derived:{spans[root].span_id}"


def _links(
    spans: Sequence[Span], pairing: Pairing, extraction: Callable[[int], Extraction]
) -> Iterable[tuple[int, int]]:
    position = {span.span_id: number for number, span in enumerate(spans)}
    for number, span in enumerate(spans):
        for parent_id in span.parents:
            if parent_id in position and position[parent_id] != number:
                yield position[parent_id], number
    for members in pairing.members.values():
        for other in members[1:]:
            yield members[0], other
    yield from _value_flow(spans, extraction)


def _value_flow(spans: Sequence[Span], extraction: Callable[[int], Extraction]) -> Iterable[tuple[int, int]]:
    introduced: dict[str, int] = {}
    for number in range(len(spans)):
        for item in extraction(number).assertions:
            if item.type in FLOW_TYPES and len(item.raw) >= FLOW_LENGTH:
                introduced.setdefault(item.raw, number)
    users: dict[str, list[int]] = {}
    for some in _batched(sorted(introduced, key=lambda value: (-len(value), value)), _BATCH):
        # One linear pass a text for all values at once; the longest that fits at a place is the one used there.
        pattern = compile_words(some)
        for number, span in enumerate(spans):
            found = {match.group() for match in pattern.finditer(span.text) if _stands_alone(span.text, *match.span())}
            for value in found:
                if introduced[value] < number:
                    users.setdefault(value, []).append(number)
    limit = max(FLOW_MINIMUM, FLOW_SHARE * len(spans))
    for value in sorted(users):
        if len(users[value]) <= limit:
            for number in users[value]:
                yield introduced[value], number


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is a whole token and not part of a longer one (`zx-77` in `zx-77-b`)."""
    return not (_goes_on(text[max(start - 2, 0) : start][::-1]) or _goes_on(text[end : end + 2]))


def _goes_on(beside: str) -> bool:
    if not beside:
        return False
    if beside[0].isalnum() or beside[0] == "_":
        return True
    return beside[0] in _JOINTS and beside[1:].isalnum()


def _batched(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Slices of at most ``size`` items."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def epsilon(evicted: Iterable[tuple[int, float | None]], mass: int) -> float | None:
    """ε = Σ loss·mass over the evicted spans ÷ ``mass``, the total over all spans; unknown if a loss that counts is.

    ``evicted`` gives (mass, loss) of each evicted span. A chain with no evicted mass has ε 0, however little it holds.
    """
    terms: list[float] = []
    for weight, loss in evicted:
        if weight == 0:
            continue
        if loss is None:
            return None
        terms.append(weight * loss)
    if not terms:
        return 0.0
    # fsum is exactly rounded, so the order of spans cannot move a chain across its bound.
    return math.fsum(terms) / mass
