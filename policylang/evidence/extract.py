"""Extraction: the material assertions of one text and the regions of it that do not count (SPEC §4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from policylang.evidence import bulk
from policylang.evidence import text as texts
from policylang.evidence.extraction import acts, jsondoc, lines, scan, tables
from policylang.evidence.extraction.found import MAX_LINE, Found
from policylang.evidence.model import EMPTY, Assertion, Extraction

MAX_FOUND: Final = 20_000
"""Facts of one text from which the kept ones are chosen; a text with more is `truncated` wherever it stops."""
CAP: Final = 64
"""Material assertions that are kept of one text."""

_ORDER: Final = {"id": 0, "checksum": 1, "version": 2, "state": 3, "write": 4, "boolean": 5, "count": 6}
_REST: Final = 7


def extract(text: str, *, kind: str, reading: bool = False, frame_keys: frozenset[str] = frozenset()) -> Extraction:
    """The material assertions of `text`, by position, and its bulk regions.

    Args:
        text: The span's text.
        kind: The span's kind; a `tool_call` or `pointer` asserts nothing.
        reading: True for the result of a call that only reads (`calls.is_reading`): all bulk but for its exit code.
        frame_keys: Keys of the session's harness frame (`frame_keys`), which do not count.
    """
    if kind in ("tool_call", "pointer") or not text or text.isspace():
        return EMPTY
    if reading:
        # Only a harness's exit code counts; the text itself, often a whole file, need not be normalised for that.
        plain = texts.Normal(text, text)
        return _finish(plain, _exit_codes(text), [(0, len(text))], True, frame_keys, False)
    normal = texts.normalise(text)
    found, regions, whole, cut = _read(normal.text)
    return _finish(normal, found, regions, whole, frame_keys, cut)


def _read(text: str) -> tuple[list[Found], list[tuple[int, int]], bool, bool]:
    documents = jsondoc.documents(text)
    found = [fact for document in documents for fact in document.found]
    cut = any(document.cut for document in documents)
    rest = _without(text, documents)
    if rest.isspace():
        return found, [], False, cut
    regions = _regions(rest)
    if regions:
        found += _frame_exits(rest, regions)
    plain = list(_lines(rest, regions)) if tables.may_hold(rest) else []
    tabled, used = tables.read(plain)
    found += tabled
    for at, line in _candidates(rest, regions):
        if at not in used:
            found += lines.read(line, at)
        if len(found) > MAX_FOUND:
            cut = True
            break
    whole = bool(regions) and not documents and next(_lines(rest, regions), None) is None
    return found, regions, whole, cut


def _without(text: str, documents: list[jsondoc.Document]) -> str:
    """The text with its JSON documents blanked, at the same offsets."""
    if not documents:
        return text
    parts: list[str] = []
    at = 0
    for document in documents:
        parts += (text[at : document.start], " " * (document.end - document.start))
        at = document.end
    return "".join((*parts, text[at:]))


def _regions(text: str) -> list[tuple[int, int]]:
    data = text.encode("utf-8")
    ranges = bulk.regions(data)
    if len(data) == len(text):
        return ranges
    found: list[tuple[int, int]] = []
    at = done = 0
    for start, end in ranges:
        at += len(data[done:start].decode("utf-8"))
        size = len(data[start:end].decode("utf-8"))
        found.append((at, at + size))
        at += size
        done = end
    return found


def _lines(text: str, regions: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Non-blank lines outside the regions, with their offsets."""
    at = 0
    for start, end in [*regions, (len(text), len(text))]:
        while at < start:
            stop = text.find("\n", at, start)
            stop = start if stop < 0 else stop
            line = text[at:stop]
            if line and not line.isspace():
                yield at, line
            at = stop + 1
        at = max(at, end)


def _candidates(text: str, regions: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Lines outside the regions that may hold a fact, with their offsets."""
    data = text.encode("utf-8")
    ascii_only = len(data) == len(text)
    spots = regions if ascii_only else _in_bytes(text, regions)
    at = done = 0
    start = 0
    for stop, after in [*spots, (len(data), len(data))]:
        for begin, end in scan.candidates(data, start, stop):
            line = data[begin:end].decode("utf-8")
            at = begin if ascii_only else at + len(data[done:begin].decode("utf-8"))
            done = begin
            yield at, line
        start = after


def _in_bytes(text: str, regions: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = done = 0
    for start, end in regions:
        begin = at + len(text[done:start].encode("utf-8"))
        at = begin + len(text[start:end].encode("utf-8"))
        done = end
        found.append((begin, at))
    return found


FRAME_LINES: Final = 8
"""Lines at either end of a text in which a harness writes the exit code."""


def _exit_codes(text: str) -> list[Found]:
    """Exit codes of the first and last lines, where a harness writes them."""
    head = 0
    for _ in range(FRAME_LINES):
        head = text.find("\n", head) + 1 or len(text)
    tail = len(text)
    for _ in range(FRAME_LINES + 1):
        tail = max(text.rfind("\n", 0, tail), 0)
    tail = max(head, tail)
    found: list[Found] = []
    for base, part in ((0, text[:head]), (tail, text[tail:])):
        for at, line in _lines(part, []):
            low = line[:MAX_LINE].lower()
            if "code" in low or "exit" in low or "status" in low:
                acts.exits(line[:MAX_LINE], base + at, found)
    return found


def _frame_exits(text: str, regions: list[tuple[int, int]]) -> list[Found]:
    """Exit codes at either end that stand inside a bulk region."""
    return [fact for fact in _exit_codes(text) if any(start <= fact.start < end for start, end in regions)]


def _finish(
    normal: texts.Normal,
    found: list[Found],
    regions: list[tuple[int, int]],
    whole: bool,
    frame: frozenset[str],
    cut: bool,
) -> Extraction:
    kept = [fact for fact in found if fact.key not in frame or fact.type == "exit_code"]
    truncated = cut or len(kept) > CAP
    if len(kept) > CAP:
        kept = sorted(kept, key=lambda fact: (_ORDER.get(fact.type, _REST), fact.start))[:CAP]
    kept.sort(key=lambda fact: (fact.start, fact.end, fact.key))
    original = normal.original
    ranges = tuple((normal.start(start), normal.end(end)) for start, end in regions)
    return Extraction(tuple(_assertion(normal, fact, original) for fact in kept), truncated, whole, ranges)


def _assertion(normal: texts.Normal, fact: Found, original: str) -> Assertion:
    start, end = normal.start(fact.start), normal.end(fact.end)
    return Assertion(
        fact.entity, fact.key, fact.value, fact.type, start, end, original[start:end], fact.polarity, fact.per_call,
        normal.start(fact.key_start),
    )  # fmt: skip
