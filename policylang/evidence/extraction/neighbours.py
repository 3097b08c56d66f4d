"""Values that need no separator: `python 3.12.3`, `commit 3f9ac1d`, `flight HAT290`, `in 0.30s`, `9 workers`."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from policylang.evidence import keys, values
from policylang.evidence.extraction import nouns
from policylang.evidence.extraction.found import MAX_HITS, Found, typed
from policylang.evidence.lexicon import COUNTED, DONE, PRODUCTS, RUN_TOTALS, word_set

_TAKERS: Final = (
    "version|build|commit|revision|sha|sha256|checksum|digest|id|uuid|pid|port|lease|ticket|branch|tag|interpreter"
)
_NEAR: Final = re.compile(rf"(?i)(?<![\w./-])(?!-)([\w-]*?(?:{_TAKERS}))[ \t]++#?[\"'`*]{{0,3}}([^\s\"'`*,;()\[\]]++)")
_WANTED: Final = {
    "version": ("version",), "tag": ("version",), "port": ("port",),
    "interpreter": ("path",), "pid": ("number", "count", "id"),

}  # fmt: skip
_NAMED: Final = ("id", "checksum")


def _gated(needs: str, dotted: bool, pattern: str) -> tuple[tuple[str, ...], bool, re.Pattern[str]]:
    """A pattern, the texts of which one stands in all that it matches, and whether that holds a `1.2`."""
    return tuple(needs.split("|")), dotted, re.compile(pattern)


_DOTTED: Final = re.compile(r"\d\.\d")
_RELEASE: Final = (
    # name v1.2.3 | name 1.2.3 | name@1.2 | name==1.2 (as installed) | a path or name (1.2.3) after "already satisfied"
    _gated("@", True, r"(?<![\w./@-])(@?[A-Za-z][\w./-]{0,60})@(v?\d++(?:\.\d++)++(?:[-+][\w.-]++)?)(?![\w@/])"),
    _gated("v", True, r"(?<![\w./@-])[\"'`]?([A-Za-z][\w./+-]{0,60}) (v\d++(?:\.\d++)++(?:[-+][\w.-]++)?)(?![\w@/])"),
    _gated(
        " ",
        True,
        r"(?<![\w./@-])([A-Za-z][\w/+-]{0,40}(?:\.js)?) (\d++(?:\.\d++){2}(?:\.\d++)*+(?:[-+][\w.-]++|(?:a|b"
        r"|p|rc|\.?dev|\.?post)\d*+)?)(?=[\s,;:)\]]|\.?(?:\s|\Z))",
    ),
    _gated(
        "(",
        False,
        r"^(?:Setting up|Unpacking|Selecting|Inst) ([\w.+:-]++) \(v?(\d[\w.+:~-]*+)(?: over \([^()]{1,80}\))?\)",
    ),
    # "psql (PostgreSQL) 15.4", "node 18.1" of a known program, "Server: nginx/1.22.1"
    _gated(")", True, r"^([\w.+-]{2,40}) \([^()]{1,60}\) (\d++(?:\.\d++)++[\w.+~-]*+)"),
    _gated(
        ".",
        True,
        rf"(?i)(?<![\w./@-])({'|'.join(sorted(PRODUCTS))})[ -]"
        r"(\d{1,4}(?:\.\d{1,4}){1,3}(?:\.?[a-z]{1,4}\d{0,8})?)"
        r"(?=[\s,;:)]|\.?(?:\s|\Z))",
    ),
    # "pip is available: 23.0.1 -> 23.2.1": what it is now, or may be, stands behind the arrow
    _gated(
        "->|→|=>",
        True,
        r"([A-Za-z@][\w./@-]{0,60})(?: is)?(?: available)?[:!]? v?\d++(?:\.\d++)++[\w.+-]* ?(?:->|→"
        r"|=>) ?(v?\d++(?:\.\d++)++[\w.+-]*+)",
    ),
    _gated("/", True, r"(?<![\w./@-])([A-Za-z][\w+-]{1,30})/(v?\d++(?:\.\d++){2,3}(?:-[\w.]++)?)(?![\w./])"),
    _gated("@", True, r"(?<![\w./-])(@[\w.-]{1,60}/[\w.-]{1,60})[:=] ?[\"'^~]*(\d++(?:\.\d++){2}[\w.+-]*+)"),
    _gated("==", False, r"(?:dependencies for|[Ii]nstalled|[Uu]sing|match:) ([\w.-]++)==(\d++(?:\.\d++)*+[\w.+-]*+)"),
    _gated("newest", False, r"^([\w.+:-]++) is already the newest version \((\d[\w.+:~-]*+)\)"),
    _gated(
        "already",
        False,
        r"^[ \t]*+Requirement already satisfied: ([\w.-]++)\b[^\n]{0,400}"
        r"\((\d++(?:\.\d++)*+[\w.+-]*+)\)\s*\Z",
    ),
    _gated(
        " |==",
        True,
        r"^[ \t]*+(?:Collecting|Found existing installation:|Using|Installed|Installing|Fetching|Downloading"
        r"|Downloaded|Upgrading|Updated"
        r"|Adding|Compiling|Building|Resolved|Locked|Removing) ([A-Za-z][\w.-]*+)(?:=="
        r"| )(\d++(?:\.\d++)++[\w.+-]*+)(?=[\s,;)]|\Z)",
    ),
)
_WHEELS: Final = re.compile(
    r"(?:Successfully (?:un)?installed|Installing collected packages:)((?: [\w.-]{2,80}-\d[\w.+]*+)++)"
)
_WHEEL: Final = re.compile(r" ([\w.-]*?[A-Za-z][\w.]*?)-(\d++(?:\.\d++)*+[\w.+]*+)(?= |\Z)")
_NOT_NAMES: Final = word_set(
    "http tls ssl tlsv error warning code line step page section chapter figure table than least most about from to "
    "and or of in "
    "at since until level"
)

_TOOK: Final = re.compile(
    r"(?i)\b(?:in|took|after|elapsed|runtime)[: ] ?(?:about |~)?(\d++(?:\.\d++)? ?(?:ns|µs|us|ms|s|secs?|seconds?"
    r"|m|mins?|minutes?|h|hours?))(?![\w.-]*\w)"
)
_ID: Final = re.compile(
    r"(?<![\w./@:-])([A-Za-z][a-z]{2,20})[ \t]#?(?:[\"'`](?=[\w-]*[A-Za-z])"
    r"|[\"'`]?(?=[A-Za-z]))((?=[\w-]{4,64}(?![\w./@-]*[\w/@(]))(?=[\w-]*\d)[A-Za-z0-9][\w-]*+)"
)
_COUNT: Final = re.compile(
    r"(?<![\w.,/:#$€£%+-])(\d{1,3}(?:,\d{3})++|\d{1,9}) ((?:[A-Za-z][\w/-]{1,20} ){0,2}?)("
    + "|".join(sorted(COUNTED, key=lambda word: (-len(word), word)))
    + r")(?:\([+-]\)|\(s\))?(?![\w-])",
    re.IGNORECASE,
)
_PLURAL: Final = re.compile(
    r"(?<![\w.,/:#$€£%+-])(\d{1,3}(?:,\d{3})++|\d{1,9}) ((?:[a-z][a-z-]{1,16} )?)([a-z]{3,20}s)(?![\w/(-])"
)
_LISTED: Final = re.compile(rf"(\d{{1,9}}) ((?:[a-z]+ )?)({'|'.join(sorted(DONE))})(?=[,.;)]|\s*\Z| and\b)")
_OPENS: Final = re.compile(r"(?:^|[,:;(•|]|\band) ?\Z")
_NOT_BEFORE: Final = re.compile(
    r"(?i)(?:\b(?:line|step|page|at least|at most|up to|less than|more than|over|under|about|around|than|least"
    r"|most|first|last|top"
    r"|every|of|from|commit|sha|rev|revision|port|pid|id|issue|pr|between|chapter|section|version|next|max|min|per"
    r"|(?<!due )to)|[≥≤><~≈±/–-]) ?\Z"
)
_NOT_AFTER: Final = re.compile(r" ?(?:/(?! \d)|–|-|to \d|or |more\b|not shown|in each|per |ago\b|above\b|below\b)")
_NO_NOUNS: Final = word_set(
    "times ways things was has this always plus as its yes us is times lots kinds types sorts bytes spaces others "
    "hours days weeks"
    " months years minutes seconds hrs mins secs milliseconds microseconds nanoseconds axis analysis thousands "
    "pixels dollars cents points degrees"
    " does gets sets uses needs makes runs"
)


def read(clause: str, base: int, found: list[Found], words: frozenset[str]) -> None:
    """Add the facts of one stating clause that holds a digit.

    Args:
        clause: Its text.
        base: Its offset.
        found: Facts of the clause so far, which are added to.
        words: Lower-case words of the line, which tell what need not be looked for.
    """
    if "." in clause:
        releases(clause, base, found)
    if any(word.endswith(_TAKING) for word in words):
        _near(clause, base, found)
    if not _TIMED.isdisjoint(words):
        _durations(clause, base, found)
    if not _SERVING.isdisjoint(words):
        _served(clause, base, found)
    _ids(clause, base, found)
    if ":" in clause:
        _digests(clause, base, found)
    if "#" in clause:
        _numbered(clause, base, found)
    hashes(clause, base, found, words)
    plurals(clause, base, found)


_TAKING: Final = tuple(_TAKERS.split("|"))
_SERVING: Final = word_set("running listening serving available live deployed hosted accessible bound started")
_TIMED: Final = word_set("in took after elapsed runtime")


def _taken(found: list[Found], start: int) -> bool:
    return any(fact.start <= start < fact.end for fact in found)


def releases(clause: str, base: int, found: list[Found]) -> None:
    """A release number right of the thing's name: key `version`, the name its entity."""
    is_dotted = _DOTTED.search(clause) is not None
    for needs, dotted, pattern in _RELEASE:
        if (dotted and not is_dotted) or not any(map(clause.__contains__, needs)):
            continue
        for hit in islice(pattern.finditer(clause), MAX_HITS):
            _release(hit[1], hit[2], base + hit.start(2), base + hit.start(1), found)
    for row in islice(_WHEELS.finditer(clause), MAX_HITS):
        for hit in _WHEEL.finditer(clause, row.start(1), row.end(1)):
            _release(hit[1], hit[2], base + hit.start(2), base + hit.start(1), found)


