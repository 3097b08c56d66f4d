"""Prose: `key is value`, `key went from A to B`, `commit 3f9ac1d`, `migration 0042 applied`."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from policylang.evidence import keys, values
from policylang.evidence.extraction import neighbours, nouns
from policylang.evidence.extraction.found import MAX_HITS, Found, typed
from policylang.evidence.lexicon import COUNTED, DONE, FALSE_WORDS, SIZES, STATE_WORDS, TRUE_WORDS, UNITS, word_set

_COPULA: Final = re.compile(
    r"(?i)[ \t](?:is now|is currently|is|was|are|were|equals|has been set to|was set to|is set to|set to|now at"
    r"|is at|changed to|bumped to|upgraded to|updated to)"
    r"[ \t]++((?:not|no longer|never|now|still|already|also)[ \t]++)?[\"'`*]{0,3}([^\s\"'`*,;()]++)"
)
_CHANGE: Final = re.compile(
    r"(?i)\bfrom[ \t]++[\"'`*]{0,3}([^\s\"'`*,;()]++)[\"'`*]{0,3}[ \t]++to[ \t]++[\"'`*]{0,3}([^\s\"'`*,;()]++)"
)
_STATES: Final = sorted(STATE_WORDS | TRUE_WORDS - {"yes", "on", "true"} | FALSE_WORDS - {"no", "off", "false"})
_STATE: Final = re.compile(
    r"(?i)[ \t]((?:(?:is|was|are|were|has|have|had|got)(?:n[’']t|[ \t]++(?:not|never"
    r"|no longer))?(?:[ \t]++been)?[ \t]++(?:now[ \t]++)?)?)"
    r"((?:not|never|no longer|successfully|already|now|fully)[ \t]++)?(" + "|".join(_STATES) + r")(?![\w-])"
)
_ENDS: Final = re.compile(
    r"[\"'`*]{0,3}[ \t]*+(?:\Z|[.,;:!)\]]|\(|[-–—]{1,2}[ \t]|(?:in|at|on|by|to|for|with|after|before|since|and"
    r"|successfully|via|as|from|due|because|yesterday|today|already|now|again)(?!\w))"
)
_DENYING: Final = re.compile(r"(?i)n[’']t|\bnot\b|\bnever\b|\bno longer\b")
_NOT: Final = frozenset({"not", "never", "no longer"})
_RANGED: Final = re.compile(
    r"[\"'`*]{0,3}[ \t]*+(?:and|or|to|through|/|–|-|\.\.\.?)[ \t]*+[\dvV$]|[ \t]*+(?:or|/)[ \t]"
)
_UNIT: Final = re.compile(r"[ \t]([A-Za-zµμ%]++)")
_NUMERIC: Final = frozenset(
    {"number", "count", "version", "duration", "size", "port", "http_status", "exit_code", "timestamp"}
)
_WEAK: Final = word_set(
    "result output value line thing change everything something nothing one problem issue error point reason "
    "case way idea time example answer total sum difference"
)


def read(clause: str, base: int, denied: bool, words: frozenset[str], digit: bool) -> list[Found]:
    """Facts of one stating clause.

    Args:
        clause: Its text.
        base: Its offset.
        denied: True for "it is not true that …".
        words: Lower-case words of the line, which tell what need not be looked for.
        digit: True if the line holds a digit.
    """
    found: list[Found] = []
    if "from" in words and "to" in words:
        _changes(clause, base, found)
    if not _COPULAS.isdisjoint(words):
        _copulas(clause, base, found)
    if digit:
        neighbours.read(clause, base, found, words)
    if not _STATE_WORDS.isdisjoint(words):
        _states(clause, base, found)
        if " - " in clause or " — " in clause or " – " in clause:
            _dashed(clause, base, found)
    if not denied:
        return found
    return [fact._replace(polarity=not fact.polarity) for fact in found]


_ENUM_END: Final = re.compile(r"[\"'`*]{0,3}[ \t]*+(?:\Z|[.,;)])")
_COPULAS: Final = word_set("is was are were equals set now at to")
_STATE_WORDS: Final = frozenset(_STATES)


def _taken(found: list[Found], start: int) -> bool:
    return any(fact.start <= start < fact.end for fact in found)


def _with_unit(clause: str, raw: str, end: int) -> tuple[str, int]:
    unit = _UNIT.match(clause, end)
    if unit is not None and raw[-1].isdigit() and (unit[1] in UNITS or unit[1].lower() in SIZES or unit[1] == "%"):
        return raw + clause[end : unit.end()], unit.end()
    return raw, end


def _changes(clause: str, base: int, found: list[Found]) -> None:
    """`X went from A to B` binds B."""
    for hit in islice(_CHANGE.finditer(clause), MAX_HITS):
        left = clause[: hit.start()].rstrip()
        cut = left.rsplit(" ", 1)
        verb = cut[-1].lower() if len(cut) == 2 else ""
        bumped = _BUMPED.search(left)
        if bumped is not None and verb == bumped[1].lower():
            cut = [left, ""]  # "Upgraded foo from 1.2 to 1.3"
        elif not nouns.is_stop(verb) and verb not in ("went", "rose", "fell", "grew", "dropped", "migrated"):
            continue
        group = nouns.left_of(clause, 0, len(cut[0]))
        if group is None:
            continue
        old, new = values.classify(hit[1], group.key), values.classify(hit[2], group.key)
        if old is None or new is None or old[0] != new[0]:
            continue
        raw, _ = _with_unit(clause, hit[2], hit.end(2))
        fact = typed(group.key, raw, base + hit.start(2), base + group.start, group.entity)
        if fact is not None:
            if bumped is not None and fact.type == "number":
                fact = fact._replace(type="version")
            found.append(fact)


_BUMPED: Final = re.compile(r"(?i)\b(?:upgrad|updat|bump|downgrad)(?:e|ed|ing|ped|ping) ([\w./@-]++)\Z")


def _copulas(clause: str, base: int, found: list[Found]) -> None:
    at = tries = 0
    while tries < MAX_HITS and (hit := _COPULA.search(clause, at)) is not None:
        tries += 1
        at = hit.start(2)
        start = hit.start(2)
        raw, end = _with_unit(clause, hit[2], hit.end(2))
        if _taken(found, base + start) or _RANGED.match(clause, end):
            continue
        group = nouns.left_of(clause, 0, hit.start())
        if group is None or keys.normalise(group.key) in _WEAK:
            continue
        low = raw.rstrip(".,;:!").lower()
        if low in STATE_WORDS:
            continue
        if low in _NO_VALUES:
            continue
        kind = values.classify(raw, group.key)
        if kind is not None and kind[0] == "enum" and (nouns.is_stop(low) or not _ENUM_END.match(clause, end)):
            continue
        if kind is None or kind[0] == "path" or (kind[0] in _NUMERIC and not _ENDS.match(clause, end)):
            continue
        if kind[0] == "boolean":
            group = _named(group) or group
        polarity = (hit[1] or "").strip().lower() not in _NOT
        fact = typed(group.key, raw, base + start, base + group.start, group.entity, polarity)
        if fact is not None:
            found.append(fact)


_NO_VALUES: Final = word_set(
    "on off yes no in a an the not as used shown unknown that this what which known set given required possible "
    "expected needed empty now then there one none ignored correct wrong different same also only available"
)


def _states(clause: str, base: int, found: list[Found]) -> None:
    """A state word after its noun: `migration 0042 [was] [not] applied`.

    Without a copula only a short subject that opens the clause counts, and the state word must end it: "with sign-in
    access available" and "Total Value Locked" state nothing.
    """
    for hit in islice(_STATE.finditer(clause), MAX_HITS):
        start, end = hit.start(3), hit.end(3)
        if _taken(found, base + start) or clause[: hit.start()].endswith((":", ")", ",")):
            continue
        told = False
        joined, word = bool(hit[1]), hit[3].lower()
        if (word in COUNTED or word in DONE) and _COUNT_LEFT.search(clause, max(0, hit.start() - 14), hit.start()):
            continue
        if clause.count(" ") > 14 and not any(char.isdigit() for char in clause[: hit.start()]):
            continue  # a sentence that explains; what tools say of a state is short, or names the thing
        if _HABIT.match(clause, end) or (joined and (len(clause) > 160 or _RELATIVE.search(clause, 0, hit.start()))):
            continue
        group = nouns.left_of(clause, 0, hit.start())
        group = _named(group) if group is not None else None
        if group is not None and group.entity is None and " " in group.key and clause[hit.start() - 1] in "`'\"":
            words = [word for word in group.key.split() if word not in ("npm", "error")]
            told = bool(words[1:]) and clause.lstrip().startswith("npm error")
            group = nouns.Group(" ".join(words[:-1]), words[-1], group.start)  # script `check` failed
        if group is None or not (_ENDS if joined or group.entity else _CLOSES).match(clause, end):
            continue
        left = clause[: group.start].rstrip()
        before = left.strip(_MARKS).lower().split()
        opens = not before or before[-1] in _OPENERS or left.endswith((",", ":", "(", "["))
        opens = opens or told or (len(before) == 1 and not before[0][0].isalnum())
        if not (joined or (opens and len(group.key.split()) <= 3)) or (word in _ACTS and group.entity is None):
            continue
        name = keys.normalise(group.key)
        if (name in _WEAK and name != "change") or (
            clause[group.start - 1 : group.start] in ("@", "/") and group.start
        ):
            continue
        lead = clause[max(0, group.start - 4) : group.start].lower()
        denied = (hit[2] or "").strip().lower() in _NOT or bool(_DENYING.search(hit[1])) or lead.endswith("no ")
        fact = typed(group.key, hit[3], base + start, base + group.start, group.entity, not denied)
        if fact is not None:
            found.append(fact)


def _named(group: nouns.Group) -> nouns.Group | None:
    """The group with a name that closes it (`package cargo-llvm-cov`, `flag checkout_v2`) as its entity."""
    words = group.key.split()
    if any(char in words[-1] for char in "@=<>") or words[:2] == ["npm", "error"]:
        return None
    if len(words) > 1 and group.entity is None and ("-" in words[-1] or "_" in words[-1]):
        return nouns.Group(" ".join(words[:-1]), words[-1], group.start)
    return group


_COUNT_LEFT: Final = re.compile(r"(?:^|[,;:(]|  |\t)[ \t]*\d++\Z")
_HABIT: Final = re.compile(
    r"[ \t](?:by default|for (?:the|all|each|every|any|more|your|use|a|an)\b|on (?:all|every|any|the|your|a)\b|via\b"
    r"|in (?:the|all|every|this|a|your)\b|at (?:the|your)\b|as\b)"
)
_RELATIVE: Final = re.compile(
    r"(?i)\b(?:that|which|who|where|because|since|how)\Z|^\W*(?:an?|any|some|all|each|every) "
)
_DASHED: Final = re.compile(rf"^\W{{0,6}}([^\n]{{1,120}}?) (?:—|–|-) ({'|'.join(_STATES)})[.!]?\s*\Z", re.IGNORECASE)


def _dashed(clause: str, base: int, found: list[Found]) -> None:
    """A name and its state at the line's end: `### 0-ReviewPR47 — running`."""
    hit = _DASHED.match(clause)
    if hit is None or _taken(found, base + hit.start(2)):
        return
    start = base + hit.start(2)
    kind = values.classify(hit[2])
    if kind is not None and len(hit[1].split()) <= 6:
        found.append(Found(hit[1], "state", kind[1], kind[0], start, start + len(hit[2]), base + hit.start(1)))


_MARKS: Final = " \t\"'`*#>-•✓✔✗✘×⨯[("
_OPENERS: Final = word_set("the a an your our and this that no all")
_CLOSES: Final = re.compile(
    r"[\"'`*]{0,3}[ \t]*+(?:\Z|[.,;!](?:\s|\Z)|:(?:\Z|\s++(?!(?i:true|false|yes|no|on|off)\b|\d))|[)\]]"
    r"|successfully\b|now\b|already\b|and\b)"
)
_ACTS: Final = word_set(
    "created updated modified written saved added removed deleted built synced upgraded downgraded fixed opened "
    "closed error"
    " up down open live idle draft complete done finished exited running started completed missing expired success "
    "offline online"
)
"""States that are as often an act or a common word: they need a named subject."""
