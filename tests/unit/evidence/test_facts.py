"""Every fact that a policy can name, asked for by a policy; unknown where its evidence is absent (SPEC §3, §4, §9)."""

from __future__ import annotations

from typing import Any

import pytest

import policylang
from policylang.testing.base import complete

ANCHORS = "anchor kind tool_result\nanchor detect version\nbudget reasoning epsilon 0.5 per chain\n"


def span(name: str, disposition: str = "evict", **more: Any) -> dict[str, Any]:
    base = {"id": name, "kind": "reasoning", "text": "let us think", "epoch": 3, "disposition": disposition}
    return {**base, **more}


def holds(condition: str, given: dict[str, Any], blocks: str = ANCHORS) -> bool | None:
    """What a condition is: a `refuse` on it refuses, or not, or is undetermined."""
    policy = policylang.load_text(f'{blocks}refuse "asked" {{ when {condition} because "x" then spill epoch }}\n')
    found = [one for one in policylang.evaluate(policy, complete(given)).reasons if one.rule == "asked"]
    assert not any("internal-error" in reason.missing for reason in found)
    return None if found and found[0].undetermined else bool(found)


SPANS = [
    span("call", kind="tool_call", text="grep -n lease .", tool_call_id="t", chain="a", epoch=2),
    span("result", kind="tool_result", text="lease = zx-77413", tool_call_id="t", chain="a", tokens=9, meta={"k": "v"}),
    span("thought", chain="b", tokens=30, loss=0.5, represented_by=["sum"]),
    span("lost", chain="b", tokens=10, loss=0.1),
    span("kept", "retain", chain="b", tokens=60, loss=0.9, kind="assistant_message", epoch=5),
    span("sum", "retain", kind="summary", text="the short of it", epoch=7, chain="s"),
]


def one(name: str, test: str) -> str:
    return f'any s in spans where s.id == "{name}": {test}'


# (condition, what it is) over SPANS and the healthy base; every evicted span is covered and verified.
OF_SPANS = [
    (one("call", "s.age == 5 and s.epoch == 2 and s.position == 0"), True),
    (one("result", 's.tool == "grep" and s.tool_call_id == "t"'), True),  # §9 the first word of the paired call's text
    (one("result", 's.meta.k == "v"'), True),
    (one("result", 's.meta.other == "v"'), None),  # §9 "unknown if absent"
    (one("thought", 's.tool == "grep"'), None),
    (one("result", "s.tokens == 9"), True),
    (one("call", "s.tokens == 4"), True),  # §9 ceil(15 bytes / 4)
    (one("result", "s.indexed and s.verified"), True),
    (one("kept", "s.indexed"), False),
    (one("kept", "s.verified"), False),  # §5 "an id not in `covers` has verified false"
    (one("thought", "s.loss == 0.5"), True),
    (one("lost", "s.loss == 1"), True),  # §4 "loss is 1 for a span dropped without representation"
    (one("kept", "s.loss == 0"), True),
    (one("result", 's.anchor and "kind" in s.anchor_by and length(s.chain.id) == 1'), True),
    (one("thought", "s.anchor"), False),
    ("(count c in chains: true) == 3", True),
    ('any c in chains where c.id == "b": (count s in c.spans: true) == 3 and (count s in c.evicted: true) == 2', True),
    # ε of b = (0.5 * 30 + 1 * 10) / 100; chains without evicted reasoning have 0
    ('any c in chains where c.id == "b": c.epsilon == 0.25', True),
    ('any c in chains where c.id == "a": c.epsilon == 0', True),
    ('any c in chains where c.id == "a": any s in c.anchors: s.id == "result"', True),
    ('any c in chains where c.id == "a": any s in c.evicted_anchors: s.id == "call"', False),
    ('any c in chains where c.id == "b": any s in c.evicted_anchors: true', False),
]


@pytest.mark.parametrize(("condition", "expected"), OF_SPANS)
def test_facts_of_spans_and_chains(condition: str, expected: bool | None) -> None:
    assert holds(condition, {"spans": SPANS}) is expected


