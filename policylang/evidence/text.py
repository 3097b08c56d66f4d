"""Text as extraction and binding read it: normalised, with offsets into the original, and cut into clauses."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from policylang.evidence.lexicon import word_set
from policylang.regex import compile_pattern

STATEMENT: Final = "statement"
QUESTION: Final = "question"
CONDITION: Final = "condition"
WISH: Final = "wish"

MAX_CLAUSE: Final = 2_000
"""A longer clause is cut here: prose has none, and binding inside one must stay bounded."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, as half-open offsets of the text it was cut from.

    Attributes:
        start: First character.
        end: Past the last character; the mark that ended the clause is outside.
        mood: `STATEMENT`, or `QUESTION`, `CONDITION` or `WISH`, which name a key and bind nothing (SPEC §4).
        denied: True for "it is not true that …": what it binds is bound as the opposite.
    """

    start: int
    end: int
    mood: str = STATEMENT
    denied: bool = False

    @property
    def binds(self) -> bool:
        """True if a value in this clause may be bound to its key."""
        return self.mood == STATEMENT


@dataclass(frozen=True, slots=True)
class Normal:
    """A text in NFKC without format characters, and the way back to the original.

    Attributes:
        original: The text as given.
        text: The text to read.
        starts: Offset in `text` of each normalised piece; empty where the two texts have the same offsets.
        origins: Offsets in `original` of each piece, start and end in turn.
    """

    original: str
    text: str
    starts: tuple[int, ...] = ()
    origins: tuple[int, ...] = ()

    def start(self, offset: int) -> int:
        """The original offset of the character at `offset`."""
        if not self.starts:
            return offset
        piece = bisect_right(self.starts, offset) - 1
        return self.origins[2 * piece] + (offset - self.starts[piece] if self._in_step(piece) else 0)

    def end(self, offset: int) -> int:
        """The original offset past the character before `offset`."""
        if not self.starts or offset == 0:
            return offset
        piece = bisect_right(self.starts, offset - 1) - 1
        if self._in_step(piece):
            return self.origins[2 * piece] + offset - self.starts[piece]
        return self.origins[2 * piece + 1]

    def _in_step(self, piece: int) -> bool:
        after = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        return after - self.starts[piece] == self.origins[2 * piece + 1] - self.origins[2 * piece]


def normalise(text: str) -> Normal:
    """NFKC without format characters (Cf), terminal colours and lone surrogates; linear.

    Pieces are cut so that a full-width digit, a ligature or an accented letter each map to their own place.
    """
    if "\x1b" not in text and (text.isascii() or _whole(text)):
        return Normal(text, text)
    pieces = _Pieces()
    at = 0
    if "\x1b" in text:
        for found in _COLOUR.finditer(_valid(text)):
            pieces.add_range(text, at, found.start())
            at = found.end()
    pieces.add_range(text, at, len(text))
    return pieces.normal(text)


_COLOUR: Final = compile_pattern(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*\x07)")
_CHUNK: Final = 64


class _Pieces:
    """Collects normalised pieces; a run that normalisation leaves alone is one piece, however long."""

    __slots__ = ("origins", "out", "same_end", "size", "starts")

    def __init__(self) -> None:
        self.out: list[str] = []
        self.size = 0
        self.starts: list[int] = []
        self.origins: list[int] = []
        self.same_end = -1

    def add_range(self, text: str, start: int, end: int) -> None:
        while start < end:
            stop = min(start + _CHUNK, end)
            while stop < end and stop < start + 2 * _CHUNK and unicodedata.combining(text[stop]):
                stop += 1
            chunk = text[start:stop]
            if chunk.isascii() or _untouched(chunk):
                self._same(chunk, start, stop)
            else:
                self._add_each(text, start, stop)
            start = stop

    def _add_each(self, text: str, start: int, end: int) -> None:
        while start < end:
            stop = start + 1
            if text[start] < "\x80":
                while stop < end and text[stop] < "\x80":
                    stop += 1
                # A mark that follows belongs to the last character of the run.
                if stop < end and stop - start > 1 and unicodedata.combining(text[stop]):
                    stop -= 1
            if stop - start == 1:
                while stop < end and unicodedata.combining(text[stop]):
                    stop += 1
            chunk = text[start:stop]
            clean = chunk if chunk.isascii() else _cleaned(chunk)
            if clean == chunk:
                self._same(chunk, start, stop)
            elif clean:
                self._put(clean, start, stop)
                self.same_end = -1
            start = stop

    def _same(self, chunk: str, start: int, end: int) -> None:
        if self.same_end == start and self.out:
            self.out.append(chunk)
            self.size += len(chunk)
            self.origins[-1] = end
        else:
            self._put(chunk, start, end)
        self.same_end = end

    def _put(self, chunk: str, start: int, end: int) -> None:
        self.starts.append(self.size)
        self.origins += (start, end)
        self.out.append(chunk)
        self.size += len(chunk)

    def normal(self, text: str) -> Normal:
        whole = "".join(self.out)
        if len(self.starts) == 1 and whole == text:
            return Normal(text, text)
        return Normal(text, whole, tuple(self.starts), tuple(self.origins))


@lru_cache(maxsize=4_096)
def _cleaned(piece: str) -> str:
    composed = unicodedata.normalize("NFKC", "".join(_kept(char) for char in piece))
    return "".join(_kept(char) for char in composed)


def _kept(char: str) -> str:
    category = unicodedata.category(char)
    return "" if category == "Cf" else "\ufffd" if category == "Cs" else char


def _whole(text: str) -> bool:
    """True if nothing in the text can change; the common case of a text with a few arrows, dashes and ticks."""
    # Printable text holds neither format characters nor surrogates; no white space is either of them.
    return unicodedata.is_normalized("NFKC", text) and "".join(text.split()).isprintable()


def _untouched(chunk: str) -> bool:
    if not unicodedata.is_normalized("NFKC", chunk):
        return False
    # Printable text holds neither format characters nor surrogates; white space aside, only such chunks are looked at.
    if chunk.translate(_NO_SPACE).isprintable():
        return True
    return all(_kept(char) == char for char in chunk)


_NO_SPACE: Final = str.maketrans("", "", "\n\r\t\u3000\xa0")


def _valid(text: str) -> str:
    """The text with lone surrogates replaced one for one, as RE2 wants UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


