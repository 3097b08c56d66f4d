"""Facts of chains: their spans, and ε for each budget (SPEC §4 "Chains")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from policylang.evidence.chains import epsilon
from policylang.rules_ir.facts import ChainFacts, SpanFacts
from policylang.rules_ir.policy import Budget, CheckedPolicy
from policylang.transcript.vocabulary import CLASSES


def chain_facts(spans: Sequence[SpanFacts], chain_of: Sequence[str], policy: CheckedPolicy) -> dict[str, ChainFacts]:
    """The chains of a request by id, sorted; ``chain_of`` gives the chain of each span by position."""
    members: dict[str, list[SpanFacts]] = {}
    for span, chain in zip(spans, chain_of, strict=True):
        members.setdefault(chain, []).append(span)
    resolve = _resolver(policy)
    return {
        chain: ChainFacts(
            resolve,
            id=chain,
            spans=members[chain],
            evicted=[span for span in members[chain] if span.evicted],
            epsilon_of=_epsilon_of(members[chain]),
        )
        for chain in sorted(members)
    }


def _epsilon_of(spans: Sequence[SpanFacts]) -> Callable[[str, str, tuple[str, ...]], float | None]:
    def epsilon_of(kind: str, by: str, excluded: tuple[str, ...]) -> float | None:
        counted = [span for span in spans if in_budget(span, kind, excluded)]
        total = sum(_mass(span, by) for span in counted)
        return epsilon([(_mass(span, by), span.loss) for span in counted if span.evicted], total)

    return epsilon_of


def in_budget(span: SpanFacts, kind: str, excluded: Sequence[str]) -> bool:
    """Whether a span weighs in the budget of ``kind``: a class pools its kinds but for those with their own budget."""
    if kind in CLASSES:
        return span.klass == kind and span.kind not in excluded
    return span.kind == kind


def _mass(span: SpanFacts, by: str) -> int:
    return 0 if span.spilled else span.tokens if by == "tokens" else 1


def own_budgets(budgets: Sequence[Budget]) -> tuple[str, ...]:
    """Kinds that have a budget of their own, and so leave their class's pool."""
    return tuple(sorted({budget.kind for budget in budgets} - set(CLASSES)))


def _resolver(policy: CheckedPolicy) -> Callable[[Any, str], Any]:
    own = own_budgets(policy.budgets)
    # `budget state never` licenses nothing and bounds nothing that ε could measure; reasoning alone has an ε, and
    # without any budget it is that of the pooled class.
    licensed = [budget for budget in policy.budgets if policy.kinds.get(budget.kind) == "reasoning"]
    wanted = [(budget.kind, budget.by) for budget in licensed] or [("reasoning", "tokens")]

    def resolve(chain: ChainFacts, name: str) -> Any:
        if name == "anchors":
            return [span for span in chain.spans if span.anchor]
        if name == "evicted_anchors":
            return [span for span in chain.evicted if span.anchor]
        if name == "epsilon":
            values = [chain.epsilon_of(kind, by, own if kind in CLASSES else ()) for kind, by in wanted]
            known = [value for value in values if value is not None]
            return max(known) if len(known) == len(values) else None
        raise AttributeError(name)

    return resolve
