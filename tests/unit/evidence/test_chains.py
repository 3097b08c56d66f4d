"""Causal chains: given, or derived from parents, pairs and value flow; ε per chain (SPEC §4)."""

from __future__ import annotations

import pytest

from policylang import Request
from policylang.evidence.chains import epsilon
from policylang.evidence.ingest import ingest
from policylang.evidence.scoring import anchor_auc, structural_share


def chains(*rows: dict[str, object]) -> list[str]:
    base = {"kind": "reasoning", "text": "x", "epoch": 1, "disposition": "retain"}
    request = Request.from_json({"epoch": 7, "spans": [{"id": str(n), **base, **row} for n, row in enumerate(rows)]})
    return list(ingest(request).chains)


def test_unrelated_spans_are_chains_of_their_own() -> None:
    assert chains({}, {}) == ["derived:0", "derived:1"]


def test_parents_and_pairs_join() -> None:
    rows = [
        {},
        {"parents": ["0"]},
        {"kind": "tool_call", "tool_call_id": "t"},
        {"kind": "tool_result", "tool_call_id": "t"},
    ]
    assert chains(*rows) == ["derived:0", "derived:0", "derived:2", "derived:2"]


def test_a_value_that_was_established_joins_the_span_that_uses_it() -> None:
    rows = [{"kind": "tool_result", "text": "lease: zx-77413"}, {"text": "nothing"}, {"text": "renew zx-77413 now"}]
    assert chains(*rows) == ["derived:0", "derived:1", "derived:0"]


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("(zx-77413).", True),
        ("zx-77413: renewed", True),
        ("zx-77413-b", False),
        ("b-zx-77413", False),
        ("azx-77413", False),
        ("zx-774130", False),
        ("zx-77413_b", False),
        ("ends with zx-77413", True),
    ],
)
def test_a_value_is_used_as_a_whole_token(text: str, uses: bool) -> None:
    rows = [{"kind": "tool_result", "text": "lease: zx-77413"}, {"text": text}]
    assert chains(*rows) == (["derived:0", "derived:0"] if uses else ["derived:0", "derived:1"])


@pytest.mark.parametrize(("value", "joins"), [("zx-774", True), ("zx-77", False)])
def test_a_short_value_shows_no_flow(value: str, joins: bool) -> None:
    rows = [{"kind": "tool_result", "text": f"lease id: {value}"}, {"text": f"renew {value} now"}]
    assert (len(set(chains(*rows))) == 1) is joins


def test_a_value_that_is_everywhere_names_the_session_and_no_chain() -> None:
    def joined(users: int) -> set[str]:
        return set(chains({"kind": "tool_result", "text": "lease: zx-77413"}, *[{"text": "zx-77413"}] * users))

    assert joined(8) == {"derived:0"}
    assert len(joined(9)) == 10


def test_a_span_joins_a_chain_that_the_runtime_named_but_two_such_chains_never_merge() -> None:
    rows = [{"chain": "a"}, {"parents": ["0"]}, {"parents": ["1"]}, {"chain": "b", "parents": ["2"]}]
    assert chains(*rows) == ["a", "a", "a", "b"]
    assert chains({}, {"chain": "b", "parents": ["0"]}) == ["b", "b"]
    assert chains({"parents": ["0", "long-gone"]}, {"chain": "b"}) == ["derived:0", "b"]


@pytest.mark.parametrize(
    ("evicted", "mass", "expected"),
    [
        ([], 0, 0.0),
        ([(0, None)], 0, 0.0),
        ([(8, 1.0)], 100, 0.08),
        ([(50, 0.1), (50, None)], 100, None),
        ([(1, 0.1)] * 10, 10, 0.1),
        ([(10, 1.0)], 10, 1.0),
    ],
)
def test_epsilon(evicted: list[tuple[int, float | None]], mass: int, expected: float | None) -> None:
    assert epsilon(evicted, mass) == expected


@pytest.mark.parametrize(
    ("anchors", "others", "expected"),
    [([1.0], [2.0], 1.0), ([2.0], [1.0], 0.0), ([1.0], [1.0], 0.5), ([1.0, 3.0], [2.0], 0.5), ([], [1.0], None)],
)
def test_anchor_auc_is_one_when_anchors_are_evicted_last(
    anchors: list[float], others: list[float], expected: float | None
) -> None:
    assert anchor_auc(anchors, others) == expected


def test_structural_share() -> None:
    assert structural_share({"similarity": 0.75, "structural": 0.25}) == 0.25
    assert structural_share({"similarity": 1.0}) == 0.0
    assert structural_share({"structural": -1.0}) == 0.0
