"""Runs the command line inside the test's process: arguments in, exit code and both streams out."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import pytest

from policylang.cli import main


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run came to."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document that it has to be."""
        return json.loads(self.out)


class _Stdin(io.TextIOWrapper):
    def isatty(self) -> bool:
        return False


class Runner:
    """Runs commands in a folder of their own, with neither colour nor a terminal."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *argv: str, stdin: bytes = b"") -> Ran:
        self._monkeypatch.setattr("sys.stdin", _Stdin(io.BytesIO(stdin)))
        self._capsys.readouterr()
        code = main(list(argv))
        streams = self._capsys.readouterr()
        return Ran(code, streams.out, streams.err)
