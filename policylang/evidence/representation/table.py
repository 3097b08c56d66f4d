"""All that the retained transcript says of one key: the values bound to it, and the prose that names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from policylang.evidence import keys, values
from policylang.evidence.model import Assertion
from policylang.evidence.representation.binding import bindings, tense
from policylang.evidence.representation.index import LineIndex
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
    """A clause of prose that names a key."""

    span: int
    phrase: Phrase
    shaped: bool


@dataclass(frozen=True, slots=True)
class Table:
    """The retained transcript on one key: bindings in order of span and place, the same by value, and mentions."""

    bounds: tuple[Bound, ...]
    by_value: Mapping[str, tuple[Bound, ...]]
    names: tuple[Naming, ...]


def bucket(kind: str, value: str) -> str:
    """Equal for values that may be one value; few others share it."""
    if value.isdigit():
        return value.lstrip("0") or "0"
    if kind in ("path", "write"):
        return value.rstrip("/").rsplit("/", 1)[-1]
    if kind in ("id", "checksum") and len(value) >= 7:
        return value[:7].lower()
    return value.lower().rstrip("/")


def equal(first: Assertion | Bound, second: Assertion | Bound) -> bool:
    """`values.same`, but that versions are texts: 3.10 is not 3.1."""
    if "version" in (first.type, second.type) and "." in first.value and "." in second.value:
        return first.value == second.value
    return values.same(first.type, first.value, second.type, second.value)


def read_table(
    key: str,
    index: LineIndex,
    spans: Sequence[SessionSpan],
    extracted: Sequence[tuple[int, Assertion]],
) -> Table:
    """Read all candidate lines for one normalised key.

    Args:
        key: As `keys.normalise` writes it.
        index: The lines that may represent.
        spans: The session, by position.
        extracted: Assertions of this key in spans that may represent.
    """
    words = keys.words(key)
    bounds: dict[tuple[int, int], Bound] = {}
    names: list[Naming] = []
    for number in index.with_words(words):
        line = index.lines[number]
        for phrase in line.phrases:
            found = mentions(phrase, words)
            if not found:
                continue
            if spans[line.span].prose:
                names.append(Naming(line.span, phrase, any(mention.shaped for mention in found)))
            for bound in _bounds(phrase, found, key, line.span, line.start):
                bounds.setdefault((bound.span, bound.rank), bound)
    for span, assertion in extracted:
        place = (span, assertion.start)
        known = bounds.get(place)
        if known is not None:
            if assertion.entity is not None:
                bounds[place] = replace(known, entity=assertion.entity)
        else:
            structured = _structured(index, span, assertion, words)
            if structured is not None:
                bounds[place] = structured
    ordered = tuple(bounds[place] for place in sorted(bounds))
    grouped: dict[str, list[Bound]] = {}
    for bound in ordered:
        grouped.setdefault(bucket(bound.type, bound.value), []).append(bound)
    return Table(ordered, {value: tuple(group) for value, group in grouped.items()}, tuple(names))


def _bounds(phrase: Phrase, mentioned: list[Mention], key: str, span: int, start: int) -> list[Bound]:
    made = []
    when = tense(phrase)
    for found in bindings(phrase, mentioned):
        token = phrase.tokens[found.token]
        typed = values.classify(token.text, key)
        after = phrase.tokens[found.token + 1] if found.token + 1 < len(phrase.tokens) else None
        last = after is None or after.kind == MARK
        if typed is None or (token.low in _SWITCHES and not last) or _numeric_range(token.text):
            continue
        made.append(
            Bound(
                span, start + token.start, typed[0], typed[1], found.entity, found.positive, found.explicit,
                found.sign, found.mention.clean, when.past, when.former, when.news, found.mention.shaped, last, phrase,
            )
        )  # fmt: skip
    return made


def _numeric_range(raw: str) -> bool:
    first, dash, second = raw.partition("-")
    return bool(dash) and first.isdigit() and second.isdigit() and len(first) < 7 and len(second) < 7


def _structured(index: LineIndex, span: int, assertion: Assertion, words: tuple[str, ...]) -> Bound | None:
    """An assertion of a retained span that the clause reader does not bind: a column, a leaf of a record."""
    line = index.at(span, assertion.start)
    within = None
    if line is not None:
        column = assertion.start - line.start
        for phrase in line.phrases:
            for number, token in enumerate(phrase.tokens):
                if token.start <= column < token.end:
                    within = phrase
                    # What stands in a clause with its key and is not bound there is not bound: a list, a wish.
                    seen = bool(mentions(phrase, words)) and _sign_before(phrase, number) not in _SIGNS
                    if seen or not phrase.binds(number, number):
                        return None
    return Bound(
        span, assertion.start, assertion.type, assertion.value, assertion.entity, assertion.polarity, True, True,
        True, False, False, False, True, True, within,
    )  # fmt: skip


def _sign_before(phrase: Phrase, number: int) -> str:
    for token in reversed(phrase.tokens[:number]):
        if token.text not in _QUOTES:
            return token.text
    return ""


_SIGNS: Final = frozenset({"=", ":", "|", ":="})
_QUOTES: Final = frozenset("\"'`*[({")
