"""The document's own API, under its own names, equal to its code on any arguments (SPEC §6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from policylang.transcript.span import Span


class CompactionRefusedError(RuntimeError):
    """Raised when auto-compaction would sever a rehydration anchor."""


ANCHOR_KINDS: Final = frozenset({"tool_result", "state_assertion", "file_write_ack"})
"""The kinds that the document's code takes for anchors; `api_response` is not among them."""


def assert_compaction_safe(
    eviction_set: Iterable[Span],
    rehydration_index_epoch: int,
    current_epoch: int,
    index_rebuild_window: int = 2,
) -> None:
    """Refuse where the document's code refuses.

    Args:
        eviction_set: Spans that the epoch would evict; anything with ``kind`` and ``span_id`` will do.
        rehydration_index_epoch: Epoch in which the index was last rebuilt from post-compaction text.
        current_epoch: The epoch to decide.
        index_rebuild_window: Epochs for which a rebuilt index is not trusted, inclusive.

    Raises:
        CompactionRefusedError: if the index was rebuilt within the window, or an anchor kind is in the set.
    """
    spans = list(eviction_set)
    age = current_epoch - rehydration_index_epoch
    if age <= index_rebuild_window:
        raise CompactionRefusedError(
            f"the rehydration index was rebuilt in epoch {rehydration_index_epoch} and it is epoch {current_epoch}: "
            "its anchors may not cover the eviction set; spill losslessly"
        )
    severed = [span for span in spans if span.kind in ANCHOR_KINDS]
    if severed:
        names = ", ".join(str(span.span_id) for span in severed)
        raise CompactionRefusedError(
            f"{len(severed)} state-establishing span(s) would be evicted [{names}]: "
            "ε does not bound a dangling pointer; spill losslessly"
        )


def maybe_compact(eviction_set: Iterable[Span], rehydration_index_epoch: int, current_epoch: int) -> str:
    """``"compact"``, or ``"spill_lossless"`` where `assert_compaction_safe` refuses."""
    try:
        assert_compaction_safe(eviction_set, rehydration_index_epoch, current_epoch)
    except CompactionRefusedError:
        return "spill_lossless"
    return "compact"
