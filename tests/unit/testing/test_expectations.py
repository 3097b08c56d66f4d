"""Each expectation of a case can come true and can fail: a test that cannot fail tests nothing (SPEC §8)."""

from __future__ import annotations

from typing import Any

import pytest

from policylang.runtime.policy import load_text
from policylang.testing.inline import inline_case
from policylang.testing.model import Case, CaseResult, PolicyChoice
from policylang.testing.run import run_case

POLICY = """
anchor kind tool_result
index { probe key }
budget reasoning epsilon 0.08 per chain
warn "watched" { when true because "w" }
warn "quiet" { when false because "q" }
refuse "shadowed" { when true because "s" mode shadow }
refuse "scored" { when scoring.structural_weight > 0.9 because "x" }
"""
ROW = {"kind": "reasoning", "text": "let us think", "epoch": 3, "disposition": "evict"}
GIVEN: dict[str, Any] = {
    "spans": [
        {**ROW, "id": "m", "kind": "tool_result", "text": "lease = zx-77413", "chain": "a"},
        {**ROW, "id": "t", "chain": "b"},
        {**ROW, "id": "c", "kind": "tool_call", "text": "lease", "chain": "a"},
        {**ROW, "id": "k", "disposition": "retain", "chain": "a"},
    ],
    "index": {"verified": {}},
    "scoring": None,
}


def run(expect: dict[str, Any], policy: str = POLICY, given: dict[str, Any] | None = None, **more: Any) -> CaseResult:
    case = Case("a", "t:1", PolicyChoice("text", policy), GIVEN if given is None else given, expect, **more)
    return run_case(case, {})


# (expectation, what comes true, what does not)
OF_A_VERDICT: list[tuple[str, list[Any], list[Any]]] = [
    ("decision", ["spill_lossless"], ["compact"]),
    (
        "rules",
        [["scored", "anchor-unverified", "epsilon-exceeded"]],
        [[], ["anchor-unverified"], ["anchor-unverified", "epsilon-exceeded", "scored", "shadowed"]],
    ),
    ("includes", [["scored"], ["epsilon-exceeded", "anchor-unverified"]], [["shadowed"], ["scored", "watched"]]),
    ("excludes", [["dangling-reference"], ["shadowed", "watched"]], [["scored"], ["dangling-reference", "scored"]]),
    ("undetermined", [["scored", "anchor-unverified"]], [[], ["scored"], ["scored", "epsilon-exceeded"]]),
    ("spans", [["m"]], [[], ["t"], ["m", "t"]]),
    (
        "chains",
        [{"b": 1}, {"b": 1 + 5e-10}],
        [{}, {"b": 0.99}, {"b": 1 + 2e-9}, {"a": 1}, {"a": 0, "b": 1}],
    ),
    ("salvage", [{"evict": [], "spill": ["t", "c", "m"]}, {"evict": []}], [{"evict": ["c"]}, {"spill": ["m", "t"]}]),
    ("plan", [{"m": "spill"}, {"c": "spill", "t": "spill"}], [{"m": "restate"}, {"k": "compact"}]),
    ("warnings", [["watched"]], [[], ["quiet"], ["watched", "quiet"]]),
    ("shadow", [["shadowed"]], [[], ["scored"]]),
    ("error", [], ["epsilon-on-state"]),
    ("errors", [], [["epsilon-on-state"]]),
    ("errors_include", [], [["epsilon-on-state"]]),
]


@pytest.mark.parametrize(("field", "right", "wrong"), OF_A_VERDICT)
def test_of_a_verdict(field: str, right: list[Any], wrong: list[Any]) -> None:
    for value in right:
        result = run({field: value})
        assert (result.outcome, result.mismatches) == ("passed", ())
    for value in wrong:
        result = run({field: value})
        assert (result.outcome, [item.field for item in result.mismatches]) == ("failed", [field])


TWO_ERRORS = "budget tool_result epsilon 0.05 per chain\nbudget reasoning epsilon 2 per chain\n"
ONE_ERROR = "\n  budget tool_result epsilon 0.05 per chain\n"

# (policy, expectation, the fields that do not come true)
OF_ERRORS: list[tuple[str, dict[str, Any], list[str]]] = [
    (ONE_ERROR, {"error": "epsilon-on-state"}, []),
    (ONE_ERROR, {"error": "bad-regex"}, ["error"]),
    (TWO_ERRORS, {"error": "epsilon-on-state"}, ["error"]),
    (ONE_ERROR, {"error": "epsilon-on-state", "at": "2:10"}, []),
    (ONE_ERROR, {"error": "epsilon-on-state", "at": "1:10"}, ["at"]),
    (ONE_ERROR, {"error": "epsilon-on-state", "help": "tool_result never"}, []),
    (ONE_ERROR, {"error": "epsilon-on-state", "help": "no such help"}, ["help"]),
    (TWO_ERRORS, {"errors": ["epsilon-on-state", "epsilon-out-of-range"]}, []),
    (TWO_ERRORS, {"errors": ["epsilon-on-state"]}, ["errors"]),
    (TWO_ERRORS, {"errors": ["epsilon-out-of-range", "epsilon-on-state"]}, ["errors"]),
    (TWO_ERRORS, {"errors_include": ["epsilon-out-of-range"]}, []),
    (TWO_ERRORS, {"errors_include": ["bad-regex"]}, ["errors_include"]),
    (ONE_ERROR, {"decision": "spill_lossless"}, ["error"]),
    (ONE_ERROR, {"rules": []}, ["error"]),
]


