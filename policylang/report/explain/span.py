"""One span: why it is an anchor, what it asserts, what is left of it, and what every rule makes of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from policylang.compiler.interpret import evaluate_expression
from policylang.evidence.anchors import by_kind
from policylang.evidence.chain_facts import in_budget, own_budgets
from policylang.report.explain.advice import spill_instead, to_compact
from policylang.report.explain.case import Case, Subject, head, rule_for
from policylang.report.explain.trace import unknown_parts
from policylang.rules_ir.expr import Expr
from policylang.rules_ir.facts import ChainFacts, SpanFacts
from policylang.rules_ir.policy import Budget, Exempt, Rule
from policylang.transcript.vocabulary import CLASSES


def explain_span(case: Case, span_id: str) -> dict[str, Any] | None:
    """Everything about one span; None if the request has none of this id."""
    span = next((one for one in case.world.spans if one.id == span_id), None)
    if span is None:
        return None
    item = next((one for one in case.verdict.plan if one.span == span_id), None)
    asked = [(rule, index) for rule in case.rules if (index := _index(case, rule, span)) is not None]
    return {
        **head(case, span=span_id),
        "span": _span(span),
        "anchor": _anchor(case, span),
        "assertions": _assertions(case, span),
        "assertions_truncated": span.assertions_truncated,
        "bulk": span.bulk,
        "representation": {"value": span.representation, "why": _why_represented(span)},
        "chain": {"id": span.chain.id, "epsilon": epsilons(case, span.chain)},
        "index": {"indexed": span.indexed, "verified": span.verified},
        "plan": item.to_json() if item is not None else None,
        "rules": [rule_for(case, rule, index, case.subjects(rule)[index]) for rule, index in asked],
        "epoch_rules": [_brief(case, rule) for rule in case.rules if rule.each is None],
        "to_compact": to_compact(case, span_id),
        "instead": spill_instead(case),
    }


def _span(span: SpanFacts) -> dict[str, Any]:
    disposition = "evicted" if span.evicted else "retained"
    return {
        "id": span.id,
        "kind": span.kind,
        "class": span.klass,
        "epoch": span.epoch,
        "age": span.age,
        "position": span.position,
        "disposition": disposition,
        "tokens": span.tokens,
        "loss": span.loss,
        "tool": span.tool,
        "tool_call_id": span.tool_call_id,
        "represented_by": list(span.span.represented_by),
        "text": span.text,
    }


def _anchor(case: Case, span: SpanFacts) -> dict[str, Any]:
    return {"is": span.anchor, "by": list(span.anchor_by), "why": list(_why_anchor(case, span))}


def _why_anchor(case: Case, span: SpanFacts) -> Sequence[str]:
    anchors = case.policy.checked.anchors
    if anchors is None:
        return ["the policy has no `anchor`, so nothing is one"]
    freed = [item.exempt for item in case.verdict.exempted if item.span == span.id]
    named = {anchor.name: anchor for anchor in anchors.named}
    why = []
    for word in span.anchor_by:
        if word == "kind":
            declared = span.kind in case.policy.checked.kinds
            says = "is named in `anchor kind`" if declared else "is declared by no policy, so it counts as state"
            why.append(f"kind: `{span.kind}` {says}")
        elif word == "detect":
            found = sorted({item.type for item in span.assertions if item.type in anchors.detect})
            why.append(f"detect: it asserts {', '.join(found)}")
        elif word == "carrier":
            why.append(f"carrier: an evicted {span.kind} carries what it stands for")
        else:
            why.append(f"{word}: `anchor {word} when …` {_held(case, named[word].condition, span)} ({named[word].loc})")
    why += [f"the exempt `{name}` frees it from anchoring by kind" for name in freed]
    if "kind" in span.anchor_by:
        why += [_not_freed(case, exempt, span) for exempt in anchors.exempts if case.day <= exempt.until]
    if not why:
        kind = "" if by_kind(case.policy.checked, span.kind) else f"`{span.kind}` is not in `anchor kind`, "
        why.append(f"no: {kind}and it asserts nothing that `anchor detect` or a named anchor looks for")
    return why


def _held(case: Case, condition: Expr, span: SpanFacts) -> str:
    """How an anchor's condition made the span one."""
    if evaluate_expression(condition, case.world, {0: span}) is True:
        return "holds"
    missing = ", ".join(unknown_parts(condition, case.world, {0: span}))
    return f"is unknown ({missing} unknown), and what is unknown anchors"


