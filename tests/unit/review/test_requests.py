"""Requests that must not get in, and where the finding points (SPEC §5, §9)."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from policylang.diagnostics import RequestError
from policylang.transcript.request import Request
from policylang.transcript.span import Span


def one(**more: Any) -> dict[str, Any]:
    span = {"id": "a", "kind": "tool_result", "text": "x", "epoch": 3, "disposition": "evict", **more}
    return {"epoch": 7, "spans": [span]}


BAD: list[tuple[Any, str]] = [
    # §9 "lone surrogates are `invalid-request`", also in a value that is not text of JSON
    (one(text="\ud800"), "spans[0].text"),
    (one(id="\udfff"), "spans[0].id"),
    (one(meta={"k": "\ud800"}), "spans[0].meta.k"),
    # A number that no JSON text can be written of
    (one(tokens=10**5000), "spans[0].tokens"),
    ({"epoch": 7, "spans": [], "generation": 10**400}, "generation"),
    # §6 `Span` is a value of the API; what §5 asks of its JSON holds for it
    ({"epoch": 7, "spans": [Span("a", "tool_result", "x", -3, disposition="evict")]}, "spans[0].epoch"),
    ({"epoch": 7, "spans": [Span("a", "tool_result", "x", 3, disposition="evict", tokens=-5)]}, "spans[0].tokens"),
    # The document's form is pointed at by its own names
    (
        {"eviction_set": [{"span_id": "a", "kind": "k", "text": "x", "epoch": 9}], "current_epoch": 7},
        "eviction_set[0].epoch",
    ),
    ({"eviction_set": [], "rehydration_index_epoch": 9, "current_epoch": 7}, "rehydration_index_epoch"),
]


@pytest.mark.parametrize(("value", "path"), BAD, ids=[path for _, path in BAD])
def test_a_bad_value_is_found_at_its_path(value: Any, path: str) -> None:
    with pytest.raises(RequestError) as caught:
        Request.from_json(value)
    [item] = caught.value.diagnostics
    assert item.code == "invalid-request"
    assert f"`{path}`" in item.message


DIRECT: list[dict[str, Any]] = [
    {"epoch": "7"},
    {"epoch": -7},
    {"epoch": 7, "terms": {"structural": float("nan")}},
    {"epoch": 7, "spans": (Span("a", "tool_result", "x", 3, disposition="evict", tokens=-(10**6)),)},
    {"epoch": 7, "spans": (Span("a", "tool_result", None, 3, disposition="evict"),)},  # type: ignore[arg-type]
]


@pytest.mark.parametrize("parts", DIRECT)
def test_a_request_built_from_parts_is_checked_as_well(parts: dict[str, Any]) -> None:
    with pytest.raises(RequestError):
        Request(**parts)


def test_a_number_of_too_many_digits_is_named_in_our_own_words() -> None:
    text = '{"epoch": 7, "spans": [], "generation": ' + "9" * 5000 + "}"
    with pytest.raises(RequestError) as caught:
        Request.from_json(text)
    [item] = caught.value.diagnostics
    assert "too large" in item.message and "sys." not in item.message
    assert item.loc is not None and item.loc.start == text.index("9")


def test_a_request_that_is_wrong_everywhere_is_answered_soon() -> None:
    spans = [{"id": f"a{number}", "kind": "k", "text": "x" * 50, "epoch": 1} for number in range(5000)]
    started = time.process_time()
    with pytest.raises(RequestError) as caught:
        Request.from_json(json.dumps({"epoch": 7, "spans": spans}))
    assert time.process_time() - started < 5
    assert len(caught.value.diagnostics) == 101


def test_null_is_unknown_under_the_documents_name_too() -> None:
    # §3 "absent or null means unknown, not never"
    request = Request.from_json({"eviction_set": [], "rehydration_index_epoch": None, "current_epoch": 7})
    assert request.index.rebuilt is None
