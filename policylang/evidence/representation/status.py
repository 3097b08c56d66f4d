"""The status of one assertion in the retained transcript (SPEC §4, "Representation")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from policylang.evidence import keys, values
from policylang.evidence.model import Assertion
from policylang.evidence.representation import entities
from policylang.evidence.representation.model import SUMMARY, TAIL, SessionSpan
from policylang.evidence.representation.phrases import Phrase
from policylang.evidence.representation.table import Bound, Naming, Table, bucket, equal

ACKS: Final = frozenset({"state_assertion", "file_write_ack"})
_DENSE: Final = frozenset({"id", "checksum", "url", "path", "timestamp", "ip"})
"""Types whose values are rare enough that the value itself tells which thing is meant."""


class Context(Protocol):
    """What a status needs to know of the session."""

    @property
    def spans(self) -> Sequence[SessionSpan]:
        """The session, by position."""

    def rare(self, word: str) -> bool:
        """True if the word stands in few of the session's spans."""

    def names_call(self, phrase: Phrase, span: SessionSpan) -> bool:
        """True if the clause names the call that produced the span."""

    def last_call(self, key: str, chain: str, before: int) -> int | None:
        """The nearest preceding state span of a chain that has an assertion of a per-call key."""


@dataclass(frozen=True, slots=True)
class Question:
    """An assertion of a span, as asked of the retained transcript.

    Attributes:
        span: The span that holds it.
        assertion: The assertion.
        strict: Its entity must be named: a generic key, or one with several values in its span.
        words: The words of its key.
    """

    span: SessionSpan
    assertion: Assertion
    strict: bool
    words: tuple[str, ...]


def questions(span: SessionSpan) -> list[Question]:
    """One for each assertion of a span."""
    several: dict[str, set[str]] = {}
    for one in span.extraction.assertions:
        several.setdefault(one.key, set()).add(one.value)
    return [
        Question(span, one, keys.is_generic(one.key) or len(several[one.key]) > 1, keys.words(one.key))
        for one in span.extraction.assertions
    ]


def status(ask: Question, table: Table, context: Context) -> tuple[str, str | None]:
    """The assertion's status, and where it survived if it is restated."""
    where = _restated(ask, table, context)
    if where is not None:
        return "restated", where
    conflict = _conflict(ask, table, context)
    if conflict is not None:
        return conflict, None
    if any(_names(ask, naming, context) for naming in table.names):
        return "referenced", None
    return "absent", None


def _restated(ask: Question, table: Table, context: Context) -> str | None:
    group = table.by_value.get(bucket(ask.assertion.type, ask.assertion.value), ())
    where = None
    for bound in group:
        if _says_own(ask, bound, context) and not _overtaken(ask, bound, table):
            if context.spans[bound.span].kind == "summary":
                return SUMMARY
            where = TAIL
    if where is None and ask.assertion.type == "boolean":
        # "is not disabled" says enabled.
        for bound in table.bounds:
            if bound.type == "boolean" and not bound.positive and _says_opposite(ask, bound, context):
                where = SUMMARY if context.spans[bound.span].kind == "summary" else TAIL
    return where


def _says_own(ask: Question, bound: Bound, context: Context) -> bool:
    one = ask.assertion
    if bound.span == ask.span.position or bound.positive != one.polarity or not equal(one, bound):
        return False
    if not bound.clean and one.type not in _DENSE and not entities.named(one.entity, bound.entity, bound.phrase):
        return False
    return _same_thing(ask, bound) and _may_restate_call(ask, bound, context)


def _says_opposite(ask: Question, bound: Bound, context: Context) -> bool:
    one = ask.assertion
    return (
        bound.span != ask.span.position
        and one.polarity
        and bound.clean
        and not equal(one, bound)
        and _same_thing(ask, bound)
        and _may_restate_call(ask, bound, context)
    )


