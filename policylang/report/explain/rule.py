"""One rule, one chain, or the whole decision."""

from __future__ import annotations

from collections import Counter
from typing import Any

from policylang.compiler.interpret import evaluate_expression
from policylang.report.explain.advice import spill_instead, to_compact
from policylang.report.explain.case import Case, Subject, head, outcome_of, rule_for
from policylang.report.explain.policy import rule_document
from policylang.report.explain.span import epsilons
from policylang.rules_ir.policy import Rule

TRACED = 3
"""Subjects of a rule whose whole condition is shown: those where it holds, first."""


def explain_rule(case: Case, rule_id: str) -> dict[str, Any] | None:
    """A rule and what it says of every subject; None if the policy has none of this id."""
    rule = next((one for one in case.rules if one.id == rule_id), None)
    declared = next((one for one in case.policy.checked.rules if one.id == rule_id), None)
    if rule is None or declared is None:
        return None
    outcomes = [(index, subject, _value(case, rule, subject)) for index, subject in enumerate(case.subjects(rule))]
    holding = [item for item in outcomes if item[2] is not False]
    traced = (holding or outcomes)[:TRACED]
    return {
        **head(case, rule=rule_id),
        "rule": {
            **rule_document(declared, case.day),
            "mode_then": rule.mode,
            "vacuous": rule.each is not None and not outcomes,
        },
        "counts": dict(sorted(Counter(outcome_of(rule, value) for _, _, value in outcomes).items())),
        "subjects": [
            {"subject": subject.id if subject is not None else None, "outcome": outcome_of(rule, value)}
            for _, subject, value in outcomes
        ],
        "traced": [
            {
                "subject": subject.id if subject is not None else None,
                **rule_for(case, rule, index if subject is not None else -1, subject),
            }
            for index, subject, _ in traced
        ],
        "to_compact": [entry for entry in to_compact(case) if entry["rule"] == rule_id],
        "instead": spill_instead(case),
    }


def explain_chain(case: Case, chain_id: str) -> dict[str, Any] | None:
    """A causal chain: its spans, its ε and the rules over chains; None if there is none of this id."""
    index, chain = next(((n, one) for n, one in enumerate(case.world.chains) if one.id == chain_id), (-1, None))
    if chain is None:
        return None
    return {
        **head(case, chain=chain_id),
        "chain": {"id": chain.id, "epsilon": epsilons(case, chain)},
        "spans": [
            {
                "id": span.id,
                "kind": span.kind,
                "epoch": span.epoch,
                "disposition": "evicted" if span.evicted else "retained",
                "anchor": span.anchor,
                "tokens": span.tokens,
                "loss": span.loss,
            }
            for span in chain.spans
        ],
        "rules": [rule_for(case, rule, index, chain) for rule in case.rules if rule.each == "chains"],
        "to_compact": [entry for entry in to_compact(case) if chain_id in entry["chains"]],
        "instead": spill_instead(case),
    }


def explain_decision(case: Case) -> dict[str, Any]:
    """The decision: what every rule came to, and what stands between it and `compact`."""
    return {
        **head(case),
        "rules": [_row(case, rule) for rule in case.rules],
        "to_compact": to_compact(case),
        "instead": spill_instead(case),
    }


def _row(case: Case, rule: Rule) -> dict[str, Any]:
    subjects = case.subjects(rule)
    counts = Counter(outcome_of(rule, _value(case, rule, subject)) for subject in subjects)
    return {
        "rule": rule.id,
        "level": rule.level,
        "mode": rule.mode,
        "each": rule.each,
        "asked": len(subjects),
        "vacuous": rule.each is not None and not subjects,
        "outcomes": dict(sorted(counts.items())),
        "source": str(rule.loc),
    }


def _value(case: Case, rule: Rule, subject: Subject) -> object:
    return evaluate_expression(rule.condition, case.world, {} if subject is None else {0: subject})
