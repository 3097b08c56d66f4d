"""Carets stand under what they mean, whatever the line holds."""

from __future__ import annotations

import pytest

from policylang.diagnostics import Diagnostic
from policylang.report.diagnostics_text import WINDOW, diagnostics_report, underline
from policylang.report.plain import to_text
from policylang.report.width import text_width
from policylang.source import Loc, Source, nowhere


def under(text: str, word: str) -> str:
    """What the carets of an underlined word stand under, by columns."""
    at = text.index(word)
    shown, offset, columns = underline(text, at, at + len(word))
    out, used = "", 0
    for char in shown:
        if offset <= used < offset + columns:
            out += char
        used += text_width(char)
    return out


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("when s.achor", "achor"),
        ("\twhen\ts.achor", "achor"),
        ('s.text == "漢字かな" and s.achor', "achor"),
        ('s.text == "漢字かな"', "字か"),
        ("e\u0301e\u0301 s.achor", "achor"),
        ("x" * 300 + " s.achor and more", "achor"),
        ("s.achor " + "x" * 300, "achor"),
    ],
)
def test_carets_stand_under_the_range(text: str, word: str) -> None:
    assert under(text, word) == word


def test_a_tab_is_as_wide_as_its_stop() -> None:
    assert underline("a\tb", 2, 3) == ("a   b", 4, 1)
    assert underline("abcd\tb", 5, 6) == ("abcd    b", 8, 1)


def test_a_control_is_escaped_and_its_escape_underlined() -> None:
    shown, offset, columns = underline("a\u202eb", 1, 2)
    assert shown[offset : offset + columns] == "\\u{202e}"


@pytest.mark.parametrize(("start", "stop"), [(0, 0), (3, 3), (1, 400), (390, 400)])
def test_there_is_always_a_caret_and_never_too_wide_a_line(start: int, stop: int) -> None:
    shown, offset, columns = underline("y" * 400, start, stop)
    assert columns >= 1
    assert text_width(shown) <= WINDOW + 1
    assert offset + columns <= text_width(shown) + 1


def test_the_form_of_the_specification() -> None:
    source = Source("rules/x.policy", "policy\nwhen s.achor\n")
    found = Diagnostic("unknown-field", "span has no field `achor`", Loc(source, 14, 19), "did you mean `anchor`?")
    assert to_text(diagnostics_report([found])) == (
        "rules/x.policy:2:8: error[unknown-field]: span has no field `achor`\n"
        "    2 | when s.achor\n"
        "      |        ^^^^^\n"
        "  help: did you mean `anchor`?\n"
    )


def test_what_has_no_place_and_what_has_only_a_file() -> None:
    bare = Diagnostic("usage-error", "no such option")
    file = Diagnostic("unreadable-input", "no such file", nowhere("x.policy"), severity="warning")
    assert to_text(diagnostics_report([bare, file])) == (
        "error[usage-error]: no such option\n\nx.policy: warning[unreadable-input]: no such file\n"
    )


def test_a_range_over_lines_is_underlined_to_the_end_of_the_first() -> None:
    source = Source("x", "refuse {\n  when true\n}\n")
    text = to_text(diagnostics_report([Diagnostic("syntax-error", "m", Loc(source, 7, 20))]))
    assert "    1 | refuse {\n      |        ^\n" in text


def test_related_places_are_shown_with_their_label() -> None:
    source = Source("x.policy", "one\ntwo\n")
    found = Diagnostic("duplicate-id", "twice", Loc(source, 4, 7), related=((Loc(source, 0, 3), "the first one"),))
    text = to_text(diagnostics_report([found]))
    assert "  see x.policy:1:1: the first one\n    1 | one\n      | ^^^\n" in text
