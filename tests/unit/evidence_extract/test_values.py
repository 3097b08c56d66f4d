"""Types and equality of single values (SPEC §4: whole token against whole token, by type)."""

from __future__ import annotations

import pytest

from policylang.evidence.values import classify, opposite, same, same_type

UUID = "0b3f4c1e-9a2d-4e5f-8a6b-7c8d9e0f1a2b"

CLASSIFY: list[tuple[str, str | None, tuple[str, str] | None]] = [
    ("7", "schema_version", ("version", "7")),
    ('"7"', "schema version", ("version", "7")),
    ("v1.2.3", None, ("version", "1.2.3")),
    ("1.2.3-rc.1", "tag", ("version", "1.2.3-rc.1")),
    ("3.12", "python", ("version", "3.12")),
    ("3.12", "ratio", ("number", "3.12")),
    ("1,048,576", "limit", ("number", "1048576")),
    ("007", "agent_count", ("count", "7")),
    ("99.5%", "coverage", ("number", "99.5%")),
    ("$1,200", "price", ("number", "1200")),
    ("-3", "exit_code", ("exit_code", "-3")),
    ("404", "status", ("http_status", "404")),
    ("700", "status", ("number", "700")),
    ("8080", "port", ("port", "8080")),
    ("70000", "port", ("number", "70000")),
    ("0042", "migration", ("migration", "0042")),
    (UUID.upper(), "request", ("id", UUID)),
    ("01ARZ3NDEKTSV4RRFFQ69G5FAV", None, ("id", "01ARZ3NDEKTSV4RRFFQ69G5FAV")),
    ("arn:aws:s3:::bucket/key", None, ("id", "arn:aws:s3:::bucket/key")),
    ("OPS-41", None, ("id", "OPS-41")),
    ("3F9AC1D", "commit", ("id", "3f9ac1d")),
    ("sha256:" + "ab" * 32, "image", ("checksum", "ab" * 32)),
    ("d41d8cd98f00b204e9800998ecf8427e", "md5", ("checksum", "d41d8cd98f00b204e9800998ecf8427e")),
    ("enabled", "checkout", ("boolean", "true")),
    ("No", "insurance", ("boolean", "false")),
    ("applied", "migration", ("state", "applied")),
    ("eu-west-1", "region", ("enum", "eu-west-1")),
    ("Pending", "status", ("enum", "pending")),
    ("90 s", "timeout", ("duration", "90")),
    ("1.5 min", "timeout", ("duration", "90")),
    ("250ms", "latency", ("duration", "0.25")),
    ("1 MiB", "size", ("size", "1048576")),
    ("1048576 bytes", "size", ("size", "1048576")),
    ("10.0.0.7", "host", ("ip", "10.0.0.7")),
    ("::1", "host", ("ip", "::1")),
    ("https://example.org/a?b=1", "url", ("url", "https://example.org/a?b=1")),
    ("2026-12-01 10:20:30Z", "deployed at", ("timestamp", "2026-12-01T10:20:30Z")),
    ("12:30:00", "departure", ("timestamp", "12:30:00")),
    ("/etc/app.yaml", "config", ("path", "/etc/app.yaml")),
    ("src/app.py", "config", ("path", "src/app.py")),
    ("app.yaml", "file", ("path", "app.yaml")),
    ("and/or", "mode of it", None),
    ("hello", "greeting", None),
    ("a long sentence about nothing", "note", None),
    ("x86_64", "arch", None),
    ("utf-8", "encoding", None),
    ("", "k", None),
    ("...", "k", None),
    ("x" * 600 + "1", "id", None),
    ("1e999999999", "n", ("number", "1e999999999")),
    ("NaN", "n", None),
]

SAME = [
    ("number", "1048576", "count", "1048576"),
    ("version", "7", "number", "7"),
    ("duration", "90", "duration", "90.0"),
    ("id", "3f9ac1d", "id", "3f9ac1d07b2e5c8a9d4410f6be77a2c5d8e90b13"),
    ("id", UUID, "id", UUID.upper()),
    ("checksum", "ab" * 32, "id", "AB" * 32),
    ("boolean", "true", "state", "enabled"),
    ("write", "deploy/app.yaml", "path", "/srv/deploy/app.yaml"),
    ("url", "https://example.org/", "url", "https://example.org"),
]
DIFFERENT = [
    ("version", "7", "version", "70"),
    ("version", "1.2", "version", "1.2.0"),
    ("number", "5%", "number", "5"),
    ("id", "3f9ac1", "id", "3f9ac1d07b2e5c8a9d4410f6be77a2c5d8e90b13"),
    ("id", "9f3ac1d", "id", "3f9ac1d07b2e5c8a9d4410f6be77a2c5d8e90b13"),
    ("boolean", "true", "boolean", "false"),
    ("write", "app.yaml", "write", "my-app.yaml"),
    ("number", "7", "id", "7"),
    ("duration", "90", "number", "90"),
]


@pytest.mark.parametrize(("raw", "key", "expected"), CLASSIFY)
def test_classify(raw: str, key: str | None, expected: tuple[str, str] | None) -> None:
    assert classify(raw, key) == expected


@pytest.mark.parametrize("row", SAME)
def test_one_value_in_two_spellings(row: tuple[str, str, str, str]) -> None:
    first_type, first, second_type, second = row
    assert same(first_type, first, second_type, second)
    assert same(second_type, second, first_type, first)


@pytest.mark.parametrize("row", DIFFERENT)
def test_two_values(row: tuple[str, str, str, str]) -> None:
    first_type, first, second_type, second = row
    assert not same(first_type, first, second_type, second)
    assert not same(second_type, second, first_type, first)


def test_opposites_go_both_ways() -> None:
    for word, other in (("applied", "failed"), ("created", "deleted"), ("enabled", "disabled"), ("open", "closed")):
        assert other in opposite(word) and word in opposite(other)
    assert opposite("Applied") == opposite("applied")
    assert opposite("banana") == frozenset()


def test_types_that_can_contradict() -> None:
    assert same_type("number", "count") and same_type("id", "checksum") and same_type("state", "boolean")
    assert not same_type("number", "duration") and not same_type("id", "version")
