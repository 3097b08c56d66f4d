"""One slip, one finding, at its place, with help that is true; each row quotes the sentence of SPEC behind it."""

from __future__ import annotations

import time

import pytest

from policylang.check import load_text
from policylang.diagnostics import Diagnostic, PolicyError


def findings(text: str) -> tuple[Diagnostic, ...]:
    try:
        load_text(text)
    except PolicyError as error:
        return error.diagnostics
    return ()


def rule(condition: str) -> str:
    return f'refuse "r" {{ when {condition} because "m" }}\n'


SPAN = 'span "a" tool_result "v = 1" epoch 3 evicted'

ROWS = [
    # §3 "`2 epochs` and `20 queries` are int"
    (rule("epoch > 2.5 epochs"), [("syntax-error", "2.5")]),
    (rule("epoch > 8% epochs"), [("syntax-error", "8%")]),
    (rule("epoch > 1e3 queries"), [("syntax-error", "1e3")]),
    (rule("epoch > 2 epochs"), []),
    # §5 "All of a file's errors are reported in one run"
    (
        'refuse "r" { when true because "{foo} {epoch} {bar} {" }',
        [("bad-template", "{foo}"), ("bad-template", "{bar}"), ("bad-template", "{")],
    ),
    # With escapes in the string its text lies elsewhere than its value, and the whole string is the place.
    ('refuse "r" { when true because "\\t{foo}" }', [("bad-template", '"\\t{foo}"')]),
    # §3 "Bidi controls and confusable identifiers are errors with their own codes": not with a second one beside it
    (rule("any s in spans: s.k\u200dind == reasoning"), [("confusable-identifier", "k\u200dind")]),
    (rule("еpoch > 1"), [("confusable-identifier", "еpoch")]),
    ('index { sоurce pre_compaction quarantine 2 }', [("confusable-identifier", "sоurce")]),
    ('refuse "r" { when true because "m" } relax "dаngling" because "x" until 2027-01-01',
     [("confusable-identifier", '"dаngling"')]),
    (rule('"a" matches /a/x'), [("syntax-error", "x")]),
    # §8: a test that says something that nothing compares cannot fail
    (rule("true") + f'test "t" {{ {SPAN} expect no }}', [("syntax-error", "expect no")]),
    (rule("true") + f'test "t" {{ {SPAN} expect warn }}', [("syntax-error", "expect warn")]),
    (rule("true") + f'test "t" {{ {SPAN} expect undetermined }}', [("syntax-error", "expect undetermined")]),
    (rule("true") + f'test "t" {{ {SPAN} expect compact "r" }}', [("syntax-error", 'expect compact "r"')]),
    (rule("true") + f'test "t" {{ {SPAN} expect no "r" on "a" }}', [("syntax-error", 'expect no "r" on "a"')]),
    (rule("true") + f'test "t" {{ {SPAN} expect refuse }}', []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_findings_and_what_they_underline(text: str, expected: list[tuple[str, str]]) -> None:
    found = [(item.code, text[item.loc.start : item.loc.end] if item.loc else None) for item in findings(text)]
    assert found == expected


HELP = [
    (rule("epoch is known == true"), "parentheses"),
    (rule("1 < 2 < 3"), "write `1 < 2 and 2 < 3`"),
    (rule("[] == []"), "compare its elements"),
    (rule("tru"), "did you mean `true`?"),
    (rule("span.age > 1"), "for each span in evicted"),
]


@pytest.mark.parametrize(("text", "expected"), HELP)
def test_help_is_of_use(text: str, expected: str) -> None:
    [item] = findings(text)
    assert expected in (item.help or "")
    assert "error" not in item.message


def lets(count: int, body: str, last: str) -> str:
    many = "".join(f"let a{number}(x) = {body.format(number + 1)}\n" for number in range(count))
    return many + f"let a{count}(x) = {last}\n"


BARE = "".join(f"let a{number} = if true then a{number + 1} else a{number + 1}\n" for number in range(40))

LARGE = [
    # §3 "every policy ends": what a bare word means was looked for along 2^40 ways
    ("bare words behind lets", BARE + "let a40 = tool_result\n" + rule("any s in spans: a0 == s.kind"), "too-deep"),
    ("both sides bare", BARE + "let a40 = tool_result\n" + rule("a0 == a0"), "too-deep"),
    ("calls in calls", lets(40, "a{0}(a{0}(x))", "x") + rule("a0(tool_result) == reasoning"), "too-deep"),
    # 2 000 slips among 2 000 names took 40 s
    (
        "slips among many names",
        "".join(f"kind kk{number}x : state\n" for number in range(2000))
        + "".join(f"anchor kind kk{number}y\n" for number in range(2000)),
        "unknown-kind",
    ),
]


@pytest.mark.parametrize(("text", "code"), [row[1:] for row in LARGE], ids=[row[0] for row in LARGE])
def test_work_is_bounded(text: str, code: str) -> None:
    started = time.process_time()
    found = findings(text)
    assert time.process_time() - started < 5
    assert {item.code for item in found} == {code}


def test_a_long_list_of_names_is_cut_short() -> None:
    text = "".join(f"kind k{number} : state\n" for number in range(300)) + "anchor kind zzzzzzzz\n"
    [item] = findings(text)
    assert len(item.help or "") < 500
