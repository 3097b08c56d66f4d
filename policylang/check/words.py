"""Enum words: which bare word belongs to which type, and how a type is named in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from policylang.rules_ir.types import ASSERTION_TYPE, CLASS, KIND, REPRESENTATION, SOURCE, STATUS, Type
from policylang.transcript import vocabulary

FIXED_WORDS: Final[dict[Type, tuple[str, ...]]] = {
    CLASS: vocabulary.CLASSES,
    REPRESENTATION: vocabulary.REPRESENTATIONS,
    SOURCE: vocabulary.SOURCES,
    ASSERTION_TYPE: vocabulary.ASSERTION_TYPES,
    STATUS: vocabulary.STATUSES,
}
"""Words of every enum type but `kind`, whose words a policy may add to."""


def words_of(enum: Type, kinds: Iterable[str]) -> Iterable[str]:
    """All literals of an enum type."""
    return kinds if enum is KIND else FIXED_WORDS[enum]


def owners_of(word: str, kinds: Mapping[str, object]) -> list[Type]:
    """The enum types that have ``word`` as a literal."""
    owners = [KIND] if word in kinds else []
    return owners + [enum for enum, words in FIXED_WORDS.items() if word in words]


def a(thing: Type | str) -> str:
    """The name of a type with its article: `a kind`, `an int`, `text`."""
    name = str(thing).removesuffix(" of error")  # the elements of `[]` have no type to speak of
    if name in ("text", "meta", "index", "scoring", "monitor"):
        return name
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def either(things: Iterable[Type | str]) -> str:
    """`a kind or a class`."""
    return " or ".join(a(thing) for thing in things)
