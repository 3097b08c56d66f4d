"""The status of one assertion in the retained transcript (SPEC §4, "Representation")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import Final, TypeVar

from policylang.evidence import keys, values
from policylang.evidence.model import Assertion
from policylang.evidence.representation import entities, lexicon, subjects
from policylang.evidence.representation.calls import Calls, is_per_call
from policylang.evidence.representation.measures import comparable, whole
from policylang.evidence.representation.model import SUMMARY, TAIL, SessionSpan
from policylang.evidence.representation.phrases import Phrase
from policylang.evidence.representation.pool import Pool, Said
from policylang.evidence.representation.reader import Bound, Naming, equal
from policylang.evidence.representation.subjects import Names, Subjects
from policylang.evidence.representation.table import Table, supersedes

_DENSE: Final = frozenset({"id", "checksum", "url", "path", "timestamp", "ip"})
"""Types whose values are rare enough that the value itself tells which thing is meant."""

_LOOKED_AT: Final = 64
"""How many bindings or mentions are tried for one question; past them it is answered on the safe side."""

T = TypeVar("T", bound=Said)


@dataclass(frozen=True, slots=True)
class Question:
    """An assertion of a span, as asked of the retained transcript.

    Attributes:
        span: The span that holds it.
        assertion: The assertion.
        strict: Its entity must be named: a generic key, or one with several values in its span.
        per_call: It belongs to the call that produced its span.
        names: What its line is about, by its heading and the id fields of its record.
        own: It is the id of its own record.
    """

    span: SessionSpan
    assertion: Assertion
    strict: bool
    per_call: bool = False
    names: Names = subjects.NOTHING
    own: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What a session says of its calls, and of the things that its facts are about."""

    calls: Calls
    subjects: Subjects


def questions(span: SessionSpan, about: Subjects) -> list[Question]:
    """One for each assertion of a span."""
    several: dict[str, set[str]] = {}
    for one in span.extraction.assertions:
        several.setdefault(one.key, set()).add(one.value)
    return [
        Question(
            span,
            _whole(one, span),
            keys.is_generic(one.key) or len(several[one.key]) > 1,
            is_per_call(one),
            about.at(span.position, one.start),
            about.own(span.position, one),
        )
        for one in span.extraction.assertions
    ]


def _whole(fact: Assertion, span: SessionSpan) -> Assertion:
    """The fact with the whole number where only a group of its digits was found."""
    value = whole(span.text, fact.start, fact.end) if fact.type in ("number", "count") else None
    return fact if value is None else replace(fact, value=value)


def status(ask: Question, table: Table, scene: Scene) -> tuple[str, str | None]:
    """The assertion's status, and where it survived if it is restated."""
    where = _restated(ask, table, scene)
    if where is not None:
        return "restated", where
    if any(_conflicts(ask, bound, table, scene) for bound in _few(_retiring(ask, table, scene))):
        return "superseded", None
    if any(_conflicts(ask, bound, table, scene) for bound in _few(_conflicting(ask, table, scene))):
        return "contradicted", None
    if any(_names(ask, naming, scene) for naming in _few(_speaking(ask, table.names, scene))):
        return "referenced", None
    return "absent", None


def _few(items: Iterable[T]) -> Iterable[T]:
    """The first items only: what is said of other things so often is no reason to read all of it."""
    return islice(items, _LOOKED_AT)


def _speaking(ask: Question, pool: Pool[T], scene: Scene) -> Iterable[T]:
    """Items that may speak of the assertion: all where it has no entity, else those that name it or none."""
    one = ask.assertion
    if ask.per_call:
        return chain(pool.in_chain(ask.span.chain), pool.holding(scene.calls.names(ask.span)))
    if one.entity is None:
        return () if ask.strict else pool
    return pool.about(one.entity) if ask.strict else chain(pool.about(one.entity), pool.free)


def _conflicting(ask: Question, table: Table, scene: Scene) -> Iterable[Bound]:
    if ask.per_call:
        return chain(_speaking(ask, table.told, scene), table.conflicts.of_call(ask.span.tool_call_id))
    pool = table.told if ask.own else table.conflicts
    if scene.subjects.plural(ask.assertion.key, ask.assertion.type):
        return pool.holding(_own_words(ask))
    return _speaking(ask, pool, scene)


