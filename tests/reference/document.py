"""A transcription of the document's code, statement by statement, kept apart from the product it is compared with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class CompactionRefusedError(RuntimeError):
    pass


@dataclass(frozen=True)
class Span:
    span_id: str
    kind: str
    text: str
    epoch: int


ANCHOR_KINDS = frozenset({"tool_result", "state_assertion", "file_write_ack"})


def assert_compaction_safe(
    eviction_set: Iterable[Span],
    rehydration_index_epoch: int,
    current_epoch: int,
    index_rebuild_window: int = 2,
) -> None:
    evicted = list(eviction_set)
    if current_epoch - rehydration_index_epoch <= index_rebuild_window:
        raise CompactionRefusedError("index")
    anchors = [s for s in evicted if s.kind in ANCHOR_KINDS]
    if anchors:
        raise CompactionRefusedError("anchors")


def maybe_compact(eviction_set: Iterable[Span], rehydration_index_epoch: int, current_epoch: int) -> str:
    try:
        assert_compaction_safe(
            eviction_set=eviction_set,
            rehydration_index_epoch=rehydration_index_epoch,
            current_epoch=current_epoch,
        )
    except CompactionRefusedError:
        return "spill_lossless"
    return "compact"
