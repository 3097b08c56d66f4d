"""Acts that tool output confirms: writes, exits, commits, test totals, things created under an id."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from policylang.evidence import keys, values
from policylang.evidence.extraction import neighbours, nouns
from policylang.evidence.extraction.found import Found
from policylang.evidence.lexicon import word_set

_PATH = r"[\"'`*]{0,3}([\w.@+\[\]()$:\\/~-]++)[\"'`*]{0,3}"

_EXIT: Final = (
    re.compile(
        r"(?i)\b(?:exit(?:ed)?|completed|finished|returned|failed|terminated|exit status)\b[^\n.;]{0,24}?\b(?:code|status)\b[ :=]{1,3}(-?\d{1,10})\b"
    ),
    re.compile(
        r"(?i)\b(?:exit[ _-]?(?:code|status|value)|return[ _-]?code|exitcode)\b[\"'`]?[ ]?(?::|=|is|was)?[ ]{0,2}(-?\d{1,10})\b"
    ),
    re.compile(r"(?i)<(?:returncode|exit_code|exitcode)>[ ]?(-?\d{1,10})[ ]?</"),
    re.compile(r"(?i)\bexited (?:with )?\(?(-?\d{1,10})\)?\s*\Z"),
    re.compile(r"(?i)\bexit status (-?\d{1,10})\b"),
)
_HTTP: Final = re.compile(
    r"\bHTTP/[0-9.]{1,3} ([1-5]\d\d)\b|(?i:\bHTTP(?: status| error| code)?(?: code)?:? ([1-5]\d\d)\b|\bstatus code:? ([1-5]\d\d)\b|\bresponded with ([1-5]\d\d)\b)"
)
_STATUS: Final = re.compile(r"^[ \t]*+(?:HTTP )?[Ss]tatus(?: ?[Cc]ode)?: ([1-5]\d\d) [A-Z]")
_ON_BRANCH: Final = re.compile(r"^(?:On branch|Switched to (?:a new )?branch|Already on) [\"'`]?([\w./-]++)")
_SUM: Final = re.compile(
    r"^([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}) [ *]([^\s*][^\n]{0,300})\Z"
)
_SUMS: Final = {32: "md5", 40: "sha1", 64: "sha256", 96: "sha384", 128: "sha512"}
_MIGRATED: Final = re.compile(
    r"(?i)\b(applied|reverted|skipped|rolled back) (?:the )?(migration|patch|changeset|release)s? [\"'`]?(\d[\w.-]*|[\w.-]*\d[\w.-]*)"
)
_PATCHED: Final = re.compile(r"^[AM] ([\w.@+\[\]()$/~-]++)\Z")
_COMMIT: Final = re.compile(r"^\[([\w./-]{1,80})(?: \(root-commit\))? ([0-9a-f]{7,40})\] ")
_HEAD: Final = re.compile(r"\bHEAD is now at ([0-9a-f]{7,40})\b|^(?:commit|Merge made by) ([0-9a-f]{40})\b")
_WROTE: Final = (
    re.compile(
        r"(?i)\b(?:saved|wrote|exported|uploaded|downloaded|copied|moved|rendered)(?: [\w.-]{1,24}){1,3} (?:to|into) "
        + _PATH
    ),
    re.compile(
        r"(?i)\b(?:wrote|written|writing|saved|saving|exported|dumped|copied|moved|rendered|downloaded|uploaded|generated|emitted|output)\b(?: successfully)?(?: [\d,.]+ ?(?:bytes|characters|chars|lines|[kmg]i?b|rows|records|entries|files))?(?: (?:to|into|at|in|as))?(?: (?:the )?(?:file|path))?:? "
        + _PATH
    ),
    re.compile(
        r"(?i)\bfile (?:was |has been )?(?:successfully )?(?:created|written|saved|updated|edited|overwritten|modified)(?: successfully)?(?: (?:at|to|in))?:? "
        + _PATH
    ),
    re.compile(
        r"(?i)\b(?:the )?file:? "
        + _PATH
        + r" (?:has been|was|is)(?: successfully| now)? (?:updated|created|edited|written|saved|modified|overwritten)\b"
    ),
    re.compile(
        r"(?i)^\W{0,4}(?:successfully )?(?:created and wrote to(?: new)?|created|updated|edited|modified|patched|overwrote|rewrote|appended to|replaced text in|replaced|wrote to|inserted text in)(?: (?:the |new |a )?(?:file|symlink|link|directory|folder|config|text in|content in|lines? in))?:? "
        + _PATH
        + r"(?=[\s.,;:(]|\Z)"
    ),
    re.compile(
        r"(?i)\b(?:successfully )?(?:replaced text in|applied (?:edit|patch|changes) to|(?:report|output|log|results?|artifact|file|snapshot|coverage) (?:was |has been )?(?:saved|written|exported|stored)(?: in| to| at)?):? "
        + _PATH
    ),
    re.compile(r"^" + _PATH + r" (?:written|saved|created|updated)\b"),
)
_INTRO: Final = re.compile(
    r"(?i)\b(?:created|opened|filed|started|launched|submitted|registered|provisioned|allocated|acquired|generated|issued"
    r"|assigned|scheduled|booked|queued|deployed|pushed|tagged|merged|closed|cancelled|reserved|published|released)\b"
    r"((?: (?:a|an|the|new|your|our))?(?: [A-Za-z][A-Za-z_-]{1,20}){1,3})(?: (?:id|number|no\.?|with id|as))?[: ]{1,2}[\"'`#(]{0,2}([A-Za-z0-9][\w./:-]{0,80})"
)
_BARE_NUMBER: Final = word_set("pr pull issue ticket request mr job run pid port build session order case incident")


def read(line: str, base: int) -> list[Found]:
    """Facts of the acts that one line confirms; `base` is the line's offset in the text."""
    found: list[Found] = []
    for reader in _READERS:
        reader(line, base, found)
    return found


