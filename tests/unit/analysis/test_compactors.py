"""The reference compactors do what runtimes do, and fail as the document says."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from policylang.analysis.compactor import Budget, Proposal
from policylang.analysis.compactors import COMPACTORS
from policylang.analysis.embed import cosine, embed
from policylang.evidence.pairs import pair
from policylang.runtime.decide import evaluate
from policylang.runtime.policy import load_text
from policylang.transcript.request import Request
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
    assert found.terms["structural"] > sum(found.terms.values()) - found.terms["structural"]
    state = [score for name, score in found.scores.items() if kinds[name] in ("tool_result", "file_write_ack")]
    talk = [score for name, score in found.scores.items() if kinds[name] in ("reasoning", "assistant_message")]
    assert max(state) < min(talk)
    # A transcript that is small enough without them keeps all results.
    loose = proposal("structural", spans, Budget(sum(span.mass for span in spans) - 40, 120, 0.5))
    assert loose.evict and {kinds[name] for name in loose.evict} <= {"reasoning", "assistant_message"}


def test_structural_lets_results_without_facts_go_before_facts() -> None:
    noise = "\n".join(f"- checked the shelf by the window, row after row, nothing there{'!' * n}" for n in range(30))
    spans = [
        *[
            Span(f"{end}{number}", kind, text, 0, tool="Bash", tool_call_id=str(number))
            for number, body in enumerate(("replica_lag_limit = 340\nschema_version: 7", noise))
            for end, kind, text in (("c", "tool_call", "Bash look"), ("r", "tool_result", body))
        ],
        Span("last", "reasoning", "Now for the rest of it.", 0),
    ]
    found = proposal("structural", spans, Budget(60, 120, 0.08))
    assert found.evict == ("c1", "r1")
    assert found.scores["r0"] < found.scores["r1"]
    # Nothing stands for them, and the request says so.
    assert (found.losses["r1"], found.represented) == (1.0, frozenset())


def request_of(spans: list[Span], found: Proposal) -> Request:
    stands = (found.summary.id,) if found.summary is not None else ()
    told = [
        replace(
            span,
            disposition="evict" if span.id in found.evict else "retain",
            loss=found.losses.get(span.id),
            represented_by=stands if span.id in found.represented else (),
        )
        for span in spans
    ]
    if found.summary is not None:
        told.append(replace(found.summary, disposition="retain"))
    return Request(3, tuple(told))


@pytest.mark.parametrize("epsilon", [0.01, 0.08, 0.3, 0.7])
def test_structural_keeps_each_chain_within_its_bound(epsilon: float) -> None:
    policy = load_text(f'policy "t"\nbudget reasoning epsilon {epsilon} per chain\n')
    spans = incident()
    found = proposal("structural", spans, Budget(300, 400, epsilon))
    assert evaluate(policy, request_of(spans, found), as_of=date(2026, 12, 1)).decision == "compact"
    kinds = {span.id: span.kind for span in spans}
    assert epsilon < 0.08 or any(kinds[name] == "reasoning" for name in found.evict)


def test_similarity_breaks_the_bound_of_a_chain_within_that_of_the_epoch() -> None:
    policy = load_text('policy "t"\nbudget reasoning epsilon 0.08 per chain\n')
    spans = [Span("aside", "reasoning", "Lunch arrives at noon; soup, bread, two apples.", 0), *incident()]
    found = proposal("similarity", spans)
    assert "aside" in found.evict and found.aggregate <= 0.08
    verdict = evaluate(policy, request_of(spans, found), as_of=date(2026, 12, 1))
    assert {reason.rule for reason in verdict.reasons} == {"epsilon-exceeded"}
    assert any("aside" in reason.spans for reason in verdict.reasons)


def test_structural_summary_is_made_of_extracts_and_declares_their_distance() -> None:
    spans = incident()
    found = proposal("structural", spans, Budget(300, 400, 0.4))
    assert found.summary is not None
    texts = {span.id: span.text for span in spans}
    lines = found.summary.text.split("\n")[1:]
    stood_for = [name for name in found.evict if name in found.represented]
    assert stood_for and len(lines) == len(stood_for)
    for name, line in zip(stood_for, lines, strict=True):
        assert found.losses[name] == pytest.approx(1 - cosine(embed(line), embed(texts[name])), abs=1e-6)
        assert len(line) < len(texts[name])
        assert all(sentence in texts[name] for sentence in line.removeprefix("- ").removesuffix(".").split(". "))
    assert all(found.losses[name] == 1.0 for name in found.evict if name not in found.represented)


def test_structural_leaves_summaries_to_themselves() -> None:
    old = Span("summary-1", "summary", "Summary of epoch 1:\n- The gateway was slow. The ledger was not.", 1)
    assert "summary-1" not in proposal("structural", [old, *incident()], Budget(100, 120, 1.0)).evict
    assert "summary-1" in proposal("similarity", [old, *incident()], Budget(100, 120, 1.0)).evict


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
    found = proposal("similarity", spans, Budget(600, 80, 1.0))
    assert found.summary is not None
    text = "\n".join(span.text for span in spans if span.id in found.evict)
    lines = found.summary.text.split("\n")
    assert lines[0] == "Summary of epoch 3:"
    assert len(lines) > 1 and all(line.removeprefix("- ") in text for line in lines[1:])
    assert found.summary.mass <= 100
    assert (found.summary.kind, found.summary.epoch) == ("summary", 3)


def test_nothing_to_do_is_nothing_done() -> None:
    assert proposal("similarity", incident(), Budget(10**6)).evict == ()
    assert proposal("similarity", []) == Proposal((), None, {}, {}, frozenset(), 0.0, {"similarity": 1.0})


@pytest.mark.parametrize("name", sorted(COMPACTORS))
def test_same_transcript_same_proposal(name: str) -> None:
    assert proposal(name, incident()) == proposal(name, incident())
