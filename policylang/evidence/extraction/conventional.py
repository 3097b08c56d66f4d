"""Lines whose form a tool's convention fixes: git, container and migration tools, databases, test runners, shells.

Data first: a rule is the words that call it, a pattern, and what its groups are. Only a line that holds one of the
words is tried, so that other lines pay one look at a set.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final, NamedTuple

from policylang.evidence import keys, values
from policylang.evidence.extraction.found import MAX_HITS, Found, typed
from policylang.evidence.lexicon import word_set

_SHA: Final = r"([0-9a-f]{7,40})"
_REF: Final = r"([\w./-]{1,120})"


class _Rule(NamedTuple):
    """One convention.

    Attributes:
        words: Lower-case words of which the line holds one.
        pattern: What the line looks like.
        facts: Group, key and type of each fact; without a type the value is classified under the key.
        entity: The group that names the entity, or 0.
        called: True if the facts belong to the call.
    """

    words: frozenset[str]
    pattern: re.Pattern[str]
    facts: tuple[tuple[int, str, str], ...]
    entity: int = 0
    called: bool = False


def _rule(words: str, pattern: str, *facts: tuple[int, str, str], entity: int = 0, called: bool = False) -> _Rule:
    return _Rule(word_set(words), re.compile(pattern), facts, entity, called)


_RULES: Final = (
    # git
    _rule("ahead behind", rf"^## {_REF}\.\.\.\S+ \[(?:ahead (\d+))?(?:, )?(?:behind (\d+))?",
          (1, "branch", "enum"), (2, "ahead", "count"), (3, "behind", "count")),
    _rule("track", rf"^[Bb]ranch ['\"]?{_REF}?['\"]? set up to track", (1, "branch", "enum")),
    _rule("wip", rf"\bWIP on {_REF}: {_SHA} ", (2, "commit", "id"), entity=1),
    _rule("was", rf"^Deleted (?:remote-tracking )?branch {_REF} \(was {_SHA}\)", (2, "commit", "id"), entity=1),
    _rule("now head removed reset reverted",
          rf"^(?:Now at|HEAD is(?: now at)?|Removed|Reset to|Reverted to):? +{_SHA}(?: |\Z)",
          (1, "commit", "id")),
    _rule("bad", rf"^{_SHA} is the first bad commit", (1, "commit", "id")),
    _rule("new", rf"^ [*+] \[new tag\] +{_REF} +-> ", (1, "tag", "")),
    _rule("refs head", r"^([0-9a-f]{40})[ \t]+(refs/\S+|HEAD)\s*\Z", (1, "commit", "id"), entity=2),
    _rule("fetch push", r"^([\w.-]+)\t(\S+) \((?:fetch|push)\)\s*\Z", (2, "remote", "url"), entity=1),
    _rule("dropped", rf"^Dropped (\S+) \({_SHA}\)", (2, "commit", "id"), entity=1),
    _rule("rebased", r"^Successfully rebased and updated refs/heads/([\w./-]+)\.", (1, "branch", "enum")),
    _rule("delta", r"\bTotal (\d+) \(delta (\d+)\), reused (\d+)", (1, "total", "count"), (2, "delta", "count"),
          (3, "reused", "count"), called=True),
    _rule("low moderate medium high critical", r"[(,] ?(\d+) (low|moderate|medium|high|critical)(?=[,)])",
          (1, "\\2", "count")),
    # containers and clusters
    _rule("built", r"^Successfully built ([0-9a-f]{12,64})\b", (1, "image", "id")),
    _rule("created configured unchanged deleted patched scaled restarted labeled annotated replaced exposed condition",
          r"^([a-z]\w+)(?:\.[\w.-]+)?[/ ]\"?([\w.-]+)\"? (created|configured|unchanged|deleted|patched|scaled|restarted"
          r"|labeled|annotated|replaced|exposed|condition met)(?: \([^()]*\))?\s*\Z", (3, "\\1", "state"), entity=2),
    # migrations
    _rule("upgrade downgrade", r"Running (?:up|down)grade [0-9a-f]* ?-> ([0-9a-f]{6,40})\b", (1, "revision", "id")),
    _rule("head", r"^([0-9a-f]{12}) \((?:effective )?head\)", (1, "revision", "id")),
    _rule("applying", r"^\s+(?:Una|A)pplying ([\w.-]+)\.\.\.\s+(OK|FAKED|DONE)", (2, "migration", "state"), entity=1),
    _rule("x", r"^ \[(X)\] (\d{4,}_\w+)", (1, "migration", "state"), entity=2),
    _rule("migrated reverted", r"^== \d+ (\w+): (migrated|reverted) \(", (2, "migration", "state"), entity=1),
    _rule("schema", r"[Cc]urrent version of schema [^:\n]{1,80}: (\d[\w.]*)", (1, "version", "version")),
    # databases
    _rule("insert", r"^INSERT \d+ (\d+)\s*\Z", (1, "row", "count"), called=True),
    _rule("update delete select copy merge", r"^(?:UPDATE|DELETE|SELECT|COPY|MERGE) (\d+)\s*\Z", (1, "row", "count"),
          called=True),
    # test runners
    _rule("tests suites pass fail cancelled skipped todo", r"^\s*[#ℹ] (tests|suites|pass|fail|cancelled|skipped|todo) "
          r"(\d+)\s*\Z", (2, "\\1", "count"), called=True),
    _rule("pass fail", r"^\s*(\d+) (pass|fail)\s*\Z", (1, "\\2", "count"), called=True),
    # packages and programs
    _rule("main default", r"^(\d+\.\d+\.\d+\S*) \((?:main|default|tags/)", (1, "version", "version")),
    _rule("image tagged pulling pulled pushed pushing",
          r"(?<![\w@:/])([\w./-]*[a-z][\w-]*):v?(\d[\w-]*\.\d[\w.-]*)(?![\w:])",
          (2, "version", "version"), entity=1),
    _rule("installing updating upgrading downgrading locking removing building publishing packaging",
          r"\b(?:Building|Publishing|Packaging|Installing|Updating|Upgrading|Downgrading|Locking|Removing) ([\w./@-]+) "
          r"\((?:[^()\s]+ (?:=>|->) )?v?(\d[^()\s]*)\)", (2, "version", "version"), entity=1),
    _rule("get", r"^Get:\d+ \S+ \S+ \S+ (\S+) (?:\S+ )?(\d\S*) \[", (2, "version", "version"), entity=1),
    # shells
    _rule("user", r"([\d.]+s) user ([\d.]+s) system \d+% cpu ([\d.]+) total\s*\Z", (1, "user_time", "duration"),
          (2, "system_time", "duration"), called=True),
    _rule("status state phase", r"^<(status|state|phase)>([A-Za-z_]{2,40})</", (2, "\\1", "enum")),
    _rule("error", r"^(?:make|gmake|ninja)(?:\[\d+\])?: \*\*\* .*\bError (\d{1,3})\s*\Z", (1, "exit_code", "exit_code"),
          called=True),
    # http
    _rule("response", r"<Response \[(\d{3})[^\]]*\]>", (1, "response", "http_status"), called=True),
    _rule("http", r"\bHTTP/[\d.]+[\"'] ([1-5]\d\d)\b", (1, "http_status", "http_status"), called=True),
    _rule("get post put patch delete head options",
          r"(?:^|[\s\]\"])(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (/\S*|https?://\S+) "
          r"(?:→ |-> |=> |- |: ?)?([1-5]\d\d)(?= |\Z|\))", (2, "http_status", "http_status"), entity=1, called=True),
)  # fmt: skip
WORDS: Final = frozenset(word for rule in _RULES for word in rule.words)
"""A line without one of these words follows none of the conventions."""


def read(line: str, words: frozenset[str], found: list[Found]) -> None:
    """Add what the conventions of this line's tool say."""
    for rule in _RULES:
        if rule.words.isdisjoint(words):
            continue
        for hit in islice(rule.pattern.finditer(line), MAX_HITS):
            _add(rule, hit, found)


