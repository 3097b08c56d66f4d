"""What can be established of a request before any policy looks at it: pairs, tools, extraction. Once, and lazily."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from policylang.evidence.bulk import frame_keys
from policylang.evidence.calls import is_reading
from policylang.evidence.chains import chain_ids
from policylang.evidence.model import Extraction
from policylang.evidence.pairs import CALL_KIND, Pairing, pair
from policylang.evidence.remembered import extract_once
from policylang.transcript.request import Request
from policylang.transcript.span import Span
from policylang.transcript.vocabulary import KNOWN_KINDS

_KEY = "ingested"


class Ingested:
    """The evidence of one request that no policy can change. Use `ingest`, which keeps it with the request."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.spans: Sequence[Span] = request.spans
        self.position = {span.span_id: number for number, span in enumerate(request.spans)}
        self._extractions: dict[int, Extraction] = {}

    @cached_property
    def pairing(self) -> Pairing:
        """Calls and their results."""
        return pair(self.spans)

    def call_text(self, position: int) -> str | None:
        """The text of the call that produced a span; a call's own text for the call itself."""
        span = self.spans[position]
        if span.kind == CALL_KIND:
            return span.text
        call = self.pairing.call_of.get(position)
        return self.spans[call].text if call is not None else None

    def tool(self, position: int) -> str | None:
        """The tool as given, else as given for the call, else the first word of the call's text (SPEC §9)."""
        span = self.spans[position]
        if span.tool is not None:
            return span.tool
        call = self.pairing.call_of.get(position)
        if call is not None and self.spans[call].tool is not None:
            return self.spans[call].tool
        text = self.call_text(position)
        words = text.split(None, 1) if text is not None else []
        return words[0] if words else None

    def reading(self, position: int) -> bool:
        """Whether the span is the result of a call that reads (its text is bulk but for the exit code)."""
        if self.spans[position].kind == CALL_KIND:
            return False
        return is_reading(self.tool(position), self.call_text(position))

    @cached_property
    def frame(self) -> frozenset[str]:
        """Keys of the harness frame around the session's results, which are bulk."""
        results = [number for number, span in enumerate(self.spans) if KNOWN_KINDS.get(span.kind, "state") == "state"]
        return frame_keys(
            [self._extract(number, frozenset()) for number in results], [self.spans[n].text for n in results]
        )

    def extraction(self, position: int) -> Extraction:
        """The assertions of a span."""
        found = self._extractions.get(position)
        if found is None:
            found = self._extractions[position] = self._extract(position, self.frame)
        return found

    def _extract(self, position: int, frame: frozenset[str]) -> Extraction:
        span = self.spans[position]
        return extract_once(span.text, kind=span.kind, reading=self.reading(position), frame_keys=frame)

    @cached_property
    def chains(self) -> tuple[str, ...]:
        """The chain id of every span."""
        return chain_ids(self.spans, self.pairing, self.extraction)

    @cached_property
    def new(self) -> frozenset[int]:
        """Positions of this epoch's new summaries and pointers: retained, and not part of the transcript before."""
        before = frozenset(self.request.transcript or ())
        return frozenset(
            number
            for number, span in enumerate(self.spans)
            if span.kind in ("summary", "pointer")
            and span.disposition == "retain"
            and span.epoch == self.request.epoch
            and span.span_id not in before
        )


def ingest(request: Request) -> Ingested:
    """The evidence of a request, established once and kept with it."""
    found = request.ingested.get(_KEY)
    if not isinstance(found, Ingested):
        found = request.ingested[_KEY] = Ingested(request)
    return found
