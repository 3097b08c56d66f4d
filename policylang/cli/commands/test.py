"""`policylang test`: inline tests and cases files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

import click

from policylang.cli.config import FINDING_FORMATS, FORMATS
from policylang.cli.failures import CANNOT, NO, NOTHING_RAN, OK, CannotRunError, cannot_run
from policylang.cli.formats import write_tests
from policylang.cli.options import as_command, as_of_option, format_option
from policylang.cli.session import Session


@as_command
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("-k", "patterns", multiple=True, metavar="PATTERN", help="Only tests whose name holds this text.")
@click.option("--list", "list_", is_flag=True, help="List the tests and run none.")
@click.option("--fail-fast", is_flag=True, help="Stop after the first test that fails.")
@as_of_option
@format_option(FINDING_FORMATS)
@click.option("--allow-empty", is_flag=True, help="Running no test is fine.")
def command(
    session: Session,
    paths: tuple[str, ...],
    patterns: tuple[str, ...],
    list_: bool,
    fail_fast: bool,
    as_of: date | None,
    format_: str,
    allow_empty: bool,
) -> int:
    """Run policy tests: the `test` blocks of policies, and *.cases.yaml.

    PATH is a file or a folder. Skipped is not passed: tests that could not run, and rules that ranged over nothing,
    are listed.

    \b
    Examples:
      policylang test rules/
      policylang test rules/acme.policy -k "migration" --fail-fast
    """
    from policylang.cli.tests import list_tests, listing_document, tests_document
    from policylang.report.tests_text import listing_report, tests_report
    from policylang.testing.suite import run_suite

    if not paths:
        raise click.UsageError("Nothing to test: give a PATH")
    if list_ and format_ not in FORMATS:
        raise click.UsageError(f"--list writes {' or '.join(FORMATS)}")
    wanted = _chooser(patterns)
    if list_:
        listed = listing_document(list_tests(paths, wanted))
        if not listed["tests"] and not allow_empty:
            raise _nothing(patterns)
        if format_ == "text":
            session.show(listing_report(listed))
        else:
            session.document(listed)
        return OK
    with session.progress("testing") as advance:

        def choose(name: str) -> bool:
            advance()
            return wanted(name)

        report = run_suite(paths, as_of=as_of, wanted=choose, fail_fast=fail_fast)
    if not report.results and not allow_empty:
        raise _nothing(patterns)
    document = tests_document(report)
    if format_ == "text":
        session.show(tests_report(document))
    else:
        write_tests(session, format_, document)
    if report.count("failed"):
        return NO
    if not report.count("passed") and not allow_empty:
        session.note("no test could run")
        return CANNOT
    return OK


def _chooser(patterns: Sequence[str]) -> Callable[[str], bool]:
    folded = [pattern.casefold() for pattern in patterns]
    return lambda name: not folded or any(pattern in name.casefold() for pattern in folded)


def _nothing(patterns: Sequence[str]) -> CannotRunError:
    if patterns:
        return cannot_run(NOTHING_RAN, f"no test matches {', '.join(patterns)}", "list the tests with --list")
    message = "no test under the paths"
    return cannot_run(NOTHING_RAN, message, "write `test` blocks or *.cases.yaml; or give --allow-empty")
