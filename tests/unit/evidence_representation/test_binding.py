"""What one retained span leaves of one anchor: moods, denials, changes, lists, units, entities (SPEC §4)."""

from __future__ import annotations

import pytest

from policylang.evidence.session import Session
from tests.unit.evidence_representation.sessions import left, pair, span

VERSION = "schema version = 7"
BOTH = "migration 0042 applied, schema version = 7"
WRITE = "File created successfully at: /app/src/main.py"

# (anchor, text of a summary, representation)
TABLE = [
    # spellings of one value under one key
    (VERSION, "| schema version | 7 |", "restated"),
    (VERSION, "- **Schema version**: `7`", "restated"),
    (VERSION, '{"schema_version": 7, "other": 8}', "restated"),
    (VERSION, '{"schemaVersion": "v7"}', "restated"),
    (VERSION, "The version of the schema is 7.", "restated"),
    (VERSION, "The schema's version is 7.", "restated"),
    (VERSION, "schema_version=7, migration=0042", "restated"),
    (VERSION, "schema version = ７", "restated"),
    (VERSION, "sche\u200bma version = 7", "restated"),
    ("schema version = ７", "schema version = 7", "restated"),
    ("timeout: 90 seconds", "The timeout is 1.5 minutes.", "restated"),
    ("latency: 250 ms", "latency 0.25 s", "restated"),
    ("cache size: 1048576 bytes", "The cache size is 1 MiB.", "restated"),
    ("budget = 1000", "the budget is $1000", "restated"),
    ("budget = 1000", "the budget is 1,000", "restated"),
    ("maintenance: false", "maintenance: no", "restated"),
    ("maintenance: false", "maintenance: true", "contradicted"),
    ("maintenance: false", "maintenance mode is on", "contradicted"),
    ("checkout_v2: enabled", "checkout_v2 is not disabled", "restated"),
    ("checkout_v2: enabled", "checkout_v2 is on hold", "referenced"),
    ("feature checkout_v2: enabled", "checkout_v2 is disabled", "contradicted"),
    ("url: https://x.test/a", "url is https://x.test/a/", "restated"),
    ("build id: bd-4410", "build bd-4410 is out", "restated"),
    ("python version: 3.10", "python version: 3.1", "contradicted"),
    ("schema_version: 7", "数据库的 schema_version 现在是 8。", "contradicted"),
    # moods
    (BOTH, "If migration 0042 applied, schema version = 7 would hold, we should check whether it did.", "referenced"),
    (VERSION, "We must check whether 0042 gave schema version = 7; it is false", "referenced"),
    (VERSION, "The schema version should be 7.", "referenced"),
    (VERSION, "Verify that the schema version is 7.", "referenced"),
    (VERSION, "Is the schema version 7?", "referenced"),
    (VERSION, "what schema version are we on", "referenced"),
    (VERSION, "I expect schema version = 7", "referenced"),
    (VERSION, "we think the schema version is 7", "referenced"),
    (VERSION, "Assuming schema version 7, continue", "referenced"),
    (VERSION, "the schema version is 7 if the migration ran", "referenced"),
    (VERSION, "schema version = 7, check whether the tests pass", "restated"),
    (VERSION, "never set schema version to 7", "referenced"),
    (VERSION, "do not set schema version to 8", "referenced"),
    (VERSION, "Without schema version 7 nothing works", "referenced"),
    (VERSION, "nobody believes the schema version is 7", "referenced"),
    # denials
    (BOTH, "It is not true that migration 0042 applied, schema version = 7", "contradicted"),
    (VERSION, "schema version = 7; that is false", "contradicted"),
    (VERSION, "schema version = 7 is wrong", "contradicted"),
    (VERSION, "The claim that the schema version is 7 is false.", "contradicted"),
    (VERSION, "The schema version isn't 7.", "contradicted"),
    (VERSION, "The schema version is no longer 7.", "contradicted"),
    (VERSION, "The schema version is not 6.", "referenced"),
    (VERSION, "schema version = 7 no longer holds", "contradicted"),
    ("budget cap: $500", "The $500 budget cap no longer applies; spend what the task needs.", "contradicted"),
    ("migration 0042 applied", "migration 0042 failed", "contradicted"),
    ("migration 0042 applied", "migration 0042 has not been applied", "contradicted"),
    # changes
    (VERSION, "schema version was 7, now 8", "contradicted"),
    (VERSION, "schema version was 6 but is now 7", "restated"),
    (VERSION, "schema version (was 6) is now 7", "restated"),
    (VERSION, "schema version is 7 (was 6)", "restated"),
    (VERSION, "schema version: 6 -> 7", "restated"),
    (VERSION, "schema version: 7 -> 8", "contradicted"),
    (VERSION, "upgraded the schema version from 7 to 8", "contradicted"),
    (VERSION, "At first schema version = 7; after the rollback the schema version is now 6.", "contradicted"),
    (VERSION, "Old state: schema version = 7. Later the schema version was changed to 8.", "contradicted"),
    (VERSION, "schema version is 7, no longer 6", "restated"),
    ("replicas: 3", "replicas went from 3 to 5", "contradicted"),
    # other things
    (VERSION, "The old schema version was 6.", "referenced"),
    (VERSION, "The minimum schema version is 5.", "referenced"),
    (VERSION, "min_schema_version = 5", "referenced"),
    ("version: 1.2.0", "postgres version 1.2.0", "referenced"),
    ("version: 1.2.0", "the postgres version is 1.3.0", "referenced"),
    ("branch: main", "branch is main", "restated"),
    ("branch: main", "branch: dev", "contradicted"),
    ("branch: main", "branch is protected", "referenced"),
    ("progress: 50%", "progress: 50", "referenced"),
    ("disk: 1 GiB", "disk 1073741824 bytes", "restated"),
    # lists, ranges, bounds
    (VERSION, "schema version >= 6", "referenced"),
    (VERSION, "the schema version is at least 7", "referenced"),
    (VERSION, "schema versions 6-8 work", "referenced"),
    (VERSION, "schema version is either 6 or 7", "referenced"),
    (VERSION, "schema version is 7 and 12 tests passed", "restated"),
    # nouns and their numbers
    ("replicas: 3", "scaled to 3 replicas", "restated"),
    ("replicas: 3", "the replica count is 3", "restated"),
    ("port: 8080", "listening on port 8080", "restated"),
    ("port: 8080", "the port is 8081", "contradicted"),
    ("Created ticket OPS-1234", "Ticket OPS-1234 was created", "restated"),
    # entities
    ("migration 0042 applied", "we applied migration 0042", "restated"),
    ("migration 0042 applied", "the 0042 migration was applied", "restated"),
    ("migration 0042 applied", "migrations 0041 and 0042 were applied", "restated"),
    ("migration 0042 applied", "migration 42 applied", "restated"),
    ("migration 0042 applied", "migration 0043 applied", "absent"),
    ("migration 0042 applied", "migration 0043 failed", "absent"),
    # generic keys: without an entity only restated or absent
    ("status: ok", "status: ok", "restated"),
    ("status: ok", "status: failed", "absent"),
    # writes
    (WRITE, "Created src/main.py", "restated"),
    (WRITE, "src/main.py was created and tested", "restated"),
    (WRITE, "Files written: `src/main.py`, `src/util.py`", "restated"),
    (WRITE, "I will create main.py next", "referenced"),
    (WRITE, "src/main.py has not been created", "referenced"),
    (WRITE, "see src/main.py", "referenced"),
    (WRITE, "src/main.py was deleted", "contradicted"),
    (WRITE, "Created src/domain.py", "absent"),
    (WRITE, "Updated `src/main.py` and `src/util.py`", "restated"),
    (WRITE, "wrote 200 lines to src/main.py", "restated"),
    (WRITE, "- src/main.py (created)", "restated"),
    (WRITE, "Added tests for src/main.py", "referenced"),
    (WRITE, "Copied src/main.py to src/b.py", "referenced"),
    (WRITE, "Copied src/b.py to src/main.py", "restated"),
    (WRITE, "Files created:\n- src/util.py\n- src/main.py: entry point", "restated"),
    (WRITE, "Files to create:\n- src/main.py", "referenced"),
    (WRITE, "Not created:\n- src/main.py", "referenced"),
    (WRITE, "added src/main.py (30 bytes)", "referenced"),
    (WRITE, "added src/main.py", "restated"),
    # whole numbers, units, rounding, times
    ("budget = 1", "the budget is 1,000", "contradicted"),
    ("budget = 1", "the budget is 1\u202f000", "contradicted"),
    ("budget = 1", "the budget is 1 000", "contradicted"),
    ("budget: $1,000", "the budget is 1 000", "restated"),
    ("budget: 1 000", "the budget is $1,000", "restated"),
    ("memory: 512 MB", "memory is 0.5 GB", "referenced"),
    ("memory: 512 MB", "memory is 513 MB", "contradicted"),
    ("memory: 512 MB", "memory is 2 GB", "contradicted"),
    ("economy: 17", "the economy is $121", "referenced"),
    ("economy: 17", "$51 economy | $121 business", "referenced"),
    ("created_at: 2026-03-09T12:13:06Z", "created at: Mon Mar 9 12:13:06 2026 +0000", "restated"),
    ("created_at: Mon Mar 9 12:13:06 2026 +0000", "created at = 2026-03-09T13:13:06+01:00", "restated"),
    ("created_at: 2026-03-09T12:13:06Z", "created at: 2026-03-09", "referenced"),
    ("created_at: 2026-03-09T12:13:06Z", "created at: 2026-03-08", "contradicted"),
    ("Date: Mon Mar 9 12:13:06 2026 +0000", "The date is Mon Mar 9 12:13:06 2026 +0000.", "restated"),
    # a noun's number
    ("tasks: 5", "a writing task", "absent"),
    ("tasks: 5", "how many tasks are left?", "referenced"),
    ("filename: a.txt", "the filename to create", "referenced"),
    # what only looks like a name
    ("version: 1.2.0", "the `app/<version>` header", "absent"),
    ("version: 1.2.0", "it takes the text of `getVersion()`", "absent"),
    ("version: 1.2.0", "the `version` field", "referenced"),
    # a call's own facts
    ("exit code: 1", "exit code 1", "restated"),
    ("exit code: 1", "exit code 0", "absent"),
]


