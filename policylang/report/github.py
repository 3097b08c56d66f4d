"""Workflow commands of GitHub Actions: annotations at the lines of a change.

Only ten errors and ten warnings of a step are shown there, and the rest vanishes without a word; so the worst come
first, and the last line says how many there are beyond them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from policylang.report.findings import Finding

COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}
SHOWN: Final = 10


def github_text(findings: Sequence[Finding]) -> str:
    """The commands, one a line; empty where nothing was found."""
    return "".join(f"{line}\n" for line in _lines(findings))


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    left = 0
    for severity, command in COMMANDS.items():
        found = [item for item in findings if item.severity == severity]
        yield from (_command(command, item) for item in found[:SHOWN])
        left += max(len(found) - SHOWN, 0)
    if left:
        yield f"::notice title=policylang::{left} more findings; the step's log has them all"


def _command(command: str, item: Finding) -> str:
    places: dict[str, object] = {"file": item.file, "line": item.line, "col": item.column}
    if item.end_line is not None and item.end_line == item.line:
        places |= {"endLine": item.end_line, "endColumn": item.end_column}
    places["title"] = item.code
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value is not None)
    message = item.message if item.help is None else f"{item.message}\n{item.help}"
    return f"::{command} {properties}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
