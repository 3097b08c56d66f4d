"""`policylang fmt`: the one layout."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

import click

from policylang.cli.failures import CANNOT, NO, NOTHING_RAN, OK, UNREADABLE, CannotRunError, cannot_run
from policylang.cli.files import write_atomically
from policylang.cli.inputs import STDIN, read_bytes
from policylang.cli.options import as_command
from policylang.cli.session import Session
from policylang.diagnostics import Diagnostic, DiagnosticError, in_source_order
from policylang.source import nowhere

_SUFFIX = ".policy"


@as_command
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--check", is_flag=True, help="Name the files that would change, and write none.")
@click.option("--diff", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--stdin-filename", metavar="NAME", help="How to name what is read from standard input.")
@click.option("--allow-empty", is_flag=True, help="Finding no policy under the paths is fine.")
def command(
    session: Session,
    paths: tuple[str, ...],
    check: bool,
    diff: bool,
    stdin_filename: str | None,
    allow_empty: bool,
) -> int:
    """Lay policies out anew. Only white space changes; every token and every comment stays.

    PATH is a policy, a folder (every policy below it), or - for standard input, which goes to standard output.
    With --check or --diff, exit code 1 says that something would change.

    \b
    Examples:
      policylang fmt rules/
      policylang fmt --check --diff rules/
    """
    if not paths:
        raise click.UsageError("Nothing to format: give a PATH, or - for standard input")
    names = _files([path for path in paths if path != STDIN]) + [STDIN] * (STDIN in paths)
    if not names and not allow_empty:
        raise cannot_run(NOTHING_RAN, "no policy under the paths", "policies end in .policy; or give --allow-empty")
    findings: list[Diagnostic] = []
    changed = 0
    for name in names:
        shown = (stdin_filename or STDIN) if name == STDIN else name
        try:
            before, after = _format(name, shown)
        except DiagnosticError as error:
            findings += error.diagnostics
            continue
        changed += before != after
        if diff:
            session.write("".join(_diff(shown, before, after)))
        if check and before != after and not diff:
            session.write(f"{shown}\n")
        if not check and not diff:
            _write(session, name, before, after)
    if findings:
        from policylang.report.diagnostics_text import diagnostics_report

        session.show(diagnostics_report(in_source_order(findings)), error=True)
    would = "would change" if check or diff else "changed"
    session.note(f"{changed} of {len(names)} {would}" + (f"; {len(findings)} errors" if findings else ""))
    if findings:
        return CANNOT
    return NO if changed and (check or diff) else OK


def _format(name: str, shown: str) -> tuple[str, str]:
    """The text before and after. Line ends are left as the file has them, and so is a byte order mark."""
    from policylang.frontend.dsl import format_source, read_source
    from policylang.source import Source

    before = read_source(read_bytes(name), shown).text
    mark = "\ufeff" if before.startswith("\ufeff") else ""
    crlf = "\r\n" in before
    plain = before.removeprefix("\ufeff")
    after = format_source(Source(shown, plain.replace("\r\n", "\n") if crlf else plain))
    return before, mark + (after.replace("\n", "\r\n") if crlf else after)


def _write(session: Session, name: str, before: str, after: str) -> None:
    if name == STDIN:
        session.write(after)
    elif before != after:
        write_atomically(name, after.encode("utf-8"))
        session.write(f"{name}\n")


def _diff(name: str, before: str, after: str) -> Iterator[str]:
    """A unified diff; a last line without its line end is marked as `diff` does."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for found in unified_diff(old, new, name, name):
        yield found if found.endswith("\n") else f"{found}\n\\ No newline at end of file\n"


def _files(paths: Sequence[str]) -> list[str]:
    """Files as named, folders as the policies below them, each file once, sorted."""
    found: dict[str, str] = {}
    problems = []
    for name in sorted(set(paths)):
        path = Path(name)
        if path.is_dir():
            for one in sorted(str(one) for one in path.rglob(f"*{_SUFFIX}") if one.is_file()):
                found.setdefault(os.path.realpath(one), one)
        elif path.exists():
            found.setdefault(os.path.realpath(name), name)
        else:
            problems.append(Diagnostic(UNREADABLE, "no such file or folder", nowhere(name)))
    if problems:
        raise CannotRunError(problems)
    return sorted(found.values())