def _release(name: str, raw: str, start: int, key_start: int, found: list[Found]) -> None:
    bare = raw.rstrip(".")
    if _taken(found, start) or name.lower() in _NOT_NAMES or name.lower() == "version":
        return
    plain = bare.lstrip("vV")
    if bare.count(".") == 3 and values.classify(bare) == ("ip", bare):
        return
    at = start + len(bare) - len(plain)
    found.append(Found(name, "version", plain, "version", at, start + len(bare), key_start))


def _near(clause: str, base: int, found: list[Found]) -> None:
    """A value directly right of a noun that takes one: `commit 3f9ac1d`, `deployment id dep-9f31`, `port 8080`."""
    for hit in islice(_NEAR.finditer(clause), MAX_HITS):
        start, raw = base + hit.start(2), hit[2]
        if _taken(found, start) or _RANGED.match(clause, hit.end(2)):
            continue
        moved = _MOVED.match(clause, hit.end(2))
        if moved is not None:
            start, raw = base + moved.start(1), moved[1]
        group = nouns.left_of(clause, 0, hit.end(1))
        last = keys.words(group.key)[-1:] if group is not None else ()
        if group is None or not last:
            continue
        kind = values.classify(raw, group.key)
        if kind is None or kind[0] not in _WANTED.get(last[0], _NAMED) or not any(c.isdigit() for c in raw):
            continue
        fact = typed(group.key, raw, start, base + group.start, group.entity)
        if fact is not None:
            found.append(fact)


