"""Every conformance case in the DSL through `policylang eval --format json`, judged without the test runner's help."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from policylang.source import Source
from policylang.testing.base import complete
from policylang.testing.cases import read_cases
from policylang.testing.model import Case
from tests.e2e.cli_runner import Ran, Runner

FOLDER = Path(__file__).parents[1] / "conformance"
ALL = [
    case
    for path in sorted(FOLDER.glob("*.cases.yaml"))
    for case in read_cases(Source(str(path), path.read_text(encoding="utf-8")))
]
DSL = [case for case in ALL if case.policy is not None and case.policy.form != "yaml"]


@pytest.mark.parametrize("case", DSL, ids=lambda case: f"{Path(case.place).name.split('.')[0]}: {case.name}")
def test_eval_gives_what_the_case_expects(case: Case, run: Runner, tmp_path: Path) -> None:
    assert case.policy is not None
    policy = case.policy.value
    if case.policy.form == "text":
        (tmp_path / "t.policy").write_text(policy, encoding="utf-8")
        policy = "t.policy"
    (tmp_path / "request.json").write_text(json.dumps(complete(case.given)), encoding="utf-8")
    found = run("eval", "-p", policy, "-r", "request.json", "--format", "json")
    if {"error", "errors", "errors_include"} & case.expect.keys():
        judge_error(case.expect, found)
    else:
        judge_verdict(case, found)


def judge_error(expect: Any, found: Ran) -> None:
    assert found.code == 2
    first = found.document["diagnostics"][0]
    codes = [item["code"] for item in found.document["diagnostics"]]
    if "error" in expect:
        assert codes == [expect["error"]]
    if "errors" in expect:
        assert codes == expect["errors"]
    assert set(expect.get("errors_include", ())) <= set(codes)
    if "at" in expect:
        assert f"{first['line']}:{first['column']}" == expect["at"]
    assert expect.get("help", "") in (first["help"] or "")


def judge_verdict(case: Case, found: Ran) -> None:
    expect, verdict = case.expect, found.document
    assert found.code == (0 if verdict["decision"] == "compact" else 1)
    reasons = [item for item in verdict["reasons"] if case.only is None or item["rule"] in case.only]
    rules = {item["rule"] for item in reasons}
    plan = {item["span"]: item["action"] for item in verdict["plan"]}
    actual = {
        "decision": verdict["decision"],
        "rules": rules,
        "undetermined": {item["rule"] for item in reasons if item["undetermined"]},
        "spans": {span for item in reasons if item["scope"] == "span" for span in item["spans"]},
        "warnings": {item["rule"] for item in verdict["warnings"]},
        "shadow": {item["rule"] for item in verdict["shadow"]},
        "salvage": verdict["salvage"],
    }
    for name in actual.keys() & expect.keys():
        wanted = set(expect[name]) if isinstance(actual[name], set) else expect[name]
        assert actual[name] == wanted, name
    assert set(expect.get("includes", ())) <= rules
    assert not set(expect.get("excludes", ())) & rules
    assert {span: plan[span] for span in expect.get("plan", ())} == expect.get("plan", {})
    if "chains" in expect:
        epsilons = {item["chain"]: item["evidence"]["epsilon"] for item in reasons if "chain" in item}
        assert epsilons.keys() == expect["chains"].keys()
        for chain, epsilon in expect["chains"].items():
            assert math.isclose(epsilons[chain], epsilon, abs_tol=1e-9)


def test_no_expectation_goes_unread() -> None:
    read = {
        "decision", "rules", "includes", "excludes", "undetermined", "spans", "chains", "salvage", "plan", "warnings",
        "shadow", "error", "errors", "errors_include", "at", "help",
    }  # fmt: skip
    assert {name for case in DSL for name in case.expect} <= read


def test_the_runner_passes_them_all_and_lists_what_it_cannot_run(run: Runner) -> None:
    found = run("test", str(FOLDER), "--format", "json")
    assert found.code == 0
    results = {(item["place"], item["name"]): item for item in found.document["results"]}
    assert results.keys() == {(case.place, case.name) for case in ALL}
    assert all(results[case.place, case.name]["outcome"] == "passed" for case in DSL)
    not_run = [item for item in results.values() if item["outcome"] == "not-run"]
    text = run("test", str(FOLDER)).out
    assert f"{len(ALL) - len(not_run)} passed, 0 failed, {len(not_run)} not run" in text
    # Lines are wrapped; the words are there.
    assert all(item["name"] in " ".join(text.split()) and item["note"] for item in not_run)
