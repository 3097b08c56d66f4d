"""The rehydration index and the query log of a replayed runtime, and what they attest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from policylang.analysis.compactor import Proposal
from policylang.analysis.lexical import Entry, LexicalIndex, tokens
from policylang.analysis.session import Ask, Fact, Session
from policylang.rules_ir.policy import CheckedPolicy
from policylang.transcript.request import IndexEvidence, MonitorEvidence
from policylang.transcript.span import Span

FAMILIES: Final = ("key", "question", "call")
"""Probes for a policy that asks for none: those that withhold the value, as agents do."""


class ReplayIndex:
    """A lexical index of original texts (`pre`), or one made anew from what each compaction leaves (`rebuilt`)."""

    def __init__(self, session: Session, policy: CheckedPolicy, *, rebuilt: bool) -> None:
        self._session, self._policy, self._rebuilt = session, policy, rebuilt
        self._index = LexicalIndex()
        self._known: list[int] = []
        self._pointers: dict[int, int] = {}  # row's own number -> position of the span that its pointer stands for
        self._log: list[bool | None] = []  # per query: found an evicted span; None if its epoch has none
        self._verified: dict[int, bool] = {}

    def extend(self, positions: Iterable[int]) -> None:
        """The spans of a new epoch: a pre-compaction index takes them as they are created."""
        new = list(positions)
        self._known += new
        self._verified = {}
        if not self._rebuilt:
            for position in new:
                self._index.add(self._entry(position))

    def compacted(self, live: Sequence[Span]) -> None:
        """After a compaction: the index that is rebuilt from what is left."""
        if self._rebuilt:
            self._index, self._pointers = LexicalIndex(), {}
            for number, span in enumerate(live, start=1):
                position = self._session.position.get(span.id)
                if position is not None and span.kind != "pointer":
                    self._index.add(self._entry(position))
                    continue
                self._index.add(Entry(-number, span.epoch, span.text, ()))
                if position is not None:
                    self._pointers[-number] = position

    def _entry(self, position: int) -> Entry:
        span = self._session.spans[position]
        call = self._session.ingested.call_text(position) if span.kind != "tool_call" else None
        return Entry(position, span.epoch, span.text, self._session.assertions(position), call)

    def verified(self, position: int) -> bool:
        """Whether the index finds a span by the policy's probes."""
        known = self._verified.get(position)
        if known is None:
            settings = self._policy.index
            known = self._index.verified(position, settings.probe or FAMILIES, settings.require, settings.top_k)
            self._verified[position] = known
        return known

    def evidence(self, epoch: int, proposal: Proposal) -> IndexEvidence:
        """What the runtime attests for a decision. A rebuild belongs to the compaction that is to be decided."""
        if self._rebuilt:
            gone = set(proposal.evict)
            left = {self._session.spans[position].id for position in self._known} - gone
            held = {self._session.spans[position].id for position in self._index.entries if position >= 0}
            return IndexEvidence("post_compaction", epoch, frozenset(left & held), {}, len(left & held))
        covers = frozenset(self._session.spans[position].id for position in self._known)
        verified = {
            name: self.verified(self._session.position[name])
            for name in proposal.evict
            if name in self._session.position
        }
        return IndexEvidence("pre_compaction", "never", covers, verified, len(covers))

    # --- the query log -----------------------------------------------------------------------------------------

    def log(self, asks: Sequence[Ask], away: set[int]) -> None:
        """Logs an epoch's queries, made where a fact is needed that the transcript does not show any more.

        The span that asks, and what follows it, is not there to be found yet.
        """
        for ask in asks:
            self._log.append(self._found(tokens(ask.query), ask.fact, away, before=ask.position))

    def _found(self, query: Sequence[str], fact: Fact, away: set[int], before: int | None) -> bool | None:
        """Whether the top holds a span of a referenced epoch that is no longer in the transcript, or its pointer.

        A query for a fact references every epoch that established it: its words cannot tell one from another.
        """
        epochs = self._session.established[fact.entity, fact.key, fact.value]
        wanted = {position for position in away if self._session.spans[position].epoch in epochs}
        if not wanted:
            return None
        found = self._index.search(query, self._policy.index.top_k, before)
        return any(self._pointers.get(position, position) in wanted for position in found)

    def monitor(self, away: set[int]) -> tuple[int, float]:
        """Queries in the window and their divergence.

        A log that is shorter than the policy's minimum is settled by probes where the policy says so: question probes
        over the facts of spans that have left the transcript, newest first, asked again until there are enough. Of
        queries that reference an epoch without such spans, none can diverge.
        """
        settings = self._policy.monitor
        window = self._log[-settings.window :]
        if len(window) < settings.minimum and settings.cold_start == "probes":
            probes = self._question_probes(settings.window - len(window), away)
            window = window + probes
            while probes and len(window) < settings.minimum:
                window = window + probes
            answered = [hit for hit in window if hit is not None]
            count = max(len(window), settings.minimum)
            return count, answered.count(False) / len(answered) if answered else 0.0
        answered = [hit for hit in window if hit is not None]
        return len(window), answered.count(False) / len(answered) if answered else 0.0

    def _question_probes(self, limit: int, away: set[int]) -> list[bool | None]:
        out: list[bool | None] = []
        for position in sorted(away, reverse=True):
            if not self._session.is_state(position):
                continue
            for item in self._session.assertions(position):
                if len(out) >= limit:
                    return out
                fact = self._session.fact(position, item)
                probe = self._index.probe(item, fact.epoch, "question")
                if probe:
                    out.append(self._found(probe, fact, away, before=None))
        return out

    def monitor_evidence(self, queries: int, divergence: float) -> MonitorEvidence:
        """The log as the request spells it: a replayed runtime always keeps one."""
        return MonitorEvidence(True, queries, round(divergence, 6))
