"""Pointers: one line, percent-encoded, at most 16 well-formed keys (SPEC §4 "Spill")."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policylang.transcript.pointer import MAX_KEYS, parse_pointer, point_at

TEXT = "migration 0042 applied, schema version = 7"


def test_a_pointer_names_the_text_the_span_and_its_keys() -> None:
    pointer = point_at("m42", "tool_result", TEXT, ["migration", "schema_version", "migration"])
    sha = hashlib.sha256(TEXT.encode()).hexdigest()
    assert str(pointer) == f"spill://{sha}?span=m42&kind=tool_result&keys=migration,schema_version"


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(min_size=1), st.lists(st.text(max_size=70)))
def test_any_span_has_a_one_line_pointer_that_reads_back(span_id: str, kind: str, keys: list[str]) -> None:
    span_id = span_id.encode("utf-8", "replace").decode()
    kind = kind.encode("utf-8", "replace").decode()
    pointer = point_at(span_id, kind, TEXT, keys)
    assert len(str(pointer).splitlines()) == 1
    assert parse_pointer(str(pointer)) == pointer
    assert len(pointer.keys) <= MAX_KEYS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "spill://0000?span=a&kind=tool_result&keys=schema_version",
        "see spill://" + "0" * 64 + "?span=a&kind=b&keys=c",
        "spill://" + "0" * 64 + "?span=a&kind=b",
        "spill://" + "G" * 64 + "?span=a&kind=b&keys=c",
    ],
)
def test_what_only_looks_like_a_pointer_is_none(text: str) -> None:
    assert parse_pointer(text) is None


def test_the_pointer_is_the_first_line_and_a_restatement_may_follow() -> None:
    pointer = point_at("m42", "tool_result", TEXT, ["schema_version"])
    assert parse_pointer(f"  {pointer} \nschema_version = 7") == pointer
    assert parse_pointer(f"schema_version = 7\n{pointer}") is None
    assert parse_pointer(str(point_at("m42", "tool_result", TEXT, []))) == point_at("m42", "tool_result", TEXT, [])
