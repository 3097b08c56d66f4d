"""A session asked what is left of its evicted spans: built once a request, read lazily, linear in its text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from policylang.evidence import keys
from policylang.evidence.model import Assertion
from policylang.evidence.pointers import Pointers
from policylang.evidence.representation import claims
from policylang.evidence.representation.calls import Calls
from policylang.evidence.representation.clauses import lines
from policylang.evidence.representation.files import Files
from policylang.evidence.representation.index import ClauseIndex, runs
from policylang.evidence.representation.model import Represented, SessionSpan
from policylang.evidence.representation.reader import read, told
from policylang.evidence.representation.status import Question, Scene, questions, status
from policylang.evidence.representation.subjects import Subjects
from policylang.evidence.representation.table import Table
from policylang.evidence.representation.verbatim import Verbatim

__all__ = ["Represented", "Session", "SessionSpan"]


_READ: Final = 200_000
"""Clauses that a session reads for all of its keys: some seconds of work."""
_LEAST_READ: Final = 400


class Session:
    """The spans of a request, indexed for representation. Immutable to its user; answers are kept."""

    def __init__(self, spans: Sequence[SessionSpan]) -> None:
        """Take the spans in session order.

        Raises:
            ValueError: if a span's ``position`` is not its index.
        """
        for number, span in enumerate(spans):
            if span.position != number:
                raise ValueError(f"span {span.id!r} has position {span.position}, but stands at {number}")
        self.spans: Sequence[SessionSpan] = tuple(spans)
        self._tables: dict[str, Table] = {}
        self._answers: dict[int, Represented] = {}

    def represent(self, position: int) -> Represented:
        """What is left of the span at a position in the retained transcript."""
        answer = self._answers.get(position)
        if answer is None:
            answer = self._represent(self.spans[position])
            self._answers[position] = answer
        return answer

    def unsupported(self, position: int) -> tuple[Assertion, ...]:
        """Assertions of a summary, and its completed acts, that no original span holds (SPEC §9)."""
        return claims.unsupported(self.spans[position], self._originals)

    def _represent(self, span: SessionSpan) -> Represented:
        pointed = span.position in self._pointers.targets
        if not span.extraction.assertions:
            kept = not span.extraction.truncated and self._verbatim.keeps(span)
            return Represented("restated" if kept else "referenced" if pointed else "absent", (), ())
        found = [self._status(ask) for ask in questions(span, self._scene.subjects)]
        statuses = tuple(one for one, _ in found)
        return Represented(
            overall(statuses, pointed, span.extraction.truncated), statuses, tuple(where for _, where in found)
        )

    def _status(self, ask: Question) -> tuple[str, str | None]:
        if ask.assertion.type == "write":
            return self._files.status(ask)
        key = ask.assertion.key
        found = status(ask, self._table(key), self._scene)
        if found[0] in ("referenced", "absent") and ask.assertion.type == "id" and key.endswith("_id"):
            # "build bd-4410" gives a build id all the same; such a value can only be itself.
            short = status(ask, self._table(key.removesuffix("_id")), self._scene)
            return short if short[0] == "restated" else found
        return found

    def _table(self, key: str) -> Table:
        table = self._tables.get(key)
        if table is None:
            bounds, names = read(key, self._index, self.spans, self._extracted.get(key, ()), self._most)
            words = told(key)
            common = bool(bounds or names) and len(words) == 1 and not self._rare(words[0])
            table = Table(bounds, names, self.spans, common)
            self._tables[key] = table
        return table

    @cached_property
    def _most(self) -> int:
        """How many clauses are read for one key: all keys together read a bounded number, in whatever order."""
        asked = {one.key for span in self.spans if not span.retained for one in span.extraction.assertions}
        return max(_LEAST_READ, _READ // max(1, len(asked)))

    @cached_property
    def _index(self) -> ClauseIndex:
        return ClauseIndex((span.position, span.text, span.extraction.regions) for span in self._representing)

    @cached_property
    def _representing(self) -> tuple[SessionSpan, ...]:
        return tuple(span for span in self.spans if span.represents and not (span.state and span.extraction.bulk))

    @cached_property
    def _extracted(self) -> dict[str, list[tuple[int, Assertion]]]:
        found: dict[str, list[tuple[int, Assertion]]] = {}
        for span in self._representing:
            for one in span.extraction.assertions:
                found.setdefault(one.key, []).append((span.position, one))
        return found

    @cached_property
    def _pointers(self) -> Pointers:
        prose = (
            (span.position, "\n".join(line for _, line in lines(span.text, span.extraction.regions)))
            for span in self._representing
            if span.prose
        )
        return Pointers(self.spans, prose)

    @cached_property
    def _verbatim(self) -> Verbatim:
        return Verbatim((span for span in self.spans if not span.extraction.assertions), self._representing)

    @cached_property
    def _files(self) -> Files:
        return Files(self._index, self.spans)

    @cached_property
    def _scene(self) -> Scene:
        return Scene(Calls(self.spans), Subjects(self.spans))

    @cached_property
    def _originals(self) -> claims.Originals:
        return claims.Originals(self.spans)

    @cached_property
    def _spread(self) -> dict[str, int]:
        """Word -> number of spans of the session that hold it."""
        count: dict[str, int] = {}
        for span in self.spans:
            for word in {word for run in runs(span.text) for word in keys.words(run)}:
                count[word] = count.get(word, 0) + 1
        return count

    def _rare(self, word: str) -> bool:
        """True if at most 3 spans, or 2 % of the session's, hold the word."""
        return self._spread.get(word, 0) <= max(3, len(self.spans) * 2 // 100)


def overall(statuses: tuple[str, ...], pointed: bool, truncated: bool) -> str:
    """The representation of a span with material assertions, from theirs (SPEC §4)."""
    if "contradicted" in statuses:
        return "contradicted"
    if not truncated and all(one == "restated" for one in statuses):
        return "restated"
    if pointed or "referenced" in statuses:
        return "referenced"
    if "restated" in statuses:
        return "partial"
    return "superseded" if "superseded" in statuses else "absent"
