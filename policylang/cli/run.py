"""From arguments to an exit code: the one place where failures of every sort are told and numbered."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterable
from typing import Any, TextIO

import click

from policylang.cli.failures import (
    BUG,
    CANNOT,
    INTERNAL,
    INTERRUPTED,
    PIPE_CLOSED,
    USAGE,
    OutputError,
    unreadable,
    unwritable,
)
from policylang.cli.formats import write_failure
from policylang.cli.group import app
from policylang.cli.session import Session
from policylang.diagnostics import Diagnostic, DiagnosticError

PROGRAM = "policylang"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def run(argv: list[str]) -> int:
    """Run a command and give its exit code; nothing is raised."""
    session = Session(argv)
    _utf8()
    try:
        code = _guarded(argv, session)
        session.flush()
    except BrokenPipeError:
        return _nobody_reads()
    except OutputError as error:
        return _nowhere_to_write(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _guarded(argv: list[str], session: Session) -> int:
    try:
        return _invoke(argv, session)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.UsageError as error:
        return _fail(session, [_usage(error)])
    except OutputError:
        raise
    except DiagnosticError as error:
        return _fail(session, error.diagnostics)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in _FULL and error.filename is None:
            # Help is written by click itself.
            raise OutputError([unwritable(error, "<stdout>")]) from None
        if error.errno is None:
            return _bug(session, error)
        return _fail(session, [unreadable(error)])
    except UnicodeDecodeError as error:
        return _fail(session, [Diagnostic("bad-encoding", f"the input is not UTF-8 at byte {error.start}")])
    except Exception as error:
        return _bug(session, error)


def _invoke(argv: list[str], session: Session) -> int:
    instruction = os.environ.get("_POLICYLANG_COMPLETE")
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(app, {"obj": session}, PROGRAM, "_POLICYLANG_COMPLETE", instruction)
    with app.make_context(PROGRAM, argv, obj=session) as context:
        code = app.invoke(context)
    assert isinstance(code, int), "a command gives its exit code"
    return code


def _usage(error: click.UsageError) -> Diagnostic:
    path = error.ctx.command_path if error.ctx is not None else PROGRAM
    message = error.format_message().rstrip(".")
    return Diagnostic(USAGE, message[:1].lower() + message[1:], None, f"see `{path} --help`")


def _fail(session: Session, diagnostics: Iterable[Diagnostic]) -> int:
    """Say why it could not run: to a program on standard output, to a person on standard error."""
    found = tuple(diagnostics)
    format_ = session.wanted_format()
    if format_ == "text":
        from policylang.report.diagnostics_text import diagnostics_report

        session.show(diagnostics_report(found), error=True)
    else:
        write_failure(session, format_, found)
        session.note(f"{PROGRAM}: could not run: {_count(found)}")
    return CANNOT


def _count(found: tuple[Diagnostic, ...]) -> str:
    first = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{first.code}: {first.message}{more}"


def _bug(session: Session, error: Exception) -> int:
    message = f"{type(error).__name__}: {error}"
    found = Diagnostic(INTERNAL, message, None, "this is a bug of policylang; run again with --debug for its traceback")
    _fail(session, [found])
    if session.debug:
        traceback.print_exception(error)
    return BUG


def _utf8() -> None:
    """Output is UTF-8 wherever it goes; what cannot be encoded is escaped, so that no name can stop a report."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _nobody_reads() -> int:
    """The reader of the pipe has gone: end quietly, also when Python flushes once more on its way out."""
    _discard(sys.stdout)
    return PIPE_CLOSED


def _nowhere_to_write(error: OutputError) -> int:
    """An answer that did not get out whole is none: say so on the other stream, if that one still takes anything."""
    message = f"{PROGRAM}: could not run: {'; '.join(map(str, error.diagnostics))}\n"
    if not _takes(sys.stderr, message):
        _discard(sys.stderr)
    _discard(sys.stdout)
    return CANNOT


def _takes(stream: TextIO, text: str) -> bool:
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        return False
    return True


def _discard(stream: TextIO) -> None:
    """Let what is still buffered go nowhere, so that Python's own flush at the end cannot fail."""
    if stream in (sys.__stdout__, sys.__stderr__):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
