"""All sides of the decision decide as the document's code does."""

from __future__ import annotations

from itertools import chain

import pytest

from benchmarks import decide
from benchmarks.sides import PEERS, Case, Side, missing, sides
from tests.reference.document import Span, maybe_compact

CASES = list(decide.agreement_cases((1, 3, 20)))
SIDES = {side.name: side for side in sides()}
DOCUMENT_KINDS = ("tool_result", "state_assertion", "file_write_ack")


def _by_document(case: Case) -> str:
    spans = [Span(f"s{number}", kind, "", 3) for number, kind in enumerate(case.kinds)]
    return maybe_compact(spans, case.rebuilt, case.epoch)


@pytest.mark.parametrize("name", SIDES)
def test_side_decides_as_the_document_does(name: str) -> None:
    side = SIDES[name]
    forms = [side.ready] if side.plain is None else [side.ready, side.plain]
    for case in CASES:
        assert {form(case)() for form in forms} == {_by_document(case)}, case


def test_cases_hold_both_decisions_and_every_anchor_kind() -> None:
    assert {_by_document(case) for case in CASES} == {"compact", "spill_lossless"}
    assert set(DOCUMENT_KINDS) <= set(chain.from_iterable(case.kinds for case in CASES))


def test_a_side_that_decides_otherwise_stops_the_run() -> None:
    stubborn = Side("never", lambda case: lambda: "spill_lossless", None, "")
    with pytest.raises(ValueError, match="the sides disagree"):
        decide.check_agreement((SIDES[decide.OURS], stubborn), (3,))


def test_every_peer_takes_part_or_is_named_as_missing() -> None:
    engines = {
        "cel-expr-python": "CEL",
        "cedarpy": "Cedar",
        "regopy": "Rego (rego-cpp)",
        "hobofan-regorus": "Rego (regorus)",
    }
    assert set(engines) == set(PEERS.values())
    present = {distribution for distribution, word in engines.items() if any(name.startswith(word) for name in SIDES)}
    assert present | set(missing()) == set(engines)
    assert not present & set(missing())


def test_goals_are_about_sides_that_exist() -> None:
    assert {decide.HAND, decide.OURS} <= set(SIDES)
    assert set(decide.EACH_SPAN) <= set(SIDES) or missing()


@pytest.mark.parametrize("size", [1, 7, 100])
def test_sets_differ_in_their_anchors_only(size: int) -> None:
    without, having = decide.reasoning(size), decide.mixed(size)
    assert len(without.kinds) == len(having.kinds) == size
    assert (_by_document(without), _by_document(having)) == ("compact", "spill_lossless")
