"""Tokens: any Unicode word is one, so that a confusable identifier gets its own code and not a syntax error.

Comments are kept beside the tokens. Regex literals are read only after `matches`. What is wrong with a single token
(a bad escape, a string that is not closed, a foreign character) is found here, all of it in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from policylang.diagnostics import Diagnostic
from policylang.frontend.dsl.tables import tables
from policylang.source import Loc, Source
from policylang.syntax.names import BIDI, RESERVED_WORDS, code_point, confusable

Offsets = Callable[[int], int] | Sequence[int]
"""From a place in a scalar's text to the place in its file; as a sequence it has one entry more than the text."""

_TABLES = tables()
WORD: Final = _TABLES.number["WORD"]
UNIT: Final = _TABLES.number["UNIT"]
NUMBER: Final = _TABLES.number["NUMBER"]
STRING: Final = _TABLES.number["STRING"]
REGEX: Final = _TABLES.number["REGEX"]
DATE: Final = _TABLES.number["DATE"]
END: Final = _TABLES.number["$END"]
OPEN: Final = _TABLES.number["("]
RESERVED: Final = frozenset(_TABLES.number[word] for word in RESERVED_WORDS)
"""Keywords that are never the name of a thing; where an operand may stand, they are not read as one."""
ERROR: Final = -1
"""A token that is no token; no state accepts it."""

_MAX_PROBLEMS: Final = 100
_UNITS: Final = frozenset({"epoch", "epochs", "query", "queries"})
_GAP: Final = r"(?:[ \t\r\n\f]++|\#[^\n]*+)*+"
_TOKEN: Final = re.compile(
    r"[ \t\r\n\f]*+(?:"
    rf"(?<![\w.])(matches)(?={_GAP}/(?:[^/\\\n]++|\\[^\n])*+/)"
    r"|([^\W0-9][\w\u00ad\u0300-\u036f\u200b-\u200d\u2060\ufeff]*)"
    r"|([0-9]{4}-[0-9]{2}-[0-9]{2}(?!\w)|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?%?)"
    r'|("(?:[^"\\\n]++|\\[^\n])*+")'
    r"|([=!<>]=|[-+*/<>=.,:(){}\[\]])"
    r"|(\#[^\n]*)"
    r"|(\Z)"
    r'|("[^\n]*)'
    r"|([^\x00-\x7f]+|&&|\|\||.)"
    r")",
    re.DOTALL,
)
_MATCHES, _A_WORD, _A_NUMBER, _A_STRING, _MARK, _COMMENT, _THE_END, _UNCLOSED, _OTHER = range(1, 10)
_REGEX: Final = re.compile(r"/(?:[^/\\\n]++|\\[^\n])*+/\w*")
_NUMBER_FOLLOWS: Final = re.compile(rf"{_GAP}-?[0-9]")
_CLOSED: Final = re.compile(r'"(?:[^"\\\n]++|\\[^\n])*+"')
_ESCAPE: Final = re.compile(r'\\(?:(["\\nt])|u\{([0-9a-fA-F]{1,6})\}|.)')
_FALSE_LINE_END: Final = re.compile("\r(?!\n)|[\x0b\x0c\x85\u2028\u2029]")
_ESCAPED: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_ADVICE: Final = {
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    "'": "strings take double quotes",
    "`": "strings take double quotes",
    "\u201c": "strings take straight double quotes",
    "\u201d": "strings take straight double quotes",
    "\u2264": "write `<=`",
    "\u2265": "write `>=`",
    "\u2260": "write `!=`",
    "\u00a0": "write an ordinary space",
    "%": "a percent sign follows its number without a space",
    ";": "nothing separates declarations; leave it out",
}


@dataclass(slots=True)
class Comment:
    """A comment of ``text`` that stands before token number ``token``; ``end`` is without trailing white space."""

    token: int
    start: int
    end: int


