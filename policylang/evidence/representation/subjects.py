"""What a line of a text is about: the headings above it and the id fields of its record (SPEC §4, "Entity").

The extractor gives a fact the record ids of its document. Many records name their thing otherwise: by a heading, by a
`commit` header, by an `order` or `station` beside the fact. Where two texts name different things this way, one says
nothing of the other's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from policylang.evidence import keys
from policylang.evidence.model import Assertion
from policylang.evidence.representation.lexicon import NAMING, NOT_NAMING
from policylang.evidence.representation.model import SessionSpan
from policylang.evidence.representation.phrases import Phrase

Names = tuple[tuple[str, str], ...]
"""Kind and name of what a line is about, the nearest first; a heading's kind is `#`."""

NOTHING: Final[Names] = ()
HEADING: Final = "#"
_REACH: Final = 40
"""How far, in lines, an id field names the lines of its record above and below."""
_MANY: Final = 4
_PAIR: Final = re.compile(
    r"""(?<![\w.-])["']?([A-Za-z][\w-]{0,60})["']?[ ]{0,4}[:=][ ]{0,8}["'`]?([^\s"'`,;{}\[\]()|]*+)"""
)
_COMMIT: Final = re.compile(r"(?:commit |\[[\w./ -]{1,80} )([0-9a-f]{7,40})(?![0-9a-z])")
_MARKDOWN: Final = re.compile(r"(#{1,6})[ \t]++(\S.*)")
_TOKEN: Final = re.compile(r"[A-Za-z0-9](?:[\w./@-]*[A-Za-z0-9])?")
_ID: Final = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z]).{3,}|[0-9]{5,}|.*[\w-]/[\w-].*|.*[^@]@[^@].*")
# Ordinals, quantities, versions and times name nothing.
_NO_ID: Final = re.compile(
    r"[0-9]+(?:st|nd|rd|th)|[0-9.,]+[A-Za-z%]{1,3}|v?[0-9]+(?:\.[0-9]+)+\S*|[0-9]{4}-[0-9]{2}-[0-9]{2}\S*", re.I
)


class Line(NamedTuple):
    """A line as records are told by: its place, indentation and id fields."""

    start: int
    indent: int
    text: str
    fields: Names
    pairs: int
    item: bool


class Map(NamedTuple):
    """The names of every line of a text, by where the lines start."""

    starts: tuple[int, ...]
    names: tuple[Names, ...]

    def at(self, offset: int) -> Names:
        """What the line at an offset is about."""
        return self.names[bisect_right(self.starts, offset) - 1] if self.names else NOTHING


_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_EMPTY: Final = Map((), ())


def is_id(token: str) -> bool:
    """True for a token that can name one thing among its like: letters and digits, a path, a long number."""
    return len(token) <= 200 and bool(_ID.fullmatch(token)) and not _NO_ID.fullmatch(token)


def kind_of(key: str) -> str | None:
    """The kind of thing that a field's value names (`order_id`: order), or None for a field that names none."""
    words = keys.words(key)
    if not words or NOT_NAMING.intersection(words):
        return None
    if words[-1] in ("id", "uuid", "guid"):
        return "_".join(words[:-1])
    return words[-1] if words[-1] in NAMING else None


@lru_cache(maxsize=16_384)
def mapped(text: str) -> Map:
    """What the lines of a text are about; cached by content."""
    lines = list(_lines(text))
    fields: list[list[tuple[int, str, str]]] = [[] for _ in lines]
    for number, line in enumerate(lines):
        for kind, name in line.fields:
            for at in _record(lines, number, kind) if line.pairs == 1 else (number,):
                # The deeper record is the nearer one; a line that is a record of its own is the nearest.
                fields[at].append((-line.indent - 1000 * (line.pairs > 1), kind, name))
    heads = list(_headings(lines))
    if not any(fields) and not any(heads):
        return _EMPTY
    names = tuple(
        _once([*((kind, name) for _, kind, name in sorted(fields[n], key=_depth)), *heads[n]])
        for n in range(len(lines))
    )
    return Map(tuple(line.start for line in lines), names)


def _depth(field: tuple[int, str, str]) -> int:
    return field[0]


def _once(found: Iterable[tuple[str, str]]) -> Names:
    kept: dict[str, str] = {}
    for kind, name in found:
        kept.setdefault(kind, name)
    return tuple(kept.items())


def _lines(text: str) -> Iterable[Line]:
    at = 0
    for raw in text.split("\n"):
        plain = raw.lstrip()
        item = plain.startswith(("- ", "* "))
        found: list[tuple[str, str]] = []
        pairs = 0
        if len(raw) <= 4000 and (":" in raw or "=" in raw):
            for match in _PAIR.finditer(raw):
                pairs += 1
                kind = kind_of(match[1]) if match[2] else None
                name = match[2].rstrip(".:") if kind is not None else ""
                if kind is not None and is_id(name):
                    found.append((kind, name.lower()))
            kinds = [kind for kind, _ in found]
            # A line of several records names none of them.
            found = [one for one in found if kinds.count(one[0]) == 1]
        indent = len(raw) - len(plain)
        if pairs == 1 and found and not _leads(plain):
            found = []
        yield Line(at, indent, plain.rstrip(), tuple(found), pairs, item)
        at += len(raw) + 1


def _leads(plain: str) -> bool:
    """True if a line's one pair stands at its beginning: "for this skill: X" is no field of a record."""
    return _PAIR.match(plain.lstrip("-*• \"'")) is not None


