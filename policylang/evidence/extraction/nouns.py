"""The noun group directly left of a value: its words are the key, the ids among them the entity (SPEC §4)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from policylang.evidence import keys, values
from policylang.evidence.lexicon import word_set

MAX_WORDS: Final = 4

_TOKEN: Final = re.compile(r"[^\s,;()\[\]{}|<>\"“”`*]++")
_ARTICLES: Final = word_set(
    "a an the this that these those our your their its his her my current currently now both each every "
    "please following"
)
_COPULAS: Final = word_set("is are was were be been being has have had equals equal reads becomes became remains")
_STOP: Final = word_set(
    "no in on at to from for with by into via over under after before since until per as about than through "
    "during against between within without using onto off out up down it they we i you he she which who there "
    "here and or but so because then if when while not no never also still already just only too very more "
    "most less least another other some any all such can could may might must shall should will would do does "
    "did done get gets got go goes went gone make makes made take takes took give gives gave see sees saw "
    "seen find finds found say says said show shows shown use uses used run runs ran ok let lets keep keeps "
    "kept contains contain returns return returned set sets need needs want wants try tries wrote write "
    "writes written read reads saved created updated deleted removed added moved fixed built ended "
    "started completed finished passed failed please yes true false"
)
_NOT_VERBS_ING: Final = word_set(
    "string setting building ring thing ranking rating booking training mapping logging warning pricing "
    "encoding listing timing heading meeting padding king spring nothing something anything rolling pending "
    "remaining mailing finding recording drawing ruling filing hearing branching opening posting briefing reading "
    "working offering sibling ceiling sampling scaling caching routing embedding tracking binding parsing polling "
    "polling"
)
_NOT_VERBS_ED: Final = word_set("speed feed seed need shed embed red bed used required allowed elapsed estimated")
_EDGE: Final = "\"'`*“”‘’"


class Group(NamedTuple):
    """A key as text, its entity, and where it starts."""

    key: str
    entity: str | None
    start: int


def _is_verb(word: str) -> bool:
    if word.endswith("ing") and len(word) > 4:
        return word not in _NOT_VERBS_ING
    return word.endswith("ed") and len(word) > 3 and word not in _NOT_VERBS_ED


def is_stop(word: str) -> bool:
    """True if a noun group ends (read backwards) at this lower-case word."""
    return word in _STOP or _is_verb(word)


def left_of(text: str, start: int, end: int) -> Group | None:
    """The noun group that ends at `end`, not reaching back before `start`; None if no word is left for a key."""
    tokens = _TOKEN.findall(text, max(start, end - 160), end)
    words: list[tuple[str, int]] = []
    entities: list[str] = []
    after_of: list[tuple[str, int]] | None = None
    edge = at = end
    for token in reversed(tokens):
        # Only blanks and marks stand right of it, so that the last place of its text is its own.
        at = text.rfind(token, 0, at)
        if words and _gap(text, at + len(token), edge):
            break
        bare = token.strip(_EDGE)
        if bare.endswith("'s"):
            bare = bare[:-2]
        low = bare.lower()
        if not bare or low in _ARTICLES:
            edge = at if words or not bare else edge
            continue
        if low == "of" and words and after_of is None:
            after_of, words, edge = words, [], at
            continue
        if token[-1] in ":.!?=" or low in _COPULAS or is_stop(low) or not any(c.isalnum() for c in bare):
            break
        if _names(bare):
            entities.append(bare)
        else:
            words.append((bare, at))
        edge = at
        if len(words) + len(after_of or ()) >= MAX_WORDS:
            break
    if after_of is not None:
        # "sha256 of the artifact" is the artifact sha256; with nothing left of "of" the group was only its tail.
        words = words + after_of if words else after_of
    if not words:
        return None
    key = " ".join(word for word, _ in reversed(words))
    return Group(key, entities[0] if entities else None, min(at for _, at in words))


def _gap(text: str, start: int, end: int) -> bool:
    """True if punctuation that ends a group stands between two of its words."""
    return any(char in ",;()[]{}|<>" for char in text[start:end])


def _names(token: str) -> bool:
    """True if the token is an id, a number, a version, a path or a file name: an entity, not a word of a key."""
    if token.isalpha() or token.rstrip(".:").isalpha():
        return False
    kind = values.classify(token)
    if kind is not None and kind[0] in (
        "id",
        "checksum",
        "number",
        "count",
        "version",
        "path",
        "url",
        "ip",
        "timestamp",
    ):
        # `sha256`, `oauth2`, `checkout_v2`: a word with a digit is a word if it reads as an identifier of code.
        return not (kind[0] == "id" and token[0].isalpha() and "-" not in token and "_" in token)
    return bool(_FILE_NAME.fullmatch(token))


_FILE_NAME: Final = re.compile(r"[\w-]++(?:\.[\w-]++)*?\.[A-Za-z][a-z0-9]{0,4}")


def key_of(group: Group) -> str:
    """The normalised key of a group."""
    return keys.normalise(group.key)