@dataclass(slots=True)
class Tokens:
    """The tokens of a text as parallel lists, the last one `END`.

    ``starts`` and ``ends`` are file offsets. ``values`` holds the strings that have escapes, by token number.
    ``suspects`` are the tokens that may be wrong in themselves; ``problems`` what is wrong, in the order of the text.
    """

    source: Source
    text: str
    kinds: list[int]
    starts: list[int]
    ends: list[int]
    texts: list[str]
    values: dict[int, str]
    comments: list[Comment]
    suspects: list[int]
    problems: list[Diagnostic]


def tokenize(source: Source, text: str | None = None, offsets: Offsets | None = None) -> Tokens:
    """The tokens of ``text`` (default: all of the source), placed in the source through ``offsets``."""
    text = source.text if text is None else text
    tokens = Tokens(source, text, [], [], [], [], {}, [], [], [])
    _scan(tokens, 1 if text.startswith("\ufeff") else 0)
    lexical = _Problems(tokens)
    lexical.find()
    if offsets is not None:
        place = offsets if callable(offsets) else offsets.__getitem__
        tokens.starts = [place(at) for at in tokens.starts]
        tokens.ends = [place(at) for at in tokens.ends]
        lexical.move(place)
    return tokens


def _scan(tokens: Tokens, start: int) -> None:
    kinds, starts, ends, texts = tokens.kinds, tokens.starts, tokens.ends, tokens.texts
    text = tokens.text
    number = _TABLES.number
    keyword = {name: at for name, at in number.items() if at < _TABLES.keywords}.get
    match = _TOKEN.match
    at = start
    while True:
        found = match(text, at)
        assert found is not None, "the pattern takes any character"
        group = found.lastindex
        begin, at = found.span(group or 0)
        if group == _A_WORD:
            word = found[_A_WORD]
            kind = keyword(word, WORD)
            if kind == WORD and not word.isascii():
                tokens.suspects.append(len(kinds))
            if word in _UNITS and kinds and kinds[-1] == NUMBER and not _NUMBER_FOLLOWS.match(text, at):
                kind = UNIT
        elif group == _MARK:
            word = found[_MARK]
            kind = number.get(word, ERROR)
        elif group == _A_STRING:
            word, kind = found[_A_STRING], STRING
            if "\\" in word:
                tokens.suspects.append(len(kinds))
        elif group == _A_NUMBER:
            word = found[_A_NUMBER]
            kind = DATE if word[4:5] == "-" else NUMBER
        elif group == _COMMENT:
            tokens.comments.append(Comment(len(kinds), begin, begin + len(found[_COMMENT].rstrip())))
            continue
        elif group == _MATCHES:
            kinds.append(number["matches"])
            starts.append(begin)
            ends.append(at)
            texts.append("matches")
            at = _skip_gap(tokens, at)
            regex = _REGEX.match(text, at)
            assert regex is not None, "the lookahead has seen it"
            begin, at = regex.span()
            word, kind = regex[0], REGEX
            tokens.suspects.append(len(kinds))
        elif group == _THE_END:
            word, kind = "", END
        else:
            word = found[group or 0]
            kind = STRING if group == _UNCLOSED else ERROR
            tokens.suspects.append(len(kinds))
        kinds.append(kind)
        starts.append(begin)
        ends.append(at)
        texts.append(word)
        if kind == END:
            return


def _skip_gap(tokens: Tokens, at: int) -> int:
    """The place of the next token after white space and comments, which are kept."""
    while True:
        found = _TOKEN.match(tokens.text, at)
        assert found is not None, "the pattern takes any character"
        if found.lastindex != _COMMENT:
            return found.start(found.lastindex or 0)
        begin, at = found.span(_COMMENT)
        tokens.comments.append(Comment(len(tokens.kinds), begin, begin + len(found[_COMMENT].rstrip())))


