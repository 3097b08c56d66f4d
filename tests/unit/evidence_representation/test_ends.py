"""Reading a clause ends, whatever follows the key."""

from __future__ import annotations

from datetime import date

import pytest

from policylang.evidence.world import build_world
from policylang.runtime.policy import load_text
from policylang.transcript.request import Request
from policylang.transcript.span import Span


@pytest.mark.parametrize(
    "clause",
    [
        "So if we just commit the staged + unstaged files, the untracked ones won't be committed",
        "commit staged + unstaged",
        "commit this and more of them",
    ],
)
def test_a_list_that_is_none_leads_nowhere(clause: str) -> None:
    policy = load_text('policy "t"\nanchor kind tool_result\n')
    spans = (
        Span("a", "tool_result", "commit: 3d72efa1", 3, disposition="evict"),
        Span("r", "reasoning", clause, 6, disposition="retain"),
    )
    world = build_world(policy.checked, Request(7, spans), as_of=date(2026, 12, 1))
    (found,) = world.evicted[0].assertions
    assert found.status in ("referenced", "absent")
