"""Is a stream JSON Lines or one document? Looked up in its first bytes, as names do not always say."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, cast

from policylang.transcript.jsonstream import read_document
from policylang.transcript.session import Issues

HEAD: Final = 1 << 18
"""How many bytes detection looks at."""

_LINES: Final = 40
_KEY = re.compile(rb'"(\w+)"\s*:')


def peek(stream: BinaryIO, size: int = HEAD) -> bytes:
    """The first bytes of a seekable stream, which stays where it was."""
    at = stream.tell()
    head = stream.read(size)
    stream.seek(at)
    return head


def is_lines(stream: BinaryIO, name: str) -> bool:
    """True for JSON Lines: by the name, else if one of the first two of several lines is JSON by itself.

    A single line that is one message is JSON Lines too.
    """
    plain = name.lower().removesuffix(".gz")
    if plain.endswith((".jsonl", ".ndjson")):
        return True
    lines = peek(stream).removeprefix(b"\xef\xbb\xbf").strip().split(b"\n")
    found = [_whole(line) for line in lines[:2]]
    if len(lines) == 1:
        return isinstance(found[0], dict) and "role" in found[0]
    return any(value is not None for value in found)


def _whole(line: bytes) -> object:
    """The value of a line that is a JSON object or array of its own, else None."""
    if not line.strip().startswith((b"{", b"[")):
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True, slots=True)
class Outline:
    """What the first bytes of a stream show of its structure, for detection.

    Attributes:
        lines: The records of JSON Lines, those that are complete; empty for a document.
        keys: Top-level keys of a document that is an object.
        elements: Elements of a document that is an array (under ``""``), or of the arrays under its top-level keys. A
            first one that the head cuts off is there with the keys that can be seen in it.
    """

    lines: tuple[Any, ...] = ()
    keys: frozenset[str] = frozenset()
    elements: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def of(self, *names: str) -> list[Mapping[str, Any]]:
        """The elements under any of the keys that are objects."""
        return [item for name in names for item in self.elements.get(name, ()) if isinstance(item, Mapping)]

    def objects(self) -> list[Mapping[str, Any]]:
        """The lines that are objects."""
        return [item for item in self.lines if isinstance(item, Mapping)]


def outline(head: bytes, name: str) -> Outline:
    """The structure of a stream as far as its first bytes show it."""
    if is_lines(cast(BinaryIO, io.BytesIO(head)), name):
        found = [_whole(line) for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_LINES]]
        return Outline(tuple(value for value in found if value is not None))
    keys: dict[str, None] = {}
    elements: dict[str, list[Any]] = {}
    seen = 0
    everything = _AllArrays()
    for record in read_document(cast(BinaryIO, io.BytesIO(head)), name, Issues(lenient=True), everything):
        key = record.key.removesuffix("[]")
        seen = max(seen, head.find(record.raw) + len(record.raw))
        if record.key.endswith("[]") or not record.key:
            elements.setdefault(key, []).append(record.value)
        if key:
            keys.setdefault(key)
    last = everything.last
    cut = {match.decode("utf-8", "replace"): None for match in _KEY.findall(head[seen:])}
    if cut and not elements.get(last):
        elements.setdefault(last, []).append(cut)
    if last:
        keys.setdefault(last)
    return Outline((), frozenset(keys), {key: tuple(values[:_LINES]) for key, values in elements.items()})


class _AllArrays(frozenset[str]):
    """Every array of a document is taken apart; the last one that was asked about is remembered."""

    last = ""

    def __contains__(self, key: object) -> bool:
        self.last = str(key)
        return True