_MOVED: Final = re.compile(r" ?(?:->|→|=>) ?[\"'`]?(v?[0-9][\w.+-]*+)")
_RANGED: Final = re.compile(
    r"[\"'`*]{0,3}[ \t]*+(?:and|or|to|through|/|–|-|\.\.\.?)[ \t]*+[\dvV$]|[ \t]*+(?:or|/)[ \t]"
)


def _durations(clause: str, base: int, found: list[Found]) -> None:
    """How long the call took: `finished in 0.30s`, `aborted by user after 31.2s`."""
    for hit in islice(_TOOK.finditer(clause), MAX_HITS):
        kind = values.classify(hit[1], "duration")
        start = base + hit.start(1)
        if kind is not None and kind[0] == "duration" and not _taken(found, start):
            found.append(
                Found(None, "duration", kind[1], "duration", start, base + hit.end(1), base + hit.start(), True, True)
            )


def _served(clause: str, base: int, found: list[Found]) -> None:
    """Where a server now is: `Running on http://127.0.0.1:5000`, `listening on 0.0.0.0:8080`."""
    for hit in islice(_SERVED.finditer(clause), MAX_HITS):
        group = 1 if hit[1] else 2
        start = base + hit.start(group)
        if not _taken(found, start):
            key, type_ = ("url", "url") if group == 1 else ("port", "port")
            value = hit[group].rstrip(".,;)")
            if type_ == "url" or 0 < int(value) < 65_536:
                found.append(Found(None, key, value, type_, start, start + len(value), base + hit.start()))


