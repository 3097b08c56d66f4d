"""Every link inside the documentation leads to a file, and to a heading of it where it names one."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.meta.markdown import DOCS, ROOT, pages

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)


@cache
def _anchors(path: Path) -> frozenset[str]:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return frozenset(_slug(title) for title in re.findall(r"^#+ (.+)$", text, re.M))


def _slug(title: str) -> str:
    """A heading's anchor, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or (anchor and anchor not in _anchors(path)):
            broken.append(target)
    assert broken == []


def test_index_links_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    linked = {target for target in _LINK.findall(index) if "#" not in target}
    assert {path.name for path in DOCS.glob("*.md")} - {"README.md"} <= linked
