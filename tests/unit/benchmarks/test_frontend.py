"""The generated policy is whole, and its JSON form holds the same rules."""

from __future__ import annotations

from subprocess import CalledProcessError

import pytest

import policylang
from benchmarks import frontend
from policylang.frontend.dsl import parse
from policylang.source import Source

SIZE = 3 * len(frontend.CONDITIONS)


def test_policy_holds_the_rules_that_were_asked_for() -> None:
    policy = policylang.load_text(frontend.policy_text(SIZE))
    assert {rule.id for rule in policy.checked.rules if not rule.builtin} == {f"rule-{n}" for n in range(SIZE)}


def test_text_and_json_hold_the_same_conditions() -> None:
    text = frontend.policy_text(SIZE)
    conditions = [rule["when"] for rule in frontend.rules_of(SIZE)]
    assert [line.removeprefix("  when ") for line in text.splitlines() if line.startswith("  when ")] == conditions
    assert len(set(conditions)) > SIZE / 2
    assert parse(Source("bench", text))[1] == ()


def test_phases_are_all_measured() -> None:
    phases, size = frontend.time_phases(len(frontend.CONDITIONS), 0.0)
    assert {"tokens", "check", "compile", "text to function"} <= set(phases)
    assert size == len(frontend.policy_text(len(frontend.CONDITIONS)).encode())


@pytest.mark.parametrize("name", [name for name in frontend.COMMANDS if name != "python -c pass"])
def test_process_succeeds(name: str) -> None:
    frontend.process(frontend.COMMANDS[name])


def test_a_process_that_fails_is_not_timed() -> None:
    with pytest.raises(CalledProcessError):
        frontend.process(("-c", "raise SystemExit(1)"))
