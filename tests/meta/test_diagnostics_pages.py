"""Every code has a page, every page a code, and every example on it says what the page says that it says."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import policylang
from policylang.cli.config import find_config
from policylang.diagnostics import CODES, Diagnostic, DiagnosticError
from policylang.source import Source
from policylang.testing.cases import read_cases
from policylang.transcript.request import Request
from tests.meta.markdown import DOCS, ROOT, Block, blocks_of, read_marked

PAGES = DOCS / "diagnostics"
EXAMPLES = [block for path in sorted(PAGES.glob("*.md")) for block in blocks_of(path)]
NOT_YET = "**Not raised in 0.3.**"


def _policy(text: str, block: Block, folder: Path) -> None:
    path = folder / "example.policy"
    path.write_text(text, encoding="latin-1" if "latin-1" in block.info else "utf-8")
    policylang.load(path)


def _request(text: str, _block: Block, _folder: Path) -> None:
    Request.from_json(text, "request.json")


def _cases(text: str, _block: Block, folder: Path) -> None:
    read_cases(Source(str(folder / "example.cases.yaml"), text))


def _configuration(text: str, _block: Block, folder: Path) -> None:
    (folder / "policylang.toml").write_text(text, encoding="utf-8")
    find_config(folder)


READERS: dict[str, Callable[[str, Block, Path], None]] = {
    "policy": _policy,
    "json": _request,
    "cases": _cases,
    "toml": _configuration,
}


def _findings(block: Block, text: str, folder: Path) -> tuple[Diagnostic, ...]:
    try:
        READERS[block.language](text, block, folder)
    except DiagnosticError as error:
        return error.diagnostics
    return ()


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: block.place)
def test_example(block: Block, tmp_path: Path) -> None:
    assert ("bad" in block.info) != ("good" in block.info), "an example is either bad or good"
    marked = read_marked(block)
    found = _findings(block, marked.text, tmp_path)
    if "good" in block.info:
        assert [str(item) for item in found] == []
        return
    assert [item.code for item in found] == [block.path.stem]
    assert len(marked.ranges) == 1, "a bad example says what is underlined"
    loc = found[0].loc
    assert loc is not None
    line, start, end = marked.ranges[0]
    assert (loc.begin.line, loc.begin.column) == (line, start)
    # A range over several lines is marked on its first.
    assert loc.finish.line > line or loc.finish.column == end


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {*CODES, "README"}


@pytest.mark.parametrize("code", sorted(CODES))
def test_page_says_what_the_catalogue_says(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {code}\n\n> {CODES[code]}\n")


@pytest.mark.parametrize("code", sorted(CODES))
def test_page_has_a_bad_and_a_good_example_unless_nothing_raises_the_code(code: str) -> None:
    page = PAGES / f"{code}.md"
    kinds = {word for block in blocks_of(page) for word in block.info if word in ("bad", "good")}
    assert kinds == (set() if code not in _raised() else {"bad", "good"})
    assert (NOT_YET in page.read_text(encoding="utf-8")) == (code not in _raised())


@cache
def _raised() -> frozenset[str]:
    """The codes that some module of the package names, the catalogue aside; the key of a document is no code."""
    named: set[str] = set()
    for path in (ROOT / "policylang").rglob("*.py"):
        if path.name != "catalogue.py":
            nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
            keys = {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
            keys |= {id(node.slice) for node in nodes if isinstance(node, ast.Subscript)}
            texts = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in keys]
            named |= {node.value for node in texts if isinstance(node.value, str)}
    return frozenset(named & set(CODES))


def test_index_lists_every_code_once_with_its_meaning() -> None:
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`([a-z-]+)`\]\(([a-z-]+)\.md\) \| (.+) \|$", index, re.M)
    assert sorted(code for code, _, _ in rows) == sorted(CODES)
    assert all(code == target and meaning == CODES[code] for code, target, meaning in rows)
