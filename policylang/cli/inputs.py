"""What a command reads: files, folders and standard input, each by the name that the user gave it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from policylang.cli.failures import UNREADABLE, CannotRunError, unreadable
from policylang.diagnostics import Diagnostic, did_you_mean
from policylang.source import nowhere

STDIN = "-"


def read_bytes(name: str) -> bytes:
    """The bytes of a file, or of standard input for `-`.

    Raises:
        CannotRunError: the file cannot be read.
    """
    if name == STDIN:
        return read_stdin()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CannotRunError([unreadable(error, name)]) from None


def read_stdin() -> bytes:
    """Standard input to its end; a person at a terminal is told that it is awaited."""
    if sys.stdin.isatty():
        sys.stderr.write("reading standard input; end it with Ctrl-D\n")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise CannotRunError([unreadable(error, "<stdin>")]) from None


def policy_files(paths: Sequence[str]) -> list[str]:
    """The policies under files, folders and shipped names, each once, sorted by name, so that no order matters.

    Raises:
        CannotRunError: something named is not there or cannot be read; all of them are reported.
    """
    from policylang.check.load import spelling
    from policylang.shipped import shipped_ids, shipped_path

    found: dict[str, str] = {}
    problems: list[Diagnostic] = []
    for name in sorted(set(paths)):
        path = Path(name)
        if path.is_dir():
            inside = sorted(str(one) for one in path.rglob("*") if spelling(one.name) and one.is_file())
            problems += _unreadable(inside)
            for one in inside:
                found.setdefault(os.path.realpath(one), one)
        elif path.exists():
            problems += _unreadable([name])
            found.setdefault(os.path.realpath(name), name)
        elif (shipped := shipped_path(name)) is not None:
            found.setdefault(os.path.realpath(shipped), name)
        else:
            help_ = did_you_mean(name, shipped_ids(), otherwise="shipped policies: {names}")
            problems.append(Diagnostic(UNREADABLE, "no such file, folder or shipped policy", nowhere(name), help_))
    if problems:
        raise CannotRunError(problems)
    return sorted(found.values())


def _unreadable(names: Iterable[str]) -> list[Diagnostic]:
    problems = []
    for name in names:
        try:
            with Path(name).open("rb"):
                pass
        except OSError as error:
            problems.append(unreadable(error, name))
    return problems
