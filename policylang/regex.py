"""Regular expressions that cannot blow up: the only home of google-re2 (SPEC §3: RE2 syntax, linear time)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

FLAGS: Final = frozenset("ims")
"""Flags of a `/…/` literal: i ignores case, m lets ^ and $ match at lines, s lets . match a line end."""


class BadPatternError(ValueError):
    """The pattern is not RE2 syntax; the message says why in RE2's words."""


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str, flags: str = "") -> Any:
    """Compile RE2 syntax; matching works on `str`, offsets are code points.

    Raises:
        BadPatternError: where the pattern or a flag is not RE2's.
    """
    import re2

    unknown = sorted(set(flags) - FLAGS)
    if unknown:
        raise BadPatternError(f"unknown flag `{unknown[0]}`; known: i, m, s")
    options = re2.Options()
    options.log_errors = False
    prefix = f"(?{''.join(sorted(set(flags)))})" if flags else ""
    try:
        return re2.compile(prefix + pattern, options=options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise BadPatternError(text) from error


def compile_words(words: Iterable[str]) -> Any:
    """A pattern for any of these literal texts; where several fit at one place, the first of them matches.

    Not cached: the words come from a request.
    """
    import re2

    options = re2.Options()
    options.max_mem = 64 << 20
    return re2.compile("|".join(re2.escape(word) for word in words), options=options)
