"""docs/cli.md has a section for every command, with every option of it and no other, and every exit code."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import click
import pytest

from policylang.cli import failures
from policylang.cli.config import FAIL_LEVELS, FORMATS, KEYS
from policylang.cli.group import command_modules
from tests.meta.markdown import DOCS, blocks_of

PAGE = DOCS / "cli.md"
EVERYWHERE = {"--help", "--isolated", "--color", "--debug"}
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def _command(name: str) -> click.Command:
    found = import_module(command_modules()[name]).command
    assert isinstance(found, click.Command)
    return found


def _options(command: click.Command) -> set[str]:
    options = [param for param in command.params if isinstance(param, click.Option)]
    return {max(option.opts, key=len) for option in options} - EVERYWHERE


def _sections(path: Path = PAGE) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", path.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_has_a_section_and_every_section_a_command() -> None:
    sections = [title.removeprefix("policylang ") for title in _sections() if title.startswith("policylang ")]
    assert sections == sorted(command_modules())


@pytest.mark.parametrize("name", sorted(command_modules()))
def test_section_names_every_option_and_no_other(name: str) -> None:
    section = _sections()[f"policylang {name}"]
    table = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    shorts = {"-p": "--policy", "-f": "--format", "-k": "-k"}
    named = set(_OPTION.findall(table)) | {long for short, long in shorts.items() if f"`{short}" in table}
    assert named == _options(_command(name))


@pytest.mark.parametrize("name", sorted(command_modules()))
def test_section_has_an_example_that_is_run(name: str) -> None:
    sections = _sections()
    examples = [block.text for block in blocks_of(PAGE) if block.language == "sh"]
    assert any(f"policylang {name}" in text and text in sections[f"policylang {name}"] for text in examples)


@pytest.mark.parametrize("name", sorted(command_modules()))
def test_help_has_an_example_of_the_command(name: str) -> None:
    help_ = _command(name).help or ""
    assert re.search(rf"Examples?:\n\s+.*policylang {name}", help_)


def test_exit_codes_and_codes_are_all_there() -> None:
    section = _sections()["Exit codes"]
    codes = (failures.OK, failures.NO, failures.CANNOT, failures.BUG, failures.INTERRUPTED, failures.PIPE_CLOSED)
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", section, re.M)] == list(codes)
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.M)) == set(failures.CLI_CODES)


def test_configuration_keys_are_all_there() -> None:
    section = _sections()["Configuration"]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.M)) == set(KEYS)
    assert all(f"`{word}`" in section for word in FORMATS)
    assert "\\|".join(FAIL_LEVELS) in _sections()["policylang check"]
