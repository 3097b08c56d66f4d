"""Reads what the retained transcript says of one key: the values bound to it, and the prose that names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from policylang.evidence import keys, values
from policylang.evidence.model import Assertion
from policylang.evidence.representation import lexicon
from policylang.evidence.representation.binding import bindings, plural, tense
from policylang.evidence.representation.changes import resolved
from policylang.evidence.representation.index import ClauseIndex, Entry
from policylang.evidence.representation.measures import moment, whole
from policylang.evidence.representation.mentions import Mention, mentions
from policylang.evidence.representation.model import SessionSpan
from policylang.evidence.representation.phrases import Phrase
from policylang.evidence.representation.tokens import MARK

_SWITCHES: Final = frozenset({"on", "off", "yes", "no", "open", "up", "down"})


@dataclass(frozen=True, slots=True)
class Bound:
    """One value that a retained span binds to a key.

    Attributes:
        span: Position of the span.
        rank: Original offset in the span, for order within it.
        size: Length of the value as written.
        type: Assertion type.
        value: Normal form.
        entity: What it is said of, or None.
        positive: False where it is denied.
        explicit: A separator or copula stands between key and value.
        sign: A separator stands between key and value.
        clean: Nothing suggests another key: it may contradict.
        past: Said of the past.
        former: Said of another time, or said to be over.
        news: Said as a change.
        shaped: The key is identifier-shaped where it is named.
        last: Nothing but a mark follows the value.
        phrase: The clause, None for a value of a table or record.
    """

    span: int
    rank: int
    size: int
    type: str
    value: str
    entity: str | None
    positive: bool
    explicit: bool
    sign: bool
    clean: bool
    past: bool
    former: bool
    news: bool
    shaped: bool
    last: bool
    phrase: Phrase | None


@dataclass(frozen=True, slots=True)
class Naming:
    """A clause of prose that names a key.

    Attributes:
        span: Position of the span.
        rank: Original offset of the clause in the span.
        phrase: The clause.
        shaped: The key is identifier-shaped there.
        entity: The id or number that stands beside it, or None.
        single: The key is one word.
        counts: It is in the plural, or beside a word that asks for a number.
    """

    span: int
    rank: int
    phrase: Phrase
    shaped: bool
    entity: str | None
    single: bool
    counts: bool


def bucket(kind: str, value: str) -> str:
    """Equal for values that may be one value; few others share it."""
    if kind == "timestamp":
        when = moment(value)
        return value if when is None else when[0].date().isoformat()
    if value.isdigit():
        return value.lstrip("0") or "0"
    if kind in ("path", "write"):
        return value.rstrip("/").rsplit("/", 1)[-1]
    if kind in ("id", "checksum") and len(value) >= 7:
        return value[:7].lower()
    return value.lower().rstrip("/")


def equal(first: Assertion | Bound, second: Assertion | Bound) -> bool:
    """`values.same`, but that versions are texts (3.10 is not 3.1), and a time is one in any spelling."""
    if "version" in (first.type, second.type) and "." in first.value and "." in second.value:
        return first.value == second.value
    if first.type == second.type == "timestamp":
        one, two = moment(first.value), moment(second.value)
        if one is not None and two is not None:
            return one == two
    return values.same(first.type, first.value, second.type, second.value)


def counts(phrase: Phrase, mention: Mention) -> bool:
    """True if a noun stands in the plural, with a number, or beside a word that asks for one."""
    near = phrase.tokens[max(0, mention.first - 3) : mention.last + 3]
    return plural(phrase.tokens, mention) or any(token.low in lexicon.COUNTING or token.plain_number for token in near)


_CLASS: Final = frozenset({"feature", "flag", "setting", "option", "parameter", "param", "variable", "var", "env"})


def told(key: str) -> tuple[str, ...]:
    """The words that a text must hold to name a key: without those that only say what sort of thing it is.

    `feature_checkout_v2` is told as "checkout v2", if what is left is a name: identifier-shaped, or two words.
    """
    words = keys.words(key)
    rest = tuple(word for word in words if word not in _CLASS)
    name = len(rest) > 1 or any(char.isdigit() for word in rest for char in word)
    return rest if rest and name else words


def read(
    key: str, index: ClauseIndex, spans: Sequence[SessionSpan], extracted: Sequence[tuple[int, Assertion]], most: int
) -> tuple[list[Bound], list[Naming]]:
    """Read all candidate clauses for one normalised key: what they bind to it, in order, and which prose names it.

    Args:
        key: As `keys.normalise` writes it.
        index: The clauses that may represent.
        spans: The session, by position.
        extracted: Assertions of this key in spans that may represent.
        most: How many clauses are read at most. Where more hold the key's words, prose that holds them names it, and
            nothing is bound to it: what is not read must not restate.
    """
    words = told(key)
    bounds: dict[tuple[int, int], Bound] = {}
    names: list[Naming] = []
    numbers = index.with_words(words)
    if len(numbers) > most:
        prose = (number for number in numbers if spans[index.entries[number].span].prose)
        return [], [_mentioned(index.entries[number], words) for number in islice(prose, most // 8)]
    for number in numbers:
        entry = index.entries[number]
        phrase = entry.phrase
        found = mentions(phrase, words)
        if found and spans[entry.span].prose:
            single = len(words) == 1
            names.extend(
                Naming(entry.span, entry.clause.start, phrase, one.shaped, one.entity, single, counts(phrase, one))
                for one in found
                if one.speaks
            )
        for bound in _bounds(phrase, found, key, entry.span, entry.clause.start):
            bounds.setdefault((bound.span, bound.rank), bound)
    for span, assertion in extracted:
        place = (span, assertion.start)
        known = bounds.get(place)
        if known is not None:
            entity = known.entity if assertion.entity is None else assertion.entity
            # One extractor read both texts: what it makes of a value compares best with what it made of the anchor's.
            kept = (
                known if len(assertion.raw) < known.size else replace(known, type=assertion.type, value=assertion.value)
            )
            # The extractor read exactly this key, so nothing left of it makes another key of it.
            bounds[place] = replace(kept, entity=entity, clean=True)
        else:
            structured = _structured(index, span, assertion, words)
            if structured is not None:
                bounds[place] = structured
    return [_whole(bounds[place], spans) for place in sorted(bounds)], names


def _whole(bound: Bound, spans: Sequence[SessionSpan]) -> Bound:
    """The binding with the whole number where only a group of its digits was read."""
    if bound.type not in ("number", "count"):
        return bound
    value = whole(spans[bound.span].text, bound.rank, bound.rank + bound.size)
    return bound if value is None else replace(bound, value=value)


def _mentioned(entry: Entry, words: tuple[str, ...]) -> Naming:
    """A clause that holds the key's words, taken to name it."""
    return Naming(entry.span, entry.clause.start, entry.phrase, False, None, len(words) == 1, True)


