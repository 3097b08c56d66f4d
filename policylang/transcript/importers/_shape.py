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
