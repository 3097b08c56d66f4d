"""Columns of values under three-valued logic, exact as Python is.

A bool column is two arrays, "is true" and "may be true": Kleene's connectives are then plain `&`, `|`, `~`. Any other
column is data and a mask of what is unknown. A column whose data has no dimension is one value for all rows.
Ints are int64 while a bound on their size proves that nothing can wrap, else Python objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

INT64_BOUND: Final = 2**63 - 1
EXACT_FLOAT: Final = 2**53
"""Ints up to here are floats without loss."""


def at(array: Array, rows: Array | slice) -> Array:
    """The array at other rows (a slice stands for all of them); one value for all rows stays so."""
    taken: Array = array if array.ndim == 0 else array[rows]
    return taken


@dataclass(frozen=True, slots=True)
class Bools:
    """``true``: rows that are true; ``maybe``: rows that are true or unknown (the same array if none is unknown)."""

    true: Array
    maybe: Array

    def take(self, rows: Array | slice) -> Bools:
        """The column at other rows."""
        if isinstance(rows, slice):
            return self
        true = at(self.true, rows)
        return known(true) if self.maybe is self.true else Bools(true, at(self.maybe, rows))

    def unknown(self) -> Array | None:
        """The mask of unknown rows, None if there are none by construction."""
        return None if self.maybe is self.true else self.maybe & ~self.true

    def spread(self, rows: Array, count: int, rest: bool) -> Bools:
        """A column of ``count`` rows that has this one's values at ``rows`` and ``rest`` elsewhere."""
        true = np.full(count, rest)
        true[rows] = self.true
        if self.maybe is self.true:
            return known(true)
        maybe = np.full(count, rest)
        maybe[rows] = self.maybe
        return Bools(true, maybe)


@dataclass(frozen=True, slots=True)
class Column:
    """Values that are no bools.

    Attributes:
        kind: `int` (int64), `float` (float64), `object` (Python ints and floats), `text` (int32 codes of the pool),
            `row` (int64 rows of the entity's table).
        data: The values; arbitrary where unknown, but of a harmless value.
        unknown: The mask of unknown rows, None if there are none.
        bound: No int64 value is larger in size.
        whole: Row ``i`` of a `row` column is ``i``, and the table has no more rows.
    """

    kind: Literal["int", "float", "object", "text", "row"]
    data: Array
    unknown: Array | None = None
    bound: int = 0
    whole: bool = False

    def take(self, rows: Array | slice) -> Column:
        """The column at other rows."""
        if isinstance(rows, slice):
            return self
        unknown = None if self.unknown is None else at(self.unknown, rows)
        return Column(self.kind, at(self.data, rows), unknown, self.bound)


@dataclass(frozen=True, slots=True)
class Lists:
    """One list per row: the range ``start`` to ``stop`` of ``flat``."""

    start: Array
    stop: Array
    flat: Bools | Column
    unknown: Array | None = None

    def take(self, rows: Array | slice) -> Lists:
        """The column at other rows."""
        unknown = None if self.unknown is None else at(self.unknown, rows)
        return Lists(self.start[rows], self.stop[rows], self.flat, unknown)

    def lengths(self) -> Array:
        """The length of each list; 0 where unknown."""
        lengths = self.stop - self.start
        return lengths if self.unknown is None else np.where(self.unknown, 0, lengths)


Value = Bools | Column | Lists


class Pool:
    """Texts by code. A child extends a frozen parent, so a run can add texts without touching what it was given."""

    __slots__ = ("_codes", "_parent", "_start", "_texts")

    def __init__(self, parent: Pool | None = None) -> None:
        self._parent = parent
        self._start = 0 if parent is None else len(parent)
        self._texts: list[str] = []
        self._codes: dict[str, int] = {}
        if parent is None:
            # Code 0 stands in unknown rows, so it must name some text.
            self.code("")

    def __len__(self) -> int:
        return self._start + len(self._texts)

    def code(self, text: str) -> int:
        """The code of a text, a new one if it has none."""
        found = None if self._parent is None else self._parent._codes.get(text)
        if found is None:
            found = self._codes.get(text)
        if found is None:
            found = self._codes[text] = len(self)
            self._texts.append(text)
        return found

    def text(self, code: int) -> str:
        """The text of a code."""
        if self._parent is not None and code < self._start:
            return self._parent._texts[code]
        return self._texts[code - self._start]

    def encode(self, values: Sequence[str | None]) -> Column:
        """A text column out of texts, None for unknown."""
        codes: dict[str | None, int] = {text: self.code(text) for text in dict.fromkeys(values) if text is not None}
        codes[None] = -1
        data = np.fromiter(map(codes.__getitem__, values), np.int32, len(values))
        return Column("text", *_masked(data, data < 0))


def known(true: Array) -> Bools:
    """A bool column without unknown rows."""
    return Bools(true, true)


def judged(true: Array, unknown: Array | None) -> Bools:
    """A bool column from values and the mask of unknown rows."""
    return known(true) if unknown is None else Bools(true & ~unknown, true | unknown)


