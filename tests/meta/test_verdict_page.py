"""docs/verdict.md names every field of the published schemas and every public name of the package."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import policylang
from policylang.runtime.verdict import Verdict
from policylang.schemas import schema_text
from policylang.transcript.request_shape import DOCUMENT_FIELDS, SPAN_FIELDS
from tests.meta.markdown import DOCS


@cache
def _page() -> str:
    return (DOCS / "verdict.md").read_text(encoding="utf-8")


@cache
def _named() -> frozenset[str]:
    """The words of the page in code marks, and those of its JSON."""
    words = set(re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", _page())) | set(re.findall(r'"(\w+)":', _page()))
    return frozenset(words | {part for word in words for part in word.split(".")})


def _properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        found = schema.get("properties")
        if isinstance(found, dict):
            yield from found
        for value in schema.values():
            yield from _properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _properties(value)


@pytest.mark.parametrize("name", ["request", "verdict", "diagnostics"])
def test_every_field_of_the_schema_is_named(name: str) -> None:
    fields = set(_properties(json.loads(schema_text(name))))
    assert fields
    assert sorted(fields - _named()) == []


def test_every_field_of_a_span_has_its_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", _page(), re.M)
    assert [name for name in SPAN_FIELDS if name not in rows] == []
    assert [name for name in DOCUMENT_FIELDS if f'"{name}"' not in _page()] == []


def test_every_public_name_is_there() -> None:
    assert sorted(set(policylang.__all__) - _named()) == []
    public = {name for name in vars(Verdict) if not name.startswith("_")}
    assert sorted(public - {"head", "details"} - _named()) == []
