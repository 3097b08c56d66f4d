"""`key = value`, `key: value`, `key=value key=value`, `"key": value` within one line."""

from __future__ import annotations

import re
from typing import Final

from policylang.evidence import values
from policylang.evidence.extraction import nouns
from policylang.evidence.extraction.found import Found, typed
from policylang.evidence.lexicon import SIZES, UNITS, word_set

MAX_PAIRS: Final = 48

_SEPARATOR: Final = re.compile(r"[:=]")
_LEAD: Final = re.compile(r"[ \t]*+(?:[-*•>#|+✓✔✗✘×✅❌⚠]++[ \t]++|\d{1,3}[.)][ \t]++)?")
_LABEL: Final = re.compile(r"[\"'`*_]*+([^\W\d_][\w./-]*+(?:[ /][\w(.#/-][\w.)/%-]*+){0,4})[\"'`*_]*+\??[ \t]*+\Z")
_QUOTED: Final = re.compile(r"\"([^\"\\\n]*+)\"|'([^'\\\n]*+)'|`([^`\n]*+)`|\*\*([^*\n]*+)\*\*")
_BARE: Final = re.compile(r"[^\s,;|\"'`*)\]}]++")
_LOGFMT: Final = re.compile(r"[^\s,;&|\"'`)\]}<>]++")
_AFTER: Final = re.compile(
    r"[ \t]*+(?:\Z|[,;|)\]}]|\(|[-–—]{1,2}[ \t]|#|//|\.(?:\s|\Z)|[ \t]{2}|\t|->| ?(?:±|\+/-|~|≈|→|@|\[|✓|✔|✅))"
    r"|[ \t]++(?:[\w.-]++[ \t]*+[=:])"
)
_MEASURED: Final = re.compile(
    r" (?:[A-Za-zµμ°%²³/^*.·0-9-]{1,12}|[a-z]{3,16}|%)(?=[ \t]*+(?:\Z|[,;|)\]}]|\(|\.(?:\s|\Z)|[ \t]{2}))| of "
)
_UNIT: Final = re.compile(r"[ \t]([A-Za-zµμ%]++)(?![/^\d²³])")
_RANGE: Final = re.compile(r"[ \t]*+(?:and|or|to|through|/|-|–|\.\.\.?)[ \t]*+[\dvV$]")
_CALL: Final = re.compile(r"\w\([^()]*\)[`\"' \t]*\Z")
_SKIP: Final = word_set(
    "error warning warn info note hint help debug trace fatal notice usage example examples todo fixme http "
    "https see e.g i.e default caused by in traceback output input expected got actual want left right "
    "received at before after old new from to was panic hi ps tip noqa type: pylint nosec eslint-disable deleted "
    "modified renamed"
)


def read(line: str, base: int, start: int, end: int, mood: bool) -> list[Found]:
    """Facts of the pairs in `line[start:end]`; `base` is the line's offset in the text.

    Args:
        mood: True if the line states; where it asks, supposes or wishes only a whole-line pair counts.
    """
    found: list[Found] = []
    at = edge = start
    first = True
    while len(found) < MAX_PAIRS:
        mark = _SEPARATOR.search(line, at, end)
        if mark is None:
            return found
        at = mark.end()
        fact, after = (None, at) if not (mood or first) else _pair(line, base, edge, mark.start(), end, mood)
        first = False
        if fact is not None:
            found.append(fact)
            at = edge = after
    return found


def _pair(line: str, base: int, edge: int, mark: int, end: int, mood: bool) -> tuple[Found | None, int]:
    sign = line[mark]
    before, after = line[mark - 1 : mark], line[mark + 1 : mark + 2]
    if after == "=" or after == ">" or before in tuple("!<>=:+-*/~&|") or (sign == ":" and after in ":/\\"):
        return None, mark + 1
    tight = sign == "=" and before not in " \t" and after not in ("", " ", "\t")
    if sign == ":" and after not in ("", " ", "\t", '"', "'", "`", "*"):
        # `schema_version:7`, but neither `12:30`, `file.py:12` nor `https:…`
        group = _tight_key(line, edge, mark)
        if group is None or "_" not in group.key or line[group.start - 1 : group.start].strip():
            return None, mark + 1
        tight = True
    else:
        group = _tight_key(line, edge, mark) if tight else _key(line, edge, mark, sign, mood)
    if group is None or (group.key.rpartition(".")[2] in _SUFFIXES and "." in group.key):
        return None, mark + 1
    fact, stop = _value(line, mark + 1, end, group, base, tight)
    if fact is not None and fact.type == "boolean" and not tight and _EXPRESSION.search(line, edge, mark):
        return None, stop  # `x in xs: True` is what an expression gave, and no key
    if fact is not None and tight and _coded(line, mark, stop, fact):
        return None, stop
    return fact, stop


