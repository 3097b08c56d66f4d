"""Keys in one form (SPEC §4: camelCase, `_`, `-`, `.` split; lower case; plural s off; words joined by `_`)."""

from __future__ import annotations

import pytest

from policylang.evidence import keys


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("schemaVersion", "schema_version"),
        ("SchemaVersions", "schema_version"),
        ("schema version", "schema_version"),
        ("schema-version", "schema_version"),
        ("artifact.sha256", "artifact_sha256"),
        ("SHA256", "sha256"),
        ("HTTPStatusCode", "http_status_code"),
        ("userIDs", "user_id"),
        ("TEL_START", "tel_start"),
        ("status", "status"),
        ("addresses", "address"),
        ("properties", "property"),
        ("the server's port", "the_server_port"),
        ("checkout_v2", "checkout_v2"),
        ("データ_id", "データ_id"),
        ("--", ""),
        ("", ""),
    ],
)
def test_normalise(raw: str, expected: str) -> None:
    assert keys.normalise(raw) == expected
    assert keys.normalise(expected) == expected


def test_generic_keys_are_the_ones_of_the_specification() -> None:
    names = ("name", "id", "type", "status", "line", "path", "file", "error", "count", "value", "date")
    assert all(keys.is_generic(name) for name in names)
    assert len(keys.GENERIC) == len(names)
    assert not keys.is_generic("schema_version")


def test_per_call_keys() -> None:
    assert keys.is_per_call("exit_code") and keys.is_per_call("passed") and not keys.is_per_call("schema_version")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("0042", "0042", True),
        ("`API`", "api", True),
        (None, "api", True),
        ("ord-17/it-5", "it-5", True),
        ("deploy/app.yaml", "app.yaml", True),
        ("my-app.yaml", "app.yaml", False),
        ("api", "web", False),
    ],
)
def test_same_entity(first: str | None, second: str | None, expected: bool) -> None:
    assert keys.same_entity(first, second) is expected
    assert keys.same_entity(second, first) is expected
