"""Where the check puts its findings: a list that knows how to say "unknown X, did you mean Y"."""

from __future__ import annotations

from collections.abc import Iterable

from policylang.diagnostics import Diagnostic, did_you_mean, nearest
from policylang.source import Loc

Related = tuple[tuple[Loc, str], ...]


class Sink:
    """Collects diagnostics; order does not matter, they are sorted by place at the end."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    def error(self, code: str, message: str, loc: Loc | None, hint: str | None = None, related: Related = ()) -> None:
        """Reports one error at ``loc``."""
        self.found.append(Diagnostic(code, message, loc, hint, related=related))

    def unknown(self, code: str, what: str, word: str, loc: Loc, names: Iterable[str], hint: str | None = None) -> None:
        """Reports a word that names nothing, with the nearest known name (also in ``args``, for quick fixes)."""
        known = sorted(set(names))
        suggestion = nearest(word, known)
        if suggestion is not None or hint is None:
            hint = did_you_mean(word, known) if known else "there is none"
        args: tuple[tuple[str, str], ...] = (("word", word),)
        if suggestion is not None:
            args = (*args, ("suggestion", suggestion))
        self.found.append(Diagnostic(code, f"unknown {what} `{word}`", loc, hint, args=args))
