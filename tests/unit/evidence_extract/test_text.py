"""Normalised text with its way back, and clauses with their moods."""

from __future__ import annotations

import pytest

from policylang.evidence import text as texts


@pytest.mark.parametrize(
    ("original", "normal"),
    [
        ("plain", "plain"),
        ("version：７", "version:7"),
        ("ﬁle…", "file..."),
        ("a\u200bb\u202ec", "abc"),
        ("e\u0301t", "ét"),
        ("\x1b[32mok\x1b[0m", "ok"),
        ("a\ud800b", "a\ufffdb"),
        ("", ""),
        ("\u200b", ""),
    ],
)
def test_normalise(original: str, normal: str) -> None:
    assert texts.normalise(original).text == normal


def test_each_normalised_character_knows_its_original() -> None:
    original = "v…７ﬁ\u200bz"
    found = texts.normalise(original)
    assert found.text == "v...7fiz"
    spans = [original[found.start(i) : found.end(i + 1)] for i in range(len(found.text))]
    assert spans == ["v", "…", "…", "…", "７", "ﬁ", "ﬁ", "z"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Migration 0042 applied. Schema version: 7.", ["statement", "statement"]),
        ("if the schema version is 7 we can go on", ["condition"]),
        ("when it is done, stop", ["condition"]),
        ("we should verify the schema version", ["wish"]),
        ("verify the schema version", ["wish"]),
        ("let me create the file", ["wish"]),
        ("what schema version are we on", ["question"]),
        ("is it 7? yes; fine", ["question", "statement", "statement"]),
        ("it is 7 but we must check", ["statement", "wish"]),
        ("it is 7 while the other runs", ["statement", "statement"]),
        ("one\ntwo\r\nthree", ["statement", "statement", "statement"]),
        ("version 1.2.3 is out", ["statement"]),
        ("", []),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    assert [clause.mood for clause in texts.clauses(text)] == expected


def test_a_denied_clause() -> None:
    (clause,) = texts.clauses("it is not true that migration 0042 was applied")
    assert clause.denied and clause.binds


def test_clauses_of_a_part_have_offsets_of_the_whole() -> None:
    text = "skip this. schema version: 7; port: 8080"
    found = texts.clauses(text, 11)
    assert [text[clause.start : clause.end] for clause in found] == ["schema version: 7", " port: 8080"]


def test_a_clause_without_end_is_cut() -> None:
    found = texts.clauses("a" * 5_000)
    assert [clause.end - clause.start for clause in found] == [2_000, 2_000, 1_000]
