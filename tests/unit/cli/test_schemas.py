"""The published schemas hold what the engine writes and refuse what its readers refuse."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from policylang.check import load_text
from policylang.diagnostics import CODES, Diagnostic, PolicyError, RequestError, to_document
from policylang.frontend.yaml.loader import load_yaml
from policylang.runtime.decide import evaluate
from policylang.runtime.policy import load
from policylang.schemas import schema_names, schema_text
from policylang.source import Source
from policylang.testing.base import complete
from policylang.testing.cases import CASE_KEYS, EXPECT_KEYS, FILE_KEYS, read_cases
from policylang.transcript.request import Request
from policylang.transcript.request_shape import (
    DOCUMENT_FIELDS,
    INDEX_FIELDS,
    MONITOR_FIELDS,
    SCORING_FIELDS,
    SPAN_FIELDS,
    TOP_FIELDS,
)
from tests.unit.transcript.test_request import BAD, GOOD

CONFORMANCE = sorted((Path(__file__).parents[2] / "conformance").glob("*.cases.yaml"))

# Beyond draft-07: that two values agree, that a key is given once, how many digits a number may have.
BEYOND = (
    "given twice", "after the current epoch", "not a retained span", "too large",
    "`eviction_set[1].span_id`", "`eviction_set[1].epoch`", "`spans[0].epoch`",
)  # fmt: skip


def is_json(text: str) -> bool:
    """Whether a strict parser reads it: Python's own takes NaN, infinities and lone surrogates as well."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.dumps(json.loads(text, parse_constant=refuse), ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


EXPRESSIBLE = [row[0] for row in BAD if is_json(row[0]) and not any(words in row[2] for words in BEYOND)]


def schema(name: str) -> jsonschema.Draft7Validator:
    return jsonschema.Draft7Validator(json.loads(schema_text(name)))


def objects(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
        for value in part.values():
            yield from objects(value)
    elif isinstance(part, list):
        for value in part:
            yield from objects(value)


@pytest.mark.parametrize("name", schema_names())
def test_schemas_are_schemas_closed_and_described(name: str) -> None:
    document = json.loads(schema_text(name))
    jsonschema.Draft7Validator.check_schema(document)
    for part in objects(document):
        for described in part.get("properties", {}).values() if "additionalProperties" in part else ():
            assert described.get("description") or "$ref" in described
        if part.get("type") == "object" and "properties" in part and "description" in part:
            assert part["additionalProperties"] is False


def test_a_request_has_the_fields_that_the_reader_reads() -> None:
    document = json.loads(schema_text("request"))
    top = document["properties"]
    assert top.keys() == {*TOP_FIELDS, *DOCUMENT_FIELDS, "schema"}
    assert document["definitions"]["span"]["properties"].keys() == {*SPAN_FIELDS, "span_id"}
    for name, fields in (("index", INDEX_FIELDS), ("monitor", MONITOR_FIELDS), ("scoring", SCORING_FIELDS)):
        assert top[name]["properties"].keys() == fields.keys()


@pytest.mark.parametrize("text", EXPRESSIBLE)
def test_what_the_reader_refuses_the_schema_refuses(text: str) -> None:
    assert not schema("request").is_valid(json.loads(text))


def test_most_of_what_the_reader_refuses_can_be_said_in_a_schema() -> None:
    assert len(EXPRESSIBLE) >= sum(is_json(row[0]) for row in BAD) * 2 // 3


def test_what_the_reader_reads_the_schema_allows() -> None:
    nulls = {**GOOD, "index": None, "monitor": {"divergence": None}, "generation": None, "transcript": None}
    document = {
        "eviction_set": [{"span_id": "m42", "kind": "tool_result", "text": "x", "epoch": 3}],
        "rehydration_index_epoch": 5,
        "current_epoch": 7,
    }
    verified = {**GOOD, "index": {"covers": ["m42"], "verified": {"m42": None}, "rebuilt": None}}
    for value in (GOOD, nulls, document, verified, {"schema": "policylang.request/v1", **GOOD}):
        Request.from_json(copy.deepcopy(value))
        schema("request").validate(value)


def verdicts() -> Iterator[Any]:
    for path in CONFORMANCE:
        for case in read_cases(Source(str(path), path.read_text(encoding="utf-8"))):
            if case.policy is not None and case.policy.form == "name" and "error" not in case.expect:
                yield pytest.param(case, id=case.name)


@pytest.mark.parametrize("case", list(verdicts()))
def test_real_requests_and_verdicts_follow_their_schemas(case: Any) -> None:
    given = complete(case.given)
    schema("request").validate(given)
    verdict = evaluate(load(case.policy.value), given, as_of=date(2026, 12, 1))
    for source in (True, False):
        schema("verdict").validate(verdict.to_json(source=source))
    schema("verdict").validate(json.loads(verdict.canonical()))


def test_a_verdict_cannot_hold_another_decision() -> None:
    verdict = evaluate(load("std/standard"), GOOD, as_of=date(2026, 12, 1)).to_json()
    schema("verdict").validate(verdict)
    for change in ({"decision": "allow"}, {"extra": 1}, {"as_of": 3}, {"reasons": [{}]}):
        assert not schema("verdict").is_valid({**verdict, **change})
    del verdict["decision"]
    assert not schema("verdict").is_valid(verdict)


def test_real_diagnostics_follow_their_schema() -> None:
    with pytest.raises(PolicyError) as policy:
        load_text('policy "t"\nindex { quarentine 1 epochs }\n')
    with pytest.raises(RequestError) as request:
        Request.from_json("{}")
    for error in (policy.value, request.value):
        schema("diagnostics").validate(to_document(error.diagnostics))
    assert not schema("diagnostics").is_valid(to_document([Diagnostic("no-such-code", "x")]))
    for code in CODES:
        schema("diagnostics").validate(to_document([Diagnostic(code, "x")]))


@pytest.mark.parametrize("path", CONFORMANCE, ids=lambda path: path.name)
def test_conformance_files_follow_the_schema_of_cases(path: Path) -> None:
    value = load_yaml(Source(str(path), path.read_text(encoding="utf-8")))
    schema("cases").validate(value)
    broken = copy.deepcopy(value)
    broken["cases"][0]["expct"] = broken["cases"][0].pop("expect", {})
    assert not schema("cases").is_valid(broken)


def test_cases_have_the_keys_that_the_reader_reads() -> None:
    document = json.loads(schema_text("cases"))
    case = document["definitions"]["case"]["properties"]
    assert document["properties"].keys() == set(FILE_KEYS)
    assert case.keys() == set(CASE_KEYS)
    assert case["expect"]["properties"].keys() == set(EXPECT_KEYS)
