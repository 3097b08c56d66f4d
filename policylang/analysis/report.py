"""What a replay found, as frozen data with JSON; rendering is done elsewhere."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from policylang.transcript.span import Span

Reach = Literal["live", "spilled", "indexed", "superseded", "lost"]
"""Where a fact can be had: in the transcript, behind a pointer, from the index, retired by a later fact, or nowhere."""

SCHEMA = "policylang.replay/v1"


@dataclass(frozen=True, slots=True)
class LostFact:
    """A material assertion of an evicted state span that is neither restated nor reachable.

    ``lost_in`` is the epoch at whose end it was out of reach for the first time; ``status`` is what the transcript says
    of it (`contradicted`, `referenced` or `absent`).
    """

    fact: str
    key: str
    value: str
    span: str
    epoch: int
    lost_in: int
    status: str


@dataclass(frozen=True, slots=True)
class AskedFact:
    """A later span that needs a fact whose span is gone, and where the fact could be had at that time.

    ``how`` is `key` (it names the key) or `value` (it uses the value).
    """

    epoch: int
    by: str
    query: str
    how: str
    fact: str
    key: str
    span: str
    established: int
    reach: Reach


@dataclass(frozen=True, slots=True)
class EpochReport:
    """One epoch of one run.

    Attributes:
        epoch: Its number.
        spans, tokens: The transcript when the epoch ended, before anything was done.
        proposed, proposed_tokens: What the compactor wanted to evict.
        anchors: How many of them the policy takes for anchors; None where the policy was not asked.
        decision: `compact` or `spill_lossless`; None where the policy was not asked.
        rules: Ids of the enforced rules that refused, sorted; ``undetermined`` those of them that lacked evidence.
        compacted, compacted_tokens: Spans that were lossily compacted.
        spilled, spilled_tokens: Spans that were swapped for a pointer.
        kept: Spans that the plan spills and that stay as they are, being no longer than their pointer.
        after_tokens: The transcript afterwards, with summary and pointers.
        aggregate: Loss over the epoch of all that the compactor's ε counts: all spans for `similarity`, whose flawed
            bound it is, reasoning for `structural`.
        worst_chain: The largest ε of a causal chain; None where the policy was not asked or it is unknown.
        queries, divergence: Of the query log at the decision.
        lost: Facts out of reach at the end of the epoch, all told.
        asked, asked_lost: Needs of this epoch for facts whose span was gone, and those of them that were out of reach.
    """

    epoch: int
    spans: int
    tokens: int
    proposed: int
    proposed_tokens: int
    anchors: int | None
    decision: str | None
    rules: tuple[str, ...]
    undetermined: tuple[str, ...]
    compacted: int
    compacted_tokens: int
    spilled: int
    spilled_tokens: int
    kept: int
    after_tokens: int
    aggregate: float
    worst_chain: float | None = None
    queries: int = 0
    divergence: float = 0.0
    lost: int = 0
    asked: int = 0
    asked_lost: int = 0


@dataclass(frozen=True, slots=True)
class RunReport:
    """One run over all epochs: `gated` (verdicts are carried out) or `ungated` (the compactor does as it likes).

    ``transcript`` is what is left at the end, with summaries and pointers; it is no part of the JSON.
    """

    mode: Literal["gated", "ungated"]
    epochs: tuple[EpochReport, ...]
    lost: tuple[LostFact, ...]
    asked: tuple[AskedFact, ...]
    transcript: tuple[Span, ...]

    @property
    def refused(self) -> int:
        """Epochs that the policy refused."""
        return sum(epoch.decision == "spill_lossless" for epoch in self.epochs)

    def totals(self) -> dict[str, int]:
        """Sums over the epochs, and the state at the end."""
        names = (
            "proposed",
            "compacted",
            "compacted_tokens",
            "spilled",
            "spilled_tokens",
            "kept",
            "asked",
            "asked_lost",
        )
        out = {name: sum(getattr(epoch, name) for epoch in self.epochs) for name in names}
        out.update(
            epochs=len(self.epochs),
            refused=self.refused,
            lost=len(self.lost),
            final_tokens=self.epochs[-1].after_tokens if self.epochs else 0,
        )
        return out

    def to_json(self) -> dict[str, Any]:
        """The run as JSON."""
        return {
            "mode": self.mode,
            "totals": self.totals(),
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "lost": [asdict(fact) for fact in self.lost],
            "asked": [asdict(fact) for fact in self.asked],
        }


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """A session replayed under a policy.

    Attributes:
        session: Name of the file; ``format`` the id of its format.
        policy: ``id version`` of the policy, and its digest.
        compactor, index: The runtime that was replayed.
        spans, tokens, facts: Size of the session, and how many facts its state spans establish.
        gated: The run under the gate; None where the verdict was to be ignored.
        epsilon: The compactor's own bound on loss, which the policy knows nothing of.
        ungated: The run without a gate; its verdicts are there where the verdict was to be ignored.
    """

    session: str
    format: str
    policy: str
    digest: str
    as_of: str
    compactor: str
    index: str
    spans: int
    tokens: int
    facts: int
    gated: RunReport | None
    ungated: RunReport
    epsilon: float | None = None

    @property
    def enforced(self) -> RunReport:
        """The run that was asked for."""
        return self.gated if self.gated is not None else self.ungated

    def to_json(self) -> dict[str, Any]:
        """The whole report as ``policylang.replay/v1``."""
        return {
            "schema": SCHEMA,
            "session": {
                "name": self.session,
                "format": self.format,
                "spans": self.spans,
                "tokens": self.tokens,
                "facts": self.facts,
            },
            "policy": {"name": self.policy, "digest": self.digest},
            "as_of": self.as_of,
            "compactor": self.compactor,
            "epsilon": self.epsilon,
            "index": self.index,
            "gated": self.gated.to_json() if self.gated is not None else None,
            "ungated": self.ungated.to_json(),
        }
