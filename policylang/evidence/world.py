"""The world: facts of one request under one policy, each established when a rule first reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from policylang.evidence.anchors import anchored_by, by_kind, freed_by, with_named
from policylang.evidence.chain_facts import chain_facts
from policylang.evidence.epoch_facts import index_facts, integrity_facts, monitor_facts, scoring_facts
from policylang.evidence.ingest import Ingested, ingest
from policylang.evidence.model import Extraction
from policylang.evidence.pairs import CALL_KIND
from policylang.evidence.session import Session, SessionSpan
from policylang.rules_ir.facts import (
    AssertionFacts,
    ChainFacts,
    SpanFacts,
    World,
)
from policylang.rules_ir.policy import CheckedPolicy, Exempt
from policylang.transcript.pointer import parse_pointer
from policylang.transcript.request import Request


def build_world(
    policy: CheckedPolicy,
    request: Request,
    *,
    as_of: date,
    spilled: frozenset[int] = frozenset(),
    kept: frozenset[int] = frozenset(),
    before: World | None = None,
) -> World:
    """The facts of a request under a policy.

    Args:
        policy: The checked policy; ``as_of`` settles which of its exempts still hold.
        request: A valid request.
        spilled: Positions of spans that the salvage spills: neither evicted nor retained (SPEC §2).
        kept: Those of them that are restated: their text stays in sight.
        before: The world of an earlier round of the same salvage; its session is used again if nothing new is kept.
    """
    builder = _Builder(policy, ingest(request), as_of, spilled, kept)
    earlier = before.data if before is not None else None
    if isinstance(earlier, _Builder) and earlier.kept == kept:
        builder.inherit(earlier)
    return builder.world


class _Builder:
    """Makes the facts and answers for the ones that were not set yet."""

    def __init__(
        self, policy: CheckedPolicy, ingested: Ingested, as_of: date, spilled: frozenset[int], kept: frozenset[int]
    ) -> None:
        self.policy = policy
        self.ingested = ingested
        self.request = ingested.request
        self.spilled = spilled
        self.kept = kept
        anchors = policy.anchors
        self.exempts: tuple[Exempt, ...] = (
            tuple(exempt for exempt in anchors.exempts if as_of <= exempt.until) if anchors is not None else ()
        )
        self._freed: dict[int, tuple[str, ...]] = {}
        self._extractions: dict[int, Extraction] = {}
        spans = [self._span(number) for number in range(len(ingested.spans))]
        self.world = World(
            self._resolve_world,
            epoch=self.request.epoch,
            spans=spans,
            evicted=[span for span in spans if span.evicted],
            retained=[span for span in spans if span.retained],
            data=self,
        )
        world = self.world
        world.index = index_facts(ingested, world)
        world.scoring = scoring_facts(self.request, world)
        world.monitor = monitor_facts(self.request)
        world.integrity = integrity_facts(ingested, world, lambda: self.session, kept)

    def inherit(self, earlier: _Builder) -> None:
        """Use again what cannot have changed: spilling moves no text that others could be found in."""
        if "session" in earlier.__dict__:
            self.__dict__["session"] = earlier.session
            self._extractions = earlier._extractions

    # --- spans -------------------------------------------------------------------------------------------------

    def _span(self, number: int) -> SpanFacts:
        span = self.ingested.spans[number]
        # Set one by one: this runs for every span of every request, and keyword arguments would double its cost.
        facts = SpanFacts(self._resolve_span)
        facts.id = span.span_id
        facts.kind = span.kind
        facts.klass = self.policy.kinds.get(span.kind, "state")
        facts.text = span.text
        facts.epoch = span.epoch
        facts.age = self.request.epoch - span.epoch
        facts.tool_call_id = span.tool_call_id
        facts.position = number
        facts.meta = span.meta
        facts.spilled = number in self.spilled
        facts.evicted = span.disposition == "evict" and not facts.spilled
        facts.retained = span.disposition == "retain" and not facts.spilled
        facts.span = span
        return facts

    def _resolve_span(self, span: SpanFacts, name: str) -> Any:
        return _SPAN_FIELDS[name](self, span)

    def _tokens(self, span: SpanFacts) -> int:
        return int(span.span.mass)

    def _loss(self, span: SpanFacts) -> float | None:
        if not span.evicted:
            return 0.0
        # Dropped without a representation loses everything, whatever was declared for it.
        return span.span.loss if span.span.represented_by else 1.0

    def _assertions(self, span: SpanFacts) -> tuple[AssertionFacts, ...]:
        found = self.extraction(span.position).assertions
        return tuple(
            AssertionFacts(
                self._resolve_assertion,
                entity=item.entity,
                key=item.key,
                value=item.value,
                type=item.type,
                span=span,
                data=item,
            )
            for item in found
        )

    def _resolve_assertion(self, item: AssertionFacts, name: str) -> Any:
        if name != "status":
            raise AttributeError(name)
        span = item.span
        if not span.evicted:
            return "restated"
        statuses = self.session.represent(span.position).statuses
        found = self.extraction(span.position).assertions
        return statuses[next(number for number, one in enumerate(found) if one is item.data)]

    def extraction(self, position: int) -> Extraction:
        """The assertions of a span, those of the policy's own named anchors included."""
        found = self._extractions.get(position)
        if found is None:
            base = self.ingested.extraction(position)
            text = self.ingested.spans[position].text
            found = self._extractions[position] = with_named(self.policy.anchors, text, base)
        return found

    def _anchor_by(self, span: SpanFacts) -> tuple[str, ...]:
        return anchored_by(self.policy, span, self.world, self.freed(span))

    def freed(self, span: SpanFacts) -> tuple[str, ...]:
        """Names of the exempts that free a span from anchoring by kind."""
        if not self.exempts:
            return ()
        found = self._freed.get(span.position)
        if found is None:
            reading = self.ingested.reading(span.position)
            found = freed_by(self.exempts, span, self.world, reading=reading)
            self._freed[span.position] = found
        return found

    def _representation(self, span: SpanFacts) -> str | None:
        # What stays in the transcript, and what is kept losslessly, represents itself.
        return self.session.represent(span.position).representation if span.evicted else "restated"

    @cached_property
    def session(self) -> Session:
        """The session's texts, indexed for the question what is left of a span."""
        chains, kinds = self.ingested.chains, self.policy.kinds
        return Session(
            [
                SessionSpan(
                    id=span.span_id,
                    kind=span.kind,
                    klass=kinds.get(span.kind, "state"),
                    text=span.text,
                    epoch=span.epoch,
                    position=number,
                    chain=chains[number],
                    tool=self.ingested.tool(number),
                    tool_call_id=span.tool_call_id,
                    retained=span.disposition == "retain" or number in self.kept,
                    extraction=self.extraction(number),
                )
                for number, span in enumerate(self.ingested.spans)
            ]
        )

    def _indexed(self, span: SpanFacts) -> bool | None:
        covers = self.request.index.covers
        return None if covers is None else span.id in covers

    def _verified(self, span: SpanFacts) -> bool | None:
        if span.kind == "summary":
            # The archive keeps originals; a summary can only be restated or spilled.
            return False
        target = span.id
        if span.kind == "pointer":
            pointer = parse_pointer(span.text)
            if pointer is None:
                return False
            target = pointer.span
        index = self.request.index
        if index.covers is None:
            return None
        return target in index.covers and (index.verified or {}).get(target)

    def _pair_split(self, span: SpanFacts) -> bool:
        if not span.evicted:
            return False
        spans = self.world.spans
        # A spilled partner keeps its envelope in the transcript, so it counts as staying.
        return any(not spans[other].evicted for other in self.ingested.pairing.partners(span.position))

    def _call_open(self, span: SpanFacts) -> bool:
        return span.evicted and span.kind == CALL_KIND and span.position not in self.ingested.pairing.closed

    def _kept_verbatim(self, span: SpanFacts) -> bool:
        if not span.evicted:
            return True
        wanted = " ".join(span.text.split())
        return not wanted or any(_holds(text, wanted) for text in self._verbatim_texts)

    @cached_property
    def _verbatim_texts(self) -> list[str]:
        """White space folded texts that can carry an instruction on: a tool's output cannot instruct."""
        return [
            " ".join(span.text.split())
            for span in self.world.spans
            if (span.retained or span.position in self.kept)
            and (span.kind == "summary" or span.klass in ("instruction", "reasoning"))
        ]

    # --- the epoch ---------------------------------------------------------------------------------------------

    def _resolve_world(self, world: World, name: str) -> Any:
        if name == "anchors":
            return [span for span in world.evicted if span.anchor]
        if name == "chains":
            return list(self._chains.values())
        raise AttributeError(name)

    @cached_property
    def _chains(self) -> dict[str, ChainFacts]:
        return chain_facts(self.world.spans, self.ingested.chains, self.policy)


