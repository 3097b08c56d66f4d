"""`policylang import`: a session of some runtime as spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import click

from policylang.cli.failures import NOTHING_RAN, OK, cannot_run
from policylang.cli.files import write_atomically
from policylang.cli.options import as_command
from policylang.cli.session import Session
from policylang.cli.transcripts import open_session, session_options, tell_issues


@as_command
@click.argument("session_name", metavar="SESSION", required=False)
@session_options
@click.option("-o", "--output", metavar="FILE", help="Write to a file; all of it or nothing.")
@click.option("--list-formats", is_flag=True, help="List the formats that can be read.")
@click.option("--allow-empty", is_flag=True, help="A session without spans is fine.")
def command(
    session: Session,
    session_name: str | None,
    from_: str | None,
    lenient: bool,
    output: str | None,
    list_formats: bool,
    allow_empty: bool,
) -> int:
    """Read a session and write its spans, one JSON object a line.

    SESSION is a file (gzip is seen through), - for standard input, or the name of a bundled session. The spans are
    the `spans` of a request, without a disposition, and `replay` reads them again.

    \b
    Examples:
      policylang import ~/session.jsonl -o spans.jsonl
      policylang import --from openai-chat - < chat.json | policylang replay -p std/standard -
    """
    if list_formats:
        return _list(session)
    if session_name is None:
        raise click.UsageError("Nothing to import: give a SESSION, or - for standard input")
    from policylang.report.width import counted
    from policylang.transcript.importers.spans import write_spans_jsonl
    from policylang.transcript.span import Span

    counts: Counter[str] = Counter()
    with open_session(session_name, from_, lenient=lenient) as transcript:

        def tallied() -> Iterator[Span]:
            for span in transcript:
                counts[span.kind] += 1
                yield span

        lines = write_spans_jsonl(tallied())
        if output is None:
            for text in lines:
                session.write(text)
        else:
            write_atomically(output, "".join(lines).encode("utf-8", "surrogatepass"))
        tell_issues(session, transcript)
    if not counts and not allow_empty:
        raise cannot_run(NOTHING_RAN, "the session holds no spans", "or give --allow-empty", session_name)
    kinds = ", ".join(
        f"{number} {kind}" for kind, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    malformed = f"; {counted(transcript.malformed, 'malformed record')} left out" if transcript.malformed else ""
    session.note(f"{counted(counts.total(), 'span')} from {transcript.format}: {kinds}{malformed}")
    return OK


def _list(session: Session) -> int:
    from policylang.transcript.importers import formats

    for ident, importer in formats().items():
        session.write(f"{ident:20} {importer.TITLE}\n")
    return OK
