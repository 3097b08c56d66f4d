"""Reports as Markdown, and the part of a page that they are written into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import fill
from typing import Final

from benchmarks.model import Cell, Goal, Report, Table

BEGIN: Final = "<!-- figures: written by python -m benchmarks --write -->"
WIDTH: Final = 120
END: Final = "<!-- end of figures -->"


def cell(value: Cell) -> str:
    """A figure with three digits that count; what was not measured is a dash."""
    match value:
        case None:
            return "–"
        case float():
            return figure(value)
        case int():
            return count(value)
        case str():
            return value


def count(value: int) -> str:
    """A whole number, its thousands apart."""
    return f"{value:,}".replace(",", " ")


def figure(value: float, digits: int = 3) -> str:
    """A number with so many digits that count, none of them in an exponent."""
    if value == 0:
        return "0"
    # Rounded first, so that 9.999 counts as the 10.0 that it is shown as.
    places = digits - 1 - int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{round(value, places):,.{max(0, places)}f}".replace(",", " ")


def markdown(reports: Mapping[str, tuple[str, Report]], machine: Mapping[str, str]) -> str:
    """The whole run: machine, goals, then a section a theme. ``reports`` holds title and report by name."""
    return "\n".join(_page(reports, machine)).strip() + "\n"


def _page(reports: Mapping[str, tuple[str, Report]], machine: Mapping[str, str]) -> Iterator[str]:
    yield fill("Measured on: " + "; ".join(f"{name} {value}" for name, value in machine.items()) + ".", WIDTH)
    goals = [goal for _, report in reports.values() for goal in report.goals]
    if goals:
        yield "\n## Goals\n"
        yield from _rows(("goal", "bound", "measured", ""), map(_goal, goals))
    for title, report in reports.values():
        yield f"\n## {title}"
        for table in report.tables:
            yield from _table(table)


def _goal(goal: Goal) -> tuple[Cell, ...]:
    word = "at most" if goal.at_most else "at least"
    verdict = "met" if goal.is_met else "**missed**"
    return goal.what, f"{word} {goal.bound:g} {goal.unit}", f"{figure(goal.measured)} {goal.unit}", verdict


def _table(table: Table) -> Iterator[str]:
    yield f"\n### {table.title}\n"
    yield from _rows(table.head, table.rows)
    if table.notes:
        yield ""
        yield from (fill(note, WIDTH, initial_indent="- ", subsequent_indent="  ") for note in table.notes)


def _rows(head: tuple[str, ...], rows: Iterable[tuple[Cell, ...]]) -> Iterator[str]:
    yield _line(head)
    yield _line(("---", *("---:" for _ in head[1:])))
    yield from (_line(tuple(map(cell, row))) for row in rows)


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |"


def written_into(page: str, figures: str, begin: str = BEGIN, end: str = END) -> str:
    """A page with the part between its two markers replaced.

    Raises:
        ValueError: the page does not hold each marker once, in order.
    """
    before, found_begin, rest = page.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end or begin in rest or end in after:
        raise ValueError(f"the page must hold `{begin}` and then `{end}`, each once")
    return f"{before}{begin}\n\n{figures}\n{end}{after}"
