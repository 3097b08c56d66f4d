"""Every fenced block of the documentation that claims something is run.

| fence | what is checked |
|---|---|
| `policy` | checks cleanly, is laid out as `fmt` does, and its tests pass; `policy fragment` gets a header first |
| `cases` | all cases pass |
| `json request`, `json verdict`, `json diagnostics` | follows the published JSON Schema, and a request is read |
| `json output`, `text output` | is what the block before it printed; a line `…` stands for any lines, else any text |
| `toml` | is read as configuration |
| `sh` | at the root, as a reader pastes it, each line exits with the code in its comment `# exit N`, 0 without one |
| `sh setup` | not run; each `make TARGET` is a target of the Makefile |
| `python` | runs |
| `text` | shows something, claims nothing |
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import policylang
from policylang.cli.config import find_config
from policylang.frontend.dsl import format_source
from policylang.schemas import schema_text
from policylang.source import Source
from policylang.testing.cases import read_cases
from policylang.testing.run import run_case
from policylang.testing.suite import run_suite
from tests.meta.markdown import DOCS, ROOT, Block, blocks_of, pages

HEADER = 'policy "docs/fragment" version "1.0.0"\n'
LANGUAGES = {"policy", "cases", "json", "toml", "sh", "python", "text", "output"}
PAGES = [path for path in pages() if path.parent != DOCS / "diagnostics" or path.name == "README.md"]
BLOCKS = [block for path in PAGES for block in blocks_of(path)]


def _of(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def _named(block: Block) -> str:
    return block.place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder laid out as the project's root, where a reader pastes what a page shows."""
    for name in ("rules", "examples", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("block", BLOCKS, ids=_named)
def test_block_says_what_it_is(block: Block) -> None:
    assert block.language in LANGUAGES, "a block without a language is checked by nobody"


@pytest.mark.parametrize("block", _of("policy"), ids=_named)
def test_policy(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "example.policy"
    text = (HEADER if "fragment" in block.info else "") + block.text
    path.write_text(text, encoding="utf-8")
    assert "fragment" in block.info or format_source(Source("example.policy", text)) == text
    report = run_suite([path])
    assert [(result.case.name, result.mismatches) for result in report.results if result.outcome != "passed"] == []


@pytest.mark.parametrize("block", _of("cases"), ids=_named)
def test_cases(block: Block, tmp_path: Path) -> None:
    results = [run_case(case, {}) for case in read_cases(Source(str(tmp_path / "example.cases.yaml"), block.text))]
    assert results
    assert [(result.case.name, result.mismatches) for result in results if result.outcome != "passed"] == []


@pytest.mark.parametrize("block", [block for block in _of("json") if "output" not in block.info], ids=_named)
def test_json(block: Block) -> None:
    name = next(word for word in block.info[1:] if word in ("request", "verdict", "diagnostics"))
    document = json.loads(block.text)
    jsonschema.validate(document, json.loads(schema_text(name)))
    if name == "request":
        policylang.Request.from_json(block.text)


@pytest.mark.parametrize("block", _of("toml"), ids=_named)
def test_configuration(block: Block, tmp_path: Path) -> None:
    name = "pyproject.toml" if "[tool.policylang]" in block.text else "policylang.toml"
    (tmp_path / name).write_text(block.text, encoding="utf-8")
    assert find_config(tmp_path).path == tmp_path / name


@pytest.mark.parametrize("block", [block for block in _of("sh") if "setup" not in block.info], ids=_named)
def test_commands(block: Block, folder: Path) -> None:
    _write_policies_before(block, folder)
    printed = ""
    for command, code in _commands(block):
        done = _run(["bash", "-c", command], folder)
        assert done.returncode == code, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        printed += done.stdout
    _compare(block, printed)


@pytest.mark.parametrize("block", _of("python"), ids=_named)
def test_python(block: Block, folder: Path) -> None:
    (folder / "example.py").write_text(block.text, encoding="utf-8")
    done = _run([sys.executable, "example.py"], folder)
    assert done.returncode == 0, done.stderr
    _compare(block, done.stdout)


@pytest.mark.parametrize("block", [block for block in _of("sh") if "setup" in block.info], ids=_named)
def test_setup(block: Block) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    wanted = re.findall(r"^make ([a-z]+)", block.text, re.M)
    assert set(wanted) <= targets


def test_every_output_follows_what_printed_it() -> None:
    for path in PAGES:
        blocks = blocks_of(path)
        for before, block in pairwise(blocks):
            if "output" in block.info:
                assert before.language in ("sh", "python"), block.place
        assert not blocks or "output" not in blocks[0].info


def _commands(block: Block) -> Iterator[tuple[str, int]]:
    text = block.text.replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip()]
    assert lines
    for line in lines:
        code = re.search(r"# exit (\d+)", line)
        assert "policylang" in line.split("#")[0], f"{block.place}: only commands of policylang are run"
        yield line, int(code[1]) if code else 0


def _write_policies_before(block: Block, folder: Path) -> None:
    """A command may name the policies above it on its page: `first.policy` is the one with the id `acme/first`."""
    for other in blocks_of(block.path):
        if other.language == "policy" and "fragment" not in other.info and other.line < block.line:
            found = re.search(r'^policy "(?:[^"]*/)?([^"/]+)"', other.text, re.M)
            assert found is not None, other.place
            (folder / f"{found[1]}.policy").write_text(other.text, encoding="utf-8")


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    programs = folder / ".bin"
    programs.mkdir(exist_ok=True)
    program = programs / "policylang"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m policylang "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    environment.pop("FORCE_COLOR", None)
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
    )


def _compare(block: Block, printed: str) -> None:
    """Hold the output block that follows, if one does, against what was printed."""
    blocks = blocks_of(block.path)
    at = blocks.index(block) + 1
    if at == len(blocks) or "output" not in blocks[at].info:
        return
    shown = blocks[at]
    if shown.language == "json":
        found = json.loads(printed)
        assert _shortened(found, json.loads(shown.text)) == json.loads(shown.text), f"{shown.place}:\n{printed}"
        return
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r" *\n"
        for line in shown.text.splitlines()
    )
    assert re.fullmatch(pattern, printed), f"{shown.place} does not show what was printed:\n{printed}"


def _shortened(found: Any, shown: Any) -> Any:
    """What was printed, with each text cut where the page cuts it with `…`."""
    if isinstance(shown, dict) and isinstance(found, dict):
        return {key: _shortened(value, shown.get(key)) for key, value in found.items()}
    if isinstance(shown, list) and isinstance(found, list) and len(shown) == len(found):
        return [_shortened(one, other) for one, other in zip(found, shown, strict=True)]
    if isinstance(shown, str) and isinstance(found, str) and shown.endswith("…") and found.startswith(shown[:-1]):
        return shown
    return found
