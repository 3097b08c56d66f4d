"""The conformance cases on representation, asked of a Session directly."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.evidence_representation.sessions import from_spans, left, load

_SHORT = [case for case in load("04-representation.cases.yaml") if "anchor" in case]
_LONG = [case for case in load("04-representation.cases.yaml") if "given" in case]


@pytest.mark.parametrize("case", _SHORT, ids=lambda case: case["name"])
def test_shorthand(case: dict[str, Any]) -> None:
    expected = case["expect_representation"]
    found = left(case["anchor"], case["retained"])
    if expected.startswith("not-"):
        assert found != expected.removeprefix("not-")
    else:
        assert found == expected


@pytest.mark.parametrize("case", _LONG, ids=lambda case: case["name"])
def test_given(case: dict[str, Any]) -> None:
    session = from_spans(case["given"]["spans"])
    evicted = [number for number, one in enumerate(case["given"]["spans"]) if one["disposition"] == "evict"]
    found = {f"is-{session.represent(number).representation}" for number in evicted}
    assert found == set(case["expect"]["includes"])


# Name of a case of 02 -> representation of each evicted anchor that its expectation presupposes.
_BOUNDARY = {
    "evicted anchor verified and otherwise unmentioned is accepted": {"m42": "absent"},
    "the retained reasoning names the fact without its value, verified or not": {"m42": "referenced"},
    "as established earlier is a reference, not a restatement": {"m42": "referenced"},
    "restated in full, although no probe returns it": {"m42": "restated"},
    "only one of two unverified anchors is restated": {"m42": "restated", "d1": "absent"},
    "the summary that carries a restatement cannot be dropped an epoch later": {"s3": "absent"},
    "the summary that carries a restatement is restated in the next one": {"s3": "restated"},
    "a contradicted anchor is restated beside its pointer": {"m42": "contradicted"},
    "a reasoning span that holds a version is an anchor by detector": {"r": "absent"},
}


@pytest.mark.parametrize("name", sorted(_BOUNDARY))
def test_decision_boundary(name: str) -> None:
    case = next(case for case in load("02-decision-boundary.cases.yaml") if case["name"] == name)
    spans = case["given"]["spans"]
    session = from_spans(spans)
    ids = {one["id"]: number for number, one in enumerate(spans)}
    found = {one: session.represent(ids[one]).representation for one in _BOUNDARY[name]}
    assert found == _BOUNDARY[name]


def test_claims() -> None:
    case = next(
        case
        for case in load("07-integrity.cases.yaml")
        if case["name"] == "a summary asserts a value nobody established"
    )
    session = from_spans(case["given"]["spans"])
    assert [claim.key for claim in session.unsupported(2)] == ["backup_id"]
