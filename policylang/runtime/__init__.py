"""Deciding: `load`, `evaluate`, `Verdict`, and the document's own API."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policylang.runtime.batch import evaluate_many
    from policylang.runtime.decide import evaluate
    from policylang.runtime.document import ANCHOR_KINDS, CompactionRefusedError, assert_compaction_safe, maybe_compact
    from policylang.runtime.policy import Policy, load, load_text
    from policylang.runtime.verdict import Verdict

__all__ = [
    "ANCHOR_KINDS",
    "CompactionRefusedError",
    "Policy",
    "Verdict",
    "assert_compaction_safe",
    "evaluate",
    "evaluate_many",
    "load",
    "load_text",
    "maybe_compact",
]

_HOMES = {
    "Policy": "policy",
    "Verdict": "verdict",
    "evaluate": "decide",
    "evaluate_many": "batch",
    "load": "policy",
    "load_text": "policy",
}


def __getattr__(name: str) -> Any:
    # The document's API needs none of the engine, so nothing of it is imported before it is asked for.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'document')}"), name)
