"""`policylang replay`: a recorded session under a policy, with the gate and without."""

from __future__ import annotations

from datetime import date

import click

from policylang.cli.failures import NOTHING_RAN, OK, cannot_run
from policylang.cli.options import as_command, as_of_option, format_option, policy_option
from policylang.cli.session import Session
from policylang.cli.transcripts import open_session, session_options, tell_issues

_COUNT = click.IntRange(min=1)


@as_command
@policy_option
@click.argument("session_name", metavar="SESSION")
@session_options
@click.option("--epoch-tokens", type=_COUNT, metavar="N", help="Tokens of an epoch; about ten epochs by default.")
@click.option("--epoch-spans", type=_COUNT, metavar="N", help="Spans of an epoch.")
@click.option("--epoch-hours", type=click.FloatRange(min=0, min_open=True), metavar="H", help="Hours of an epoch.")
@click.option(
    "--compactor",
    type=click.Choice(["similarity", "structural"]),
    default="similarity",
    help="What chooses spans to evict; similarity alone by default, as runtimes do.",
)
@click.option(
    "--index",
    type=click.Choice(["pre", "rebuilt"]),
    default="pre",
    help="The index: over original text (default), or rebuilt from what each compaction left.",
)
@click.option("--keep-tokens", type=_COUNT, metavar="N", help="The size that the compactor aims at.")
@click.option(
    "--epsilon",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.08,
    metavar="E",
    help="The compactor's own bound on loss, 0.08 by default: over the epoch, or by causal chain (structural).",
)
@as_of_option
@format_option()
@click.option("--allow-empty", is_flag=True, help="A session without spans is fine.")
def command(
    session: Session,
    policy: tuple[str, ...],
    session_name: str,
    from_: str | None,
    lenient: bool,
    epoch_tokens: int | None,
    epoch_spans: int | None,
    epoch_hours: float | None,
    compactor: str,
    index: str,
    keep_tokens: int | None,
    epsilon: float,
    as_of: date | None,
    format_: str,
    allow_empty: bool,
) -> int:
    """Replay a session: what would have been lost without the gate, and what the gate would have done.

    SESSION is a file, - for standard input, or the name of a bundled session. Both runs play the same epochs with the
    same compactor; in one of them the policy's verdicts are carried out.

    \b
    Examples:
      policylang replay -p std/standard incident-response
      policylang replay -p std/standard ~/session.jsonl --index rebuilt --epoch-hours 4
    """
    from policylang.analysis.epochs import Cut
    from policylang.analysis.replay import ReplayOptions, replay
    from policylang.runtime.policy import load

    loaded = load(*policy)
    with open_session(session_name, from_, lenient=lenient) as transcript:
        spans = list(transcript)
        tell_issues(session, transcript)
    if not spans and not allow_empty:
        raise cannot_run(NOTHING_RAN, "the session holds no spans", "or give --allow-empty", session_name)
    options = ReplayOptions(
        cut=Cut(tokens=epoch_tokens, spans=epoch_spans, hours=epoch_hours),
        compactor=compactor,
        index="rebuilt" if index == "rebuilt" else "pre",
        keep_tokens=keep_tokens,
        epsilon=epsilon,
    )
    with session.progress(f"replaying {len(spans)} spans, twice"):
        report = replay(loaded, spans, options, name=session_name, format=transcript.format, as_of=as_of)
    if format_ == "json":
        session.document(report.to_json())
    else:
        from policylang.report.replay_text import replay_report

        session.show(replay_report(report))
    return OK
