"""A compactor that keeps conditions 2 and 3 of the document: state last, and ε by causal chain.

The score has three terms. `structural` (0.6) outweighs the others together, so that no span which holds a fact goes
before one which holds none, however old or off the topic it is; a result that asserts nothing, and can be read again,
stands between. `age` (0.25) is next: what was established long ago is asked for less than what is being worked with.
`similarity` (0.15) settles the rest, as in the heuristic.

ε licenses the loss of reasoning alone. A reasoning span goes only where the summary carries an extract of its own, the
span's central sentences, whose cosine distance to the span keeps the span's causal chain within ε; or, where its chain
is large enough for that, without any. An exchange of calls and results goes without an extract: nothing bounds what is
lost with it, and the gate has to answer for it. Summaries stay: an extract of an extract could not be measured against
spans that are gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from policylang.analysis.compactor import (
    STAYS,
    Budget,
    Proposal,
    central_sentences,
    groups,
    is_state,
    sentences_of,
    summary_of,
    vector_of,
)
from policylang.analysis.embed import Vector, cosine
from policylang.evidence.chains import epsilon
from policylang.evidence.ingest import Ingested, ingest
from policylang.transcript.request import Request
from policylang.transcript.span import Span
from policylang.transcript.vocabulary import KNOWN_KINDS

TERMS: Final[Mapping[str, float]] = MappingProxyType({"structural": 0.6, "age": 0.25, "similarity": 0.15})

ANCHOR_TYPES: Final = frozenset(("version", "id", "checksum", "boolean"))
"""What makes a span of any kind state-establishing (condition 2)."""

OLD: Final = 4
"""Epochs after which a span is as old as it gets."""

_WORTH = 0.9
"""An extract longer than this share of its span is not worth having."""
_FEW = 16
"""Sentences of a span among which every next best one is looked for; of more, they go by their likeness alone."""

Group = Sequence[Span]


@dataclass(frozen=True, slots=True)
class Extract:
    """What is left of a reasoning span: its line in the summary (empty if dropped), and the loss in [0, 1]."""

    text: str
    loss: float

    @property
    def mass(self) -> int:
        """Tokens of the line."""
        return -(-len(self.text.encode("utf-8", "surrogatepass")) // 4)


def structural(live: Sequence[Span], epoch: int, budget: Budget) -> Proposal:
    """Evict reasoning within the ε of its chain, then results that can be read again, then the oldest facts."""
    evidence = _ingest(live, epoch)
    pieces = groups(live, budget, STAYS | {"summary"})
    pool = [span for group in pieces for span in group]
    draft = vector_of("\n".join(central_sentences(live, pool, budget.summary_tokens)))
    scores = {span.id: round(_score(span, epoch, draft, evidence), 6) for span in pool}
    # The member that is most worth keeping protects the whole exchange.
    ranked = sorted(pieces, key=lambda group: (-min(scores[span.id] for span in group), group[0].id))
    gone, extracts = _choose(live, ranked, budget, evidence)
    _respect(live, epoch, budget, gone, extracts)
    losses = {name: extracts[name].loss if name in extracts else 1.0 for name in sorted(gone)}
    reasoning = [span for span in live if is_reasoning(span)]
    mass = sum(span.mass for span in reasoning)
    lost = sum(losses.get(span.id, 0.0) * span.mass for span in reasoning)
    return Proposal(
        evict=tuple(span.id for span in live if span.id in gone),
        summary=_summary(live, epoch, extracts),
        scores=scores,
        losses=losses,
        represented=frozenset(name for name, extract in extracts.items() if extract.text),
        aggregate=round(lost / mass, 6) if mass else 0.0,
        terms=TERMS,
    )


def is_reasoning(span: Span) -> bool:
    """Whether ε may license the loss of a span."""
    return KNOWN_KINDS.get(span.kind) == "reasoning"


def _ingest(spans: Sequence[Span], epoch: int) -> Ingested:
    """The evidence as the gate will see it: the same chains, from a draft of the request."""
    return ingest(Request(epoch, tuple(replace(span, disposition="retain") for span in spans)))


def _score(span: Span, epoch: int, draft: Vector, evidence: Ingested) -> float:
    values = {
        "structural": _freedom(span, evidence),
        "age": min(1.0, max(0, epoch - span.epoch) / OLD),
        "similarity": 1 - cosine(vector_of(span.text), draft),
    }
    return sum(weight * values[term] for term, weight in TERMS.items())


def _freedom(span: Span, evidence: Ingested) -> float:
    """0 for a span that establishes state, 1/2 for a result that asserts nothing, 1 for the rest."""
    facts = evidence.extraction(evidence.position[span.id]).assertions
    if is_state(span):
        return 0.0 if facts else 0.5
    return 0.0 if is_reasoning(span) and any(item.type in ANCHOR_TYPES for item in facts) else 1.0


# --- choosing ----------------------------------------------------------------------------------------------------


def _choose(
    live: Sequence[Span], ranked: Sequence[Group], budget: Budget, evidence: Ingested
) -> tuple[set[str], dict[str, Extract]]:
    """Ids of what goes, until the transcript is small enough, and the extracts of the reasoning among it."""
    chain = dict(zip((span.id for span in live), evidence.chains, strict=True))
    left: dict[str, float] = {}  # chain -> loss · tokens that it may still take
    for span in live:
        if is_reasoning(span):
            left[chain[span.id]] = left.get(chain[span.id], 0.0) + budget.epsilon * span.mass
    gone: set[str] = set()
    extracts: dict[str, Extract] = {}
    size, room = sum(span.mass for span in live), budget.summary_tokens
    for group in ranked:
        if size <= budget.keep_tokens:
            break
        found: dict[str, Extract] = {}
        for span in group:
            if is_reasoning(span):
                extract = _extract(span, left[chain[span.id]], room)
                if extract is not None:
                    found[span.id] = extract
        if any(is_reasoning(span) and span.id not in found for span in group):
            continue
        for span in group:
            gone.add(span.id)
            size -= span.mass
            if span.id in found:
                extracts[span.id] = found[span.id]
                size += found[span.id].mass
                room -= found[span.id].mass
                left[chain[span.id]] -= found[span.id].loss * span.mass
    return gone, extracts


def _extract(span: Span, allowed: float, room: int) -> Extract | None:
    """The shortest extract that loses no more than ``allowed`` (loss · tokens) and fits; None if none was found."""
    if span.mass <= allowed:
        return Extract("", 1.0)
    goal, sentences = vector_of(span.text), sentences_of(span)
    limit = min(room, int(span.mass * _WORTH))
    for taken in _growing(sentences, goal):
        text = "- " + " ".join(sentences[at] for at in taken)
        extract = Extract(text, round(1 - cosine(vector_of(text), goal), 6))
        if extract.mass > limit:
            return None
        if extract.loss * span.mass <= allowed:
            return extract
    return None


def _growing(sentences: Sequence[str], goal: Vector) -> Iterator[list[int]]:
    """Extracts that grow by a sentence at a time: the one that brings them closest to the span."""
    order = sorted(range(len(sentences)), key=lambda at: (-round(cosine(vector_of(sentences[at]), goal), 6), at))
    taken: list[int] = []
    while order:
        best = order[0]
        if len(order) > 1 and len(sentences) <= _FEW:
            best = max(order, key=lambda at: (round(_likeness(sentences, [*taken, at], goal), 6), -at))
        order.remove(best)
        taken = sorted((*taken, best))
        yield taken


def _likeness(sentences: Sequence[str], taken: Sequence[int], goal: Vector) -> float:
    return cosine(vector_of(" ".join(sentences[at] for at in sorted(taken))), goal)


# --- respecting ε --------------------------------------------------------------------------------------------------


def _summary(live: Sequence[Span], epoch: int, extracts: Mapping[str, Extract]) -> Span | None:
    lines = [extracts[span.id].text for span in live if span.id in extracts and extracts[span.id].text]
    return summary_of(epoch, lines) if lines else None


def _respect(live: Sequence[Span], epoch: int, budget: Budget, gone: set[str], extracts: dict[str, Extract]) -> None:
    """Lets off the costliest span of each chain that is beyond ε, until none is.

    The summary is a span of the request too. The values in it can part chains that were one without it: a value that
    too many spans use names no chain.
    """
    while extracts:
        summary = _summary(live, epoch, extracts)
        chains = _ingest([*live, *([summary] if summary is not None else [])], epoch).chains
        members: dict[str, list[Span]] = {}
        for span, name in zip(live, chains, strict=False):
            if is_reasoning(span):
                members.setdefault(name, []).append(span)
        beyond = [spans for spans in members.values() if _epsilon(spans, extracts) > budget.epsilon]
        if not beyond:
            return
        for spans in beyond:
            lossy = [span for span in spans if span.id in extracts]
            worst = max(lossy, key=lambda span: (extracts[span.id].loss * span.mass, span.id))
            del extracts[worst.id]
            gone.discard(worst.id)


def _epsilon(spans: Sequence[Span], extracts: Mapping[str, Extract]) -> float:
    """ε of a chain's reasoning, computed as the gate does, so that no rounding parts the two."""
    evicted = [(span.mass, extracts[span.id].loss) for span in spans if span.id in extracts]
    return epsilon(evicted, sum(span.mass for span in spans)) or 0.0
