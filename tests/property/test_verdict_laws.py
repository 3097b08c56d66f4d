"""Laws of whole verdicts, on random requests with real evidence under real and random policies."""

from __future__ import annotations

from datetime import date
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import policylang
from policylang.compiler.interpret import evaluate_rules
from policylang.runtime.decide import make_verdict, world_of
from policylang.runtime.policy import decides

DAY = date(2026, 12, 1)
TEXTS = (
    "migration 0042 applied, schema version = 7",
    "schema_version: 8",
    "The schema version is 7 and migration 0042 was applied.",
    "we should verify the schema version",
    "as established earlier, the database is ready",
    '{"deployment_id": "dep-9f31", "status": "running"}',
    "lease: zx-77413",
    "renewing zx-77413 before it ends",
    "wrote 812 bytes to deploy/app.yaml",
    "checkout_v2: enabled",
    "feature flag checkout_v2 is disabled",
    "exited with code 1",
    "thinking about the rollout",
    "",
    "ε 数据库 🔒 version: 2.1.0",
)
KINDS = ("reasoning", "assistant_message", "tool_result", "api_response", "file_write_ack", "user_message", "tool_call",
         "summary", "deploy_receipt")  # fmt: skip
POLICIES = ("std/reference-code", "std/decision-boundary", "std/standard")
OWN = """policy "own" version "1.0.0"
anchor kind tool_result
anchor lease when span.text matches /lease: (?P<value>\\S+)/
exempt "short" when span.kind == tool_result and span.text matches /^exited with code \\d$/ because "x" until 2027-01-01
budget reasoning epsilon 20% per chain by spans
index { probe key top_k 5 }
let odd(s) = s.position - 2 * (s.position / 2) > 0 or s.age > 3
refuse "a" { for each s in evicted when odd(s) and s.representation == absent and s.anchor because "a" then spill span }
refuse "b" { for each c in chains when c.epsilon > 50% or (sum s in c.evicted: s.tokens) > 40 because "{c.id}" }
refuse "c" { when (max s in evicted where s.anchor: s.tokens) > 8 because "c" mode shadow }
warn "d" { when any s in anchors: any a in s.assertions: a.status == contradicted because "d" }
warn "e" { for each s in anchors when not s.verified because "{s.id} {s.kind}" }
"""


def make_request(random: Random) -> dict[str, Any]:
    spans: list[dict[str, Any]] = []
    for number in range(random.randrange(9)):
        span = {
            "id": f"s{number}",
            "kind": random.choice(KINDS),
            "text": random.choice(TEXTS),
            "epoch": random.randrange(8),
            "disposition": random.choice(("evict", "evict", "retain")),
        }
        if random.random() < 0.4:
            span["chain"] = random.choice("ab")
        if random.random() < 0.4:
            span["tool_call_id"] = random.choice("xy")
        if random.random() < 0.3:
            span["tokens"] = random.randrange(50)
        if random.random() < 0.3:
            span["score"] = random.random()
        spans.append(span)
    kept = [span["id"] for span in spans if span["disposition"] == "retain"]
    for span in spans:
        if kept and span["disposition"] == "evict" and random.random() < 0.5:
            span.update(represented_by=[random.choice(kept)], loss=random.choice((0.0, 0.02, 0.5)))
    request: dict[str, Any] = {"epoch": 7, "spans": spans}
    if random.random() < 0.8:
        names = [span["id"] for span in spans if random.random() < 0.7]
        request["index"] = {"source": "pre_compaction", "rebuilt": random.choice(("never", 2, 6)), "covers": names}
        request["index"]["verified"] = {name: random.random() < 0.6 for name in names if random.random() < 0.8}
    if random.random() < 0.8:
        request["scoring"] = {"terms": {"similarity": 0.5, "structural": random.choice((0, 0.5))}}
    if random.random() < 0.8:
        request["monitor"] = {"enabled": random.random() < 0.8, "queries": random.choice((5, 100)), "divergence": 0.005}
    return request


