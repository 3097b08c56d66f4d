"""Extractions are kept by content, and by everything else that they depend on."""

from __future__ import annotations

from policylang.evidence import remembered
from policylang.evidence.extract import extract

TEXT = "schema_version: 7\nexit code: 0\n"
NONE: frozenset[str] = frozenset()


def test_kept_extraction_is_the_one_that_extraction_gives() -> None:
    for kind in ("tool_result", "reasoning", "tool_call"):
        for reading in (False, True):
            for frame in (NONE, frozenset({"schema_version"})):
                wanted = extract(TEXT, kind=kind, reading=reading, frame_keys=frame)
                for _ in range(2):
                    found = remembered.extract_once(TEXT, kind=kind, reading=reading, frame_keys=frame)
                    assert found == wanted


def test_second_asking_works_nothing_out() -> None:
    first = remembered.extract_once(TEXT, kind="tool_result", reading=False, frame_keys=NONE)
    assert remembered.extract_once(TEXT, kind="tool_result", reading=False, frame_keys=NONE) is first


def test_memory_is_bounded() -> None:
    for number in range(remembered.CAPACITY + 10):
        remembered.extract_once(f"{number}", kind="tool_call", reading=False, frame_keys=NONE)
    assert len(remembered._kept) == remembered.CAPACITY
