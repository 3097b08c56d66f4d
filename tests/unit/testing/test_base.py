"""`given` over the healthy base: "merges key by key; `verified`, `terms` and lists replace; null removes" (SPEC §8)."""

from __future__ import annotations

from typing import Any

import pytest

from policylang.testing.base import complete

EVICTED = {"id": "a", "kind": "reasoning", "text": "x", "epoch": 3, "disposition": "evict"}
RETAINED = {**EVICTED, "id": "b", "disposition": "retain"}
INDEX = {"source": "pre_compaction", "rebuilt": "never", "covers": ["a"], "verified": {"a": True}}
BASE: dict[str, Any] = {
    "epoch": 7,
    "spans": [EVICTED, RETAINED],
    "index": INDEX,
    "scoring": {"terms": {"similarity": 0.5, "structural": 0.5}},
    "monitor": {"enabled": True, "queries": 100, "divergence": 0.0},
}

# (given beside the spans, what differs from the base then)
ROWS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"epoch": 9, "generation": 4}, {"epoch": 9, "generation": 4}),
    ({"index": {"rebuilt": 5}}, {"index": {**INDEX, "rebuilt": 5}}),
    ({"index": {"verified": {"b": False}}}, {"index": {**INDEX, "verified": {"b": False}}}),
    ({"index": {"verified": {}}}, {"index": {**INDEX, "verified": {}}}),
    ({"index": {"covers": []}}, {"index": {**INDEX, "covers": []}}),
    ({"scoring": {"terms": {"structural": 1}}}, {"scoring": {"terms": {"structural": 1}}}),
    ({"monitor": {"queries": 3}}, {"monitor": {"enabled": True, "queries": 3, "divergence": 0.0}}),
    ({"monitor": {"queries": None}}, {"monitor": {"enabled": True, "divergence": 0.0}}),
]


@pytest.mark.parametrize(("given", "differs"), ROWS)
def test_what_is_given_lies_over_the_base(given: dict[str, Any], differs: dict[str, Any]) -> None:
    assert complete({"spans": [EVICTED, RETAINED], **given}) == {**BASE, **differs}


@pytest.mark.parametrize("key", ["index", "scoring", "monitor", "epoch"])
def test_null_removes(key: str) -> None:
    assert complete({"spans": [EVICTED, RETAINED], key: None}) == {name: BASE[name] for name in BASE if name != key}
