"""Which lines may hold a fact: one linear scan with a superset of everything the readers look for.

Most lines of tool output hold nothing. A reader is many times slower than this scan, so it only ever sees lines that
the scan lets through; `tests/property` checks that no reader finds a fact in a line the scan would drop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from policylang.evidence.lexicon import COUNTED, DONE, ENUM_WORDS, FALSE_WORDS, STATE_WORDS, TRUE_WORDS, VERDICTS
from policylang.regex import compile_search

_WORDS: Final = "|".join(sorted(word.replace("_", "[_ ]") for word in STATE_WORDS | TRUE_WORDS | FALSE_WORDS))
_NOUNS: Final = "|".join(sorted(COUNTED))
_ENUMS: Final = "|".join(sorted(ENUM_WORDS))
_DONE: Final = "|".join(sorted(DONE))
_OPEN: Final = r"[ \t\"'`*(<]*"

PARTS: Final = (
    # after a separator: a number, a path, a word that is a value, a token with a digit or a slash
    rf"=[ \t\"'`*(<]*(?:[-+$€£~/\\.\d]|(?:{_WORDS})\b|[^\s,;|]*[\d/\\])",
    rf":[ \t\"'`*(<]+(?:[-+$€£~/\\.\d]|(?:{_WORDS})\b|[^\s,;|]*[\d/\\])",
    rf"_[\w.-]*:(?:[^\s,;|]*[\d/\\]|(?:{_WORDS})\b)",
    rf"\b(?:\w*[_A-Za-z-])?(?:{_ENUMS}|ids?|uuid|guid|path|file|filename|configfile|location|dir|directory|folder"
    rf"|root|rootdir|cwd)"
    r"(?:[^\w\n]|_)*[:=]",
    # a copula, a change, an adjacent value
    rf"[ \t](?:is|was|are|were|equals|now|to|at|currently)[ \t]+(?:(?:not|no longer|never|now|still|already"
    rf"|also)[ \t]+)?{_OPEN}"
    rf"(?:[^\s,;]*[\d/]|(?:{_WORDS})\b)",
    r"(?:id|uuid|guid)[ \t]+(?:is|was|now|set|changed)[ \t]",
    r"(?:version|commit|revision|sha|checksum|digest|id|pid|port|lease|ticket|branch|interpreter"
    r"|tag)s?[ \t]+#?[\"'`*]*[^\s,;()\[\]]*\d",
    rf"[^.\s][ \t]+(?:{_WORDS})(?:[^\w-]|$)",
    r"[\w)\"'`][ \t@(]\(?v?\d+\.\d|already satisfied|installed |collected packages",
    r"\b(?:in|took|after|elapsed|runtime)[: ] ?(?:about |~)?\d",
    r"[A-Za-z][ \t]#?[\"'`]?[A-Za-z][\w-]*\d[\w-]*\d",
    rf"\d (?:[a-z-]+ )?(?:{_NOUNS})\b",
    # acts
    r"exit|returncode|return[ _-]code|(?:code|status)[\"'`]?[ :=]{0,3}(?:is|was)? ?-?\d|HTTP|responded with",
    r"^\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7}|HEAD is now|^commit [0-9a-f]|^(?:On branch|Switched to"
    r"|Already on|Merge made)",
    r"\b(?:wr(?:ote|itten|iting)|sav(?:ed|ing)|exported|dumped|copied|moved|rendered|downloaded|uploaded"
    r"|generated|emitted|output"
    r"|created|updated|edited|modified|patched|overw\w+|rewrote|appended|replaced|inserted|stored"
    r"|applied)\b[^\n]*[/\\.:]",
    r"\b(?:opened|filed|started|launched|submitted|registered|provisioned|allocated|acquired|issued|assigned"
    r"|scheduled|booked"
    r"|queued|deployed|pushed|tagged|merged|closed|cancelled|reserved|published|released|reverted|skipped"
    r"|rolled back|created"
    r"|generated|applied)\b[^\n]*\d",
    r"(?:running|listening|serving|available|live|deployed|hosted|accessible|bound|started)(?: \w+)? (?:on|at"
    r"|to):? [^\s]*[:/]",
    r"^(?:Setting up|Unpacking|Selecting|Inst) |newest version|awaiting response|saved \[|^(?:real|user|sys)\s"
    r"|HEAD detached",
    r"^[AM] \S|^[0-9a-f]{32,128} |\{\"|\[\{\"",
    # objects, lines of one token, and what the tools' conventions fix
    r"\{[ ]?:?[\"'\w]|[A-Za-z]\((?:[a-z_]\w*=|\[\()|<Response ",
    r"^[ \t+]*[^ \t\n]*\d[^ \t\n]*[ \t\r]*$",
    r"^## \S+\.\.\.|set up to track|WIP on|\(was [0-9a-f]{7}|\[new (?:branch|tag)\]|^[0-9a-f]{40}\t|\((?:fetch|push)\)"
    r"|^(?:Dropped|Successfully rebased|Successfully built) |^\[detached HEAD ",
    r"^[a-z]\w+[\w.-]*[/ ][\"]?[\w.-]+[\"]? (?:created|configured|unchanged|deleted|patched|scaled|restarted|labeled"
    r"|annotated|replaced|exposed|condition met)\b",
    r"grade [0-9a-f]* ?-> |\((?:effective )?head\)|pplying [\w.-]+\.\.\.|^== \d+ \w+: |version of schema",
    r"^(?:INSERT \d+|UPDATE|DELETE|SELECT|COPY|MERGE) \d|^\s*[#ℹ] [a-z]+ \d|\d (?:pass|fail)\s*$",
    r"(?:Building|Publishing|Packaging|Installing|Updating|Upgrading|Downgrading|Locking|Removing) [\w./@-]+ \("
    r"|^Get:\d|s user [\d.]+s system"
    r"|\*\*\* [^\n]*Error \d|(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+ \S* ?[1-5]\d\d",
    rf"\d (?:[a-z][\w/-]* ){{0,2}}(?:{_NOUNS}|{_DONE})\b|\d (?:[a-z-]+ )?[a-z]{{3,20}}s\b|[a-z-][ \t]?#\d",
    rf":[ \t]+(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(?:{_ENUMS})[ \t]+(?:is"
    rf"|was|set|now|changed|updated|switched|moved|has) |<(?:status|state|phase)>",
    r"(?:->|→|=>) ?v?\d+\.\d|\(delta \d|^\d+\.\d+\.\d+\S* \(|:v?\d[\w-]*\.\d|\d (?:low|moderate|medium|high"
    r"|critical)[,)]|\b[0-9a-f]{7,40}\b|arn:",
    rf"[:=]{_OPEN}(?:{'|'.join(sorted(VERDICTS))})\b",
    r"(?:map\[|\{)[A-Za-z_][\w.-]*:|^/\S+ +[0-9a-f]{7}|^\* \S+ +[0-9a-f]{7}|^ \[X\]",
    r"[A-Za-z0-9+-]/v?\d+\.\d|^[\w.+-]+ \([^()]{1,60}\) \d|[A-Za-z]-\d+\.\d",
    # letters that the readers take for an i and RE2 does not
    r"[ıİ]",
)
_SEARCH: Final = compile_search("|".join(PARTS), "im")


def may_hold(line: str) -> bool:
    """True if a reader could find a fact in this line."""
    data = line.encode("utf-8")
    return _SEARCH(data, 0, len(data))[0] >= 0


def candidates(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Half-open byte ranges of the lines in `data[start:end]` that may hold a fact, without their line ends."""
    at = start
    while at < end:
        first, after = _SEARCH(data, at, end)
        if first < 0:
            return
        begin = data.rfind(b"\n", start, first + 1) + 1 or start
        stop = data.find(b"\n", max(begin, after - 1), end)
        stop = end if stop < 0 else stop
        yield begin, stop
        at = stop + 1