def _bounds(phrase: Phrase, mentioned: list[Mention], key: str, span: int, start: int) -> list[Bound]:
    made = []
    for found in bindings(phrase, mentioned):
        token = phrase.tokens[found.token]
        typed = values.classify(token.text, key)
        after = phrase.tokens[found.token + 1] if found.token + 1 < len(phrase.tokens) else None
        last = after is None or after.kind == MARK
        if typed is None or (token.low in _SWITCHES and not last) or _numeric_range(token.text):
            continue
        when = tense(phrase)
        made.append(
            Bound(
                span, start + token.start, len(token.text), typed[0], typed[1], found.entity, found.positive,
                found.explicit, found.sign, found.mention.clean, when.past, when.former, when.news,
                found.mention.shaped, last, phrase,
            )
        )  # fmt: skip
    return made


def _numeric_range(raw: str) -> bool:
    first, dash, second = raw.partition("-")
    return bool(dash) and first.isdigit() and second.isdigit() and len(first) < 7 and len(second) < 7


def _structured(index: ClauseIndex, span: int, assertion: Assertion, words: tuple[str, ...]) -> Bound | None:
    """An assertion of a retained span that the clause reader does not bind: a column, a leaf of a record."""
    entry = index.at(span, assertion.start)
    phrase = None
    if entry is not None:
        column = assertion.start - entry.clause.start
        for number, token in enumerate(entry.phrase.tokens):
            if token.start <= column < token.end:
                phrase = entry.phrase
                # What stands in a clause with its key and is not bound there is not bound: a list, a wish.
                seen = bool(mentions(phrase, words)) and _sign_before(phrase, number) not in _SIGNS
                seen = seen or resolved(phrase.tokens, number, False) != number
                if seen or not phrase.binds(range(number, number), number):
                    return None
    return Bound(
        span, assertion.start, len(assertion.raw), assertion.type, assertion.value, assertion.entity,
        assertion.polarity, True, True, True, False, False, False, True, True, phrase,
    )  # fmt: skip


def _sign_before(phrase: Phrase, number: int) -> str:
    for token in reversed(phrase.tokens[:number]):
        if token.text not in _QUOTES:
            return token.text
    return ""


_SIGNS: Final = frozenset({"=", ":", "|", ":="})
_QUOTES: Final = frozenset("\"'`*[({")
