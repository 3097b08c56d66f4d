"""The meaning of operators on single values (rules_ir/expr.py), where the interpreter and fused code must agree.

Unknown is ``None``. Only what is more than one Python operator lives here: exact arithmetic, membership and list
equality under three-valued logic, folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Number = int | float


def checked(result: Number, left: Number, right: Number) -> Number | None:
    """``result`` of an operation, or None where it overflowed or is not a number."""
    if not isinstance(result, float) or math.isfinite(result):
        return result
    wrong = math.isnan(result) or (math.isfinite(left) and math.isfinite(right))
    return None if wrong else result


def add(left: Number | None, right: Number | None) -> Number | None:
    """``left + right``: exact for ints; None for unknown, overflow and NaN."""
    if left is None or right is None:
        return None
    try:
        return checked(left + right, left, right)
    except OverflowError:
        return None


def subtract(left: Number | None, right: Number | None) -> Number | None:
    """``left - right``: exact for ints; None for unknown, overflow and NaN."""
    if left is None or right is None:
        return None
    try:
        return checked(left - right, left, right)
    except OverflowError:
        return None


def multiply(left: Number | None, right: Number | None) -> Number | None:
    """``left * right``: exact for ints; None for unknown, overflow and NaN."""
    if left is None or right is None:
        return None
    try:
        return checked(left * right, left, right)
    except OverflowError:
        return None


def divide(left: Number | None, right: Number | None) -> Number | None:
    """``left / right`` as a float; None for unknown, division by zero, overflow and NaN."""
    if left is None or right is None or right == 0:
        return None
    try:
        return checked(left / right, left, right)
    except OverflowError:
        return None


ARITHMETIC: dict[str, Callable[[Number | None, Number | None], Number | None]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
}


def equal(left: Any, right: Any) -> bool | None:
    """``left == right``; lists compare item by item, a known difference beats an unknown item."""
    if left is None or right is None:
        return None
    if not isinstance(left, (list, tuple)):
        return bool(left == right)
    if len(left) != len(right):
        return False
    result: bool | None = True
    for one, other in zip(left, right, strict=True):
        same = equal(one, other)
        if same is False:
            return False
        if same is None:
            result = None
    return result


def member(item: Any, items: Sequence[Any] | None) -> bool | None:
    """``item in items``: true if some item equals, else unknown if some is unknown, else false."""
    if item is None or items is None:
        return None
    result: bool | None = False
    for other in items:
        same = equal(item, other)
        if same:
            return True
        if same is None:
            result = None
    return result


def negation(value: bool | None) -> bool | None:
    """Kleene `not`."""
    return None if value is None else not value


def total(values: Iterable[Number | None]) -> Number | None:
    """The sum from left to right, each step as `+`; 0 for nothing, None once a value or a step is unknown."""
    result: Number | None = 0
    for value in values:
        result = add(result, value)
        if result is None:
            return None
    return result


def extreme(values: Iterable[Any], *, largest: bool) -> Any:
    """The first largest or smallest value; None for nothing and where a value is unknown."""
    found = list(values)
    if not found or any(value is None for value in found):
        return None
    return max(found) if largest else min(found)
