"""Quantifiers: a column over elements folded back to one row per list."""

from __future__ import annotations

from typing import Literal

import numpy as np

from policylang.compiler.columns_data import Array, Bools, Column, either, full
from policylang.compiler.columns_math import segment_extreme, segment_sum


def any_or_all(some: bool, passes: Bools, body: Bools, parents: Array, unlisted: Array | None, count: int) -> Bools:
    """`any` (``some``) or `all` of the elements of each of ``count`` lists.

    ``passes`` is the filter, true or unknown in every row; ``parents`` names each element's list; ``unlisted`` masks
    the lists that are themselves unknown.
    """
    if some:
        decides, opens = body.true & passes.true, body.maybe
    else:
        decides, opens = ~body.maybe & passes.true, ~body.true
    decided, undecided = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    decided[parents[full(decides, len(parents))]] = True
    undecided[parents[full(opens, len(parents))]] = True
    found = Bools(decided, undecided) if some else Bools(~undecided, ~decided)
    return found if unlisted is None else Bools(found.true & ~unlisted, found.maybe | unlisted)


def fold(
    quantifier: Literal["any", "all", "count", "sum", "min", "max"],
    passes: Bools,
    body: Bools | Column,
    parents: Array,
    unlisted: Array | None,
    count: int,
) -> Column:
    """`count`, `sum`, `min`, `max`: unknown if a filter or an element that passes is unknown."""
    size = len(parents)
    doubtful = passes.unknown()
    unknown = body.unknown() if isinstance(body, Bools) else body.unknown
    if unknown is not None:
        doubtful = either(doubtful, unknown & passes.true)
    spoilt = None
    if doubtful is not None:
        spoilt = np.zeros(count, np.bool_)
        spoilt[parents[full(doubtful, size)]] = True
        keep = np.flatnonzero(full(passes.true & ~doubtful, size))
        parents, body = parents[keep], body.take(keep)
    missing = either(spoilt, unlisted)
    if isinstance(body, Bools):
        counted = np.bincount(parents[full(body.true, len(parents))], minlength=count)
        return Column("int", counted, missing, len(parents))
    body = Column(body.kind, body.data, None, body.bound)
    if quantifier == "sum":
        found = segment_sum(body, parents, count)
    else:
        found = segment_extreme(body, parents, count, largest=quantifier == "max")
    return Column(found.kind, found.data, either(found.unknown, missing), found.bound)