def _own_words(ask: Question) -> list[str]:
    """The words by which an item can name what the assertion is of."""
    words: list[str] = []
    for name in subjects.of(ask.assertion, ask.names) or [ask.assertion.entity or ""]:
        words.extend((name, *keys.words(name)))
    return words


def _retiring(ask: Question, table: Table, scene: Scene) -> Iterable[Bound]:
    """Bindings that supersede the assertion if they conflict with it."""
    one = ask.assertion
    if ask.per_call:
        few = table.conflicts.of_call(ask.span.tool_call_id)
    elif ask.own:
        # What a record is called does not change: another record has another id.
        return ()
    elif scene.subjects.plural(one.key, ""):
        few = table.conflicts.holding(_own_words(ask))
        return (bound for bound in few if supersedes(scene.calls.spans[bound.span], ask.span))
    elif one.entity is not None:
        few = table.conflicts.about(one.entity)
    else:
        return () if ask.strict else table.retiring(ask.span, False)
    near = (bound for bound in few if supersedes(scene.calls.spans[bound.span], ask.span))
    return near if ask.per_call or ask.strict else chain(near, table.retiring(ask.span, True))


def _restating(ask: Question, table: Table, scene: Scene) -> tuple[Iterable[Bound], ...]:
    """Groups of bindings of the assertion's value that may speak of the same thing, summaries first in each."""
    one = ask.assertion
    pool = table.saying(one.type, one.value)
    if ask.per_call:
        # A value in another call's own output is that call's. Prose comes first in a pool.
        told = takewhile(lambda bound: scene.calls.spans[bound.span].prose, pool)
        return told, pool.of_call(ask.span.tool_call_id)
    groups: tuple[Iterable[Bound], ...] = (pool,)
    if one.entity is not None:
        groups = (pool.about(one.entity),) if ask.strict else (pool.about(one.entity), pool.free)
    return (pool.holding(_own_words(ask)), *groups) if ask.names else groups


def _restated(ask: Question, table: Table, scene: Scene) -> str | None:
    one, where = ask.assertion, None
    for group in _restating(ask, table, scene):
        said = (
            bound for bound in _few(group) if _says_own(ask, bound, scene) and not _overtaken(ask, bound, table, scene)
        )
        first = next(said, None)
        if first is not None:
            if scene.calls.spans[first.span].kind == "summary":
                return SUMMARY
            where = TAIL
    if where is None and one.type == "boolean" and one.polarity:
        for bound in table.denied:
            if (
                bound.clean
                and not equal(one, bound)
                and bound.span != ask.span.position
                and _same_thing(ask, bound, scene)
            ):
                return SUMMARY if scene.calls.spans[bound.span].kind == "summary" else TAIL
    return where


def _says_own(ask: Question, bound: Bound, scene: Scene) -> bool:
    one = ask.assertion
    if bound.span == ask.span.position or bound.positive != one.polarity or not equal(one, bound):
        return False
    if not bound.clean and one.type not in _DENSE and not entities.named(one.entity, bound.entity, bound.phrase):
        return False
    return _same_thing(ask, bound, scene)


def _same_thing(ask: Question, bound: Bound, scene: Scene) -> bool:
    entity = ask.assertion.entity
    if not _meets(ask, bound, scene):
        return False
    if ask.strict and entity is not None:
        return entities.named(entity, bound.entity, bound.phrase) or _in_record(entity, bound, scene)
    return entities.agrees(entity, bound.entity, bound.phrase)


def _in_record(entity: str, bound: Bound, scene: Scene) -> bool:
    """True if the heading or record of a binding names an entity."""
    return any(entities.same(entity, name) for _, name in scene.subjects.at(bound.span, bound.rank))


def _meets(ask: Question, bound: Bound, scene: Scene) -> bool:
    """True unless the assertion and the binding are of two things, by the names of their records and clauses."""
    one = ask.assertion
    if one.type == "checksum" and one.value == bound.value:
        # Two things with one checksum are one thing.
        return True
    names = scene.subjects.at(bound.span, bound.rank)
    if not subjects.meet(ask.names, names, subjects.kind_of(one.key)):
        return any(entities.names(bound.phrase, name) for _, name in ask.names)
    return not scene.subjects.elsewhere(one.key, bound.phrase, _own_names(ask))


