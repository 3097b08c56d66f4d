"""JSON with offsets: every typed leaf under its own key, inside the chain of record ids around it.

The standard parser gives no offsets and stops at a cut-off document, which tools return often; this one reads as far
as the text is JSON. It keeps its own stack, so depth costs memory, not recursion.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Final, NamedTuple

from policylang.evidence import keys, values
from policylang.evidence.extraction import acts
from policylang.evidence.extraction.found import Found, tell
from policylang.evidence.lexicon import word_set

_STRING: Final = r'"(?:[^"\\\n]++|\\.)*+"'
_SCALAR: Final = r"[+-]?[0-9A-Za-z_][0-9A-Za-z_.+-]*+"
_TOKEN: Final = re.compile(rf"[ \t\r\n]*+(?:({_STRING}|{_SCALAR})|(\[++|\]++|[{{}},:]))")
# One match for a whole member is four times as fast as one for each of its tokens.
_MEMBER: Final = re.compile(
    rf"[ \t\r\n]*+({_STRING})[ \t\r\n]*+:[ \t\r\n]*+(?:({_STRING}|{_SCALAR})(?:[ \t\r\n]*+,)?|([{{\[]))"
)
_RECORD: Final = frozenset({"id", "uuid", "guid", "key", "name", "slug", "sku", "sha", "arn"})
_TELLING: Final = word_set("result message output content text stdout stderr detail details msg summary response")
_NO_LABELS: Final = frozenset({"null", "true", "false"})
_UNNAMED: Final = 9
MAX_LEAVES: Final = 20_000
"""Leaves of one document that are read; what lies beyond only sets `truncated`."""
MAX_CHAIN: Final = 8
"""Record ids of an entity, from the leaf outwards."""


class _Frame:
    """An open object, or array with the arrays right inside it: its key and, once seen, the id of the record."""

    __slots__ = (
        "chain",
        "depth",
        "key",
        "key_at",
        "label",
        "member",
        "named",
        "own",
        "parent",
        "rank",
        "table",
        "told",
    )

    def __init__(self, parent: _Frame | None, key: str, table: bool) -> None:
        self.parent = parent
        self.key = key
        self.table = table
        self.depth = 1
        self.label: str | None = None
        self.rank = _UNNAMED
        self.own = -1
        self.member: str | None = None
        self.key_at = 0
        self.named = ""
        self.chain: tuple[str, ...] | None = None
        self.told: str | None = None

    def entity(self, leaf: int) -> str | None:
        """The chain of record ids around the leaf that starts at `leaf`, which is not its own entity."""
        if leaf == self.own:
            return "/".join(reversed(_joined(self.named, self.parent.ids() if self.parent else ()))) or None
        if self.told is None:
            self.told = "/".join(reversed(self.ids()))
        return self.told or None

    def ids(self) -> tuple[str, ...]:
        """The record ids from here outwards; worked out once for a frame, so that depth costs no more than length."""
        frame: _Frame | None = self
        missing: list[_Frame] = []
        while frame is not None and frame.chain is None:
            missing.append(frame)
            frame = frame.parent
        chain = frame.chain if frame is not None and frame.chain is not None else ()
        for inner in reversed(missing):
            inner.chain = chain = _joined(inner.label or inner.named, chain)
        return chain


def _joined(label: str, chain: tuple[str, ...]) -> tuple[str, ...]:
    return chain if not label or chain[:1] == (label,) else (label, *chain[: MAX_CHAIN - 1])


_Leaf = tuple[_Frame, str, int, str, int]
"""Frame, key, offset of the key, value as written, offset of the value."""


def looks_like(text: str, start: int = 0) -> bool:
    """True if a JSON object or array may begin at `start`."""
    head = text[start : start + 200].lstrip()
    if head[:1] == "{":
        return head[1:].lstrip()[:1] in ('"', "}")
    return head[:1] == "[" and head[1:].lstrip()[:1] in ('"', "{", "[", "]", "-", *"0123456789tfn")


class Document(NamedTuple):
    """One JSON document in a text: its facts, where it stands, whether it was closed, whether leaves were left out."""

    found: list[Found]
    start: int
    end: int
    closed: bool
    cut: bool
    leaves: int


def documents(text: str) -> list[Document]:
    """The documents that begin a line, in order: whole ones, and cut-off ones that hold at least three pairs."""
    found: list[Document] = []
    if "{" not in text and "[" not in text:
        return found
    mark = _FIRST.match(text)
    at = 0
    while mark is not None or (mark := _OPENING.search(text, max(at - 1, 0))) is not None:
        start = mark.end() - 1
        at = mark.end()
        mark = None
        if not looks_like(text, start):
            continue
        document = read(text, start, len(text))
        at = max(at, document.end)
        rest = text[document.end : document.end + 40].partition("\n")[0].strip(" \t\r,;")
        if (document.closed and not rest) or (not document.closed and document.leaves >= 3):
            found.append(document)
    return found


# A literal first character lets the search skip as fast as memory allows.
_OPENING: Final = re.compile(r"\n[ \t]*+[\[{]")
_FIRST: Final = re.compile(r"[ \t]*+[\[{]")


def read(text: str, start: int, end: int) -> Document:
    """The document at `start`; its end is `start` where no token could be read."""
    leaves: list[_Leaf] = []
    stop, closed = _leaves(text, start, end, leaves)
    cut = len(leaves) > MAX_LEAVES
    del leaves[MAX_LEAVES:]
    found: list[Found] = []
    for frame, key, key_start, raw, begin in leaves:
        at, inner = begin, raw
        if raw[0] == '"':
            at, inner = begin + 1, raw[1:-1]
            readable = 0 < len(inner) <= values.MAX_VALUE and "\\" not in inner
            told = tell(key, inner) if readable else None
            if told is None and key in _TELLING:
                found += acts.quoted(inner, at)
        else:
            told = tell(key, raw) if raw != "null" else None
        if told is not None:
            name, value, type_, offset, size, named, per_call = told
            at += offset
            entity = frame.entity(begin) or named
            found.append(Found(entity, name, value, type_, at, at + size, key_start, True, per_call))
    return Document(found, start, stop, closed, cut, len(leaves))


def _leaves(text: str, start: int, end: int, leaves: list[_Leaf]) -> tuple[int, bool]:
    """Add each scalar with its frame; the offset after the last scalar or bracket, and whether the document is closed.

    One leaf more than `MAX_LEAVES` is added where there are more.
    """
    frame: _Frame | None = None
    member, match = _MEMBER.match, _TOKEN.match
    at = stop = start
    tried = False
    while True:
        if frame is not None and frame.table and frame.member is None and (pair := member(text, at, end)) is not None:
            key, raw, bracket = pair.groups()
            at = pair.end()
            if bracket is not None:
                frame.member, frame.key_at = key[1:-1], pair.start(1)
                frame = _open(frame, bracket == "{")
                continue
            stop = pair.end(2)
            key = key[1:-1]
            if (rank := _rank(key)) != _UNNAMED:
                _label(frame, rank, raw, pair.start(2))
            leaves.append((frame, key, pair.start(1), raw, pair.start(2)))
        elif (token := match(text, at, end)) is None:
            return stop, False
        else:
            at = token.end()
            raw, mark = token.groups()
            if raw is not None:
                begin = token.start(1)
                if frame is None:
                    return stop, False
                if not frame.table:
                    leaves.append((frame, frame.key, begin, raw, begin))
                elif frame.member is None:
                    if raw[0] != '"':
                        return stop, False
                    frame.member, frame.key_at = raw[1:-1], begin
                    continue
                else:
                    _label(frame, _rank(frame.member), raw, begin)
                    leaves.append((frame, frame.member, frame.key_at, raw, begin))
                    frame.member = None
                stop = at
            elif mark[0] in "[{":
                frame = _open(frame, mark == "{")
                frame.depth = len(mark)
                continue
            elif mark[0] in "]}":
                if frame is None or frame.table != (mark == "}"):
                    return stop, False
                if frame.depth > len(mark):
                    frame.depth -= len(mark)
                    stop = at
                    continue
                at = stop = token.start(2) + frame.depth
                frame = frame.parent
                if frame is None:
                    return stop, True
                frame.member = None
                continue
            else:
                if mark == "," and frame is not None:
                    frame.member = None
                continue
        if len(leaves) > MAX_LEAVES:
            if not tried and (whole := _strict_end(text, start)) is not None:
                return whole, True
            tried = True
            del leaves[MAX_LEAVES + 1 :]


def _strict_end(text: str, start: int) -> int | None:
    """Where a document ends that the standard parser takes, ten times as fast as here; None if it does not."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


