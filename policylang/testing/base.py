"""The healthy base of SPEC §8 and how a partial request is laid over it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

BASE_EPOCH = 7

_REPLACED = frozenset({"verified", "terms"})


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """A whole request: ``given`` over the base.

    The base is a pre-compaction index, never rebuilt, a structural score, a monitor with 100 queries at divergence 0,
    and every evicted span covered and verified. Mappings merge key by key, `verified`, `terms` and lists replace, and
    null removes a key, so that its evidence is absent.
    """
    spans = given.get("spans") or []
    evicted = [
        span["id"]
        for span in spans
        if isinstance(span, Mapping) and span.get("disposition") == "evict" and isinstance(span.get("id"), str)
    ]
    base: dict[str, Any] = {
        "epoch": BASE_EPOCH,
        "spans": [],
        "index": {
            "source": "pre_compaction",
            "rebuilt": "never",
            "covers": evicted,
            "verified": dict.fromkeys(evicted, True),
        },
        "scoring": {"terms": {"similarity": 0.5, "structural": 0.5}},
        "monitor": {"enabled": True, "queries": 100, "divergence": 0.0},
    }
    return _merge(base, given)


def _merge(base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(base)
    for key, value in given.items():
        if value is None:
            out.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(out.get(key), Mapping) and key not in _REPLACED:
            out[key] = _merge(out[key], value)
        else:
            out[key] = deepcopy(value)
    return out
