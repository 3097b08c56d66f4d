"""Writing findings in the format that was asked for; each renderer is imported when it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policylang.cli.session import Session
from policylang.diagnostics import Diagnostic, to_document


def write_failure(session: Session, format_: str, diagnostics: Sequence[Diagnostic]) -> None:
    """What stopped a command, as one valid document."""
    if format_ == "json":
        session.document(to_document(diagnostics))
        return
    from policylang.report.findings import Outcome, of_diagnostics

    findings = of_diagnostics(diagnostics)
    if format_ == "sarif":
        from policylang.report.sarif import sarif_document

        session.document(sarif_document(findings, _meanings(), ran=False))
    elif format_ == "junit":
        from policylang.report.junit import junit_text

        session.write(junit_text("policylang", [Outcome("policylang", "run", "error", tuple(map(str, findings)))]))
    else:
        from policylang.report.github import github_text

        session.write(github_text(findings))
        _tell(session, diagnostics)


def write_check(session: Session, format_: str, files: Sequence[str], diagnostics: Sequence[Diagnostic]) -> None:
    """What a check of policies found, in a machine format."""
    if format_ == "json":
        session.document(to_document(diagnostics))
        return
    from policylang.report.findings import of_diagnostics, of_files

    if format_ == "sarif":
        from policylang.report.sarif import sarif_document

        session.document(sarif_document(of_diagnostics(diagnostics), _meanings()))
    elif format_ == "junit":
        from policylang.report.junit import junit_text

        session.write(junit_text("policylang check", of_files(files, diagnostics)))
    else:
        from policylang.report.github import github_text

        session.write(github_text(of_diagnostics(diagnostics)))
        _tell(session, diagnostics)


def write_tests(session: Session, format_: str, document: dict[str, Any]) -> None:
    """What a run of policy tests came to, in a machine format."""
    if format_ == "json":
        session.document(document)
        return
    from policylang.report.findings import of_tests, outcomes_of_tests

    if format_ == "sarif":
        from policylang.report.sarif import sarif_document

        session.document(sarif_document(of_tests(document), _meanings()))
    elif format_ == "junit":
        from policylang.report.junit import junit_text

        session.write(junit_text("policylang test", outcomes_of_tests(document)))
    else:
        from policylang.report.github import github_text
        from policylang.report.tests_text import tests_report

        session.write(github_text(of_tests(document)))
        session.show(tests_report(document), error=True)


def _tell(session: Session, diagnostics: Sequence[Diagnostic]) -> None:
    """Everything once more for the step's log, as annotations are few and short."""
    from policylang.report.diagnostics_text import diagnostics_report

    session.show(diagnostics_report(diagnostics), error=True)


def _meanings() -> dict[str, str]:
    from policylang.cli.failures import CLI_CODES
    from policylang.diagnostics import CODES
    from policylang.report.findings import TEST_FAILED

    return {**CODES, **CLI_CODES, TEST_FAILED: "A policy test did not come out as it expects."}