def where_known(value: Value, unknown: Array | None) -> Value:
    """The column, unknown also where the mask says so."""
    if unknown is None:
        return value
    match value:
        case Bools():
            return Bools(value.true & ~unknown, value.maybe | unknown)
        case Column():
            return Column(value.kind, value.data, either(value.unknown, unknown), value.bound)
        case Lists():
            return Lists(value.start, value.stop, value.flat, either(value.unknown, unknown))


def either(*masks: Array | None) -> Array | None:
    """The union of masks, None standing for an empty one."""
    found: Array | None = None
    for mask in masks:
        if mask is not None:
            found = mask if found is None else found | mask
    return found


def _masked(data: Array, unknown: Array) -> tuple[Array, Array | None]:
    if not unknown.any():
        return data, None
    return np.where(unknown, 0, data).astype(data.dtype), unknown


def numbers(values: Sequence[Any]) -> Column:
    """A number column out of ints and floats, None for unknown."""
    types = set(map(type, values))
    unknown = None
    if type(None) in types:
        types.discard(type(None))
        unknown = np.array([value is None for value in values], dtype=np.bool_)
        filler = 0.0 if types == {float} else 0
        values = [filler if value is None else value for value in values]
    if types == {float}:
        return Column("float", np.array(values, dtype=np.float64), unknown)
    if types <= {int}:
        try:
            data = np.array(values, dtype=np.int64)
        except OverflowError:
            return Column("object", objects(values), unknown)
        bound = max(int(data.max(initial=0)), -int(data.min(initial=0)))
        if bound <= INT64_BOUND:
            return Column("int", data, unknown, bound)
    return Column("object", objects(values), unknown)


def objects(values: Sequence[Any]) -> Array:
    """A one-dimensional array of Python objects."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def bools(values: Sequence[bool | None]) -> Bools:
    """A bool column out of bools, None for unknown."""
    true = np.array(values, dtype=np.bool_)
    if None not in values:
        return known(true)
    return Bools(true, np.array([value is not False for value in values], dtype=np.bool_))


def constant(value: int | float) -> Column:
    """One number for all rows."""
    if isinstance(value, float):
        return Column("float", np.array(value, dtype=np.float64))
    if abs(value) <= INT64_BOUND:
        return Column("int", np.array(value, dtype=np.int64), None, abs(value))
    out = np.empty((), dtype=object)
    out[()] = value
    return Column("object", out)


def full(array: Array, count: int) -> Array:
    """The array with one entry per row."""
    return np.broadcast_to(array, (count,)) if array.ndim == 0 else array


def as_objects(column: Column, count: int) -> list[Any]:
    """The values as Python objects, None for unknown."""
    found: list[Any] = full(column.data, count).tolist()
    if column.unknown is not None:
        for row in np.flatnonzero(full(column.unknown, count)).tolist():
            found[row] = None
    return found


def same_kind(parts: Sequence[Column]) -> list[Column]:
    """Number columns in one kind that holds them all exactly; ints among floats stay ints, as objects."""
    kinds = {part.kind for part in parts}
    if len(kinds) == 1:
        return list(parts)
    return [Column("object", np.asarray(part.data).astype(object), part.unknown) for part in parts]


def scatter(parts: Sequence[tuple[Array, Bools | Column]], count: int) -> Bools | Column:
    """One column of ``count`` rows out of pieces at the given rows; rows that no piece names are unknown."""
    if isinstance(parts[0][1], Bools):
        true, maybe = np.zeros(count, np.bool_), np.ones(count, np.bool_)
        for rows, piece in parts:
            if isinstance(piece, Bools):
                true[rows], maybe[rows] = piece.true, piece.maybe
        return Bools(true, maybe)
    columns = same_kind([piece for _, piece in parts if isinstance(piece, Column)])
    data = np.zeros(count, columns[0].data.dtype)
    unknown = np.ones(count, np.bool_)
    for (rows, _), column in zip(parts, columns, strict=True):
        data[rows] = column.data
        unknown[rows] = False if column.unknown is None else column.unknown
    bound = max(column.bound for column in columns)
    return Column(columns[0].kind, data, unknown if unknown.any() else None, bound)


def scatter_lists(parts: Sequence[tuple[Array, Lists]], count: int) -> Lists:
    """`scatter` for lists; their elements are laid one after the other."""
    start, stop = np.zeros(count, np.int64), np.zeros(count, np.int64)
    unknown = np.ones(count, np.bool_)
    pieces: list[tuple[Array, Bools | Column]] = []
    base = 0
    for rows, lists in parts:
        flat = lists.flat
        size = len(flat.true) if isinstance(flat, Bools) else len(flat.data)
        start[rows], stop[rows] = lists.start + base, lists.stop + base
        unknown[rows] = False if lists.unknown is None else lists.unknown
        if size:
            pieces.append((np.arange(base, base + size), flat))
        base += size
    joined = scatter(pieces, base) if pieces else parts[0][1].flat
    return Lists(start, stop, joined, unknown if unknown.any() else None)
