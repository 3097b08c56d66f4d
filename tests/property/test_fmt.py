"""Printing and reading are inverse; laying out changes neither meaning, token nor comment, and settles at once."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policylang.frontend.dsl import format_source, parse, parse_expression
from policylang.frontend.dsl.lexer import tokenize
from policylang.source import Source
from policylang.syntax import ast
from policylang.syntax.fingerprint import fingerprint
from policylang.syntax.printer import print_expr, print_policy
from tests.property.ast_strategies import expressions, policies

EXAMPLES = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "frontend").glob("*.in.policy"))
SHIPPED = sorted((Path(__file__).parents[2] / "rules").rglob("*.policy"))
SPEC = GOLDEN[0].with_name("spec.in.policy").read_text("utf-8")


def read(text: str) -> ast.PolicyFile:
    file, problems = parse(Source("t.policy", text))
    assert not problems, (text, [str(problem) for problem in problems])
    return file


def comments(text: str) -> list[str]:
    tokens = tokenize(Source("t.policy", text))
    return [text[comment.start : comment.end] for comment in tokens.comments]


@EXAMPLES
@given(expressions())
def test_an_expression_survives_print_and_read(expr: ast.Expr) -> None:
    text = print_expr(expr)
    again, problems = parse_expression(Source("t.policy", text))
    assert not problems, (text, problems)
    assert again == expr


@EXAMPLES
@given(policies())
def test_a_policy_survives_print_and_read(file: ast.PolicyFile) -> None:
    assert read(print_policy(file)) == file


@EXAMPLES
@given(policies())
def test_canonical_text_is_one_for_equal_syntax(file: ast.PolicyFile) -> None:
    text = print_policy(file, canonical=True)
    assert print_policy(read(text), canonical=True) == text


@EXAMPLES
@given(policies())
def test_what_is_printed_is_laid_out(file: ast.PolicyFile) -> None:
    text = print_policy(file)
    assert format_source(Source("t.policy", text)) == text


@EXAMPLES
@given(policies(), st.randoms(use_true_random=False))
def test_comments_anywhere_survive_and_the_layout_settles(file: ast.PolicyFile, random: Random) -> None:
    tokens = tokenize(Source("t.policy", print_policy(file)))
    text = ""
    for at, word in enumerate(tokens.texts):
        long = f" # {'x' * 120} {at}\n"
        text += random.choice([" ", "\n", "\n\n", f" # c{at}\n", f"\n  # c{at}\n\n# d{at}\n", long]) + word
    once = format_source(Source("t.policy", text))
    assert format_source(Source("t.policy", once)) == once
    assert comments(once) == comments(text)


def commented(text: str, gaps: set[int], style: str) -> str:
    """The text with a comment in front of each of these tokens."""
    tokens = tokenize(Source("t.policy", text))
    out, before = "", 0
    for at, start in enumerate(tokens.starts):
        out += text[before:start] + (style.format(at) if at in gaps else "")
        before = start
    return out + text[before:]


def check_comments(text: str, changed: str) -> None:
    once = format_source(Source("t.policy", changed))
    assert comments(once) == comments(changed)
    assert fingerprint(read(once)) == fingerprint(read(text))
    assert format_source(Source("t.policy", once)) == once


@pytest.mark.parametrize("style", [" # c{}\n", "\n# c{}\n", "\n\n# a{0}\n\n\n  # b{0}\n\n", "\n## d{}\n"])
@pytest.mark.parametrize("path", [*GOLDEN, *SHIPPED], ids=lambda path: path.name)
def test_comments_in_every_gap_survive(path: Path, style: str) -> None:
    text = path.read_text("utf-8")
    count = len(tokenize(Source("t.policy", text)).starts)
    for step in (1, 5):
        for first in range(step):
            check_comments(text, commented(text, set(range(first, count, step)), style))


def test_a_single_comment_in_any_gap_survives() -> None:
    for at in range(len(tokenize(Source("t.policy", SPEC)).starts)):
        check_comments(SPEC, commented(SPEC, {at}, " # unique\n"))


_ODD = ["(", ")", "{", "}", "[", "]", "not", "-", "if", "then", "else", "any", '"', "/", "#", "\\", "%", "1e999"]
_ODD += ["2027-13-01", "\u202e", "\u0430", "\x00"]
_PIECES = st.sampled_from([*sorted(set(tokenize(Source("", SPEC)).texts)), *_ODD, "\n"])


@EXAMPLES
@given(st.lists(_PIECES, max_size=60), st.sampled_from([" ", "\n", ""]))
def test_token_soup_never_crashes(pieces: list[str], glue: str) -> None:
    source = Source("t.policy", glue.join(pieces))
    file, problems = parse(source)
    assert len(problems) <= 2 * len(source.text) + 1
    starts = [problem.loc.start for problem in problems if problem.loc is not None]
    assert len(starts) == len(problems) and starts == sorted(starts)
    if not problems:
        assert read(print_policy(file)) == file
