"""`Diagnostic`: one finding, as a value. Nothing in the project reports an error as a bare string."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from policylang.source import Loc

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding with its code, its place and one line of help.

    Attributes:
        code: A code of the catalogue (SPEC §5).
        message: One sentence, lower case, without a full stop.
        loc: The underlined range, or None where there is no text to point at.
        help: One line that says what to do, or None.
        severity: ``error``, ``warning`` or ``info``.
        args: The typed facts behind the message, by name, so that tools need not parse it.
        related: Other places that belong to the finding, each with a short label.
    """

    code: str
    message: str
    loc: Loc | None = None
    help: str | None = None
    severity: Severity = "error"
    args: tuple[tuple[str, str | int | float], ...] = ()
    related: tuple[tuple[Loc, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One entry of ``policylang.diagnostics/v1`` (SPEC §7): 1-based, columns in code points."""
        out: dict[str, Any] = {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "help": self.help,
            "file": None,
            "line": None,
            "column": None,
            "end_line": None,
            "end_column": None,
        }
        if self.loc is not None:
            begin, finish = self.loc.begin, self.loc.finish
            out.update(
                file=self.loc.source.name,
                line=begin.line,
                column=begin.column,
                end_line=finish.line,
                end_column=finish.column,
            )
        return out

    def __str__(self) -> str:
        where = f"{self.loc}: " if self.loc is not None else ""
        return f"{where}{self.severity}[{self.code}]: {self.message}"


def in_source_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics by file, place and code, each (code, range) once, so that output never changes from run to run.

    Where a place is the whole of an object, as in a request, or there is none, it does not make two findings one.
    A name with foreign letters is one mistake: that nothing is called so goes without saying.
    """
    unique: dict[tuple[str, int, int, str, str], Diagnostic] = {}
    for item in diagnostics:
        name, start, end = (item.loc.source.name, item.loc.start, item.loc.end) if item.loc else ("", -1, -1)
        apart = item.message if item.loc is None or item.code == "invalid-request" else ""
        unique.setdefault((name, start, end, item.code, apart), item)
    return tuple(
        unique[key]
        for key in sorted(unique)
        if "unknown" not in key[3] or (*key[:3], "confusable-identifier", "") not in unique
    )


def to_document(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """The whole ``policylang.diagnostics/v1`` document."""
    return {"schema": "policylang.diagnostics/v1", "diagnostics": [item.to_json() for item in diagnostics]}


class DiagnosticError(Exception):
    """Something could not be read; ``diagnostics`` says what and where, in source order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_source_order(diagnostics)
        super().__init__("\n".join(str(item) for item in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.diagnostics,))


class PolicyError(DiagnosticError):
    """A policy is not valid; nothing of it was loaded."""


class RequestError(DiagnosticError):
    """A request is not valid; nothing of it was evaluated."""
