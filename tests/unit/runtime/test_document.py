"""The document's API against a transcription of its code: all small inputs, and random larger ones."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import policylang
from tests.reference import document

KINDS = ("reasoning", "tool_result", "state_assertion", "file_write_ack", "api_response", "", "Tool_Result")


def outcome(module: object, spans: list[tuple[str, str]], rebuilt: int, epoch: int, window: int | None) -> str:
    evicted = [module.Span(name, kind, "", 0) for name, kind in spans]  # type: ignore[attr-defined]
    extra = {} if window is None else {"index_rebuild_window": window}
    try:
        module.assert_compaction_safe(evicted, rebuilt, epoch, **extra)  # type: ignore[attr-defined]
    except module.CompactionRefusedError:  # type: ignore[attr-defined]
        refused = "refused"
    else:
        refused = "safe"
    return refused + " " + module.maybe_compact(evicted, rebuilt, epoch)  # type: ignore[attr-defined]


def test_every_small_input_decides_as_the_document_does() -> None:
    sets = [[], *[[("a", kind)] for kind in KINDS], *[[("a", one), ("b", two)] for one, two in product(KINDS, KINDS)]]
    for spans, rebuilt, epoch, window in product(sets, range(-1, 4), range(-1, 5), (None, 0, 2, 3)):
        assert outcome(policylang, spans, rebuilt, epoch, window) == outcome(document, spans, rebuilt, epoch, window)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=4), st.sampled_from(KINDS) | st.text(max_size=6)), max_size=6),
    st.integers(),
    st.integers(),
    st.none() | st.integers(),
)
def test_random_inputs_decide_as_the_document_does(
    spans: list[tuple[str, str]], rebuilt: int, epoch: int, window: int | None
) -> None:
    assert outcome(policylang, spans, rebuilt, epoch, window) == outcome(document, spans, rebuilt, epoch, window)


def test_the_eviction_set_may_be_a_one_shot_iterator_and_its_spans_anything_alike() -> None:
    span = document.Span("m42", "tool_result", "schema version = 7", 3)
    with pytest.raises(policylang.CompactionRefusedError, match="m42"):
        policylang.assert_compaction_safe(iter([span]), 1, 7)


def test_span_takes_the_documents_four_fields_in_order() -> None:
    span = policylang.Span("m42", "tool_result", "schema version = 7", 3)
    assert (span.span_id, span.id, span.kind, span.text, span.epoch) == (
        "m42",
        "m42",
        "tool_result",
        "schema version = 7",
        3,
    )
    assert span == policylang.Span(span_id="m42", kind="tool_result", text="schema version = 7", epoch=3)
    assert len({span, span}) == 1
    with pytest.raises(TypeError):
        policylang.Span("m42", "tool_result", "x", 3, "evict")  # type: ignore[misc]


def test_anchor_kinds_are_the_documents() -> None:
    assert policylang.ANCHOR_KINDS == document.ANCHOR_KINDS
