"""Status of write confirmations: a completed act on the same path restates, a mere mention references (SPEC §4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from policylang.evidence.representation.index import ClauseIndex
from policylang.evidence.representation.model import SUMMARY, TAIL, SessionSpan
from policylang.evidence.representation.status import Question
from policylang.evidence.representation.table import supersedes
from policylang.evidence.representation.writes import (
    DELETED,
    NAMED,
    WRITTEN,
    acts,
    basename,
    heads,
    is_item,
    plain_path,
)

_LIST: Final = 40
"""How far above an item its heading may stand, in clauses."""


class Files:
    """The acts on paths in the retained clauses, read for one file name at a time."""

    __slots__ = ("_by_name", "_index", "_spans", "_written")

    def __init__(self, index: ClauseIndex, spans: Sequence[SessionSpan]) -> None:
        self._index = index
        self._spans = spans
        self._by_name: dict[str, Acts] = {}
        self._written: dict[str, set[str]] | None = None

    def status(self, ask: Question) -> tuple[str, str | None]:
        """Status of a write, and where it survived."""
        where, named, gone = None, False, None
        for position, what, bare in self._acts(basename(ask.assertion.value)).on(ask.assertion.value):
            span = self._spans[position]
            if position == ask.span.position:
                continue
            if what == WRITTEN:
                where = SUMMARY if span.kind == "summary" or where == SUMMARY else TAIL
            elif what == DELETED and gone != "superseded":
                gone = "superseded" if supersedes(span, ask.span) else "contradicted"
            elif what == NAMED and span.prose:
                named = named or not bare or not self._several(basename(ask.assertion.value))
        if where is not None:
            return "restated", where
        if gone is not None:
            return gone, None
        return ("referenced" if named else "absent"), None

    def _several(self, name: str) -> bool:
        """True if the session wrote several files of one name: the bare name is none of them."""
        if self._written is None:
            self._written = {}
            for span in self._spans:
                for one in span.extraction.assertions:
                    if one.type == "write":
                        self._written.setdefault(basename(one.value), set()).add(plain_path(one.value))
        paths = self._written.get(name, set())
        # A relative path beside the absolute one is the same file.
        return sum(not any(other != path and other.endswith("/" + path) for other in paths) for path in paths) > 1

    def _acts(self, name: str) -> Acts:
        found = self._by_name.get(name)
        if found is None:
            found = Acts()
            for number in self._index.with_runs(name):
                entry = self._index.entries[number]
                for act in acts(entry.phrase):
                    if basename(act.path) == name:
                        what = WRITTEN if act.what == NAMED and self._listed(number) else act.what
                        found.add(plain_path(act.path), entry.span, what)
            self._by_name[name] = found
        return found

    def _listed(self, number: int) -> bool:
        """True for an item of a list whose heading says that its files were written."""
        entries = self._index.entries
        span = entries[number].span
        for before in range(number, max(-1, number - _LIST), -1):
            entry = entries[before]
            if entry.span != span or not is_item(entry.phrase):
                return before < number and entry.span == span and heads(entry.phrase)
        return False


class Acts:
    """Acts on files of one name, found by path or by any suffix of it at a `/`."""

    __slots__ = ("_by_path", "_by_suffix")

    def __init__(self) -> None:
        self._by_path: dict[str, dict[tuple[int, str], None]] = {}
        self._by_suffix: dict[str, dict[tuple[int, str], None]] = {}

    def add(self, path: str, span: int, what: str) -> None:
        """Record that a span speaks of a path."""
        self._by_path.setdefault(path, {})[span, what] = None
        for suffix in _suffixes(path):
            self._by_suffix.setdefault(suffix, {})[span, what] = None

    def on(self, path: str) -> list[tuple[int, str, bool]]:
        """Span, act and whether only the bare name stands there, of every path that fits: this one or a suffix."""
        plain = plain_path(path)
        found = dict.fromkeys(self._by_suffix.get(plain, {}), False)
        for suffix in _suffixes(plain):
            for act in self._by_path.get(suffix, {}):
                bare = "/" not in suffix and suffix != plain
                found[act] = bare and found.get(act, True)
        return sorted((span, what, bare) for (span, what), bare in found.items())


def _suffixes(path: str) -> list[str]:
    found = [path]
    at = path.find("/")
    while at != -1:
        found.append(path[at + 1 :])
        at = path.find("/", at + 1)
    return [suffix for suffix in found if suffix]
