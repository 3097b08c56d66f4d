"""Laws of extraction on any text: offsets, determinism, no crash, a scan that drops nothing, linear cost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policylang.evidence import bulk, keys, values
from policylang.evidence import text as texts
from policylang.evidence.extract import CAP, extract
from policylang.evidence.extraction import jsondoc, lines, scan
from policylang.transcript.vocabulary import ASSERTION_TYPES

_PIECES = (
    "schema version = 7",
    "migration 0042 applied",
    "wrote 812 bytes to deploy/app.yaml",
    "exit code: 1",
    '{"id": "x1", ',
    '"n": [1, true, "v1.2.3"]}',
    "commit 3f9ac1d",
    "https://example.org",
    "12 passed",
    "…",
    "７",
    "\u202e",
    "\x00",
    "\r\n",
    "\n",
    "if ",
    "not ",
    " is ",
    "= ",
    ": ",
    "; ",
    "`",
    '"',
    "\\",
    "| a | b |\n|---|---|\n",
    "```\n",
    "+x\n",
    "@@ -1 +1 @@\n",
    "    1\tx\n",
    "def f():\n",
    "é",
    "e\u0301",
    "\x1b[1m",
    "flight HAT290",
    "took 3.5 s",
    "pkg@1.2.3",
    "state: ok",
    "A  B\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    "created ticket OPS-41",
    "was enabled",
    "from 6 to 7",
    "10.0.0.1",
    "2026-12-01T10:00:00Z INFO ",
    "port 8080",
    "{'a': 1, 'b': 'x'}",
    "Foo(a=1, b='x')",
    "{ a: 1, ok: true }",
    "map[a:1 b:2]",
    "ids: ['a-17', 'a-18']",
    "id | n\n----+----\n 1 | 2\n",
    "+--+--+\n",
    "a,b,c\n1,2,3\n",
    "1.2.0 -> 1.3.0",
    "3 open issues",
    "build #12",
    "Test passed: True",
    " — running",
    "sha256:d10b486c9aa2f3f4",
    "\n* main 3f9ac1d fix\n",
    "\n3f9ac1d07b2e5c8a9d4410f6be77a2c5d8e90b13\n",
    "<status>done</status>",
    "GET /x 200",
)
mixed = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=6)), max_size=24).map("".join)
any_text = st.one_of(st.text(max_size=200), mixed)


@given(any_text, st.booleans())
def test_offsets_types_and_order_hold_on_any_text(text: str, reading: bool) -> None:
    found = extract(text, kind="tool_result", reading=reading)
    assert len(found.assertions) <= CAP
    starts = [fact.start for fact in found.assertions]
    assert starts == sorted(starts)
    for fact in found.assertions:
        assert 0 <= fact.start < fact.end <= len(text)
        assert text[fact.start : fact.end] == fact.raw
        assert 0 <= fact.key_start <= len(text)
        assert fact.type in ASSERTION_TYPES
        assert fact.key and keys.normalise(fact.key) == fact.key
        assert fact.value
    edge = 0
    for start, end in found.regions:
        assert edge <= start < end <= len(text)
        edge = end
    if reading:
        assert {fact.type for fact in found.assertions} <= {"exit_code"}


@given(any_text)
def test_a_text_gives_the_same_twice(text: str) -> None:
    assert extract(text, kind="tool_result") == extract(text, kind="tool_result")


@given(st.text(alphabet=st.characters(categories=("Lu", "Ll", "Nd", "Po", "Zs", "Cs", "Cf", "Mn")), max_size=120))
def test_lone_surrogates_and_marks_crash_nothing(text: str) -> None:
    extract(text, kind="tool_result")
    found = texts.normalise(text)
    found.text.encode("utf-8")
    assert all(0 <= found.start(i) < found.end(i + 1) <= len(text) for i in range(len(found.text)))


@settings(max_examples=300)
@given(mixed)
def test_the_scan_drops_no_line_that_holds_a_fact(text: str) -> None:
    for line in texts.normalise(text).text.split("\n"):
        if line.strip() and lines.read(line, 0):
            assert scan.may_hold(line), line


@given(st.integers(min_value=0, max_value=10**12), st.sampled_from(["schema version", "queue_depth", "replicaCount"]))
def test_full_width_digits_are_digits(number: int, key: str) -> None:
    wide = "".join(chr(ord("０") + int(digit)) for digit in str(number))
    plain = extract(f"{key} = {number}", kind="tool_result").assertions
    other = extract(f"{key} = {wide}", kind="tool_result").assertions
    assert [(a.key, a.value, a.type) for a in plain] == [(a.key, a.value, a.type) for a in other]
    assert [a.value for a in plain] == [str(number)]


@given(st.from_regex(r"[a-z]{2,9}(_[a-z]{2,9}){1,2}", fullmatch=True), st.integers(0, 9999))
def test_one_fact_in_four_notations(key: str, number: int) -> None:
    words = key.replace("_", " ")
    first, *rest = key.split("_")
    camel = first + "".join(part.title() for part in rest)
    found = [
        [(a.key, a.value) for a in extract(text, kind="tool_result").assertions]
        for text in (f"{key}: {number}", f"{key}={number}", f'{{"{camel}": {number}}}', f'{{"{words}": "{number}"}}')
    ]
    assert found[0] == [(keys.normalise(key), str(number))]
    assert found.count(found[0]) == len(found)


@given(st.text(max_size=40), st.one_of(st.none(), st.text(max_size=20)))
def test_a_value_equals_itself(raw: str, key: str | None) -> None:
    kind = values.classify(raw, key)
    if kind is not None:
        assert kind[0] in ASSERTION_TYPES
        assert values.same(*kind, *kind)


@given(st.text(max_size=40))
def test_keys_are_idempotent(raw: str) -> None:
    assert keys.normalise(keys.normalise(raw)) == keys.normalise(raw)


@given(st.binary(max_size=0) | mixed.map(lambda text: text.encode("utf-8", "replace")))
def test_regions_are_whole_lines(data: bytes) -> None:
    for start, end in bulk.regions(data):
        assert start == 0 or data[start - 1 : start] == b"\n"
        assert end == len(data) or data[end - 1 : end] == b"\n"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
        max_leaves=12,
    )
)
def test_any_json_document_is_read_to_its_end(value: object) -> None:
    import json

    if isinstance(value, dict | list) and value and not (isinstance(value, list) and value[0] is None):
        for text in (json.dumps(value), json.dumps(value, indent=2), json.dumps(value, ensure_ascii=False)):
            if jsondoc.looks_like(text):
                document = jsondoc.read(text, 0, len(text))
                assert document.closed and document.end == len(text)


@pytest.mark.parametrize(
    "unit",
    [
        "a=",
        "k: k: k:",
        "((((",
        "7",
        "1.",
        "a-",
        '{"',
        "[",
        '{"a":',
        "k is 7 ",
        "created x y z ",
        "wrote a b c d ",
        "`",
        "\u0301",
        "then, ",
        "{'a': ",
        "{'a': \n",
        "{ a: {",
        "{\n a: ",
        "Foo(a=1, ",
        "a|b\n",
        "a|b\n-+-\n",
        "1 open issues, ",
        "3f9ac1d ",
        "1.2 -> 1.3 ",
        "k: [a1, ",
        "....",
        "/a",
        "1,000,",
        "x\n",
        "a=1\n",
        "| a",
        "A  B  ",
        "not ",
        "é…",
    ],
)
def test_cost_grows_with_length_and_no_faster(unit: str) -> None:
    """Eight times the text may cost at most about eight times as much; quadratic cost would be sixty-four times."""

    def cost(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        best = float("inf")
        for _ in range(3):
            lines.forget()
            start = time.perf_counter()
            extract(text, kind="tool_result")
            best = min(best, time.perf_counter() - start)
        return best

    small, large = cost(20_000), cost(160_000)
    assert large < 28 * small + 0.05


@given(
    mixed,
    st.sampled_from(["if ", "we should ", "please ", "it is not true that ", "what ", "let me ", "", "then check "]),
)
def test_a_text_without_mood_words_has_no_mood(text: str, lead: str) -> None:
    line = lead + text.replace("\n", " ")
    if texts.MOOD_WORDS.isdisjoint(lines.words_of(line)):
        assert texts.clauses(line) == texts.clauses(line, moods=False)
