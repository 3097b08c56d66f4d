"""Operators on values that may be unknown: "every other operator is unknown if an operand is" (SPEC §3)."""

from __future__ import annotations

import math
from typing import Any

import pytest

from policylang.compiler.values import ARITHMETIC, equal, extreme, member, negation, total


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize(("left", "right"), [(None, 2), (2, None), (None, None), (None, 0), (None, math.inf)])
def test_arithmetic_with_an_unknown_is_unknown(op: str, left: Any, right: Any) -> None:
    assert ARITHMETIC[op](left, right) is None


ROWS: list[tuple[str, Any, Any, Any]] = [
    ("+", 2, 3, 5),
    ("-", 2, 3, -1),
    ("*", 2, 3, 6),
    ("/", 3, 2, 1.5),
    ("/", 3, 0, None),  # "division by zero is unknown"
    ("/", 0, 3, 0.0),
    ("/", 3, math.inf, 0.0),
    ("+", 2**60, 1, 2**60 + 1),
    ("-", math.inf, math.inf, None),  # no number at all
    ("*", math.inf, 0, None),
    ("/", math.inf, math.inf, None),
    ("+", math.inf, 1, math.inf),  # epochs since a rebuild that never was
    ("+", 1e308, 1e308, None),  # too large for a number
    ("*", 1e308, 10.0, None),
    ("/", 10**400, 3, None),
]


@pytest.mark.parametrize(("op", "left", "right", "expected"), ROWS)
def test_arithmetic(op: str, left: Any, right: Any, expected: Any) -> None:
    assert ARITHMETIC[op](left, right) == expected


EQUAL: list[tuple[Any, Any, bool | None]] = [
    (1, 1.0, True),
    (1, 2, False),
    (None, 1, None),
    (1, None, None),
    (("a", "b"), ["a", "b"], True),
    (("a",), ("a", "b"), False),
    (("a", None), ("a", "b"), None),
    (("a", None), ("b", "b"), False),  # a known difference decides, whatever is unknown
    ((None, "a"), ("b", "b"), False),
]


@pytest.mark.parametrize(("left", "right", "expected"), EQUAL)
def test_equal(left: Any, right: Any, expected: bool | None) -> None:
    assert equal(left, right) is expected
    assert equal(right, left) is expected
    assert negation(equal(left, right)) is (None if expected is None else not expected)


MEMBER: list[tuple[Any, Any, bool | None]] = [
    (1, (2, 1), True),
    (1, (2, 3), False),
    (1, (), False),
    (None, (1,), None),
    (1, None, None),
    (1, (None, 1), True),
    (1, (1, None), True),
    (1, (None, 2), None),
]


@pytest.mark.parametrize(("item", "items", "expected"), MEMBER)
def test_member(item: Any, items: Any, expected: bool | None) -> None:
    assert member(item, items) is expected


def test_of_many() -> None:
    assert total([]) == 0  # "`sum` of nothing is 0"
    assert total([1, 2, 3]) == 6
    assert total([1, None, 3]) is None
    for largest, expected in ((True, 3), (False, 1)):
        assert extreme([2, 1, 3], largest=largest) == expected
        assert extreme([], largest=largest) is None  # "`min`/`max` of nothing unknown"
        assert extreme([2, None, 3], largest=largest) is None
