"""Which of several values holds: B in "from A to B" and "was A, now B", none in a list or range (SPEC §4)."""

from __future__ import annotations

from typing import Final

from policylang.evidence.representation import lexicon
from policylang.evidence.representation.tokens import MARK, VALUE, Token

Tokens = tuple[Token, ...]

_FROM_TO: Final = lexicon.ARROWS | {"to"}
_BARE: Final = lexicon.MARKUP | {"now", "version", "v"}
_AFTER_NOW: Final = lexicon.COPULAS | lexicon.MARKUP | {"at", "on"}
_BEFORE_NOW: Final = lexicon.COPULAS | {",", "("}
_TO_NOW: Final = lexicon.COPULAS | lexicon.MARKUP | {",", "and", "but", "it", "then"}
_NEXT_FACT: Final = lexicon.SEPARATORS - {"-", "–"}
_LIST_ENDS: Final = lexicon.COPULAS | lexicon.JOINS | {"both", "respectively", "only"}
_REACH: Final = 6


def is_value(token: Token) -> bool:
    """True for a token that can be a value by its shape: numbers, ids, paths."""
    return token.kind == VALUE or token.digits


def target(tokens: Tokens, index: int) -> int | None:
    """The index of B in "from A to B", given that of A; None where there is no B."""
    for later in range(index + 1, min(len(tokens), index + _REACH)):
        if tokens[later].low in _FROM_TO:
            at = _skip(tokens, later + 1)
            return at if at < len(tokens) else None
    return None


def resolved(tokens: Tokens, index: int, plural: bool) -> int | None:
    """The index of the value that holds, given the first one; None for lists, ranges and bounds.

    Args:
        tokens: Of the clause.
        index: Of the first value.
        plural: True if the key is written as a plural: "versions 6 and 7" is a list whatever follows.
    """
    at = index + 1
    while at < len(tokens) and tokens[at].low in lexicon.MARKUP:
        at += 1
    if at >= len(tokens):
        return index
    newer = _newer(tokens, at)
    if newer is not None:
        return newer
    low = tokens[at].low
    if low in lexicon.ARROWS and at + 1 < len(tokens):
        after = _skip(tokens, at + 1)
        return after if _alike(tokens, index, after) else index
    if low == "+" or (low in ("or", "and") and at + 1 < len(tokens) and tokens[at + 1].low in lexicon.MORE):
        return None
    if low in lexicon.JOINS and _listed(tokens, index, at, plural):
        return None
    return index


def _skip(tokens: Tokens, at: int) -> int:
    while at < len(tokens) and tokens[at].low in _BARE:
        at += 1
    return at


def _newer(tokens: Tokens, at: int) -> int | None:
    """The index of B after A in "A, now B", "A and is now B", "A (now B)", "A but it is now B"."""
    for later in range(at, min(len(tokens), at + _REACH)):
        low = tokens[later].low
        if low in ("now", "currently"):
            after = later + 1
            while after < len(tokens) and tokens[after].low in _AFTER_NOW:
                after += 1
            same = after < len(tokens) and (is_value(tokens[after]) or tokens[later - 1].low in _BEFORE_NOW)
            return after if same else None
        if low not in _TO_NOW:
            return None
    return None


def _alike(tokens: Tokens, first: int, second: int) -> bool:
    if second >= len(tokens) or tokens[second].kind == MARK:
        return False
    return is_value(tokens[first]) == is_value(tokens[second])


def _listed(tokens: Tokens, index: int, join: int, plural: bool) -> bool:
    """True if the value at ``index`` is the first of a list or range: "6 and 7", "6, 7", "6/7", "6 to 8"."""
    after = _skip(tokens, join + 1)
    if after < len(tokens) and tokens[after].low in ("and", "or"):
        after = _skip(tokens, after + 1)
    if not _alike(tokens, index, after):
        return False
    if not is_value(tokens[index]):
        return tokens[join].low in ("or", "/", "nor")
    if plural:
        return True
    beyond = _skip(tokens, after + 1)
    if beyond >= len(tokens):
        return True
    following = tokens[beyond]
    # "7, 12 tests passed" and "7, replicas = 3" go on with another fact; "6 and 7 are supported" is a list.
    if following.low in _NEXT_FACT:
        return False
    return following.kind == MARK or following.low in _LIST_ENDS
