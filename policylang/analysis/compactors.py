"""Reference compactors: which spans an epoch would evict, and the summary that it would put in their place.

Neither of them asks a policy; they are what the gate has to deal with. Both are realistic in what runtimes do: calls
stay with their results, open calls, instructions, pointers and the most recent tail stay, and the summary is made of
sentences of the evicted text.

`similarity` is the document's pure embedding heuristic: a span scores by its distance to the epoch's summary, so terse,
structured results go first and verbose reasoning stays. Its loss is that distance, and it keeps the *aggregate* of the
epoch within ε, which is condition 3 violated by design. `structural` adds a term that protects state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from policylang.analysis.embed import Vector, centroid, cosine, embed
from policylang.evidence.pairs import CALL_KIND, pair
from policylang.transcript.span import Span
from policylang.transcript.vocabulary import KNOWN_KINDS

TALK: Final = frozenset(("reasoning", "assistant_message", "summary"))
"""Kinds whose sentences a summary is made of."""

_STAYS: Final = frozenset(("system", "user_message", "pointer"))
_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?](?!\s|$)[^\n.!?]*)*[.!?]*")
_TWIN = 0.8


@dataclass(frozen=True, slots=True)
class Budget:
    """What a compactor aims at.

    Attributes:
        keep_tokens: Size that the transcript should have afterwards.
        summary_tokens: Size that the epoch's summary may have.
        epsilon: Bound on the epoch's aggregate loss, in (0, 1].
        pinned: Ids of spans that are not to be proposed (again).
    """

    keep_tokens: int
    summary_tokens: int = 256
    epsilon: float = 0.08
    pinned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a compactor wants to do at the end of an epoch.

    Attributes:
        evict: Ids of the spans to evict, in transcript order.
        summary: The new summary, None where nothing is evicted or there is nothing to say.
        scores: Eviction score in [0, 1] of every span that could go, higher is sooner.
        losses: Loss in [0, 1] of every evicted span: its cosine distance to the summary, 1 without one.
        aggregate: Σ loss · tokens over the evicted spans ÷ Σ tokens over all, the document's flawed bound.
        terms: The score's terms and weights.
    """

    evict: tuple[str, ...]
    summary: Span | None
    scores: Mapping[str, float]
    losses: Mapping[str, float]
    aggregate: float
    terms: Mapping[str, float]


Compactor = Callable[[Sequence[Span], int, Budget], Proposal]


@lru_cache(maxsize=1 << 14)
def _vector(text: str) -> Vector:
    return embed(text)


def similarity(live: Sequence[Span], epoch: int, budget: Budget) -> Proposal:
    """The document's heuristic: evict what is least like the epoch's summary."""
    return _propose(live, epoch, budget, {"similarity": 1.0})


def structural(live: Sequence[Span], epoch: int, budget: Budget) -> Proposal:
    """The same with a structural term: state spans are the last to go."""
    return _propose(live, epoch, budget, {"similarity": 0.4, "structural": 0.6})


COMPACTORS: Final[Mapping[str, Compactor]] = MappingProxyType({"similarity": similarity, "structural": structural})


def _propose(live: Sequence[Span], epoch: int, budget: Budget, terms: Mapping[str, float]) -> Proposal:
    groups = _groups(live, budget)
    draft = _vector(_sentences(live, [span for group in groups for span in group], budget.summary_tokens))
    scores = {span.id: round(_score(span, draft, terms), 6) for group in groups for span in group}
    ranked = sorted(groups, key=lambda group: (-_group_score(group, scores, terms), group[0].id))
    total = sum(span.mass for span in live)
    chosen: list[Sequence[Span]] = []
    size, lost = total + budget.summary_tokens, 0.0
    for group in ranked:
        if size <= budget.keep_tokens:
            break
        costs = sum((1 - cosine(_vector(span.text), draft)) * span.mass for span in group)
        if lost + costs <= budget.epsilon * total:
            chosen.append(group)
            lost += costs
            size -= sum(span.mass for span in group)
    return _settle(live, epoch, budget, chosen, scores, terms)


