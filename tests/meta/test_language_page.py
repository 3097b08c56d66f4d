"""docs/language.md names what there is: every field with its type, every rule id, setting, function and word."""

from __future__ import annotations

import re
from functools import cache

import pytest

from policylang.check.blockrules import BLOCK_IDS
from policylang.check.calls import FUNCTIONS
from policylang.check.inline_tests import EXTRAS, GIVEN
from policylang.check.settings import SPECS
from policylang.rules_ir.types import ENUM_TYPES, FIELDS, GLOBALS, TEXT
from policylang.shipped import shipped_ids
from policylang.testing.cases import CASE_KEYS, EXPECT_KEYS, FILE_KEYS
from policylang.transcript.vocabulary import ASSERTION_TYPES, CLASSES, KNOWN_KINDS, REPRESENTATIONS, SOURCES
from tests.meta.markdown import DOCS


@cache
def _page() -> str:
    """The page without its examples, in which `##` is a comment."""
    return re.sub(r"^```.*?^```$", "", (DOCS / "language.md").read_text(encoding="utf-8"), flags=re.M | re.S)


@cache
def _section(title: str) -> str:
    headings = [*re.finditer(r"^## (.+)$", _page(), re.M)]
    ends = [found.start() for found in headings[1:]] + [len(_page())]
    for found, end in zip(headings, ends, strict=True):
        if found[1] == title:
            return _page()[found.end() : end]
    raise AssertionError(f"docs/language.md has no section {title}")


def _rows(text: str) -> list[list[str]]:
    return [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in text.splitlines()
        if line.startswith("| ")
    ]


def test_fields_table_is_the_one_of_the_types() -> None:
    wanted = {
        f"{record}.{name}": (str(field.type), "yes" if field.maybe_unknown else "no")
        for record, fields in FIELDS.items()
        for name, field in fields.items()
        if not field.internal
    }
    rows = [row for row in _rows(_section("Fields")) if row[0].startswith("`")]
    assert {row[0].strip("`"): (row[1], row[2]) for row in rows} == wanted
    assert len(rows) == len(wanted)


def test_every_rule_of_a_block_has_its_row() -> None:
    rows = [row for row in _rows(_section("Blocks")) if len(row) == 4 and row[3] in ("span", "chain", "epoch")]
    assert sorted(row[1].strip("`") for row in rows) == sorted(BLOCK_IDS)


def test_every_setting_has_its_row_with_its_words_and_default() -> None:
    rows = {row[0].strip("`"): row for row in _rows(_section("Blocks")) if row[0].count(" ") == 1}
    for block, specs in SPECS.items():
        for name, spec in specs.items():
            row = rows[f"{block} {name}"]
            assert all(f"`{word}`" in row[1] for word in spec.words)
            assert row[2].strip("`") == ("" if spec.default is None else str(spec.default))


@pytest.mark.parametrize("enum", ENUM_TYPES, ids=str)
def test_every_type_is_named(enum: object) -> None:
    assert str(enum) in _section("Expressions")


@pytest.mark.parametrize("title, words", [
    ("Anchors", ASSERTION_TYPES),
    ("Kinds and classes", (*CLASSES, *KNOWN_KINDS)),
    ("Fields", (*REPRESENTATIONS, *SOURCES)),
    ("Expressions", tuple(GLOBALS)),
    ("Layers: extends and relax", shipped_ids()),
    ("Cases files", (*FILE_KEYS, *CASE_KEYS, *EXPECT_KEYS)),
])  # fmt: skip
def test_every_word_is_there(title: str, words: tuple[str, ...]) -> None:
    assert [word for word in words if f"`{word}`" not in _section(title)] == []


def test_every_function_has_its_row() -> None:
    named = {row[0].strip("`").split("(")[0] for row in _rows(_section("Expressions"))}
    assert set(FUNCTIONS) <= named


def test_every_item_of_an_inline_test_is_there() -> None:
    section = _section("Tests inside a policy")
    wanted = [f"`{name}{' …' if kind == TEXT.name else ''}" for name, kind in EXTRAS.items()]
    spelt = section.replace(' "…"', " …")
    assert [word for word in wanted if word not in spelt] == []
    assert all(re.search(rf"given[^|]*{name}", section) for name in GIVEN)


def test_table_of_contents_follows_the_headings() -> None:
    titles = re.findall(r"^## (.+)$", _page(), re.M)
    links = re.findall(r"^- \[(.+)\]\(#", _page(), re.M)
    assert links == titles
