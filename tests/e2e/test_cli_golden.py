"""What the commands print for a person, word for word.

`POLICYLANG_UPDATE_GOLDEN=1` writes the files anew; read the diff.

A golden file holds a command line after `$ `, its standard output, and `[exit N]` with standard error, if any.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.cli_runner import Runner

FOLDER = Path(__file__).parents[1] / "golden" / "cli"
UPDATE = bool(os.environ.get("POLICYLANG_UPDATE_GOLDEN"))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_output_is_as_it_was_read(path: Path, run: Runner, tmp_path: Path) -> None:
    for file in (FOLDER / "inputs").iterdir():
        shutil.copy(file, tmp_path / file.name)
    text = path.read_text(encoding="utf-8")
    command = text.split("\n", 1)[0].removeprefix("$ policylang ")
    found = run(*command.split())
    actual = f"$ policylang {command}\n{found.out}[exit {found.code}]\n{found.err}"
    if UPDATE:
        path.write_text(actual, encoding="utf-8")
    assert actual == text


def test_every_line_fits_a_hundred_columns() -> None:
    from policylang.report.width import text_width

    for path in FOLDER.glob("*.txt"):
        if not path.stem.startswith(("fmt", "schema", "help")):
            assert all(text_width(line) <= 106 for line in path.read_text(encoding="utf-8").splitlines()[1:])
