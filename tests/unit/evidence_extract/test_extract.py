"""Texts and the assertions they hold. Expected values follow SPEC §4, not what the extractor prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from policylang.evidence.extract import CAP, extract
from policylang.evidence.model import Extraction
from policylang.frontend.yaml.loader import load_yaml
from policylang.source import Source

SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
SHA1 = "3f9ac1d07b2e5c8a9d4410f6be77a2c5d8e90b13"

# (text, [(key, value, type, entity)]); every assertion of the text is listed.
TABLE: list[tuple[str, list[tuple[str, str, str, str | None]]]] = [
    ("schemaVersion = 7", [("schema_version", "7", "version", None)]),
    ("schema_version: 7", [("schema_version", "7", "version", None)]),
    ("schema version = 7", [("schema_version", "7", "version", None)]),
    ('schema_version: "7"', [("schema_version", "7", "version", None)]),
    ('{"schema_version": 7}', [("schema_version", "7", "version", None)]),
    ("schema_version：７", [("schema_version", "7", "version", None)]),
    ("the schema version is now 7", [("schema_version", "7", "version", None)]),
    ("schemaVersion 7", [("schema_version", "7", "version", None)]),
    ("schema version went from 6 to 7", [("schema_version", "7", "version", None)]),
    (
        "migration 0042 applied, schema version = 7",
        [("migration", "applied", "state", "0042"), ("schema_version", "7", "version", None)],
    ),
    (
        "Migration 0042 applied. Schema version: 7.",
        [("migration", "applied", "state", "0042"), ("schema_version", "7", "version", None)],
    ),
    (f"artifact sha256: {SHA256}", [("artifact_sha256", SHA256, "checksum", None)]),
    (f"sha256 of the artifact is {SHA256.upper()}", [("artifact_sha256", SHA256, "checksum", None)]),
    (f"commit: {SHA1}", [("commit", SHA1, "id", None)]),
    ("built from commit 3f9ac1d", [("commit", "3f9ac1d", "id", None)]),
    ("checkout_v2: enabled", [("checkout_v2", "true", "boolean", None)]),
    ("timeout: 90 s", [("timeout", "90", "duration", None)]),
    ("the timeout is 1.5 min", [("timeout", "90", "duration", None)]),
    ("lease: zx-77", [("lease", "zx-77", "id", None)]),
    ("build id: bd-4410", [("build_id", "bd-4410", "id", None)]),
    ('{"deployment_id": "dep-9f31"}', [("deployment_id", "dep-9f31", "id", None)]),
    ('{"status": 200}', [("status", "200", "http_status", None)]),
    ("status: pending", [("status", "pending", "enum", None)]),
    ("queue depth = 42", [("queue_depth", "42", "number", None)]),
    ("there were 7 replicas", [("replica", "7", "count", None)]),
    ("Schema version: 7. Backup id: bk-2231.",
     [("schema_version", "7", "version", None), ("backup_id", "bk-2231", "id", None)]),
    ("the server's port is 8080", [("server_port", "8080", "port", None)]),
    ("version=1.2.3 env=prod size=10MiB host=10.0.0.7",
     [("version", "1.2.3", "version", None), ("env", "prod", "enum", None), ("size", "10485760", "size", None),
      ("host", "10.0.0.7", "ip", None)]),
    ("| key | value |\n|---|---|\n| schema_version | 7 |", [("schema_version", "7", "version", None)]),
    ("| service | version | healthy |\n|---|---|---|\n| api | 1.4.2 | yes |",
     [("version", "1.4.2", "version", "api"), ("healthy", "true", "boolean", "api")]),
    ("NAME     STATUS    RESTARTS\nweb-1    Running   3\n",
     [("status", "running", "enum", "web-1"), ("restart", "3", "number", "web-1")]),
    ('{"id": "ord-17", "items": [{"id": "it-5", "shipped": true}]}',
     [("id", "ord-17", "id", None), ("id", "it-5", "id", "ord-17"), ("shipped", "true", "boolean", "ord-17/it-5")]),
]  # fmt: skip

ACTS: list[tuple[str, str, str, str]] = [
    ("wrote 812 bytes to deploy/app.yaml", "write", "deploy/app.yaml", "write"),
    ("File created successfully at: /x/y", "write", "/x/y", "write"),
    ("The file /srv/app/main.py has been updated", "write", "/srv/app/main.py", "write"),
    ("Successfully replaced text in src/a.ts. Changed 4 characters to 9 characters.", "write", "src/a.ts", "write"),
    ("M src/app.py", "write", "src/app.py", "write"),
    ("created ticket OPS-41", "ticket", "OPS-41", "id"),
    ("opened PR 12", "pr", "12", "id"),
    ("exited with code 1", "exit_code", "1", "exit_code"),
    ("<returncode>0</returncode>", "exit_code", "0", "exit_code"),
    ("Exit code: 1", "exit_code", "1", "exit_code"),
    ("[main 3f9ac1d] message", "commit", "3f9ac1d", "id"),
    ("HTTP/1.1 200 OK", "http_status", "200", "http_status"),
    ("Applied migration 0042", "migration", "applied", "state"),
    (f"{SHA256}  dist/app.tar.gz", "sha256", SHA256, "checksum"),
]

SEEN: list[tuple[str, list[tuple[str, str, str]]]] = [
    # Lines as tools print them.
    ("   Compiling app v0.1.0 (/srv/app)", [("version", "0.1.0", "version")]),
    ("Successfully installed flask-3.0.0 werkzeug-3.0.1",
     [("version", "3.0.0", "version"), ("version", "3.0.1", "version")]),
    ("Setting up curl (7.88.1-10) ...", [("version", "7.88.1-10", "version")]),
    ("> app@1.4.0 build", [("version", "1.4.0", "version")]),
    ("Ran 42 tests in 0.123s", [("test", "42", "count"), ("duration", "0.123", "duration")]),
    (" 2 files changed, 13 insertions(+), 1 deletion(-)",
     [("file", "2", "count"), ("insertion", "13", "count"), ("deletion", "1", "count")]),
    ("On branch main", [("branch", "main", "enum")]),
    ("HEAD is now at 3f9ac1d fix", [("commit", "3f9ac1d", "id")]),
    (" * Running on http://127.0.0.1:5000", [("url", "http://127.0.0.1:5000", "url")]),
    ("Listening on port 8080", [("port", "8080", "port")]),
    ("HTTP request sent, awaiting response... 404 Not Found", [("http_status", "404", "http_status")]),
    ("real\t1m3.5s", [("real_time", "63.5", "duration")]),
    ("2026-12-01T10:00:00Z INFO ready version=1.2.3", [("version", "1.2.3", "version")]),
    ('level=info msg="started" {"id": "job-77", "ok": true}', [("id", "job-77", "id"), ("ok", "true", "boolean")]),
    ("Error: not enough seats on flight HAT290", [("flight", "HAT290", "id")]),
    ("Success. Updated the following files:\nM src/app.py\nA src/new.py",
     [("write", "src/app.py", "write"), ("write", "src/new.py", "write")]),
    ('{"result": "Edited src/a.ts\\n```diff\\n", "success": true}',
     [("write", "src/a.ts", "write"), ("success", "true", "boolean")]),
    ("root@box:/app# python serve.py --port 8080", []),
    ("$ git checkout v1.2.3", []),
    ("src/a.ts(12,5): error TS2304: Cannot find name 'x'.", []),
    ("npm error command failed", []),
    ("No fixes applied.", [("fix", "applied", "state")]),  # and its polarity is False
]  # fmt: skip

NOTHING = [
    "all good here",
    "we should verify the schema version",
    "we must set schema version = 7",
    "what schema version are we on?",
    "is the schema version 7?",
    "if the schema version is 7 we can go on",
    "schema versions 6 and 7 are supported",
    "the pager stopped ringing",
    "as established earlier, we go on",
    "see https://example.org/docs for the manual",
]


def facts(found: Extraction) -> list[tuple[str, str, str, str | None]]:
    return [(a.key, a.value, a.type, a.entity) for a in found.assertions]


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[text for text, _ in TABLE])
def test_a_text_asserts_exactly_this(text: str, expected: list[tuple[str, str, str, str | None]]) -> None:
    assert facts(extract(text, kind="tool_result")) == expected


@pytest.mark.parametrize(("text", "key", "value", "type_"), ACTS, ids=[row[0] for row in ACTS])
def test_an_act_gives_its_object_only(text: str, key: str, value: str, type_: str) -> None:
    assert [(a.key, a.value, a.type) for a in extract(text, kind="tool_result").assertions] == [(key, value, type_)]


@pytest.mark.parametrize(("text", "expected"), SEEN, ids=[text for text, _ in SEEN])
def test_lines_that_tools_print(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(a.key, a.value, a.type) for a in extract(text, kind="tool_result").assertions] == expected


def test_run_totals_belong_to_the_call() -> None:
    found = extract("12 passed, 1 failed", kind="tool_result").assertions
    assert [(a.key, a.value, a.type, a.per_call) for a in found] == [
        ("passed", "12", "count", True),
        ("failed", "1", "count", True),
    ]


@pytest.mark.parametrize("text", NOTHING)
def test_free_text_questions_and_wishes_assert_nothing(text: str) -> None:
    assert facts(extract(text, kind="tool_result")) == []


@pytest.mark.parametrize(
    "text",
    [
        "migration 0042 was not applied",
        "migration 0042 has not been applied",
        "migration 0042 was never applied",
        "migration 0042 hasn't been applied",
        "it is not true that migration 0042 was applied",
    ],
)
def test_a_negation_gives_the_value_written_and_false_polarity(text: str) -> None:
    (fact,) = extract(text, kind="tool_result").assertions
    assert (fact.entity, fact.key, fact.value, fact.polarity) == ("0042", "migration", "applied", False)


def test_a_call_and_a_pointer_assert_nothing() -> None:
    for kind in ("tool_call", "pointer"):
        assert extract("set schema_version: 7", kind=kind).assertions == ()


def test_of_a_reading_call_only_the_exit_code_counts() -> None:
    found = extract("Exit code: 3\nOutput:\nschema_version: 7\n", kind="tool_result", reading=True)
    assert facts(found) == [("exit_code", "3", "exit_code", None)]
    assert found.bulk and found.regions == ((0, 39),)


def test_frame_keys_do_not_count_but_the_exit_code_does() -> None:
    text = "Chunk ID: c633a5\nExit code: 0\nschema_version: 7\n"
    found = extract(text, kind="tool_result", frame_keys=frozenset({"chunk_id", "exit_code"}))
    assert [a.key for a in found.assertions] == ["exit_code", "schema_version"]


def test_above_the_cap_ids_stay_before_numbers() -> None:
    rows = [f"depth_{n}: {n}.5" for n in range(CAP)] + ["build id: bd-4410", f"artifact sha256: {SHA256}"]
    found = extract("\n".join(rows), kind="tool_result")
    assert found.truncated and len(found.assertions) == CAP
    assert [a.type for a in found.assertions[-2:]] == ["id", "checksum"]
    assert [a.start for a in found.assertions] == sorted(a.start for a in found.assertions)
    assert not extract("\n".join(rows[:CAP]), kind="tool_result").truncated


def test_offsets_point_into_the_original() -> None:
    text = "ok… \u202eschema\u200b_version：７ﬁ\nport: 8080"
    found = extract("ok…\nschema\u200b_version: ７\n\x1b[32mport\x1b[0m: 8080", kind="tool_result")
    assert [(a.key, a.raw) for a in found.assertions] == [("schema_version", "７"), ("port", "8080")]
    assert [a.raw for a in extract(text, kind="tool_result").assertions][-1] == "8080"


ROOT = Path(__file__).resolve().parents[3]
ANCHORS: dict[str, list[tuple[str, str]]] = {
    '{"deployment_id": "dep-9f31"}': [("deployment_id", "dep-9f31")],
    "all good here": [],
    f"artifact sha256: {SHA256}": [("artifact_sha256", SHA256)],
    "checkout_v2: enabled": [("checkout_v2", "true")],
    f"commit: {SHA1}": [("commit", SHA1)],
    "migration 0042 applied": [("migration", "applied")],
    "migration 0042 applied, schema version = 7": [("migration", "applied"), ("schema_version", "7")],
    "schema version = 7": [("schema_version", "7")],
    "schema_version: 5": [("schema_version", "5")],
    "schema_version: 7": [("schema_version", "7")],
    "timeout: 90 s": [("timeout", "90")],
}


def test_every_anchor_of_the_representation_cases_is_read() -> None:
    path = ROOT / "tests/conformance/04-representation.cases.yaml"
    document: Any = load_yaml(Source(path.name, path.read_text("utf-8")))
    anchors = sorted({case["anchor"] for case in document["cases"] if "anchor" in case})
    assert anchors == sorted(ANCHORS)
    for text, expected in ANCHORS.items():
        assert [(a.key, a.value) for a in extract(text, kind="tool_result").assertions] == expected
