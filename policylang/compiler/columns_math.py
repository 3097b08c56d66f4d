"""Operators on number columns, exact as Python is: fast where a bound proves it safe, else on Python objects."""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, mul, ne
from typing import Any, Final

import numpy as np

from policylang.compiler import values
from policylang.compiler.columns_data import (
    EXACT_FLOAT,
    INT64_BOUND,
    Array,
    Bools,
    Column,
    as_objects,
    either,
    full,
    judged,
    numbers,
)

COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_UFUNCS: Final = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}


def compare(op: str, left: Column, right: Column) -> Bools:
    """`== != < <= > >=` of two number, text or row columns of one sort."""
    unknown = either(left.unknown, right.unknown)
    one, other = left.data, right.data
    if left.kind != right.kind:
        if _inexact(left) or _inexact(right):
            one, other = one.astype(object), other.astype(object)
        else:
            one, other = one.astype(np.float64), other.astype(np.float64)
    return judged(np.asarray(COMPARISONS[op](one, other), dtype=np.bool_), unknown)


def _inexact(column: Column) -> bool:
    """Whether some value may not be a float exactly."""
    return column.kind == "object" or (column.kind == "int" and column.bound > EXACT_FLOAT)


def negate(column: Column) -> Column:
    """Unary minus."""
    data = np.empty_like(column.data)
    np.negative(column.data, out=data)
    return Column(column.kind, data, column.unknown, column.bound)


def arithmetic(op: str, left: Column, right: Column) -> Column:
    """`+ - * /` with unknown for overflow, NaN and division by zero."""
    if left.kind == "int" and right.kind == "int":
        if op != "/":
            bound = (mul if op == "*" else _plus)(left.bound, right.bound)
            if bound <= INT64_BOUND:
                unknown = either(left.unknown, right.unknown)
                return Column("int", np.asarray(_UFUNCS[op](left.data, right.data)), unknown, bound)
            return _by_objects(op, left, right)
        if left.bound > EXACT_FLOAT or right.bound > EXACT_FLOAT:
            return _by_objects(op, left, right)
    elif left.kind == "object" or right.kind == "object":
        return _by_objects(op, left, right)
    return _floats(op, left, right)


def _plus(left: int, right: int) -> int:
    return left + right


def _floats(op: str, left: Column, right: Column) -> Column:
    """Float arithmetic; an int operand is rounded to the nearest float, as Python does."""
    one, other = left.data.astype(np.float64), right.data.astype(np.float64)
    unknown = either(left.unknown, right.unknown)
    with np.errstate(all="ignore"):
        result = np.asarray(_UFUNCS[op](one, other))
    bad = np.isnan(result) | (np.isinf(result) & np.isfinite(one) & np.isfinite(other))
    if op == "/":
        bad |= other == 0
    if bad.any():
        unknown = either(unknown, bad)
        result = np.where(bad, 0.0, result)
    return Column("float", result, unknown)


def _by_objects(op: str, left: Column, right: Column) -> Column:
    count = max(_size(left), _size(right))
    operation = values.ARITHMETIC[op]
    result = numbers(list(map(operation, as_objects(left, count), as_objects(right, count))))
    if any(array is not None and array.ndim for side in (left, right) for array in (side.data, side.unknown)):
        return result
    unknown = None if result.unknown is None else result.unknown.reshape(())
    return Column(result.kind, result.data.reshape(()), unknown, result.bound)


def _size(column: Column) -> int:
    sizes = [array.size for array in (column.data, column.unknown) if array is not None and array.ndim]
    return sizes[0] if sizes else 1


# --- folds over segments ---------------------------------------------------------------------------------------------


def segment_sum(column: Column, parents: Array, count: int) -> Column:
    """The sum per parent, from left to right; 0 for a parent without values. ``parents`` ascends."""
    data = full(column.data, len(parents))
    if column.kind == "int" and column.bound * max(1, len(parents)) <= INT64_BOUND:
        sums = np.zeros(count, np.int64)
        _reduce(np.add, data, parents, sums)
        return Column("int", sums, None, column.bound * max(1, len(parents)))
    if column.kind == "float" and len(parents):
        sums = np.bincount(parents, weights=data, minlength=count)
        if np.isfinite(sums).all() and (np.bincount(parents, minlength=count) > 0).all():
            return Column("float", sums)
    return numbers([values.total(found) for found in _lists(data, parents, count)])


def segment_extreme(column: Column, parents: Array, count: int, *, largest: bool) -> Column:
    """The largest or smallest per parent; unknown for a parent without values. ``parents`` ascends."""
    data = full(column.data, len(parents))
    if column.kind == "object":
        return numbers([values.extreme(found, largest=largest) for found in _lists(data, parents, count)])
    found = np.zeros(count, data.dtype)
    _reduce(np.maximum if largest else np.minimum, data, parents, found)
    empty = np.bincount(parents, minlength=count) == 0
    return Column(column.kind, found, empty if empty.any() else None, column.bound)


def _reduce(ufunc: np.ufunc, data: Array, parents: Array, out: Array) -> None:
    if len(parents):
        starts = np.flatnonzero(np.concatenate(([True], parents[1:] != parents[:-1])))
        out[parents[starts]] = ufunc.reduceat(data, starts)


def _lists(data: Array, parents: Array, count: int) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in range(count)]
    for parent, value in zip(parents.tolist(), data.tolist(), strict=True):
        found[parent].append(value)
    return found
