"""Widths as terminals have them, and nothing that steers a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from policylang.report.width import number, pad, shorten, text_width, visible, wrap


@pytest.mark.parametrize("text", ["abc", "", "漢字かな", "e\u0301a", "ｆｕｌｌ", "ε ≤ 8 %", "한국어", "🙂 ok"])
def test_widths_agree_with_richs_tables(text: str) -> None:
    assert text_width(text) == cell_len(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "\\u{1b}[31mred"),
        ("a\u202eb", "a\\u{202e}b"),
        ("one\r\ntwo\nthree\tfour", "one⏎two⏎three four"),
        ("\u2028", "\\u{2028}"),
        ("\ud800", "\\u{d800}"),
        ("naïve 漢", "naïve 漢"),
    ],
)
def test_what_would_steer_the_terminal_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_visible_is_a_control_or_a_line_end(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.text(alphabet="ab 漢\u0301", max_size=60), st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_nothing_but_spaces(text: str, columns: int) -> None:
    lines = wrap(text, columns)
    assert all(text_width(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.text(alphabet="ab 漢", max_size=40), st.integers(2, 20))
def test_shortened_text_fits_and_says_that_it_is_cut(text: str, columns: int) -> None:
    found = shorten(text, columns)
    assert text_width(found) <= columns
    assert found == text or found.endswith("…")


def test_padding_counts_columns_and_not_characters() -> None:
    assert pad("漢", 4) == "漢  "
    assert pad("漢", 4, right=True) == "  漢"


def test_numbers_are_grouped() -> None:
    assert [number(value) for value in (None, 0, 999, 23541, 1234567)] == ["-", "0", "999", "23 541", "1 234 567"]
