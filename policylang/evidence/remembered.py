"""Extractions that are kept from one request to the next, by content hash and extractor version (SPEC §4).

A runtime asks every epoch about a transcript of which most spans were there before. What is kept is bounded and holds
no text.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from threading import Lock
from typing import Final

from policylang.evidence.extract import extract
from policylang.evidence.model import EXTRACTOR_VERSION, Extraction

CAPACITY: Final = 16_384

_Key = tuple[str, bytes, str, bool, frozenset[str]]

_kept: OrderedDict[_Key, Extraction] = OrderedDict()
_lock = Lock()


def extract_once(text: str, *, kind: str, reading: bool, frame_keys: frozenset[str]) -> Extraction:
    """`extract`, worked out once for a text under the same circumstances."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    key = (EXTRACTOR_VERSION, digest, kind, reading, frame_keys)
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
            return found
    found = extract(text, kind=kind, reading=reading, frame_keys=frame_keys)
    with _lock:
        _kept[key] = found
        if len(_kept) > CAPACITY:
            _kept.popitem(last=False)
    return found