def _record(lines: Sequence[Line], number: int, kind: str) -> Iterable[int]:
    """The lines of the record that an id field stands in: around it, as deep, up to a gap or the next of its kind."""
    own = lines[number]
    yield number
    if not own.item:
        for at in range(number - 1, max(-1, number - _REACH), -1):
            if _apart(lines[at], own, kind):
                break
            yield at
            if lines[at].item:
                break
    depth = own.indent + 1 if own.item else own.indent
    for at in range(number + 1, min(len(lines), number + _REACH)):
        if _apart(lines[at], own, kind) or lines[at].indent < depth:
            break
        yield at


def _apart(line: Line, own: Line, kind: str) -> bool:
    if not line.text or line.indent < own.indent - 2 * line.item:
        return True
    return line.text.startswith("#") or (line.indent == own.indent and any(other == kind for other, _ in line.fields))


def _headings(lines: Sequence[Line]) -> Iterable[Names]:
    """For each line the id that the heading above it names."""
    level, names = 0, NOTHING
    for line in lines:
        commit = _COMMIT.match(line.text)
        mark = _MARKDOWN.match(line.text)
        if commit is not None:
            level, names = 7, (("commit", commit[1].lower()),)
        elif mark is not None:
            found = _named(mark[2])
            if found or len(mark[1]) <= level or level >= 7:
                level, names = len(mark[1]), found
        elif line.text.isupper() and ":" not in line.text and "=" not in line.text and " " in line.text:
            found = _named(line.text)
            if found:
                level, names = 8, found
        yield names


def _named(heading: str) -> Names:
    """The id in a heading; none where it holds several."""
    found = [token for token in _TOKEN.findall(heading[:200]) if is_id(token)]
    return ((HEADING, found[0].lower()),) if len(found) == 1 else NOTHING


def meet(first: Names, second: Names, but: str | None = None) -> bool:
    """True unless both say what they are about, and it is not the same.

    Args:
        first: Of one text.
        second: Of the other.
        but: A kind that does not count.
    """
    one = {kind: name for kind, name in first if kind != but}
    two = {kind: name for kind, name in second if kind != but}
    if not one or not two:
        return True
    shared = [_alike(name, two[kind]) for kind, name in one.items() if kind in two]
    if shared:
        return all(shared)
    near, far = next(iter(one.values())), next(iter(two.values()))
    return any(_alike(near, name) for name in two.values()) or any(_alike(far, name) for name in one.values())


def _alike(first: str, second: str) -> bool:
    if first == second or keys.same_entity(first, second):
        return True
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    return len(shorter) >= 7 and longer.startswith(shorter) and all(char in "0123456789abcdef" for char in longer)


@lru_cache(maxsize=16_384)
def _shape(name: str) -> str:
    """How a name is written: `st04` and `st12` are written alike, `ord-17` is not."""
    if len(name) >= 7 and all(char in "0123456789abcdef" for char in name):
        return "hex"
    return "path" if "/" in name else _DIGITS.sub("9", _LETTERS.sub("a", name))


class Subjects:
    """What the facts of a session are about, and which keys are told of several things."""

    __slots__ = ("_keys", "_spans")

    def __init__(self, spans: Sequence[SessionSpan]) -> None:
        """Look at the spans of a session, by position; nothing is read before it is asked for."""
        self._spans = spans
        self._keys: dict[str, tuple[set[str], set[str]]] | None = None

    def at(self, position: int, offset: int) -> Names:
        """What the line at an offset of a span is about."""
        return mapped(self._spans[position].text).at(offset)

    def own(self, position: int, fact: Assertion) -> bool:
        """True for a record's own id: the value that names the record it stands in."""
        kind = kind_of(fact.key)
        names = dict(self.at(position, fact.start))
        if kind is not None and (kind in names or fact.type in ("path", "url", "id")):
            return True
        low = fact.value.lower()
        return any(_alike(low, name) for name in names.values())

    def known(self, key: str) -> frozenset[str]:
        """The names of the things that facts of a key are of, anywhere in the session."""
        return frozenset(self._read().get(key, (set(), set()))[0])

    def plural(self, key: str, kind: str) -> bool:
        """True if a key is told of several things, or is a measure with many values: it may be any of them."""
        names, told = self._read().get(key, (set(), set()))
        if len(told) < 2:
            return False
        return len(names) > 1 or (len(told) >= _MANY and kind in ("number", "count", "id", "path", "url"))

    def elsewhere(self, key: str, phrase: Phrase | None, own: Iterable[str]) -> bool:
        """True if a clause names another thing that the key is told of, and none of one's own names."""
        if phrase is None:
            return False
        known = self._read().get(key, (set(), set()))[0]
        said = {token.low for token in phrase.tokens if token.low in known} if known else set()
        if any(_alike(one, two) for one in own for two in said):
            return False
        # A commit beside an artifact's version is no other artifact: only what is written alike is another of its like.
        shapes = {_shape(one) for one in own}
        return any(_shape(one) in shapes for one in said)

    def _read(self) -> dict[str, tuple[set[str], set[str]]]:
        if self._keys is None:
            self._keys = {}
            for span in self._spans:
                if span.state:
                    for fact in span.extraction.assertions:
                        names, told = self._keys.setdefault(fact.key, (set(), set()))
                        told.add(fact.value)
                        names.update(of(fact, self.at(span.position, fact.start))[:1])
        return self._keys


def of(fact: Assertion, names: Names) -> list[str]:
    """The names of what a fact is about, the nearest first: its entity, then its record and heading."""
    found = []
    if fact.entity is not None:
        name = keys.entity(fact.entity).rsplit("/", 1)[-1]
        if is_id(name) or (name.isdigit() and len(name) > 3):
            found.append(name)
    found.extend(name for _, name in names)
    return found
