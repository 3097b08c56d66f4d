"""Did-you-mean: the nearest of a set of names, or none when nothing is near."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name closest to ``word``; ties go to the first in alphabetical order so that output is stable."""
    choices = sorted(set(names))
    folded = word.casefold().replace("-", "_")
    for name in choices:
        if name.casefold().replace("-", "_") == folded:
            return name
    found = get_close_matches(word, choices, n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(word: str, names: Iterable[str], *, otherwise: str = "known: {names}") -> str:
    """A help line: the nearest name, else the list of what is known."""
    choices = sorted(set(names))
    found = nearest(word, choices)
    if found is not None:
        return f"did you mean `{found}`?"
    return otherwise.format(names=", ".join(choices))
