"""Records of other things: headings, commit headers and id fields name what a fact is of (SPEC §4, "Entity")."""

from __future__ import annotations

import pytest

from policylang.evidence.representation.subjects import mapped, meet
from policylang.evidence.session import Session
from tests.unit.evidence_representation.sessions import span

SHEET = "STATION SHEET ST06\nevent: EV-2002-08\nrating_revision: R32"
LOG = '{"level": "warn", "order": "ord-1010002", "event": "retry", "attempts": 2}'
STAT = "commit 13a5208309eb01a15b6d57fe3d70b19df48f5442\n\n 4 files changed, 23 insertions(+), 1 deletion(-)"
BUILD = "artifact: dist/kit-2.4.0.pyz\nsize_bytes: 1674"
RECEIPT = '{\n  "receipt_id": "rcp_01JY",\n  "build_number": 404\n}'
RUN = "Ran 14 tests in 0.01s\n\nFAILED (failures=1)"

# (anchor, retained text, its kind, key, status): the same tool gave both, the anchor first.
TABLE = [
    (SHEET, "CORRECTION NOTICE ST04\nrating_revision: R95", "tool_result", "rating_revision", "absent"),
    (SHEET, "CORRECTION NOTICE ST06\nrating_revision: R95", "tool_result", "rating_revision", "superseded"),
    (SHEET, "CORRECTION NOTICE ST04\nrating_revision: R32", "tool_result", "rating_revision", "absent"),
    (SHEET, "## ST04\n- rating revision: R32", "summary", "rating_revision", "absent"),
    (SHEET, "## ST06\n- rating revision: R32", "summary", "rating_revision", "restated"),
    (SHEET, "The rating revision is R32.", "summary", "rating_revision", "restated"),
    (SHEET, "It matters which revision of the rating curve is used.", "reasoning", "rating_revision", "absent"),
    (SHEET, "Which revision of the rating holds?", "reasoning", "rating_revision", "referenced"),
    (LOG, LOG.replace("1010002", "1120012"), "tool_result", "attempt", "absent"),
    (LOG, LOG, "tool_result", "attempt", "restated"),
    (LOG, "order ord-1010002 took 2 attempts", "summary", "attempt", "restated"),
    (STAT, STAT.replace("13a52", "b0eba"), "tool_result", "deletion", "absent"),
    (STAT, STAT.replace("13a52", "b0eba").replace("1 del", "3 del"), "tool_result", "deletion", "absent"),
    (STAT, STAT, "tool_result", "deletion", "restated"),
    (BUILD, BUILD.replace("2.4.0", "2.5.0").replace("1674", "1733"), "tool_result", "size_byte", "absent"),
    (BUILD, BUILD.replace("1674", "1733"), "tool_result", "size_byte", "superseded"),
    # a record's own id
    (RECEIPT, RECEIPT.replace("01JY", "01JZ"), "tool_result", "receipt_id", "absent"),
    (RECEIPT, "The receipt id is rcp_01JZ.", "summary", "receipt_id", "contradicted"),
    (RECEIPT, "The receipt id is rcp_01JY.", "summary", "receipt_id", "restated"),
    ("station: ST03\ndepth: 4.5", "station: ST04\ndepth: 5.5", "tool_result", "station", "absent"),
    # totals of a run
    (RUN, RUN, "tool_result", "test", "absent"),
    (RUN, "tests now: 15", "tool_result", "test", "absent"),
    (RUN, "The run had 14 tests.", "summary", "test", "restated"),
    ("running 29 tests", "running 29 tests", "tool_result", "test", "absent"),
]


@pytest.mark.parametrize(("anchor", "text", "kind", "key", "expected"), TABLE)
def test_records(anchor: str, text: str, kind: str, key: str, expected: str) -> None:
    first = span(0, anchor, retained=False, tool="Bash", tool_call_id="t1")
    session = Session([first, span(1, text, kind, tool="Bash", tool_call_id="t2", epoch=5)])
    keys = [one.key for one in first.extraction.assertions]
    assert session.represent(0).statuses[keys.index(key)] == expected


def _of_several(text: str) -> str:
    sheets = [span(n, f"STATION SHEET ST0{n + 1}\nrecord_years: {30 + n}", retained=False) for n in range(3)]
    return Session([*sheets, span(3, text, "summary", epoch=6)]).represent(0).representation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("record years = 99", "referenced"),
        ("The record years of ST01 are 99.", "contradicted"),
        ("The record years of ST02 are 99.", "absent"),
        ("How many record years does ST03 have?", "absent"),
        ("How many record years does ST01 have?", "referenced"),
        ("How many record years are there?", "referenced"),
        ("record years = 30", "restated"),
        ("The record years of ST02 are 30.", "absent"),
    ],
)
def test_a_key_told_of_several_things_is_denied_by_name_only(text: str, expected: str) -> None:
    assert _of_several(text) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("## web-1a\nreplicas: 3", (("#", "web-1a"),)),
        ("## Summary\nreplicas: 3", ()),
        ("## Step 2\nreplicas: 3", ()),
        ("## 2.4.0\nreplicas: 3", ()),
        ("host: web-1\nreplicas: 3", (("host", "web-1"),)),
        ("host: web-1\n\nreplicas: 3", ()),
        ("host=web-1 replicas=3", (("host", "web-1"),)),
        ("orders=60\nreplicas=3", ()),
        ("parent_id: p-17\nreplicas: 3", ()),
        ("request_id: r-17\nreplicas: 3", ()),
        ("- host: web-1\n  port: 1\n- host: web-2\n  replicas: 3", (("host", "web-2"),)),
        ("cluster: c-1\nnodes:\n  node: n-1\n  replicas: 3", (("node", "n-1"), ("cluster", "c-1"))),
        ("[release/2.4 5d79833] Split\n replicas: 3", (("commit", "5d79833"),)),
        ("Base directory for this skill: /a/b\nreplicas: 3", ()),
    ],
)
def test_what_a_line_is_about(text: str, names: tuple[tuple[str, str], ...]) -> None:
    assert mapped(text).at(text.index("replicas")) == names


def test_meeting() -> None:
    order, other = (("order", "a-1"), ("station", "st4")), (("order", "a-2"), ("station", "st4"))
    assert not meet(order, other)
    assert meet(order, other, "order")
    assert meet(order, (("station", "st4"),))
    assert meet(order, ())
    assert meet((("#", "st4"),), (("station", "st4"),))
    assert not meet((("#", "st5"),), (("station", "st4"),))
    assert meet((("commit", "5d79833"),), (("commit", "5d79833bcfc162a643ca"),))


def test_many_records_cost_no_more_than_their_lines() -> None:
    text = "\n".join(f"x{number}_id: a-{number}" for number in range(4000))
    assert len(mapped(text).names) == 4000
