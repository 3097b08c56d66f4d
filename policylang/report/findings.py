"""Findings and outcomes as every machine format tells them, whatever they came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from policylang.diagnostics import Diagnostic
from policylang.diagnostics.model import Severity

TEST_FAILED = "test-failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding; places are 1-based and count code points, None where there is none."""

    code: str
    severity: Severity
    message: str
    help: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        help_ = f"; help: {self.help}" if self.help is not None else ""
        return f"{':'.join([*place, ' ']) if place else ''}{self.severity}[{self.code}]: {self.message}{help_}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one thing that was looked at: a policy, or a test.

    ``status`` is `error` where it could not be looked at.
    """

    group: str
    name: str
    status: Literal["passed", "failed", "skipped", "error"]
    details: tuple[str, ...] = ()


def of_diagnostics(diagnostics: Iterable[Diagnostic]) -> list[Finding]:
    """Diagnostics as findings, in their order."""
    return [_of_diagnostic(item) for item in diagnostics]


def _of_diagnostic(item: Diagnostic) -> Finding:
    if item.loc is None:
        return Finding(item.code, item.severity, item.message, item.help)
    begin, finish = item.loc.begin, item.loc.finish
    return Finding(
        item.code, item.severity, item.message, item.help, item.loc.source.name, *begin, finish.line, finish.column
    )


def of_files(files: Sequence[str], diagnostics: Sequence[Diagnostic]) -> list[Outcome]:
    """One outcome a policy; findings in a file that was not named itself (a parent) get one of their own."""
    findings = of_diagnostics(diagnostics)
    names = dict.fromkeys([*files, *(item.file or "policylang" for item in findings)])
    out = []
    for name in names:
        own = [item for item in findings if (item.file or "policylang") == name]
        failed = any(item.severity == "error" for item in own)
        out.append(Outcome("check", name, "failed" if failed else "passed", tuple(map(str, own))))
    return out


def of_tests(document: Mapping[str, Any]) -> list[Finding]:
    """The failed tests of a ``policylang.test/v1`` document."""
    out = []
    for result in document["results"]:
        if result["outcome"] == "failed":
            file, line = _place(result["place"])
            message = f"{result['name']}: {'; '.join(_details(result))}"
            out.append(Finding(TEST_FAILED, "error", message, None, file, line, 1 if line is not None else None))
    return out


def outcomes_of_tests(document: Mapping[str, Any]) -> list[Outcome]:
    """Every test of a ``policylang.test/v1`` document."""
    statuses: dict[str, Literal["passed", "failed", "skipped"]] = {
        "passed": "passed", "failed": "failed", "not-run": "skipped"
    }  # fmt: skip
    return [
        Outcome(
            _place(result["place"])[0],
            result["name"],
            statuses[result["outcome"]],
            tuple(_details(result)) or ((result["note"],) if result["note"] else ()),
        )
        for result in document["results"]
    ]


def _details(result: Mapping[str, Any]) -> list[str]:
    out = [f"{item['field']}: expected {item['expected']}, actual {item['actual']}" for item in result["mismatches"]]
    return [*out, *(f"{item['severity']}[{item['code']}]: {item['message']}" for item in result["diagnostics"])]


def _place(place: str) -> tuple[str, int | None]:
    """`file:line` or `file:line:column` apart; a Windows drive keeps its colon."""
    parts = place.rsplit(":", 2)
    numbers = [part for part in parts[1:] if part.isdigit()]
    file = place[: len(place) - sum(len(number) + 1 for number in numbers)]
    return file, int(numbers[0]) if numbers else None
