"""One fact as a reader found it, with offsets of the normalised text."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from policylang.evidence import keys, values

MAX_LINE: Final = 2_000
"""Characters of one line that are read; what lies beyond is data, not statement."""
MAX_HITS: Final = 32
"""Matches of one pattern in one line that are looked at."""

_CALLED: Final = frozenset({"exit_code", "http_status"})


class Found(NamedTuple):
    """A fact before its offsets are mapped back; a tuple, as readers make many and keep few."""

    entity: str | None
    key: str
    value: str
    type: str
    start: int
    end: int
    key_start: int
    polarity: bool = True
    per_call: bool = False


def typed(
    key: str, raw: str, start: int, key_start: int, entity: str | None = None, polarity: bool = True
) -> Found | None:
    """The fact that `raw` at `start` states under `key`, or None where the value is free text or the key is empty.

    Quotes and closing punctuation around the value are left outside its offsets.
    """
    told = tell(key, raw)
    if told is None:
        return None
    name, value, type_, at, size, named, per_call = told
    at += start
    return Found(entity or named, name, value, type_, at, at + size, key_start, polarity, per_call)


@lru_cache(maxsize=16_384)
def tell(key: str, raw: str) -> tuple[str, str, str, int, int, str | None, bool] | None:
    """Key, value, type, where in `raw` the value stands, its length, an entity in it, and whether it is the call's."""
    kind = values.classify(raw, key)
    if kind is None:
        return None
    type_, value = kind
    name = "exit_code" if type_ == "exit_code" else keys.normalise(key)
    if not name:
        return None
    inner = values.strip(raw)
    at = raw.find(inner)
    named: str | None = None
    if type_ == "version" and "@" in inner:
        # `name@1.2.3`: the release is the value, the name what it is one of.
        named, _, inner = inner.rpartition("@")
        at += len(named) + 1
    return name, value, type_, at, len(inner), named, type_ in _CALLED or keys.is_per_call(name)