def _own_names(ask: Question) -> list[str]:
    """The names of what the assertion is of; its own value is one where it names its record."""
    found = subjects.of(ask.assertion, ask.names)
    return [*found, ask.assertion.value.lower()] if found else []


def _overtaken(ask: Question, own: Bound, table: Table, scene: Scene) -> bool:
    """True if the same text says that the value is over: a later clause changes it, or it is told as past."""
    for other in table.in_span(own.span):
        if other.clean and not (own.former and other.former) and _other_value(ask, other, scene):
            later = own.former or (other.rank > own.rank and (other.news or own.past))
            if later and _same_thing(ask, other, scene):
                return True
    return False


def _other_value(ask: Question, bound: Bound, scene: Scene) -> bool:
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
    if one.value.rstrip("%") == bound.value.rstrip("%"):
        return False
    text = scene.calls.spans[bound.span].text
    return comparable(one.type, (one.raw, one.value), (text[bound.rank : bound.rank + bound.size], bound.value))


def _describes(word: str) -> bool:
    """True for a predicate rather than a value: "the branch is protected"."""
    return word in lexicon.PREDICATES or word.endswith(("ed", "ing", "able", "ible", "ful", "less", "ous"))


def _conflicts(ask: Question, bound: Bound, table: Table, scene: Scene) -> bool:
    return (
        bound.span != ask.span.position
        and _other_value(ask, bound, scene)
        # A table of many things denies nothing of one that it does not name.
        and not (ask.assertion.entity is None and table.crowded(bound.span))
        and _meets(ask, bound, scene)
        and (not ask.own or bound.explicit)
        and (ask.per_call or not _unsaid(ask, bound, scene))
        and _speaks_of(ask, bound.entity, bound.phrase, bound.span, scene)
    )


def _unsaid(ask: Question, bound: Bound, scene: Scene) -> bool:
    """True if the key is told of several things, and the binding does not say that it is of the assertion's."""
    one, span = ask.assertion, scene.calls.spans[bound.span]
    # A number of which there are many may be another one; what a state span changes is the same.
    if not scene.subjects.plural(one.key, "" if supersedes(span, ask.span) else one.type):
        return False
    there = {name for _, name in scene.subjects.at(bound.span, bound.rank)}
    own = _own_names(ask)
    return not (
        there.intersection(own)
        or any(entities.named(name, bound.entity, bound.phrase) for name in own)
        or entities.named(one.entity, bound.entity, bound.phrase)
    )


def _speaks_of(ask: Question, said: str | None, phrase: Phrase | None, span: int, scene: Scene) -> bool:
    """True if a text that names the key, or binds it, may speak of this assertion rather than of another."""
    one = ask.assertion
    if ask.per_call:
        return scene.calls.speaks_of(scene.calls.spans[span], phrase, ask.span, one.key)
    if ask.strict:
        return entities.named(one.entity, said, phrase)
    return entities.agrees(one.entity, said, phrase)


def _names(ask: Question, naming: Naming, scene: Scene) -> bool:
    one, span = ask.assertion, scene.calls.spans[naming.span]
    if naming.span == ask.span.position or (
        naming.single
        and (
            # A document on tools says many words; and one task among others is no number of tasks.
            span.kind == "system" or (one.type == "count" and not naming.counts)
        )
    ):
        return False
    names = scene.subjects.at(naming.span, naming.rank)
    if not subjects.meet(ask.names, names, subjects.kind_of(one.key)):
        return False
    if scene.subjects.elsewhere(one.key, naming.phrase, _own_names(ask)):
        return False
    return _speaks_of(ask, _numbered(ask, naming), naming.phrase, naming.span, scene)


def _numbered(ask: Question, naming: Naming) -> str | None:
    """What stands beside a key is an entity only where entities are numbered: "migration 0043" is not 0042."""
    return naming.entity if any(char.isdigit() for char in ask.assertion.entity or "") else None
