"""A policy on a date: what its relaxes weaken while they last (SPEC §3). Nothing else decides by date."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from policylang.rules_ir.policy import CheckedPolicy, Rule


def resolve_rules(policy: CheckedPolicy, as_of: date) -> tuple[Rule, ...]:
    """The rules in force on ``as_of``, in the policy's order and without relaxations.

    A relax holds up to and including its date. A rule's relaxations come loosest first (shadow before any setting),
    and the first that has not expired applies: any unexpired relax weakens its rule, and of several the loosest does.
    """
    return tuple(_resolve(rule, as_of) if rule.relaxations else rule for rule in policy.rules)


def _resolve(rule: Rule, as_of: date) -> Rule:
    for relaxation in rule.relaxations:
        if as_of <= relaxation.until:
            if relaxation.replacement is not None:
                return relaxation.replacement
            return replace(rule, mode="shadow", relaxations=())
    return replace(rule, relaxations=())


def resolve_policy(policy: CheckedPolicy, as_of: date) -> CheckedPolicy:
    """The policy as it holds on ``as_of``: rules by `resolve_rules`, and the settings that evidence reads with them."""
    blocks: dict[str, dict[str, Any]] = {"index": {}, "monitor": {}}
    settled: set[str] = set()
    for relaxation in policy.setting_relaxations:
        if as_of <= relaxation.until and relaxation.rule not in settled:
            settled.add(relaxation.rule)
            for (block, name), value in relaxation.settings:
                if block in blocks:
                    blocks[block][name] = value
    return replace(
        policy,
        rules=resolve_rules(policy, as_of),
        index=replace(policy.index, **blocks["index"]),
        monitor=replace(policy.monitor, **blocks["monitor"]),
        setting_relaxations=(),
    )
