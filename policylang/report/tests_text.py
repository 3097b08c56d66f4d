"""A test run for a person: both sides of every mismatch, what did not run and why, what ranged over nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from policylang.report.blocks import Block, Gap, Piece, Text, line
from policylang.report.width import visible

Result = Mapping[str, Any]


def listing_report(document: Mapping[str, Any]) -> Iterator[Block]:
    """The tests there are, one a line, and how many."""
    for test in document["tests"]:
        yield Text(line(Piece(visible(test["place"]), "muted"), ": ", visible(test["name"])))
    yield Text(line(Piece(_number(len(document["tests"]), "test"), "strong")))


def tests_report(document: Mapping[str, Any]) -> Iterator[Block]:
    """A ``policylang.test/v1`` document."""
    results: list[Result] = document["results"]
    for result in results:
        if result["outcome"] == "failed":
            yield from _failure(result)
    yield from _not_run([result for result in results if result["outcome"] == "not-run"])
    yield from _vacuous(results)
    yield from _summary(document["counts"])


def _failure(result: Result) -> Iterator[Block]:
    yield Text(line(Piece("FAILED ", "bad"), Piece(visible(result["place"]), "strong"), ": ", visible(result["name"])))
    for item in result["mismatches"]:
        yield Text(line(visible(item["field"])), indent=2)
        yield Text(line(Piece("expected  ", "good"), _value(item["expected"])), indent=4, hang=10)
        yield Text(line(Piece("actual    ", "bad"), _value(item["actual"])), indent=4, hang=10)
    for item in result["diagnostics"]:
        yield from _diagnostic(item)
    for reason in (result["verdict"] or {}).get("reasons", ()):
        wanting = " (undetermined)" if reason["undetermined"] else ""
        head = Piece(f"{visible(reason['rule'])}{wanting}", "name")
        yield Text(line(Piece("refused by ", "muted"), head, ": ", visible(reason["message"])), indent=2)
    yield Gap()


def _diagnostic(item: Mapping[str, Any]) -> Iterator[Block]:
    where = f"{item['file']}:{item['line']}:{item['column']}: " if item["file"] is not None else ""
    code = Piece(f"{item['severity']}[{item['code']}]", "bad")
    yield Text(line(Piece(visible(where), "strong"), code, f": {visible(item['message'])}"), indent=2)
    if item["help"] is not None:
        yield Text(line(Piece("help: ", "info"), visible(item["help"])), indent=4)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return visible(value)
    return visible(json.dumps(value, ensure_ascii=False))


def _not_run(results: list[Result]) -> Iterator[Block]:
    if not results:
        return
    yield Text(line(Piece("Not run", "warn"), " (skipped is not passed)"))
    for note in sorted({result["note"] or "no reason given" for result in results}):
        yield Text(line(f"{visible(note)}:"), indent=2)
        for result in results:
            if (result["note"] or "no reason given") == note:
                place = Piece(visible(result["place"]), "muted")
                yield Text(line(place, ": ", visible(result["name"])), indent=4)
    yield Gap()


def _vacuous(results: list[Result]) -> Iterator[Block]:
    """Rules that ranged over nothing: the more tests out of all, the less is tested of them."""
    decided = sum(result["decision"] is not None for result in results)
    counts = Counter(rule for result in results for rule in result["vacuous"])
    if not counts:
        return
    yield Text(line(Piece("Vacuous", "warn"), " (the rule ranged over nothing, so the test says nothing of it)"))
    for rule, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        how_often = f" in {number} of {_number(decided, 'test')}"
        yield Text(line(Piece(visible(rule), "name"), how_often), indent=2)
    yield Gap()


def _summary(counts: Mapping[str, int]) -> Iterator[Block]:
    passed = Piece(f"{counts['passed']} passed", "good" if counts["passed"] else "muted")
    failed = Piece(f"{counts['failed']} failed", "bad" if counts["failed"] else "muted")
    not_run = Piece(f"{counts['not_run']} not run", "warn" if counts["not_run"] else "muted")
    yield Text(line(passed, ", ", failed, ", ", not_run, f" in {_number(counts['files'], 'file')}"))


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
