"""docs/evidence.md: every assertion type and status has its row, and every example is read as the row says."""

from __future__ import annotations

import re

import pytest

from policylang.evidence.extract import extract
from policylang.transcript.vocabulary import ASSERTION_TYPES, PROBE_FAMILIES, STATUSES
from tests.meta.markdown import DOCS

PAGE = (DOCS / "evidence.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `([a-z_]+)` \| [^|]+ \| `([^`]+)` \|$", PAGE, re.M)


def test_every_type_has_its_row() -> None:
    assert sorted(name for name, _ in EXAMPLES) == sorted(ASSERTION_TYPES)


@pytest.mark.parametrize("name, text", EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_example_is_an_assertion_of_its_type(name: str, text: str) -> None:
    assert name in [found.type for found in extract(text, kind="tool_result").assertions]


def test_every_status_and_probe_family_has_its_row() -> None:
    rows = re.findall(r"^\| `([a-z]+)` \| [^|]+ \|$", PAGE, re.M)
    assert rows == [*STATUSES, *PROBE_FAMILIES]


def test_every_figure_has_its_end() -> None:
    marks = re.findall(r"<!-- (/?)figures:([a-z-]+) -->", PAGE)
    assert marks[::2] == [("", name) for _, name in marks[1::2]]
    assert all(slash for slash, _ in marks[1::2])
