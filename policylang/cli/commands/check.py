"""`policylang check`: is every policy valid?"""

from __future__ import annotations

import click

from policylang.cli.config import FINDING_FORMATS
from policylang.cli.failures import NO, NOTHING_RAN, OK, cannot_run
from policylang.cli.formats import write_check
from policylang.cli.inputs import STDIN, policy_files, read_stdin
from policylang.cli.options import as_command, fail_level_option, format_option
from policylang.cli.session import Session
from policylang.diagnostics import Diagnostic, PolicyError, Severity, in_source_order

_RANK: dict[str, int] = {"info": 0, "warning": 1, "error": 2, "never": 3}


@as_command
@click.argument("paths", nargs=-1, metavar="PATH...")
@format_option(FINDING_FORMATS)
@fail_level_option
@click.option("--stdin-filename", metavar="NAME", help="How to name what is read from standard input.")
@click.option("--allow-empty", is_flag=True, help="Finding no policy under the paths is fine.")
def command(
    session: Session,
    paths: tuple[str, ...],
    format_: str,
    fail_level: str,
    stdin_filename: str | None,
    allow_empty: bool,
) -> int:
    """Check policies: syntax, names, types, and that none loosens what it extends.

    PATH is a policy, a folder (every policy below it), a shipped name, or - for standard input. Each policy is
    checked on its own, with all that it extends.

    \b
    Examples:
      policylang check rules/ acme.policy
      policylang check --format json - --stdin-filename acme.policy < acme.policy
    """
    if not paths:
        raise click.UsageError("Nothing to check: give a PATH, or - for standard input")
    files = policy_files([path for path in paths if path != STDIN])
    found: list[Diagnostic] = []
    for file in files:
        found += _check_file(file)
    if STDIN in paths:
        found += _check_stdin(stdin_filename)
    count = len(files) + (STDIN in paths)
    if not count and not allow_empty:
        raise cannot_run(NOTHING_RAN, "no policy under the paths", "policies end in .policy; or give --allow-empty")
    diagnostics = in_source_order(found)
    if format_ == "text":
        from policylang.report.diagnostics_text import diagnostics_report

        session.show(diagnostics_report(diagnostics))
    else:
        names = [*files, *([stdin_filename or STDIN] if STDIN in paths else [])]
        write_check(session, format_, names, diagnostics)
    session.note(_summary(count, diagnostics))
    return NO if any(_RANK[item.severity] >= _RANK[fail_level] for item in diagnostics) else OK


def _check_file(path: str) -> tuple[Diagnostic, ...]:
    from policylang.check import load

    try:
        load([path])
    except PolicyError as error:
        return error.diagnostics
    return ()


def _check_stdin(name: str | None) -> tuple[Diagnostic, ...]:
    from policylang.check.load import load_text, spelling
    from policylang.frontend.dsl import read_source

    shown = name or STDIN
    base = shown.rsplit("/", 1)[-1]
    stem = base.removesuffix(spelling(base) or "") if name else "stdin"
    try:
        load_text(read_source(read_stdin(), shown).text, shown, stem=stem)
    except PolicyError as error:
        return error.diagnostics
    return ()


def _summary(count: int, diagnostics: tuple[Diagnostic, ...]) -> str:
    severities: tuple[Severity, ...] = ("error", "warning", "info")
    counts = {severity: sum(item.severity == severity for item in diagnostics) for severity in severities}
    parts = [f"{number} {severity}{'s' * (number != 1)}" for severity, number in counts.items() if number]
    return f"checked {count} {'policy' if count == 1 else 'policies'}: {', '.join(parts) or 'no findings'}"
