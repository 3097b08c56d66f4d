"""Several parents: "a policy that extends another may only tighten" (SPEC §3), also what a parent leaves unsaid."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from policylang.check import load
from policylang.diagnostics import PolicyError
from policylang.rules_ir.policy import CheckedPolicy

PROBES = "anchor kind tool_result\nindex { probe key }\n"
MONITOR = "monitor { divergence 1% }\n"

# (first parent, second parent, block, setting, what has to hold)
ROWS = [
    (PROBES, PROBES + "index { probe key top_k 50 }", "index", "top_k", 10),
    (PROBES, PROBES + "index { probe key top_k 5 }", "index", "top_k", 5),
    (PROBES, PROBES + "index { probe key require 3 }", "index", "require", 3),
    (MONITOR, "monitor { divergence 1% minimum 5 queries }", "monitor", "minimum", 20),
    (MONITOR, "monitor { divergence 1% cold_start allow }", "monitor", "cold_start", "probes"),
    (MONITOR, "monitor { divergence 1% cold_start refuse }", "monitor", "cold_start", "refuse"),
]


def child(tmp_path: Path, one: str, two: str) -> CheckedPolicy:
    for name, text in (("one", one), ("two", two)):
        body = text.replace("index { probe key }\n", "") if "top_k" in text or "require" in text else text
        (tmp_path / f"{name}.policy").write_text(f'policy "{name}"\n{body}', encoding="utf-8")
    (tmp_path / "child.policy").write_text('policy "child"\nextends "one"\nextends "two"\n', encoding="utf-8")
    return load([tmp_path])


@pytest.mark.parametrize(("one", "two", "block", "name", "expected"), ROWS)
def test_a_default_asks_for_as_much_as_the_value_written_out(
    tmp_path: Path, one: str, two: str, block: str, name: str, expected: object
) -> None:
    for number, pair in enumerate(itertools.permutations((one, two))):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert getattr(getattr(child(folder, *pair), block), name) == expected


def test_a_window_beside_a_default_window_is_a_conflict_as_it_is_for_a_child(tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as caught:
        child(tmp_path, MONITOR, "monitor { divergence 1% window 50 queries }")
    assert [item.code for item in caught.value.diagnostics] == ["loosens-parent"]
