"""Requests are read strictly (SPEC §5, §9): each bad one gives one finding at the value that is wrong."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from policylang import Request, RequestError, Span

GOOD: dict[str, Any] = {
    "epoch": 7,
    "spans": [
        {
            "id": "m42",
            "kind": "tool_result",
            "text": "migration 0042 applied, schema version = 7",
            "epoch": 3,
            "disposition": "evict",
            "chain": "c1",
            "parents": ["t41"],
            "loss": 0.31,
            "represented_by": ["s1"],
        },
        {"id": "s1", "kind": "summary", "text": "…", "epoch": 7, "disposition": "retain"},
    ],
    "index": {"source": "pre_compaction", "rebuilt": "never", "covers": ["m42"], "verified": {"m42": True}},
    "generation": 118,
    "transcript": ["t41", "m42", "r9"],
    "scoring": {"terms": {"similarity": 0.7, "structural": 0.3}},
    "monitor": {"enabled": True, "queries": 240, "divergence": 0.004},
}


def span_text(**fields: Any) -> str:
    base = {"id": "a", "kind": "reasoning", "text": "x", "epoch": 1, "disposition": "evict"}
    return json.dumps({"epoch": 7, "spans": [{**base, **fields}]})


DOCUMENT = (
    '{"eviction_set": [{"span_id": "m", "kind": "k", "text": "x", "epoch": 1}, '
    '{"span_id": "n", "kind": "l", "text": "x", "epoch": 2}], "current_epoch": 7}'
)

# (request text, the text at the place of the finding, a word of the message)
BAD = [
    ('{"epoch": 7, "spans": [], "spanz": []}', "[]", "spanz"),
    ('{"epoch": 7, "epoch": 8, "spans": []}', '"epoch"', "given twice"),
    ('{"epoch": 7, "spans": [{"id": "a", "id": "b"}]}', '"id"', "given twice"),
    # the place is that of the key that is there already, not of its like in another object or in a text
    ('{"epoch": 7, "spans": [{"id": "a"}, {"id": "b", "kind": "id", "id" : "c"}]}', '"id" : "c"', "given twice"),
    ('{"epoch": 7, "spans": [{"text": "\\"a\\": {[ \\\\", "a": 1}, {"a": 2, "\\u0061": 3}]}', '"\\u0061"', "key `a`"),
    ('{"epoch": NaN, "spans": []}', "NaN", "NaN"),
    ('{"epoch": 7, "spans": [], "monitor": {"divergence": -Infinity}}', "-Infinity", "Infinity"),
    ('{"epoch": 7, "spans": [], "monitor": {"divergence": 1e400}}', "1e400", "finite"),
    ('{"epoch": 7, "spans": [], "monitor": {"divergence": "0.5"}}', '"0.5"', "found text"),
    ('{"epoch": 7, "spans": [], "monitor": {"divergence": true}}', "true", "found a boolean"),
    ('{"epoch": 7, "spans": [], "monitor": {"enabled": 1}}', "1", "true or false"),
    ('{"epoch": 7, "spans": [], "index": {"source": "precompaction"}}', '"precompaction"', "unknown word"),
    ('{"epoch": 7, "spans": [], "index": {"rebuilt": 9}}', "9", "after the current epoch"),
    ('{"epoch": 7, "spans": [], "index": {"rebuilt": "soon"}}', '"soon"', "never"),
    ('{"epoch": 7, "spans": [], "index": {"verified": {"a": "yes"}}}', '"yes"', "true or false"),
    ('{"epoch": true, "spans": []}', "true", "found a boolean"),
    ('{"epoch": -1, "spans": []}', "-1", "0 or more"),
    ('{"epoch": 7}', '{"epoch": 7}', "`spans` is missing"),
    ('{"spans": []}', '{"spans": []}', "`epoch` is missing"),
    ('{"epoch": 7, "spans": {}}', "{}", "expected a list"),
    ("[]", "[]", "expected an object"),
    (span_text(loss=1.2), "1.2", "[0, 1]"),
    (span_text(epoch=8), "8", "after the current epoch"),
    (span_text(disposition="evicted"), '"evicted"', "unknown word"),
    (span_text(represented_by=["ghost"]), '"ghost"', "not a retained span"),
    (span_text(tokens=1.5), "1.5", "integer"),
    (span_text(meta={"a": 1}), "1", "expected text"),
    (span_text(id=""), '""', "expected a name"),
    (span_text(span_id="b"), '"b"', "two names"),
    (span_text(colour="red"), '"red"', "unknown field"),
    ('{"epoch": 7, "spans": [{"id": "\\ud800"}]}', '"\\ud800"', "surrogate"),
    ('{"eviction_set": [], "current_epoch": 7, "epoch": 7}', "7", "two names"),
    ('{"eviction_set": [], "rehydration_index_epoch": 9, "current_epoch": 7}', "9", "after the current epoch"),
    (span_text(parents="p"), '"p"', "expected a list"),
    (span_text(represented_by={}), "{}", "expected a list"),
    ('{"epoch": 7, "spans": [], "transcript": "m42"}', '"m42"', "expected a list"),
    ('{"epoch": 7, "spans": [], "index": {"covers": "m42"}}', '"m42"', "expected a list"),
    ('{"epoch":7,"spans":[],"index":{"size":1},"monitor":{"queries":2,"enabled":1}}', "1}}", "true or false"),
    # the document's names are those of the finding, too
    (DOCUMENT.replace('"m"', "5"), "5", "`eviction_set[0].span_id`"),
    (DOCUMENT.replace('"n"', '"m"'), '"m", "kind": "l"', "`eviction_set[1].span_id`"),
    (DOCUMENT.replace("2}]", "9}]"), "9}]", "`eviction_set[1].epoch`"),
    (span_text(epoch=9)[:-1] + ', "rehydration_index_epoch": 3}', "9", "`spans[0].epoch`"),
    (span_text(tokens=2**256), str(2**256), "too large"),
    # a byte order mark shifts every place
    ('\ufeff{"epoch": 7,}', "}", "not JSON"),
    ('\ufeff{"epoch": 7, "epoch": 8, "spans": []}', '"epoch": 8', "given twice"),
    ('\ufeff{"epoch": NaN, "spans": []}', "NaN", "NaN"),
    ('\ufeff{"epoch": 7, "spans": {}}', "{}", "expected a list"),
    ('\ufeff{"epoch": ' + "9" * 5000 + "}", "999", "too large"),
]


@pytest.mark.parametrize(("text", "underlined", "message"), BAD)
def test_a_bad_request_gives_one_finding_at_the_value(text: str, underlined: str, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        Request.from_json(text, "r.json")
    [finding] = caught.value.diagnostics
    assert finding.code == "invalid-request"
    assert message in finding.message
    assert finding.loc is not None
    assert text[finding.loc.start :].startswith(underlined)
    assert isinstance(finding.help, str | None)


def spans_of(*spans: dict[str, Any] | int, **top: Any) -> str:
    base = {"id": "a", "kind": "k", "text": "x", "epoch": 1, "disposition": "evict"}
    return json.dumps({**top, "spans": [{**base, **span} if isinstance(span, dict) else span for span in spans]})


# (request text, all of its messages): what is wrong in one place does not hide what is wrong in another
SEVERAL = [
    (spans_of({}, {}), ["`spans[1].id`: span id `a` is used twice", "the field `epoch` is missing"]),
    (
        spans_of({"loss": 2, "represented_by": ["ghost"]}, epoch=7),
        [
            "`spans[0].loss`: found 2, expected a number in [0, 1]",
            "`spans[0].represented_by[0]`: span `a` is represented by `ghost`, which is not a retained span",
        ],
    ),
    (
        '{"epoch": 7, "spans": [{"id": "a", "kind": "k", "epoch": 1}]}',
        ["`spans[0]`: the field `disposition` is missing", "`spans[0]`: the field `text` is missing"],
    ),
    (spans_of(epok=7), ["the field `epoch` is missing", "unknown field `epok`"]),
    (spans_of({"los": 1}, epoch=7), ["unknown field `spans[0].los`"]),
    (
        spans_of({"epoch": 9}, 5, epoch=7),
        [
            "`spans[0].epoch`: span `a` is from epoch 9, after the current epoch 7",
            "`spans[1]`: found an integer, expected an object",
        ],
    ),
    # whether `b` is retained, and what the second span is called, nobody can say
    (
        spans_of({"represented_by": ["b"]}, {"id": "b", "disposition": "kept"}, epoch=7),
        ["`spans[1].disposition`: unknown word `kept`"],
    ),
    (
        spans_of({"represented_by": ["b"]}, {"id": 5, "disposition": "retain"}, epoch=7),
        ["`spans[1].id`: found an integer, expected text"],
    ),
]


@pytest.mark.parametrize(("text", "messages"), SEVERAL)
def test_all_that_can_be_judged_is_reported_in_one_run(text: str, messages: list[str]) -> None:
    with pytest.raises(RequestError) as caught:
        Request.from_json(text)
    assert sorted(finding.message for finding in caught.value.diagnostics) == sorted(messages)


def test_a_request_of_parts_reports_them_all_as_well() -> None:
    spans = (Span("a", "k", "x", 9, disposition="evict"), Span("a", "k", "x", 1))
    with pytest.raises(RequestError) as caught:
        Request(7, spans)
    assert sorted(finding.message for finding in caught.value.diagnostics) == [
        "`spans[0].epoch`: span `a` is from epoch 9, after the current epoch 7",
        "`spans[1].id`: span id `a` is used twice",
        "`spans[1]`: the field `disposition` is missing",
    ]


@pytest.mark.parametrize(
    "text", ["", "{", "nul", '{"epoch": 7,}', "{'epoch': 7}", '{"epoch": 07, "spans": []}', "[" * 100_000]
)
def test_what_is_not_json_says_where(text: str) -> None:
    with pytest.raises(RequestError) as caught:
        Request.from_json(text)
    assert [finding.code for finding in caught.value.diagnostics] == ["invalid-request"]
    assert caught.value.diagnostics[0].loc is not None


def test_bytes_that_are_not_utf8_are_bad_encoding() -> None:
    with pytest.raises(RequestError) as caught:
        Request.from_json(b'{"epoch": "\xff"}')
    assert [finding.code for finding in caught.value.diagnostics] == ["bad-encoding"]


def test_all_findings_of_a_request_are_reported_in_the_order_of_the_text() -> None:
    text = '{"epoch": 7, "spans": [{"id": "a", "kind": "k", "text": "x", "epoch": 9, "disposition": "evict"},\n' + (
        '{"id": "a", "kind": "k", "text": "x", "epoch": 1, "disposition": "retain"}]}'
    )
    with pytest.raises(RequestError) as caught:
        Request.from_json(text)
    assert [finding.loc.begin.line for finding in caught.value.diagnostics if finding.loc] == [1, 2]


def test_the_example_of_the_specification_reads_and_writes_back() -> None:
    request = Request.from_json(json.dumps(GOOD))
    assert request.spans[0].loss == 0.31
    assert request.index.verified == {"m42": True}
    assert request.to_json() == GOOD
    assert Request.from_json(GOOD) == request
    assert pickle.loads(pickle.dumps(request)) == request


def test_the_documents_form_means_all_spans_evicted() -> None:
    request = Request.from_json(
        {
            "eviction_set": [{"span_id": "m42", "kind": "tool_result", "text": "x", "epoch": 3}],
            "rehydration_index_epoch": 5,
            "current_epoch": 7,
        }
    )
    assert request == Request(7, (Span("m42", "tool_result", "x", 3, disposition="evict"),), index=request.index)
    assert request.index.rebuilt == 5
    assert request.index.source is None


def test_null_is_not_known_and_integers_stay_exact_beyond_two_to_the_53() -> None:
    one = Request.from_json({"epoch": 7, "spans": [], "index": None, "monitor": {"divergence": None}})
    assert one.monitor.divergence is None
    digests = {Request.from_json({"epoch": 7, "spans": [], "generation": 2**53 + n}).digest() for n in (0, 1)}
    assert len(digests) == 2


def test_spans_may_stand_in_a_plain_value() -> None:
    span = Span("a", "reasoning", "x", 1, disposition="evict")
    assert Request.from_json({"epoch": 7, "spans": [span]}) == Request(7, (span,))
    with pytest.raises(RequestError, match=r"`spans\[1\].id`: span id `a` is used twice"):
        Request.from_json({"epoch": 7, "spans": [span, span]})


def test_no_number_is_minus_zero() -> None:
    request = Request.from_json('{"epoch": 7, "spans": [], "monitor": {"divergence": -0.0}}')
    assert str(request.monitor.divergence) == "0.0"


def test_the_largest_integer_is_exact() -> None:
    assert Request.from_json(span_text(tokens=2**256 - 1)).spans[0].tokens == 2**256 - 1


def test_a_request_built_in_python_is_held_to_the_same_rules() -> None:
    span = Span("a", "reasoning", "x", 1, disposition="evict")
    with pytest.raises(RequestError, match="used twice"):
        Request(7, (span, span))
    with pytest.raises(RequestError, match="`disposition` is missing"):
        Request(7, (Span("a", "reasoning", "x", 1),))
    with pytest.raises(RequestError, match="finite"):
        Request(7, (Span("a", "reasoning", "x", 1, disposition="evict", loss=float("nan")),))


def test_tokens_are_estimated_from_utf8_bytes() -> None:
    assert Span("a", "reasoning", "", 1).mass == 0
    assert Span("a", "reasoning", "abcde", 1).mass == 2
    assert Span("a", "reasoning", "εε", 1).mass == 1
    assert Span("a", "reasoning", "abcde", 1, tokens=40).mass == 40
