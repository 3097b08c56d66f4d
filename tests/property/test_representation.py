"""Laws of representation on generated facts: what is said is found, what is not said never is."""

from __future__ import annotations

import string
from dataclasses import dataclass

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from policylang.evidence import keys
from policylang.evidence.session import Session
from policylang.transcript.vocabulary import REPRESENTATIONS
from tests.unit.evidence_representation.sessions import pair, span

SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

_NOUNS = (
    "schema deployment billing cache ingest gateway search ledger cluster payroll catalog shard vault mesh quota "
    "backup tenant scheduler invoice"
)
NOUNS = tuple(_NOUNS.split())


@dataclass(frozen=True)
class Fact:
    """A key, a value as written, and another value of its type."""

    key: str
    value: str
    other: str

    @property
    def words(self) -> str:
        return self.key.replace("_", " ")


def _digits(low: int, high: int) -> st.SearchStrategy[str]:
    return st.integers(low, high).map(str)


def _hex(size: int) -> st.SearchStrategy[str]:
    # A letter and a digit first: a run of digits alone is a number, and "1e5" a float.
    tail = st.text("0123456789abcdef", min_size=size - 2, max_size=size - 2)
    return tail.map(lambda rest: "a7" + rest[::-1])


def _version() -> st.SearchStrategy[str]:
    return st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)).map(lambda t: ".".join(map(str, t)))


# Last word of the key -> its values.
VALUES: dict[str, st.SearchStrategy[str]] = {
    "version": st.one_of(_digits(1, 500), _version()),
    "port": _digits(1024, 65_535),
    "count": _digits(2, 90_000),
    "size": st.integers(2, 900).map(lambda n: f"{n} MB"),
    "timeout": st.integers(2, 900).map(lambda n: f"{n} s"),
    "limit": _digits(2, 90_000),
    "commit": _hex(40),
    "checksum": _hex(64),
    "id": st.tuples(st.sampled_from(["dep", "bk", "job", "run"]), _hex(6)).map("-".join),
    "enabled": st.sampled_from(["true", "false"]),
    "state": st.sampled_from(["applied", "failed", "running", "stopped"]),
    "url": st.text(string.ascii_lowercase, min_size=3, max_size=9).map(lambda name: f"https://{name}.test/x"),
    "path": st.text(string.ascii_lowercase, min_size=3, max_size=9).map(lambda name: f"/srv/{name}/data.json"),
    "address": st.integers(1, 250).map(lambda n: f"10.0.{n}.7"),
    "date": st.tuples(st.integers(2021, 2026), st.integers(1, 12)).map(lambda t: f"{t[0]}-{t[1]:02}-14"),
}
SWAPS = {
    "true": "false",
    "false": "true",
    "applied": "failed",
    "failed": "applied",
    "running": "stopped",
    "stopped": "running",
}


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    last = draw(st.sampled_from(sorted(VALUES)))
    nouns = draw(st.lists(st.sampled_from(NOUNS), min_size=1, max_size=2, unique=True))
    value = draw(VALUES[last])
    other = SWAPS.get(value) or draw(VALUES[last].filter(lambda one: one != value))
    return Fact("_".join([*nouns, last]), value, other)


ANCHORS = ("{key}: {value}", "{key} = {value}", '{{"{key}": "{value}"}}', "done\n{words}: {value}\nok")
RESTATEMENTS = (
    "{key} = {value}",
    "{words}: {value}",
    "The {words} is {value}.",
    "The {words} is now {value}.",
    "We confirmed that the {words} is {value}.",
    '{{"{key}": "{value}"}}',
    "Facts so far:\n- {words}: {value}\n- nothing else",
    "- **{words}**: `{value}`",
    "| {words} | {value} |",
    "Work goes on; the {words} was set to {value}, and the rest is unchanged.",
)
QUESTIONS = (
    "What is the {words}?",
    "what {words} are we on?",
    "We should verify the {words}.",
    "If the {words} is {value} we can go on.",
    "Check whether the {words} is {value}.",
    "The {words} should be {value}.",
    "I expect the {words} to be {value}.",
    "Is the {words} {value}?",
)
DENIALS = (
    "The {words} is not {value}.",
    "The {words} is no longer {value}.",
    "It is not true that the {words} is {value}.",
    "{words} = {value}; that is false.",
    "It is false that {words} = {value}.",
)
CHANGES = (
    "The {words} was {value}, now {other}.",
    "The {words} went from {value} to {other}.",
    "{key}: {value} -> {other}",
    "At first the {words} was {value}. Later the {words} was changed to {other}.",
)


def _pair(fact: Fact, anchor: str, text: str, kind: str = "summary") -> Session:
    session = pair(_fill(anchor, fact), text, kind)
    # The law is about binding: a fact that extraction does not see is its own tests' business.
    assume([one.key for one in session.spans[0].extraction.assertions] == [keys.normalise(fact.key)])
    return session


