"""`Verdict`: the decision with its reasons and its plan (``policylang.verdict/v1``, SPEC §2 and §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from policylang.runtime.document import CompactionRefusedError
from policylang.runtime.reasons import Reason
from policylang.runtime.salvage import PlanItem, Salvage
from policylang.transcript.canonical import canonical

SCHEMA = "policylang.verdict/v1"

Decision = Literal["compact", "spill_lossless"]


@dataclass(frozen=True, slots=True)
class Exempted:
    """An evicted span that an `exempt` freed from being an anchor."""

    exempt: str
    span: str


@dataclass(frozen=True, slots=True)
class Details:
    """Everything beside the decision itself; worked out when it is first asked for."""

    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...]
    undetermined_warnings: tuple[Reason, ...]
    shadow: tuple[Reason, ...]
    exempted: tuple[Exempted, ...]
    salvage: Salvage
    plan: tuple[PlanItem, ...]
    anchors: int


@dataclass(frozen=True, slots=True)
class Head:
    """What a verdict is about: the policy, the request and the day."""

    epoch: int
    generation: int | None
    request: str
    policy_id: str
    policy_version: str
    policy_digest: str
    as_of: date


class Verdict:
    """The answer to one request. ``decision`` is settled at once; the rest is worked out on first use and kept."""

    __slots__ = ("_details", "_head", "_make_details", "_make_head", "decision")

    def __init__(
        self, decision: Decision, make_head: Callable[[], Head] | None, make_details: Callable[[], Details] | None
    ) -> None:
        self.decision: Decision = decision
        self._make_head = make_head
        self._make_details = make_details
        self._head: Head | None = None
        self._details: Details | None = None

    @property
    def head(self) -> Head:
        """Policy, request and day."""
        if self._head is None:
            assert self._make_head is not None
            self._head = self._make_head()
        return self._head

    @property
    def details(self) -> Details:
        """Reasons, warnings, salvage and plan."""
        details = self._details
        if details is None:
            # Two threads may both work it out, to the same end; whoever comes late finds it done.
            make = self._make_details
            details = make() if make is not None else self._details
            assert details is not None
            self._details = details
            # Let go of the facts; everything is settled now.
            self._make_details = None
        return details

    @property
    def refused(self) -> bool:
        """True unless the decision is `compact`."""
        return self.decision != "compact"

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The enforced rules that refuse."""
        return self.details.reasons

    @property
    def warnings(self) -> tuple[Reason, ...]:
        """Warnings that fired."""
        return self.details.warnings

    @property
    def undetermined_warnings(self) -> tuple[Reason, ...]:
        """Warnings that could not be decided for want of evidence."""
        return self.details.undetermined_warnings

    @property
    def shadow(self) -> tuple[Reason, ...]:
        """Rules in shadow that hold; they never decide."""
        return self.details.shadow

    @property
    def exempted(self) -> tuple[Exempted, ...]:
        """Spans that an `exempt` freed."""
        return self.details.exempted

    @property
    def salvage(self) -> Salvage:
        """What may be evicted once the rest is spilled."""
        return self.details.salvage

    @property
    def plan(self) -> tuple[PlanItem, ...]:
        """An action for each evicted span."""
        return self.details.plan

    def raise_for_refusal(self) -> None:
        """Raise `CompactionRefusedError` unless the decision is `compact`."""
        if self.refused:
            raise CompactionRefusedError("; ".join(f"{reason.rule}: {reason.message}" for reason in self.reasons))

    def to_json(self, *, source: bool = True) -> dict[str, Any]:
        """The verdict as ``policylang.verdict/v1`` spells it; without ``source`` it is the canonical content."""
        head, details = self.head, self.details
        return {
            "schema": SCHEMA,
            "decision": self.decision,
            "epoch": head.epoch,
            "generation": head.generation,
            "request": head.request,
            "policy": {"id": head.policy_id, "version": head.policy_version, "digest": head.policy_digest},
            "as_of": head.as_of.isoformat(),
            "exempted": [{"exempt": item.exempt, "span": item.span} for item in details.exempted],
            "reasons": [item.to_json(source=source) for item in details.reasons],
            "warnings": [item.to_json(source=source) for item in details.warnings],
            "undetermined_warnings": [item.to_json(source=source) for item in details.undetermined_warnings],
            "shadow": [item.to_json(source=source) for item in details.shadow],
            "salvage": details.salvage.to_json(),
            "plan": [item.to_json() for item in details.plan],
            "counts": {
                "evicted": len(details.plan),
                "anchors": details.anchors,
                "spilled": len(details.salvage.spill),
            },
        }

    def canonical(self) -> str:
        """Canonical JSON: the same policy digest, day and request give the same bytes in either spelling."""
        return canonical(self.to_json(source=False))

    def __bool__(self) -> bool:
        # `if evaluate(...)` would be true of a refusal too: whatever is not asked for by name must not decide.
        raise TypeError("a verdict is neither true nor false; ask for .decision, or call raise_for_refusal()")

    def __repr__(self) -> str:
        return f"Verdict({self.decision!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self.decision, self.head, self.details))


def _restore(decision: Decision, head: Head, details: Details) -> Verdict:
    verdict = Verdict(decision, None, None)
    verdict._head, verdict._details = head, details
    return verdict
