"""Expressions over frames: each node is evaluated once for all rows of a frame.

A quantifier expands its list into a frame of elements and folds the body's column back, so nesting needs nothing
special. Dear operands of `and` and `or` and the branches of `if` see only the rows that they decide. What does not
depend on a frame's own variable is evaluated in the enclosing frame.
"""

from __future__ import annotations

from typing import assert_never

import numpy as np

from policylang.compiler import columns_math as exact
from policylang.compiler import columns_text as text
from policylang.compiler.columns_data import (
    Array,
    Bools,
    Column,
    Lists,
    Pool,
    Value,
    constant,
    full,
    known,
    scatter,
    scatter_lists,
    where_known,
)
from policylang.compiler.columns_encode import ENTITIES, RECORDS, WORLD, Key, Tables, epsilon_key
from policylang.compiler.columns_fold import any_or_all, fold
from policylang.compiler.columns_frame import Frame
from policylang.compiler.columns_member import equal, equal_lists, join, listed, negated
from policylang.compiler.shape import DEAR, Shapes
from policylang.rules_ir import expr as ir
from policylang.rules_ir.types import BOOL, INT, NUMBER, Type

CHUNK = 1 << 20
"""Elements of a quantifier that are held at once."""


class Evaluator:
    """Evaluates the expressions of one rule over frames of encoded worlds."""

    __slots__ = ("pool", "shapes", "tables")

    def __init__(self, tables: Tables, pool: Pool, shapes: Shapes) -> None:
        self.tables = tables
        self.pool = pool
        self.shapes = shapes

    def truth(self, expr: ir.Expr, frame: Frame) -> Bools:
        """The column of a bool expression."""
        found = self.value(expr, frame)
        if not isinstance(found, Bools):
            raise TypeError(f"{type(expr).__name__} is no bool")
        return found

    def column(self, expr: ir.Expr, frame: Frame) -> Column:
        """The column of an expression that is neither a bool nor a list."""
        found = self.value(expr, frame)
        if not isinstance(found, Column):
            raise TypeError(f"{type(expr).__name__} is no single value")
        return found

    def lists(self, expr: ir.Expr, frame: Frame) -> Lists:
        """The column of a list."""
        found = self.value(expr, frame)
        if not isinstance(found, Lists):
            raise TypeError(f"{type(expr).__name__} is no list")
        return found

    def value(self, expr: ir.Expr, frame: Frame) -> Value:
        """The column of any expression."""
        shape = self.shapes.of(expr)
        if shape.cost >= DEAR and not isinstance(expr, (ir.And, ir.Or, ir.If)):
            home = frame.home(shape.free)
            if home is not frame:
                key = ("home", id(expr))
                found = home.cache.get(key)
                if found is None:
                    found = home.cache[key] = self._value(expr, home)
                return frame.lift(found, home)
        return self._value(expr, frame)

    def _value(self, expr: ir.Expr, frame: Frame) -> Value:
        match expr:
            case ir.Const():
                return self._const(expr.value)
            case ir.Var():
                return frame.slot(expr.slot)
            case ir.Global() | ir.Field() | ir.Meta() | ir.Epsilon():
                return self._read(expr, frame)
            case ir.ListLit():
                return self._list(expr, frame)
            case ir.Not():
                return negated(self.truth(expr.operand, frame))
            case ir.And() | ir.Or():
                return self._connective(expr, frame)
            case ir.Compare():
                return self._compare(expr, frame)
            case ir.In():
                return self._in(expr, frame)
            case ir.If():
                return self._if(expr, frame)
            case ir.IsKnown():
                return self._is_known(expr, frame)
            case ir.Quant():
                return self._quantifier(expr, frame)
            case ir.Neg():
                return exact.negate(self.column(expr.operand, frame))
            case ir.Arith():
                return exact.arithmetic(expr.op, self.column(expr.left, frame), self.column(expr.right, frame))
            case ir.Matches():
                return text.matches(self.column(expr.subject, frame), expr.pattern, expr.flags, self.pool)
            case ir.Builtin():
                return self._builtin(expr, frame)
            case _:
                assert_never(expr)

    # --- reads ---------------------------------------------------------------------------------------------------

    def _const(self, value: bool | int | float | str) -> Value:
        if isinstance(value, bool):
            return known(np.array(value))
        if isinstance(value, str):
            return Column("text", np.array(self.pool.code(value), dtype=np.int32))
        return constant(value)

    def _read(self, expr: ir.Global | ir.Field | ir.Meta | ir.Epsilon, frame: Frame) -> Value:
        key: Key
        base: ir.Expr | None
        match expr:
            case ir.Global():
                key, base = (WORLD.name, expr.name), None
            case ir.Field():
                key, base = (expr.base.type.name, expr.name), expr.base
            case ir.Meta():
                key, base = (expr.span.type.name, "meta", expr.key), expr.span
            case ir.Epsilon():
                key, base = epsilon_key(expr), expr.chain
        if base is None or base.type in RECORDS:
            place: int | None = -1
        else:
            place = base.slot if isinstance(base, ir.Var) else None
        found = None if place is None else frame.cache.get((place, key))
        if found is None:
            column = self.tables.columns[key]
            if place == -1 or base is None:
                found = frame.at_world(column)
            else:
                rows = self.column(base, frame)
                found = where_known(column if rows.whole else column.take(rows.data), rows.unknown)
            if place is not None:
                frame.cache[(place, key)] = found
        return found

    def _list(self, expr: ir.ListLit, frame: Frame) -> Lists:
        """A list of literals or of expressions: element ``j`` of row ``i`` is at ``i * width + j``."""
        width, count = len(expr.items), frame.count
        start = np.arange(count) * width
        if not width:
            return Lists(start, start, _unknown(_element(expr.type), 0))
        pieces: list[tuple[Array, Bools | Column]] = []
        for place, item in enumerate(expr.items):
            value = self.value(item, frame)
            if isinstance(value, Lists):
                raise TypeError("a list of lists has no column")
            pieces.append((start + place, value))
        return Lists(start, start + width, scatter(pieces, count * width))

    # --- operators -----------------------------------------------------------------------------------------------

    def _connective(self, expr: ir.And | ir.Or, frame: Frame) -> Bools:
        both = isinstance(expr, ir.And)
        first, *rest = self.shapes.by_cost(expr.operands)
        result = self.truth(first, frame)
        for operand in rest:
            if self.shapes.of(operand).cost >= DEAR:
                open_rows = np.flatnonzero(full(result.maybe if both else ~result.true, frame.count))
                if not len(open_rows):
                    break
                if len(open_rows) < frame.count:
                    part = self.truth(operand, frame.select(open_rows))
                    result = join(result.take(open_rows), part, both).spread(open_rows, frame.count, not both)
                    continue
            result = join(result, self.truth(operand, frame), both)
        return result

    def _compare(self, expr: ir.Compare, frame: Frame) -> Bools:
        left, right = self.value(expr.left, frame), self.value(expr.right, frame)
        if isinstance(left, Column) and isinstance(right, Column):
            return exact.compare(expr.op, left, right)
        if isinstance(left, Lists) and isinstance(right, Lists):
            same = equal_lists(left, right)
        else:
            same = equal(left, right)
        return negated(same) if expr.op == "!=" else same

    def _in(self, expr: ir.In, frame: Frame) -> Bools:
        item = self.value(expr.item, frame)
        if isinstance(item, Lists):
            raise TypeError("a list of lists has no column")
        if isinstance(expr.collection, ir.ListLit):
            found = known(np.array(False))
            for other in expr.collection.items:
                found = join(found, equal(item, self.value(other, frame)), both=False)
        else:
            items = self.lists(expr.collection, frame)
            found = judged_as(listed(item, items, frame.count), items.unknown)
        unknown = item.unknown() if isinstance(item, Bools) else item.unknown
        found = judged_as(found, unknown)
        return negated(found) if expr.negated else found

    def _if(self, expr: ir.If, frame: Frame) -> Value:
        condition = self.truth(expr.condition, frame)
        branches = ((expr.then, condition.true), (expr.otherwise, ~condition.maybe))
        pieces: list[tuple[Array, Value]] = []
        for branch, chosen in branches:
            rows = np.flatnonzero(full(chosen, frame.count))
            if len(rows) == frame.count:
                return self.value(branch, frame)
            if len(rows):
                pieces.append((rows, self.value(branch, frame.select(rows))))
        if not pieces:
            if expr.type.element is None:
                return _unknown(expr.type, frame.count)
            unlisted = np.ones(frame.count, np.bool_)
            start = np.zeros(frame.count, np.int64)
            return Lists(start, start, _unknown(expr.type.element, 0), unlisted)
        lists = [(rows, piece) for rows, piece in pieces if isinstance(piece, Lists)]
        if lists:
            return scatter_lists(lists, frame.count)
        return scatter([(rows, piece) for rows, piece in pieces if not isinstance(piece, Lists)], frame.count)

    def _is_known(self, expr: ir.IsKnown, frame: Frame) -> Bools:
        value = self.value(expr.operand, frame)
        unknown = value.unknown() if isinstance(value, Bools) else value.unknown
        if unknown is None:
            return known(np.array(not expr.negated))
        return known(unknown if expr.negated else ~unknown)

    def _builtin(self, expr: ir.Builtin, frame: Frame) -> Value:
        args = [self.value(arg, frame) for arg in expr.args]
        if isinstance(args[0], Lists):
            lengths = args[0].lengths()
            return Column("int", lengths, args[0].unknown, int(lengths.max(initial=0)))
        return text.builtin(expr.name, [arg for arg in args if isinstance(arg, Column)], self.pool)

    # --- quantifiers ---------------------------------------------------------------------------------------------

    def _quantifier(self, expr: ir.Quant, frame: Frame) -> Value:
        lists = self.lists(expr.collection, frame)
        stops = np.cumsum(lists.lengths())
        if frame.count < 2 or stops[-1] <= CHUNK:
            return self._fold(expr, lists, frame)
        pieces: list[tuple[Array, Bools | Column]] = []
        start = 0
        while start < frame.count:
            done = stops[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(stops, done + CHUNK, side="right")))
            rows = np.arange(start, stop)
            pieces.append((rows, self._fold(expr, lists.take(rows), frame.select(rows))))
            start = stop
        return scatter(pieces, frame.count)

    def _fold(self, expr: ir.Quant, lists: Lists, frame: Frame) -> Bools | Column:
        inner = frame.expand(expr.slot, lists)
        parents = inner.rows
        passes = known(np.array(True))
        if expr.where is not None:
            passes = self.truth(expr.where, inner)
            open_rows = np.flatnonzero(full(passes.maybe, inner.count))
            if len(open_rows) < inner.count:
                inner, passes = inner.select(open_rows), passes.take(open_rows)
                parents = None if parents is None else parents[open_rows]
        if parents is None:
            raise TypeError("an expanded frame has rows")
        body = self.value(expr.body, inner)
        if isinstance(body, Lists):
            raise TypeError("a quantifier over lists of lists")
        if expr.quantifier in ("any", "all"):
            if not isinstance(body, Bools):
                raise TypeError(f"the body of {expr.quantifier} is no bool")
            return any_or_all(expr.quantifier == "any", passes, body, parents, lists.unknown, frame.count)
        return fold(expr.quantifier, passes, body, parents, lists.unknown, frame.count)


def judged_as(found: Bools, unknown: Array | None) -> Bools:
    """A bool column, unknown also where the mask says so."""
    return found if unknown is None else Bools(found.true & ~unknown, found.maybe | unknown)


def _element(of: Type) -> Type:
    if of.element is None:
        raise TypeError(f"{of} is no list")
    return of.element


def _unknown(of: Type, count: int) -> Bools | Column:
    """A column of a type that is unknown in every row."""
    unknown = np.ones(count, np.bool_)
    if of == BOOL:
        return Bools(~unknown, unknown)
    if of in (INT, NUMBER):
        return Column("int", np.zeros(count, np.int64), unknown)
    return Column("row" if of in ENTITIES else "text", np.zeros(count, np.int64), unknown)
