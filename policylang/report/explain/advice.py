"""What to supply or to do so that a refused epoch may be compacted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from policylang.report.explain.case import Case, hits
from policylang.report.explain.spelling import spelled
from policylang.report.explain.trace import to_falsify
from policylang.rules_ir.policy import Rule
from policylang.runtime.reasons import Reason, subject_of

DO: Final[Mapping[str, str]] = {
    "anchor-unverified": "let a probe bring the span back from the index, restate its facts, or spill it",
    "dangling-reference": "say the value where the fact is named, or spill the span",
    "anchor-contradicted": "correct the retained text, or keep the span",
    "epsilon-exceeded": "evict less of the chain, or represent it at a smaller loss",
    "index-source": "build the index from pre-compaction text only",
    "scoring-not-structural": "give the eviction score a `structural` term with a weight above 0",
    "queries-not-logged": "log the rehydration queries (`monitor.enabled`)",
    "divergence-exceeded": "bring the divergence down: what is evicted has to come back from the index",
    "pair-split": "evict a call together with its results, or keep both",
    "call-open": "wait for the call's final result, or keep the call",
    "instruction-evicted": "keep the instruction word for word, or spill it",
    "claim-unsupported": "take out of the summary what no original span supports",
    "span-unaccounted": "name every span of `transcript` once, as evicted or as retained",
    "gain-too-small": "evict more, or write a shorter summary",
    "evaluation-timeout": "give the decision more time",
}
"""For the rules that blocks make. A policy's own rule is answered by the parts of its condition that hold."""

SHOWN: Final = 3


def to_compact(case: Case, span: str | None = None) -> list[dict[str, Any]]:
    """What stands between this epoch and `compact`, one entry a rule; empty if it is compact already.

    With ``span``, rules that do not concern it and are not of the whole epoch are left out.
    """
    groups: dict[str, list[Reason]] = {}
    for reason in case.verdict.reasons:
        if span is None or reason.scope == "epoch" or span in reason.spans:
            groups.setdefault(reason.rule, []).append(reason)
    return [_entry(case, rule, reasons) for rule, reasons in groups.items()]


def _entry(case: Case, rule_id: str, reasons: list[Reason]) -> dict[str, Any]:
    missing = sorted({name for reason in reasons for name in reason.missing})
    settled = [reason for reason in reasons if not reason.undetermined]
    spans = list(dict.fromkeys(name for reason in reasons for name in reason.spans))
    rule = next((one for one in case.rules if one.id == rule_id), None)
    return {
        "rule": rule_id,
        "supply": missing,
        "do": _action(case, rule_id, rule, spans) if settled else None,
        "spans": spans,
        "chains": [reason.chain for reason in reasons if reason.chain is not None],
    }


def _action(case: Case, rule_id: str, rule: Rule | None, spans: Sequence[str]) -> str:
    if rule_id == "index-rebuilt":
        return _wait(case)
    if rule_id in DO:
        return DO[rule_id]
    if rule is None:
        return "see the rule"

    ways: dict[str, None] = {}
    for hit in hits(case, rule):
        subject = subject_of(hit, case.world)
        ways[to_falsify(rule.condition, case.world, {} if subject is None else {0: subject})] = None
    shown = list(ways)[:SHOWN]
    more = f"; and {len(ways) - SHOWN} other ways to hold" if len(ways) > SHOWN else ""
    return f"{_first(rule, spans)}make false: {'; elsewhere: '.join(shown)}{more}"


def _first(rule: Rule, spans: Sequence[str]) -> str:
    """What can be done with a span whatever the rule asks for, before its condition is looked at.

    Restating helps only a rule that looks at what is left of the span.
    """
    if rule.each not in ("evicted", "anchors"):
        return ""
    names = f"{', '.join(spans[:SHOWN])}{', …' if len(spans) > SHOWN else ''}"
    reads = spelled(rule.condition)
    if any(word in reads for word in ("representation", "status", "loss", "verified")):
        one = "a kept span" if len(spans) == 1 else "kept spans"
        return f"restate {names} in {one}, or spill {'it' if len(spans) == 1 else 'them'}; or "
    return f"keep {names}, or spill {'it' if len(spans) == 1 else 'them'}; or "


def _wait(case: Case) -> str:
    """The first epoch in which the quarantine is over."""
    rebuilt, quarantine = case.world.index.rebuilt, case.policy.on(case.day).checked.index.quarantine
    if rebuilt is None or quarantine is None or math.isinf(rebuilt):
        return "wait until the quarantine is over"
    return f"wait for epoch {int(rebuilt) + quarantine + 1}: the quarantine of {quarantine} epochs is over then"


def spill_instead(case: Case) -> dict[str, Any] | None:
    """What can be compacted right now by carrying the plan out; None for a compact epoch."""
    if not case.verdict.refused:
        return None
    salvage = case.verdict.salvage
    return {"spill": len(salvage.spill), "evict": len(salvage.evict)}
