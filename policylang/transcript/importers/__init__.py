"""Importers: one file a format. `open_transcript` finds the right one and yields spans lazily.

A format is a module of this folder with an `ID` in kebab-case, a `TITLE`, ``detect(head, name) -> float`` and
``read(stream, name, issues) -> Iterator[Span]``. It is found by listing the folder; names with a leading underscore are
helpers. Spans come with epoch 0 and without tokens: who replays a session decides on both.
"""

from __future__ import annotations

import gzip
import pkgutil
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from policylang.diagnostics import Diagnostic, RequestError, did_you_mean
from policylang.source import nowhere
from policylang.transcript.importers._shape import peek
from policylang.transcript.session import Issues, Transcript
from policylang.transcript.span import Span

__all__ = ["Importer", "Issues", "Transcript", "detect_format", "formats", "open_transcript"]

_SPOOL = 1 << 24
_SURE = 0.3


class Importer(Protocol):
    """What a format's module offers."""

    ID: str
    TITLE: str

    def detect(self, head: bytes, name: str) -> float:
        """How likely it is this format, from 0 (no) to 1, by the first bytes and the file's name."""

    def read(self, stream: BinaryIO, name: str, issues: Issues) -> Iterator[Span]:
        """The spans of a seekable stream, lazily."""


@cache
def formats() -> dict[str, Importer]:
    """All formats by id, sorted."""
    found: dict[str, Importer] = {}
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            importer = cast(Importer, import_module(f"{__name__}.{module.name}"))
            found[importer.ID] = importer
    return dict(sorted(found.items()))


def detect_format(head: bytes, name: str) -> str | None:
    """The id of the likeliest format; None if none is likely or the stream is empty."""
    if _blank(head):
        return None
    scores = {ident: importer.detect(head, name) for ident, importer in formats().items()}
    best = max(scores.values())
    return next(ident for ident, score in scores.items() if score == best) if best >= _SURE else None


def open_transcript(
    path: str | Path | BinaryIO,
    format: str | None = None,  # noqa: A002 - the word that users know
    lenient: bool = False,
) -> Transcript:
    """Opens a session file (or binary stream; gzip is seen through) as a stream of spans.

    Args:
        path: A path, or a binary stream, which stays open when the transcript is closed.
        format: Id of the format; found by looking into the file where it is left out.
        lenient: Collect and count malformed records instead of raising at the first.

    Raises:
        RequestError: the file is of no known format (`invalid-request`), or, while iterating, its first malformed
            record (`syntax-error`, `bad-encoding`).
        OSError: the file cannot be opened.
    """
    owned: BinaryIO | None = None
    if isinstance(path, (str, Path)):
        name = str(path)
        owned = cast(BinaryIO, Path(path).open("rb"))  # noqa: SIM115 - the transcript closes it
        stream = owned
    else:
        stream, name = path, str(getattr(path, "name", "-"))
    try:
        stream = _seekable(stream)
        head = peek(stream)
        if head.startswith(b"\x1f\x8b"):
            stream = cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb"))
            head = peek(stream)
        chosen = _choose(format, head, name)
    except BaseException:
        if owned is not None:
            owned.close()
        raise
    issues = Issues(lenient)
    spans = chosen.read(stream, name, issues) if chosen is not None else iter(())
    return Transcript(name, chosen.ID if chosen else "empty", spans, issues, owned)


def _blank(head: bytes) -> bool:
    return not head.removeprefix(b"\xef\xbb\xbf").strip()


def _seekable(stream: BinaryIO) -> BinaryIO:
    """The stream, or where it cannot seek (a pipe) a copy that can, on disk above 16 MB."""
    if stream.seekable():
        return stream
    copy = tempfile.SpooledTemporaryFile(max_size=_SPOOL)  # noqa: SIM115 - lives as long as the spans
    while chunk := stream.read(1 << 16):
        copy.write(chunk)
    copy.seek(0)
    return cast(BinaryIO, copy)


def _choose(wanted: str | None, head: bytes, name: str) -> Importer | None:
    """The importer to use; None for an empty file without a format, which is an empty transcript."""
    known = formats()
    if wanted is not None:
        if wanted not in known:
            raise RequestError(
                [Diagnostic("invalid-request", f"no format `{wanted}`", help=did_you_mean(wanted, known))]
            )
        return known[wanted]
    if _blank(head):
        return None
    found = detect_format(head, name)
    if found is None:
        raise RequestError(
            [
                Diagnostic(
                    "invalid-request",
                    "the file is of no format that is known",
                    nowhere(name),
                    f"name one with --from: {', '.join(known)}",
                )
            ]
        )
    return known[found]
