"""A cases file that cannot fail, or that would break the runner, is an error (SPEC §7 "nothing ran", §8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from policylang.diagnostics import DiagnosticError
from policylang.testing.suite import find_tests, run_suite

HEAD = "policy: std/standard\n"
REBUILT = "   given: {index: {rebuilt: 7}}\n"


def case(expect: str) -> str:
    return HEAD + f"cases:\n - name: a\n{REBUILT}   expect: {expect}\n"


MISSHAPEN = [
    (HEAD + "only: index-rebuilt\n" + case("{rules: []}").removeprefix(HEAD), "only"),
    (case("{excludes: index-rebuilt}"), "excludes"),
    (case("{includes: []}"), "includes"),
    (case("{plan: {}}"), "plan"),
    (case("{plan: [a]}"), "plan"),
    (case("{plan: {a: spil}}"), "plan"),
    (case("{plan: {a: spill, b: spil}}"), "plan"),
    (case("{plan: {1: spill}}"), "plan"),
    (case("{error: ''}"), "error"),
    (case("{errors: [bad-regex, 1]}"), "errors"),
    (case("{chains: {a: true}}"), "chains"),
    (case("{chains: {a: 0.1, b: x}}"), "chains"),
    (case("{error: bad-regex, at: 11}"), "at"),
    (case("{error: bad-regex, at: '1:1 or so'}"), "at"),
    (case("{at: '1:1'}"), "at"),
    (case("{help: x}"), "help"),
    (case("{error: bad-regex, at: first}"), "at"),
    (case("{salvage: [a]}"), "salvage"),
    (case("{salvage: {evicted: [a]}}"), "salvage"),
    (case("{chains: [a]}"), "chains"),
    (case("{rules: null}"), "rules"),
    (case("{decision: compac}"), "decision"),
    (case("compact"), "expect"),
    (HEAD + "cases:\n - name: a\n   given: [1]\n   expect: {decision: compact}\n", "given"),
    (HEAD + "cases:\n - name: a\n   expect_representation: restated\n", "anchor"),
    (HEAD + "cases:\n - name: a\n   result: refuses\n   expect: {decision: compact}\n", "when"),
    (HEAD, "cases"),
    (HEAD + "cases: {name: a}\n", "cases"),
    ("- cases\n", "cases"),
    ("policy_text: [1]\ncases: []\n", "policy_text"),
    ("policy_text_repeat: {times: 3}\ncases: []\n", "policy_text_repeat"),
]


@pytest.mark.parametrize(("text", "named"), MISSHAPEN)
def test_a_wrong_form_is_an_error_that_names_the_key(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "t.cases.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DiagnosticError) as caught:
        run_suite([path])
    assert any(f"`{named}`" in item.message for item in caught.value.diagnostics)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "only: [index-rebuilt]\n" + case("{excludes: [index-rebuild]}").removeprefix(HEAD),
        HEAD + "only: [index-rebuild]\n" + case("{rules: []}").removeprefix(HEAD),
    ],
)
def test_only_does_not_hide_a_misspelt_rule(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.cases.yaml"
    path.write_text(text, encoding="utf-8")
    [result] = run_suite([path]).results
    assert result.outcome == "failed"
    assert [item.help for item in result.diagnostics] == ["did you mean `index-rebuilt`?"]


def test_what_stands_nowhere_in_the_text_is_placed_at_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "t.cases.yaml"
    path.write_text(HEAD + "cases:\n - given: {epoch: 7}\n", encoding="utf-8")
    with pytest.raises(DiagnosticError) as caught:
        run_suite([path])
    [finding] = caught.value.diagnostics
    assert finding.loc is not None
    assert (finding.loc.begin.line, finding.loc.begin.column) == (1, 1)
    assert "case `case 1` expects nothing" in finding.message


def test_what_is_not_given_is_the_base(tmp_path: Path) -> None:
    path = tmp_path / "t.cases.yaml"
    path.write_text(HEAD + "cases:\n - name: a\n   given: null\n   expect: {decision: compact}\n", encoding="utf-8")
    assert [result.outcome for result in run_suite([path]).results] == ["passed"]


def test_a_condition_may_be_a_word_that_yaml_reads_as_a_boolean(tmp_path: Path) -> None:
    path = tmp_path / "t.cases.yaml"
    path.write_text("cases:\n - {name: a, when: true, result: refuses}\n", encoding="utf-8")
    assert [result.outcome for result in run_suite([path]).results] == ["passed"]


def test_a_folder_is_no_test_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.policy").mkdir()
    (tmp_path / "b.cases.yaml").mkdir()
    assert find_tests([tmp_path]) == ()