@pytest.mark.parametrize(("anchor", "text", "expected"), TABLE, ids=[f"{one[0]} | {one[1]}" for one in TABLE])
def test_left(anchor: str, text: str, expected: str) -> None:
    assert left(anchor, text, "summary") == expected


@pytest.mark.parametrize(
    "text", ["數據庫版本是七。", "全部成功，没有错误。", "؟؟؟", "\ud800 = 7", "a" * 5000, "=:=:", "🙂 = 🙂", "\x00"]
)
def test_any_text_is_answered(text: str) -> None:
    assert left(text, text, "summary") in ("restated", "absent")


def test_state_spans_name_nothing() -> None:
    assert left("schema_version: 7", "schema version of what", "tool_result") == "absent"


def test_records_of_other_things_deny_nothing() -> None:
    records = '[{"id": "web-1", "replicas": 4}, {"id": "web-2", "replicas": 5}]'
    assert left("replicas: 3", records, "api_response") == "absent"
    assert left("replicas: 3", '{"replicas": 4}', "api_response") == "contradicted"


def test_a_system_prompt_names_nothing_by_one_word() -> None:
    assert left("filename: a.txt", "- filename (string): the name of the file", "system") == "absent"
    assert left(VERSION, "Never touch the schema version.", "system") == "referenced"