def _coded(line: str, mark: int, stop: int, fact: Found) -> bool:
    """True for an argument of code: `connect(host, retries=3)`, a flag in backticks, the end of a long call."""
    if _CALLS.match(line):
        return True
    opening = line.rfind("(", 0, mark)
    if opening > line.rfind(")", 0, mark):
        before = line[max(0, opening - 60) : opening]
        name = _CALLEE.search(before)
        return name is not None and not (name[1][0].isupper() or name[1] in ("namespace", "dict"))
    wordy = fact.type in ("boolean", "state")
    return wordy and (line[stop : stop + 1] == ")" or line.count("`", 0, mark) % 2 == 1)


_CALLS: Final = re.compile(r"[ \t]*+[a-z_][\w.]*+ = [\w.]++\(")
_CALLEE: Final = re.compile(r"([A-Za-z_]\w*)\Z")


def _tight_key(line: str, edge: int, mark: int) -> nouns.Group | None:
    begin = mark
    if line[mark - 1] == "]":
        begin = max(line.rfind("[", edge, mark), edge)
    while begin > edge and mark - begin < 80 and (line[begin - 1].isalnum() or line[begin - 1] in "_.-"):
        begin -= 1
    key = line[begin:mark]
    if not key or not (key[0].isalpha() or key[0] == "_") or line[begin - 1 : begin] in tuple("?&/-<$%@"):
        return None
    return nouns.Group(key, None, begin)


def _key(line: str, edge: int, mark: int, sign: str, mood: bool) -> nouns.Group | None:
    """The key left of a spaced separator: the whole label where the line begins with it, else the noun group."""
    lead = _LEAD.match(line, edge, mark)
    begin = lead.end() if lead else edge
    if line[mark - 1] == '"' and line[begin] != '"':
        return None  # one member of an object quoted in prose
    if line.endswith(("or directory", ")`"), begin, mark) or _CALL.search(line, begin, mark):
        return None
    label = _LABEL.match(line, begin, mark)
    if label is not None:
        text = label[1]
        changed = _CHANGED.search(text)
        text = text[: changed.start()] if changed is not None else text
        low = text.lower()
        if low in _SKIP or low.split(" ", 1)[0] in ("if", "when", "unless", "whether", "should", "must"):
            return None
        parts = text.split()
        if not mood and len(parts) > 1:
            return None
        if len(parts) > 1 and low in _LABELS:
            return nouns.Group(text, None, line.index(text, begin))
        if len(parts) == 1 or (sign == ":" and not any(nouns.is_stop(part.lower()) for part in parts)):
            return _split(text, line.index(text, begin))
    if not mood:
        return None
    cut = max(line.rfind(char, begin, mark) for char in ",;|(") + 1
    if cut > begin:
        segment = _LABEL.match(line, cut + len(line[cut:mark]) - len(line[cut:mark].lstrip()), mark)
        if segment is not None and " " not in segment[1] and segment[1].lower() not in _SKIP:
            return nouns.Group(segment[1], None, segment.start(1))
    group = nouns.left_of(line, begin, mark)
    if group is None and label is not None and sign == ":":
        # `Has changed: true`, `Tests passed: 12`: a label of verbs is a key as a whole.
        parts = [part for part in label[1].split() if part.lower() not in _LINKS]
        first = label[1].split()[0].lower()
        last = _SEPARATOR.search(line, mark + 1) is None or not any(char.isdigit() for char in label[1])
        if " " in label[1] and 0 < len(parts) <= 4 and last and first not in _SKIP and first not in _TALK:
            named = [part for part in parts if part.lstrip("#").isdigit()]
            key = " ".join(part for part in parts if part not in named)
            return nouns.Group(key, named[0] if named else None, label.start(1)) if key else None
    if group is None or group.key.lower() in _SKIP:
        return None
    return group


