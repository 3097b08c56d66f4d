"""The group of commands: one file each in `commands/`, found by listing the folder, imported when it is used."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

import click

from policylang.cli import commands
from policylang.cli.options import CONTEXT, global_options
from policylang.version import __version__


@cache
def command_modules() -> dict[str, str]:
    """Module by command name; a trailing underscore keeps a name off Python's keywords."""
    found = (module.name for module in pkgutil.iter_modules(commands.__path__))
    return {name.rstrip("_").replace("_", "-"): f"{commands.__name__}.{name}" for name in sorted(found)}


class Commands(click.Group):
    """A group that knows its commands by their files."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, sorted."""
        return sorted(command_modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, imported now."""
        module = command_modules().get(cmd_name)
        if module is None:
            return None
        found = import_module(module).command
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name where there is none."""
        if args and args[0] not in command_modules() and not args[0].startswith("-"):
            from policylang.diagnostics import did_you_mean

            help_ = did_you_mean(args[0], command_modules(), otherwise="commands: {names}")
            raise click.UsageError(f"No command `{args[0]}`; {help_}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings=CONTEXT, no_args_is_help=False)
@click.version_option(__version__, "--version", "-V", message="%(prog)s %(version)s")
@global_options
def app() -> None:
    """Policy as code for one decision: may this epoch's spans be compacted away, or must they be spilled losslessly?

    \b
    Exit codes, whatever the flags:
      0  fine, or `compact`
      1  it ran and the answer is no: findings, a failed test, refused
      2  it could not run: usage, unreadable or invalid input, nothing ran
      3  a bug of policylang

    \b
    Example:
      policylang eval -p std/standard -r request.json && compact
    """
