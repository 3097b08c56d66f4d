"""Sessions as the command line names them: a file, `-`, or one of the sessions that come with policylang."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from policylang.cli.failures import UNREADABLE, cannot_run
from policylang.cli.inputs import STDIN, read_stdin
from policylang.cli.session import Session
from policylang.diagnostics import did_you_mean
from policylang.transcript.importers import Transcript, open_transcript

SHOWN: Final = 20
"""Malformed records told one by one."""

_SUFFIX: Final = ".jsonl"


def bundled_sessions() -> dict[str, Path]:
    """The sessions that come with policylang, by name: in a wheel under `_sessions`, in a checkout under `examples`."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_sessions", package.parent / "examples" / "sessions"):
        if folder.is_dir():
            return {path.name.removesuffix(_SUFFIX): path for path in sorted(folder.glob(f"*{_SUFFIX}"))}
    return {}


def open_session(name: str, format_: str | None, *, lenient: bool) -> Transcript:
    """The session as spans, read lazily."""
    if name == STDIN:
        stream = io.BytesIO(read_stdin())
        stream.name = "<stdin>"
        return open_transcript(stream, format_, lenient)
    bundled = None
    if not Path(name).exists():
        bundled = bundled_sessions().get(name)
        if bundled is None:
            help_ = did_you_mean(name, bundled_sessions(), otherwise="bundled sessions: {names}")
            raise cannot_run(UNREADABLE, "no such file or bundled session", help_, name)
    return open_transcript(bundled if bundled is not None else name, format_, lenient)


def session_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--from` and `--lenient`."""
    lenient = click.option("--lenient", is_flag=True, help="Report malformed records and go on.")
    from_ = click.option("--from", "from_", metavar="FORMAT", help="The file's format; found out by default.")
    return from_(lenient(function))


def tell_issues(session: Session, transcript: Transcript) -> None:
    """Malformed records by line, on standard error; only a lenient reading gets past the first."""
    found = [item for item in transcript.issues if item.severity != "info"]
    for item in found[:SHOWN]:
        session.note(str(item))
    if len(found) > SHOWN:
        session.note(f"and {len(found) - SHOWN} more")
