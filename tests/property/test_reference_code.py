"""`std/reference-code` decides as the document's code does on every valid request, window 2 (SPEC §6)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import policylang
from policylang.transcript.vocabulary import KNOWN_KINDS
from tests.reference import document

KINDS = (*sorted(KNOWN_KINDS), "deploy_receipt", "Tool_Result")


@pytest.fixture(scope="module")
def policy() -> policylang.Policy:
    return policylang.load("std/reference-code")


def both(policy: policylang.Policy, spans: list[tuple[str, str, int]], rebuilt: int, epoch: int) -> tuple[str, str]:
    request: dict[str, Any] = {
        "eviction_set": [
            {"span_id": str(n), "kind": kind, "text": text, "epoch": at} for n, (kind, text, at) in enumerate(spans)
        ],
        "rehydration_index_epoch": rebuilt,
        "current_epoch": epoch,
    }
    theirs = document.maybe_compact(
        [document.Span(str(n), kind, text, at) for n, (kind, text, at) in enumerate(spans)], rebuilt, epoch
    )
    return policylang.evaluate(policy, request).decision, theirs


def test_all_small_requests(policy: policylang.Policy) -> None:
    sets = [
        [],
        *[[(kind, "x = 1", 0)] for kind in KINDS],
        *[[(a, "", 0), (b, "ok", 0)] for a, b in product(KINDS, KINDS)],
    ]
    for spans, epoch in product(sets, range(6)):
        for rebuilt in range(epoch + 1):
            ours, theirs = both(policy, spans, rebuilt, epoch)
            assert ours == theirs, (spans, rebuilt, epoch)


@settings(max_examples=200, deadline=None)
@given(
    st.data(),
    st.lists(
        st.tuples(
            st.sampled_from(KINDS) | st.text(st.characters(categories=["L"]), min_size=1, max_size=8),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
            st.integers(0, 20),
        ),
        max_size=8,
    ),
)
def test_random_requests(policy: policylang.Policy, data: st.DataObject, spans: list[tuple[str, str, int]]) -> None:
    epoch = data.draw(st.integers(max((at for _, _, at in spans), default=0), 40))
    rebuilt = data.draw(st.integers(0, epoch))
    ours, theirs = both(policy, spans, rebuilt, epoch)
    assert ours == theirs


def test_evidence_that_the_code_never_asks_for_changes_nothing(policy: policylang.Policy) -> None:
    evicted = {"id": "m42", "kind": "reasoning", "text": "schema version = 7", "epoch": 3, "disposition": "evict"}
    request = {"epoch": 7, "spans": [evicted], "index": {"rebuilt": "never", "source": "post_compaction", "covers": []}}
    assert policylang.evaluate(policy, request).decision == "compact"
