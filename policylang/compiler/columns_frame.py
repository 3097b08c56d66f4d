"""Frames: the rows over which an expression is evaluated at once, and how they come from one another."""

from __future__ import annotations

from typing import Any

import numpy as np

from policylang.compiler.columns_data import Array, Bools, Column, Lists, Value


class Frame:
    """Rows in which some slots are bound.

    A frame is the worlds themselves, the elements of a list for each row of its parent (it then binds a slot), or a
    selection of its parent's rows. ``rows`` names the parent's row of each row, ascending.
    """

    __slots__ = ("_world", "bound", "cache", "count", "parent", "rows", "slots")

    def __init__(
        self,
        count: int,
        parent: Frame | None = None,
        rows: Array | None = None,
        slots: dict[int, Bools | Column] | None = None,
    ) -> None:
        self.count = count
        self._world: Array | None = None
        self.parent = parent
        self.rows = rows
        self.slots: dict[int, Any] = slots or {}
        self.bound = frozenset(self.slots)
        self.cache: dict[object, Value] = {}

    def slot(self, slot: int) -> Bools | Column:
        """The values of a slot's variable, one a row."""
        found: Bools | Column | None = self.slots.get(slot)
        if found is None:
            if self.parent is None or self.rows is None:
                raise KeyError(f"slot {slot} is not bound")
            found = self.slots[slot] = self.parent.slot(slot).take(self.rows)
        return found

    def at_world(self, column: Value) -> Value:
        """A column with one row per world, at the world of each row."""
        return column if self.world is None else column.take(self.world)

    def select(self, rows: Array) -> Frame:
        """Some of the rows."""
        return Frame(len(rows), self, rows)

    @property
    def world(self) -> Array | None:
        """The world of each row; None in the frame of the worlds themselves."""
        if self._world is None and self.parent is not None and self.rows is not None:
            above = self.parent.world
            self._world = self.rows if above is None else above[self.rows]
        return self._world

    def expand(self, slot: int, lists: Lists) -> Frame:
        """One row for each element of each row's list, bound to ``slot``."""
        parents, elements = expansion(lists)
        return Frame(len(parents), self, parents, {slot: lists.flat.take(elements)})

    def home(self, free: frozenset[int]) -> Frame:
        """The smallest frame up the line that still tells apart all that ``free`` slots tell apart."""
        best = frame = self
        while frame.parent is not None and not frame.bound & free:
            frame = frame.parent
            if frame.count <= best.count:
                best = frame
        return best

    def lift(self, column: Value, home: Frame) -> Value:
        """A column of an enclosing frame, at this frame's rows."""
        if self is home or self.parent is None or self.rows is None:
            return column
        return self.parent.lift(column, home).take(self.rows)


def expansion(lists: Lists) -> tuple[Array, Array | slice]:
    """(row, index into ``flat``) of every element of every row's list; a slice if that is all of it in order."""
    lengths = lists.lengths()
    parents = np.repeat(np.arange(len(lengths)), lengths)
    flat = lists.flat.true if isinstance(lists.flat, Bools) else lists.flat.data
    starts = np.cumsum(lengths) - lengths
    if len(parents) == len(flat) and lists.unknown is None and (lists.start == starts).all():
        return parents, slice(None)
    return parents, np.arange(len(parents)) + np.repeat(lists.start - starts, lengths)
