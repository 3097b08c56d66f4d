"""`policylang explain`: from evidence to verdict."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from policylang.cli.failures import OK, USAGE, cannot_run
from policylang.cli.inputs import STDIN, read_bytes
from policylang.cli.options import as_command, as_of_option, format_option, once, policy_option
from policylang.cli.session import Session

if TYPE_CHECKING:
    from policylang.report.explain.case import Case

SHOWN: Final = 12
"""Names listed where none is near what was asked for."""


@as_command
@policy_option
@click.option(
    "-r", "--request", metavar="FILE", multiple=True, callback=once, help="The request (JSON); - for standard input."
)
@click.option("--span", metavar="ID", multiple=True, callback=once, help="Explain one span of the request.")
@click.option("--rule", metavar="ID", multiple=True, callback=once, help="Explain one rule, on the request.")
@click.option("--chain", metavar="ID", multiple=True, callback=once, help="Explain one causal chain of the request.")
@click.option("--cost", is_flag=True, help="A bound on what evaluating each rule can cost.")
@as_of_option
@format_option()
def command(
    session: Session,
    policy: tuple[str, ...],
    request: str | None,
    span: str | None,
    rule: str | None,
    chain: str | None,
    cost: bool,
    as_of: date | None,
    format_: str,
) -> int:
    """Explain a decision, from the evidence to the verdict, and what would make it `compact`.

    With a request: one span, one rule, one chain, or the whole decision. Without one: the policy itself, or with
    --cost a bound on what its rules cost. The exit code says that there was something to explain, not the decision.

    \b
    Examples:
      policylang explain -p std/standard -r request.json --span m42
      policylang explain -p std/standard --cost
    """
    subjects = [name for name, value in (("--span", span), ("--rule", rule), ("--chain", chain)) if value is not None]
    if len(subjects) > 1:
        raise click.UsageError(f"One subject at a time: {' or '.join(subjects)}")
    if subjects and request is None:
        raise click.UsageError(f"{subjects[0]} needs a request: give -r FILE")
    if cost and request is not None:
        raise click.UsageError("--cost looks at the policy alone: leave out -r")
    from policylang.report.explain.text import explain_report

    document = _explain(policy, request, span, rule, chain, cost, as_of)
    if format_ == "json":
        session.document(document)
    else:
        session.show(explain_report(document))
    return OK


def _explain(
    names: tuple[str, ...],
    request: str | None,
    span: str | None,
    rule: str | None,
    chain: str | None,
    cost: bool,
    as_of: date | None,
) -> dict[str, Any]:
    from policylang.runtime.policy import load, today

    loaded = load(*names)
    day = as_of or today()
    if request is None:
        from policylang.report.explain.policy import explain_cost, explain_policy

        return explain_cost(loaded, day) if cost else explain_policy(loaded, day)
    from policylang.report.explain.case import open_case
    from policylang.transcript.request import Request

    asked = Request.from_json(read_bytes(request), "<stdin>" if request == STDIN else request)
    return _subject(open_case(loaded, asked, day), span, rule, chain)


def _subject(case: Case, span: str | None, rule: str | None, chain: str | None) -> dict[str, Any]:
    from policylang.report.explain.rule import explain_chain, explain_decision, explain_rule
    from policylang.report.explain.span import explain_span

    if span is not None:
        return explain_span(case, span) or _no("span", span, [one.id for one in case.world.spans])
    if rule is not None:
        return explain_rule(case, rule) or _no("rule", rule, [one.id for one in case.rules])
    if chain is not None:
        return explain_chain(case, chain) or _no("chain", chain, [one.id for one in case.world.chains])
    return explain_decision(case)


def _no(what: str, name: str, known: Iterable[str]) -> NoReturn:
    from policylang.diagnostics import did_you_mean

    names = sorted(known)
    listed = ", ".join(names[:SHOWN]) + (f", and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    there = f"there are: {listed.replace('{', '{{').replace('}', '}}')}" if names else f"there is no {what} at all"
    raise cannot_run(USAGE, f"there is no {what} `{name}`", did_you_mean(name, names, otherwise=there))
