"""Facts: what the evaluators see of a request, under one policy. Unknown is ``None`` in every field.

What every request states (a span's kind, its epoch) is a plain slot, as quick to read as an attribute can be. What
evidence must establish is lazy: computed on first reading by the facts' ``resolve(facts, name)`` and kept, so a policy
pays only for the evidence that its rules read. Facts built by hand (tests, columns) set all fields and resolve none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

Resolver = Callable[[Any, str], Any]


def _unset(_facts: Any, name: str) -> Any:
    raise AttributeError(f"fact {name!r} was not set and nothing resolves it")


def lazy(name: str) -> Any:
    """A field that is kept in the slot ``_name`` once it is set or was resolved."""
    slot = f"_{name}"
    read = attrgetter(slot)

    def get(self: Facts) -> Any:
        try:
            return read(self)
        except AttributeError:
            pass
        # Outside the handler, so that an error of the evidence is not chained to an empty slot.
        value = self._resolve(self, name)
        setattr(self, slot, value)
        return value

    def keep(self: Facts, value: Any) -> None:
        setattr(self, slot, value)

    return property(get, keep)


class Facts:
    """The base of all facts: values by name, and what resolves the rest."""

    __slots__ = ("_resolve",)
    _resolve: Resolver

    def __init__(self, resolve: Resolver | None = None, **values: Any) -> None:
        self._resolve = resolve or _unset
        for name, value in values.items():
            setattr(self, name, value)


class AssertionFacts(Facts):
    """One assertion: `entity key value type status`, with the data that evidence needs in ``data``."""

    __slots__ = (
        "_status", "data", "entity", "key", "span", "type", "value"
    )  # fmt: skip
    data: Any
    entity: str | None
    key: str
    value: str
    type: str
    span: SpanFacts
    status: str | None = lazy("status")


class SpanFacts(Facts):
    """One span. ``klass`` is the language's `class`; ``meta`` maps key to text; ``span`` is the original `Span`.

    ``evicted``, ``retained`` and ``spilled`` say where it stands; a spilled span is in neither list (SPEC §2).
    """

    __slots__ = (
        "_anchor", "_anchor_by", "_assertions", "_assertions_truncated", "_bulk", "_call_open", "_chain",
        "_indexed", "_kept_verbatim", "_loss", "_pair_split", "_representation", "_tokens", "_tool",
        "_verified", "age", "epoch", "evicted", "id", "kind", "klass", "meta", "position", "retained", "span",
        "spilled", "text", "tool_call_id"
    )  # fmt: skip
    id: str
    kind: str
    klass: str
    text: str
    epoch: int
    age: int
    tool_call_id: str | None
    position: int
    meta: Mapping[str, str]
    evicted: bool
    retained: bool
    spilled: bool
    span: Any
    chain: ChainFacts = lazy("chain")
    tokens: int = lazy("tokens")
    loss: float | None = lazy("loss")
    anchor: bool = lazy("anchor")
    anchor_by: Sequence[str] = lazy("anchor_by")
    assertions: Sequence[AssertionFacts] = lazy("assertions")
    assertions_truncated: bool = lazy("assertions_truncated")
    bulk: bool = lazy("bulk")
    representation: str | None = lazy("representation")
    indexed: bool | None = lazy("indexed")
    verified: bool | None = lazy("verified")
    tool: str | None = lazy("tool")
    pair_split: bool = lazy("pair_split")
    call_open: bool = lazy("call_open")
    kept_verbatim: bool = lazy("kept_verbatim")


class ChainFacts(Facts):
    """One causal chain. ``epsilon_of(kind, by, excluded)`` is ε for one budget, unknown as None."""

    __slots__ = (
        "_anchors", "_epsilon", "_evicted_anchors", "epsilon_of", "evicted", "id", "spans"
    )  # fmt: skip
    id: str
    spans: Sequence[SpanFacts]
    evicted: Sequence[SpanFacts]
    epsilon_of: Callable[[str, str, tuple[str, ...]], float | None]
    anchors: Sequence[SpanFacts] = lazy("anchors")
    evicted_anchors: Sequence[SpanFacts] = lazy("evicted_anchors")
    epsilon: float | None = lazy("epsilon")


class IndexFacts(Facts):
    """`index`; ``rebuilt`` is -inf and ``epochs_since_rebuild`` inf where the index was never rebuilt."""

    __slots__ = (
        "_coverage", "_epochs_since_rebuild", "_rebuilt", "_size", "_source"
    )  # fmt: skip
    source: str | None = lazy("source")
    rebuilt: int | float | None = lazy("rebuilt")
    epochs_since_rebuild: int | float | None = lazy("epochs_since_rebuild")
    size: int | None = lazy("size")
    coverage: float | None = lazy("coverage")


class ScoringFacts(Facts):
    """`scoring`; ``terms`` are the names of its terms, sorted."""

    __slots__ = (
        "_anchor_auc", "_structural", "_structural_weight", "_terms"
    )  # fmt: skip
    terms: Sequence[str] | None = lazy("terms")
    structural: bool | None = lazy("structural")
    structural_weight: float | None = lazy("structural_weight")
    anchor_auc: float | None = lazy("anchor_auc")


class MonitorFacts(Facts):
    """`monitor`; ``probe_divergence`` is what question probes found on a cold start, unknown without an index."""

    __slots__ = (
        "_divergence", "_enabled", "_probe_divergence", "_queries"
    )  # fmt: skip
    enabled: bool | None = lazy("enabled")
    queries: int | None = lazy("queries")
    divergence: float | None = lazy("divergence")
    probe_divergence: float | None = lazy("probe_divergence")


class IntegrityFacts(Facts):
    """What the epoch-wide integrity rules read; ``gain`` is infinite where nothing is evicted, so none is asked.

    ``claims`` spells the unsupported claims, ``lost`` the ids of the spans that are unaccounted for.
    """

    __slots__ = (
        "_claims", "_gain", "_lost", "_unaccounted", "_unsupported_claims"
    )  # fmt: skip
    claims: Sequence[str] = lazy("claims")
    lost: Sequence[str] = lazy("lost")
    unsupported_claims: int = lazy("unsupported_claims")
    unaccounted: int = lazy("unaccounted")
    gain: float | None = lazy("gain")


class World(Facts):
    """All that a policy can see of one request. Lists are in span position order, chains by id."""

    __slots__ = (
        "_anchors", "_chains", "_evicted_by_kind", "data", "epoch", "evicted", "index", "integrity", "monitor",
        "retained", "scoring", "spans",
    )  # fmt: skip
    _evicted_by_kind: dict[str, list[SpanFacts]]
    epoch: int
    spans: Sequence[SpanFacts]
    evicted: Sequence[SpanFacts]
    retained: Sequence[SpanFacts]
    index: IndexFacts
    scoring: ScoringFacts
    monitor: MonitorFacts
    integrity: IntegrityFacts
    data: Any
    anchors: Sequence[SpanFacts] = lazy("anchors")
    chains: Sequence[ChainFacts] = lazy("chains")

    @property
    def evicted_by_kind(self) -> Mapping[str, Sequence[SpanFacts]]:
        """The evicted spans of each kind that occurs among them, in span position order; grouped once a world."""
        try:
            return self._evicted_by_kind
        except AttributeError:
            groups: dict[str, list[SpanFacts]] = {}
            for span in self.evicted:
                groups.setdefault(span.kind, []).append(span)
            self._evicted_by_kind = groups
            return groups


ATTRIBUTE: Final[dict[str, str]] = {"class": "klass"}
"""Language field name -> attribute of the facts, where they differ."""
