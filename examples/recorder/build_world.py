"""The world of the build agent: a small library with a released version and a commit that loses cents."""

from __future__ import annotations

import shutil

from .workbench import FIXTURES, Workbench

NO_DRIFT = "a, b = divmod(cents, parts)\n    return [a + (1 if index < b else 0) for index in range(parts)]"
GOOD_SPLIT = (
    "    base, rest = divmod(cents, parts)\n    return [base + (1 if index < rest else 0) for index in range(parts)]"
)
BAD_SPLIT = "    return [round(cents / parts)] * parts"
CHECK_SPLIT = """import sys

from ledgerkit import money

sys.exit(0 if all(sum(money.split(cents, 3)) == cents for cents in range(40)) else 1)
"""
PERCENT = '''"""Percentages of amounts."""


def percent(cents: int, rate: int) -> int:
    """rate per cent of an amount, half to even."""
    whole, rest = divmod(cents * rate, 100)
    up = rest > 50 or (rest == 50 and whole % 2 == 1)
    return whole + up
'''
TEST_PERCENT = '''"""Tests of percentages."""

import unittest

from ledgerkit import percent


class Percent(unittest.TestCase):
    def test_plain(self) -> None:
        self.assertEqual(percent.percent(2000, 5), 100)

    def test_half_to_even(self) -> None:
        self.assertEqual([percent.percent(50, 1), percent.percent(150, 1)], [0, 2])

    def test_negative(self) -> None:
        self.assertEqual(percent.percent(-2000, 5), -100)
'''
TEST_SEPARATORS = '''"""Tests of thousands separators."""

import unittest

from ledgerkit import parse


class Separators(unittest.TestCase):
    def test_thousands(self) -> None:
        self.assertEqual(parse.parse_amount("1,234.50"), 123450)

    def test_misplaced(self) -> None:
        with self.assertRaises(ValueError):
            parse.parse_amount("12,34")
'''
TEST_SPLIT = '''"""Tests that no cent is lost."""

import unittest

from ledgerkit import money


class Split(unittest.TestCase):
    def test_sum_is_kept(self) -> None:
        for cents in range(200):
            self.assertEqual(sum(money.split(cents, 7)), cents)

    def test_parts_differ_by_one_at_most(self) -> None:
        parts = money.split(1000, 7)
        self.assertLessEqual(max(parts) - min(parts), 1)
'''


def prepare(bench: Workbench) -> None:
    """A repository with a released version and a dozen commits since, one of which loses cents."""
    source, root = FIXTURES / "ledgerkit", bench.workspace
    for folder in ("ledgerkit", "tests", "tools", "docs"):
        (root / folder).mkdir(parents=True)
    for name, folder in (
        ("money.py", "ledgerkit"), ("parse.py", "ledgerkit"), ("build.py", "tools"),
        ("test_money.py", "tests"), ("test_parse.py", "tests"),
    ):  # fmt: skip
        shutil.copyfile(source / f"{name}.txt", root / folder / name)
    shutil.copyfile(source / "CHANGELOG.md", root / "CHANGELOG.md")
    (root / "ledgerkit" / "__init__.py").write_text('"""Amounts in whole cents."""\n', encoding="utf-8")
    (root / "ledgerkit" / "version.py").write_text('VERSION = "2.3.0"\n', encoding="utf-8")
    (root / "tests" / "__init__.py").write_text("", encoding="utf-8")
    (root / ".gitignore").write_text("dist/\n__pycache__/\n", encoding="utf-8")
    bench.author = "colleague"
    bench.must("git init -q . && git add -A && git commit -q -m 'Release 2.3.0' && git tag -a v2.3.0 -m 2.3.0")
    topics = ("rounding", "currencies", "imports", "exports", "dates", "locales", "totals", "reports", "limits")
    for number, topic in enumerate(topics):
        (root / "docs" / f"{topic}.md").write_text(f"# Notes on {topic}\n\nDecision {number + 1}: keep it simple.\n")
        bench.must(f"git add -A && git commit -q -m 'Notes on {topic}'")
        if topic == "exports":
            money = root / "ledgerkit" / "money.py"
            money.write_text(money.read_text(encoding="utf-8").replace(GOOD_SPLIT, BAD_SPLIT), encoding="utf-8")
            bench.must("git commit -q -a -m 'Shorter split'")
    (root / "ledgerkit" / "version.py").write_text('VERSION = "2.4.0.dev0"\n', encoding="utf-8")
    bench.must("git commit -q -a -m 'Open 2.4 development'")
    bench.author = "operator"
