"""Where the check puts its findings: a list that knows how to say "unknown X, did you mean Y"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from policylang.diagnostics import Diagnostic, nearest
from policylang.source import Loc

Related = tuple[tuple[Loc, str], ...]

MAX_COMPARED: Final = 30_000
"""Names that one sink compares for its suggestions; a file of 2 000 slips among 2 000 names would take a minute."""

MAX_SHOWN: Final = 40
"""Names in one line of help."""


class Sink:
    """Collects diagnostics; order does not matter, they are sorted by place at the end."""

    __slots__ = ("_compared", "found")

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self._compared = 0

    def error(self, code: str, message: str, loc: Loc | None, hint: str | None = None, related: Related = ()) -> None:
        """Reports one error at ``loc``."""
        self.found.append(Diagnostic(code, message, loc, hint, related=related))

    def unknown(self, code: str, what: str, word: str, loc: Loc, names: Iterable[str], also: str | None = None) -> None:
        """Reports a word that names nothing, with the nearest known name (also in ``args``, for quick fixes).

        ``also`` says what else can be done, as in "or …".
        """
        known = sorted(set(names))
        self._compared += len(known)
        suggestion = nearest(word, known) if self._compared <= MAX_COMPARED else None
        hint: str | None = None
        if suggestion is not None:
            hint = f"did you mean `{suggestion}`?"
        elif self._compared <= MAX_COMPARED:
            shown = known if len(known) <= MAX_SHOWN else [*known[:MAX_SHOWN], "…"]
            hint = f"known: {', '.join(shown)}" if known else "there is none"
        if also is not None:
            hint = also if hint is None else f"{hint} Or {also}" if suggestion is not None else f"{hint}; or {also}"
        args: tuple[tuple[str, str], ...] = (("word", word),)
        if suggestion is not None:
            args = (*args, ("suggestion", suggestion))
        self.found.append(Diagnostic(code, f"unknown {what} `{word}`", loc, hint, args=args))