# Possessive repeats and a look-behind keep each of these linear on any clause.
_BREAK: Final = re.compile(r"(?i)[\n\r;]|(?<![.!?])[.!?]++[\"')\]*`]*+(?:\s|\Z)|(?:(?<!,),)?(?<!\s)\s(?:but|while)\s")
# The same without its last alternative; a set of first characters lets the search skip to the next mark.
_MARK: Final = re.compile(r"(?s)[\n\r;.!?](?:(?<=[\n\r;])|(?<![.!?].)[.!?]*+[\"')\]*`]*+(?:\s|\Z))")
_ASKS: Final = re.compile(r"(?i)\W*+(?:(?:so|and|then|now) )?(?:what|which|who|whose|where|why|how)\b")
_CONDITION: Final = re.compile(
    r"(?i)\b(?:if|when|whenever|unless|whether|once|until|assuming|suppose|in case|would have)\b"
)
_WISH: Final = re.compile(
    r"(?i)\b(?:should|must|shall|needs? to|needed to|ha(?:s|ve) to|wants? to|wanted to|would|could|might|may|going to"
    r"|plans? to|planning to|let me|let's|let us|i'll|we'll|will|to (?:check|verify|confirm|ensure|expect|see|make)"
    r"|expects?|expect(?:ed|ing) to|hopefully|todo|make sure|please|try(?:ing)? to|remember to|don't forget)\b"
)
_ORDER: Final = re.compile(
    r"(?i)\W*+(?:(?:then|also|and|so|now|next|first|we|i|you|lets)[, ]++)*+(?:check|verify|confirm|ensure|set|run"
    r"|use|see)\b"
)
_DENIED: Final = re.compile(
    r"(?i)\b(?:it is|it's|this is|that is|that's)\s++(?:not (?:true|the case|correct)|false|untrue|wrong) that\b"
)


