"""One line of plain text: pairs, acts and prose, each fact once."""

from __future__ import annotations

import re
from typing import Final

from policylang.evidence import text as texts
from policylang.evidence.extraction import acts, jsondoc, pairs, prose
from policylang.evidence.extraction.found import Found

_ACTED: Final = frozenset({"write", "exit_code", "id"})
MAX_PROSE: Final = pairs.MAX_LINE

_PREFIX: Final = re.compile(
    r"[ \t]*+(?:\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,15}(?:Z|[+-][0-9:]{4,6})?\]?[ \t]*+)?"
    r"(?:[\[(]?(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE|FATAL|NOTICE|info|warn|error|debug)[\])]?[ \t:|-]++)?"
)


_LABELLED: Final = re.compile(r"[^`{}\[\]]{0,80}")


def read(line: str, base: int) -> list[Found]:
    """Facts of one line; `base` is its offset in the text."""
    start = _PREFIX.match(line)
    begin = start.end() if start else 0
    inner = _inline_json(line, base, begin)
    if inner:
        return inner
    short = line[:MAX_PROSE]
    found = acts.read(short, base)
    acted = any(fact.type in _ACTED for fact in found)
    for clause in texts.clauses(short, begin):
        piece = short[clause.start : clause.end]
        found += pairs.read(short, base, clause.start, clause.end, clause.binds)
        if clause.binds:
            told = prose.read(piece, base + clause.start, clause.denied)
            # "File created at /x", "Process exited with code 1": the act is the fact, its verb is no second one.
            found += [fact for fact in told if fact.type != "state"] if acted else told
    return once(found)


def once(found: list[Found]) -> list[Found]:
    """Drop a fact whose value lies inside one found before: acts know more than pairs, pairs more than prose."""
    kept: list[Found] = []
    for fact in found:
        if not any(other.start < fact.end and fact.start < other.end for other in kept):
            kept.append(fact)
    return kept


def _inline_json(line: str, base: int, begin: int) -> list[Found]:
    """Facts of a JSON document that fills the line from its first brace or bracket on (JSON lines, `result: {…}`)."""
    at = min((spot for spot in (line.find('{"', begin), line.find('[{"', begin)) if spot >= 0), default=-1)
    if at < 0:
        return []
    document = jsondoc.read(line, at, len(line))
    if document.end == at or line[document.end :].strip(" \t\r,;.") or not _LABELLED.fullmatch(line, begin, at):
        return []
    return [
        fact._replace(start=fact.start + base, end=fact.end + base, key_start=fact.key_start + base)
        for fact in document.found
    ]
