"""JSON with offsets: every typed leaf under its own key, inside the chain of record ids around it.

The standard parser gives no offsets and stops at a cut-off document, which tools return often; this one reads as far
as the text is JSON. It keeps its own stack, so depth costs memory, not recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from policylang.evidence import keys, values
from policylang.evidence.extraction import acts
from policylang.evidence.extraction.found import Found, typed
from policylang.evidence.lexicon import word_set

_TOKEN: Final = re.compile(r'[ \t\r\n]*+(?:("(?:[^"\\\n]++|\\.)*+")|([{}\[\],:])|([+-]?[0-9A-Za-z_][0-9A-Za-z_.+-]*+))')
_RECORD: Final = frozenset({"id", "uuid", "guid", "key", "name", "slug", "sku", "sha", "arn"})
_TELLING: Final = word_set("result message output content text stdout stderr detail details msg summary response")
MAX_LEAVES: Final = 20_000
"""Leaves of one document that are read; what lies beyond only sets `truncated`."""


class _Frame:
    """An open object or array: the key it stands under and, once seen, the id of the record."""

    __slots__ = ("key", "label", "named", "own", "parent", "rank", "seen_key", "table")

    def __init__(self, parent: _Frame | None, key: str, table: bool) -> None:
        self.parent = parent
        self.key = key
        self.table = table
        self.label: str | None = None
        self.rank = 9
        self.own = -1
        self.seen_key: tuple[str, int] | None = None
        self.named = ""

    def entity(self, leaf: int) -> str | None:
        """The chain of record ids around the leaf that starts at `leaf`, which is not its own entity."""
        chain: list[str] = []
        frame: _Frame | None = self
        while frame is not None and len(chain) < 8:
            label = frame.label if frame.own != leaf else None
            label = label or frame.named or None
            if label and (not chain or chain[-1] != label):
                chain.append(label)
            frame = frame.parent
        return "/".join(reversed(chain)) or None


class _Leaf(NamedTuple):
    frame: _Frame
    key: str
    key_start: int
    raw: str
    start: int


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
    at = 0
    while (mark := _OPENING.search(text, at)) is not None:
        start = mark.end() - 1
        at = mark.end()
        if not looks_like(text, start):
            continue
        document = read(text, start, len(text))
        at = max(at, document.end)
        rest = text[document.end : document.end + 40].partition("\n")[0].strip(" \t\r,;")
        if (document.closed and not rest) or (not document.closed and document.leaves >= 3):
            found.append(document)
    return found


_OPENING: Final = re.compile(r"(?m)^[ \t]*+[\[{]")


def read(text: str, start: int, end: int) -> Document:
    """The document at `start`; its end is `start` where no token could be read."""
    leaves: list[_Leaf] = []
    stop, cut, closed = start, False, False
    for leaf, after, done in _leaves(text, start, end):
        stop, closed = after, done
        if leaf is None:
            continue
        if len(leaves) < MAX_LEAVES:
            leaves.append(leaf)
        else:
            cut = True
    found: list[Found] = []
    for leaf in leaves:
        fact = _fact(leaf)
        if fact is not None:
            found.append(fact)
        elif leaf.raw[0] == '"' and leaf.key in _TELLING:
            found += acts.quoted(leaf.raw[1:-1], leaf.start + 1)
    return Document(found, start, stop, closed, cut, len(leaves))


def _fact(leaf: _Leaf) -> Found | None:
    raw = leaf.raw
    if raw[0] == '"':
        inner = raw[1:-1]
        if not inner or len(inner) > values.MAX_VALUE or "\\" in inner:
            return None
        return typed(leaf.key, inner, leaf.start + 1, leaf.key_start, leaf.frame.entity(leaf.start))
    if raw == "null":
        return None
    return typed(leaf.key, raw, leaf.start, leaf.key_start, leaf.frame.entity(leaf.start))


def _leaves(text: str, start: int, end: int) -> Iterator[tuple[_Leaf | None, int, bool]]:
    """Each scalar with its frame, the offset after it and whether the document is closed; ends where JSON ends."""
    frame: _Frame | None = None
    match = _TOKEN.match
    at = start
    while True:
        token = match(text, at, end)
        if token is None:
            return
        at = token.end()
        mark = token[2]
        if mark is None:
            if frame is None:
                return
            raw, begin = token[token.lastindex or 1], token.start(token.lastindex or 1)
            if frame.table and frame.seen_key is None:
                if raw[0] != '"':
                    return
                frame.seen_key = (raw[1:-1], begin)
                continue
            yield _scalar(frame, raw, begin), at, False
        elif mark in "{[":
            frame = _open(frame, mark)
        elif mark in "}]":
            if frame is None or frame.table != (mark == "}"):
                return
            frame = frame.parent
            if frame is not None and frame.table:
                frame.seen_key = None
            yield None, at, frame is None
            if frame is None:
                return
        elif mark == "," and frame is not None and frame.table:
            frame.seen_key = None


def _open(parent: _Frame | None, mark: str) -> _Frame:
    key = ""
    if parent is not None:
        key = parent.seen_key[0] if parent.table and parent.seen_key else parent.key
    frame = _Frame(parent, key, mark == "{")
    if parent is not None and parent.table and mark == "{" and key:
        kind = values.classify(key)
        if kind is not None and kind[0] in ("id", "checksum", "path", "ip", "version"):
            frame.named = key
    return frame


def _scalar(frame: _Frame, raw: str, begin: int) -> _Leaf:
    key, key_start = frame.seen_key if frame.table and frame.seen_key else (frame.key, begin)
    if frame.table:
        _label(frame, key, raw, begin)
        frame.seen_key = None
    return _Leaf(frame, key, key_start, raw, begin)


def _label(frame: _Frame, key: str, raw: str, begin: int) -> None:
    """Take a scalar as the record's id if it is a better one than what was seen: `id`, `x_id`, `x_number`, `name`."""
    parts = keys.words(key)
    if not parts or len(raw) > 80 or raw in ("null", "true", "false"):
        return
    last = parts[-1]
    if len(parts) == 1 and last in _RECORD:
        rank = 0 if last in ("id", "uuid", "guid", "arn") else 3
    elif last == "id":
        rank = 1
    elif (
        last in ("number", "code", "sha", "key")
        and raw[0] == '"'
        and parts[0] not in ("exit", "status", "error", "zip")
    ):
        rank = 2
    else:
        return
    value = raw.strip('"')
    if rank < frame.rank and value and (rank < 2 or rank == 3 or any(c.isdigit() for c in value)):
        frame.label, frame.rank, frame.own = value, rank, begin + (raw[0] == '"')
        frame.own = begin