def _exits(line: str, base: int, found: list[Found]) -> None:
    for pattern in _EXIT:
        for hit in pattern.finditer(line):
            if not any(fact.start == base + hit.start(1) for fact in found):
                found.append(
                    Found(None, "exit_code", hit[1], "exit_code", base + hit.start(1), base + hit.end(1),
                          base + hit.start(), True, True)
                )  # fmt: skip


def _http(line: str, base: int, found: list[Found]) -> None:
    for hit in (*_HTTP.finditer(line), *_STATUS.finditer(line)):
        group = hit.lastindex or 1
        found.append(
            Found(None, "status" if hit.re is _STATUS else "http_status", hit[group], "http_status", base + hit.start(group), base + hit.end(group),
                  base + hit.start(), True, True)
        )  # fmt: skip


def _git(line: str, base: int, found: list[Found]) -> None:
    branch = _ON_BRANCH.match(line)
    if branch is not None:
        found.append(
            Found(
                None, "branch", branch[1], "enum", base + branch.start(1), base + branch.end(1), base + branch.start()
            )
        )
    hit = _COMMIT.match(line)
    if hit is not None:
        found.append(Found(None, "commit", hit[2], "id", base + hit.start(2), base + hit.end(2), base + hit.start(2)))
        return
    head = _HEAD.search(line)
    if head is not None:
        group = head.lastindex or 1
        start, end = base + head.start(group), base + head.end(group)
        found.append(Found(None, "commit", head[group], "id", start, end, base + head.start()))


def _writes(line: str, base: int, found: list[Found]) -> None:
    for pattern in (*_WROTE, _PATCHED):
        hit = pattern.search(line)
        if hit is None:
            continue
        path = hit[1].rstrip(".,;:)")
        if len(path) > 400 or not _is_path(path):
            continue
        start = base + hit.start(1)
        found.append(Found(None, "write", path, "write", start, start + len(path), base + hit.start()))
        return


def _sums(line: str, base: int, found: list[Found]) -> None:
    """What `sha256sum` and its kin print, and "applied migration 0042", whose verb is the state."""
    hit = _SUM.match(line)
    if hit is not None:
        start, end = base, base + hit.end(1)
        found.append(Found(hit[2].strip(), _SUMS[len(hit[1])], hit[1], "checksum", start, end, start))
    for hit in _MIGRATED.finditer(line):
        word, key = hit[1].lower().replace(" ", "_"), keys.normalise(hit[2])
        start, end = base + hit.start(1), base + hit.end(1)
        found.append(Found(hit[3].rstrip(".,"), key, word, "state", start, end, base + hit.start(2)))


def quoted(raw: str, base: int) -> list[Found]:
    """Writes and exit codes told inside a JSON string, line by line between its `\\n` escapes."""
    found: list[Found] = []
    at = 0
    for _ in range(MAX_QUOTED):
        stop = raw.find("\\n", at, at + 600)
        part = raw[at : stop if stop >= 0 else at + 600]
        _exits(part, base + at, found)
        _writes(part, base + at, found)
        if stop < 0:
            return found
        at = stop + 2
    return found


MAX_QUOTED: Final = 12
"""Lines of one JSON string that are looked at: acts are told first."""


def _is_path(path: str) -> bool:
    if path.isdigit():
        return False
    if "://" in path or "\\" in path or ":" in path[2:]:
        return path[1:3] == ":\\"
    tail = path.rsplit("/", 1)[-1]
    return "/" in path.strip("/") or path[0] in "/~" or bool(_TAIL.fullmatch(tail))


_TAIL: Final = re.compile(r"(?=.*[A-Za-z])[\w@+-]*+(?:\.[\w+-]++)*?\.[A-Za-z][A-Za-z0-9]{0,9}")


def _intros(line: str, base: int, found: list[Found]) -> None:
    for hit in _INTRO.finditer(line):
        noun, raw = hit[1].strip(), hit[2].rstrip(".,;:)")
        parts = [part for part in noun.split() if part.lower() not in _DROP]
        if not parts or any(nouns.is_stop(part.lower()) for part in parts):
            continue
        kind = values.classify(raw, None)
        plain = raw.isdigit() and parts[0].lower() in _BARE_NUMBER
        if plain or (kind is not None and kind[0] == "id"):
            start = base + hit.start(2)
            value = raw if plain or kind is None else kind[1]
            name = keys.normalise(" ".join(parts))
            found.append(Found(None, name, value, "id", start, start + len(raw), base + hit.start(1)))


_DROP: Final = word_set("a an the new your our id number with as")

_READERS: Final[tuple[Callable[[str, int, list[Found]], None], ...]] = (
    _exits,
    _http,
    _git,
    neighbours.counts,
    _writes,
    _sums,
    _intros,
)