_SERVED: Final = re.compile(
    r"(?i)\b(?:running|listening|serving|available|live|deployed|hosted|accessible|bound|started)(?: \w+)? (?:on"
    r"|at|to):? "
    r"[\"'`<(]?(?:(https?://[^\s\"'`<>)]++)|[\w.*\[\]:-]*?:(\d{2,5})\b)"
)


def _ids(clause: str, base: int, found: list[Found]) -> None:
    """An id right of the noun that it is one of: `flight HAT290`, `user noah_muller_9847`."""
    for hit in islice(_ID.finditer(clause), MAX_HITS):
        noun, raw, start = hit[1].lower(), hit[2], base + hit.start(2)
        digits = sum(char.isdigit() for char in raw)
        if digits < 2 or nouns.is_stop(noun) or _taken(found, start) or noun in _NOT_NAMES:
            continue
        strong = any(char.isupper() for char in raw) or "-" in raw or "_" in raw or digits >= 4
        strong = strong or len(_RUNS.findall(raw)) >= 4
        kind = values.classify(raw)
        if kind is None or kind[0] != "id" or not strong:
            continue
        group = nouns.left_of(clause, 0, hit.end(1))
        if group is not None:
            found.append(
                Found(None, keys.normalise(group.key), kind[1], "id", start, start + len(raw), base + group.start)
            )


_DIGEST: Final = re.compile(r"(?<![\w@/-])(sha(?:1|224|256|384|512)|md5):([0-9a-f]{8,128})(?![\w-])")


def _digests(clause: str, base: int, found: list[Found]) -> None:
    """A digest that names its algorithm: `0036  sha256:d10b486c9aa2f3f4  ok`; the row's number is its entity."""
    for hit in islice(_DIGEST.finditer(clause), MAX_HITS):
        start = base + hit.start(2)
        if not _taken(found, start):
            lead = clause[: hit.start()].split()
            entity = lead[0] if len(lead) == 1 and any(char.isdigit() for char in lead[0]) else None
            found.append(Found(entity, hit[1], hit[2], "checksum", start, base + hit.end(2), base + hit.start()))


_NUMBERED: Final = re.compile(r"(?<![\w./])([A-Za-z][A-Za-z-]{1,20})[ \t]?(#\d{1,9})(?![\w-])")


def _numbered(clause: str, base: int, found: list[Found]) -> None:
    """A number with a hash right of its noun: `build #123`, `PR #12`."""
    for hit in islice(_NUMBERED.finditer(clause), MAX_HITS):
        start = base + hit.start(2)
        if not _taken(found, start) and not nouns.is_stop(hit[1].lower()):
            found.append(
                Found(None, keys.normalise(hit[1]), hit[2], "id", start, base + hit.end(2), base + hit.start(1))
            )


