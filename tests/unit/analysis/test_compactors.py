"""The reference compactors do what runtimes do, and fail as the document says."""

from __future__ import annotations

import pytest

from policylang.analysis.compactors import COMPACTORS, Budget, Proposal
from policylang.evidence.pairs import pair
from policylang.transcript.span import Span
from tests.unit.analysis.sessions import incident

BUDGET = Budget(keep_tokens=900, summary_tokens=120, epsilon=0.08)


def proposal(name: str, spans: list[Span], budget: Budget = BUDGET) -> Proposal:
    return COMPACTORS[name](spans, 3, budget)


def test_similarity_evicts_terse_results_and_keeps_verbose_reasoning() -> None:
    found = proposal("similarity", incident())
    kinds = {span.id: span.kind for span in incident()}
    evicted = [kinds[name] for name in found.evict]
    assert evicted.count("tool_result") + evicted.count("file_write_ack") >= 6
    assert "reasoning" not in evicted
    assert found.terms == {"similarity": 1.0}
    # The bound that hides it: the epoch's aggregate is small, though these spans lost nearly everything.
    assert 0 < found.aggregate <= 0.08
    assert max(found.losses.values()) > 0.6


def test_structural_lets_state_go_last() -> None:
    spans = incident()
    found = proposal("structural", spans)
    kinds = {span.id: span.kind for span in spans}
    assert found.terms["structural"] > 0
    state = [score for name, score in found.scores.items() if kinds[name] in ("tool_result", "file_write_ack")]
    talk = [score for name, score in found.scores.items() if kinds[name] in ("reasoning", "assistant_message")]
    assert max(state) < min(talk)
    assert any(kinds[name] == "reasoning" for name in proposal("structural", spans, Budget(900, 120, 0.5)).evict)


@pytest.mark.parametrize("name", sorted(COMPACTORS))
@pytest.mark.parametrize("epsilon", [0.01, 0.08, 1.0])
def test_what_stays_and_what_goes_together(name: str, epsilon: float) -> None:
    spans = [
        *incident(),
        Span("p", "pointer", "spill://" + "0" * 64 + "?span=x&kind=tool_result&keys=", 0),
        Span("open", "tool_call", "Bash soak test", 0, tool_call_id="soak"),
        Span("noise", "reasoning", "A last thought, which is the recent tail. " * 30, 0),
    ]
    found = proposal(name, spans, Budget(400, 120, epsilon))
    kinds = {span.id: span.kind for span in spans}
    gone = set(found.evict)
    assert not {kinds[item] for item in gone} & {"system", "user_message", "pointer"}
    assert "open" not in gone and "noise" not in gone
    pairing = pair(spans)
    for position, span in enumerate(spans):
        partners = {spans[other].id for other in pairing.partners(position)}
        assert not partners or partners <= gone or not partners & gone, span.id
    assert found.evict == tuple(span.id for span in spans if span.id in gone)
    assert found.aggregate <= epsilon
    assert set(found.losses) == gone
    assert all(0 <= value <= 1 for value in (*found.losses.values(), *found.scores.values()))


def test_pinned_spans_are_not_proposed() -> None:
    first = proposal("similarity", incident())
    again = proposal("similarity", incident(), Budget(900, 120, 0.08, pinned=frozenset(first.evict)))
    assert first.evict and not set(again.evict) & set(first.evict)


def test_summary_is_made_of_sentences_that_went() -> None:
    spans = incident()
    found = proposal("structural", spans, Budget(600, 80, 1.0))
    assert found.summary is not None
    text = "\n".join(span.text for span in spans if span.id in found.evict)
    lines = found.summary.text.split("\n")
    assert lines[0] == "Summary of epoch 3:"
    assert len(lines) > 1 and all(line.removeprefix("- ") in text for line in lines[1:])
    assert found.summary.mass <= 100
    assert (found.summary.kind, found.summary.epoch) == ("summary", 3)


def test_nothing_to_do_is_nothing_done() -> None:
    assert proposal("similarity", incident(), Budget(10**6)).evict == ()
    assert proposal("similarity", []) == Proposal((), None, {}, {}, 0.0, {"similarity": 1.0})


def test_same_transcript_same_proposal() -> None:
    assert proposal("similarity", incident()) == proposal("similarity", incident())
