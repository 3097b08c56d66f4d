"""Every diagnostic of the check: its code, its line, the underlined text and the part of the help that matters."""

from __future__ import annotations

from pathlib import Path

import check_golden as golden
import pytest

from policylang.check import load
from policylang.diagnostics import CODES, Diagnostic, PolicyError

ELSEWHERE = {
    "unknown-key": "the YAML spelling",
    "yaml-boolean-id": "the YAML spelling",
    "alias-bomb": "the YAML spelling",
    "bad-encoding": "no text: see test_check_load.py",
    "invalid-request": "requests",
    "expired": "lint",
}


def findings(case: golden.Case, folder: Path) -> tuple[Diagnostic, ...]:
    for name, text in case.files:
        (folder / name).write_text(text, "utf-8")
    try:
        load([folder])
    except PolicyError as error:
        return error.diagnostics
    return ()


def seen(diagnostic: Diagnostic) -> tuple[str, int, str, str]:
    assert diagnostic.loc is not None
    source, start, end = diagnostic.loc
    # `no-rules` is about the whole file: nothing in particular is underlined.
    text = source.text[start:end] if diagnostic.code != "no-rules" else ""
    return Path(source.name).name, source.position(start).line, diagnostic.code, text


@pytest.mark.parametrize("case", golden.ALL, ids=lambda case: case.name)
def test_case(case: golden.Case, tmp_path: Path) -> None:
    found = findings(case, tmp_path)
    expected = [(one.file, one.line, one.code, one.text) for one in case.expected]
    assert sorted(map(seen, found)) == sorted(expected)
    for one in case.expected:
        if one.help is not None:
            helps = [item.help or "" for item in found if seen(item) == (one.file, one.line, one.code, one.text)]
            assert any(one.help in text for text in helps), helps


def test_every_code_has_a_case() -> None:
    raised = {one.code for case in golden.ALL for one in case.expected}
    assert raised == set(CODES) - set(ELSEWHERE)


@pytest.mark.parametrize("case", golden.ALL, ids=lambda case: case.name)
def test_messages_read_well(case: golden.Case, tmp_path: Path) -> None:
    for item in findings(case, tmp_path):
        assert item.message == item.message.strip() and not item.message.endswith(".")
        assert "\n" not in item.message and len(item.message) < 200
        assert item.help is None or "\n" not in item.help
