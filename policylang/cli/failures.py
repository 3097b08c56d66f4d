"""What stops a command: reported as diagnostics like everything else, with codes of the command line's own.

These codes are not in the catalogue of SPEC §5, as no policy and no request can cause them.
"""

from __future__ import annotations

from typing import Final

from policylang.diagnostics import Diagnostic, DiagnosticError
from policylang.source import nowhere

USAGE: Final = "usage-error"
UNREADABLE: Final = "unreadable-input"
NOTHING_RAN: Final = "nothing-ran"
INTERNAL: Final = "internal-error"

CLI_CODES: Final[dict[str, str]] = {
    USAGE: "The command line asks for something that is not there.",
    UNREADABLE: "A file cannot be read or written.",
    NOTHING_RAN: "No policy, no test, no row: silence is not success.",
    INTERNAL: "A bug of policylang's own.",
}

OK: Final = 0
NO: Final = 1
CANNOT: Final = 2
BUG: Final = 3
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141


class CannotRunError(DiagnosticError):
    """The command could not run; exit code 2."""


def cannot_run(code: str, message: str, help_: str | None = None, name: str | None = None) -> CannotRunError:
    """The error with its one diagnostic."""
    return CannotRunError([Diagnostic(code, message, nowhere(name) if name is not None else None, help_)])


class OutputError(CannotRunError):
    """Standard output or standard error takes no more: nothing further can be said there."""


def unwritable(error: OSError, name: str) -> Diagnostic:
    """What the operating system said when something was to be written; ``name`` is the user's word for where."""
    return Diagnostic(UNREADABLE, f"cannot write: {error.strerror or str(error)}", nowhere(name))


def unreadable(error: OSError, name: str | None = None) -> Diagnostic:
    """What the operating system said, with the file that it said it of."""
    file = name if name is not None else error.filename
    why = error.strerror or type(error).__name__
    return Diagnostic(UNREADABLE, f"cannot open the file: {why}", nowhere(str(file)) if file is not None else None)
