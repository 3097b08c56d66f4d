"""The status of one assertion in the retained transcript (SPEC §4, "Representation")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Final, TypeVar

from policylang.evidence import keys, values
from policylang.evidence.model import Assertion
from policylang.evidence.representation import entities, lexicon
from policylang.evidence.representation.calls import Calls
from policylang.evidence.representation.model import SUMMARY, TAIL, SessionSpan
from policylang.evidence.representation.phrases import Phrase
from policylang.evidence.representation.pool import Pool, Said
from policylang.evidence.representation.reader import Bound, Naming, equal
from policylang.evidence.representation.table import Table, supersedes

_DENSE: Final = frozenset({"id", "checksum", "url", "path", "timestamp", "ip"})
"""Types whose values are rare enough that the value itself tells which thing is meant."""

T = TypeVar("T", bound=Said)


@dataclass(frozen=True, slots=True)
class Question:
    """An assertion of a span, as asked of the retained transcript.

    Attributes:
        span: The span that holds it.
        assertion: The assertion.
        strict: Its entity must be named: a generic key, or one with several values in its span.
    """

    span: SessionSpan
    assertion: Assertion
    strict: bool


def questions(span: SessionSpan) -> list[Question]:
    """One for each assertion of a span."""
    several: dict[str, set[str]] = {}
    for one in span.extraction.assertions:
        several.setdefault(one.key, set()).add(one.value)
    return [
        Question(span, one, keys.is_generic(one.key) or len(several[one.key]) > 1) for one in span.extraction.assertions
    ]


def status(ask: Question, table: Table, calls: Calls) -> tuple[str, str | None]:
    """The assertion's status, and where it survived if it is restated."""
    where = _restated(ask, table, calls)
    if where is not None:
        return "restated", where
    if any(_conflicts(ask, bound, table, calls) for bound in _retiring(ask, table, calls)):
        return "superseded", None
    if any(_conflicts(ask, bound, table, calls) for bound in _conflicting(ask, table, calls)):
        return "contradicted", None
    if any(_names(ask, naming, calls) for naming in _speaking(ask, table.names, calls)):
        return "referenced", None
    return "absent", None


def _speaking(ask: Question, pool: Pool[T], calls: Calls) -> Iterable[T]:
    """Items that may speak of the assertion: all where it has no entity, else those that name it or none."""
    one = ask.assertion
    if one.per_call:
        return chain(pool.in_chain(ask.span.chain), pool.holding(calls.names(ask.span)))
    if one.entity is None:
        return () if ask.strict else pool
    return pool.about(one.entity) if ask.strict else chain(pool.about(one.entity), pool.free)


def _conflicting(ask: Question, table: Table, calls: Calls) -> Iterable[Bound]:
    if ask.assertion.per_call:
        return chain(_speaking(ask, table.told, calls), table.conflicts.of_call(ask.span.tool_call_id))
    return _speaking(ask, table.conflicts, calls)


def _retiring(ask: Question, table: Table, calls: Calls) -> Iterable[Bound]:
    """Bindings that supersede the assertion if they conflict with it."""
    one = ask.assertion
    if one.per_call:
        few = table.conflicts.of_call(ask.span.tool_call_id)
    elif one.entity is not None:
        few = table.conflicts.about(one.entity)
    else:
        return () if ask.strict else table.retiring(ask.span, False)
    near = (bound for bound in few if supersedes(calls.spans[bound.span], ask.span))
    return near if one.per_call or ask.strict else chain(near, table.retiring(ask.span, True))


def _restating(ask: Question, table: Table, calls: Calls) -> tuple[Iterable[Bound], ...]:
    """Groups of bindings of the assertion's value that may speak of the same thing, summaries first in each."""
    one = ask.assertion
    pool = table.saying(one.type, one.value)
    if one.per_call:
        # A value in another call's own output is that call's. Prose comes first in a pool.
        told = takewhile(lambda bound: calls.spans[bound.span].prose, pool)
        return told, pool.of_call(ask.span.tool_call_id)
    if one.entity is None:
        return (pool,)
    return (pool.about(one.entity),) if ask.strict else (pool.about(one.entity), pool.free)


