"""SARIF, JUnit and GitHub annotations hold every finding at its place, whatever its text."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policylang.diagnostics import CODES, Diagnostic
from policylang.report.findings import Finding, Outcome, of_diagnostics, of_files, of_tests, outcomes_of_tests
from policylang.report.github import SHOWN, github_text
from policylang.report.junit import junit_text
from policylang.report.sarif import sarif_document
from policylang.source import Loc, Source

SOURCE = Source("rules/my rules/x.policy", "policy\nwhen 漢 s.achor\n")
FIELD = Diagnostic("unknown-field", "no field `achor`", Loc(SOURCE, 16, 21), "did you mean `anchor`?")
LOOSE = Diagnostic("expired", "past its date", None, severity="warning")

TESTS: dict[str, Any] = {
    "results": [
        {"name": "one", "place": "C:/rules/x.policy:12:3", "outcome": "failed", "note": None, "diagnostics": [],
         "mismatches": [{"field": "rules", "expected": ["a"], "actual": []}]},
        {"name": "two", "place": "y.cases.yaml:4", "outcome": "passed", "note": None, "diagnostics": [],
         "mismatches": []},
        {"name": "three", "place": "y.cases.yaml:9", "outcome": "not-run", "note": "YAML", "diagnostics": [],
         "mismatches": []},
    ]
}  # fmt: skip


def test_sarif_has_the_rule_the_place_in_code_points_and_a_fingerprint() -> None:
    document = sarif_document(of_diagnostics([FIELD, LOOSE]), CODES)
    [run] = document["runs"]
    assert (document["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["expired", "unknown-field"]
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("unknown-field", 1, "error")
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "rules/my%20rules/x.policy"},
                "region": {"startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 15},
            }
        }
    ]
    assert (second["level"], second["locations"]) == ("warning", [])


def test_a_finding_that_only_moved_keeps_its_fingerprint() -> None:
    moved = Source(SOURCE.name, "\n\n" + SOURCE.text)
    prints = {
        sarif_document(of_diagnostics([item]), CODES)["runs"][0]["results"][0]["partialFingerprints"]["policylang/v1"]
        for item in (FIELD, Diagnostic(FIELD.code, FIELD.message, Loc(moved, 18, 23)))
    }
    assert len(prints) == 1


def test_what_stopped_the_tool_is_a_notification_and_no_result() -> None:
    [run] = sarif_document(of_diagnostics([FIELD]), CODES, ran=False)["runs"]
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"] == "unknown-field"


def test_junit_counts_and_tells_every_outcome() -> None:
    root = ElementTree.fromstring(junit_text("policylang test", outcomes_of_tests(TESTS)))
    suite = root.find("testsuite")
    assert suite is not None
    assert {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3", "failures": "1", "errors": "0", "skipped": "1",
    }  # fmt: skip
    failed, passed, skipped = suite
    assert (failed.attrib["classname"], failed.attrib["name"]) == ("C:/rules/x.policy", "one")
    assert failed[0].text == "rules: expected ['a'], actual []"
    assert list(passed) == []
    assert (skipped[0].tag, skipped[0].text) == ("skipped", "YAML")


@given(st.text(), st.text())
def test_junit_is_well_formed_xml_whatever_the_text(name: str, text: str) -> None:
    root = ElementTree.fromstring(junit_text("s", [Outcome("g", name, "failed", (text,))]))
    assert len(root.findall(".//failure")) == 1


def test_files_pass_or_fail_and_a_parents_findings_have_their_own_case() -> None:
    found = of_files(["a.policy"], [FIELD, LOOSE])
    assert [(item.name, item.status) for item in found] == [
        ("a.policy", "passed"), (SOURCE.name, "failed"), ("policylang", "passed"),
    ]  # fmt: skip


def test_failed_tests_become_findings_at_their_place() -> None:
    [found] = of_tests(TESTS)
    assert (found.file, found.line, found.severity) == ("C:/rules/x.policy", 12, "error")
    assert found.message == "one: rules: expected ['a'], actual []"


def test_github_escapes_what_would_end_a_property_or_a_message() -> None:
    odd = Finding("code", "error", "100 %\nsecond", None, "a:b,c.policy", 2, 1, 2, 5)
    assert github_text([odd]) == (
        "::error file=a%3Ab%2Cc.policy,line=2,col=1,endLine=2,endColumn=5,title=code::100 %25%0Asecond\n"
    )


def test_a_range_over_lines_has_no_end_column_there() -> None:
    assert "endLine" not in github_text([Finding("code", "info", "m", None, "x", 2, 1, 3, 5)])


def test_github_shows_the_worst_first_and_counts_the_rest() -> None:
    many = [Finding("w", "warning", str(n)) for n in range(12)] + [Finding("e", "error", str(n)) for n in range(13)]
    lines = github_text(many).splitlines()
    assert [line.split()[0] for line in lines] == ["::error"] * SHOWN + ["::warning"] * SHOWN + ["::notice"]
    assert "5 more findings" in lines[-1]
    assert github_text([]) == ""


@pytest.mark.parametrize("severity", ["error", "warning", "info"])
def test_every_severity_has_its_word_everywhere(severity: Any) -> None:
    found = Finding("c", severity, "m")
    assert json.dumps(sarif_document([found], {}))
    assert github_text([found]).startswith("::")