@pytest.fixture(scope="module", params=[*POLICIES, "own"])
def policy(request: pytest.FixtureRequest) -> policylang.Policy:
    return policylang.load_text(OWN) if request.param == "own" else policylang.load(request.param)


requests = st.randoms(use_true_random=False).map(make_request)


@settings(max_examples=60, deadline=None)
@given(st.lists(requests, min_size=1, max_size=5))
def test_three_evaluators_give_the_same_bytes(policy: policylang.Policy, many: list[dict[str, Any]]) -> None:
    fused = [policylang.evaluate(policy, one, as_of=DAY).canonical() for one in many]
    columns = [verdict.canonical() for verdict in policylang.evaluate_many(policy, many, as_of=DAY)]
    interpreted = []
    for one in many:
        asked = policylang.Request.from_json(one)
        hits = evaluate_rules(policy.on(DAY).rules, world_of(policy, asked, DAY))
        refused = any(decides(hit.rule) for hit in hits)
        interpreted.append(make_verdict(policy, asked, DAY, refused, lambda hits=hits: hits).canonical())
    assert fused == columns == interpreted


@settings(max_examples=60, deadline=None)
@given(requests)
def test_the_plan_covers_each_evicted_span_once_and_the_salvage_agrees(
    policy: policylang.Policy, one: dict[str, Any]
) -> None:
    verdict = policylang.evaluate(policy, one, as_of=DAY).to_json()
    evicted = [span["id"] for span in one["spans"] if span["disposition"] == "evict"]
    assert [item["span"] for item in verdict["plan"]] == evicted
    spilled = [item["span"] for item in verdict["plan"] if item["action"] != "compact"]
    assert verdict["salvage"] == {"evict": [name for name in evicted if name not in spilled], "spill": spilled}
    assert verdict["counts"]["spilled"] == len(spilled)
    refused = verdict["decision"] == "spill_lossless"
    assert refused == bool(verdict["reasons"])
    named = {name for reason in verdict["reasons"] if reason["scope"] != "epoch" for name in reason["spans"]}
    assert named <= set(spilled)


@settings(max_examples=60, deadline=None)
@given(requests, st.integers(0, 3))
def test_evidence_never_turns_a_determined_refusal_into_an_error(
    policy: policylang.Policy, one: dict[str, Any], which: int
) -> None:
    """What refuses for want of evidence may be settled by it; what is settled stays as it is."""
    before = policylang.evaluate(policy, one, as_of=DAY)
    extra: dict[str, Any] = [
        {"scoring": {"terms": {"similarity": 0.5, "structural": 0.5}}},
        {"monitor": {"enabled": True, "queries": 100, "divergence": 0.0}},
        {"generation": 3},
        {"transcript": [span["id"] for span in one["spans"]]},
    ][which]
    after = policylang.evaluate(policy, {**extra, **one}, as_of=DAY)
    settled = {(item.rule, item.spans) for item in before.reasons if not item.undetermined and item.scope == "span"}
    assert settled <= {(item.rule, item.spans) for item in after.reasons}
    if "scoring" in one and "monitor" in one and which < 2:
        assert after.decision == before.decision


@settings(max_examples=40, deadline=None)
@given(requests, st.randoms(use_true_random=False))
def test_the_order_of_declarations_never_matters(one: dict[str, Any], random: Random) -> None:
    head, *lines = OWN.strip().split("\n")
    random.shuffle(lines)
    shuffled = policylang.load_text("\n".join((head, *lines)))
    verdict = policylang.evaluate(policylang.load_text(OWN), one, as_of=DAY).to_json(source=False)
    other = policylang.evaluate(shuffled, one, as_of=DAY).to_json(source=False)
    assert verdict.pop("policy")["id"] == other.pop("policy")["id"]
    assert verdict == other
