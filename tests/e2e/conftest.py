"""Fixtures of the end-to-end tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli_runner import Runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    """Runs commands in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "POLICYLANG_DEBUG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return Runner(capsys, monkeypatch)
