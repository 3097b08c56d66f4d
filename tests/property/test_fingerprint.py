"""The text behind a policy's digest: one for equal syntax, another for any other."""

from __future__ import annotations

from hypothesis import given, settings

from policylang.frontend.dsl import parse
from policylang.source import Source
from policylang.syntax import ast
from policylang.syntax.fingerprint import fingerprint
from policylang.syntax.printer import print_policy
from tests.property.ast_strategies import policies

EXAMPLES = settings(max_examples=200, deadline=None)


def read(text: str) -> ast.PolicyFile:
    return parse(Source("t.policy", text))[0]


@EXAMPLES
@given(policies())
def test_it_survives_print_and_read(file: ast.PolicyFile) -> None:
    assert fingerprint(read(print_policy(file))) == fingerprint(file)


@EXAMPLES
@given(policies(), policies())
def test_it_tells_policies_apart_as_the_canonical_text_does(one: ast.PolicyFile, other: ast.PolicyFile) -> None:
    same = print_policy(one, canonical=True) == print_policy(other, canonical=True)
    assert (fingerprint(one) == fingerprint(other)) == same


def test_spelling_takes_no_part() -> None:
    one = read('## doc\nbudget reasoning epsilon 8% per chain # c\nrefuse "r" { because "x" when (a) }')
    other = read('budget reasoning epsilon 0.080 per chain\n\nrefuse "r" {\n when a\n because "\\u{78}" }')
    assert fingerprint(one) == fingerprint(other)


def test_any_change_shows() -> None:
    texts = [
        "let a = b", "let a = c", "let a = b.c", "let a = (b.c).d", "let a = [b, c]", "let a = [b]",
        'let a = "b"',
        "let a(b) = b", "let a = not b", "let a = 1", "let a = 1.0", "let a = b is known", "let a = b is unknown",
        'let a = "1:x [2"', "let a = b in c", "let a = b not in c", "let a = b and c and d", "let a = (b and c) and d",
    ]  # fmt: skip
    assert len({fingerprint(read(text)) for text in texts}) == len(texts)
