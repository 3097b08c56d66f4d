"""`Request`: everything a runtime knows when it asks for a decision (``policylang.request/v1``, SPEC §5 and §9)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from policylang.diagnostics import Diagnostic, RequestError
from policylang.source import Source
from policylang.transcript.canonical import digest
from policylang.transcript.jsontext import Path, invalid, locate, parse_json, spell
from policylang.transcript.request_shape import UNKNOWN_FIELD, Problem, read_request
from policylang.transcript.span import Span

SCHEMA = "policylang.request/v1"

MAX_FINDINGS = 100
"""Findings of one request: to find the place of each takes the length of the text."""


@dataclass(frozen=True, slots=True)
class IndexEvidence:
    """What the runtime attests of its rehydration index; None is "not known" in every field.

    Attributes:
        source: `pre_compaction`, `post_compaction` or `mixed`.
        rebuilt: Epoch of the last rebuild from post-compaction text, or ``"never"``.
        covers: Ids of the spans that the index holds.
        verified: Span id -> whether its probes returned it.
        size: Number of spans in the index.
        coverage: Share of the session's original spans that the index holds, in [0, 1].
    """

    source: str | None = None
    rebuilt: int | str | None = None
    covers: frozenset[str] | None = None
    verified: Mapping[str, bool] | None = None
    size: int | None = None
    coverage: float | None = None

    def to_json(self) -> dict[str, Any]:
        out = {name: getattr(self, name) for name in ("source", "rebuilt", "size", "coverage")}
        out["covers"] = sorted(self.covers) if self.covers is not None else None
        out["verified"] = dict(self.verified) if self.verified is not None else None
        return {name: value for name, value in out.items() if value is not None}


@dataclass(frozen=True, slots=True)
class MonitorEvidence:
    """The query log: whether queries are logged, how many are in the window, and their divergence in [0, 1]."""

    enabled: bool | None = None
    queries: int | None = None
    divergence: float | None = None

    def to_json(self) -> dict[str, Any]:
        out = {name: getattr(self, name) for name in ("enabled", "queries", "divergence")}
        return {name: value for name, value in out.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Request:
    """One epoch's question: may these spans be compacted away?

    Attributes:
        epoch: The current epoch, >= 0.
        spans: Every span of the transcript, each with its disposition, in transcript order.
        index, monitor: Evidence about the index and the query log; unknown by default.
        terms: The eviction score's terms and weights, None where the scorer is not known.
        generation: The transcript's generation, to which a verdict is bound.
        transcript: Ids of all spans before, None where `spans` is all there is.

    Raises:
        RequestError: on construction, where the parts do not agree (a duplicate id, a span from the future, …).
    """

    epoch: int
    spans: tuple[Span, ...] = ()
    index: IndexEvidence = IndexEvidence()
    terms: Mapping[str, float] | None = None
    monitor: MonitorEvidence = MonitorEvidence()
    generation: int | None = None
    transcript: tuple[str, ...] | None = None
    ingested: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """Evidence already established for this request, by policy digest and date; a cache, never part of its meaning."""

    def __post_init__(self) -> None:
        parts, findings = read_request(self.to_json())
        findings += _disagreements(_draft(parts))
        if findings:
            raise RequestError(invalid(_worded(path, message), None, help_) for path, message, help_ in findings)

    @classmethod
    def from_json(cls, value: str | bytes | Mapping[str, Any] | Request, name: str = "<request>") -> Request:
        """A request from JSON text, or from the value that JSON text would give.

        Raises:
            RequestError: `invalid-request` diagnostics; with a place in the text where there is one.
        """
        if isinstance(value, Request):
            return value
        source: Source | None = None
        if isinstance(value, bytes):
            try:
                value = value.decode("utf-8")
            except UnicodeDecodeError as error:
                raise RequestError([Diagnostic("bad-encoding", f"{name} is not UTF-8 at byte {error.start}")]) from None
        if isinstance(value, str):
            source = Source(name, value)
            value = parse_json(source)
        parts, problems = read_request(value)
        draft = _draft(parts)
        problems += [(_as_spelled(path, value), message, help_) for path, message, help_ in _disagreements(draft)]
        if not problems:
            return draft
        shown = [
            invalid(_worded(path, message), locate(source, path) if source else None, help_)
            for path, message, help_ in problems[:MAX_FINDINGS]
        ]
        if len(problems) > MAX_FINDINGS:
            shown.append(invalid(f"more than {MAX_FINDINGS} findings; stopped here"))
        raise RequestError(shown)

    def to_json(self) -> dict[str, Any]:
        """The request as ``policylang.request/v1`` spells it; what is not known is left out."""
        out: dict[str, Any] = {"epoch": self.epoch, "spans": [span.to_json() for span in self.spans]}
        parts = {"index": self.index.to_json(), "monitor": self.monitor.to_json()}
        out.update({name: part for name, part in parts.items() if part})
        if self.terms is not None:
            out["scoring"] = {"terms": dict(self.terms)}
        if self.generation is not None:
            out["generation"] = self.generation
        if self.transcript is not None:
            out["transcript"] = list(self.transcript)
        return out

    def digest(self) -> str:
        """``sha256:…`` of the canonical JSON; the verdict names it as ``request``."""
        if "digest" not in self.ingested:
            self.ingested["digest"] = digest(self.to_json())
        return str(self.ingested["digest"])

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self.to_json(),))


def _restore(value: Mapping[str, Any]) -> Request:
    return Request.from_json(value)


def _as_spelled(path: Path, value: Any) -> Path:
    """The path in the form in which the request was given: the document has names of its own."""
    if path[0] == "spans":
        key = "eviction_set" if "eviction_set" in value else "spans"
        item = value[key][path[1]]
        is_span_id = path[2:] == ("id",) and isinstance(item, Mapping) and "span_id" in item
        return (key, path[1], "span_id") if is_span_id else (key, *path[1:])
    if path == ("index", "rebuilt") and "rehydration_index_epoch" in value:
        return ("rehydration_index_epoch",)
    return path


def _draft(parts: Mapping[str, Any]) -> Request:
    """Build without the checks of ``__post_init__``: the caller runs them itself, to place their findings."""
    draft = object.__new__(Request)
    values: dict[str, Any] = {
        "epoch": math.inf,  # nothing lies after an epoch that could not be read
        "spans": (),
        "index": IndexEvidence(**parts.get("index", {})),
        "monitor": MonitorEvidence(**parts.get("monitor", {})),
        "terms": None,
        "generation": None,
        "transcript": None,
        "ingested": {},
    }
    values.update({name: part for name, part in parts.items() if name not in ("index", "monitor")})
    for name, value in values.items():
        object.__setattr__(draft, name, value)
    return draft


def _worded(path: Path, message: str) -> str:
    """The message with its path before it, where it does not name the place itself."""
    place = spell(path)
    if message == UNKNOWN_FIELD:
        return f"{message} `{place}`"
    return message if not path or message.startswith(f"`{place}`") else f"`{place}`: {message}"


def _disagreements(request: Request) -> Iterator[Problem]:
    """What is wrong between the parts of a request; what could not be read is judged by nobody."""
    epoch, rebuilt = request.epoch, request.index.rebuilt
    if isinstance(rebuilt, int) and rebuilt > epoch:
        yield (
            ("index", "rebuilt"),
            f"the index cannot be rebuilt in epoch {rebuilt}, after the current epoch {epoch}",
            None,
        )
    yield from _span_disagreements(request.spans, epoch)


def _span_disagreements(spans: Sequence[Span], epoch: float) -> Iterator[Problem]:
    standing = {span.span_id for span in spans if span.disposition != "evict"}
    seen: set[str] = set()
    for number, span in enumerate(spans):
        at: Path = ("spans", number)
        if span.span_id and span.span_id in seen:
            yield (*at, "id"), f"span id `{span.span_id}` is used twice", "ids are unique in a request"
        seen.add(span.span_id)
        if span.epoch > epoch:
            message = f"span `{span.span_id}` is from epoch {span.epoch}, after the current epoch {epoch}"
            yield (*at, "epoch"), message, None
        for place, target in enumerate(span.represented_by):
            if target not in standing and "" not in standing:
                message = f"span `{span.span_id}` is represented by `{target}`, which is not a retained span"
                yield (*at, "represented_by", place), message, "name retained spans, or leave it out if it is dropped"
