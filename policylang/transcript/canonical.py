"""Canonical JSON for digests and verdicts (SPEC §9): UTF-8, sorted keys, shortest round-trip numbers, exact ints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

_EXACT = 2**53


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        # 1.0 and 1 are one number, and -0.0 is 0; beyond 2^53 a float's own digits are its shortest form.
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(item) for item in value]
    return value


def canonical(value: Any) -> str:
    """The canonical text of a JSON value; raises ValueError for NaN and the infinities."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """``sha256:…`` of a JSON value's canonical text."""
    return "sha256:" + sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def text_digest(text: str) -> str:
    """``sha256`` of a span's text, as pointers and the archive name it (64 hex digits)."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