def _fill(form: str, fact: Fact, value: str | None = None) -> str:
    return form.format(key=fact.key, words=fact.words, value=value or fact.value, other=fact.other)


@SETTINGS
@given(facts(), st.sampled_from(ANCHORS), st.sampled_from(RESTATEMENTS))
def test_a_restatement_is_found(fact: Fact, anchor: str, form: str) -> None:
    assert _pair(fact, anchor, _fill(form, fact)).represent(0).representation == "restated"


@SETTINGS
@given(facts(), st.sampled_from(ANCHORS), st.sampled_from(RESTATEMENTS))
def test_another_value_is_contradicted(fact: Fact, anchor: str, form: str) -> None:
    found = _pair(fact, anchor, _fill(form, fact, fact.other)).represent(0).representation
    assert found == "contradicted"


@SETTINGS
@given(facts(), st.sampled_from(ANCHORS), st.sampled_from(RESTATEMENTS + QUESTIONS + DENIALS))
def test_a_mutated_value_is_never_restated(fact: Fact, anchor: str, form: str) -> None:
    # "not failed" is no proof of "applied", but "not false" says true.
    assume(not (fact.value in ("true", "false") and form in DENIALS))
    assert _pair(fact, anchor, _fill(form, fact, fact.other)).represent(0).representation != "restated"


@SETTINGS
@given(facts(), st.sampled_from(ANCHORS), st.sampled_from(QUESTIONS))
def test_a_question_or_a_wish_only_references(fact: Fact, anchor: str, form: str) -> None:
    assert _pair(fact, anchor, _fill(form, fact)).represent(0).representation == "referenced"


@SETTINGS
@given(facts(), st.sampled_from(ANCHORS), st.sampled_from(DENIALS))
def test_a_denial_contradicts(fact: Fact, anchor: str, form: str) -> None:
    assert _pair(fact, anchor, _fill(form, fact)).represent(0).representation == "contradicted"


@SETTINGS
@given(facts(), st.sampled_from(ANCHORS), st.sampled_from(CHANGES))
def test_a_value_told_as_past_is_not_restated(fact: Fact, anchor: str, form: str) -> None:
    assert _pair(fact, anchor, _fill(form, fact)).represent(0).representation == "contradicted"


@SETTINGS
@given(facts(), st.sampled_from(ANCHORS), st.sampled_from(RESTATEMENTS), st.sampled_from(["tool_call", "pointer"]))
def test_calls_and_pointers_represent_nothing(fact: Fact, anchor: str, form: str, kind: str) -> None:
    assert _pair(fact, anchor, _fill(form, fact), kind).represent(0).representation == "absent"


@SETTINGS
@given(st.lists(facts(), min_size=1, max_size=4, unique_by=lambda fact: fact.key), st.data())
def test_unrelated_text_changes_nothing(some: list[Fact], data: st.DataObject) -> None:
    """Adding a text that shares no word with a fact leaves its status as it was."""
    spans = [span(number, f"{fact.key}: {fact.value}", retained=False) for number, fact in enumerate(some)]
    said = data.draw(st.sampled_from(RESTATEMENTS + QUESTIONS + DENIALS))
    spans.append(span(len(spans), _fill(said, some[0]), "summary"))
    before = [Session(spans).represent(number).statuses for number in range(len(some))]
    spans.append(span(len(spans), "Nothing to see here, kindly move along.", "reasoning"))
    assert [Session(spans).represent(number).statuses for number in range(len(some))] == before


@SETTINGS
@given(st.lists(facts(), min_size=1, max_size=4, unique_by=lambda fact: fact.key))
def test_order_of_asking_changes_nothing(some: list[Fact]) -> None:
    spans = [span(number, f"{fact.key}: {fact.value}", retained=False) for number, fact in enumerate(some)]
    spans.append(span(len(spans), "\n".join(f"The {fact.words} is {fact.other}." for fact in some[::2]), "summary"))
    forth, back = Session(spans), Session(spans)
    numbers = range(len(some))
    assert {n: forth.represent(n) for n in numbers} == {n: back.represent(n) for n in reversed(numbers)}


@SETTINGS
@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(["summary", "reasoning", "tool_result"]))
def test_any_two_texts_have_an_answer(anchor: str, text: str, kind: str) -> None:
    session = pair(anchor, text, kind)
    found = session.represent(0)
    assert found.representation in REPRESENTATIONS
    assert len(found.statuses) == len(found.survived) == len(session.spans[0].extraction.assertions)


@SETTINGS
@given(st.text(min_size=5, max_size=200))
def test_what_is_not_in_sight_is_not_restated(text: str) -> None:
    assert pair("schema_version: 7", text.replace("7", "x"), "summary").represent(0).representation != "restated"
