"""Status of write confirmations: a completed act on the same path restates, a mere mention references (SPEC §4)."""

from __future__ import annotations

from collections.abc import Sequence

from policylang.evidence.representation.index import LineIndex
from policylang.evidence.representation.model import SUMMARY, TAIL, SessionSpan
from policylang.evidence.representation.status import ACKS, Question
from policylang.evidence.representation.writes import DELETED, NAMED, WRITTEN, acts, basename, same_path


class Files:
    """The acts on paths in the retained lines, read for one file name at a time."""

    __slots__ = ("_by_name", "_index", "_spans")

    def __init__(self, index: LineIndex, spans: Sequence[SessionSpan]) -> None:
        self._index = index
        self._spans = spans
        self._by_name: dict[str, tuple[tuple[int, str, str], ...]] = {}

    def status(self, ask: Question) -> tuple[str, str | None]:
        """Status of a write, and where it survived."""
        path, where, named, gone = ask.assertion.value, None, False, None
        for position, other, what in self._acts(basename(path)):
            span = self._spans[position]
            if position == ask.span.position or not same_path(path, other):
                continue
            if what == WRITTEN:
                where = SUMMARY if span.kind == "summary" or where == SUMMARY else TAIL
            elif what == DELETED:
                gone = self._gone(ask.span, span, gone)
            elif what == NAMED and span.prose:
                named = True
        if where is not None:
            return "restated", where
        if gone is not None:
            return gone, None
        return ("referenced" if named else "absent"), None

    def _gone(self, span: SessionSpan, later: SessionSpan, before: str | None) -> str:
        """A later state span of the same origin retires the file; anything else that says it is gone contradicts."""
        near = later.chain == span.chain or (later.tool is not None and later.tool == span.tool) or later.kind in ACKS
        if before == "superseded" or (
            later.state and near and (later.epoch, later.position) > (span.epoch, span.position)
        ):
            return "superseded"
        return "contradicted"

    def _acts(self, name: str) -> tuple[tuple[int, str, str], ...]:
        found = self._by_name.get(name)
        if found is None:
            found = tuple(
                (line.span, act.path, act.what)
                for line in (self._index.lines[number] for number in self._index.with_runs(name))
                for phrase in line.phrases
                for act in acts(phrase)
                if basename(act.path) == name
            )
            self._by_name[name] = found
        return found
