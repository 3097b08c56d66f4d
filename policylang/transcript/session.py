"""`Transcript`: a stream of spans read from a file of some format, with all that was odd about the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO, Self

from policylang.diagnostics import Diagnostic, RequestError
from policylang.source import Loc
from policylang.transcript.span import Span

MAX_ISSUES = 1000
"""How many findings are kept one by one; all are counted."""


@dataclass(slots=True)
class _Seen:
    """One sort of thing that was met: how often, where first, and what became of it."""

    count: int
    loc: Loc | None
    outcome: str


class Issues:
    """What was odd while a transcript was read. Memory is bounded: the first 1 000 findings, and counts by sort.

    Attributes:
        lenient: Malformed records are collected and counted instead of ending the reading.
        malformed_count: Records that could not be read as they stand.
    """

    def __init__(self, lenient: bool = False) -> None:
        self.lenient = lenient
        self.malformed_count = 0
        self._found: list[Diagnostic] = []
        self._dropped = 0
        self._seen: dict[str, _Seen] = {}

    def report(self, diagnostic: Diagnostic) -> None:
        """Keeps a finding."""
        if len(self._found) < MAX_ISSUES:
            self._found.append(diagnostic)
        else:
            self._dropped += 1

    def malformed(self, diagnostic: Diagnostic) -> None:
        """A record that cannot be read as it stands.

        Raises:
            RequestError: where the reading is not lenient.
        """
        if not self.lenient:
            raise RequestError([diagnostic])
        self.malformed_count += 1
        self.report(diagnostic)

    def note(self, what: str, outcome: str, loc: Callable[[], Loc]) -> None:
        """Counts something that is no part of the format as known: ``what`` it is, and its ``outcome``."""
        seen = self._seen.get(what)
        if seen is None:
            self._seen[what] = _Seen(1, loc(), outcome)
        else:
            seen.count += 1

    def counts(self) -> dict[str, int]:
        """How often each noted thing was met, by name."""
        return {what: self._seen[what].count for what in sorted(self._seen)}

    def found(self) -> tuple[Diagnostic, ...]:
        """Findings in the order of the file, then one `info` for each sort of noted thing."""
        out = list(self._found)
        if self._dropped:
            out.append(Diagnostic("syntax-error", f"{self._dropped} more findings were counted and not kept"))
        for what in sorted(self._seen):
            seen = self._seen[what]
            out.append(
                Diagnostic(
                    "unknown-kind",
                    f"{what}: {seen.count}, {seen.outcome}",
                    seen.loc,
                    severity="info",
                    args=(("what", what), ("count", seen.count)),
                )
            )
        return tuple(out)


class Transcript:
    """A session as spans, read lazily and once; use as a context manager to close what it opened.

    Attributes:
        name: The file's name as given.
        format: Id of the format that it was read as.
    """

    def __init__(self, name: str, ident: str, spans: Iterator[Span], issues: Issues, stream: BinaryIO | None) -> None:
        self.name = name
        self.format = ident
        self._spans = spans
        self._issues = issues
        self._stream = stream

    def __iter__(self) -> Iterator[Span]:
        return self._spans

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file if this transcript opened it."""
        if self._stream is not None:
            self._stream.close()

    @property
    def issues(self) -> tuple[Diagnostic, ...]:
        """What was odd in the part that has been read so far."""
        return self._issues.found()

    @property
    def malformed(self) -> int:
        """How many malformed records were met so far; only a lenient reading gets past the first."""
        return self._issues.malformed_count

    @property
    def counts(self) -> dict[str, int]:
        """How often each thing that the format does not know, or that is no part of the talk, was met so far."""
        return self._issues.counts()
