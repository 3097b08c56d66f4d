"""`policylang eval`: one request, one verdict."""

from __future__ import annotations

from datetime import date

import click

from policylang.cli.failures import NO, OK
from policylang.cli.inputs import STDIN, read_bytes
from policylang.cli.options import as_command, as_of_option, format_option, policy_option
from policylang.cli.session import Session


@as_command
@policy_option
@click.option("-r", "--request", required=True, metavar="FILE", help="The request (JSON); - for standard input.")
@as_of_option
@format_option()
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="A decision that takes longer is a refusal (rule `evaluation-timeout`).",
)
def command(
    session: Session,
    policy: tuple[str, ...],
    request: str,
    as_of: date | None,
    format_: str,
    timeout: float | None,
) -> int:
    """Decide one epoch: may these spans be compacted away, or must they be spilled?

    Exit code 0 is `compact` and nothing else is, so `policylang eval ... && compact` fails closed.

    \b
    Examples:
      policylang eval -p std/standard -r request.json
      runtime --dump-request | policylang eval -p rules/ -r - --format json
    """
    from policylang.runtime.decide import evaluate
    from policylang.runtime.policy import load
    from policylang.transcript.request import Request

    loaded = load(*policy)
    asked = Request.from_json(read_bytes(request), "<stdin>" if request == STDIN else request)
    verdict = evaluate(loaded, asked, as_of=as_of, timeout=timeout)
    if format_ == "json":
        session.document(verdict.to_json())
    else:
        from policylang.report.verdict_text import verdict_report

        session.show(verdict_report(verdict, asked))
    return NO if verdict.refused else OK
