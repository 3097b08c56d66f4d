"""Calls and results, from the failures that runtimes report most (SPEC §3 `integrity`)."""

from __future__ import annotations

import pytest

from policylang import Span
from policylang.evidence.pairs import pair


def spans(*rows: str) -> list[Span]:
    """`call x`, `res x`, `wait x` (an interim result), `say`; an optional `@b` gives the batch."""
    out = []
    for number, row in enumerate(rows):
        word, *rest = row.split()
        batch = next((item[1:] for item in rest if item.startswith("@")), None)
        call_id = next((item for item in rest if not item.startswith("@")), None)
        kind = {"call": "tool_call", "say": "reasoning"}.get(word, "tool_result")
        out.append(Span(str(number), kind, row, 1, tool_call_id=call_id, batch=batch, interim=word == "wait"))
    return out


@pytest.mark.parametrize(
    ("rows", "groups", "closed"),
    [
        (["call x", "res x"], [(0, 1)], {0}),
        (["say", "call x", "say", "res x"], [(1, 3)], {1}),
        (["call x", "res x", "call x", "res x"], [(0, 1), (2, 3)], {0, 2}),
        (["call x", "call x", "res x", "res x"], [(0, 2), (1, 3)], {0, 1}),
        (["call x", "wait x", "res x"], [(0, 1, 2)], {0}),
        (["call x", "wait x"], [(0, 1)], set()),
        (["call x"], [], set()),
        (["call x @b"], [], set()),
        (["res x", "call x", "res x"], [(1, 2)], {1}),
        (["res x", "res x"], [(0, 1)], set()),
        (["call a @b", "call c @b", "res a", "res c"], [(0, 1, 2, 3)], {0, 1}),
        (["call x", "res x", "res x"], [(0, 1, 2)], {0}),
    ],
)
def test_a_result_belongs_to_the_oldest_open_call_of_its_id(
    rows: list[str], groups: list[tuple[int, ...]], closed: set[int]
) -> None:
    found = pair(spans(*rows))
    assert sorted(found.members.values()) == groups
    assert found.closed == closed


def test_a_result_without_an_id_answers_the_call_that_it_names_as_its_parent() -> None:
    call = Span("c", "tool_call", "ls", 1)
    result = Span("r", "tool_result", "total 0", 1, parents=("long-gone", "c"))
    thought = Span("t", "reasoning", "hm", 1, parents=("c",))
    found = pair([call, thought, result])
    assert found.members == {0: (0, 2)}
    assert found.closed == {0}
    assert found.call_of == {2: 0}
