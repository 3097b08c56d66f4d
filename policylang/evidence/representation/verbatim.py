"""Whole texts kept word for word in one retained span: the only restatement of a text without assertions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from policylang.evidence import text as texts
from policylang.evidence.representation.clauses import lines
from policylang.evidence.representation.model import SessionSpan

MIN_WORDS: Final = 3
_IDEOGRAPH: Final = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
# An ideograph is a word: scripts without spaces have words all the same.
_WORDS: Final = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]++")

Run = tuple[str, ...]


@lru_cache(maxsize=16_384)
def words(text: str) -> Run:
    """The word tokens of a text in lower case, normalised."""
    return tuple(_WORDS.findall(texts.normalise(text).text.lower()))


class Verbatim:
    """Which texts the retained spans hold as one run of words; found in one pass over the retained words.

    A text is looked for where its first three words stand, so no pair of texts is ever compared for nothing.
    """

    __slots__ = ("_holders",)

    def __init__(self, asking: Iterable[SessionSpan], retained: Iterable[SessionSpan]) -> None:
        """Look for the texts of some spans in retained ones, bulk left out."""
        self._holders: dict[Run, set[int]] = {}
        wanted: dict[Run, dict[int, None]] = {}
        for span in asking:
            run = words(span.text)
            if len(run) >= MIN_WORDS:
                self._holders[run] = set()
                wanted.setdefault(run[:MIN_WORDS], {})[len(run)] = None
        if wanted:
            for span in retained:
                kept = words("\n".join(line for _, line in lines(span.text, span.extraction.regions)))
                self._look(span.position, kept, wanted)

    def _look(self, position: int, kept: Run, wanted: dict[Run, dict[int, None]]) -> None:
        for at, start in enumerate(zip(kept, kept[1:], kept[2:], strict=False)):
            for length in wanted.get(start, ()):
                holders = self._holders.get(kept[at : at + length])
                # Two are enough to tell a span from another that holds it.
                if holders is not None and len(holders) < 2:
                    holders.add(position)

    def keeps(self, span: SessionSpan) -> bool:
        """True if another retained span holds all words of this one's text, at least three, in one run."""
        return bool(self._holders.get(words(span.text), set()) - {span.position})
