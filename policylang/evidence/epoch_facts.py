"""Facts of the whole epoch: the index, the score, the query log, and what the integrity rules read (SPEC §3, §9)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from policylang.evidence.ingest import Ingested
from policylang.evidence.scoring import anchor_auc, structural_share
from policylang.evidence.session import Session
from policylang.rules_ir.facts import IndexFacts, IntegrityFacts, MonitorFacts, ScoringFacts, SpanFacts, World
from policylang.transcript.pointer import Pointer, point_at
from policylang.transcript.request import Request


def index_facts(ingested: Ingested, world: World) -> IndexFacts:
    """`index`, as the request attests it."""
    request = ingested.request
    index = request.index

    def resolve(_facts: IndexFacts, name: str) -> Any:
        match name:
            case "source":
                return index.source
            case "rebuilt":
                return -math.inf if index.rebuilt == "never" else index.rebuilt
            case "epochs_since_rebuild":
                if isinstance(index.rebuilt, int):
                    return request.epoch - index.rebuilt
                return None if index.rebuilt is None else math.inf
            case "size":
                if index.size is not None or index.covers is None:
                    return index.size
                return len(index.covers)
            case "coverage":
                return _coverage(ingested, world)
        raise AttributeError(name)

    return IndexFacts(resolve)


def _coverage(ingested: Ingested, world: World) -> float | None:
    """The share of the session's originals that the index covers; an attested share can only lower it."""
    index = ingested.request.index
    if index.covers is None:
        return index.coverage
    originals = [span.id for span in world.spans if span.position not in ingested.new]
    seen = sum(name in index.covers for name in originals) / len(originals) if originals else 1.0
    return seen if index.coverage is None else min(seen, index.coverage)


def scoring_facts(request: Request, world: World) -> ScoringFacts:
    """`scoring`: the terms of the eviction score, and whether it protects anchors."""
    terms = request.terms

    def resolve(_facts: ScoringFacts, name: str) -> Any:
        match name:
            case "anchor_auc":
                scored = [span for span in world.spans if span.span.score is not None]
                return anchor_auc(
                    [span.span.score for span in scored if span.anchor],
                    [span.span.score for span in scored if not span.anchor],
                )
            case "terms":
                return None if terms is None else sorted(terms)
            case "structural":
                return None if terms is None else terms.get("structural", 0.0) > 0
            case "structural_weight":
                return None if terms is None else structural_share(terms)
        raise AttributeError(name)

    return ScoringFacts(resolve)


def monitor_facts(request: Request) -> MonitorFacts:
    """`monitor`: the query log. Question probes need a live index; without one a cold start stays unknown."""
    monitor = request.monitor
    return MonitorFacts(
        enabled=monitor.enabled,
        queries=monitor.queries,
        divergence=monitor.divergence,
        probe_divergence=None,
    )


def integrity_facts(
    ingested: Ingested, world: World, session: Callable[[], Session], kept: frozenset[int]
) -> IntegrityFacts:
    """What the epoch-wide integrity rules read. ``kept`` are the spilled spans whose text stays in sight."""

    def resolve(facts: IntegrityFacts, name: str) -> Any:
        match name:
            case "claims":
                return _claims(ingested, session())
            case "unsupported_claims":
                return len(facts.claims)
            case "lost":
                return _lost(ingested)
            case "unaccounted":
                return len(facts.lost)
            case "gain":
                return _gain(ingested, world, kept)
        raise AttributeError(name)

    return IntegrityFacts(resolve)


def _claims(ingested: Ingested, session: Session) -> list[str]:
    """What this epoch's summaries claim and no original holds."""
    return [
        f"{item.entity + ' ' if item.entity else ''}{item.key} = {item.raw}"
        for number in sorted(ingested.new)
        if ingested.spans[number].kind == "summary"
        for item in session.unsupported(number)
    ]


def _lost(ingested: Ingested) -> list[str]:
    """Ids of the transcript before that are not in the request, or were there twice."""
    seen: set[str] = set()
    lost = []
    for name in ingested.request.transcript or ():
        if name not in ingested.position or name in seen:
            lost.append(name)
        seen.add(name)
    return lost


def _gain(ingested: Ingested, world: World, kept: frozenset[int]) -> float:
    """The share of the volume that is freed; infinite where nothing is evicted, since no gain is asked then."""
    if not world.evicted:
        return math.inf
    before = sum(span.tokens for span in world.spans if span.position not in ingested.new)
    after = sum(span.tokens for span in world.retained)
    after += sum(_spilled_tokens(span, kept) for span in world.spans if span.spilled)
    # 1 - after / before would put a gain of exactly the bound a rounding error below it.
    return (before - after) / before if before else 0.0


def _spilled_tokens(span: SpanFacts, kept: frozenset[int]) -> int:
    """What a spilled span still weighs: its pointer, or itself if it is kept or no longer than the pointer."""
    pointer = str(pointer_of(span)).encode()
    if span.position in kept or span.kind == "pointer" or len(span.text.encode()) <= len(pointer):
        return span.tokens
    return -(-len(pointer) // 4)


def pointer_of(span: SpanFacts) -> Pointer:
    """The pointer that would stand for a span."""
    return point_at(span.id, span.kind, span.text, (item.key for item in span.assertions))