def _not_freed(case: Case, exempt: Exempt, span: SpanFacts) -> str:
    """What an exempt said of a span that it did not free."""
    value = evaluate_expression(exempt.condition, case.world, {0: span})
    asked = f"exempt `{exempt.name}` was asked: "
    if value is None:
        return f"{asked}unknown ({', '.join(unknown_parts(exempt.condition, case.world, {0: span}))} unknown)"
    if value is False:
        return f"{asked}false"
    return f"{asked}true, but the span asserts more than what it matched"


def _assertions(case: Case, span: SpanFacts) -> list[dict[str, Any]]:
    survived: Sequence[str | None] = [None] * len(span.assertions)
    if span.evicted and span.assertions:
        survived = case.world.data.session.represent(span.position).survived
    return [
        {
            "entity": item.entity,
            "key": item.key,
            "value": item.value,
            "as_written": item.data.raw,
            "type": item.type,
            "status": item.status,
            "survived": where,
        }
        for item, where in zip(span.assertions, survived, strict=True)
    ]


def _why_represented(span: SpanFacts) -> str:
    if not span.evicted:
        return "the span stays in the transcript"
    if not span.assertions:
        return {
            "restated": "it asserts nothing material, and its whole text is kept",
            "referenced": "it asserts nothing material, and a pointer in the retained text points at it",
        }.get(str(span.representation), "it asserts nothing material, and its text is not kept")
    counts = Counter(item.status for item in span.assertions)
    parts = ", ".join(f"{counts[status]} {status}" for status in sorted(counts, key=str))
    number = len(span.assertions)
    rule = {
        "contradicted": "one contradicted assertion is enough",
        "restated": "all have to be",
        "referenced": "one that is only named is enough, and so is a pointer in prose",
        "partial": "some are restated and the rest is gone",
    }.get(str(span.representation))
    return f"of {number} assertion{'s' * (number != 1)}: {parts}" + (f"; {rule}" if rule else "")


def epsilons(case: Case, chain: ChainFacts) -> list[dict[str, Any]]:
    """ε of a chain for every budget, with its sum spelled out."""
    budgets = case.policy.checked.budgets
    own = own_budgets(budgets)
    return [_epsilon(chain, budget, own if budget.kind in CLASSES else ()) for budget in budgets]


def _epsilon(chain: ChainFacts, budget: Budget, excluded: tuple[str, ...]) -> dict[str, Any]:
    counted = [span for span in chain.spans if in_budget(span, budget.kind, excluded)]
    terms = [
        {"span": span.id, "loss": span.loss, "mass": span.tokens if budget.by == "tokens" else 1}
        for span in counted
        if span.evicted
    ]
    mass = sum(span.tokens if budget.by == "tokens" else 1 for span in counted)
    return {
        "kind": budget.kind,
        "by": budget.by,
        "bound": budget.epsilon,
        "epsilon": chain.epsilon_of(budget.kind, budget.by, excluded),
        "terms": terms,
        "mass": mass,
        "sum": _sum(terms, mass),
    }


def _sum(terms: Sequence[dict[str, Any]], mass: int) -> str:
    if not terms:
        return "nothing of it is evicted"
    spelled = " + ".join(f"{_loss(term['loss'])}·{term['mass']}" for term in terms)
    return f"({spelled}) ÷ {mass}"


def _loss(loss: float | None) -> str:
    return "unknown" if loss is None else f"{loss:g}"


def _index(case: Case, rule: Rule, span: SpanFacts) -> int | None:
    """Where a rule ranges over a span, or over its chain."""
    if rule.each is None:
        return None
    wanted: Subject = span.chain if rule.each == "chains" else span
    found = [subject.id for subject in case.subjects(rule) if subject is not None]
    assert wanted is not None
    return found.index(wanted.id) if wanted.id in found else None


def _brief(case: Case, rule: Rule) -> dict[str, Any]:
    """A rule of the whole epoch, without its condition."""
    full = rule_for(case, rule, -1, None)
    return {name: full[name] for name in ("rule", "level", "mode", "outcome", "message", "missing", "source")}
