"""Equality, membership and the connectives of whole columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from policylang.compiler import columns_math as exact
from policylang.compiler import values
from policylang.compiler.columns_data import Array, Bools, Column, Lists, Value, as_objects, bools, full, judged, known
from policylang.compiler.columns_frame import expansion


def join(left: Bools, right: Bools, both: bool) -> Bools:
    """Kleene `and` (``both``) or `or`."""
    true = left.true & right.true if both else left.true | right.true
    if left.maybe is left.true and right.maybe is right.true:
        return known(true)
    return Bools(true, left.maybe & right.maybe if both else left.maybe | right.maybe)


def negated(operand: Bools) -> Bools:
    """Kleene `not`."""
    true = ~operand.maybe
    return known(true) if operand.maybe is operand.true else Bools(true, ~operand.true)


def equal(left: Value, right: Value) -> Bools:
    """`==` of two columns of one sort that are no lists."""
    if isinstance(left, Bools) and isinstance(right, Bools):
        same = known(left.true == right.true)
        for side in (left, right):
            unknown = side.unknown()
            if unknown is not None:
                same = Bools(same.true & ~unknown, same.maybe | unknown)
        return same
    if isinstance(left, Column) and isinstance(right, Column):
        return exact.compare("==", left, right)
    raise TypeError("only columns of one sort can be equal")


def equal_lists(left: Lists, right: Lists) -> Bools:
    """`==` of lists, row by row: a known difference beats an unknown item."""
    ones, others = _python(left), _python(right)
    return bools([values.equal(one, other) for one, other in zip(ones, others, strict=True)])


def _python(lists: Lists) -> list[list[Any] | None]:
    """The lists as Python lists; texts and entities as their codes and rows, which compare alike."""
    flat = lists.flat
    if isinstance(flat, Bools):
        pairs = zip(flat.true.tolist(), flat.maybe.tolist(), strict=True)
        items = [true if true == maybe else None for true, maybe in pairs]
    else:
        items = as_objects(flat, len(flat.data))
    found: list[list[Any] | None] = [
        items[start:stop] for start, stop in zip(lists.start.tolist(), lists.stop.tolist(), strict=True)
    ]
    if lists.unknown is not None:
        for row in np.flatnonzero(lists.unknown).tolist():
            found[row] = None
    return found


def listed(item: Bools | Column, lists: Lists, count: int) -> Bools:
    """`in` for known items and lists: true if some element equals, else unknown if some element is unknown."""
    flat = lists.flat
    if isinstance(item, Column) and isinstance(flat, Column) and flat.unknown is None and flat.kind in ("text", "row"):
        return known(_looked_up(full(item.data, count), lists, flat.data))
    parents, elements = expansion(lists)
    same = equal(_per_row(item, count).take(parents), flat.take(elements))
    true, maybe = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    true[parents[full(same.true, len(parents))]] = True
    maybe[parents[full(same.maybe, len(parents))]] = True
    return Bools(true, maybe)


def _per_row(item: Bools | Column, count: int) -> Bools | Column:
    if isinstance(item, Bools):
        return judged(full(item.true, count), item.unknown())
    return Column(item.kind, full(item.data, count), item.unknown, item.bound)


def _looked_up(items: Array, lists: Lists, flat: Array) -> Array:
    """Membership by a sorted table of (list, element), each distinct list laid out once."""
    ranges = np.where(lists.lengths() > 0, lists.start * (len(flat) + 1) + lists.stop, 0)
    _, first, which = np.unique(ranges, return_index=True, return_inverse=True)
    owners, elements = expansion(lists.take(first))
    width = int(max(items.max(initial=0), flat.max(initial=0))) + 1
    table = np.unique(owners * width + flat[elements])
    if not len(table):
        return np.zeros(len(items), np.bool_)
    wanted = which.reshape(items.shape) * width + items
    place = np.minimum(np.searchsorted(table, wanted), len(table) - 1)
    found: Array = table[place] == wanted
    return found
