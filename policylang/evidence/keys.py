"""Keys and entities as facts spell them, brought to one form: `schemaVersion`, `Schema versions`, `schema_version`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

GENERIC: Final = frozenset({"name", "id", "type", "status", "line", "path", "file", "error", "count", "value", "date"})
"""Keys that say nothing without their entity; the list of SPEC §4, no others."""

PER_CALL: Final = frozenset(
    {
        "exit_code", "http_status", "status_code", "duration", "elapsed", "elapsed_time", "took", "wall_time",
        "total_time", "real_time", "execution_time", "pid", "process_id", "passed", "failed", "skipped", "ignored",
        "xfailed", "xpassed", "deselected", "measured", "filtered_out", "chunk_id", "original_token_count",
    }
)  # fmt: skip
"""Keys that belong to the call that produced the text, not to the world (exit code, HTTP status, run totals)."""

EXIT_CODE: Final = frozenset({"exit_code", "exitcode", "returncode", "return_code", "exit_status", "exit_value", "rc"})
"""Spellings of the exit code; extraction writes all of them as `exit_code`."""

_MAX_KEY: Final = 200
# Keys are at most 200 characters; where an alternative fails it gives back one character at most.
_WORD = re.compile(r"[A-Z]+s(?![a-z])|[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z0-9]++|[A-Z]|[^\W_A-Za-z]++(?:[a-z0-9]++)?")
_KEEP_S: Final = frozenset(
    {"alias", "bias", "canvas", "dns", "gas", "https", "os", "tls", "aws", "has", "this", "was", "ms"}
)


def _singular(word: str) -> str:
    if len(word) < 3 or not word.endswith("s") or word in _KEEP_S or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")) and len(word) > 4:
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=16_384)
def words(key: str) -> tuple[str, ...]:
    """The words of a key: split at camelCase, `_`, `-`, `.` and spaces; lower case; plural `s` off."""
    if key.endswith(("'s", "’s")):
        key = key[:-2]
    found = _WORD.findall(key[:_MAX_KEY].replace("'s ", " ").replace("’s ", " "))
    return tuple(_singular(word.lower()) for word in found)


@lru_cache(maxsize=16_384)
def normalise(key: str) -> str:
    """The key's words joined by `_`; empty where it has none. Idempotent."""
    return "_".join(words(key))


def is_generic(key: str) -> bool:
    """True if the normalised key means nothing without its entity."""
    return key in GENERIC


def is_per_call(key: str) -> bool:
    """True if the normalised key belongs to the call itself."""
    return key in PER_CALL


@lru_cache(maxsize=16_384)
def entity(raw: str) -> str:
    """An entity as it is compared: quotes and markup off, one space, lower case."""
    return " ".join(raw.strip(" \t`*\"'()[]<>,;:").lower().split())


def same_entity(first: str | None, second: str | None) -> bool:
    """True if two entities name one thing; one that is missing equals any (SPEC §4).

    A chain of record ids (`a/b/c`) equals its own last steps, and a path its own suffix at a `/`.
    """
    if first is None or second is None:
        return True
    one, two = entity(first), entity(second)
    if one == two:
        return True
    longer, shorter = (one, two) if len(one) >= len(two) else (two, one)
    return bool(shorter) and longer.endswith("/" + shorter)