def _same_thing(ask: Question, bound: Bound) -> bool:
    entity = ask.assertion.entity
    if ask.strict and entity is not None:
        return entities.named(entity, bound.entity, bound.phrase)
    return entities.agrees(entity, bound.entity, bound.phrase)


def _may_restate_call(ask: Question, bound: Bound, context: Context) -> bool:
    """A per-call value in another call's own output is that call's."""
    if not ask.assertion.per_call:
        return True
    other = context.spans[bound.span]
    return other.prose or (other.tool_call_id is not None and other.tool_call_id == ask.span.tool_call_id)


def _overtaken(ask: Question, own: Bound, table: Table) -> bool:
    """True if the same text says that the value is over: a later clause changes it, or it is told as past."""
    if own.former:
        return any(
            other.span == own.span and _other_value(ask, other) and not other.former and _same_thing(ask, other)
            for other in table.bounds
        )
    return any(
        other.span == own.span
        and other.rank > own.rank
        and (other.news or own.past)
        and other.clean
        and _other_value(ask, other)
        and _same_thing(ask, other)
        for other in table.bounds
    )


def _other_value(ask: Question, bound: Bound) -> bool:
    """True if the binding denies the assertion: another value of its type, or its own value denied."""
    one = ask.assertion
    if equal(one, bound):
        return bound.positive != one.polarity
    if bound.positive != one.polarity or not values.same_type(one.type, bound.type):
        return False
    if not one.polarity:
        return False
    if "state" in (one.type, bound.type):
        return bound.value in values.opposite(one.value) or (bound.sign and one.type == bound.type)
    if "enum" in (one.type, bound.type):
        return one.type == bound.type and (bound.sign or (bound.explicit and bound.last))
    return True


def _conflict(ask: Question, table: Table, context: Context) -> str | None:
    found = None
    for bound in table.bounds:
        if bound.span == ask.span.position or not bound.clean or bound.former or not _other_value(ask, bound):
            continue
        if not _speaks_of(ask, bound.entity, bound.phrase, bound.span, context) or not _loud(ask, bound, context):
            continue
        if _supersedes(context.spans[bound.span], ask.span):
            return "superseded"
        found = "contradicted"
    return found


def _supersedes(later: SessionSpan, span: SessionSpan) -> bool:
    return (
        later.state
        and (later.epoch, later.position) > (span.epoch, span.position)
        and (later.chain == span.chain or (later.tool is not None and later.tool == span.tool) or later.kind in ACKS)
    )


def _loud(ask: Question, bound: Bound, context: Context) -> bool:
    """A one-word key that is a common word contradicts only by an explicit `=`, `:` or copula."""
    return len(ask.words) > 1 or bound.explicit or bound.shaped or context.rare(ask.words[0])


def _speaks_of(ask: Question, said: str | None, phrase: Phrase | None, span: int, context: Context) -> bool:
    """True if a text that names the key, or binds it, may speak of this assertion rather than of another."""
    one = ask.assertion
    if one.per_call:
        return _speaks_of_call(ask, phrase, context.spans[span], context)
    if ask.strict:
        return entities.named(one.entity, said, phrase)
    return entities.agrees(one.entity, said, phrase)


def _speaks_of_call(ask: Question, phrase: Phrase | None, other: SessionSpan, context: Context) -> bool:
    if other.state:
        return other.tool_call_id is not None and other.tool_call_id == ask.span.tool_call_id
    if phrase is not None and context.names_call(phrase, ask.span):
        return True
    # In its chain, a text speaks of the call just before it.
    if other.chain != ask.span.chain:
        return False
    return context.last_call(ask.assertion.key, other.chain, other.position) == ask.span.position


def _names(ask: Question, naming: Naming, context: Context) -> bool:
    if naming.span == ask.span.position:
        return False
    if len(ask.words) == 1 and not naming.shaped and not context.rare(ask.words[0]):
        return False
    return _speaks_of(ask, None, naming.phrase, naming.span, context)
