"""What a benchmark hands back: tables of raw figures, and the goals that they are held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

Cell = str | int | float | None

Unit = Literal["µs", "ns", "ms", "s", "MB/s", "×"]

PREFIXES: Final[dict[str, float]] = {"µs": 1e6, "ns": 1e9, "ms": 1e3, "s": 1.0}


def scaled(seconds: float, unit: Unit) -> float:
    """Seconds in another unit of time."""
    return seconds * PREFIXES[unit]


@dataclass(frozen=True, slots=True)
class Table:
    """One table. A cell of None is a thing that was not measured; ``notes`` say what is and is not included."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The table as plain data."""
        return {
            "title": self.title,
            "head": list(self.head),
            "rows": [list(row) for row in self.rows],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound that a figure is held against: ``measured`` should be at most, or at least, ``bound`` (same unit)."""

    what: str
    measured: float
    bound: float
    unit: Unit
    at_most: bool = True

    @property
    def is_met(self) -> bool:
        """Whether the figure keeps to the bound."""
        return self.measured <= self.bound if self.at_most else self.measured >= self.bound

    def to_json(self) -> dict[str, Any]:
        """The goal as plain data."""
        return {
            "what": self.what,
            "measured": self.measured,
            "bound": self.bound,
            "unit": self.unit,
            "at_most": self.at_most,
            "is_met": self.is_met,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The tables and goals of one theme."""

    tables: tuple[Table, ...]
    goals: tuple[Goal, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "tables": [table.to_json() for table in self.tables],
            "goals": [goal.to_json() for goal in self.goals],
        }