def _settle(
    live: Sequence[Span],
    epoch: int,
    budget: Budget,
    chosen: list[Sequence[Span]],
    scores: Mapping[str, float],
    terms: Mapping[str, float],
) -> Proposal:
    """The proposal for the chosen groups; the costliest are let off until the aggregate is within ε again."""
    total = sum(span.mass for span in live)
    text = _sentences(live, [span for group in chosen for span in group], budget.summary_tokens) if chosen else ""
    vector = _vector(text)
    loss = {span.id: round(1 - cosine(_vector(span.text), vector), 6) for group in chosen for span in group}
    cost = {group[0].id: sum(loss[span.id] * span.mass for span in group) for group in chosen}
    kept = sorted(chosen, key=lambda group: (cost[group[0].id], group[0].id))
    while kept and sum(cost[group[0].id] for group in kept) > budget.epsilon * total:
        kept.pop()
    gone = {span.id for group in kept for span in group}
    summary = (
        Span(f"summary-{epoch}", "summary", f"Summary of epoch {epoch}:\n{text}", epoch) if gone and text else None
    )
    return Proposal(
        evict=tuple(span.id for span in live if span.id in gone),
        summary=summary,
        scores=scores,
        losses={name: loss[name] if summary is not None else 1.0 for name in sorted(gone)},
        aggregate=round(sum(cost[group[0].id] for group in kept) / total, 6) if total else 0.0,
        terms=terms,
    )


def _groups(live: Sequence[Span], budget: Budget) -> list[Sequence[Span]]:
    """What can go, in pieces that go together: a batch of calls with its results, or a single span."""
    pairing = pair(live)
    tail = _tail(live, budget.keep_tokens // 4)
    out: list[Sequence[Span]] = []
    for position in range(len(live)):
        members = pairing.partners(position) or (position,)
        if members[0] != position:
            continue
        stays = any(
            live[one].kind in _STAYS
            or live[one].id in budget.pinned
            or one >= tail
            or (live[one].kind == CALL_KIND and one not in pairing.closed)
            for one in members
        )
        if not stays:
            out.append([live[one] for one in members])
    return out


def _tail(live: Sequence[Span], tokens: int) -> int:
    """Position where the protected tail starts: ``tokens`` at most, but the last span, which no one has seen yet."""
    size = 0
    for position in range(len(live) - 1, -1, -1):
        size += live[position].mass
        if size > tokens:
            return min(position + 1, len(live) - 1)
    return 0


def _score(span: Span, summary: Vector, terms: Mapping[str, float]) -> float:
    state = KNOWN_KINDS.get(span.kind, "state") == "state"
    distance = 1 - cosine(_vector(span.text), summary)
    return terms["similarity"] * distance + terms.get("structural", 0.0) * (0.0 if state else 1.0)


def _group_score(group: Sequence[Span], scores: Mapping[str, float], terms: Mapping[str, float]) -> float:
    """A structural term protects the whole exchange; similarity looks at the exchange on average."""
    values = [scores[span.id] for span in group]
    return min(values) if terms.get("structural") else sum(values) / len(values)


def _sentences(live: Sequence[Span], pool: Sequence[Span], tokens: int) -> str:
    """The most central sentences of the talk in ``pool`` (of all talk, if it holds none), in their order."""
    talk = [span for span in pool if span.kind in TALK] or [span for span in live if span.kind in TALK]
    found: dict[str, None] = {}
    for span in talk:
        body = span.text.split("\n", 1)[-1] if span.kind == "summary" else span.text
        for match in _SENTENCE.finditer(body):
            sentence = match[0].strip(" \t*#->`|")
            if 20 <= len(sentence) <= 400:
                found.setdefault(sentence)
    sentences = list(found)
    centre = centroid(_vector(sentence) for sentence in sentences)
    order = sorted(range(len(sentences)), key=lambda at: (-round(cosine(_vector(sentences[at]), centre), 6), at))
    taken: list[int] = []
    left = tokens * 4
    for at in order:
        size = len(sentences[at].encode("utf-8", "surrogatepass")) + 3
        if size <= left and all(cosine(_vector(sentences[at]), _vector(sentences[other])) < _TWIN for other in taken):
            taken.append(at)
            left -= size
        if left < 40:
            break
    return "\n".join(f"- {sentences[at]}" for at in sorted(taken))
