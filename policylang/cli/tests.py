"""Policy tests as documents: what a run found (``policylang.test/v1``), and what there is to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from policylang.runtime.policy import load
from policylang.source import Source
from policylang.testing.cases import read_cases
from policylang.testing.model import CaseResult, TestReport
from policylang.testing.suite import CASES_SUFFIX, find_tests

SCHEMA = "policylang.test/v1"


def list_tests(paths: Iterable[str | Path], wanted: Callable[[str], bool]) -> tuple[tuple[str, str], ...]:
    """Place and name of every test under the paths that is wanted; none of them runs."""
    found: list[tuple[str, str]] = []
    for path in find_tests(paths):
        if path.name.endswith(CASES_SUFFIX) or path.suffix in (".yaml", ".yml"):
            source = Source(str(path), path.read_text(encoding="utf-8-sig"))
            found += ((case.place, case.name) for case in read_cases(source))
        else:
            found += ((str(test.loc), test.name.value) for test in load(path).checked.tests)
    return tuple(item for item in found if wanted(item[1]))


def listing_document(tests: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The tests there are."""
    return {"schema": "policylang.test-list/v1", "tests": [{"name": name, "place": place} for place, name in tests]}


def tests_document(report: TestReport) -> dict[str, Any]:
    """A run's results; a failed case brings the verdict that it got."""
    counts = {outcome.replace("-", "_"): report.count(outcome) for outcome in ("passed", "failed", "not-run")}
    return {
        "schema": SCHEMA,
        "counts": {**counts, "files": len(report.files)},
        "files": list(report.files),
        "results": [_result(result) for result in report.results],
    }


def _result(result: CaseResult) -> dict[str, Any]:
    failed = result.outcome == "failed"
    return {
        "name": result.case.name,
        "place": result.case.place,
        "outcome": result.outcome,
        "decision": result.verdict["decision"] if result.verdict is not None else None,
        "mismatches": [
            {"field": item.field, "expected": item.expected, "actual": item.actual} for item in result.mismatches
        ],
        "diagnostics": [item.to_json() for item in result.diagnostics] if failed else [],
        "vacuous": list(result.vacuous),
        "note": result.note,
        "verdict": dict(result.verdict) if failed and result.verdict is not None else None,
    }