_RUNS: Final = re.compile(r"[a-z]++|[0-9]++")
_GIT: Final = word_set(
    "commit commits committed head branch merge merged rebase rebased pushed push cherry-pick cherry-picked revert "
    "reverted "
    "checkout tag detached rev revision origin main master squash squashed amend amended"
)
_HASH: Final = re.compile(
    r"(?<![\w./#:@=-])((?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,12}|[0-9a-f]{40})(?![\w/@=-]|\.\.|\.\w|,[0-9a-f])"
)
_UNIQUE: Final = re.compile(
    r"(?<![\w./=-])([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|arn:[a-z-]+:[a-z0-9-]+:[a-z0-9-]*:[0-9]*:[^\s\"'`,)]+)(?![\w-])"
)


_NOUN_LEFT: Final = re.compile(r"(?:^|[\s(\[\"'`])([A-Za-z][a-z]{2,20}) [\"'`]?\Z")


def hashes(clause: str, base: int, found: list[Found], words: frozenset[str]) -> None:
    """Names that are unique wherever they stand: a UUID, an ARN, and in what git says a commit."""
    if "-" in clause or "arn:" in clause:
        for hit in islice(_UNIQUE.finditer(clause), MAX_HITS):
            _unique(clause, hit, base, found, "arn" if hit[1].startswith("arn:") else "uuid")
    if len(clause) >= 48 or not _GIT.isdisjoint(words):
        plain = _GIT.isdisjoint(words)
        for hit in islice(_HASH.finditer(clause), MAX_HITS):
            if not plain or len(hit[1]) == 40:
                _unique(clause, hit, base, found, "commit")
    else:
        for hit in islice(_HASH.finditer(clause), MAX_HITS):
            noun = _NOUN_LEFT.search(clause, max(0, hit.start() - 32), hit.start())
            if noun is not None and noun[1].lower() not in _NOT_NAMES and not nouns.is_stop(noun[1].lower()):
                _unique(clause, hit, base, found, keys.normalise(noun[1]))


def _unique(clause: str, hit: re.Match[str], base: int, found: list[Found], key: str) -> None:
    start = base + hit.start(1)
    if _taken(found, start):
        return
    if key in ("uuid", "arn"):
        group = nouns.left_of(clause, 0, hit.start())
        key = keys.normalise(group.key) if group is not None else key
    value = hit[1] if key == "arn" or hit[1].startswith("arn:") else hit[1].lower()
    found.append(Found(None, key, value, "id", start, base + hit.end(1), start))


def counts(line: str, base: int, found: list[Found], words: frozenset[str]) -> None:
    """A count directly before its noun: `12 passed`, `2 files changed`, `using 9 workers`."""
    for hit in islice(_COUNT.finditer(line), MAX_HITS):
        _counted(line, base, found, hit)
    if not DONE.isdisjoint(words):
        for hit in islice(_LISTED.finditer(line), MAX_HITS):
            if _OPENS.search(line[max(0, hit.start() - 5) : hit.start()]):
                _counted(line, base, found, hit)


def plurals(clause: str, base: int, found: list[Found]) -> None:
    """A count directly before any other plural noun: `34 vertices`, `7 open tenders`; a long sentence tells a story."""
    if clause.count(" ") > 14:
        return
    for hit in islice(_PLURAL.finditer(clause), MAX_HITS):
        noun = hit[3]
        if (
            noun not in _NO_NOUNS
            and not noun.endswith(("ss", "us", "is"))
            and not (nouns.is_stop(hit[2].strip()) and not hit[2].endswith("ed "))
        ):
            _counted(clause, base, found, hit)


_ENDED: Final = re.compile(r" (passed|failed|skipped|ignored|passing|failing|pending)\b")


def _counted(line: str, base: int, found: list[Found], hit: re.Match[str]) -> None:
    before = line[max(0, hit.start() - 12) : hit.start()]
    if (_NOT_BEFORE.search(before) and not before.endswith(" / ")) or _NOT_AFTER.match(line, hit.end()):
        return
    if any(nouns.is_stop(word.lower()) and not word.endswith("ed") for word in hit[2].split()):
        return
    value = values.number(hit[1])
    start = base + hit.start(1)
    if value is not None and not _taken(found, start):
        ended = _ENDED.match(line, hit.end())
        noun = hit[3] if ended is None else ended[1]
        called = noun.lower() in RUN_TOTALS
        name = keys.normalise(noun)
        found.append(Found(None, name, value, "count", start, base + hit.end(1), base + hit.start(3), True, called))
