"""Whether a clause or binding speaks of an assertion's entity, of another, or of none (SPEC §4)."""

from __future__ import annotations

from policylang.evidence import keys
from policylang.evidence.representation.phrases import Phrase


def same(first: str, second: str) -> bool:
    """`keys.same_entity`, and numbers are one without their leading zeros: migration 42 is 0042."""
    if first.isdigit() and second.isdigit():
        return first.lstrip("0") == second.lstrip("0")
    return keys.same_entity(first, second)


def names(phrase: Phrase | None, entity: str) -> bool:
    """True if the clause names the entity: all of it, or the last step of a chain of record ids."""
    if phrase is None:
        return False
    whole = keys.entity(entity)
    for name in (whole, whole.rsplit("/", 1)[-1]):
        words = keys.words(name)
        if words and f" {' '.join(words)} " in phrase.folded:
            return True
        if name and any(token.low == name for token in phrase.tokens):
            return True
    return False


def agrees(wanted: str | None, said: str | None, phrase: Phrase | None) -> bool:
    """True unless the binding names another entity: one that is missing on either side equals any."""
    return wanted is None or said is None or same(wanted, said) or names(phrase, wanted)


def named(wanted: str | None, said: str | None, phrase: Phrase | None) -> bool:
    """True only if the entity is known and the binding or its clause names it."""
    if wanted is None:
        return False
    return (said is not None and same(wanted, said)) or names(phrase, wanted)
