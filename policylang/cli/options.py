"""Options that several commands share, each spelt once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeVar

import click

from policylang.cli.config import FAIL_LEVELS, FORMATS
from policylang.cli.session import Session

F = TypeVar("F", bound=Callable[..., Any])

CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def session_of(context: click.Context) -> Session:
    """The session of a run."""
    found = context.find_object(Session)
    assert found is not None, "a command runs inside a session"
    return found


def global_options(function: F) -> F:
    """`--isolated`, `--color` and `--debug`, which every command takes, before its name or after."""

    def colour(context: click.Context, _param: click.Parameter, value: str | None) -> None:
        if value is not None:
            session_of(context).colour = value

    # The session reads these two off the arguments, as they matter even where reading those fails.
    isolated = click.option("--isolated", is_flag=True, expose_value=False, help="Ignore every configuration file.")
    debug = click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of a bug.")
    choice = click.Choice(["auto", "always", "never"])
    color = click.option(
        "--color", type=choice, callback=colour, expose_value=False, help="When to use colour; auto: on a terminal."
    )
    return isolated(color(debug(function)))


def as_command(function: Callable[..., int]) -> click.Command:
    """A command from a function that gives the exit code; its first argument is the `Session`."""

    @click.pass_context
    def call(context: click.Context, /, **values: Any) -> int:
        return function(session_of(context), **values)

    call.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    call = global_options(call)
    return click.command(context_settings=CONTEXT, help=function.__doc__)(call)


def format_option(formats: Sequence[str] = FORMATS) -> Callable[[F], F]:
    """`--format`; the configuration's where it is left out, else text."""

    def chosen(context: click.Context, _param: click.Parameter, value: str | None) -> str:
        session = session_of(context)
        session.format = value or session.config.format or "text"
        return session.format

    return click.option(
        "-f", "--format", "format_", type=click.Choice(formats), callback=chosen, help="What to write; text by default."
    )


def policy_option(function: F) -> F:
    """`-p`, repeated; the configuration's `policy` where it is left out."""

    def chosen(context: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
        found = value or session_of(context).config.policy
        if not found:
            raise click.UsageError("No policy: give -p POLICY, or `policy` in the configuration", context)
        return found

    return click.option(
        "-p",
        "--policy",
        metavar="POLICY",
        multiple=True,
        callback=chosen,
        help="A path, a folder or a shipped name (std/standard); repeat it for several files.",
    )(function)


def once(_context: click.Context, param: click.Parameter, value: tuple[str, ...]) -> str | None:
    """The value of an option that may be given once; click would take the last without a word."""
    if len(value) > 1:
        raise click.UsageError(f"{max(param.opts, key=len)} is given {len(value)} times; it takes one value")
    return value[0] if value else None


class Day(click.ParamType[date]):
    """A date as YYYY-MM-DD."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """The date, or a usage error."""
        if isinstance(value, date):
            return value
        try:
            return datetime.strptime(value, "%Y-%m-%d").date()
        except ValueError:
            self.fail(f"`{value}` is not a date like 2026-12-01", param, ctx)


def as_of_option(function: F) -> F:
    """`--as-of`: the UTC day that settles expiries."""
    return click.option(
        "--as-of", type=Day(), metavar="DATE", help="The UTC day that settles expiries; today by default."
    )(function)


def fail_level_option(function: F) -> F:
    """`--fail-level`: from which severity on findings are a no."""

    def chosen(context: click.Context, _param: click.Parameter, value: str | None) -> str:
        return value or session_of(context).config.fail_level or "error"

    return click.option(
        "--fail-level",
        type=click.Choice(FAIL_LEVELS),
        callback=chosen,
        help="Findings from this severity on give exit code 1; error by default.",
    )(function)
