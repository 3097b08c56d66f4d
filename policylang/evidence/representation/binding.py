"""Which values a clause binds to a key that it names (SPEC §4, "Binding")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from policylang.evidence.representation import lexicon
from policylang.evidence.representation.changes import Tokens, is_value, resolved, target
from policylang.evidence.representation.mentions import Mention
from policylang.evidence.representation.phrases import Phrase
from policylang.evidence.representation.tokens import MARK, WORD

_FORMER: Final = lexicon.PAST - {"was", "were", "had", "used", "once"}
_ASIDE: Final = _FORMER | {"was", "from"}
_TIMES: Final = frozenset({"now", "today", "instance", "example", "good", "this", "that", "it"})
_TIGHT: Final = lexicon.MARKUP - {"(", ")", "[", "]"} | {"the", "a"}
_CLOSES: Final = lexicon.SEPARATORS - {"-", "–", "—"}
_RULES: Final = frozenset({"|", "-", "–", "—"})
"""Separators that part the cells of a row as well as a key and its value."""
_NOT_COUNTED: Final = (
    lexicon.HEDGES
    | (lexicon.JOINS - {",", "and"})
    | lexicon.SEPARATORS
    | {"of", "least", "most", "than", "over", "under", "up"}
)
_ACTORS: Final = frozenset(
    {"we", "i", "it", "they", "he", "she", "you", "and", "then", "also", "already", "successfully", "not", "never"}
    | {"have", "has", "had", "haven't", "hasn't", "just", "now", "finally"}
)
_LIMIT: Final = 12


@dataclass(frozen=True, slots=True)
class Found:
    """A value bound to a key by a clause.

    Attributes:
        token: Index of the value's token.
        mention: Where the clause names the key.
        entity: What the clause says the value is of, or None.
        positive: False where the value is denied.
        explicit: A separator or copula stands between key and value.
        sign: A separator (`=`, `:`, `|`) stands between key and value.
    """

    token: int
    mention: Mention
    entity: str | None
    positive: bool
    explicit: bool
    sign: bool


@dataclass(frozen=True, slots=True)
class Tense:
    """When a clause speaks of: the past, another time than now, a change."""

    past: bool
    former: bool
    news: bool


def tense(phrase: Phrase) -> Tense:
    """The time that a clause speaks of, by its words."""
    low = {token.low for token in phrase.tokens}
    return Tense(bool(low & lexicon.PAST), bool(low & _FORMER), bool(low & lexicon.NEWS))


def bindings(phrase: Phrase, found: list[Mention]) -> list[Found]:
    """All values that a clause binds to a key at its mentions, in order; what is asked, supposed or wished is not."""
    return [
        bound
        for mention in found
        if mention.binds
        for bound in (*_after(phrase, mention), *_before(phrase, mention))
        if phrase.binds(range(mention.first, mention.last + 1), bound.token)
    ]


def _after(phrase: Phrase, mention: Mention) -> list[Found]:
    """Values right of the key, over separators, copulas, fillers and "of the X"."""
    tokens, index, entity = phrase.tokens, mention.last + 1, None
    explicit = sign = negative = False
    change = any(token.low in lexicon.CHANGES for token in tokens[max(0, mention.first - 4) : mention.first])
    found: list[Found] = []
    stop = min(len(tokens), mention.last + 1 + _LIMIT)
    while index < stop:
        low = tokens[index].low
        following = tokens[index + 1].low if index + 1 < stop else ""
        if low in lexicon.HEDGES:
            return found
        answer = low == "no" and (index + 1 == len(tokens) or tokens[index + 1].kind == MARK)
        if (not answer and low in lexicon.NEGATIONS) or low.endswith("n't") or (low == "longer" and negative):
            negative = True
            explicit = explicit or low in lexicon.COPULAS
        elif low in lexicon.COPULAS:
            explicit = True
        elif low == "(" and following in _ASIDE:
            index = _closing(tokens, index)
        elif low in lexicon.SEPARATORS:
            if low in _RULES and not explicit and _valued(tokens, mention):
                # "$51 economy | $121 business": the value stands before its noun.
                return found
            explicit = sign = True
        elif low in lexicon.CHANGES:
            change = True
        elif low in ("from", "to"):
            after = index if low == "to" else (target(tokens, index + 1) or 0) - 1
            if not change or after < index:
                return found
            # A change names the value: as good as a copula.
            index, explicit = after, True
        elif low == "of" and _is_amount(tokens, index + 1):
            explicit = True
        elif low in lexicon.PLACES and not explicit:
            place = _place(tokens, index + 1)
            if place is None:
                return found
            entity, index = place
        elif not (
            low in lexicon.MARKUP or low in lexicon.FILLERS or (low == "," and following in ("now", "currently"))
        ):
            value = resolved(tokens, index, plural(tokens, mention))
            if value is None:
                beyond = _beyond_list(tokens, index, stop)
                if explicit or beyond is None:
                    return found
                # "migrations 0041 and 0042 were applied": the list is of entities.
                entity, index = low, beyond
                continue
            positive = _denied(tokens, value, negative) == phrase.denied
            positive = positive != _cancelled(tokens, value + 1)
            found.append(Found(value, mention, entity, positive, explicit or value != index, sign))
            # "migration 0042 was applied": an id directly after the key is a value, and the entity of what follows.
            if value != index or explicit or entity is not None or not tokens[index].digits:
                return found
            entity = low
        index += 1
    return found


def _beyond_list(tokens: Tokens, index: int, stop: int) -> int | None:
    """The index of the first copula or word after a list of ids; None where the list is not of ids."""
    start = index
    while index < stop and (tokens[index].digits or tokens[index].low in ("and", ",", "&")):
        index += 1
    # A list that does not start here ("the staged + unstaged files") leads nowhere; the caller must get on.
    return index if start < index < stop and tokens[index].kind == WORD else None


def _is_amount(tokens: Tokens, index: int) -> bool:
    """True for "a cap of $500"; in "the version of 4 is 7" what follows "of" is an entity."""
    if index >= len(tokens) or not is_value(tokens[index]):
        return False
    number = index + 1
    while number < len(tokens) and tokens[number].low in lexicon.MARKUP:
        number += 1
    return number >= len(tokens) or not (tokens[number].low in ("is", "are") or tokens[number].low in _CLOSES)


def _closing(tokens: Tokens, index: int) -> int:
    for later in range(index, min(len(tokens), index + _LIMIT)):
        if tokens[later].text == ")":
            return later
    return index


def _place(tokens: Tokens, index: int) -> tuple[str | None, int] | None:
    """The entity of "of the X", "for X", and the index of its last token; "for now" has none."""
    while index < len(tokens) and (tokens[index].low in lexicon.ARTICLES or tokens[index].low in lexicon.MARKUP):
        index += 1
    if index >= len(tokens) or tokens[index].kind == MARK:
        return None
    low = tokens[index].low
    return (None if low in _TIMES else low), index


def _valued(tokens: Tokens, mention: Mention) -> bool:
    """True if a value stands directly before a key."""
    index = mention.first - 1
    while index >= 0 and tokens[index].low in _TIGHT:
        index -= 1
    return index >= 0 and is_value(tokens[index])


def plural(tokens: Tokens, mention: Mention) -> bool:
    """True if a key is written in the plural."""
    last = tokens[mention.last]
    return bool(last.pieces) and last.low.endswith("s") and not last.pieces[-1].endswith("s")


def _denied(tokens: Tokens, value: int, negative: bool) -> bool:
    """Negation left of the value, or right of it: "= 7 is wrong", "7 is no longer true"."""
    rest = [token.low for token in tokens[value + 1 : value + 6] if token.low not in lexicon.MARKUP]
    if len(rest) >= 2 and rest[0] in ("is", "was", "isn't", "wasn't"):
        words = rest[1:4]
        false = any(word in lexicon.FALSE for word in words)
        true = any(word in ("true", "correct", "right") for word in words)
        denial = rest[0].endswith("n't") or "not" in words or "longer" in words
        if false or true:
            return negative != (false != denial)
    return negative


def _cancelled(tokens: Tokens, start: int) -> bool:
    """True where a fact is called off right of itself: "no longer applies", "was lifted", "does not hold"."""
    rest = [token.low for token in tokens[start : start + 6]]
    for number, low in enumerate(rest):
        after = rest[number + 1] if number + 1 < len(rest) else ""
        if low == "no" and after == "longer":
            return bool(number + 2 < len(rest) and rest[number + 2] in lexicon.HOLDS)
        if (low == "not" or low.endswith("n't")) and after in lexicon.HOLDS:
            return True
        if low in lexicon.CANCELLED:
            return number > 0
        if low not in lexicon.AUXILIARY and low not in lexicon.COPULAS and low not in lexicon.MARKUP:
            return False
    return False


def _before(phrase: Phrase, mention: Mention) -> list[Found]:
    """A count or id directly before its noun ("7 replicas"), or a completed act ("applied migration 0042")."""
    tokens = phrase.tokens
    index = mention.first - 1
    while index >= 0 and tokens[index].low in _TIGHT:
        index -= 1
    if index < 0 or tokens[index].kind == MARK or not mention.clean:
        return []
    token = tokens[index]
    after = tokens[mention.last + 1] if mention.last + 1 < len(tokens) else None
    positive = (_refused(tokens, index) == phrase.denied) != _cancelled(tokens, mention.last + 1)
    if is_value(token):
        left = tokens[index - 1].low if index else ""
        if left == "to" and not (index > 1 and is_value(tokens[index - 2])):
            left = ""
        if index + 1 != mention.first or left in _NOT_COUNTED or (after is not None and after.low in _CLOSES):
            return []
        return [Found(index, mention, None, positive, False, False)]
    # "we applied migration 0042" is an act; in "use installed skills" the same form is an adjective.
    acting = index == 0 or tokens[index - 1].kind == MARK or tokens[index - 1].low in _ACTORS
    if token.kind == WORD and acting and token.low.endswith(("ed", "en", "lt")):
        entity = after.low if after is not None and after.digits else None
        return [Found(index, mention, entity, positive, False, False)]
    return []


def _refused(tokens: Tokens, index: int) -> bool:
    near = tokens[max(0, index - 3) : index]
    return any(token.low in lexicon.NEGATIONS or token.low.endswith("n't") for token in near)
