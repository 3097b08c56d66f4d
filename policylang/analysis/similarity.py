"""The document's pure embedding heuristic, flaws and all.

A span scores by its distance to the epoch's summary, so terse, structured results go first and verbose reasoning stays.
Its loss is that distance, and the *aggregate* of the epoch is kept within ε: condition 3 violated by design, and
condition 2 as well, as nothing protects state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from policylang.analysis.compactor import Budget, Proposal, central_sentences, groups, summary_of, vector_of
from policylang.analysis.embed import Vector, cosine
from policylang.transcript.span import Span

TERMS: Final[Mapping[str, float]] = MappingProxyType({"similarity": 1.0})

Group = Sequence[Span]


def similarity(live: Sequence[Span], epoch: int, budget: Budget) -> Proposal:
    """Evict what is least like the epoch's summary, as long as the epoch loses no more than ε on the whole."""
    pieces = groups(live, budget)
    draft = vector_of(_text(live, pieces, budget))
    scores = {span.id: round(_distance(span, draft), 6) for group in pieces for span in group}
    # An exchange is looked at on average: a verbose result does not save its call, nor the other way round.
    ranked = sorted(pieces, key=lambda group: (-sum(scores[span.id] for span in group) / len(group), group[0].id))
    total = sum(span.mass for span in live)
    chosen: list[Group] = []
    size, lost = total + budget.summary_tokens, 0.0
    for group in ranked:
        if size <= budget.keep_tokens:
            break
        costs = sum(_distance(span, draft) * span.mass for span in group)
        if lost + costs <= budget.epsilon * total:
            chosen.append(group)
            lost += costs
            size -= sum(span.mass for span in group)
    return _settle(live, epoch, budget, chosen, scores)


def _settle(
    live: Sequence[Span], epoch: int, budget: Budget, chosen: list[Group], scores: Mapping[str, float]
) -> Proposal:
    """The proposal for the chosen groups; the costliest are let off until the aggregate is within ε again."""
    total = sum(span.mass for span in live)
    text = _text(live, chosen, budget) if chosen else ""
    vector = vector_of(text)
    loss = {span.id: round(_distance(span, vector), 6) for group in chosen for span in group}
    cost = {group[0].id: sum(loss[span.id] * span.mass for span in group) for group in chosen}
    kept = sorted(chosen, key=lambda group: (cost[group[0].id], group[0].id))
    while kept and sum(cost[group[0].id] for group in kept) > budget.epsilon * total:
        kept.pop()
    gone = {span.id for group in kept for span in group}
    stands = bool(gone and text)
    return Proposal(
        evict=tuple(span.id for span in live if span.id in gone),
        summary=summary_of(epoch, text.split("\n")) if stands else None,
        scores=scores,
        losses={name: loss[name] if stands else 1.0 for name in sorted(gone)},
        represented=frozenset(gone) if stands else frozenset(),
        aggregate=round(sum(cost[group[0].id] for group in kept) / total, 6) if total else 0.0,
        terms=TERMS,
    )


def _text(live: Sequence[Span], pieces: Sequence[Group], budget: Budget) -> str:
    pool = [span for group in pieces for span in group]
    return "\n".join(central_sentences(live, pool, budget.summary_tokens))


def _distance(span: Span, vector: Vector) -> float:
    return 1 - cosine(vector_of(span.text), vector)
