"""`Span`: one entry of a transcript, with the document's four fields first (SPEC §6, §9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Span:
    """One span of a transcript.

    The first four fields are the document's, in its order; the others are evidence that a runtime may know.
    ``None`` always means "not known", never a default value.

    Attributes:
        span_id: Unique in a request; JSON calls it ``id``.
        kind: A kind known from the start or declared by a policy; any other word is treated as state.
        text: The span's whole text.
        epoch: Epoch in which the span was created, >= 0.
        disposition: ``"evict"``, ``"retain"`` or None where the runtime has not chosen yet.
        chain: The runtime's own causal chain id.
        parents: Ids of the spans that this one follows from.
        tokens: Mass in tokens; estimated as ceil(UTF-8 bytes / 4) where missing.
        loss: Declared loss in [0, 1] of an evicted span that is represented.
        represented_by: Ids of retained spans that stand for this one; empty means dropped.
        score: The compactor's eviction score (higher is evicted sooner).
        tool: Name of the tool that produced the span.
        tool_call_id: Pairs a call with its results.
        batch: Parallel calls of one batch share it.
        interim: True for a result that does not close its call.
        time: RFC 3339 time stamp.
        meta: Free text values by key, read by policies as ``meta.KEY``.
    """

    span_id: str
    kind: str
    text: str
    epoch: int
    disposition: str | None = field(default=None, kw_only=True)
    chain: str | None = field(default=None, kw_only=True)
    parents: tuple[str, ...] = field(default=(), kw_only=True)
    tokens: int | None = field(default=None, kw_only=True)
    loss: float | None = field(default=None, kw_only=True)
    represented_by: tuple[str, ...] = field(default=(), kw_only=True)
    score: float | None = field(default=None, kw_only=True)
    tool: str | None = field(default=None, kw_only=True)
    tool_call_id: str | None = field(default=None, kw_only=True)
    batch: str | None = field(default=None, kw_only=True)
    interim: bool = field(default=False, kw_only=True)
    time: str | None = field(default=None, kw_only=True)
    meta: Mapping[str, str] = field(default_factory=dict, hash=False, kw_only=True)

    @property
    def id(self) -> str:
        """Alias of ``span_id``, the name that JSON uses."""
        return self.span_id

    @property
    def mass(self) -> int:
        """Tokens of the span: as given, else ceil(UTF-8 bytes / 4) (SPEC §9)."""
        if self.tokens is not None:
            return self.tokens
        return -(-len(self.text.encode("utf-8", "surrogatepass")) // 4)

    def to_json(self) -> dict[str, Any]:
        """The span as a request spells it; fields that are not known are left out."""
        out: dict[str, Any] = {"id": self.span_id, "kind": self.kind, "text": self.text, "epoch": self.epoch}
        for name in ("disposition", "chain", "tokens", "loss", "score", "tool", "tool_call_id", "batch", "time"):
            value = getattr(self, name)
            if value is not None:
                out[name] = value
        if self.parents:
            out["parents"] = list(self.parents)
        if self.represented_by:
            out["represented_by"] = list(self.represented_by)
        if self.interim:
            out["interim"] = True
        if self.meta:
            out["meta"] = dict(self.meta)
        return out
