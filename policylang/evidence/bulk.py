"""Which lines of a text are bulk: source code, markup, diff, numbered lines, search hits, listings (SPEC §4).

Lines are told by shape with one linear scan that returns runs of like lines, so that a file of code costs a handful of
matches; then windows of ± 4 non-blank lines decide what belongs to a block.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, compress
from typing import Final

from policylang.evidence.lexicon import word_set
from policylang.evidence.model import Extraction
from policylang.regex import compile_pattern, compile_search

REACH: Final = 4
"""Non-blank lines on each side of the line that is judged."""

_NUMBERED = r"[ \t]*\d{1,7}(?:[ \t]*(?:→|│|\|)|\t|:(?:[^\d\n]|$)|-[^\d\n])[^\n]*"
_HITS = r"(?:[\w@~+./\\\[\]-]*[/\\])?[\w@+.-]*\.[A-Za-z]\w{0,9}(?::\d+(?:[:\s]|$)|-\d+-|\(\d+,\d+\))[^\n]*"
_LISTING = (
    r"[-dlbcps][rwxsStT-]{9}[@.+]?[ \t][^\n]*|total \d+|[│ \t]*(?:├|└)─[^\n]*|│[ \t]*|[d-][-arhsl]{4,5}[ \t][^\n]*"
    r"|\.?/?[\w@.+~-]*/[\w@.+/()\[\]~-]*[*/@]?|[\w@+-]+\.[a-z]{1,5}[*@]?|[A-Za-z]:\\[^\s:]*"
)
_KEYWORD = (
    r"(?:import [\w{*\"']|from [\w.@/'\"-]+ import|def \w|class \w+[ (:{]|function[ *(]|return\b|if ?\(|for ?\("
    r"|while ?\("
    r"|(?:const|let|var|public|private|protected|static|export|async|await|type|interface|mut|local) [^\n]*[({=;]"
    r"|elif |else:|else ?\{|try:|try ?\{|except\b|finally:|#include|#define|pub |fn \w|impl\b|struct \w+ ?[{;(]"
    r"|enum \w+ ?\{|@\w[\w.]*(?:\(|[ \t\r]*$)|//|/\*|\*/|#!\[?|#\[|raise |throw |yield |with \w.*:$|assert\b|print\("
    r"|console\."
    r"|self\."
    r"|this\.|\"{3}|'{3}|case .*:$|switch ?\(|match .*\{|do \{|end$|fi$|done$|esac$|if .*:$|for .* in .*:$|if \[|then$"
    r"|echo |unsafe |void |int \w+[ =;(]|char \w|ulong |undefined\d)[^\n]*"
)
_CODE = (
    rf"[ \t]*{_KEYWORD}"
    r"|[^\n]*(?:;|\{|\}|\}\)|\);|=>|\},|\],|\),|\(|\[|\\)[ \t\r]*"
    r"|[ \t]*[\w.]+(?:\[[^\n\]]*\])? ?(?:[+*/|&-]?=) ?[\w.]+[(\[{][^\n]*|[+-]?[ \t]+\w+=[^\s,=]+,[ \t\r]*"
    r"|[ \t]*[\w.]+ = (?:None|null|nil|undefined"
    r"|\[\]|\{\})[ \t\r]*|[ \t]*[\w.]+\([^\n]*\)[ \t\r]*"
)
_MARKUP = (
    r"[ \t]*</?[A-Za-z!?][^\n]*|[ \t]*(?:/>|-->|>)[ \t\r]*|[ \t]+[\w-]+=[\"{'][^\n]*|[ \t]*[\w-]+: [^;\n]*;[ \t\r]*"
)
_DIFF = r"(?:diff --git |index [0-9a-f]{6,}\.\.|@@ |--- [\w/]|\+\+\+ [\w/]|[+-] *\d+: |\+)[^\n]*"
_MINUS = r"|-[^\n]*"

_LINE: Final = rf"(?:{_NUMBERED}|{_HITS}|{_LISTING}|{_CODE}|{_MARKUP}|{_DIFF}%s)"
_RUN: Final = r"(?:^%s(?:\n|\z)(?:[ \t\r]*\n)*)+"
_RUNS: Final = compile_search(_RUN % (_LINE % ""), "m")
_DIFF_RUNS: Final = compile_search(_RUN % (_LINE % _MINUS), "m")
_HUNK: Final = compile_pattern(r"^(?:@@ .* @@|diff --git )|^```diff", "m")
_FENCE: Final = compile_pattern(r"^[ \t]*(?:```|~~~)[ \t]*([\w+#-]*)[^\n]*$", "m")
# Rows of a Markdown table, lines that end in a JSON object, and the tags that harnesses put around an exit code or
# an output.
_PLAIN: Final = compile_pattern(
    r"^[ \t]*\|[^\n]*\|[ \t\r]*$|^[^\n]*\{(?:[\"']| ?:?\w+(?:: |=>))[^\n;]*\}[)\]]*[ \t\r]*$"
    # Objects that a program printed, and installed packages marked with a plus.
    r"|^<Response \[\d[^\n]*$|^(?:[\w .]{1,40}: ?)?(?:[a-z_]\w*\.)*(?:[A-Z]\w*|namespace)\((?:[a-z_]\w*=[^=\n]"
    r"|\[\()[^\n]*\)[ \t\r]*$"
    r"|^(?:[│|`+ \t]*(?:├|└|\+-|`-)[─┬-]*) @?[\w./-]+@\d[^\n]*$|^ ?\+ [@\w./-]+(?:@|==)\d[\w.+-]*[ \t\r]*$|^[+"
    r"|][-+]+[+|][ \t\r]*$"
    r"|^[ \t]*</?(?:returncode|exit_?code|status|state|phase|output|stdout|stderr|error|result|system)\b[^\n]*$",
    "m",
)
_DATA: Final = word_set("json jsonc yaml yml toml ini text txt console output log csv env properties")


def regions(data: bytes) -> list[tuple[int, int]]:
    """Half-open byte ranges of UTF-8 text that are bulk: whole lines, sorted, not overlapping."""
    spans = _runs(data)
    fences = _fences(data) if b"```" in data or b"~~~" in data else []
    if not spans and not fences:
        return []
    lines = data.split(b"\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    flags = bytearray(len(lines))
    for start, end in spans:
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, max(start, end - 1)) - 1
        flags[first : last + 1] = b"\x01" * (last + 1 - first)
    for found in _PLAIN.finditer(data):
        flags[bisect_right(starts, found.start()) - 1] = 0
    marked = _windows(lines, flags)
    _apply_fences(fences, starts, lines, flags, marked)
    return _ranges(marked, starts, len(data))


def _runs(data: bytes) -> list[tuple[int, int]]:
    """Runs of lines that have the shape, as half-open ranges."""
    hunks = (b"@@ " in data or b"diff" in data) and _HUNK.search(data) is not None
    search = _DIFF_RUNS if hunks else _RUNS
    found: list[tuple[int, int]] = []
    at, size = 0, len(data)
    while at < size:
        start, end = search(data, at, size)
        if start < 0:
            break
        if end > start:
            found.append((start, end))
        at = max(end, start + 1)
    return found


def _windows(lines: list[bytes], flags: bytearray) -> bytearray:
    """Lines whose window of non-blank lines is at least half bulk-shaped; one without the shape only inside a block."""
    solid = list(compress(range(len(lines)), lines))
    if any(line.isspace() for line in lines):
        solid = [index for index in solid if not lines[index].isspace()]
    marked = bytearray(len(lines))
    shaped = bytes(map(flags.__getitem__, solid))
    count = len(solid)
    start = shaped.find(1)
    done = 0
    while start >= 0:
        end = shaped.find(0, start)
        end = count if end < 0 else end
        # Five lines in a row are at least half of any window around one of them.
        sure = end - start > REACH
        for at in range(max(done, start - REACH), start if sure else min(end + REACH, count)):
            _judge(at, solid, shaped, marked)
        if sure:
            for index in solid[start:end]:
                marked[index] = 1
            for at in range(end, min(end + REACH, count)):
                _judge(at, solid, shaped, marked)
        done = min(end + REACH, count)
        start = shaped.find(1, end)
    return marked


def _judge(at: int, solid: list[int], shaped: bytes, marked: bytearray) -> None:
    low, high = max(0, at - REACH), min(len(solid), at + REACH + 1)
    if 2 * shaped.count(1, low, high) < high - low:
        return
    if shaped[at] or (shaped.find(1, low, at) >= 0 and shaped.find(1, at + 1, high) >= 0):
        marked[solid[at]] = 1


def _fences(data: bytes) -> list[tuple[int, int, bytes]]:
    """Fenced blocks as (offset of the opening line, offset of the closing line, language)."""
    found: list[tuple[int, int, bytes]] = []
    opened: tuple[int, bytes] | None = None
    for mark in _FENCE.finditer(data):
        if opened is None:
            opened = (mark.start(), bytes(mark.group(1)).lower())
        else:
            found.append((opened[0], mark.start(), opened[1]))
            opened = None
    return found


def _apply_fences(
    fences: list[tuple[int, int, bytes]], starts: list[int], lines: list[bytes], flags: bytearray, marked: bytearray
) -> None:
    """A fence is judged as one block: bulk if its language is code or half of its lines are, else not at all."""
    for opening, closing, language in fences:
        first, last = bisect_right(starts, opening) - 1, bisect_right(starts, closing) - 1
        inside = [index for index in range(first + 1, last) if lines[index] and not lines[index].isspace()]
        shaped = sum(flags[index] for index in inside)
        code = bool(language) and language.decode() not in _DATA
        verdict = code or (
            bool(inside) and 2 * shaped >= len(inside) and language.decode() not in ("json", "yaml", "yml")
        )
        marked[first : last + 1] = bytes([verdict]) * (last + 1 - first)


def _ranges(marked: bytearray, starts: list[int], size: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = marked.find(1)
    while at >= 0:
        end = marked.find(0, at)
        end = len(marked) if end < 0 else end
        found.append((starts[at], min(starts[end], size)))
        at = marked.find(1, end)
    return found


_NO_FRAME: Final = frozenset({"exit_code", "write"})


def frame_keys(extractions: Sequence[Extraction], texts: Sequence[str]) -> frozenset[str]:
    """Keys that the harness writes around results: in the first 6 or last 4 lines of ≥ 25 %, at least 8, state spans.

    An exit code is none, and neither is a write confirmation, though a harness words it alike each time ("File created
    successfully at …"): what it says is what the span is for. Nor are the leaves of JSON documents, which are the
    answers of one API, not a frame around them.

    Args:
        extractions: Of each of a session's state spans, made without frame keys.
        texts: The same spans' texts.
    """
    counts: dict[str, int] = {}
    for extraction, text in zip(extractions, texts, strict=True):
        head, tail = _edges(text)
        facts = (fact for fact in extraction.assertions if fact.type not in _NO_FRAME)
        framing = (fact for fact in facts if text[fact.key_start : fact.key_start + 1] != '"')
        for key in sorted({fact.key for fact in framing if fact.key_start < head or fact.key_start >= tail}):
            counts[key] = counts.get(key, 0) + 1
    return frozenset(key for key, count in counts.items() if count >= 8 and 4 * count >= len(texts))


def _edges(text: str) -> tuple[int, int]:
    """Offsets past the first 6 lines and at the last 4; all of a text that has no more."""
    head = -1
    for _ in range(6):
        head = text.find("\n", head + 1)
        if head < 0:
            return len(text), 0
    tail = len(text.rstrip("\n"))
    for _ in range(4):
        tail = text.rfind("\n", 0, tail)
        if tail < 0:
            return len(text), 0
    return head, tail
