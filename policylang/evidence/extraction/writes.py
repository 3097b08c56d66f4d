"""Confirmed writes: "wrote 812 bytes to deploy/app.yaml", "File created at: /x/y", "The file X has been updated"."""

from __future__ import annotations

import re
from typing import Final

from policylang.evidence.extraction.found import Found
from policylang.evidence.lexicon import word_set

VERBS: Final = word_set(
    "wrote written writing saved saving exported dumped copied moved rendered downloaded uploaded generated "
    "emitted output "
    "created updated edited modified patched overwrote overwritten rewrote appended replaced inserted stored applied"
)
"""A line without one of these words confirms no write (`A path` and `M path` of a patch list aside)."""

_PATH = r"[\"'`*]{0,3}([\w.@+\[\]()$:\\/~-]++)[\"'`*]{0,3}"
_VOLUME = r"(?: [\d,.]+ ?(?:bytes|characters|chars|lines|[kmg]i?b|rows|records|entries|files))?"
_MADE = r"(?:created|written|saved|updated|edited|overwritten|modified)"
_PATTERNS: Final = (
    r"[‘'\"]([\w.@+\[\]()$:/~-]++)[’'\"] saved \[",
    r"\b(?:saved|wrote|exported|uploaded|downloaded|copied|moved|rendered)(?: [\w.-]{1,24}){1,3} (?:to|into) " + _PATH,
    r"\b(?:wrote|written|writing|saved|saving|exported|dumped|copied|moved|rendered|downloaded|uploaded|generated"
    rf"|emitted|output)\b(?: successfully)?{_VOLUME}(?: (?:to|into|at|in|as))?(?: (?:the )?(?:file|path))?:? " + _PATH,
    rf"\bfile (?:was |has been )?(?:successfully )?{_MADE}(?: successfully)?(?: (?:at|to|in))?:? " + _PATH,
    rf"\b(?:the )?file:? {_PATH} (?:(?:has been|was|is) )?(?:successfully |now )?{_MADE}\b",
    r"\b(?:replaced|inserted|changed|edited|applied|made|deleted|added) \d+ [\w()]+(?: \w+)? (?:in|to|into) " + _PATH,
    r"^\W{0,4}(?:successfully )?(?:created and wrote to(?: new)?|created|updated|edited|modified|patched"
    r"|overwrote|rewrote"
    r"|appended to|replaced text in|replaced|wrote to|inserted text in)(?: (?:the |new |a )?(?:file|symlink|link"
    r"|directory"
    rf"|folder|config|text in|content in|lines? in))?:? {_PATH}(?=[\s.,;:(]|\Z)",
    r"\b(?:successfully )?(?:replaced text in|applied (?:edit|patch|changes) to|(?:report|output|log|results?"
    r"|artifact|file"
    r"|snapshot|coverage) (?:was |has been )?(?:saved|written|exported|stored)(?: in| to| at)?):? " + _PATH,
    rf"^{_PATH} (?:written|saved|created|updated)\b(?! by)",
    r"\b(?:saved|wrote|written|exported|generated|created)(?: [\w-]{1,24}){0,2}:[ ]" + _PATH + r"(?=\s|\Z|[,;(])",
    r"\b(?:saved|wrote|written|exported|stored)\b[^\n:/]{0,60}? (?:to|into|in|as|at) " + _PATH + r"(?=[\s.,;:(]|\Z)",
)
_WROTE: Final = tuple(re.compile("(?i)" + pattern) for pattern in _PATTERNS)
_BARE_PATH: Final = next(at for at, pattern in enumerate(_PATTERNS) if pattern.startswith("^" + _PATH))
_LISTED: Final = re.compile(r"^[AM] ([\w.@+\[\]()$/~-]++)\Z")
_TAIL: Final = re.compile(r"[\w@+-]*+(?:\.[\w+-]++)*?\.[A-Za-z][A-Za-z0-9]{0,9}")


def read(line: str, base: int, found: list[Found]) -> None:
    """Add the write that the line confirms: key `write`, value the path as written."""
    for pattern in _WROTE:
        hit = pattern.search(line)
        if hit is not None and _add(hit, base, found):
            return


def listed(line: str, base: int, found: list[Found]) -> None:
    """Add the write that a line of a patch's list confirms: `M src/app.py`."""
    hit = _LISTED.match(line)
    if hit is not None:
        _add(hit, base, found)


def _add(hit: re.Match[str], base: int, found: list[Found]) -> bool:
    path = hit[1].rstrip(".,;:)")
    if len(path) > 400 or not _is_path(path):
        return False
    if (
        hit.start() == 0
        and hit.re is _WROTE[_BARE_PATH]
        and path[0] not in "/~"
        and not _TAIL.fullmatch(path.rsplit("/", 1)[-1])
    ):
        return False  # `deployment.apps/web created` names a thing of a cluster
    start = base + hit.start(1)
    found.append(Found(None, "write", path, "write", start, start + len(path), base + hit.start()))
    return True


def _is_path(path: str) -> bool:
    if not path or path.isdigit() or "://" in path:
        return False
    if "\\" in path or ":" in path[2:]:
        return path[1:3] == ":\\"
    if "/" in path.strip("/") or path[0] in "/~":
        return True
    return any(char.isalpha() for char in path) and bool(_TAIL.fullmatch(path))
