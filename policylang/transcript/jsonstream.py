"""JSON read from streams of any size: records of JSON Lines, and the elements of arrays inside one big document.

Memory is bounded by the largest record, whatever the size of the stream. Transcripts are written by programs that
crash and by people who mask things, so what JSON tolerates here and requests do not (duplicate keys, NaN, lone
surrogates) is read, mended where it must be, and reported by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from policylang.diagnostics import Diagnostic
from policylang.source import Loc, Position, Source
from policylang.transcript.session import Issues

_CHUNK = 1 << 16
_EXCERPT = 4096
_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_STRUCTURE = re.compile(rb'["{}\[\]]')
_SCALAR_END = re.compile(rb"[\s,\]}]")
_SPACE = b" \t\r\n"


class PartSource(Source):
    """A part of a long file, which knows where in the file it stands; only the part's text is kept."""

    __slots__ = ("_column", "_line", "_offset")

    def __init__(self, name: str, text: str, *, line: int, column: int, offset: int) -> None:
        super().__init__(name, text)
        self._line, self._column, self._offset = line, column, offset

    def position(self, offset: int) -> Position:
        """The place in the whole file."""
        line, column = super().position(offset - self._offset)
        return Position(line + self._line - 1, column + self._column - 1 if line == 1 else column)

    def line(self, number: int) -> str:
        """The text of a line of the whole file, as far as the part holds it."""
        return super().line(number - self._line + 1)

    def utf16_column(self, offset: int) -> int:
        """As `Source.utf16_column`; exact only where the part starts at the start of its line."""
        return super().utf16_column(offset - self._offset)


class Place(NamedTuple):
    """Where a record starts: 1-based line and column, and the offset in the file (all in code points)."""

    name: str
    line: int
    column: int
    offset: int


class Record(NamedTuple):
    """One JSON value of a stream, with its place and, for a value inside a document, the key it was found under."""

    value: Any
    place: Place
    raw: bytes
    key: str = ""

    def loc(self) -> Loc:
        """The range of the record (of its first 4 096 bytes)."""
        return _loc(self.place, self.raw, 0)


def _loc(place: Place, raw: bytes, start: int) -> Loc:
    text = raw[:_EXCERPT].decode("utf-8", "replace")
    source = PartSource(place.name, text, line=place.line, column=place.column, offset=place.offset)
    end = len(text) if start == 0 else min(start + 1, len(text))
    return Loc(source, place.offset + start, place.offset + max(start, end))


