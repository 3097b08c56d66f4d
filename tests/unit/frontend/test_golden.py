"""Policies as data: how they are laid out, and where and how the ones that do not parse are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from policylang.diagnostics import PolicyError
from policylang.frontend.dsl import format_source, parse
from policylang.frontend.dsl.format import _check
from policylang.frontend.dsl.lexer import tokenize
from policylang.source import Source
from policylang.syntax.layout import Lead
from policylang.syntax.printer import DeclarationPrinter
from policylang.syntax.script import LayoutError, Lexeme, Script

GOLDEN = Path(__file__).parents[2] / "golden" / "frontend"
LAYOUTS = sorted(GOLDEN.glob("*.in.policy"))
MARK = re.compile(r"\s*#! (\S+) (\d+) (.*?)(?= #! |$)")


def chunks() -> list[tuple[str, str]]:
    """Names and texts of `errors.policy`."""
    parts = re.split(r"^--- (.*)\n", (GOLDEN / "errors.policy").read_text("utf-8"), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize(("name", "text"), chunks(), ids=[name for name, _ in chunks()])
def test_errors_stand_where_the_file_says(name: str, text: str) -> None:
    lines = text.split("\n")
    expected = [
        (number, int(column), code, part)
        for number, line in enumerate(lines, 1)
        for code, column, part in MARK.findall(line)
    ]
    source = Source("t.policy", "\n".join(MARK.sub("", line) for line in lines))
    found = []
    for problem in parse(source)[1]:
        assert problem.loc is not None
        found.append((*problem.loc.begin, problem.code, f"{problem.message} | {problem.help}"))
    assert [item[:3] for item in found] == [item[:3] for item in expected], found
    for (*_, text), (*_, part) in zip(found, expected, strict=True):
        assert part in text


@pytest.mark.parametrize("path", LAYOUTS, ids=lambda path: path.name)
def test_layout(path: Path) -> None:
    expected = path.with_name(path.name.replace(".in.", ".out.")).read_text("utf-8")
    assert format_source(Source(path.name, path.read_text("utf-8"))) == expected
    assert format_source(Source(path.name, expected)) == expected


def test_a_text_with_errors_is_not_laid_out() -> None:
    with pytest.raises(PolicyError) as caught:
        format_source(Source("t.policy", "kind x\nkind y"))
    assert [item.code for item in caught.value.diagnostics] == ["syntax-error", "syntax-error"]


@pytest.mark.parametrize(
    "changed", ["let a = b\n", "let a = c # one\n", "let a = b # two\n", "let a = (b) # one\n", ""]
)
def test_a_layout_that_lost_or_changed_something_is_never_written(changed: str) -> None:
    source = Source("t.policy", "let a = b # one\n")
    _check(source, tokenize(source), "let  a =\n b # one")
    with pytest.raises(LayoutError):
        _check(source, tokenize(source), changed)


def test_a_script_of_another_policy_is_noticed() -> None:
    file, _ = parse(Source("t.policy", "kind a : state"))
    script = Script([Lexeme("anchor", 0, Lead(), False), Lexeme("", 6, Lead(), False)])
    with pytest.raises(LayoutError, match="expected `kind` at offset 0, not `anchor`"):
        DeclarationPrinter(script).file(file)
