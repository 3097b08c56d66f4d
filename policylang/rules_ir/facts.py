"""Facts: what the evaluators see of a request, under one policy. Unknown is ``None`` in every field.

Fields are slots. One that was not set is computed on first reading by the world's ``resolve`` and kept, so a policy
pays only for the evidence that its rules read; a filled slot costs one attribute access. ``resolve(facts, name)``
returns the value; facts built by hand (tests, columns) set all fields and need none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

Resolver = Callable[[Any, str], Any]


def _unset(_facts: Any, name: str) -> Any:
    raise AttributeError(f"fact {name!r} was not set and nothing resolves it")


class _Lazy:
    __slots__ = ("_resolve",)
    _resolve: Resolver

    def __init__(self, resolve: Resolver | None = None, **values: Any) -> None:
        self._resolve = resolve or _unset
        for name, value in values.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        # Reached only while the slot is empty.
        if name.startswith("__") or name == "_resolve":
            raise AttributeError(name)
        value = self._resolve(self, name)
        setattr(self, name, value)
        return value


class AssertionFacts(_Lazy):
    """One assertion: `entity key value type status`, with the data that evidence needs in ``data``."""

    __slots__ = ("data", "entity", "key", "span", "status", "type", "value")
    entity: str | None
    key: str
    value: str
    type: str
    status: str | None
    span: SpanFacts
    data: Any


class SpanFacts(_Lazy):
    """One span. ``klass`` is the language's `class`; ``meta`` maps key to text; ``span`` is the original `Span`.

    ``evicted``, ``retained`` and ``spilled`` say where it stands; a spilled span is in neither list (SPEC §2).
    """

    __slots__ = (
        "age", "anchor", "anchor_by", "assertions", "assertions_truncated", "bulk", "call_open", "chain", "data",
        "epoch", "evicted", "id", "indexed", "kept_verbatim", "kind", "klass", "loss", "meta", "pair_split", "position",
        "representation", "retained", "span", "spilled", "text", "tokens", "tool", "tool_call_id", "verified",
    )  # fmt: skip
    id: str
    kind: str
    klass: str
    text: str
    epoch: int
    age: int
    chain: ChainFacts
    tokens: int
    loss: float | None
    anchor: bool
    anchor_by: Sequence[str]
    assertions: Sequence[AssertionFacts]
    assertions_truncated: bool
    bulk: bool
    representation: str | None
    indexed: bool | None
    verified: bool | None
    tool: str | None
    tool_call_id: str | None
    position: int
    meta: Mapping[str, str]
    pair_split: bool
    call_open: bool
    kept_verbatim: bool
    evicted: bool
    retained: bool
    spilled: bool
    span: Any
    data: Any


class ChainFacts(_Lazy):
    """One causal chain. ``epsilon_of(kind, by, excluded)`` is ε for one budget, unknown as None."""

    __slots__ = ("anchors", "data", "epsilon", "epsilon_of", "evicted", "evicted_anchors", "id", "spans")
    id: str
    spans: Sequence[SpanFacts]
    evicted: Sequence[SpanFacts]
    anchors: Sequence[SpanFacts]
    evicted_anchors: Sequence[SpanFacts]
    epsilon: float | None
    epsilon_of: Callable[[str, str, tuple[str, ...]], float | None]
    data: Any


class IndexFacts(_Lazy):
    """`index`; ``rebuilt`` is -inf and ``epochs_since_rebuild`` inf where the index was never rebuilt."""

    __slots__ = ("coverage", "epochs_since_rebuild", "rebuilt", "size", "source")
    source: str | None
    rebuilt: int | float | None
    epochs_since_rebuild: int | float | None
    size: int | None
    coverage: float | None


class ScoringFacts(_Lazy):
    """`scoring`; ``terms`` are the names of its terms, sorted."""

    __slots__ = ("anchor_auc", "structural", "structural_weight", "terms")
    terms: Sequence[str] | None
    structural: bool | None
    structural_weight: float | None
    anchor_auc: float | None


class MonitorFacts(_Lazy):
    """`monitor`; ``probe_divergence`` is what question probes found on a cold start, unknown without an index."""

    __slots__ = ("divergence", "enabled", "probe_divergence", "queries")
    enabled: bool | None
    queries: int | None
    divergence: float | None
    probe_divergence: float | None


class IntegrityFacts(_Lazy):
    """What the epoch-wide integrity rules read; ``gain`` is infinite where nothing is evicted, so none is asked.

    ``claims`` spells the unsupported claims, ``lost`` the ids of the spans that are unaccounted for.
    """

    __slots__ = ("claims", "data", "gain", "lost", "unaccounted", "unsupported_claims")
    claims: Sequence[str]
    lost: Sequence[str]
    unsupported_claims: int
    unaccounted: int
    gain: float | None
    data: Any


class World(_Lazy):
    """All that a policy can see of one request. Lists are in span position order, chains by id."""

    __slots__ = (
        "anchors", "chains", "data", "epoch", "evicted", "index", "integrity", "monitor", "retained", "scoring",
        "spans",
    )  # fmt: skip
    epoch: int
    spans: Sequence[SpanFacts]
    evicted: Sequence[SpanFacts]
    retained: Sequence[SpanFacts]
    anchors: Sequence[SpanFacts]
    chains: Sequence[ChainFacts]
    index: IndexFacts
    scoring: ScoringFacts
    monitor: MonitorFacts
    integrity: IntegrityFacts
    data: Any


ATTRIBUTE: Final[dict[str, str]] = {"class": "klass"}
"""Language field name -> attribute of the facts, where they differ."""
