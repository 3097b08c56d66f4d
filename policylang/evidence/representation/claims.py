"""Claims of a summary that nothing supports: assertions whose key and value no original span holds (SPEC §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from policylang.evidence import keys, values
from policylang.evidence.model import Assertion
from policylang.evidence.representation.index import ClauseIndex, Entry
from policylang.evidence.representation.model import SessionSpan
from policylang.evidence.representation.reader import bucket, equal
from policylang.evidence.representation.writes import basename, is_path, same_path

_DENSE: Final = frozenset({"id", "checksum", "url", "path", "timestamp", "ip"})
_NEAR: Final = 2


class Originals:
    """The texts that a summary may rest on: every span but summaries, calls and pointers; of these the restated lines.

    Bulk counts here: what was read from a file is evidence of what the file says.
    """

    __slots__ = ("_by_key", "index")

    def __init__(self, spans: Sequence[SessionSpan]) -> None:
        self.index = ClauseIndex((span.position, _original(span), ()) for span in spans)
        self._by_key: dict[tuple[str, str], list[Assertion]] = {}
        for span in spans:
            if span.kind not in ("summary", "tool_call", "pointer"):
                for one in span.extraction.assertions:
                    self._by_key.setdefault((one.key, bucket(one.type, one.value)), []).append(one)

    def asserted(self, claim: Assertion) -> bool:
        """True if an original span asserts the same key and value."""
        known = self._by_key.get((claim.key, bucket(claim.type, claim.value)), ())
        return any(equal(claim, one) and claim.polarity == one.polarity for one in known)

    def near(self, claim: Assertion) -> bool:
        """True if an original holds the value, and the key's words within two clauses of it."""
        entries = self.index.entries
        wanted = set(keys.words(claim.key))
        for number in self._holding(claim):
            if claim.type in _DENSE:
                return True
            span = entries[number].span
            words: set[str] = set()
            for other in entries[max(0, number - _NEAR) : number + _NEAR + 1]:
                if other.span == span:
                    words.update(other.phrase.words)
            if wanted <= words:
                return True
        return False

    def written(self, path: str) -> bool:
        """True if an original names the path."""
        return any(
            is_path(token) and same_path(path, token.text)
            for number in self.index.with_runs(basename(path))
            for token in self.index.entries[number].phrase.tokens
        )

    def _holding(self, claim: Assertion) -> list[int]:
        """Clauses that hold the value as a whole token, in any spelling that keeps its words or its key's."""
        candidates = sorted(
            {*self.index.with_words(keys.words(claim.raw)), *self.index.with_words(keys.words(claim.key))}
        )
        return [number for number in candidates if _holds(self.index.entries[number], claim)]


def _holds(entry: Entry, claim: Assertion) -> bool:
    for token in entry.phrase.tokens:
        if token.text == claim.raw:
            return True
        typed = values.classify(token.text, claim.key)
        if typed is not None and values.same(claim.type, claim.value, typed[0], typed[1]):
            return True
    return False


def _original(span: SessionSpan) -> str:
    if span.kind in ("summary", "tool_call"):
        return ""
    if span.kind == "pointer":
        return "\n".join(line for line in span.text.split("\n") if not line.lstrip().startswith("spill://"))
    return span.text


def unsupported(summary: SessionSpan, originals: Originals) -> tuple[Assertion, ...]:
    """The claims of a summary that no original supports, in order of place."""
    found = []
    for claim in summary.extraction.assertions:
        if claim.type == "write":
            supported = originals.asserted(claim) or originals.written(claim.value)
        else:
            supported = originals.asserted(claim) or originals.near(claim)
        if not supported:
            found.append(claim)
    return tuple(found)
