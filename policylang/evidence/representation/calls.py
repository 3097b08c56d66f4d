"""Which call a text speaks of: per-call facts (exit code, duration) belong to one call only."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from policylang.evidence.representation.model import SessionSpan
from policylang.evidence.representation.phrases import Phrase


class Calls:
    """The calls of a session: what names them, and which came last in a chain."""

    __slots__ = ("_commands", "_last", "_spans")

    def __init__(self, spans: Sequence[SessionSpan]) -> None:
        self._spans = spans
        self._commands: dict[str, str] = {
            span.tool_call_id: span.text for span in spans if span.kind == "tool_call" and span.tool_call_id
        }
        self._last: dict[tuple[str, str], list[int]] = {}
        for span in spans:
            if span.state:
                for key in sorted({one.key for one in span.extraction.assertions if one.per_call}):
                    self._last.setdefault((key, span.chain), []).append(span.position)

    def named(self, phrase: Phrase, span: SessionSpan) -> bool:
        """True if the clause holds the span's id, its call's id, its tool's name or the program that it ran."""
        names = {span.id, span.tool_call_id, span.tool}
        names.update(_programs(self._commands.get(span.tool_call_id or "", "")))
        return any(token.text in names for token in phrase.tokens if len(token.text) > 1)

    def last(self, key: str, chain: str, before: int) -> int | None:
        """Position of the nearest preceding state span of a chain with an assertion of the key."""
        places = self._last.get((key, chain), [])
        number = bisect_left(places, before)
        return places[number - 1] if number else None


@lru_cache(maxsize=4096)
def _programs(command: str) -> tuple[str, ...]:
    """The first two words of a call: the tool, and the program that a shell ran."""
    return tuple(word.strip("\"'{}:,") for word in command.split(None, 2)[:2])
