"""A new policy is valid, laid out, tested, and never written over another file."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from policylang.cli import main
from policylang.cli.commands.new import LACKS
from policylang.runtime.policy import load

CHOICES = [
    ",".join(chosen) for number in range(len(LACKS) + 1) for chosen in itertools.combinations(sorted(LACKS), number)
]


@pytest.mark.parametrize("lacks", CHOICES, ids=lambda lacks: lacks or "nothing")
def test_it_passes_what_we_would_check_it_with(lacks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "acme", "--lacks", lacks, "--owner", 'the "platform" team \\o/', "--as-of", "2026-12-01"]) == 0
    assert main(["check", "acme.policy"]) == 0
    assert main(["fmt", "--check", "acme.policy"]) == 0
    assert main(["test", "acme.policy"]) == 0
    rules = {rule.id: rule for rule in load("acme.policy").checked.rules}
    relaxed = {name for name, rule in rules.items() if rule.relaxations}
    assert relaxed == {rule for what in filter(None, lacks.split(",")) for rule, _ in LACKS[what]}
    for name in relaxed:
        [relaxation] = rules[name].relaxations
        assert relaxation.until.isoformat() == "2027-03-01"
        assert relaxation.owner == 'the "platform" team \\o/'
        assert relaxation.because


def test_it_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "acme.policy"
    path.write_text("mine", encoding="utf-8")
    assert main(["new", str(path)]) == 2
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["Acme Rules.policy", "7.policy", "ünïcode.policy", "a--b", "---"])
def test_any_file_name_gives_a_valid_id(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "--", name]) == 0
    [path] = tmp_path.iterdir()
    assert main(["check", "--", path.name]) == 0
