"""Tokens of one clause: words, values and marks, each with the words it lends to a key."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from policylang.evidence import keys, lexicon
from policylang.evidence.values import WRITTEN_DATE

WORD: Final = "word"
VALUE: Final = "value"
"""A token that is a value by its shape: number, quantity, time, URL, path. It lends no word to a key."""
MARK: Final = "mark"


def _length(unit: str) -> tuple[int, str]:
    return -len(unit), unit


# A lone letter is a unit for seconds and hours only: "5 m" may be metres, "3 d" a dimension.
_UNITS = "|".join(
    sorted({re.escape(unit) for unit in (*lexicon.UNITS, *lexicon.SIZES) if len(unit) > 1 or unit in "sh"}, key=_length)
)
_AT_LINE: Final = r"(?::[0-9]++(?:[:-][0-9]++)*+(?!\w))?+"
# Every alternative is possessive where it repeats: one pass, no way back.
_TOKEN: Final = re.compile(
    rf"""
    (?P<value>
        [A-Za-z][A-Za-z0-9+.-]*+://[^\s"'<>`|)\]]++
      | arn:[a-z-]++:[^\s"'<>`|,)\]]++
      | (?:sha(?:1|224|256|384|512)|md5)[:-][0-9A-Fa-f]{{32,128}}+
      | (?<!\w)(?=[MTWFSJADON0-9])(?-x:{WRITTEN_DATE})(?!\w)
      | [0-9]{{4}}-[01][0-9]-[0-3][0-9]
        (?:[T ][0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]++)?+)?+(?:[ ]?(?:Z|UTC|[+-][0-2][0-9]:?[0-5][0-9]))?+)?+
        (?!\w)
      | (?<![\w:.])[0-2]?[0-9]:[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]++)?+)?+(?![\w:])
      | (?<![\w.])(?:[0-9]{{1,3}}\.){{3}}[0-9]{{1,3}}(?:/[0-9]{{1,2}})?+(?![\w.]*\w)
      | (?<![\w/.])(?:~|\.{{1,2}})?+/[\w.@+~%=-]++(?:/[\w.@+~%=-]++)*+/?+{_AT_LINE}
      | (?<!\w)[A-Za-z]:\\[\w.@+~\\-]++
      | (?<![\w/])[\w@+-][\w.@+-]*+(?:/[\w.@+~%=-]++)++/?+{_AT_LINE}
      | [$€£][ ]?[0-9]++(?:,[0-9]{{3}})*+(?:\.[0-9]++)?+
      | (?<![\w.-])[0-9]++(?:,[0-9]{{3}})*+(?:\.[0-9]++)?+[ ]?(?:(?i:{_UNITS})(?!\w)|%)
      | (?<![\w.-])[0-9]{{1,3}}(?:[,_'’][0-9]{{3}})++(?:\.[0-9]++)?+(?!\w)
      | (?<![\w)])[+-](?=[0-9])[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+(?![\w-])
    )
    | (?P<word> \w++(?:['’](?=[a-z])|[-.@+](?=\w))?+(?:\w++(?:['’](?=[a-z])|[-.@+](?=\w))?+)*+ )
    | (?P<mark> ->|=>|:=|==|!=|>=|<=|\.\.+|[^\w\s] )
    """,
    re.VERBOSE,
)
_TAIL: Final = ".,;:!?"
_PLAIN_NUMBER: Final = re.compile(r"[0-9]++(?:\.[0-9]++)*+")
_IDENTIFIER: Final = re.compile(r"[0-9]|(?<=[a-z])[A-Z]")


class Token(NamedTuple):
    """One token of a clause.

    Attributes:
        text: As it stands, without closing punctuation.
        low: In lower case.
        start: First character, in the clause's line.
        end: Past its last character.
        kind: `WORD`, `VALUE` or `MARK`.
        pieces: The words it lends to a key (`schemaVersion`: schema, version); empty for values and marks.
    """

    text: str
    low: str
    start: int
    end: int
    kind: str
    pieces: tuple[str, ...]

    @property
    def digits(self) -> bool:
        """True if it holds a digit: an id, a number, a version."""
        return any(char.isdigit() for char in self.text)

    @property
    def plain_number(self) -> bool:
        """True for digits and dots alone."""
        return bool(_PLAIN_NUMBER.fullmatch(self.text))

    @property
    def shaped(self) -> bool:
        """Identifier-shaped: a digit or an inner capital (SPEC §4)."""
        return bool(_IDENTIFIER.search(self.text))


def tokenise(text: str, start: int = 0, end: int | None = None) -> tuple[Token, ...]:
    """The tokens of a stretch of normalised text, in order; offsets are those of ``text``."""
    found = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup or MARK
        raw = match.group()
        if kind == VALUE:
            raw = raw.rstrip(_TAIL)
        pieces = keys.words(raw) if kind == WORD else ()
        low = raw.lower()
        found.append(Token(raw, low, match.start(), match.start() + len(raw), kind, pieces))
    return tuple(found)