def test_a_bare_name_of_several_files_names_none() -> None:
    writes = [span(n, f"File created successfully at: /app/{n}/main.py", retained=False) for n in range(2)]
    assert Session([*writes, span(2, "see main.py", "reasoning")]).represent(0).representation == "absent"
    assert Session([*writes, span(2, "see 0/main.py", "reasoning")]).represent(0).representation == "referenced"


def test_let_me_only_references_a_write() -> None:
    assert left(WRITE, "Let me create src/main.py", "reasoning") == "referenced"


def test_where_it_survived() -> None:
    spans = [
        span(0, VERSION, retained=False),
        span(1, "schema version = 7", "reasoning"),
        span(2, "The schema version is 7.", "summary"),
    ]
    assert Session(spans).represent(0).survived == ("summary",)
    assert Session(spans[:2]).represent(0).survived == ("retained tail",)


def test_statuses_stand_with_their_assertions() -> None:
    session = pair(BOTH, "migration 0042 was applied; confirm the schema version")
    found = dict(
        zip([one.key for one in session.spans[0].extraction.assertions], session.represent(0).statuses, strict=True)
    )
    assert found == {"migration": "restated", "schema_version": "referenced"}


def test_a_bulk_region_represents_nothing() -> None:
    listing = "```python\nschema_version = 7\nimport os\nx = os.getcwd()\ndef f(a, b):\n    return a + b\n```"
    assert left(VERSION, listing) == "absent"


def test_a_truncated_span_is_never_restated() -> None:
    text = "\n".join(f"alpha_{number}_version: {number}" for number in range(80))
    session = pair(text, text, "summary")
    assert session.spans[0].extraction.truncated
    assert set(session.represent(0).statuses) == {"restated"}
    assert session.represent(0).representation == "partial"


def test_pointer_spans_represent_nothing() -> None:
    text = f"spill://{'0' * 64}?span=a&kind=tool_result&keys=schema_version\nschema version = 7"
    assert left("schema_version: 7", text, "pointer") == "absent"


def test_position_must_be_the_index() -> None:
    with pytest.raises(ValueError, match="stands at 0"):
        Session([span(1, VERSION)])