# (what is given beside the spans, condition, what it is); None is evidence that is absent
OF_THE_EPOCH: list[tuple[dict[str, Any], str, bool | None]] = [
    ({"index": {"covers": None}}, one("result", "s.indexed"), None),
    ({"index": {"covers": None}}, one("result", "s.verified"), None),
    ({"index": {"verified": None}}, one("result", "s.verified"), None),
    ({"index": {"verified": {"result": False}}}, one("result", "s.verified"), False),
    ({}, "index.source == pre_compaction and index.epochs_since_rebuild > 1000", True),
    ({"index": {"rebuilt": 4}}, "index.rebuilt == 4 and index.epochs_since_rebuild == 3", True),
    ({"index": {"rebuilt": None}}, "index.epochs_since_rebuild > 2", None),
    ({"index": {"rebuilt": None}}, "index.rebuilt >= 0", None),
    ({}, "index.rebuilt >= 0", False),  # never, so in no epoch
    ({"index": {"covers": ["call", "result"]}}, "index.size == 2", True),
    ({"index": {"covers": ["call", "result"], "size": 40}}, "index.size == 40", True),
    ({"index": {"covers": None}}, "index.size == 2", None),
    ({"index": {"covers": None, "size": 40}}, "index.size == 40", True),
    # the new summary is no original, so five count
    ({"index": {"covers": ["call"]}}, "index.coverage == 0.2", True),
    ({"index": {"covers": ["call"], "coverage": 0.1}}, "index.coverage == 0.1", True),
    ({"index": {"covers": ["call"], "coverage": 0.9}}, "index.coverage == 0.2", True),
    ({"index": {"covers": None, "coverage": 0.9}}, "index.coverage == 0.9", True),
    ({"index": {"covers": None}}, "index.coverage > 0", None),
    ({}, '"similarity" in scoring.terms and scoring.structural and scoring.structural_weight == 0.5', True),
    ({"scoring": {"terms": {"structural": 0}}}, "scoring.structural", False),
    ({"scoring": {"terms": {"similarity": -0.5, "structural": 0.5}}}, "scoring.structural_weight == 0.5", True),
    ({"scoring": None}, "scoring.structural", None),
    ({"scoring": None}, "scoring.structural_weight > 0", None),
    ({"scoring": None}, '"similarity" in scoring.terms', None),
    ({}, "scoring.anchor_auc > 0", None),
    ({}, "monitor.enabled and monitor.queries == 100 and monitor.divergence == 0", True),
    ({"monitor": {"enabled": None}}, "monitor.enabled", None),
]


@pytest.mark.parametrize(("given", "condition", "expected"), OF_THE_EPOCH)
def test_facts_of_the_epoch(given: dict[str, Any], condition: str, expected: bool | None) -> None:
    assert holds(condition, {"spans": SPANS, **given}) is expected


def test_the_auc_tells_whether_anchors_are_evicted_last() -> None:
    scores = {"call": 3, "result": 1, "thought": 2}
    spans = [{**row, "score": scores[row["id"]]} if row["id"] in scores else row for row in SPANS]
    assert holds("scoring.anchor_auc == 1", {"spans": spans}) is True


@pytest.mark.parametrize(
    ("losses", "expected"),
    [((0.1, 0.3), 0.2), ((0.1, None), None)],  # §4 "else unknown": a loss that nobody declared
)
def test_the_epsilon_of_a_chain_is_unknown_where_a_loss_is(losses: tuple[Any, Any], expected: float | None) -> None:
    first, second = (span(str(n), chain="c", tokens=50, loss=x, represented_by=["r"]) for n, x in enumerate(losses))
    given = {"spans": [first, second, span("r", "retain", kind="summary", epoch=7, chain="s")]}
    assert holds('any c in chains where c.id == "c": c.epsilon == 0.2', given) is (None if expected is None else True)


def test_the_epsilon_of_a_chain_is_the_largest_over_the_budgeted_kinds() -> None:
    blocks = "kind plan : reasoning\nbudget reasoning epsilon 0.5 per chain\nbudget plan epsilon 0.5 per chain\n"
    spans = [
        span("p", kind="plan", chain="c", tokens=10),
        span("q", "retain", kind="plan", chain="c", tokens=30),
        span("r", chain="c", tokens=10),
        span("s", "retain", chain="c", tokens=90),
    ]
    assert holds("any c in chains: c.epsilon == 0.25", {"spans": spans}, blocks) is True


def test_a_kind_with_a_budget_of_its_own_weighs_in_no_pool() -> None:
    # §3 "a kind's own budget takes it out"; by spans 1 of 10, by tokens it would be nearly all of the chain
    blocks = (
        "kind plan : reasoning\nbudget reasoning epsilon 0.5 per chain\nbudget plan epsilon 0.5 per chain by spans\n"
    )
    spans = [
        span("p", kind="plan", chain="c", tokens=900),
        *(span(f"q{n}", "retain", kind="plan", chain="c", tokens=1) for n in range(9)),
        span("r", chain="c", tokens=10),
        span("s", "retain", chain="c", tokens=90),
    ]
    assert holds("any c in chains: c.epsilon == 0.1", {"spans": spans}, blocks) is True


# (the rest of an evicted or retained span, what makes it an anchor under `anchor kind tool_result` alone)
CARRIERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"kind": "tool_result"}, ["kind"]),
    ({"kind": "reasoning", "text": "schema version = 7"}, []),
    ({"kind": "summary", "text": "schema version = 7"}, ["carrier"]),
    ({"kind": "summary", "text": "the short of it"}, []),
    ({"kind": "summary", "text": "schema version = 7", "disposition": "retain"}, []),
    ({"kind": "pointer", "text": "whatever it says"}, ["carrier"]),
    ({"kind": "deploy_receipt"}, ["kind"]),  # §3 declared by no policy: "an anchor wherever a policy has `anchor kind`"
]


