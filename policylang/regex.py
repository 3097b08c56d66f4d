"""Regular expressions that cannot blow up: the only home of google-re2 (SPEC §3: RE2 syntax, linear time)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


Search = Callable[[bytes, int, int], tuple[int, int]]
"""The half-open range of the first match in `data[start:end]`, (-1, -1) without one."""


@lru_cache(maxsize=64)
def compile_search(pattern: str, flags: str = "", memory: int = 32 << 20) -> Search:
    """Compile a fixed RE2 pattern without groups for searching UTF-8 bytes again and again.

    A match object of the binding costs several times the search; this gives bare offsets. A large pattern needs
    `memory` bytes for its automaton: with too few, RE2 builds it again and again and is ten times slower.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = memory
    program = re2._re2.RE2(f"(?{flags}){pattern}".encode() if flags else pattern.encode(), options)
    if not program.ok():
        raise BadPatternError(program.error().decode("utf-8", "replace"))
    match, anchor = program.Match, re2._re2.RE2.Anchor.UNANCHORED

    def search(data: bytes, start: int, end: int) -> tuple[int, int]:
        found: tuple[int, int] = match(anchor, data, start, end)[0]
        return found

    return search


def compile_words(words: Iterable[str]) -> Any:
    """A pattern for any of these literal texts; where several fit at one place, the first of them matches.

    Not cached: the words come from a request.
    """
    import re2

    options = re2.Options()
    options.max_mem = 64 << 20
    return re2.compile("|".join(re2.escape(word) for word in words), options=options)
