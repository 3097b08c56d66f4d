"""`policylang schema`: the JSON Schemas of what goes in and comes out."""

from __future__ import annotations

import click

from policylang.cli.failures import OK
from policylang.cli.options import as_command
from policylang.cli.session import Session
from policylang.schemas import schema_names, schema_text


@as_command
@click.argument("name", required=False, metavar="[NAME]")
def command(session: Session, name: str | None) -> int:
    """Print the JSON Schema of a document: request, verdict, diagnostics, cases, explain or replay.

    Without NAME, list them.

    \b
    Examples:
      policylang schema request > request.schema.json
      policylang schema
    """
    if name is None:
        for found in schema_names():
            session.write(f"{found}\n")
        return OK
    if name not in schema_names():
        from policylang.diagnostics import did_you_mean

        raise click.UsageError(f"No schema `{name}`; {did_you_mean(name, schema_names())}")
    session.write(schema_text(name))
    return OK
