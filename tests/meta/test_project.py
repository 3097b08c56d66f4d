"""What holds for the project as a whole: copies that must not drift, sizes, and what no file may name."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from policylang.runtime.policy import load
from policylang.shipped import shipped_ids, shipped_path
from policylang.source import Source
from policylang.testing.cases import read_cases
from policylang.version import __version__
from tests.meta.markdown import ROOT

CONFORMANCE = ROOT / "tests" / "conformance"
SHARED = ROOT.parent / "shared" / "conformance"
MODULES = sorted((ROOT / "policylang").rglob("*.py"))
LIMIT = 400
LONGER = {"policylang/syntax/ast.py": 500}
"""One node after another, and nothing but nodes: in two files it would be harder to read."""

RECORDED = ("examples/sessions/", "tests/evidence_labels/", "tests/golden/importers/")
"""Data that tools and agents wrote, with the paths and hosts that they saw."""

_ROOTS = ("work/main", "work/shared", "work/.library", "tmp/venv", "tmp/brief", "tmp/tasks")
_HOSTS = ("pypi.org", "pythonhosted.org", "registry.npmjs.org", "proxy.golang.org", "crates.io")
_OPTIONS = ("index-url", "trusted-host")
FORBIDDEN = re.compile(
    "|".join([*(rf"(?<![\w.])/{root}\b" for root in _ROOTS), *map(re.escape, _HOSTS), *(rf"--{x}" for x in _OPTIONS)])
)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the specification's cases are not beside this checkout")
def test_conformance_cases_are_the_specifications_byte_for_byte() -> None:
    wanted = {path.name: path.read_bytes() for path in SHARED.glob("*.cases.yaml")}
    assert {path.name: path.read_bytes() for path in CONFORMANCE.glob("*.cases.yaml")} == wanted


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_module_is_short(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= LONGER.get(_name(path), LIMIT)


@pytest.mark.parametrize("policy_id", shipped_ids())
def test_shipped_policy_has_tests(policy_id: str) -> None:
    path = shipped_path(policy_id)
    assert path is not None
    beside = path.with_suffix(".cases.yaml")
    cases = read_cases(Source(str(beside), beside.read_text(encoding="utf-8"))) if beside.exists() else ()
    assert cases or load(path).checked.tests


@pytest.mark.parametrize("policy_id", shipped_ids())
def test_shipped_policy_says_what_it_is_for(policy_id: str) -> None:
    path = shipped_path(policy_id)
    assert path is not None
    assert path.read_text(encoding="utf-8").startswith("## ")


def test_no_file_names_a_machine_or_a_registry() -> None:
    files = _tracked()
    found = [
        f"{name}:{text.count(chr(10), 0, hit.start()) + 1}: {hit[0]}"
        for name, text in files.items()
        if not name.startswith(RECORDED) and name != _name(Path(__file__))
        for hit in FORBIDDEN.finditer(text)
    ]
    assert found == []


def _tracked() -> dict[str, str]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8")
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return {_name(path): path.read_text(encoding="utf-8", errors="replace") for path in paths if path.is_file()}


def test_changelog_has_the_version() -> None:
    versions = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert versions[0] == __version__
