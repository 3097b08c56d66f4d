"""Replaying a session: what a runtime with a compactor would have done to it, with the gate and without.

Each epoch the transcript as it then stands goes to the compactor, its proposal with all evidence to the policy, and the
verdict is carried out: evicted spans make room for the summary, or are swapped for pointers. A second run does as the
compactor likes. Both are then asked which facts are out of reach, and which of those the real session needed later.

The rehydration index is `pre` (original texts, never rebuilt) or `rebuilt`, the document's failure: made anew from what
is left after each compaction. The query log is derived from the session: a later span that names the key of an earlier
fact, or uses its distinctive value, needs it (see `Session.asks`); where the transcript shows it no more, in its span
or restated, that need is a query. Where the log is shorter than the policy's minimum and the policy says `cold_start
probes`, question probes over the facts that have gone are logged as queries too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from policylang.analysis.compactor import Budget
from policylang.analysis.compactors import COMPACTORS
from policylang.analysis.epochs import Cut
from policylang.analysis.report import ReplayReport, RunReport
from policylang.analysis.run import Run
from policylang.analysis.session import Session
from policylang.runtime.policy import Policy, today
from policylang.transcript.span import Span

IndexMode = Literal["pre", "rebuilt"]

_ABOUT_TEN = Cut()


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """How to replay.

    Attributes:
        cut: Length of an epoch; about ten epochs where it says nothing.
        compactor: `similarity` (the document's heuristic) or `structural`.
        index: `pre` or `rebuilt`.
        keep_tokens: Size that the compactor aims at; as long as an epoch where it is left out.
        summary_tokens: Size of an epoch's summary.
        epsilon: The compactor's own bound: `similarity` keeps it over the epoch, `structural` by causal chain.
        enforce: Carry the verdicts out; else they are only noted beside the ungated run.
    """

    cut: Cut = _ABOUT_TEN
    compactor: str = "similarity"
    index: IndexMode = "pre"
    keep_tokens: int | None = None
    summary_tokens: int = 256
    epsilon: float = 0.08
    enforce: bool = True


def replay(
    policy: Policy,
    spans: Sequence[Span],
    options: ReplayOptions | None = None,
    *,
    name: str = "-",
    format: str = "spans",  # noqa: A002 - the word that users know
    as_of: date | None = None,
) -> ReplayReport:
    """Replay a session under a policy.

    Args:
        policy: A loaded policy.
        spans: The session, in its order; epochs are given anew.
        options: How to replay.
        name, format: Of the session, for the report.
        as_of: The UTC day that settles expiries; today if not given.

    Raises:
        ValueError: for options that name no compactor or index.
        RequestError: if the spans make no valid request (a duplicate id).
    """
    chosen = options or ReplayOptions()
    if chosen.compactor not in COMPACTORS:
        raise ValueError(f"no compactor `{chosen.compactor}`; there are: {', '.join(COMPACTORS)}")
    if chosen.index not in ("pre", "rebuilt"):
        raise ValueError(f"no index `{chosen.index}`; there are: pre, rebuilt")
    day = as_of or today()
    session = Session(spans, chosen.cut)
    budget = Budget(_keep(session, chosen), chosen.summary_tokens, chosen.epsilon)

    def run(mode: Literal["gated", "ungated"], ask: bool) -> RunReport:
        return Run(
            session, policy, COMPACTORS[chosen.compactor], budget, rebuilt=chosen.index == "rebuilt", as_of=day,
            enforce=mode == "gated", ask=ask,
        ).report()  # fmt: skip

    return ReplayReport(
        session=name,
        format=format,
        policy=f"{policy.id} {policy.version}",
        digest=policy.digest,
        as_of=day.isoformat(),
        compactor=chosen.compactor,
        index=chosen.index,
        epsilon=chosen.epsilon,
        spans=len(session.spans),
        tokens=sum(span.mass for span in session.spans),
        facts=sum(len(session.assertions(at)) for at in range(len(session.spans)) if session.is_state(at)),
        gated=run("gated", True) if chosen.enforce else None,
        ungated=run("ungated", not chosen.enforce),
    )


def _keep(session: Session, options: ReplayOptions) -> int:
    """The size that the compactor aims at: as asked, else that of an epoch, else that of the middling epoch."""
    if options.keep_tokens is not None:
        return options.keep_tokens
    sizes = sorted(sum(span.mass for span in members) for _, members in session.epochs)
    return options.cut.tokens or (sizes[len(sizes) // 2] if sizes else 0)