@pytest.mark.parametrize(("row", "expected"), CARRIERS)
def test_an_evicted_summary_that_holds_assertions_and_a_pointer_are_anchors_too(
    row: dict[str, Any], expected: list[str]
) -> None:
    given = {"spans": [span("a", **row)]}
    for word in ("kind", "detect", "carrier"):
        assert holds(one("a", f'"{word}" in s.anchor_by'), given, "anchor kind tool_result\n") is (word in expected)


def test_only_summaries_claim() -> None:
    # §9 "`claim-unsupported` looks at assertions of summaries only"
    policy = policylang.load_text("integrity { claims supported }\n")
    for kind, decision in (("summary", "spill_lossless"), ("pointer", "compact")):
        spans = [span("a"), span("n", "retain", kind=kind, text="schema version = 9", epoch=7)]
        assert policylang.evaluate(policy, complete({"spans": spans})).decision == decision


def test_a_group_named_value_gives_an_assertion_of_the_anchors_name() -> None:
    blocks = "anchor slot when span.text matches /slot(?: of (?P<value>\\d*))?/ or span.text matches /row (taken)/\n"
    any_slot = one("a", 'any i in s.assertions: i.key == "slot"')
    read = one("a", 'any i in s.assertions: i.key == "slot" and i.value == "12"')
    rows = (("a slot of 12 is ours", True), ("slot taken", False), ("row taken", False), ("slot of rows", False))
    for text, reads in rows:
        given = {"spans": [span("a", text=text)]}
        assert holds(one("a", '"slot" in s.anchor_by'), given, blocks) is True
        assert holds(read, given, blocks) is reads
        assert holds(any_slot, given, blocks) is reads


def test_a_frame_is_what_stands_around_the_results_of_state_kinds() -> None:
    # §4 "frame keys, those in the first 6 or last 4 lines of >= 25 % (at least 8) of a session's state spans"
    framed = one("0", 'any i in s.assertions: i.key == "wall_time"')
    for kind, others, asserted in (("tool_result", 7, True), ("tool_result", 8, False), ("reasoning", 8, True)):
        rows = [span(str(n), kind=kind if n else "tool_result", text=f"wall time: {n + 2} s") for n in range(others)]
        assert holds(framed, {"spans": rows}) is asserted


# (fields of a retained span, the transcript before, whether it is new)
# §9 "a retained `summary` or `pointer` of the request's own epoch that `transcript` does not list is *new*"
NEW: list[tuple[dict[str, Any], list[str] | None, bool]] = [
    ({"kind": "summary", "epoch": 7}, None, True),
    ({"kind": "pointer", "epoch": 7}, None, True),
    ({"kind": "summary", "epoch": 7}, ["a"], True),
    ({"kind": "summary", "epoch": 7}, ["a", "n"], False),
    ({"kind": "summary", "epoch": 6}, ["a"], False),
    ({"kind": "reasoning", "epoch": 7}, None, False),
    ({"kind": "summary", "epoch": 7, "disposition": "evict"}, None, False),
]


@pytest.mark.parametrize(("row", "transcript", "new"), NEW)
def test_what_is_new_is_no_original(row: dict[str, Any], transcript: list[str] | None, new: bool) -> None:
    spans = [span("a", tokens=100), span("n", **{"disposition": "retain", "tokens": 60, **row})]
    given = {"spans": spans, "transcript": transcript, "index": {"covers": ["a"]}}
    assert holds(f"index.coverage == {1 if new else 0.5}", given) is True
    policy = policylang.load_text("integrity { gain 39% }\n")
    # what is new adds to the result alone: 60 of 100 are left, else 60 of 160, or nothing if it goes too
    assert policylang.evaluate(policy, complete(given)).decision == "compact"
    policy = policylang.load_text("integrity { gain 41% }\n")
    assert policylang.evaluate(policy, complete(given)).decision == ("spill_lossless" if new else "compact")


# (fields of the call, fields of its result, the tool of the result)
# §9 "`tool`: else the first word of the paired call's text, else unknown"
TOOLS: list[tuple[dict[str, Any], dict[str, Any], str | None]] = [
    ({}, {}, "grep"),
    ({}, {"tool": "search"}, "search"),
    ({"tool": "bash"}, {}, "bash"),
    ({"tool": "bash"}, {"tool": "search"}, "search"),
    ({"text": " "}, {}, None),
    ({}, {"tool_call_id": "other"}, None),
]


@pytest.mark.parametrize(("call", "result", "expected"), TOOLS)
def test_the_tool_of_a_result(call: dict[str, Any], result: dict[str, Any], expected: str | None) -> None:
    rows = [
        span("c", **{"kind": "tool_call", "text": "grep -n lease .", "tool_call_id": "t", **call}),
        span("r", **{"kind": "tool_result", "text": "nothing found", "tool_call_id": "t", **result}),
    ]
    given = {"spans": rows}
    assert holds(one("r", "s.tool is known"), given) is (expected is not None)
    assert holds(one("r", f's.tool == "{expected}"'), given) is (True if expected else None)