def _add(rule: _Rule, hit: re.Match[str], found: list[Found]) -> None:
    entity = hit[rule.entity] if rule.entity else None
    for group, key, type_ in rule.facts:
        raw, start = hit[group], hit.start(group)
        if raw is None:
            continue
        name = keys.normalise(hit[int(key[1:])]) if key[0] == "\\" else key
        if type_:
            value = _normal(raw, type_, name)
            found.append(Found(entity, name, value, type_, start, hit.end(group), hit.start(), True, rule.called))
        else:
            fact = typed(name, raw, start, hit.start(), entity) or Found(
                entity, name, raw, "enum", start, hit.end(group), hit.start()
            )
            found.append(fact)


def _normal(raw: str, type_: str, key: str) -> str:
    if type_ in ("count", "number"):
        return values.number(raw) or raw
    if type_ == "duration":
        kind = values.classify(raw, key)
        return kind[1] if kind is not None else raw
    if raw == "X":
        return "applied"
    return raw.lower().replace(" ", "_") if type_ == "state" or (type_ == "enum" and key != "branch") else raw


_ONELINE: Final = re.compile(
    r"(?:  [\w./-]{1,100} +)?((?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,12}|[0-9a-f]{40}) (?=[A-Za-z(\[`])"
)


def oneline(line: str, found: list[Found]) -> None:
    """Add the commit that opens a line of `git log --oneline`, or follows the branch in one of `git branch -v`."""
    hit = _ONELINE.match(line)
    if hit is not None:
        branch = line[: hit.start(1)].strip() or None
        found.append(Found(branch, "commit", hit[1], "id", hit.start(1), hit.end(1), 0))


_BARE: Final = (
    (re.compile(r"[0-9a-f]{40}|(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,12}"), "commit", "id"),
    (re.compile(r"[0-9a-f]{64}"), "sha256", "checksum"),
    (re.compile(r"sha256:([0-9a-f]{64})"), "sha256", "checksum"),
    (re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"), "uuid", "id"),
    (re.compile(r"arn:[a-z-]+:[a-z0-9-]+:[a-z0-9-]*:[0-9]*:\S+"), "arn", "id"),
    (re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}"), "ulid", "id"),
    (
        re.compile(r"v[0-9]+(?:\.[0-9]+)+(?:[-+.][\w.+-]+)?|[0-9]+\.[0-9]+\.[0-9]+(?:[-+][\w.+-]+)?"),
        "version",
        "version",
    ),
    (re.compile(r"[\w.-]+==([0-9]+(?:\.[0-9]+)*[\w.+]*)"), "version", "version"),
)


def alone(line: str, found: list[Found]) -> bool:
    """Add the value that fills the line: what `git rev-parse`, `git describe`, `uuidgen` or `node -v` print.

    Returns:
        True if there was one, so that no other reader need look.
    """
    inner = line.strip()
    start = line.find(inner)
    if inner[:2] == "+ ":
        inner, start = inner[2:].lstrip(), line.find(inner[2:].lstrip(), start)
    for pattern, key, type_ in _BARE:
        hit = pattern.fullmatch(inner)
        if hit is not None:
            group = hit.lastindex or 0
            raw = hit[group]
            at = start + hit.start(group)
            if type_ == "version" and raw[0] == "v":
                raw, at = raw[1:], at + 1
            entity = inner.split("==")[0] if "==" in inner else None
            found.append(Found(entity, key, raw.lower() if key != "version" else raw, type_, at, at + len(raw), start))
            return True
    return False
