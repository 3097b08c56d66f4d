"""The load-time judgement of exempts agrees with the evaluator that runs them."""

from __future__ import annotations

import pytest

from policylang.check import load_text
from policylang.check.queue_depth import TEXT, holds_of_queue_depth
from policylang.compiler.interpret import evaluate_expression
from policylang.rules_ir.facts import AssertionFacts, ChainFacts, IndexFacts, SpanFacts, World

ASSERTION = AssertionFacts(entity=None, key="queue_depth", value="42", type=None, status=None)
SPAN = SpanFacts(
    id=None, kind="tool_result", klass="state", text=TEXT, epoch=None, age=None,
    chain=ChainFacts(id=None, epsilon=None),
    tokens=4, loss=None, assertions=[ASSERTION], assertions_truncated=False, bulk=False, representation=None,
    indexed=None, verified=None, tool=None, tool_call_id=None, position=None, meta={},
)  # fmt: skip
WORLD = World(epoch=None, index=IndexFacts(coverage=None), spans=None)

CONDITIONS = [
    ("true", True),
    ("false", False),
    ("span.kind == tool_result", True),
    ("span.kind != tool_result", False),
    ("span.class == state and span.tokens < 100", True),
    ("span.class == reasoning or span.tool == \"ls\"", None),
    ("span.class == reasoning and span.tool == \"ls\"", False),
    ("span.class == state or span.tool == \"ls\"", True),
    ("not span.bulk", True),
    ("not (span.tool == \"ls\")", None),
    ("span.tool is known", False),
    ("span.tool is unknown", True),
    ("span.kind in [tool_result, api_response]", True),
    ("span.kind not in [tool_result, api_response]", False),
    ("span.tool in [\"ls\", \"cat\"]", None),
    ("span.text matches /depth\\s+=/i", True),
    ("span.text matches /lease/", False),
    ("starts_with(span.text, \"queue\") and contains(span.text, \"= 42\")", True),
    ("lower(span.text) == \"queue depth = 42\"", True),
    ("starts_with(span.tool, \"q\")", None),
    ("length(span.text) == 16 and length(span.assertions) == 1", True),
    ("span.tokens + 1 == 5 and span.tokens - 1 == 3 and span.tokens * 2 == 8 and span.tokens / 8 == 0.5", True),
    ("-span.tokens < 0", True),
    ("-span.epoch < 0", None),
    ("span.tokens / 0 > 1", None),
    ("span.epoch > 3", None),
    ("if span.bulk then true else span.tokens > 3", True),
    ("if span.verified then true else true", None),
    ("any a in span.assertions: a.key == \"queue_depth\"", True),
    ("all a in span.assertions: a.value != \"42\"", False),
    ("any a in span.assertions where a.key == \"lease\": true", False),
    ("any a in span.assertions where a.status == absent: true", None),
    ("all a in span.assertions where a.status == absent: true", True),
    ("(count a in span.assertions: a.key == \"queue_depth\") == 1", True),
    ("(count a in span.assertions: a.status == absent) == 1", None),
    ("(count a in span.assertions where a.status == absent: true) == 1", None),
    ("(sum a in span.assertions: length(a.value)) == 2", True),
    ("(min a in span.assertions: length(a.value)) == 2", True),
    ("(max a in span.assertions where a.key == \"lease\": length(a.value)) == 2", None),
    ("span.meta.env == \"prod\"", None),
    ("span.chain.epsilon > 5%", None),
    ("epsilon(span.chain, reasoning) > 5%", None),
    ("epoch > 3", None),
    ("index.coverage < 0.5", None),
    ("any s in spans: s.bulk", None),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS)
def test_a_condition_of_the_queue_depth_span(condition: str, expected: bool | None) -> None:
    policy = load_text(f"anchor x when {condition}\n")
    assert policy.anchors is not None
    typed = policy.anchors.named[0].condition
    assert holds_of_queue_depth(typed) is expected
    # The evaluator asks facts for what this judgement takes as unknown from the start.
    if not any(word in condition for word in ("epsilon", "spans")):
        assert evaluate_expression(typed, WORLD, {0: SPAN}) is expected


def test_a_number_that_no_float_holds_is_unknown() -> None:
    policy = load_text(f"anchor x when {' * '.join(['9' * 39] * 9)} * 0.5 > 1\n")
    assert policy.anchors is not None
    assert holds_of_queue_depth(policy.anchors.named[0].condition) is None
