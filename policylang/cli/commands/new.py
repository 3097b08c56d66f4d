"""`policylang new`: a policy to start from."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from shlex import quote

import click

from policylang.cli.failures import OK, UNREADABLE, CannotRunError, cannot_run, unwritable
from policylang.cli.options import as_command, as_of_option
from policylang.cli.session import Session

DAYS = 90
"""How long a relaxation of a new policy holds: long enough to build what is lacking, short enough to be remembered."""

LACKS: dict[str, tuple[tuple[str, str], ...]] = {
    "index": (
        ("index-source", "the runtime cannot yet say what text its index holds"),
        ("index-rebuilt", "the runtime cannot yet say when its index was rebuilt"),
        ("anchor-unverified", "the runtime has no index to probe yet"),
    ),
    "monitor": (
        ("queries-not-logged", "the runtime does not log its queries yet"),
        ("divergence-exceeded", "without a query log there is no divergence to bound"),
    ),
    "scoring": (("scoring-not-structural", "the eviction score has no structural term yet"),),
}


class Lacks(click.ParamType[tuple[str, ...]]):
    """Names of what a runtime lacks, with commas between."""

    name = "lacks"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """The names, sorted, or a usage error with the nearest."""
        from policylang.diagnostics import did_you_mean

        words = sorted({word.strip() for word in str(value).split(",") if word.strip()})
        unknown = [f"`{word}`: {did_you_mean(word, LACKS)}" for word in words if word not in LACKS]
        if unknown:
            self.fail("; ".join(unknown), param, ctx)
        return tuple(words)


@as_command
@click.argument("name", default="policy.policy", metavar="[NAME]")
@click.option(
    "--lacks", type=Lacks(), default="", metavar="LIST", help=f"What the runtime lacks so far: {', '.join(LACKS)}."
)
@click.option("--owner", default="platform", metavar="NAME", help="Who sees to what is lacking.")
@as_of_option
def command(session: Session, name: str, lacks: tuple[str, ...], owner: str, as_of: date | None) -> int:
    """Write a policy to start from: std/standard, with a dated relaxation for what the runtime lacks.

    NAME is the file to write (policy.policy by default). A file that is there is never overwritten.

    \b
    Examples:
      policylang new acme.policy --lacks monitor,index
      policylang new && policylang check policy.policy
    """
    from policylang.frontend.dsl import format_source
    from policylang.runtime.policy import today
    from policylang.source import Source

    path = Path(name if name.endswith(".policy") else f"{name}.policy")
    until = (as_of or today()) + timedelta(days=DAYS)
    text = format_source(Source(str(path), starter(_identifier(path), lacks, owner, until)))
    if not path.parent.is_dir():
        raise cannot_run(UNREADABLE, f"there is no folder `{path.parent}` to write it in", "make it first", str(path))
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise cannot_run(UNREADABLE, "the file is there already and is not overwritten", None, str(path)) from None
    except OSError as error:
        path.unlink(missing_ok=True)
        raise CannotRunError([unwritable(error, str(path))]) from None
    session.write(f"{path}\n")
    for what in lacks:
        session.note(f"{what}: relaxed until {until}; its rules run in shadow until then")
    named = quote(f"./{path}" if str(path).startswith("-") else str(path))
    session.note(f"next: policylang check {named}; policylang test {named}")
    return OK


def _identifier(path: Path) -> str:
    """A policy id from a file's name: kebab-case, ASCII."""
    stem = path.name.removesuffix(".policy").lower()
    kept = "".join(char if char.isascii() and char.isalnum() else "-" for char in stem)
    found = "-".join(part for part in kept.split("-") if part)
    return found if found[:1].isalpha() else f"policy-{found}".rstrip("-")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def starter(policy_id: str, lacks: tuple[str, ...], owner: str, until: date) -> str:
    """The text of a new policy."""
    relaxed = "".join(
        f"relax {_quoted(rule)} because {_quoted(why)} owner {_quoted(owner)} until {until}\n"
        for what in lacks
        for rule, why in LACKS[what]
    )
    if relaxed:
        relaxed = (
            "\n# What the runtime lacks so far. Until its date a relaxed rule runs in shadow: it is logged and never\n"
            "# decides. Afterwards it refuses again, so each line is a debt with a date on it.\n" + relaxed
        )
    return f"""## What may be compacted away here. It extends the recommended policy and may only tighten it.
policy {_quoted(policy_id)} version "0.1.0"
extends "std/standard"

# Kinds of spans of your own: `kind deploy_receipt : state`. A kind that no policy declares is treated as state.
{relaxed}
test "a dangling reference is refused" {{
  span "m42" tool_result "migration 0042 applied, schema version = 7" epoch 3 evicted
  span "r9" reasoning "we should verify the schema version" epoch 4 retained
  expect refuse "dangling-reference" on "m42"
}}
"""
