"""Extraction the plain way, to hold the fast way to: one token, one line, one window at a time.

Every line outside bulk goes to the readers, nothing is remembered, JSON is read token by token, and each line's window
is counted for itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from policylang.evidence import bulk, keys, values
from policylang.evidence import extract as extraction
from policylang.evidence import text as texts
from policylang.evidence.extraction import acts, jsondoc, lines, scan
from policylang.evidence.extraction.found import Found, typed
from policylang.evidence.model import Extraction
from policylang.regex import compile_pattern

_TOKEN = re.compile(r'[ \t\r\n]*(?:("(?:[^"\\\n]|\\.)*")|([{}\[\],:])|([+-]?[0-9A-Za-z_][0-9A-Za-z_.+-]*))')


def use(patch: pytest.MonkeyPatch) -> Callable[..., Extraction]:
    """Put the plain parts in the place of the fast ones; `extract` as it then is."""
    patch.setattr(scan, "candidates", _candidates)
    patch.setattr(lines, "read", _read_line)
    patch.setattr(jsondoc, "documents", _documents)
    patch.setattr(jsondoc, "read", _read_json)
    patch.setattr(bulk, "_runs", _runs)
    patch.setattr(bulk, "_windows", _windows)
    patch.setattr(texts, "_whole", lambda text: False)
    patch.setattr(texts, "_MARK", texts._BREAK)
    patch.setattr(texts, "_any", lambda parts, low: True)
    patch.setattr(extraction, "_may_exit", lambda low: True)
    return extraction.extract


def _candidates(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    while at < end:
        stop = data.find(b"\n", at, end)
        stop = end if stop < 0 else stop
        if data[at:stop].decode("utf-8").strip():
            yield at, stop
        at = stop + 1


def _read_line(line: str, base: int) -> list[Found]:
    return [
        fact._replace(start=fact.start + base, end=fact.end + base, key_start=fact.key_start + base)
        for fact in lines._read(line)
    ]


_LINES = {diff: compile_pattern(bulk._LINE % (bulk._MINUS if diff else ""), "m") for diff in (False, True)}


def _runs(data: bytes) -> list[tuple[int, int]]:
    pattern = _LINES[bulk._HUNK.search(data) is not None]
    found: list[tuple[int, int]] = []
    at = 0
    for line in data.split(b"\n"):
        if line and pattern.fullmatch(line):
            found.append((at, at + len(line)))
        at += len(line) + 1
    return found


def _windows(rows: list[bytes], flags: bytearray) -> bytearray:
    marked = bytearray(len(rows))
    solid = [index for index, row in enumerate(rows) if row and not row.isspace()]
    shapes = [flags[index] for index in solid]
    for at, index in enumerate(solid):
        before, after = shapes[max(0, at - bulk.REACH) : at], shapes[at + 1 : at + 1 + bulk.REACH]
        window = [*before, shapes[at], *after]
        inside = shapes[at] or (any(before) and any(after))
        marked[index] = 2 * sum(window) >= len(window) and bool(inside)
    return marked


def _documents(text: str) -> list[jsondoc.Document]:
    found = []
    at = 0
    for mark in re.finditer(r"(?m)^[ \t]*[\[{]", text):
        if mark.start() < at or not jsondoc.looks_like(text, mark.end() - 1):
            continue
        document = _read_json(text, mark.end() - 1, len(text))
        at = document.end
        rest = text[document.end : document.end + 40].split("\n")[0].strip(" \t\r,;")
        if (document.closed and not rest) or (not document.closed and document.leaves >= 3):
            found.append(document)
    return found


def _read_json(text: str, start: int, end: int) -> jsondoc.Document:
    """Frames are dicts: kind, key, pending member, label with rank and place, name."""
    stack: list[dict[str, Any]] = []
    leaves: list[tuple[list[dict[str, Any]], str, int, str, int]] = []
    at = stop = start
    closed = False
    while not closed and (token := _TOKEN.match(text, at, end)) is not None:
        at = token.end()
        string, mark, word = token.groups()
        top = stack[-1] if stack else None
        if mark is None:
            raw, begin = string or word, token.start(1 if string else 3)
            if top is None or (top["table"] and top["member"] is None and not string):
                break
            if top["table"] and top["member"] is None:
                top["member"] = (raw[1:-1], begin)
                continue
            key, place = top["member"] if top["table"] else (top["key"], begin)
            if top["table"]:
                _label(top, key, raw, begin)
            top["member"] = None
            leaves.append((list(stack), key, place, raw, begin))
            stop = at
        elif mark in "{[":
            key = "" if top is None else top["member"][0] if top["member"] else top["key"]
            kind = values.classify(key) if key and mark == "{" and top is not None and top["table"] else None
            named = key if kind is not None and kind[0] in ("id", "checksum", "path", "ip", "version") else ""
            stack.append(
                {"table": mark == "{", "key": key, "member": None, "label": None, "rank": 9, "own": -1, "named": named}
            )
        elif mark in "}]":
            if top is None or top["table"] != (mark == "}"):
                break
            stack.pop()
            if stack:
                stack[-1]["member"] = None
            closed, stop = not stack, at
        elif mark == "," and top is not None:
            top["member"] = None
    facts = [fact for leaf in leaves[: jsondoc.MAX_LEAVES] for fact in _facts(*leaf)]
    cut = len(leaves) > jsondoc.MAX_LEAVES
    return jsondoc.Document(facts, start, stop, closed, cut, min(len(leaves), jsondoc.MAX_LEAVES))


def _label(frame: dict[str, Any], key: str, raw: str, begin: int) -> None:
    parts = keys.words(key)
    value = raw.strip('"')
    if not parts or not value or len(raw) > 80 or raw in ("null", "true", "false"):
        return
    if len(parts) == 1 and parts[0] in ("id", "uuid", "guid", "arn"):
        rank = 0
    elif len(parts) == 1 and parts[0] in ("key", "name", "slug", "sku", "sha"):
        rank = 3
    elif parts[-1] == "id":
        rank = 1
    else:
        named = parts[-1] in ("number", "code", "sha", "key") and parts[0] not in ("exit", "status", "error", "zip")
        if not named or raw[0] != '"' or not any(char.isdigit() for char in value):
            return
        rank = 2
    if rank < frame["rank"]:
        frame.update(label=value, rank=rank, own=begin)


def _facts(stack: list[dict[str, Any]], key: str, place: int, raw: str, begin: int) -> list[Found]:
    quoted = raw[0] == '"'
    inner = raw[1:-1] if quoted else raw
    chain: list[str] = []
    for frame in reversed(stack):
        label = (frame["label"] if frame["own"] != begin else None) or frame["named"]
        if label and chain[-1:] != [label] and len(chain) < 8:
            chain.append(label)
    fact = None
    if raw != "null" and inner and not (quoted and (len(inner) > values.MAX_VALUE or "\\" in inner)):
        fact = typed(key, inner, begin + quoted, place, "/".join(reversed(chain)) or None)
    if fact is not None:
        return [fact]
    return acts.quoted(inner, begin + 1) if quoted and key in jsondoc._TELLING else []
