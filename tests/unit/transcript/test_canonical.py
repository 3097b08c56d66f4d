"""Canonical JSON: "UTF-8, keys sorted, shortest round-trip numbers, integers exact beyond 2^53" (SPEC §9)."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from policylang.transcript.canonical import canonical, digest, text_digest

ROWS: list[tuple[Any, str]] = [
    ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
    ([], "[]"),
    ((1, [2, (3,)]), "[1,[2,[3]]]"),
    ({"b": {"d": 1, "c": 2}, "a": {}}, '{"a":{},"b":{"c":2,"d":1}}'),
    ('ε \u2028 "q" \\', '"ε \u2028 \\"q\\" \\\\"'),
    (1.0, "1"),
    (-0.0, "0"),
    (0.1, "0.1"),
    (0.1 + 0.2, "0.30000000000000004"),
    (1e-07, "1e-07"),
    (2**53 + 1, "9007199254740993"),
    (2.0**52, "4503599627370496"),
    (1e300, "1e+300"),
    (True, "true"),
]


@pytest.mark.parametrize(("value", "expected"), ROWS)
def test_canonical(value: Any, expected: str) -> None:
    assert canonical(value) == expected
    assert digest(value) == "sha256:" + sha256(expected.encode()).hexdigest()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_is_no_json_number_has_no_canonical_text(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(value)


def test_a_text_is_named_by_its_bytes() -> None:
    assert text_digest("ε") == sha256(b"\xce\xb5").hexdigest()
