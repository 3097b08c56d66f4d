"""Extraction: the material assertions of one text and the regions of it that do not count (SPEC §4)."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Final

from policylang.evidence import bulk
from policylang.evidence import text as texts
from policylang.evidence.extraction import acts, jsondoc, lines, literals, scan, tables
from policylang.evidence.extraction.found import MAX_LINE, Found
from policylang.evidence.model import EMPTY, Assertion, Extraction

MAX_FOUND: Final = 20_000
"""Facts of one text from which the kept ones are chosen; a text with more is `truncated` wherever it stops."""
MAX_READ: Final = 1_000_000
"""Characters of lines of one text that readers see; a text with more is `truncated`. Real results stay far below."""
CAP: Final = 64
"""Material assertions that are kept of one text."""

_ORDER: Final = {"id": 0, "checksum": 1, "version": 2, "state": 3, "write": 4, "boolean": 5, "count": 6}
_REST: Final = 7
_position: Final = attrgetter("start", "end", "key")


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
    printed = sorted((*literals.documents(rest), *tables.results(rest)), key=lambda document: document.start)
    if printed:
        found += [fact for document in printed for fact in document.found]
        rest = _without(rest, printed)
        documents += printed
    if rest.isspace():
        return found, [], False, cut
    data = rest.encode("utf-8")
    spots = bulk.regions(data)
    regions = spots if len(data) == len(rest) else _in_text(data, spots)
    if regions:
        found += _frame_exits(rest, regions)
    plain = list(_lines(rest, regions)) if tables.may_hold(rest) else []
    tabled, used = tables.read(plain)
    found += tabled
    seen = 0
    for at, line in _candidates(data, spots, len(data) == len(rest)):
        if at not in used:
            found += lines.read(line, at)
        seen += min(len(line), MAX_LINE)
        if len(found) > MAX_FOUND or seen > MAX_READ:
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


def _in_text(data: bytes, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of bytes as ranges of code points."""
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


def _candidates(data: bytes, spots: list[tuple[int, int]], ascii_only: bool) -> Iterator[tuple[int, str]]:
    """Lines outside the bulk ranges that may hold a fact, with their offsets in code points."""
    at = done = start = 0
    for stop, after in [*spots, (len(data), len(data))]:
        for begin, end in scan.candidates(data, start, stop):
            at = begin if ascii_only else at + len(data[done:begin].decode("utf-8"))
            done = begin
            yield at, data[begin:end].decode("utf-8")
        start = after


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
        if not _may_exit(part.lower()):
            continue
        for at, line in _lines(part, []):
            if _may_exit(line[:MAX_LINE].lower()):
                acts.exits(line[:MAX_LINE], base + at, found)
    return found


def _may_exit(low: str) -> bool:
    return "code" in low or "exit" in low or "status" in low


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
    if not found:
        return Extraction((), cut, whole, _ranges(normal, regions))
    kept = [fact for fact in found if fact.key not in frame or fact.type in ("exit_code", "write")]
    truncated = cut or len(kept) > CAP
    if len(kept) > CAP:
        kept = sorted(kept, key=lambda fact: (_ORDER.get(fact.type, _REST), fact.start))[:CAP]
    kept.sort(key=_position)
    return Extraction(tuple([_assertion(normal, fact) for fact in kept]), truncated, whole, _ranges(normal, regions))


def _ranges(normal: texts.Normal, regions: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    if not normal.starts:
        return tuple(regions)
    return tuple([(normal.start(start), normal.end(end)) for start, end in regions])


def _assertion(normal: texts.Normal, fact: Found) -> Assertion:
    entity, key, value, type_, start, end, key_start, polarity, per_call = fact
    if normal.starts:
        start, end, key_start = normal.start(start), normal.end(end), normal.start(key_start)
    raw = normal.original[start:end]
    return Assertion(entity, key, value, type_, start, end, raw, polarity, per_call, key_start)
