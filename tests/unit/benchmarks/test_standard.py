"""The requests of the benchmark are valid, and taking a decision apart does not change it."""

from __future__ import annotations

from typing import Any

import pytest

import policylang
from benchmarks import standard
from policylang.transcript.request import Request

SIZE = 90

if not any(standard.SESSIONS.glob("*.jsonl")):
    pytest.skip("the bundled sessions are not in this checkout", allow_module_level=True)


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return standard.request_data(SIZE)


def test_request_is_valid_and_has_both_sides(data: dict[str, Any]) -> None:
    request = Request.from_json(data)
    assert len(request.spans) == SIZE + 1
    assert {span.disposition for span in request.spans} == {"evict", "retain"}
    assert [span.kind for span in request.spans if span.span_id not in set(data["transcript"])] == ["summary"]


def test_decision_in_phases_is_the_decision(data: dict[str, Any]) -> None:
    policy = policylang.load("std/standard")
    taken, decision = standard.time_phases(policy, data)
    assert decision == policylang.evaluate(policy, Request.from_json(data), as_of=standard.DAY).decision
    assert set(standard.PHASES) <= set(taken)
    assert taken["decision"] == pytest.approx(sum(taken[name] for name in standard.PHASES[:-1]))


def test_spans_that_come_again_are_new_to_the_engine() -> None:
    bundled = len(standard.spans_of_sessions(10_000)) // 10_000
    assert bundled == 1
    spans = standard.spans_of_sessions(3_000)
    ids = [span.id for span in spans]
    assert len(set(ids)) == 3_000
    first = {span.id: span for span in spans}
    again = [span for span in spans if "-1-" in span.id and any(map(str.isdigit, span.text))]
    twins = [(span, first[span.id.replace("-1-", "-0-", 1)]) for span in again]
    assert twins
    assert all(len(span.text) == len(twin.text) and span.text != twin.text for span, twin in twins)


def test_child_process_measures_every_size() -> None:
    found = standard.measure(SIZE, 1)
    assert set(found) == {"first", str(SIZE)}
    assert set(standard.PHASES) <= set(found[str(SIZE)]["new"])
