"""Whole texts kept word for word in one retained span: the only restatement of a text without assertions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from policylang.evidence import text as texts
from policylang.evidence.representation.clauses import lines
from policylang.evidence.representation.model import SessionSpan

MIN_WORDS: Final = 3
# An ideograph is a word: scripts without spaces have words all the same.
_WORDS: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]|(?:(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af])\w)+"
)


@lru_cache(maxsize=16_384)
def words(text: str) -> tuple[str, ...]:
    """The word tokens of a text in lower case, normalised."""
    return tuple(_WORDS.findall(texts.normalise(text).text.lower()))


class Verbatim:
    """Retained texts as runs of words, found by their words."""

    __slots__ = ("_by_word", "_folded")

    def __init__(self, spans: Sequence[SessionSpan]) -> None:
        self._folded: dict[int, str] = {}
        self._by_word: dict[str, set[int]] = {}
        for span in spans:
            kept = words("\n".join(line for _, line in lines(span.text, span.extraction.regions)))
            self._folded[span.position] = f" {' '.join(kept)} "
            for word in set(kept):
                self._by_word.setdefault(word, set()).add(span.position)

    def keeps(self, span: SessionSpan) -> bool:
        """True if another retained span holds all words of this one's text, at least three, in one run."""
        wanted = words(span.text)
        if len(wanted) < MIN_WORDS:
            return False
        holders = sorted((self._by_word.get(word, set()) for word in set(wanted)), key=len)
        candidates = holders[0].intersection(*holders[1:]) - {span.position}
        run = f" {' '.join(wanted)} "
        return any(run in self._folded[position] for position in sorted(candidates))