def mended(value: Any) -> Any:
    """The value with every lone surrogate replaced by U+FFFD, so that all of it can be written as UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [mended(item) for item in value]
    if isinstance(value, dict):
        return {mended(key): mended(item) for key, item in value.items()}
    return value


def decode(raw: bytes, place: Place, issues: Issues, key: str = "") -> Record | None:
    """One record, or None if its text is malformed and the issues are lenient.

    Raises:
        RequestError: `syntax-error` or `bad-encoding` where the issues are not lenient.
    """
    text = _text(raw, place, issues)
    odd: dict[str, str] = {}

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(items)
        if len(out) != len(items):
            odd["duplicate-key"] = "a key is given twice; the last one was taken"
        return out

    def constant(word: str) -> None:
        odd["bad-encoding"] = f"`{word}` is not JSON; read as null"

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        loc = _loc(place, raw, error.pos)
        issues.malformed(Diagnostic("syntax-error", f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", loc))
        return None
    except (RecursionError, ValueError) as error:
        why = "it nests too deep" if isinstance(error, RecursionError) else str(error).lower()
        issues.malformed(Diagnostic("syntax-error", f"not JSON that can be read: {why}", _loc(place, raw, 0)))
        return None
    if _SURROGATE.search(raw):
        whole = mended(value)
        if whole != value:
            value, odd["bad-encoding"] = whole, "a lone surrogate was read as U+FFFD"
    record = Record(value, place, raw, key)
    for code, message in sorted(odd.items()):
        issues.report(Diagnostic(code, message, record.loc(), severity="warning"))
    return record


def _text(raw: bytes, place: Place, issues: Issues) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        start = len(raw[: error.start].decode("utf-8"))
        issues.malformed(Diagnostic("bad-encoding", "the record is not UTF-8", _loc(place, raw, start)))
        return raw.decode("utf-8", "replace")


def read_lines(stream: BinaryIO, name: str, issues: Issues) -> Iterator[Record]:
    """The records of JSON Lines, one a line; blank lines are no records."""
    offset = 0
    for number, raw in enumerate(stream, 1):
        body = raw.removeprefix(_BOM) if number == 1 else raw
        content = body.strip()
        if content:
            lead = len(body) - len(body.lstrip()) + (len(raw) != len(body))
            record = decode(content, Place(name, number, lead + 1, offset + lead), issues)
            if record is not None:
                yield record
        offset += len(raw) - _continuations(raw)


def _continuations(raw: bytes) -> int:
    """How many bytes of UTF-8 text do not start a code point."""
    return 0 if raw.isascii() else len(raw) - len(raw.decode("utf-8", "replace"))


class _EndError(Exception):
    """The document cannot be read on; ``args`` is not empty if why was already reported."""


class _Scanner:
    """Finds where values end, without reading them; holds no more than one value at a time."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream, self._name = stream, name
        self.buffer = bytearray()
        self.at = 0
        self._seen = 0  # up to where in the buffer lines are counted
        self._line, self._column, self._offset = 1, 1, 0
        if self.more() and self.buffer.startswith(_BOM):
            self.at = len(_BOM)

    def more(self) -> bool:
        """Reads on; the step grows with what is held, so that a long value is read in linear time."""
        chunk = self._stream.read(max(_CHUNK, len(self.buffer)))
        self.buffer += chunk
        return bool(chunk)

    def drop(self) -> None:
        """Forgets what was consumed."""
        if self.at > _CHUNK:
            self.place()
            del self.buffer[: self.at]
            self._seen -= self.at
            self.at = 0

    def place(self) -> Place:
        """The place of the current byte."""
        passed = bytes(self.buffer[self._seen : self.at])
        lines = passed.count(b"\n")
        last = passed[passed.rfind(b"\n") + 1 :] if lines else passed
        width = len(last) - _continuations(last)
        self._line += lines
        self._column = width + 1 if lines else self._column + width
        self._offset += len(passed) - _continuations(passed)
        self._seen = self.at
        return Place(self._name, self._line, self._column, self._offset)

    def peek(self) -> int:
        """The next byte that is not white space, or -1 at the end."""
        while True:
            while self.at < len(self.buffer):
                if self.buffer[self.at] not in _SPACE:
                    return self.buffer[self.at]
                self.at += 1
            self.drop()
            if not self.more():
                return -1

    def _string_end(self, start: int) -> int:
        at = start + 1
        while True:
            at = self.buffer.find(b'"', at)
            if at == -1:
                at = len(self.buffer)
                if not self.more():
                    raise _EndError
                continue
            back = at - 1
            while self.buffer[back] == 0x5C:
                back -= 1
            if (at - back) % 2:
                return at + 1
            at += 1

    def value_end(self) -> int:
        """Where the value at the current byte ends."""
        first = self.buffer[self.at]
        if first == 0x22:
            return self._string_end(self.at)
        if first not in b"{[":
            return self._scalar_end()
        depth, at = 0, self.at
        while True:
            found = _STRUCTURE.search(self.buffer, at)
            if found is None:
                at = len(self.buffer)
                if not self.more():
                    raise _EndError
                continue
            byte, at = self.buffer[found.start()], found.end()
            if byte == 0x22:
                # A search result holds the buffer, which then cannot grow.
                start, found = at - 1, None
                at = self._string_end(start)
                continue
            depth += 1 if byte in b"{[" else -1
            if depth == 0:
                return at

    def _scalar_end(self) -> int:
        at = self.at
        while True:
            found = _SCALAR_END.search(self.buffer, at)
            if found is not None:
                return max(found.start(), self.at + 1)
            at = len(self.buffer)
            if not self.more():
                return at

    def take(self) -> bytes:
        """Consumes the value at the current byte."""
        end = self.value_end()
        raw = bytes(self.buffer[self.at : end])
        self.at = end
        return raw