_DECODER: Final = json.JSONDecoder()


def _open(parent: _Frame | None, table: bool) -> _Frame:
    if parent is None:
        return _Frame(None, "", table)
    key = parent.key if parent.member is None else parent.member
    frame = _Frame(parent, key, table)
    if table and parent.table and key and _names(key):
        frame.named = key
    return frame


@lru_cache(maxsize=16_384)
def _names(key: str) -> bool:
    """True if a key is itself the id of the record under it."""
    kind = values.classify(key)
    return kind is not None and kind[0] in ("id", "checksum", "path", "ip", "version")


@lru_cache(maxsize=16_384)
def _rank(key: str) -> int:
    """How well a key names its record: `id` 0, `x_id` 1, `x_number` 2, `name` 3; the lower, the better."""
    parts = keys.words(key)
    if not parts:
        return _UNNAMED
    last = parts[-1]
    if len(parts) == 1 and last in _RECORD:
        return 0 if last in ("id", "uuid", "guid", "arn") else 3
    if last == "id":
        return 1
    numbered = last in ("number", "code", "sha", "key") and parts[0] not in ("exit", "status", "error", "zip")
    return 2 if numbered else _UNNAMED


def _label(frame: _Frame, rank: int, raw: str, begin: int) -> None:
    """Take a scalar as the record's id if it is a better one than what was seen."""
    if rank >= frame.rank or len(raw) > 80 or raw in _NO_LABELS:
        return
    value = raw.strip('"')
    # A number or code names a record only as text that holds a digit.
    if value and (rank != 2 or (raw[0] == '"' and any(char.isdigit() for char in value))):
        frame.label, frame.rank, frame.own = value, rank, begin
