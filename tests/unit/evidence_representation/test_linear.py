"""Work grows with the text, never with anchors times retained spans: calls are counted, as clocks are noisy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType

import pytest

from policylang.evidence.session import Session
from tests.unit.evidence_representation.sessions import span

# Anchor and retained text, each by number: one key and many values, many entities, many calls, many files, no facts.
SHAPES: dict[str, tuple[Callable[[int], str], Callable[[int], str]]] = {
    "one key": (lambda n: f"schema version = {n}", lambda n: f"the schema version is {n + 9000}"),
    "one key, one value": (lambda n: "schema version = 7", lambda n: f"schema version = 7 in step {n}"),
    "one key, only named": (lambda n: f"schema version = {n}", lambda n: f"we should verify the schema version, {n}"),
    "common word": (lambda n: f"timeout = {n} s", lambda n: f"the timeout came up in step {n}"),
    "entities": (lambda n: f"migration {n + 9000} applied", lambda n: f"migration {n + 20000} failed"),
    "entities, one value": (lambda n: f"web-{n}a: schema version = 7", lambda n: f"step {n}: schema version = 7"),
    "several values": (
        lambda n: f"web-{n}a: schema version = {n}\nweb-{n}b: schema version = {n + 1}",
        lambda n: f"schema version = {n + 9000}",
    ),
    "exit codes": (lambda n: f"exit code: {n % 3}", lambda n: f"step {n} gave exit code {n % 5}"),
    "records": (
        lambda n: f"order: ord-{n}\nattempts: 2",
        lambda n: f"order: ord-{n + 9000}\nattempts: {n % 3}",
    ),
    "files": (lambda n: f"File created successfully at: /a/d{n}/x.py", lambda n: f"Created e{n}/x.py"),
    "no facts": (lambda n: f"all went well in step {n}", lambda n: f"all went well in step {n + 9000}"),
    "anaphors": (lambda n: f"all is well in step {n}", lambda n: f"the result of step {n}, as established earlier"),
}


def _calls(work: Callable[[], object]) -> int:
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def _answers(session: Session, size: int) -> list[str]:
    return [session.represent(number).representation for number in range(size)]


def _session(shape: str, kind: str, size: int, base: int) -> Session:
    anchor, retained = SHAPES[shape]
    spans = [span(n, anchor(base + n), retained=False, chain=f"c{n % 5}", tool="Bash") for n in range(size)]
    spans += [span(size + n, retained(base + n), kind, epoch=5, chain=f"c{n % 5}", tool="Bash") for n in range(size)]
    return Session(spans)


@pytest.mark.parametrize("kind", ["reasoning", "tool_result"])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_twice_the_session_is_at_most_twice_the_work(shape: str, kind: str) -> None:
    small, large = 120, 240
    counts = []
    for size, base in ((small, 1000), (large, 3000)):
        session = _session(shape, kind, size, base)
        counts.append(_calls(partial(_answers, session, size)))
    assert counts[1] < 2.5 * counts[0], counts


def test_a_word_in_every_clause_is_not_restated_past_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [
        span(0, "alpha_limit: 7", retained=False),
        span(1, "\n".join(["the alpha limit is 7"] * 40), "reasoning", epoch=5),
    ]
    assert Session(spans).represent(0).representation == "restated"
    monkeypatch.setattr("policylang.evidence.session._READ", 10)
    monkeypatch.setattr("policylang.evidence.session._LEAST_READ", 10)
    assert Session(spans).represent(0).representation == "referenced"
