"""What can still be compacted when the epoch is refused: the salvage and the plan (SPEC §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from policylang.rules_ir.facts import SpanFacts, World
from policylang.runtime.reasons import Reason

Action = Literal["compact", "spill", "restate"]

Round = Callable[[frozenset[int], frozenset[int], World], tuple[World, tuple[Reason, ...]]]
"""(positions spilled, positions of them restated, last world) -> the world then, and the enforced reasons in it."""


@dataclass(frozen=True, slots=True)
class PlanItem:
    """What to do with one evicted span, and the rules that say so."""

    span: str
    action: Action
    rules: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The item as ``policylang.verdict/v1`` spells it."""
        return {"span": self.span, "action": self.action, "rules": list(self.rules)}


@dataclass(frozen=True, slots=True)
class Salvage:
    """The spans that may be evicted once the others are spilled; both are ids in position order."""

    evict: tuple[str, ...]
    spill: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The salvage as ``policylang.verdict/v1`` spells it."""
        return {"evict": list(self.evict), "spill": list(self.spill)}


def plan_epoch(world: World, reasons: Sequence[Reason], again: Round) -> tuple[Salvage, tuple[PlanItem, ...]]:
    """The salvage and the plan of one epoch.

    Args:
        world: The facts as the request gives them.
        reasons: The enforced reasons to refuse; none for `compact`.
        again: Evaluates the same policy with some spans spilled.
    """
    evicted = list(world.evicted)
    position = {span.id: span.position for span in evicted}
    because: dict[int, set[str]] = {}
    spilled: frozenset[int] = frozenset()
    last = world
    while reasons:
        named = _named(reasons, position, because)
        if any(reason.scope == "epoch" for reason in reasons) or not named - spilled:
            # Nothing less than the whole epoch answers the refusal.
            everything = frozenset(position.values())
            of_epoch = {reason.rule for reason in reasons if reason.scope == "epoch"}
            rules = of_epoch or {reason.rule for reason in reasons if not named}
            for number in everything:
                because.setdefault(number, set()).update(rules)
            spilled = everything
            break
        spilled |= named
        last, reasons = again(spilled, _restated(evicted, spilled, because), last)
    restated = _restated(evicted, spilled, because)
    plan = tuple(
        PlanItem(span.id, _action(span.position, spilled, restated), tuple(sorted(because.get(span.position, ()))))
        for span in evicted
    )
    salvage = Salvage(
        tuple(span.id for span in evicted if span.position not in spilled),
        tuple(span.id for span in evicted if span.position in spilled),
    )
    return salvage, plan


def spill_all(world: World, rule: str) -> tuple[Salvage, tuple[PlanItem, ...]]:
    """The plan that needs no evidence: spill every evicted span, keep instructions word for word."""
    plan = tuple(
        PlanItem(span.id, "restate" if span.klass == "instruction" else "spill", (rule,)) for span in world.evicted
    )
    return Salvage((), tuple(item.span for item in plan)), plan


def _named(reasons: Iterable[Reason], position: Mapping[str, int], because: dict[int, set[str]]) -> frozenset[int]:
    named = set()
    for reason in reasons:
        if reason.scope != "epoch":
            for span in reason.spans:
                named.add(position[span])
                because.setdefault(position[span], set()).add(reason.rule)
    return frozenset(named)


def _restated(evicted: Sequence[SpanFacts], spilled: frozenset[int], because: Mapping[int, set[str]]) -> frozenset[int]:
    """A contradicted value must not stay the only one in sight, and an instruction is kept word for word."""
    return frozenset(
        span.position
        for span in evicted
        if span.position in spilled
        and (span.klass == "instruction" or "anchor-contradicted" in because.get(span.position, ()))
    )


def _action(number: int, spilled: frozenset[int], restated: frozenset[int]) -> Action:
    return "restate" if number in restated else "spill" if number in spilled else "compact"


def restatement(span: SpanFacts) -> str:
    """The line that a `restate` keeps beside the pointer: an instruction's whole text, else ``key = value; …``."""
    if span.klass == "instruction" or not span.assertions:
        return span.text
    facts = dict.fromkeys(
        f"{item.entity + ' ' if item.entity else ''}{item.key} = {item.data.raw}" for item in span.assertions
    )
    return "; ".join(facts)