def read_document(stream: BinaryIO, name: str, issues: Issues, arrays: frozenset[str]) -> Iterator[Record]:
    """The parts of a JSON document, or of several one after the other, without holding the whole.

    A top-level array gives its elements under the key ``""``. A top-level object gives its members under their keys; a
    member named in ``arrays`` that is an array gives its elements under ``KEY[]``. A document that ends too early
    is one malformed record, after which nothing more can be read.
    """
    scanner = _Scanner(stream, name)
    try:
        while scanner.peek() != -1:
            yield from _top(scanner, issues, arrays)
    except _EndError as error:
        if error.args:
            return
        loc = _loc(scanner.place(), bytes(scanner.buffer[scanner.at : scanner.at + _EXCERPT]), 0)
        issues.malformed(Diagnostic("syntax-error", "not JSON: the document ends inside this value", loc))


def _top(scanner: _Scanner, issues: Issues, arrays: frozenset[str]) -> Iterator[Record]:
    first = scanner.peek()
    if first == 0x5B:
        yield from _elements(scanner, issues, "")
    elif first == 0x7B:
        yield from _members(scanner, issues, arrays)
    else:
        record = _one(scanner, issues, "")
        if record is not None:
            yield record


def _one(scanner: _Scanner, issues: Issues, key: str) -> Record | None:
    place = scanner.place()
    record = decode(scanner.take(), place, issues, key)
    scanner.drop()
    return record


def _elements(scanner: _Scanner, issues: Issues, key: str) -> Iterator[Record]:
    scanner.at += 1
    while (byte := scanner.peek()) != 0x5D:
        if byte == -1:
            raise _EndError
        record = _one(scanner, issues, key)
        if record is not None:
            yield record
        _separator(scanner, issues, 0x5D)
    scanner.at += 1


def _members(scanner: _Scanner, issues: Issues, arrays: frozenset[str]) -> Iterator[Record]:
    scanner.at += 1
    while (byte := scanner.peek()) != 0x7D:
        if byte == -1:
            raise _EndError
        name = _one(scanner, issues, "")
        if scanner.peek() != 0x3A or name is None or not isinstance(name.value, str):
            loc = _loc(scanner.place(), bytes(scanner.buffer[scanner.at : scanner.at + _EXCERPT]), 0)
            issues.malformed(Diagnostic("syntax-error", "not JSON: a member needs a name and a colon", loc))
            raise _EndError("reported")
        scanner.at += 1
        if scanner.peek() == 0x5B and name.value in arrays:
            yield from _elements(scanner, issues, f"{name.value}[]")
        elif scanner.peek() == -1:
            raise _EndError
        else:
            record = _one(scanner, issues, name.value)
            if record is not None:
                yield record
        _separator(scanner, issues, 0x7D)
    scanner.at += 1


def _separator(scanner: _Scanner, issues: Issues, closing: int) -> None:
    byte = scanner.peek()
    if byte == 0x2C:
        scanner.at += 1
        if scanner.peek() != closing:
            return
    if byte == 0x2C or byte not in (closing, -1):
        loc = _loc(scanner.place(), bytes(scanner.buffer[scanner.at : scanner.at + _EXCERPT]), 0)
        issues.malformed(Diagnostic("syntax-error", "not JSON: a comma or a closing bracket is missing or spare", loc))
