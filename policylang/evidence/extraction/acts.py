"""Acts that tool output confirms, writes aside: exits, HTTP answers, commits, checksums, things made under an id."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from policylang.evidence import keys, values
from policylang.evidence.extraction import nouns, writes
from policylang.evidence.extraction.found import MAX_HITS, Found
from policylang.evidence.lexicon import word_set

EXIT_WORDS: Final = word_set(
    "exit exited code exit_code exitcode returncode return_code exit-code return-code returned terminated status"
)
"""A line without one of these words tells no exit code."""
INTRO_VERBS: Final = word_set(
    "created opened filed started launched submitted registered provisioned allocated acquired generated issued "
    "assigned "
    "scheduled booked queued deployed pushed tagged merged closed cancelled reserved published released"
)
"""Verbs that introduce the thing whose id follows."""
MIGRATING: Final = word_set("applied reverted skipped rolled")
"""First words of the verbs that say what became of a migration that they name."""
MAX_QUOTED: Final = 12
"""Lines of one JSON string that are looked at: acts are told first."""

_EXIT: Final = tuple(
    re.compile("(?i)" + pattern)
    for pattern in (
        r"\b(?:exit(?:ed)?|completed|finished|returned|failed|terminated|exit status)\b[^\n.;]{0,24}?\b(?:code"
        r"|status)\b"
        r"[ :=]{1,3}(-?\d{1,10})\b",
        r"\b(?:exit[ _-]?(?:code|status|value)|return[ _-]?code|exitcode)\b[\"'`]?[ ]?(?::|=|is|of"
        r"|was)?[ ]{0,2}(-?\d{1,10})\b",
        r"<(?:returncode|exit_code|exitcode)>[ ]?(-?\d{1,10})[ ]?</",
        r"\bexited (?:with )?\(?(-?\d{1,10})\)?\s*\Z|\bexited \((-?\d{1,10})\)",
        r"(?:^|[\s\[(])exit(?:[:=] ?| )(-?\d{1,3})(?=[\s\]),;]|\Z)",
        r"\b(?:failed|exited|finished|died|terminated)\b[^\n.;]{0,40}\(code:? (-?\d{1,10})\)",
        r"\bexit status (-?\d{1,10})\b|\breturned (-?\d{1,10}) exit status\b",
    )
)
_HTTP: Final = re.compile(
    r"\bHTTP/[0-9.]{1,3} ([1-5]\d\d)\b|(?i:\bHTTP(?: status| error| code)?(?: code)?:? ([1-5]\d\d)\b"
    r"|\bstatus code:? ([1-5]\d\d)\b|\bawaiting response\.\.\. ([1-5]\d\d)\b|\bresponded with ([1-5]\d\d)\b"
    r"|^status:? ([1-5]\d\d)\s*\Z)"
)
_STATUS: Final = re.compile(r"^[ \t]*+(?:HTTP )?[Ss]tatus(?: ?[Cc]ode)?: ([1-5]\d\d) [A-Z]")
_ON_BRANCH: Final = re.compile(r"^(?:On branch|Switched to (?:a new )?branch|Already on) [\"'`]?([\w./-]++)")
_COMMIT: Final = re.compile(r"^\[(detached HEAD|[\w./-]{1,80})(?: \(root-commit\))? ([0-9a-f]{7,40})\] ")
_HEAD: Final = re.compile(
    r"\bHEAD (?:is now|detached) at ([0-9a-f]{7,40})\b|^(?:commit|Merge made by) ([0-9a-f]{40})\b"
)
_TREES: Final = re.compile(r"(?:\* )?([\w./-]{1,200}) +((?=[0-9a-f]*[0-9])[0-9a-f]{7,40}) (?=[\[(\w])")
"""`git branch -v` and `git worktree list`: the branch or folder is the entity."""
_SUM: Final = re.compile(
    r"^([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}) [ *]([^\s*][^\n]{0,300})\Z"
)
_TAGGED: Final = re.compile(
    r"^(MD5|SHA-?\d{1,3}|SHA[23]-\d{3}|BLAKE2[bs]\d*)[ ]?\(([^()\n]{1,300})\)[ ]?= ([0-9a-f]{32,128})\s*\Z"
)
_SUMS: Final = {32: "md5", 40: "sha1", 64: "sha256", 96: "sha384", 128: "sha512"}
_MIGRATED: Final = re.compile(
    r"(?i)\b(applied|reverted|skipped|rolled back) (?:the )?(migration|patch|changeset"
    r"|release)s? [\"'`]?([\w.-]*\d[\w.-]*)"
)
_INTRO: Final = re.compile(
    r"(?i)\b(?:"
    + "|".join(sorted(INTRO_VERBS))
    + r")\b((?: (?:a|an|the|new|your|our))?(?: [A-Za-z][A-Za-z_-]{1,20}){1,3})"
    r"(?: (?:id|number|no\.?|with id|as))?[: ]{1,2}[\"'`#(]{0,2}([A-Za-z0-9][\w./:-]{0,80})"
)
_BARE_NUMBER: Final = word_set("pr pull issue ticket request mr job run pid port build session order case incident")
_DROP: Final = word_set("a an the new your our id number with as")


def exits(line: str, base: int, found: list[Found]) -> None:
    """Add exit codes, each once."""
    seen = {fact.start for fact in found}
    for pattern in _EXIT:
        for hit in islice(pattern.finditer(line), MAX_HITS):
            group = hit.lastindex or 1
            start, end = base + hit.start(group), base + hit.end(group)
            if "status code" in hit.group().lower() and "100" <= hit[group] < "600" and len(hit[group]) == 3:
                continue  # an answer of HTTP, which is told as such
            if start not in seen and not line[: hit.start() + 1].rstrip().endswith(("||", "&&", ";")):
                seen.add(start)
                found.append(
                    Found(None, "exit_code", hit[group], "exit_code", start, end, base + hit.start(), True, True)
                )


def http(line: str, base: int, found: list[Found]) -> None:
    """Add HTTP status codes: `HTTP/1.1 200 OK`, `Status: 307 Temporary Redirect`."""
    for pattern, key in ((_HTTP, "http_status"), (_STATUS, "status")):
        for hit in islice(pattern.finditer(line), MAX_HITS):
            group = hit.lastindex or 1
            start, end = base + hit.start(group), base + hit.end(group)
            found.append(Found(None, key, hit[group], "http_status", start, end, base + hit.start(), True, True))


def git(line: str, base: int, found: list[Found]) -> None:
    """Add what git says of its branch and commit."""
    if line[0] in "*/":
        listed = _TREES.match(line)
        if listed is not None:
            found.append(
                Found(listed[1], "commit", listed[2], "id", base + listed.start(2), base + listed.end(2), base)
            )
        return
    for pattern, key, type_ in ((_ON_BRANCH, "branch", "enum"), (_COMMIT, "commit", "id"), (_HEAD, "commit", "id")):
        hit = pattern.search(line)
        if hit is not None:
            group = hit.lastindex or 1
            start, end = base + hit.start(group), base + hit.end(group)
            key_start = start if pattern is _COMMIT else base + hit.start()
            found.append(Found(None, key, hit[group], type_, start, end, key_start))


def intros(line: str, base: int, found: list[Found]) -> None:
    """Add the id that a verb introduces: `created ticket OPS-41`, `opened PR 12`."""
    for hit in islice(_INTRO.finditer(line), MAX_HITS):
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


def sums(line: str, base: int, found: list[Found]) -> None:
    """Add what `sha256sum` and its kin print: the path is the entity, the algorithm the key."""
    hit = _SUM.match(line)
    if hit is not None:
        start, end = base, base + hit.end(1)
        entity = hit[2].strip()
        found.append(
            Found(None if entity == "-" else entity, _SUMS[len(hit[1])], hit[1], "checksum", start, end, start)
        )
    hit = _TAGGED.match(line) if "= " in line and line[0] in "MSB" else None
    if hit is not None:
        name = hit[1].lower().replace("sha2-", "sha").replace("-", "")
        found.append(Found(hit[2], name, hit[3], "checksum", base + hit.start(3), base + hit.end(3), base))


def migrations(line: str, base: int, found: list[Found]) -> None:
    """Add "applied migration 0042": the verb is the state, the number the entity."""
    for hit in islice(_MIGRATED.finditer(line), MAX_HITS):
        word, key = hit[1].lower().replace(" ", "_"), keys.normalise(hit[2])
        start, end = base + hit.start(1), base + hit.end(1)
        found.append(Found(hit[3].rstrip(".,"), key, word, "state", start, end, base + hit.start(2)))


def times(line: str, base: int, found: list[Found]) -> None:
    """Add what the shell's `time` prints."""
    hit = _TIMES.match(line)
    kind = values.classify(hit[2], "duration") if hit is not None else None
    if hit is not None and kind is not None:
        start, end = base + hit.start(2), base + hit.end(2)
        found.append(Found(None, f"{hit[1]}_time", kind[1], "duration", start, end, base + hit.start(1), True, True))


_TIMES: Final = re.compile(r"(real|user|sys)\s++((?:\d{1,4}m)?\d{1,5}(?:\.\d{1,4})?s)\s*\Z")


def quoted(raw: str, base: int) -> list[Found]:
    """Writes and exit codes told inside a JSON string, line by line between its `\\n` escapes."""
    found: list[Found] = []
    at = 0
    for _ in range(MAX_QUOTED):
        stop = raw.find("\\n", at, at + 600)
        part = raw[at : stop if stop >= 0 else at + 600]
        exits(part, base + at, found)
        writes.read(part, base + at, found)
        writes.listed(part, base + at, found)
        if stop < 0:
            return found
        at = stop + 2
    return found
