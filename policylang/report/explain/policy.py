"""A policy by itself: its layers, rules, settings and budgets, and what its rules can cost."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Any

from policylang.compiler.cost import SIZES, cost_bound
from policylang.report.explain.case import SCHEMA
from policylang.report.explain.spelling import spelled
from policylang.rules_ir.policy import Rule
from policylang.runtime.policy import Policy
from policylang.transcript.vocabulary import KNOWN_KINDS


def explain_policy(policy: Policy, day: date) -> dict[str, Any]:
    """What the policy asks for on a day."""
    checked = policy.checked
    modes = {rule.id: rule.mode for rule in policy.on(day).rules}
    return {
        **_head(policy, day),
        "layers": list(checked.layers),
        "kinds": {kind: klass for kind, klass in sorted(checked.kinds.items()) if kind not in KNOWN_KINDS},
        "anchors": _anchors(policy, day),
        "budgets": [{"kind": one.kind, "epsilon": one.epsilon, "by": one.by} for one in checked.budgets],
        "index": asdict(checked.index),
        "monitor": asdict(checked.monitor),
        "rules": [{**rule_document(rule, day), "mode_then": modes[rule.id]} for rule in checked.rules],
        "tests": len(checked.tests),
    }


def explain_cost(policy: Policy, day: date) -> dict[str, Any]:
    """A bound on the steps that each rule takes, in terms of the sizes of a request."""
    rules = policy.on(day).rules
    return {
        **_head(policy, day),
        "sizes": dict(SIZES),
        "costs": [
            {"rule": rule.id, "bound": str(cost), "parts": list(cost.lines())}
            for rule, cost in zip(rules, cost_bound(rules), strict=True)
        ],
    }


def _head(policy: Policy, day: date) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "of": {"policy": policy.id},
        "as_of": day.isoformat(),
        "policy": {"id": policy.id, "version": policy.version, "digest": policy.digest},
    }


def _anchors(policy: Policy, day: date) -> dict[str, Any] | None:
    anchors = policy.checked.anchors
    if anchors is None:
        return None
    return {
        "kinds": sorted(anchors.kinds) if anchors.kinds is not None else None,
        "detect": sorted(anchors.detect),
        "named": [{"name": one.name, "when": spelled(one.condition), "source": str(one.loc)} for one in anchors.named],
        "exempts": [
            {
                "name": one.name,
                "when": spelled(one.condition),
                "because": one.because,
                "until": one.until.isoformat(),
                "expired": day > one.until,
                "source": str(one.loc),
            }
            for one in anchors.exempts
        ],
    }


def rule_document(rule: Rule, day: date) -> dict[str, Any]:
    """A rule as it is declared, with what may weaken it, until when, and whether that is over."""
    return {
        "id": rule.id,
        "level": rule.level,
        "mode": rule.mode,
        "scope": rule.scope,
        "each": rule.each,
        "builtin": rule.builtin,
        "when": spelled(rule.condition),
        "message": "".join(part if isinstance(part, str) else f"{{{spelled(part)}}}" for part in rule.message),
        "doc": rule.doc,
        "source": str(rule.loc),
        "text": _source_text(rule),
        "relaxations": [
            {
                "until": one.until.isoformat(),
                "expired": day > one.until,
                "because": one.because,
                "owner": one.owner,
                "to": spelled(one.replacement.condition) if one.replacement is not None else "shadow",
                "source": str(one.loc),
            }
            for one in rule.relaxations
        ],
    }


def _source_text(rule: Rule) -> str:
    """The rule as its author wrote it; empty for what the engine made itself."""
    return rule.loc.source.text[rule.loc.start : rule.loc.end]