def _restated(ask: Question, table: Table, calls: Calls) -> str | None:
    one, where = ask.assertion, None
    for group in _restating(ask, table, calls):
        said = (bound for bound in group if _says_own(ask, bound) and not _overtaken(ask, bound, table))
        first = next(said, None)
        if first is not None:
            if calls.spans[first.span].kind == "summary":
                return SUMMARY
            where = TAIL
    if where is None and one.type == "boolean" and one.polarity:
        for bound in table.denied:
            if bound.clean and not equal(one, bound) and bound.span != ask.span.position and _same_thing(ask, bound):
                return SUMMARY if calls.spans[bound.span].kind == "summary" else TAIL
    return where


def _says_own(ask: Question, bound: Bound) -> bool:
    one = ask.assertion
    if bound.span == ask.span.position or bound.positive != one.polarity or not equal(one, bound):
        return False
    if not bound.clean and one.type not in _DENSE and not entities.named(one.entity, bound.entity, bound.phrase):
        return False
    return _same_thing(ask, bound)


def _same_thing(ask: Question, bound: Bound) -> bool:
    entity = ask.assertion.entity
    if ask.strict and entity is not None:
        return entities.named(entity, bound.entity, bound.phrase)
    return entities.agrees(entity, bound.entity, bound.phrase)


def _overtaken(ask: Question, own: Bound, table: Table) -> bool:
    """True if the same text says that the value is over: a later clause changes it, or it is told as past."""
    for other in table.in_span(own.span):
        if other.clean and not (own.former and other.former) and _other_value(ask, other):
            later = own.former or (other.rank > own.rank and (other.news or own.past))
            if later and _same_thing(ask, other):
                return True
    return False


def _other_value(ask: Question, bound: Bound) -> bool:
    """True if the binding denies the assertion: another value of its type, or its own value denied."""
    one = ask.assertion
    if equal(one, bound):
        return bound.positive != one.polarity
    if not bound.positive or not one.polarity or not values.same_type(one.type, bound.type):
        return False
    if bound.value in values.opposite(one.value):
        return True
    # Two words can both be true of a thing ("applied", "verified"): only a value in a value's place denies another.
    if "state" in (one.type, bound.type):
        return bound.sign and one.type == bound.type
    if "enum" in (one.type, bound.type):
        return one.type == bound.type and (
            bound.sign or (bound.explicit and bound.last and not _describes(bound.value))
        )
    # "50" may be short for "50%".
    return one.value.rstrip("%") != bound.value.rstrip("%")


def _describes(word: str) -> bool:
    """True for a predicate rather than a value: "the branch is protected"."""
    return word in lexicon.PREDICATES or word.endswith(("ed", "ing", "able", "ible", "ful", "less", "ous"))


def _conflicts(ask: Question, bound: Bound, table: Table, calls: Calls) -> bool:
    return (
        bound.span != ask.span.position
        and _other_value(ask, bound)
        # A table of many things denies nothing of one that it does not name.
        and not (ask.assertion.entity is None and table.crowded(bound.span))
        and _speaks_of(ask, bound.entity, bound.phrase, bound.span, calls)
    )


def _speaks_of(ask: Question, said: str | None, phrase: Phrase | None, span: int, calls: Calls) -> bool:
    """True if a text that names the key, or binds it, may speak of this assertion rather than of another."""
    one = ask.assertion
    if one.per_call:
        return calls.speaks_of(calls.spans[span], phrase, ask.span, one.key)
    if ask.strict:
        return entities.named(one.entity, said, phrase)
    return entities.agrees(one.entity, said, phrase)


def _names(ask: Question, naming: Naming, calls: Calls) -> bool:
    return naming.span != ask.span.position and _speaks_of(
        ask, _numbered(ask, naming), naming.phrase, naming.span, calls
    )


def _numbered(ask: Question, naming: Naming) -> str | None:
    """What stands beside a key is an entity only where entities are numbered: "migration 0043" is not 0042."""
    return naming.entity if any(char.isdigit() for char in ask.assertion.entity or "") else None
