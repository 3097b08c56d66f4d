"""How fast evidence is read out of text, as a theme of the whole run: the figures of `benchmarks.extraction`."""

from __future__ import annotations

from typing import Any, Final

from benchmarks import extraction
from benchmarks.model import Cell, Goal, Report, Table

NAME: Final = "extraction"
TITLE: Final = "Reading evidence out of text"

LINEAR: Final = 8.0
"""Times the seconds that eight times the text takes, if extraction is linear."""


def run(quick: bool) -> Report:
    """Throughput by kind of tool result, the scan beside `re`, and texts made to be slow."""
    return report(extraction.measure(1 if quick else 3))


def report(found: dict[str, Any]) -> Report:
    """The tables of one measurement."""
    rates, scan = found["mb_per_s"], found["scan_mb_per_s"]
    rows: list[tuple[Cell, ...]] = [(f"extraction: {name}", rate) for name, rate in rates.items()]
    rows += [
        ("superset scan alone, RE2", scan["re2"]),
        ("superset scan alone, standard `re`", scan["re"]),
        ("RE2 ÷ `re`", scan["re2"] / scan["re"]),
    ]
    notes = (
        f"{found['results']} tool results, {found['megabytes']:.2f} MB, from {found['corpus']}; best of several runs, "
        "nothing remembered. The scan looks for lines that could hold an assertion; both engines scan the same texts "
        "with the same pattern. What is not a candidate line is never looked at again, so dense text is slower.",
    )
    hostile = tuple(
        (f"`{name}`", row["seconds_1.25MB"], row["seconds_10MB"], row["ratio"])
        for name, row in found["adversarial"].items()
    )
    worst = max(row["ratio"] for row in found["adversarial"].values())
    tables = (
        Table("Extraction from tool results", ("", "MB/s"), tuple(rows), notes),
        Table(
            "Texts made to be slow",
            ("one text of", "1.25 MB, s", "10 MB, s", "ratio"),
            hostile,
            (f"{LINEAR:.0f} is linear; the memory for repeated lines makes some cheaper.",),
        ),
    )
    return Report(
        tables,
        (
            Goal("extraction: 10 MB ÷ 1.25 MB of the text with the worst ratio", worst, 1.5 * LINEAR, "×"),
            Goal("superset scan: RE2 ÷ standard `re`", scan["re2"] / scan["re"], 5.0, "×", False),
        ),
    )
