"""What an explanation is made from: a policy on a day, a request, its verdict and its facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from policylang.compiler.interpret import evaluate_expression, evaluate_rules
from policylang.evidence.world import build_world
from policylang.report.explain.trace import trace
from policylang.rules_ir.facts import ChainFacts, SpanFacts, World
from policylang.rules_ir.outcome import Hit
from policylang.rules_ir.policy import Rule
from policylang.runtime.decide import evaluate
from policylang.runtime.policy import Policy, decides
from policylang.runtime.reasons import reason_of
from policylang.runtime.verdict import Verdict
from policylang.transcript.request import Request

SCHEMA = "policylang.explain/v1"

Subject = SpanFacts | ChainFacts | None


@dataclass(frozen=True, slots=True)
class Case:
    """One decision, with the facts that it rests on."""

    policy: Policy
    request: Request
    day: date
    verdict: Verdict
    world: World

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that hold on the day."""
        return self.policy.on(self.day).rules

    def subjects(self, rule: Rule) -> Sequence[Subject]:
        """What a rule ranges over, in order."""
        match rule.each:
            case "evicted":
                return list(self.world.evicted)
            case "anchors":
                return list(self.world.anchors)
            case "chains":
                return list(self.world.chains)
            case None:
                return [None]


def open_case(policy: Policy, request: Request, day: date) -> Case:
    """Decide a request and keep what was decided on."""
    verdict = evaluate(policy, request, as_of=day)
    return Case(policy, request, day, verdict, build_world(policy.on(day).checked, request, as_of=day))


def outcome_of(rule: Rule, value: object) -> str:
    """What a condition's value comes to under a rule: `passes`, or how it holds."""
    if value is False:
        return "passes"
    if rule.mode == "shadow":
        return "undetermined in shadow" if value is None else "holds in shadow"
    if decides(rule):
        return "refuses for want of evidence" if value is None else "refuses"
    return "undetermined warning" if value is None else "warns"


def rule_for(case: Case, rule: Rule, index: int, subject: Subject) -> dict[str, Any]:
    """A rule asked of one subject: the outcome, the message, the missing evidence and the whole condition."""
    slots: dict[int, object] = {} if subject is None else {0: subject}
    value = evaluate_expression(rule.condition, case.world, slots)
    out: dict[str, Any] = {
        "rule": rule.id,
        "level": rule.level,
        "mode": rule.mode,
        "scope": rule.scope,
        "outcome": outcome_of(rule, value),
        "message": None,
        "missing": [],
        "source": str(rule.loc),
        "condition": trace(rule.condition, case.world, slots).to_json(),
    }
    if value is not False:
        hit = Hit(rule, index, value is None)
        reason = reason_of(hit, case.world, case.policy.checked)
        out["message"], out["missing"] = reason.message, list(reason.missing)
    return out


def hits(case: Case, rule: Rule) -> list[Hit]:
    """Where a rule holds or is unknown."""
    return evaluate_rules([rule], case.world)


def head(case: Case, **subject: str) -> dict[str, Any]:
    """What every explanation of a decision starts with."""
    verdict = case.verdict.head
    return {
        "schema": SCHEMA,
        "of": dict(subject),
        "decision": case.verdict.decision,
        "epoch": verdict.epoch,
        "as_of": verdict.as_of.isoformat(),
        "policy": {"id": verdict.policy_id, "version": verdict.policy_version, "digest": verdict.policy_digest},
    }
