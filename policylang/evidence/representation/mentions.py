"""Where a clause names a key: all of its words within its length + 2, in any order (SPEC §4, "Binding")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from policylang.evidence.representation import lexicon
from policylang.evidence.representation.phrases import Phrase
from policylang.evidence.representation.tokens import MARK, VALUE, Token

_SLACK: Final = 2


@dataclass(frozen=True, slots=True)
class Mention:
    """A key named in a clause.

    Attributes:
        first: Index of its first token.
        last: Index of its last token.
        clean: Nothing in it or left of it suggests another key; only such a mention can contradict.
        binds: A value may be bound to it at all.
        shaped: Identifier-shaped, or in backticks.
        entity: The id or number directly beside it ("migration 0043"), or None.
        speaks: It names the key at all: a placeholder (`<version>`) and a part of a longer identifier (`getVersion`)
            name no one-word key.
    """

    first: int
    last: int
    clean: bool
    binds: bool
    shaped: bool
    entity: str | None
    speaks: bool


def mentions(phrase: Phrase, key: tuple[str, ...]) -> list[Mention]:
    """Every place where the clause names a key of these words; places do not overlap."""
    wanted = frozenset(key)
    if not wanted or not all(word in phrase.places for word in wanted):
        return []
    reach = len(key) + _SLACK
    places = sorted((index, word) for word in wanted for index in phrase.places[word])
    found: list[Mention] = []
    taken = -1
    for nth, (start, word) in enumerate(places):
        if start <= taken:
            continue
        seen = {word}
        end = start if len(wanted) == 1 else -1
        for position, other in places[nth + 1 :]:
            if end >= 0 or position - start >= reach:
                break
            if other == word:
                # A later start of the same word makes a tighter window.
                break
            seen.add(other)
            if len(seen) == len(wanted):
                end = position
        if end >= 0:
            mention = _mention(phrase, start, end, wanted)
            if mention is not None:
                found.append(mention)
                taken = end
    return found


def _mention(phrase: Phrase, start: int, end: int, wanted: frozenset[str]) -> Mention | None:
    tokens = phrase.tokens
    first, last = phrase.at[start], phrase.at[end]
    inside = tokens[first : last + 1]
    if any(token.low in lexicon.CUTS or token.kind == VALUE for token in inside):
        return None
    if _of_another(tokens, inside, last):
        return None
    own = [word for token in inside for word in token.pieces]
    spare = [word for word in own if word not in wanted]
    # A word inside a longer identifier (`min_schema_version`) is another key; a dotted parent is an entity.
    part = any(
        not wanted.issuperset(token.pieces) and wanted.intersection(token.pieces) and not _dotted(token, wanted)
        for token in inside
    )
    shaped = any(token.shaped for token in inside if wanted.intersection(token.pieces)) or _quoted(tokens, first, last)
    left = _left(tokens, first)
    foreign = left is not None and not _harmless(left) and len(wanted) == 1 and not shaped
    clean = not part and not foreign and all(word in lexicon.INNER for word in spare)
    other = left is not None and left.low in lexicon.OTHERS
    speaks = len(wanted) > 1 or not (part or _placeholder(tokens, first, last))
    beside = _beside(tokens, first, last)
    return Mention(first, last, clean and not other, not other and not part, shaped, beside, speaks)


def _placeholder(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    """True for `<version>`, `{version}` and `$version`."""
    before = tokens[first - 1] if first else None
    after = tokens[last + 1] if last + 1 < len(tokens) else None
    if before is None or before.end != tokens[first].start:
        return False
    return before.text == "$" or (after is not None and (before.text, after.text) in (("<", ">"), ("{", "}")))


def _of_another(tokens: tuple[Token, ...], inside: tuple[Token, ...], last: int) -> bool:
    """True for "revision of the rating curve", which is no rating revision; "of the rating holds" and "is" are."""
    after = tokens[last + 1] if last + 1 < len(tokens) else None
    if after is None or not any(token.low == "of" for token in inside) or not after.low.isalpha():
        return False
    verb = after.low in lexicon.COPULAS or after.low.endswith(("s", "ed", "ing", "ly"))
    return (
        not verb
        and after.low
        not in lexicon.FUNCTION
        | lexicon.NEGATIONS
        | lexicon.WISHES
        | lexicon.CONDITIONS
        | lexicon.PAST
        | lexicon.CHANGES
        | lexicon.JOINS
    )


def _dotted(token: Token, wanted: frozenset[str]) -> bool:
    """True if the key is all that stands after the token's last dot (`db.schema_version`)."""
    _, dot, leaf = token.text.rpartition(".")
    leaf_words = set(token.pieces[-len(wanted) :])
    return bool(dot) and "-" not in leaf and leaf_words == wanted and "/" not in token.text


def _left(tokens: tuple[Token, ...], first: int) -> Token | None:
    """The word that stands directly left of the key, quotes and emphasis aside."""
    index = first - 1
    while index >= 0 and tokens[index].low in ("*", "`", '"', "'", "“", "_"):
        index -= 1
    if index < 0 or tokens[index].kind == MARK:
        return None
    return tokens[index]


def _beside(tokens: tuple[Token, ...], first: int, last: int) -> str | None:
    for index in (last + 1, first - 1):
        if 0 <= index < len(tokens) and tokens[index].digits:
            return tokens[index].low
    return None


def _harmless(token: Token) -> bool:
    low = token.low
    ended = low.endswith(("ed", "ing", "ly", "'s", "n't"))
    return low in lexicon.FUNCTION or ended or token.kind == VALUE or token.plain_number


def _quoted(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    return first > 0 and last + 1 < len(tokens) and tokens[first - 1].text == "`" and tokens[last + 1].text == "`"
