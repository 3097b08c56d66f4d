"""From hits to reasons: what a person and a program are told of each rule that holds (SPEC §2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from policylang.compiler.interpret import evaluate_expression
from policylang.compiler.shape import operands
from policylang.evidence.chain_facts import in_budget
from policylang.rules_ir.expr import Epsilon, Expr
from policylang.rules_ir.facts import ChainFacts, SpanFacts, World
from policylang.rules_ir.outcome import Hit
from policylang.rules_ir.policy import CheckedPolicy, Rule, Scope

INTERNAL_ERROR = "internal-error"
"""Named in ``missing`` where a rule could not be evaluated at all: it refuses, and says why."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One rule that holds, or is undetermined, for one span, one chain or the epoch.

    Attributes:
        rule: Rule id.
        scope: `span`, `chain` or `epoch`.
        spans: Ids of the spans concerned, in position order.
        chain: Chain id, for scope `chain`.
        message: The rule's message, filled in.
        undetermined: True if it holds only for want of evidence.
        missing: Names of the evidence that is unknown, sorted.
        evidence: The values that the condition used, by name.
        source: ``file:line:column`` of the rule.
    """

    rule: str
    scope: Scope
    spans: tuple[str, ...]
    message: str
    undetermined: bool = False
    missing: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    chain: str | None = None
    source: str | None = None

    def to_json(self, *, source: bool = True) -> dict[str, Any]:
        """The reason as ``policylang.verdict/v1`` spells it."""
        out: dict[str, Any] = {
            "rule": self.rule,
            "scope": self.scope,
            "spans": list(self.spans),
            "message": self.message,
            "undetermined": self.undetermined,
            "missing": list(self.missing),
            "evidence": dict(self.evidence),
        }
        if self.chain is not None:
            out["chain"] = self.chain
        if source:
            out["source"] = self.source
        return out


def sort_hits(hits: Sequence[Hit]) -> list[Hit]:
    """By rule id, then span position or chain id; both lists of a world are in that order already."""
    return sorted(hits, key=lambda hit: (hit.rule.id, hit.subject))


def reason_of(hit: Hit, world: World, policy: CheckedPolicy) -> Reason:
    """The reason for a hit. Whatever fails on the way is an internal error of that rule, which therefore refuses."""
    rule = hit.rule
    subject = subject_of(hit, world)
    slots: dict[int, object] = {} if subject is None else {0: subject}
    undetermined = hit.undetermined
    missing: set[str] = set()
    evidence: dict[str, Any] = {}
    message = rule.id
    try:
        for item in rule.evidence:
            value = evaluate_expression(item.expr, world, slots)
            if item.only_missing:
                missing |= {item.label} if value is True else set()
            elif value is None:
                missing.add(item.label)
            else:
                evidence[item.label] = plain(value)
        message = "".join(
            part if isinstance(part, str) else spell(evaluate_expression(part, world, slots)) for part in rule.message
        )
    except Exception as error:
        # A bug in ours must not become `compact`: the reason stays, and says that it could not be established.
        undetermined, missing = True, {INTERNAL_ERROR}
        message = f"{rule.id}: internal error ({type(error).__name__})"
    return Reason(
        rule=rule.id,
        scope=rule.scope,
        spans=tuple(span.id for span in spans_of(rule, subject, evidence)),
        chain=subject.id if isinstance(subject, ChainFacts) else None,
        message=message,
        undetermined=undetermined,
        missing=tuple(sorted(missing)) if undetermined else (),
        evidence=evidence,
        source=str(rule.loc),
    )


def subject_of(hit: Hit, world: World) -> SpanFacts | ChainFacts | None:
    """The span or chain that a hit is about."""
    match hit.rule.each:
        case "evicted":
            return world.evicted[hit.subject]
        case "anchors":
            return world.anchors[hit.subject]
        case "chains":
            return world.chains[hit.subject]
        case None:
            return None


def spans_of(rule: Rule, subject: SpanFacts | ChainFacts | None, evidence: Mapping[str, Any]) -> Sequence[SpanFacts]:
    """The spans that a reason names: its span, or the evicted spans of its chain (of the budget's kind for ε)."""
    if isinstance(subject, SpanFacts):
        return [subject]
    if not isinstance(subject, ChainFacts):
        return []
    kind = evidence.get("kind") if rule.builtin else None
    if kind is None:
        return subject.evicted
    own = next((found.excluded for found in _epsilons(rule.condition) if found.kind == kind), ())
    return [span for span in subject.evicted if in_budget(span, str(kind), own)]


def _epsilons(expr: Expr) -> Iterator[Epsilon]:
    """Every ε that a condition reads: each knows which kinds its pool leaves out while a relax lasts."""
    if isinstance(expr, Epsilon):
        yield expr
    for part in operands(expr):
        yield from _epsilons(part)


def plain(value: Any) -> Any:
    """A value as JSON: an infinite number of epochs is `never`, spans and chains are their ids."""
    if isinstance(value, float) and math.isinf(value):
        return "never"
    if isinstance(value, (SpanFacts, ChainFacts)):
        return value.id
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def spell(value: Any) -> str:
    """A value inside a message."""
    value = plain(value)
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(spell(item) for item in value)
    return str(value)


def unknown_kinds(world: World, policy: CheckedPolicy) -> tuple[Reason, ...]:
    """One warning for each kind that the request uses and no policy declares: it is treated as state."""
    found: dict[str, list[str]] = {}
    for span in world.spans:
        if span.kind not in policy.kinds:
            found.setdefault(span.kind, []).append(span.id)
    return tuple(
        Reason(
            rule="unknown-kind",
            scope="span",
            spans=tuple(ids),
            message=f"no policy declares the kind `{kind}`; it is treated as state",
            evidence={"kind": kind},
        )
        for kind, ids in sorted(found.items())
    )
