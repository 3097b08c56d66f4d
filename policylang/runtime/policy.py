"""`Policy`: a loaded policy, ready to evaluate. Frozen, safe to share between threads, and picklable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from policylang.check import load as load_checked
from policylang.check import load_text as load_checked_text
from policylang.compiler.fused import Fused, fuse
from policylang.rules_ir.policy import CheckedPolicy, Rule
from policylang.rules_ir.resolve import resolve_policy


@dataclass(frozen=True, slots=True)
class Effective:
    """A policy on one day: its rules and settings, the function that the rules compile to, and which of them decide."""

    checked: CheckedPolicy
    fused: Fused
    deciding: tuple[bool, ...]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in force, in the policy's order."""
        return self.checked.rules


def decides(rule: Rule) -> bool:
    """Whether a rule that holds, or is unknown, refuses the epoch."""
    return rule.level == "refuse" and rule.mode == "enforce"


class Policy:
    """A checked policy with its compiled rules, by the day that settles its expiries.

    Attributes:
        checked: The typed policy.
    """

    __slots__ = ("_effective", "checked")

    checked: CheckedPolicy
    _effective: dict[date, Effective]

    def __init__(self, checked: CheckedPolicy) -> None:
        object.__setattr__(self, "checked", checked)
        object.__setattr__(self, "_effective", {})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a policy is frozen; `{name}` cannot be set")

    @property
    def id(self) -> str:
        """The policy's id."""
        return self.checked.id

    @property
    def version(self) -> str:
        """The policy's version."""
        return self.checked.version

    @property
    def digest(self) -> str:
        """``sha256:…`` over the syntax of every layer, the same for both spellings and however it is laid out."""
        return self.checked.digest

    def on(self, as_of: date) -> Effective:
        """The policy as it holds on a day; compiled once for all days that decide alike."""
        found = self._effective.get(as_of)
        if found is None:
            checked = resolve_policy(self.checked, as_of)
            same = next((one for one in list(self._effective.values()) if one.checked == checked), None)
            found = same or Effective(checked, fuse(checked.rules), tuple(map(decides, checked.rules)))
            # Two threads may both get here, hence the copy above; they store equal values.
            self._effective[as_of] = found
        return found

    def __repr__(self) -> str:
        return f"Policy({self.id!r}, version {self.version!r}, {len(self.checked.rules)} rules)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Policy, (self.checked,))


def load(*paths: str | Path) -> Policy:
    """Load one policy from files, folders and shipped names (`std/standard`).

    Raises:
        PolicyError: with every diagnostic of every file, in source order; nothing is loaded then.
    """
    return Policy(load_checked(paths))


def load_text(text: str, name: str = "<text>") -> Policy:
    """Load a policy from DSL text.

    Raises:
        PolicyError: as for `load`.
    """
    return Policy(load_checked_text(text, name))


def today() -> date:
    """Today's UTC date, the default of ``as_of``."""
    return datetime.now(UTC).date()