_SPAN_FIELDS: Final[Mapping[str, Callable[[_Builder, SpanFacts], Any]]] = MappingProxyType(
    {
        "tokens": _Builder._tokens,
        "loss": _Builder._loss,
        "assertions": _Builder._assertions,
        "assertions_truncated": lambda self, span: self.extraction(span.position).truncated,
        "bulk": lambda self, span: self.extraction(span.position).bulk,
        "anchor_by": _Builder._anchor_by,
        "anchor": lambda self, span: bool(span.anchor_by),
        "chain": lambda self, span: self._chains[self.ingested.chains[span.position]],
        "representation": _Builder._representation,
        "indexed": _Builder._indexed,
        "verified": _Builder._verified,
        "tool": lambda self, span: self.ingested.tool(span.position),
        "pair_split": _Builder._pair_split,
        "call_open": _Builder._call_open,
        "kept_verbatim": _Builder._kept_verbatim,
    }
)


def _holds(text: str, wanted: str) -> bool:
    """Whether a text holds another as whole words: `nonstop` does not keep `stop`."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (before.isalnum() and wanted[0].isalnum()) and not (after.isalnum() and wanted[-1].isalnum()):
            return True
        start = text.find(wanted, start + 1)
    return False


def freed_spans(world: World) -> tuple[tuple[str, str], ...]:
    """(exempt, span id) for every evicted span that an exempt freed from being an anchor by its kind, sorted."""
    builder = world.data
    if not isinstance(builder, _Builder) or not builder.exempts:
        return ()
    policy = builder.policy
    return tuple(
        sorted((name, span.id) for span in world.evicted if by_kind(policy, span.kind) for name in builder.freed(span))
    )