@pytest.mark.parametrize(("policy", "expect", "wrong"), OF_ERRORS)
def test_of_errors(policy: str, expect: dict[str, Any], wrong: list[str]) -> None:
    result = run(expect, policy)
    assert [item.field for item in result.mismatches] == wrong
    assert result.outcome == ("failed" if wrong else "passed")


def test_a_request_that_is_wrong_is_an_error_too() -> None:
    given = {"spans": [{**ROW, "id": "m", "epoch": 9}]}
    assert run({"error": "invalid-request"}, given=given).outcome == "passed"
    assert run({"decision": "compact"}, given=given).outcome == "failed"


def test_only_limits_what_is_compared() -> None:
    only = frozenset({"epsilon-exceeded"})
    assert run({"rules": ["epsilon-exceeded"], "spans": [], "undetermined": []}, only=only).outcome == "passed"
    assert run({"rules": ["epsilon-exceeded", "scored"]}, only=only).outcome == "failed"


def test_a_case_that_expects_nothing_or_has_no_policy_fails() -> None:
    assert run({}).outcome == "failed"
    assert run_case(Case("a", "t:1", None, GIVEN, {"decision": "compact"}), {}).outcome == "failed"


@pytest.mark.parametrize("field", ["rules", "includes", "excludes", "undetermined", "warnings", "shadow"])
def test_a_rule_that_the_policy_does_not_have_fails_the_case(field: str) -> None:
    result = run({field: ["scord"]})
    assert result.outcome == "failed"
    assert [(item.code, item.help) for item in result.diagnostics] == [("unknown-name", "did you mean `scored`?")]


def test_a_rule_that_ranged_over_nothing_is_listed_as_vacuous() -> None:
    assert set(run({"decision": "compact"}, given={"spans": []}).vacuous) >= {"anchor-unverified", "epsilon-exceeded"}
    assert run({"decision": "spill_lossless"}).vacuous == ()


SPANS = """
  span "m" tool_result "lease = zx-77413" epoch 3 evicted chain "a" unverified
  span "v" tool_result "lease = zx-77499" epoch 3 evicted chain "a"
  span "t" reasoning "let us think" epoch 3 evicted chain "b" tokens 10
  span "k" reasoning "let us think on" epoch 4 retained chain "b" tokens 990
"""

# (lines of an inline test beside its spans, whether it passes)
INLINE = [
    ('expect refuse "anchor-unverified"', True),
    ('expect refuse "anchor-unverified" on "m"', True),
    ('expect refuse "anchor-unverified" on "v"', False),  # the base has every evicted span verified unless said
    ('expect refuse "anchor-unverified" on "m", "v"', False),
    ('expect refuse "epsilon-exceeded"', False),
    ("expect refuse", True),
    ("expect compact", False),
    ('expect no "epsilon-exceeded"', True),
    ('expect no "anchor-unverified"', False),
    ('expect warn "watched"', True),
    ('expect warn "quiet"', False),
    ('expect no "scored"', True),
    ('expect undetermined "scored"', False),
    ('given scoring { structural 0.99 similarity 0.01 } expect refuse "scored"', True),
    ('given scoring { structural unknown } expect no "scored"', True),
    ('given scoring { structural 9 } expect no "scored"', False),  # 9 / 9.5: the base has similarity 0.5
    ('given scoring { structural 4 } expect no "scored"', True),  # 4 / 4.5 is less than 0.9
    ('given monitor { queries unknown } expect undetermined "asked"', True),
    ('given monitor { queries unknown } expect refuse "asked"', True),
    ('given monitor { queries 7 } expect refuse "asked"', True),
    ('given monitor { queries 7 } expect undetermined "asked"', False),
    ('expect no "asked"', True),  # the base has 100 queries
    ('given epoch 90 expect refuse "old" on "m", "v", "t"', True),
    ('expect no "old"', True),  # the base epoch is 7
    ('given index { source post_compaction } expect refuse "mixed"', True),
    ('expect no "mixed"', True),
]
RULES = """
refuse "asked" { when monitor.queries < 10 because "x" }
refuse "old" { for each s in evicted when s.age > 80 because "x" then spill span }
refuse "mixed" { when index.source != pre_compaction because "x" }
"""


@pytest.mark.parametrize(("lines", "passes"), INLINE)
def test_inline(lines: str, passes: bool) -> None:
    policy = load_text(f'{POLICY}{RULES}test "a" {{{SPANS}  {lines}\n}}\n')
    [test] = policy.checked.tests
    result = run_case(inline_case(test), {}, own=policy)
    assert result.outcome == ("passed" if passes else "failed")


def test_an_inline_span_takes_over_all_that_is_said_of_it() -> None:
    text = """
test "a" {
  span "c" tool_call "ls" epoch 2 retained tool "bash" tool_call_id "t" batch "b" parents "p" parents "q" score 0.5
  span "r" tool_result "x" epoch 3 evicted tool_call_id "t" interim loss 0.3 represented_by "c" verified
  expect compact
}
"""
    [test] = load_text(POLICY + text).checked.tests
    case = inline_case(test)
    assert case.given["spans"] == [
        {
            "id": "c",
            "kind": "tool_call",
            "text": "ls",
            "epoch": 2,
            "disposition": "retain",
            "tool": "bash",
            "tool_call_id": "t",
            "batch": "b",
            "parents": ["p", "q"],
            "score": 0.5,
        },
        {
            "id": "r",
            "kind": "tool_result",
            "text": "x",
            "epoch": 3,
            "disposition": "evict",
            "tool_call_id": "t",
            "interim": True,
            "loss": 0.3,
            "represented_by": ["c"],
        },
    ]
    assert case.given["index"]["verified"] == {"r": True}
    assert case.expect == {"decision": "compact"}
