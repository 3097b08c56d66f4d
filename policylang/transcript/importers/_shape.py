"""Is a stream JSON Lines or one document? Looked up in its first bytes, as names do not always say."""

from __future__ import annotations

import json
from typing import BinaryIO, Final

HEAD: Final = 1 << 16
"""How many bytes detection looks at."""


def peek(stream: BinaryIO, size: int = HEAD) -> bytes:
    """The first bytes of a seekable stream, which stays where it was."""
    at = stream.tell()
    head = stream.read(size)
    stream.seek(at)
    return head


def is_lines(stream: BinaryIO, name: str) -> bool:
    """True for JSON Lines: by the name, else if the first or the second line of several is JSON by itself."""
    plain = name.lower().removesuffix(".gz")
    if plain.endswith((".jsonl", ".ndjson")):
        return True
    lines = peek(stream).removeprefix(b"\xef\xbb\xbf").strip().split(b"\n")
    return len(lines) > 1 and any(_whole(line) for line in lines[:2])


def _whole(line: bytes) -> bool:
    """True for a line that is a JSON object or array of its own."""
    if not line.strip().startswith((b"{", b"[")):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
