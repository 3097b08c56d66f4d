"""Reads golden files: many tiny policies, each with the expected code beside the line that causes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "golden" / "check"
MARK = re.compile(r"#! (?P<code>[a-z-]+) «(?P<text>[^»]*)»(?: \? (?P<help>.*?))?(?= #! |$)")


@dataclass(frozen=True)
class Expected:
    file: str
    line: int
    code: str
    text: str
    help: str | None


@dataclass(frozen=True)
class Case:
    name: str
    files: tuple[tuple[str, str], ...]
    expected: tuple[Expected, ...]


def cases(path: Path) -> Iterator[Case]:
    """The cases of one golden file."""
    for part in path.read_text("utf-8").split("\n=== ")[1:]:
        name, _, body = part.partition("\n")
        yield case(f"{path.stem}: {name}", body)


def unescape(text: str) -> str:
    """Characters that would be an error in the mark itself are written `\\u{202e}`."""
    return re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: chr(int(found[1], 16)), text)


def case(name: str, body: str) -> Case:
    """One case: its files without their names' lines, and what its marks expect."""
    files: dict[str, list[str]] = {}
    current = "case.policy"
    for line in body.rstrip("\n").split("\n"):
        if line.startswith("--- "):
            current = line.removeprefix("--- ")
            files[current] = []
        else:
            files.setdefault(current, []).append(line)
    expected = tuple(
        Expected(file, number, found["code"], unescape(found["text"]), found["help"])
        for file, lines in files.items()
        for number, line in enumerate(lines, 1)
        for found in MARK.finditer(line)
    )
    return Case(name, tuple((file, "\n".join(lines) + "\n") for file, lines in files.items()), expected)


ALL = [one for path in sorted(FOLDER.glob("*.golden")) for one in cases(path)]