_LINKS: Final = word_set("a an the is are was were be been to of")
_TALK: Final = word_set(
    "i we you they it he she this that these those there here for as like with by in on from and or so then"
)
_EXPRESSION: Final = re.compile(r"[=!<>]=| (?:in|not|and|or) | is None|[<>&|^%]|\)[\"'` ]*\Z")
_CHANGED: Final = re.compile(r"(?i) (?:is |was |has been )?(?:changed|set|updated|switched|moved) to\Z")
_LABELS: Final = frozenset(
    {"tests run", "run time", "run id", "run number", "started at", "finished at", "created at", "updated at",
     "completed at", "ended at", "expires at", "last updated", "last modified", "time taken", "total run"}
)  # fmt: skip
"""Labels whose verb is part of the name: `startedAt` and `Started at:` are one key."""


def _split(label: str, at: int) -> nouns.Group | None:
    """A label's words as key, an id among several words as entity; a path or file name alone is no key."""
    if " " not in label:
        if "/" in label or (
            values.classify(label, "path") == ("path", label) and "." in label and not label[0].isupper()
        ):
            return None if "/" in label or label.rsplit(".", 1)[1] in _SUFFIXES else nouns.Group(label, None, at)
        return nouns.Group(label, None, at)
    return nouns.left_of(" " * at + label, at, at + len(label))


_SUFFIXES: Final = word_set("py js ts tsx jsx rs go java c h cpp rb md txt json yaml yml toml html css sh lock cfg ini")


def _value(line: str, at: int, end: int, group: nouns.Group, base: int, tight: bool) -> tuple[Found | None, int]:
    while at < end and line[at] in " \t*":
        at += 1
    key_start = base + group.start
    if at >= end:
        return None, at
    quoted = _QUOTED.match(line, at, end)
    if quoted is not None:
        inner = quoted[quoted.lastindex or 0]
        begin = quoted.start(quoted.lastindex or 0)
        return typed(group.key, inner, base + begin, key_start, group.entity), quoted.end()
    token = (_LOGFMT if tight else _BARE).match(line, at, end)
    if token is None:
        return None, at + 1
    raw, stop = token.group(), token.end()
    if tight:
        return typed(group.key, raw, base + at, key_start, group.entity), stop
    if line[stop : stop + 1] == "," and raw[-1:].isdigit() and line[stop + 1 : stop + 4].isdigit():
        number = _THOUSANDS.match(line, at, end)
        if number is not None:
            raw, stop = number.group(), number.end()
    unit = _UNIT.match(line, stop, end)
    if unit is not None and raw[-1].isdigit() and (unit[1] in UNITS or unit[1].lower() in SIZES or unit[1] == "%"):
        raw, stop = line[at : unit.end()], unit.end()
    stamp = _STAMP.match(line, at, end)
    if stamp is not None and stamp.end() > stop:
        raw, stop = stamp.group(), stamp.end()
    moved = _MOVED.match(line, stop, end)
    if moved is not None and raw[-1].isalnum():
        # `version: 1.0 -> 1.1` binds what it is now.
        return typed(group.key, moved[1], base + moved.start(1), key_start, group.entity), moved.end()
    if raw.lstrip("-")[:1] in ("$", "€", "£") and _PLAIN_NUMBER.fullmatch(raw.rstrip(".,;")):
        return typed(group.key, raw, base + at, key_start, group.entity), stop
    if raw[-1:].isdigit() or raw[-1:] == "%":
        measured = _MEASURED.match(line, stop, end)
        if measured is not None and _PLAIN_NUMBER.fullmatch(raw) and not _RANGE.match(line, stop, end):
            return typed(group.key, raw, base + at, key_start, group.entity), measured.end()
    if _RANGE.match(line, stop, end) or not (_AFTER.match(line, stop, end) or raw[-1] in ".,;"):
        return None, stop
    return typed(group.key, raw, base + at, key_start, group.entity), stop


_PLAIN_NUMBER: Final = re.compile(r"[+-]?[$€£]?[0-9]++(?:,[0-9]{3})*+(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?%?")
_MOVED: Final = re.compile(r"[\"'`]?[ \t]*+(?:->|→|=>)[ \t]*+[\"'`]?([^\s,;|\"'`*)\]}]++)")
_THOUSANDS: Final = re.compile(r"-?[$€£]?[0-9]{1,3}(?:,[0-9]{3})++(?:\.[0-9]++)?(?![\w,])")
_STAMP: Final = re.compile(
    rf"(?:{values.WRITTEN_DATE})(?![\w:])|"
    r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]++)?)?(?: ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?"
)