MOOD_WORDS: Final = word_set(
    "if when whenever unless whether once until assuming suppose case would should must shall need needs "
    "needed have has want wants wanted could might may going plan plans planning let i we i'll we'll ll will "
    "check verify confirm ensure expect expects expected hopefully todo make please to try trying remember "
    "don don't set run use see what which who whose where why how not false untrue wrong"
)
"""A text without one of these words, in lower case, only states or asks with a question mark."""


def clauses(text: str, start: int = 0, end: int | None = None, *, moods: bool = True) -> list[Clause]:
    """Cut text into clauses: ended by a line, `;`, a sentence, "but" or "while" (SPEC §4).

    Args:
        text: Normalised text.
        start: Where to begin.
        end: Where to stop; the end of the text if None.
        moods: False if the text is known to hold none of `MOOD_WORDS`, so that only question marks tell a mood.
    """
    stop = len(text) if end is None else end
    found: list[Clause] = []
    body = text[start:stop]
    at = 0
    plain = "but" not in body and "while" not in body and (low := body.lower()).isascii()
    plain = plain and "but" not in low and "while" not in low
    for mark in (_MARK if plain else _BREAK).finditer(body):
        _add(found, body, at, mark.start(), "?" in mark.group(), start, moods)
        at = mark.end()
    _add(found, body, at, len(body), False, start, moods)
    return found


def _add(found: list[Clause], body: str, start: int, end: int, asked: bool, base: int, moods: bool) -> None:
    while end - start > MAX_CLAUSE:
        _add(found, body, start, start + MAX_CLAUSE, asked, base, moods)
        start += MAX_CLAUSE
    piece = body[start:end]
    if piece and not piece.isspace():
        if not moods:
            found.append(Clause(base + start, base + end, QUESTION if asked else STATEMENT))
            return
        found.append(Clause(base + start, base + end, QUESTION if asked else mood(piece), is_denied(piece)))


def mood(clause: str) -> str:
    """The mood of one clause by its words; a question mark is the caller's to see."""
    if _ASKS.match(clause):
        return QUESTION
    low = clause.lower()
    if _any(_CONDITION_PARTS, low) and _CONDITION.search(clause):
        return CONDITION
    if _any(_WISH_PARTS, low) and _WISH.search(clause):
        return WISH
    return WISH if _ORDER.match(clause) else STATEMENT


def is_denied(clause: str) -> bool:
    """True for "it is not true that …" and its kin."""
    return _any(_DENIED_PARTS, clause.lower()) and bool(_DENIED.search(clause))


def _any(parts: tuple[str, ...], low: str) -> bool:
    """True if one of the parts stands in the text, or if its case cannot be told by `lower` alone (`ı`, `ſ`)."""
    return not low.isascii() or any(map(low.__contains__, parts))


# One of these stands in whatever the patterns match; looking for them costs a tenth of a search.
_CONDITION_PARTS: Final = (
    "if",
    "when",
    "unless",
    "whether",
    "once",
    "until",
    "assuming",
    "suppose",
    "in case",
    "would have",
)
_WISH_PARTS: Final = (
    "should", "must", "shall", "would", "could", "might", "may", "let", "will", "'ll", "need", "has to", "have to",
    "want", "going to", "plan", "to check", "to verify", "to confirm", "to ensure", "to expect", "to see", "to make",
    "expect", "hopefully", "todo", "make sure", "please", "try", "remember to", "don't forget",
)  # fmt: skip
_DENIED_PARTS: Final = (" that",)
