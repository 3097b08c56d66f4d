"""Which call a text speaks of: per-call facts (exit code, duration) belong to one call only."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from policylang.evidence.model import Assertion
from policylang.evidence.representation.lexicon import RUN_TOTALS
from policylang.evidence.representation.model import SessionSpan
from policylang.evidence.representation.phrases import Phrase


def is_per_call(fact: Assertion) -> bool:
    """True for a fact of its call alone: what the extractor says is one, and the totals of a run of tests."""
    return fact.per_call or (fact.type in ("count", "number") and fact.key in RUN_TOTALS)


class Calls:
    """The calls of a session: what names them, and which came last in a chain."""

    __slots__ = ("_commands", "_last", "spans")

    def __init__(self, spans: Sequence[SessionSpan]) -> None:
        """Read the calls of a session, by position."""
        self.spans = spans
        self._commands: dict[str, str] = {
            span.tool_call_id: span.text for span in spans if span.kind == "tool_call" and span.tool_call_id
        }
        self._last: dict[tuple[str, str], list[int]] = {}
        for span in spans:
            if span.state:
                for key in sorted({one.key for one in span.extraction.assertions if is_per_call(one)}):
                    self._last.setdefault((key, span.chain), []).append(span.position)

    def names(self, span: SessionSpan) -> tuple[str, ...]:
        """What names the call that produced a span, in lower case: its id, the span's, the tool, the program it ran."""
        found = {span.id, span.tool_call_id or "", span.tool or ""}
        found.update(_programs(self._commands.get(span.tool_call_id or "", "")))
        return tuple(sorted(name.lower() for name in found if len(name) > 1))

    def speaks_of(self, other: SessionSpan, phrase: Phrase | None, span: SessionSpan, key: str) -> bool:
        """True if a text speaks of the call that produced a span: it names it, or comes next in its chain."""
        if other.state:
            return other.tool_call_id is not None and other.tool_call_id == span.tool_call_id
        if phrase is not None:
            names = self.names(span)
            if any(token.low in names for token in phrase.tokens):
                return True
        return other.chain == span.chain and self._before(key, other) == span.position

    def _before(self, key: str, other: SessionSpan) -> int | None:
        places = self._last.get((key, other.chain), [])
        number = bisect_left(places, other.position)
        return places[number - 1] if number else None


@lru_cache(maxsize=4096)
def _programs(command: str) -> tuple[str, ...]:
    """The first two words of a call: the tool, and the program that a shell ran."""
    return tuple(word.strip("\"'{}:,") for word in command.split(None, 2)[:2])
