"""Cutting a session into epochs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policylang.analysis.epochs import Cut, cut_epochs, default_cut
from policylang.transcript.span import Span
from tests.unit.analysis.sessions import incident


def sizes(spans: list[Span], cut: Cut) -> list[list[str]]:
    return [[span.id for span in members] for _, members in cut_epochs(spans, cut)]


def span(name: str, tokens: int = 10, **more: object) -> Span:
    return Span(name, str(more.pop("kind", "reasoning")), "text", 0, tokens=tokens, **more)  # type: ignore[arg-type]


def test_tokens_spans_and_hours_end_an_epoch() -> None:
    spans = [span(name) for name in "abcde"]
    assert sizes(spans, Cut(tokens=20)) == [["a", "b"], ["c", "d"], ["e"]]
    assert sizes(spans, Cut(spans=3)) == [["a", "b", "c"], ["d", "e"]]
    assert sizes(spans, Cut(tokens=30, spans=2)) == [["a", "b"], ["c", "d"], ["e"]]
    timed = [
        span("a", time="2026-03-02T00:00:00Z"),
        span("b"),
        span("c", time="2026-03-02T03:59:59Z"),
        span("d", time="2026-03-02T04:00:00Z"),
        span("e", time="2026-03-02T01:00:00+00:00"),
        span("f", time="not a time"),
        span("g", time="2026-03-02T08:00:00"),
    ]
    assert sizes(timed, Cut(hours=4)) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


def test_the_clock_runs_from_the_sessions_first_time() -> None:
    # Hours 0, 4.5, 7.9 and 8: the second epoch ends at 8 though it began late, and hours without a span are no epoch.
    spans = [span(str(hour), time=f"2026-03-{2 + hour // 24:02}T{hour % 24:02}:{minute:02}:00Z")
             for hour, minute in ((0, 0), (4, 30), (7, 54), (8, 0), (30, 0), (31, 59), (32, 0))]  # fmt: skip
    assert sizes(spans, Cut(hours=4)) == [["0"], ["4", "7"], ["8"], ["30", "31"], ["32"]]
    assert sizes(spans, Cut(hours=4, spans=1)) == [[item.id] for item in spans]


def test_instructions_take_no_room_and_large_spans_stand_alone() -> None:
    spans = [span("s", 500, kind="system"), span("a"), span("big", 100), span("b")]
    assert sizes(spans, Cut(tokens=20)) == [["s", "a"], ["big"], ["b"]]


def test_no_epoch_ends_while_a_call_waits() -> None:
    spans = [
        span("c1", kind="tool_call", tool_call_id="1"),
        span("c2", kind="tool_call", tool_call_id="2"),
        span("r1", kind="tool_result", tool_call_id="1"),
        span("r2", 90, kind="tool_result", tool_call_id="2"),
        span("a"),
    ]
    assert sizes(spans, Cut(tokens=20)) == [["c1", "c2", "r1", "r2"], ["a"]]


def test_epochs_are_numbered_from_one_and_lose_nothing() -> None:
    spans = incident()
    cut = list(cut_epochs(spans, Cut(tokens=300)))
    assert [number for number, _ in cut] == list(range(1, len(cut) + 1))
    assert [span.id for _, members in cut for span in members] == [span.id for span in spans]
    assert all(span.epoch == number for number, members in cut for span in members)


def test_default_is_about_ten_epochs_but_none_is_tiny() -> None:
    assert default_cut([span("a", 250_000)]) == Cut(tokens=25_000)
    assert default_cut([span("a", 50)]) == Cut(tokens=1000)
    assert 8 <= len(list(cut_epochs([span(str(number), 100) for number in range(500)]))) <= 11
    assert list(cut_epochs([])) == []


@pytest.mark.parametrize("cut", [{"tokens": 0}, {"spans": -1}, {"hours": 0.0}, {"hours": float("nan")}])
def test_an_epoch_needs_a_length(cut: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="an epoch needs"):
        Cut(**cut)  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 400), max_size=60), st.integers(1, 500))
def test_only_a_span_that_is_too_large_goes_over(tokens: list[int], limit: int) -> None:
    spans = [span(str(number), size) for number, size in enumerate(tokens)]
    for _, members in cut_epochs(spans, Cut(tokens=limit)):
        assert len(members) == 1 or sum(item.mass for item in members) <= limit
