"""The pointer that stands for a spilled span: one line, with its keys, so that it still attracts the query."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from policylang.transcript.canonical import text_digest

MAX_KEYS = 16
_KEY = re.compile(r"[a-z0-9_]{1,64}\Z")
_POINTER = re.compile(r"spill://([0-9a-f]{64})\?span=([^&\s]*)&kind=([^&\s]*)&keys=([^&\s]*)\Z")


@dataclass(frozen=True, slots=True)
class Pointer:
    """``spill://<sha256>?span=<id>&kind=<kind>&keys=<k1,k2>`` (SPEC §4)."""

    sha256: str
    span: str
    kind: str
    keys: tuple[str, ...]

    def __str__(self) -> str:
        fields = f"span={quote(self.span, safe='')}&kind={quote(self.kind, safe='')}"
        return f"spill://{self.sha256}?{fields}&keys={','.join(self.keys)}"


def point_at(span_id: str, kind: str, text: str, keys: Iterable[str]) -> Pointer:
    """The pointer for a span: each well-formed key once, in the order given, at most 16 of them."""
    kept = dict.fromkeys(key for key in keys if _KEY.match(key))
    return Pointer(text_digest(text), span_id, kind, tuple(kept)[:MAX_KEYS])


def parse_pointer(text: str) -> Pointer | None:
    """The pointer on the first line of a pointer span's text, or None where that line is no pointer."""
    found = _POINTER.match(text.split("\n", 1)[0].strip())
    if found is None:
        return None
    keys = tuple(found[4].split(",")) if found[4] else ()
    return Pointer(found[1], unquote(found[2]), unquote(found[3]), keys)
