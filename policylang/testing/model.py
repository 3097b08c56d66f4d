"""Policy tests as data: a case, what it expects, and what came of it (SPEC §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from policylang.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class PolicyChoice:
    """Which policy a case runs: a path or shipped name, or text in one of the spellings."""

    form: Literal["name", "text", "yaml"]
    value: str


@dataclass(frozen=True, slots=True)
class Case:
    """One case.

    Attributes:
        name: As the author named it.
        place: ``file:line`` or ``file: name``, for the report.
        policy: The policy to run, None where the file is the policy (inline tests).
        given: The partial request of the case, not yet merged over the base.
        expect: Field -> expected value, as the file spells it.
        only: Rule ids that this file compares, None for all.
        folder: Where relative policy paths start.
    """

    name: str
    place: str
    policy: PolicyChoice | None
    given: Mapping[str, Any]
    expect: Mapping[str, Any]
    only: frozenset[str] | None = None
    folder: str = "."


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One expectation that did not come true, both sides as JSON values."""

    field: str
    expected: Any
    actual: Any


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of a case.

    ``outcome`` is `passed`, `failed`, or `not-run` with the reason in ``note``. ``vacuous`` are rules that ranged over
    nothing: skipped is not passed.
    """

    case: Case
    outcome: Literal["passed", "failed", "not-run"]
    mismatches: tuple[Mismatch, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    verdict: Mapping[str, Any] | None = None
    vacuous: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class TestReport:
    """All results of one run, in the order of the files and of their cases."""

    results: tuple[CaseResult, ...]
    files: tuple[str, ...] = field(default=())

    __test__ = False

    def count(self, outcome: str) -> int:
        """How many cases came out so."""
        return sum(result.outcome == outcome for result in self.results)
