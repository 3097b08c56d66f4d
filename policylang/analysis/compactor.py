"""What compactors have in common: their aim, their proposal, and what goes together.

Compactors ask no policy; they are what the gate has to deal with. They are realistic in what runtimes do: calls stay
with their results, open calls, instructions, pointers and the most recent tail stay, and the summary is made of
sentences of the evicted text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from policylang.analysis.embed import Vector, centroid, cosine, embed
from policylang.evidence.pairs import CALL_KIND, pair
from policylang.transcript.span import Span
from policylang.transcript.vocabulary import KNOWN_KINDS

TALK: Final = frozenset(("reasoning", "assistant_message", "summary"))
"""Kinds whose sentences a summary is made of."""

STAYS: Final = frozenset(("system", "user_message", "pointer"))
"""Kinds that no compactor proposes."""

_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?](?!\s|$)[^\n.!?]*)*[.!?]*")
_TRIM = " \t*#->`|"
_TWIN = 0.8


@dataclass(frozen=True, slots=True)
class Budget:
    """What a compactor aims at.

    Attributes:
        keep_tokens: Size that the transcript should have afterwards.
        summary_tokens: Size that the epoch's summary may have.
        epsilon: The compactor's own bound on loss, in (0, 1]; over the epoch or by causal chain is its own choice.
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
        losses: Loss in [0, 1] of every evicted span: its cosine distance to what stands for it, 1 where nothing does.
        represented: Ids of the evicted spans that the summary stands for; the others are dropped.
        aggregate: Σ loss · tokens over the evicted spans ÷ Σ tokens over all that the compactor's ε counts.
        terms: The score's terms and weights.
    """

    evict: tuple[str, ...]
    summary: Span | None
    scores: Mapping[str, float]
    losses: Mapping[str, float]
    represented: frozenset[str]
    aggregate: float
    terms: Mapping[str, float]


Compactor = Callable[[Sequence[Span], int, Budget], Proposal]


@lru_cache(maxsize=1 << 14)
def vector_of(text: str) -> Vector:
    """The vector of a text; most are asked for again in the next epoch."""
    return embed(text)


def is_state(span: Span) -> bool:
    """Whether a span establishes state by its kind; a kind that is not known does (SPEC §3)."""
    return KNOWN_KINDS.get(span.kind, "state") == "state"


def sentences_of(span: Span) -> list[str]:
    """The sentences of a span, in order; a summary's without its heading."""
    body = span.text.split("\n", 1)[-1] if span.kind == "summary" else span.text
    found = (match[0].strip(_TRIM) for match in _SENTENCE.finditer(body))
    return [sentence for sentence in found if sentence]


def summary_of(epoch: int, lines: Sequence[str]) -> Span:
    """The summary that an epoch leaves."""
    return Span(f"summary-{epoch}", "summary", "\n".join((f"Summary of epoch {epoch}:", *lines)), epoch)


def groups(live: Sequence[Span], budget: Budget, stays: frozenset[str] = STAYS) -> list[Sequence[Span]]:
    """What can go, in pieces that go together: a batch of calls with its results, or a single span."""
    pairing = pair(live)
    tail = _tail(live, budget.keep_tokens // 4)
    out: list[Sequence[Span]] = []
    for position in range(len(live)):
        members = pairing.partners(position) or (position,)
        if members[0] != position:
            continue
        bound = any(
            live[one].kind in stays
            or live[one].id in budget.pinned
            or one >= tail
            or (live[one].kind == CALL_KIND and one not in pairing.closed)
            for one in members
        )
        if not bound:
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


def central_sentences(live: Sequence[Span], pool: Sequence[Span], tokens: int) -> list[str]:
    """The most central sentences of the talk in ``pool`` (of all talk, if it holds none), in their order."""
    talk = [span for span in pool if span.kind in TALK] or [span for span in live if span.kind in TALK]
    found = dict.fromkeys(sentence for span in talk for sentence in sentences_of(span) if 20 <= len(sentence) <= 400)
    sentences = list(found)
    centre = centroid(vector_of(sentence) for sentence in sentences)
    order = sorted(range(len(sentences)), key=lambda at: (-round(cosine(vector_of(sentences[at]), centre), 6), at))
    taken: list[int] = []
    left = tokens * 4
    for at in order:
        size = len(sentences[at].encode("utf-8", "surrogatepass")) + 3
        if size <= left and all(
            cosine(vector_of(sentences[at]), vector_of(sentences[other])) < _TWIN for other in taken
        ):
            taken.append(at)
            left -= size
        if left < 40:
            break
    return [f"- {sentences[at]}" for at in sorted(taken)]
