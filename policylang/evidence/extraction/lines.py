"""One line of plain text: acts, pairs and prose, each fact once.

A line is looked at by the readers whose words it holds: most lines of a log call for one or two of them. The patterns
of the readers run on at most `MAX_LINE` characters and repeat possessively, so that a line's cost is bounded.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from policylang.evidence import text as texts
from policylang.evidence.extraction import acts, conventional, jsondoc, literals, neighbours, pairs, prose, writes
from policylang.evidence.extraction.found import MAX_LINE, Found
from policylang.evidence.lexicon import COUNTED, DONE, word_set

MAX_INSTALLED: Final = 16_000
"""Characters that are read of the one line in which pip lists all that it installed."""
SHORT: Final = 240
"""Lines up to this length are remembered: harnesses and builds print the same ones again and again."""

_ACTED: Final = frozenset({"write", "exit_code", "http_status", "id"})
_PREFIX: Final = re.compile(
    r"[ \t]*+(?:\[?(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ])?[0-9]{2}:[0-9]{2}:[0-9.,:]{2,15}(?:Z"
    r"|[+-][0-9:]{4,6})?(?:\]|(?=[ \t]))"
    r"[ \t|-]*+|[A-Z][a-z]{2} [ 0-9]\d \d\d:\d\d:\d\d [\w.-]{1,64} [\w./-]{1,64}(?:\[\d{1,7}\])?: "
    r"|[IWEF]\d{4} [0-9:.]{15}[^\]\n]{1,60}\] )?"
    r"(?:[\w.:-]{1,40} (?:- )?)??(?:[\[(]?(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE|FATAL|NOTICE|CRITICAL|info|warn"
    r"|warning|error|debug)"
    r"(?:[ \t]*+[\])](?:[ \t:|-]|\Z)|:[\w.]{1,40}:|[ \t:|-])[ \t:|-]*+(?:\[[\w.:-]{1,60}\][ \t:"
    r"|-]*+)?(?:[\w.:]{1,60}\][ \t]*+)?)?"
)
_LABELLED: Final = re.compile(r"[^`{}\[\]]{0,80}")
_PROMPT: Final = re.compile(
    r"[ \t]*+(?:\([\w.-]{1,40}\) )?(?:\$ (?=[A-Za-z./~_(\"'])|>{1,3} |\.\.\. |In \[\d+\]: |PS [^>\n]{1,200}> "
    r"|\[?[\w.-]{1,64}@[\w.-]{1,64}[: ][^#$\n]{0,200}[#$] )"
)
_DIGIT: Final = re.compile(r"[0-9]")
_SPACES: Final = str.maketrans(dict.fromkeys(".,:;!?()[]{}<>=|/\\\"'`*#@+\t…“”‘’", " "))
_COUNTED: Final = COUNTED | DONE | word_set("filtered")


def read(line: str, base: int) -> list[Found]:
    """Facts of one line; `base` is its offset in the text."""
    found = _remembered(line) if len(line) <= SHORT else _read(line)
    if not base:
        return list(found)
    # Spelt out, as `_replace` costs three times as much.
    return [
        Found(entity, key, value, type_, start + base, end + base, key_start + base, polarity, per_call)
        for entity, key, value, type_, start, end, key_start, polarity, per_call in found
    ]


@lru_cache(maxsize=8_192)
def _remembered(line: str) -> tuple[Found, ...]:
    return _read(line)


def words_of(line: str) -> frozenset[str]:
    """The lower-case words of a line, which tell the readers that it needs."""
    return frozenset(line.lower().translate(_SPACES).split())


def forget() -> None:
    """Empty the memory for short lines; measurements do, so that they time reading."""
    _remembered.cache_clear()


def _read(line: str) -> tuple[Found, ...]:
    start = _PREFIX.match(line)
    begin = start.end() if start else 0
    if line.startswith(_TRACED):
        return ()
    inner = _inline_json(line, begin)
    if inner:
        return tuple(inner)
    told: list[Found] = []
    if ("{" in line or "(" in line or "[" in line) and not line.startswith(_ECHOES):
        line, told = _objects(line)
    short = line[: MAX_INSTALLED if line.startswith("Successfully installed ") else MAX_LINE]
    if _PROMPT.match(short):
        # The echo of a command is a call, and a call asserts nothing; a package script's own line names its release.
        told = []
        if short.startswith("> "):
            neighbours.releases(short, 0, told)
        return tuple(told)
    digit = _DIGIT.search(short) is not None
    if digit and len(short) < 200 and " " not in short.strip(" +") and conventional.alone(short, told):
        return tuple(told)
    words = words_of(short)
    if not conventional.WORDS.isdisjoint(words):
        conventional.read(short, words, told)
    if digit and not told and short[0] in "0123456789abcdef ":
        conventional.oneline(short, told)
    found = told + _acts(short, words, digit)
    acted = [fact for fact in found if fact.type in _ACTED]
    paired = ":" in short or "=" in short
    for clause in texts.clauses(short, begin, moods=not texts.MOOD_WORDS.isdisjoint(words)):
        end, binds = clause.end, clause.binds
        if paired:
            told = pairs.read(short, 0, clause.start, end, binds)
            found = _labelled(found, told) + told
        if not binds and clause.mood == texts.WISH:
            # "NOT applied, please use the updated file": the wish begins behind the comma.
            wish = _ASKING.search(short, clause.start, end)
            if wish is not None and texts.mood(short[clause.start : wish.start()]) == texts.STATEMENT:
                end, binds = wish.start(), True
        if binds:
            stated = prose.read(short[clause.start : end], clause.start, clause.denied, words, digit)
            # "File created at /x", "Process exited with code 1": the act is the fact, its verb is no second one.
            found += [
                fact for fact in stated if fact.type != "state" or not (_of_act(fact, acted) or _of_key(fact, found))
            ]
    return tuple(_once(found, len(short)))


def _objects(line: str) -> tuple[str, list[Found]]:
    """The line with the objects in it blanked, and their facts where it states them."""
    found, spots = literals.inline(line, MAX_LINE)
    if not spots:
        return line, found
    lead = line[: spots[0][0]]
    if texts.mood(lead) != texts.STATEMENT:
        found = []
    for start, end in spots:
        line = line[:start] + " " * (end - start) + line[end:]
    return line, found


_TRACED: Final = ("E   ", ">   ")
"""How a test runner marks the lines of a failed check: they say what was expected as much as what is."""
_ECHOES: Final = (">>> ", "... ", "$ ")


def _acts(line: str, words: frozenset[str], digit: bool) -> list[Found]:
    found: list[Found] = []
    if digit:
        if not acts.EXIT_WORDS.isdisjoint(words):
            acts.exits(line, 0, found)
            acts.http(line, 0, found)
        elif "http" in words or "responded" in words:
            acts.http(line, 0, found)
        acts.sums(line, 0, found)
        if line[0] in "rus":
            acts.times(line, 0, found)
        if not _COUNTED.isdisjoint(words):
            neighbours.counts(line, 0, found, words)
        if not acts.INTRO_VERBS.isdisjoint(words):
            acts.intros(line, 0, found)
        if not acts.MIGRATING.isdisjoint(words):
            acts.migrations(line, 0, found)
    if line[0] in "[cMOSA*/" or "head" in words:
        acts.git(line, 0, found)
        writes.listed(line, 0, found)
    if not writes.VERBS.isdisjoint(words):
        writes.read(line, 0, found)
    return found


def _of_act(state: Found, acted: list[Found]) -> bool:
    """True if the state word is the verb of an act that was told already."""
    return any(act.key_start - 24 <= state.start <= act.end + (0 if act.type == "exit_code" else 60) for act in acted)


def _of_key(state: Found, found: list[Found]) -> bool:
    """True if the state word is part of a key: `Test passed: True`."""
    return any(fact.key_start <= state.start < fact.start for fact in found)


_ASKING: Final = re.compile(r", (?:so )?(?:please|try|you (?:should|can|may|must|need))\b")


def _labelled(found: list[Found], told: list[Found]) -> list[Found]:
    """The facts without counts that a label names better, or holds: `Queue depth: 42 items`, `Test 3 passed: yes`."""
    if not told:
        return found
    starts = {fact.start for fact in told}
    return [
        fact
        for fact in found
        if fact.type != "count"
        or (
            (fact.per_call or fact.key in DONE or fact.start not in starts)
            and not any(pair.key_start <= fact.start < fact.end <= pair.start for pair in told)
        )
    ]


def _once(found: list[Found], size: int) -> list[Found]:
    """Drop a fact whose value lies inside one found before: acts know more than pairs, pairs more than prose."""
    if len(found) < 2:
        return found
    kept: list[Found] = []
    taken = bytearray(size + 1)
    for fact in found:
        if not any(taken[fact.start : fact.end]):
            taken[fact.start : fact.end] = b"\x01" * (fact.end - fact.start)
            kept.append(fact)
    return kept


def _inline_json(line: str, begin: int) -> list[Found]:
    """Facts of a JSON document that fills the line from its first brace or bracket on (JSON lines, `result: {…}`)."""
    at = min((spot for spot in (line.find('{"', begin), line.find('[{"', begin)) if spot >= 0), default=-1)
    if at < 0 or not _LABELLED.fullmatch(line, begin, at):
        return []
    document = jsondoc.read(line, at, len(line))
    return [] if document.end == at or line[document.end :].strip(" \t\r,;.") else document.found
