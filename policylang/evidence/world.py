"""The world: facts of one request under one policy, each established when a rule first reads it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from policylang.evidence.anchors import anchored_by, by_kind, freed_by, with_named
from policylang.evidence.chains import epsilon
from policylang.evidence.ingest import Ingested, ingest
from policylang.evidence.pairs import CALL_KIND
from policylang.evidence.scoring import anchor_auc, structural_share
from policylang.evidence.session import Session, SessionSpan
from policylang.rules_ir.facts import (
    AssertionFacts,
    ChainFacts,
    IndexFacts,
    IntegrityFacts,
    MonitorFacts,
    ScoringFacts,
    SpanFacts,
    World,
)
from policylang.rules_ir.policy import CheckedPolicy, Exempt
from policylang.transcript.pointer import parse_pointer, point_at
from policylang.transcript.request import Request
from policylang.transcript.vocabulary import CLASSES


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
        spans = [self._span(number) for number in range(len(ingested.spans))]
        self.world = World(
            self._resolve_world,
            epoch=self.request.epoch,
            spans=spans,
            evicted=[span for span in spans if span.evicted],
            retained=[span for span in spans if span.retained],
            index=IndexFacts(self._resolve_index),
            scoring=ScoringFacts(self._resolve_scoring),
            monitor=MonitorFacts(None, **_monitor(self.request)),
            integrity=IntegrityFacts(self._resolve_integrity),
            data=self,
        )

    def inherit(self, earlier: _Builder) -> None:
        """Use again what cannot have changed: spilling moves no text that others could be found in."""
        if "session" in earlier.__dict__:
            self.__dict__["session"] = earlier.session

    # --- spans -------------------------------------------------------------------------------------------------

    def _span(self, number: int) -> SpanFacts:
        span = self.ingested.spans[number]
        is_spilled = number in self.spilled
        return SpanFacts(
            self._resolve_span,
            id=span.span_id,
            kind=span.kind,
            klass=self.policy.kinds.get(span.kind, "state"),
            text=span.text,
            epoch=span.epoch,
            age=self.request.epoch - span.epoch,
            tool_call_id=span.tool_call_id,
            position=number,
            meta=span.meta,
            evicted=span.disposition == "evict" and not is_spilled,
            retained=span.disposition == "retain" and not is_spilled,
            spilled=is_spilled,
            span=span,
        )

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
        return next(status for one, status in zip(found, statuses, strict=True) if one is item.data)

    def extraction(self, position: int) -> Any:
        """The assertions of a span, those of the policy's own named anchors included."""
        base = self.ingested.extraction(position)
        anchors = self.policy.anchors
        if anchors is None or not any(anchor.patterns for anchor in anchors.named):
            return base
        return with_named(anchors, self.ingested.spans[position].text, base)

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
        return any(wanted in text for text in self._verbatim_texts)

    @cached_property
    def _verbatim_texts(self) -> list[str]:
        """White space folded texts that can carry an instruction on: a tool's output cannot instruct."""
        return [
            " ".join(span.text.split())
            for span in self.world.spans
            if (span.retained or span.position in self.kept)
            and (span.kind == "summary" or span.klass in ("instruction", "reasoning"))
        ]

    # --- chains ------------------------------------------------------------------------------------------------

    def _resolve_world(self, world: World, name: str) -> Any:
        if name == "anchors":
            return [span for span in world.evicted if span.anchor]
        if name == "chains":
            return list(self._chains.values())
        raise AttributeError(name)

    @cached_property
    def _chains(self) -> dict[str, ChainFacts]:
        members: dict[str, list[SpanFacts]] = {}
        for span, chain in zip(self.world.spans, self.ingested.chains, strict=True):
            members.setdefault(chain, []).append(span)
        return {chain: self._chain(chain, members[chain]) for chain in sorted(members)}

    def _chain(self, chain: str, spans: list[SpanFacts]) -> ChainFacts:
        def epsilon_of(kind: str, by: str, excluded: tuple[str, ...]) -> float | None:
            def counts(span: SpanFacts) -> bool:
                if kind in CLASSES:
                    return span.klass == kind and span.kind not in excluded
                return span.kind == kind

            def mass(span: SpanFacts) -> int:
                return 0 if span.spilled else span.tokens if by == "tokens" else 1

            counted = [span for span in spans if counts(span)]
            total = sum(mass(span) for span in counted)
            return epsilon([(mass(span), span.loss) for span in counted if span.evicted], total)

        facts = ChainFacts(
            self._resolve_chain,
            id=chain,
            spans=spans,
            evicted=[span for span in spans if span.evicted],
            epsilon_of=epsilon_of,
        )
        return facts

    def _resolve_chain(self, chain: ChainFacts, name: str) -> Any:
        if name == "anchors":
            return [span for span in chain.spans if span.anchor]
        if name == "evicted_anchors":
            return [span for span in chain.evicted if span.anchor]
        if name == "epsilon":
            return self._chain_epsilon(chain)
        raise AttributeError(name)

    def _chain_epsilon(self, chain: ChainFacts) -> float | None:
        budgets = self.policy.budgets
        own = tuple(sorted({budget.kind for budget in budgets} - set(CLASSES)))
        # Without any budget, ε is that of the pooled reasoning, the only class that may have one.
        wanted = [(budget.kind, budget.by) for budget in budgets] or [("reasoning", "tokens")]
        values = [chain.epsilon_of(kind, by, own if kind in CLASSES else ()) for kind, by in wanted]
        known = [value for value in values if value is not None]
        return max(known) if len(known) == len(values) else None

    # --- the epoch ---------------------------------------------------------------------------------------------

    def _resolve_index(self, _index: IndexFacts, name: str) -> Any:
        index = self.request.index
        never = index.rebuilt == "never"
        if name == "source":
            return index.source
        if name == "rebuilt":
            return -math.inf if never else index.rebuilt
        if name == "epochs_since_rebuild":
            if never:
                return math.inf
            return None if index.rebuilt is None else self.request.epoch - int(index.rebuilt)
        if name == "size":
            return index.size if index.size is not None else None if index.covers is None else len(index.covers)
        if name == "coverage":
            return self._coverage()
        raise AttributeError(name)

    def _coverage(self) -> float | None:
        index, new = self.request.index, self.ingested.new
        if index.covers is None:
            return index.coverage
        originals = [span.id for span in self.world.spans if span.position not in new]
        seen = sum(name in index.covers for name in originals) / len(originals) if originals else 1.0
        return seen if index.coverage is None else min(seen, index.coverage)

    def _resolve_scoring(self, _scoring: ScoringFacts, name: str) -> Any:
        terms = self.request.terms
        if name == "anchor_auc":
            scored = [span for span in self.world.spans if span.span.score is not None]
            return anchor_auc(
                [span.span.score for span in scored if span.anchor],
                [span.span.score for span in scored if not span.anchor],
            )
        if terms is None:
            return None
        if name == "terms":
            return sorted(terms)
        if name == "structural":
            return terms.get("structural", 0.0) > 0
        if name == "structural_weight":
            return structural_share(terms)
        raise AttributeError(name)

    def _resolve_integrity(self, _integrity: IntegrityFacts, name: str) -> Any:
        match name:
            case "claims":
                return self._unsupported()
            case "unsupported_claims":
                return len(self.world.integrity.claims)
            case "lost":
                return self._unaccounted()
            case "unaccounted":
                return len(self.world.integrity.lost)
            case "gain":
                return self._gain()
        raise AttributeError(name)

    def _unsupported(self) -> list[str]:
        return [
            f"{item.entity + ' ' if item.entity else ''}{item.key} = {item.raw}"
            for number in sorted(self.ingested.new)
            if self.ingested.spans[number].kind == "summary"
            for item in self.session.unsupported(number)
        ]

    def _unaccounted(self) -> list[str]:
        before = self.request.transcript or ()
        here = self.ingested.position
        seen: set[str] = set()
        lost = []
        for name in before:
            if name not in here or name in seen:
                lost.append(name)
            seen.add(name)
        return lost

    def _gain(self) -> float:
        if not self.world.evicted:
            return math.inf
        new = self.ingested.new
        before = sum(span.tokens for span in self.world.spans if span.position not in new)
        after = sum(span.tokens for span in self.world.retained) + sum(
            self._spilled_tokens(span) for span in self.world.spans if span.spilled
        )
        return 1 - after / before if before else 0.0

    def _spilled_tokens(self, span: SpanFacts) -> int:
        """What a spilled span still weighs: its pointer, or itself if it is kept or no longer than the pointer."""
        pointer = str(self.pointer(span)).encode()
        if span.position in self.kept or span.kind == "pointer" or len(span.text.encode()) <= len(pointer):
            return span.tokens
        return -(-len(pointer) // 4)

    def pointer(self, span: SpanFacts) -> Any:
        """The pointer that would stand for a span."""
        return point_at(span.id, span.kind, span.text, (item.key for item in span.assertions))


def _monitor(request: Request) -> dict[str, Any]:
    monitor = request.monitor
    return {
        "enabled": monitor.enabled,
        "queries": monitor.queries,
        "divergence": monitor.divergence,
        # Question probes need a live index; without one a cold start stays unknown.
        "probe_divergence": None,
    }


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


def freed_spans(world: World) -> tuple[tuple[str, str], ...]:
    """(exempt, span id) for every evicted span that an exempt freed from being an anchor by its kind, sorted."""
    builder = world.data
    if not isinstance(builder, _Builder) or not builder.exempts:
        return ()
    policy = builder.policy
    return tuple(
        sorted((name, span.id) for span in world.evicted if by_kind(policy, span.kind) for name in builder.freed(span))
    )