class _Problems:
    """Finds what is wrong with single tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.found: list[tuple[int, int, Diagnostic]] = []

    def find(self) -> None:
        tokens = self.tokens
        for found in _FALSE_LINE_END.finditer(tokens.text):
            message = f"{code_point(found[0])} looks like a line end and is none"
            self.add(found.start(), found.end(), message, "end lines with a line feed; in a string, write `\\u{…}`")
        if not tokens.text.isascii():
            for bidi in BIDI.finditer(tokens.text):
                name = code_point(bidi[0])
                self.add(bidi.start(), bidi.end(), f"bidirectional control {name}", "remove it", "bidi-control")
        for at in tokens.suspects:
            kind = tokens.kinds[at]
            if kind == STRING:
                self.string(at)
            elif kind == REGEX:
                self.regex(at)
            elif kind == WORD:
                self.word(at)
            else:
                self.other(at)
        self.found.sort(key=lambda item: item[:2])
        if len(self.found) > _MAX_PROBLEMS:
            start, end, _ = self.found[_MAX_PROBLEMS]
            del self.found[_MAX_PROBLEMS:]
            self.add(start, end, f"more than {_MAX_PROBLEMS} such errors; stopped here", None)
        tokens.problems = [item for _, _, item in self.found]

    def add(self, start: int, end: int, message: str, advice: str | None, code: str = "syntax-error") -> None:
        self.found.append((start, end, Diagnostic(code, message, Loc(self.tokens.source, start, end), advice)))

    def word(self, at: int) -> None:
        start, end = self.tokens.starts[at], self.tokens.ends[at]
        item = confusable(self.tokens.texts[at], Loc(self.tokens.source, start, end))
        if item is not None:
            self.found.append((start, end, item))

    def other(self, at: int) -> None:
        start, end, text = self.tokens.starts[at], self.tokens.ends[at], self.tokens.texts[at]
        visible = _FALSE_LINE_END.sub("", BIDI.sub("", text))
        if not visible:
            return
        char = visible[0]
        name = f"`{char}`" if char.isascii() and char.isprintable() else code_point(char)
        self.add(start, end, f"{name} has no meaning here", _ADVICE.get(char))

    def regex(self, at: int) -> None:
        text = self.tokens.texts[at]
        flags = text[text.rindex("/") + 1 :]
        if set(flags) - set("ims") or len(set(flags)) != len(flags):
            end = self.tokens.ends[at]
            advice = "the flags are `i`, `m` and `s`, each once"
            self.add(end - len(flags), end, f"`{flags}` are not flags of a regex", advice)

    def string(self, at: int) -> None:
        start, end, text = self.tokens.starts[at], self.tokens.ends[at], self.tokens.texts[at]
        if not _CLOSED.fullmatch(text):
            self.add(start, end, "the string is not closed on its line", 'close it with `"`; a line end is `\\n`')
            self.tokens.values[at] = ""
        else:
            self.tokens.values[at] = _ESCAPE.sub(lambda found: self.escape(found, start), text[1:-1])

    def escape(self, found: re.Match[str], start: int) -> str:
        simple, point = found[1], found[2]
        if simple is not None:
            return _ESCAPED[simple]
        value = int(point, 16) if point is not None else -1
        if 0 <= value < 0xD800 or 0xDFFF < value <= 0x10FFFF:
            return chr(value)
        begin = start + 1 + found.start()
        advice = 'the escapes are `\\"`, `\\\\`, `\\n`, `\\t` and `\\u{…}` with a code point in hexadecimal'
        self.add(begin, begin + len(found[0]), f"`{found[0]}` is not an escape", advice)
        return ""

    def move(self, place: Callable[[int], int]) -> None:
        """Moves the findings to their places in the file."""
        source = self.tokens.source
        moved = []
        for start, end, item in self.found:
            loc = Loc(source, place(start), place(end))
            moved.append(Diagnostic(item.code, item.message, loc, item.help, item.severity, item.args, item.related))
        self.tokens.problems = moved
