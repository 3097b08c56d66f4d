"""Acts on paths: which clauses say that a file was written, deleted, or only name it (SPEC §4, "Binding")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from policylang.evidence.representation import lexicon
from policylang.evidence.representation.phrases import Phrase
from policylang.evidence.representation.tokens import MARK, VALUE, Token

WRITTEN: Final = "written"
DELETED: Final = "deleted"
NAMED: Final = "named"

_BULLETS: Final = frozenset({"-", "*", "•", "+"})
_REACH: Final = 8
_SIZE: Final = re.compile(r"[0-9][0-9,.]*\s?(?:b|bytes?|[kmg]i?b)\b")
_PACKING: Final = frozenset({"deflated", "stored", "compressed"})
_AT_LINE: Final = re.compile(r":[0-9]+(?:[:-][0-9]+)*$")


@dataclass(frozen=True, slots=True)
class Act:
    """A path in a clause, and what the clause says was done to it."""

    path: str
    what: str
    token: int


def acts(phrase: Phrase) -> list[Act]:
    """Every path of the clause with its act, in order; an act that is asked, supposed, wished or denied only names."""
    found = []
    for index, token in enumerate(phrase.tokens):
        if is_path(token):
            found.append(Act(_AT_LINE.sub("", token.text).rstrip("/"), _what(phrase, index), index))
    return found


def heads(phrase: Phrase) -> bool:
    """True for a line that says what the list below it is: "Files created:"."""
    last = [token.text for token in phrase.tokens if token.text not in lexicon.MARKUP][-1:]
    verbs = [number for number, token in enumerate(phrase.tokens) if token.low in lexicon.WROTE]
    return last == [":"] and any(
        phrase.binds(range(verb, verb + 1), verb) and not phrase.denied and not _refused(phrase.tokens, verb)
        for verb in verbs
    )


def is_item(phrase: Phrase) -> bool:
    """True for a list item that begins with a path."""
    tokens = phrase.tokens
    first = 0
    while first < len(tokens) and (tokens[first].low in _BULLETS or tokens[first].low in lexicon.MARKUP):
        first += 1
    return 0 < first < len(tokens) and tokens[0].low in _BULLETS and is_path(tokens[first])


def is_path(token: Token) -> bool:
    """True for a path or a bare file name."""
    if token.kind == VALUE:
        return "/" in token.text and "://" not in token.text
    stem, dot, suffix = token.text.rpartition(".")
    return bool(dot and stem and suffix.isalnum() and not suffix.isdigit() and len(suffix) <= 10) and token.kind != MARK


def _what(phrase: Phrase, index: int) -> str:
    for verb in (_verb_before(phrase.tokens, index), _verb_after(phrase.tokens, index)):
        if verb is not None:
            if not phrase.binds(range(verb, verb + 1), index) or phrase.denied or _refused(phrase.tokens, verb):
                return NAMED
            if _packed(phrase.tokens, verb, index):
                return NAMED
            return WRITTEN if phrase.tokens[verb].low in lexicon.WROTE else DELETED
    return NAMED


def _packed(tokens: tuple[Token, ...], verb: int, index: int) -> bool:
    """True for a line of an archive's listing: "added X (30 bytes)" writes the archive, not the file."""
    if tokens[verb].low != "added" or verb != 0 or index != 1:
        return False
    rest = [token.low for token in tokens[index + 1 :]]
    return len(rest) > 2 and rest[0] == "(" and (rest[1] in _PACKING or bool(_SIZE.match(" ".join(rest[1:3]))))


def _verb_before(tokens: tuple[Token, ...], index: int) -> int | None:
    """The act left of a path, over links, counts and other paths of one list."""
    steps = 0
    for at in range(index - 1, -1, -1):
        token = tokens[at]
        if token.low in lexicon.WROTE or token.low in lexicon.GONE:
            return at if token.low not in lexicon.COPIED or _is_target(tokens, index) else None
        if is_path(token) or token.plain_number or token.kind == VALUE:
            continue
        steps += token.kind != MARK and token.low not in lexicon.LINKS
        if steps > 1 or index - at > _REACH * 4 or (token.kind == MARK and token.low not in lexicon.LINKS):
            return None
    return None


def _is_target(tokens: tuple[Token, ...], index: int) -> bool:
    """True for B in "copied A to B"."""
    at = index - 1
    while at >= 0 and tokens[at].low in lexicon.MARKUP:
        at -= 1
    return at >= 0 and tokens[at].low in ("to", "into", "as", "at")


def _verb_after(tokens: tuple[Token, ...], index: int) -> int | None:
    """The act right of a path: "X has been updated", "X and Y were created", "X (new, created)"."""
    for at in range(index + 1, min(len(tokens), index + 1 + _REACH * 2)):
        token = tokens[at]
        if token.low in lexicon.WROTE or token.low in lexicon.GONE:
            return at
        if not (
            token.low in lexicon.TAILS or is_path(token) or token.low in lexicon.REFUSALS or token.low.endswith("n't")
        ):
            return None
    return None


def _refused(tokens: tuple[Token, ...], verb: int) -> bool:
    near = tokens[max(0, verb - 4) : verb]
    # "is created", "to be written": an act under way or asked for is no completed act.
    return any(
        token.low in lexicon.REFUSALS or token.low.endswith("n't") or token.low in ("being", "be") for token in near
    )


def same_path(first: str, second: str) -> bool:
    """True for one path, or where one is the other's suffix at a `/`."""
    one, two = plain_path(first), plain_path(second)
    longer, shorter = (one, two) if len(one) >= len(two) else (two, one)
    return longer == shorter or (bool(shorter) and longer.endswith("/" + shorter))


def plain_path(path: str) -> str:
    """A path as it is compared: `/` between its steps, no `./` before it, no `/` after it."""
    path = path.replace("\\", "/").rstrip("/")
    while path.startswith("./"):
        path = path[2:]
    return path


def basename(path: str) -> str:
    """The last step of a path."""
    return plain_path(path).rsplit("/", 1)[-1]
