"""`policylang eval`: one request, one verdict."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import click

from policylang.cli.failures import NO, OK
from policylang.cli.inputs import STDIN, read_bytes
from policylang.cli.options import as_command, as_of_option, format_option, once, policy_option
from policylang.cli.session import Session


class Seconds(click.ParamType[float]):
    """A number of seconds above 0."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a usage error."""
        try:
            seconds = float(value)
        except ValueError:
            self.fail(f"`{value}` is not a number of seconds like 0.5", param, ctx)
        if not 0 < seconds < math.inf:
            self.fail(f"`{value}`: a timeout is a number of seconds above 0", param, ctx)
        return seconds


@as_command
@policy_option
@click.option(
    "-r", "--request", required=True, metavar="FILE", multiple=True, callback=once,
    help="The request (JSON); - for standard input.",
)  # fmt: skip
@as_of_option
@format_option()
@click.option(
    "--timeout",
    type=Seconds(),
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
