"""One run of a replay: the transcript as the runtime holds it, epoch by epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Literal

from policylang.analysis.compactor import Budget, Compactor, Proposal
from policylang.analysis.index import ReplayIndex
from policylang.analysis.report import AskedFact, EpochReport, LostFact, Reach, RunReport
from policylang.analysis.session import Ask, Fact, Session
from policylang.evidence.world import build_world
from policylang.rules_ir.facts import World
from policylang.runtime.decide import evaluate
from policylang.runtime.policy import Policy
from policylang.runtime.salvage import restatement
from policylang.runtime.verdict import Verdict
from policylang.transcript.pointer import point_at
from policylang.transcript.request import Request
from policylang.transcript.span import Span


class Run:
    """Plays a session through a compactor, with the verdicts carried out (``enforce``) or not.

    ``ask`` says whether the policy is asked at all; without it the run shows the bare compactor.
    """

    def __init__(
        self,
        session: Session,
        policy: Policy,
        compactor: Compactor,
        budget: Budget,
        *,
        rebuilt: bool,
        as_of: date,
        enforce: bool,
        ask: bool,
    ) -> None:
        self._session, self._policy, self._compactor, self._budget = session, policy, compactor, budget
        self._as_of, self._enforce, self._ask = as_of, enforce, ask
        self._index = ReplayIndex(session, policy.on(as_of).checked, rebuilt=rebuilt)
        self._live: list[Span] = []
        self._gone: set[int] = set()  # positions of originals that were lossily compacted
        self._spilled: set[int] = set()
        self._pinned: set[str] = set()  # spilled in the plan, but no longer than a pointer: they stay as they are
        self._reach: dict[tuple[int, int], tuple[Reach, str]] = {}  # (position, number of the assertion)
        self._lost_in: dict[tuple[int, int], int] = {}
        self._epochs: list[EpochReport] = []
        self._asked: list[AskedFact] = []

    def report(self) -> RunReport:
        """Plays the whole session."""
        for epoch, members in self._session.epochs:
            self._play(epoch, members)
        mode: Literal["gated", "ungated"] = "gated" if self._enforce else "ungated"
        return RunReport(mode, tuple(self._epochs), tuple(self._lost()), tuple(self._asked), tuple(self._live))

    def _play(self, epoch: int, members: Sequence[Span]) -> None:
        positions = [self._session.position[span.id] for span in members]
        away = self._gone | self._spilled
        asks = [ask for ask in self._session.asks if ask.epoch == epoch]
        answered = [(ask, found) for ask in asks if (found := self._answer(ask)) is not None]
        asked = [found for _, found in answered]
        self._asked += asked
        self._live += members
        self._index.extend(positions)
        # What stands in the transcript, in its span or restated, is read there: no one asks the index for it.
        self._index.log([ask for ask, found in answered if found.reach != "live"], away)
        before = list(self._live)
        proposal = self._propose(epoch)
        queries, divergence = self._index.monitor(away)
        request, verdict = None, None
        if self._ask and proposal.evict:
            request = self._request(epoch, proposal, queries, divergence)
            verdict = evaluate(self._policy, request, as_of=self._as_of)
        done = self._carry_out(epoch, proposal, request, verdict)
        self._index.compacted(self._live)
        self._settle(epoch)
        self._epochs.append(
            replace(
                self._note(epoch, before, proposal, verdict, done),
                worst_chain=self._worst_chain(request),
                queries=queries,
                divergence=divergence,
                lost=sum(reach == "lost" for reach, _ in self._reach.values()),
                asked=len(asked),
                asked_lost=sum(found.reach == "lost" for found in asked),
            )
        )

    def _propose(self, epoch: int) -> Proposal:
        pinned = frozenset(self._pinned)
        found = self._compactor(list(self._live), epoch, replace(self._budget, pinned=pinned))
        summary = found.summary
        while summary is not None and summary.id in self._session.position:
            # The session was compacted before, and has summaries of its own.
            summary = replace(summary, span_id=f"{summary.id}+")
        return replace(found, summary=summary)

    def _note(
        self,
        epoch: int,
        before: Sequence[Span],
        proposal: Proposal,
        verdict: Verdict | None,
        done: tuple[list[str], list[str], list[str]],
    ) -> EpochReport:
        """What was proposed, decided and done, without what came of it."""
        compacted, spilled, kept = done
        masses = {span.id: span.mass for span in before}
        reasons = verdict.reasons if verdict is not None else ()
        return EpochReport(
            epoch=epoch,
            spans=len(before),
            tokens=sum(masses.values()),
            proposed=len(proposal.evict),
            proposed_tokens=sum(masses[name] for name in proposal.evict),
            anchors=verdict.details.anchors if verdict is not None else None,
            decision=verdict.decision if verdict is not None else None,
            rules=tuple(sorted({reason.rule for reason in reasons})),
            undetermined=tuple(sorted({reason.rule for reason in reasons if reason.undetermined})),
            compacted=len(compacted),
            compacted_tokens=sum(masses[name] for name in compacted),
            spilled=len(spilled),
            spilled_tokens=sum(masses[name] for name in spilled),
            kept=len(kept),
            after_tokens=sum(span.mass for span in self._live),
            aggregate=proposal.aggregate,
        )

    # --- asking and carrying out -------------------------------------------------------------------------------

    def _request(self, epoch: int, proposal: Proposal, queries: int, divergence: float) -> Request:
        gone = set(proposal.evict)
        stands = (proposal.summary.id,) if proposal.summary is not None else ()
        spans = [
            replace(
                span,
                disposition="evict" if span.id in gone else "retain",
                score=proposal.scores.get(span.id),
                loss=proposal.losses[span.id] if span.id in gone else None,
                represented_by=stands if span.id in proposal.represented else (),
            )
            for span in self._live
        ]
        if proposal.summary is not None:
            spans.append(replace(proposal.summary, disposition="retain"))
        return Request(
            epoch,
            tuple(spans),
            index=self._index.evidence(epoch, proposal),
            terms=proposal.terms,
            monitor=self._index.monitor_evidence(queries, divergence),
            generation=epoch,
            transcript=tuple(span.id for span in self._live),
        )

    def _world(self, request: Request) -> World:
        return build_world(self._policy.on(self._as_of).checked, request, as_of=self._as_of)

    def _worst_chain(self, request: Request | None) -> float | None:
        if request is None:
            return None
        known = [chain.epsilon for chain in self._world(request).chains]
        return max((value for value in known if value is not None), default=0.0) if None not in known else None

    def _carry_out(
        self, epoch: int, proposal: Proposal, request: Request | None, verdict: Verdict | None
    ) -> tuple[list[str], list[str], list[str]]:
        """Changes the transcript; ids of what was compacted, what was spilled, and what was too short to spill."""
        evict, spill = set(proposal.evict), set[str]()
        restate: dict[str, str] = {}
        if self._enforce and verdict is not None and request is not None and verdict.refused:
            evict, spill = set(verdict.salvage.evict), set(verdict.salvage.spill)
            wanted = {item.span for item in verdict.plan if item.action == "restate"}
            if wanted:
                restate = {span.id: restatement(span) for span in self._world(request).evicted if span.id in wanted}
        summary = proposal.summary if evict else None
        compacted, spilled, kept = list[str](), list[str](), list[str]()
        live: list[Span] = []
        for span in self._live:
            position = self._session.position.get(span.id)
            if span.id in evict:
                if summary is not None:
                    live.append(summary)
                    summary = None
                compacted.append(span.id)
                if position is not None:
                    self._gone.add(position)
            elif span.id in spill:
                pointer = self._pointer(span, epoch, restate.get(span.id))
                (spilled if pointer is not span else kept).append(span.id)
                if pointer is not span and position is not None:
                    self._spilled.add(position)
                live.append(pointer)
            else:
                live.append(span)
        self._live = live
        self._pinned |= set(kept)
        return compacted, spilled, kept

    def _pointer(self, span: Span, epoch: int, restated: str | None) -> Span:
        """The span's pointer under the span's own envelope; the span itself where it is no longer than that."""
        position = self._session.position.get(span.id)
        items = self._session.assertions(position) if position is not None else ()
        text = str(point_at(span.id, span.kind, span.text, (item.key for item in items)))
        if restated is not None:
            text = f"{text}\n{restated}"
        if len(text.encode("utf-8", "surrogatepass")) >= len(span.text.encode("utf-8", "surrogatepass")):
            return span
        return replace(span, kind="pointer", text=text, epoch=epoch, tokens=None)

    # --- what is out of reach ----------------------------------------------------------------------------------

    def _settle(self, epoch: int) -> None:
        """Where each fact of the spans that are gone can be had, now that the epoch is over."""
        state = sorted(position for position in self._gone if self._session.is_state(position))
        statuses = self._statuses(epoch, state)
        self._reach = {}
        for position in state:
            verified: bool | None = None
            for number, status in enumerate(statuses[position]):
                if status == "restated":
                    reach: Reach = "live"
                elif status == "superseded":
                    reach = "superseded"
                else:
                    verified = self._index.verified(position) if verified is None else verified
                    reach = "indexed" if verified else "lost"
                self._reach[position, number] = (reach, status)
                if reach == "lost":
                    self._lost_in.setdefault((position, number), epoch)
                else:
                    self._lost_in.pop((position, number), None)

    def _statuses(self, epoch: int, state: Sequence[int]) -> dict[int, list[str]]:
        """What the transcript says of each assertion of the spans that are gone."""
        if not any(self._session.assertions(position) for position in state):
            return {position: [] for position in state}
        spans = tuple(self._with_gone())
        world = self._world(Request(epoch, spans))
        by_id = {span.id: span for span in world.evicted}
        out: dict[int, list[str]] = {}
        for position in state:
            facts = by_id[self._session.spans[position].id].assertions
            known = {(item.data.start, item.data.end, item.key): item.status or "absent" for item in facts}
            out[position] = [
                known.get((item.start, item.end, item.key), "absent") for item in self._session.assertions(position)
            ]
        return out

    def _with_gone(self) -> Iterator[Span]:
        """The transcript with everything that was compacted put back where it stood, as evicted."""
        gone = sorted(self._gone)
        at = 0
        for span in self._live:
            position = self._session.position.get(span.id)
            while position is not None and at < len(gone) and gone[at] < position:
                yield replace(self._session.spans[gone[at]], disposition="evict")
                at += 1
            yield replace(span, disposition="retain")
        for left in gone[at:]:
            yield replace(self._session.spans[left], disposition="evict")

    def _answer(self, ask: Ask) -> AskedFact | None:
        """Where a needed fact can be had as the epoch begins; None while its span is in the transcript."""
        fact = ask.fact
        if fact.position in self._spilled:
            reach: Reach = "spilled"
        elif fact.position in self._gone:
            found = self._reach_of(fact)
            if found is None:
                return None
            reach = found
            if reach == "lost" and ask.how == "value" and any(ask.query in span.text for span in self._live):
                reach = "live"
        else:
            return None
        by = self._session.spans[ask.position].id
        return AskedFact(ask.epoch, by, ask.query[:200], ask.how, str(fact), fact.key, fact.span, fact.epoch, reach)

    def _reach_of(self, fact: Fact) -> Reach | None:
        for number, item in enumerate(self._session.assertions(fact.position)):
            if (item.entity, item.key, item.raw) == (fact.entity, fact.key, fact.value):
                return self._reach[fact.position, number][0]
        return None

    def _lost(self) -> Iterator[LostFact]:
        for (position, number), (reach, status) in sorted(self._reach.items()):
            if reach == "lost":
                fact = self._session.fact(position, self._session.assertions(position)[number])
                yield LostFact(
                    str(fact), fact.key, fact.value, fact.span, fact.epoch, self._lost_in[position, number], status
                )
