"""`epsilon-exceeded`: one rule for all ε budgets, whose evidence names the chain's worst offender."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from policylang.check.budgets import POOL, RULE, Budgets, By, in_policy_order, own_kinds
from policylang.rules_ir import expr as ir
from policylang.rules_ir.policy import Evidence, Rule
from policylang.rules_ir.types import BOOL, CHAIN, KIND, NUMBER, TEXT, Type


@dataclass(frozen=True, slots=True)
class _Term:
    """One budget: its ε as an expression, and the bound that it may reach."""

    kind: str
    epsilon: ir.Expr
    bound: float

    @property
    def exceeded(self) -> ir.Expr:
        return ir.Compare(">", self.epsilon, ir.Const(self.bound, NUMBER), BOOL)

    @property
    def known(self) -> ir.Expr:
        return ir.IsKnown(self.epsilon, False, BOOL)


def mass_of(budgets: Budgets) -> dict[str, By]:
    """What the ε of each budgeted kind weighs by; tokens where two parents differ."""
    return dict(sorted(budgets, reverse=True))


def epsilon_rule(budgets: Budgets, kinds: Mapping[str, str | None]) -> Rule | None:
    """The rule of all budgets of reasoning kinds; `never` for other kinds asks nothing that ε could measure."""
    chain = ir.Var(0, "chain", CHAIN)
    own = own_kinds(budgets, kinds)
    listed = [one for one in in_policy_order(budgets) if one.kind == POOL or kinds.get(one.kind) == POOL]
    if not listed:
        return None
    terms = [
        _Term(
            one.kind,
            ir.Epsilon(chain, one.kind, one.by, own if one.kind == POOL else (), NUMBER),
            one.epsilon if one.epsilon is not None else 0.0,
        )
        for one in listed
    ]
    condition = terms[0].exceeded if len(terms) == 1 else ir.Or(tuple(term.exceeded for term in terms), BOOL)
    epsilon = _of_worst(terms, lambda term: term.epsilon, NUMBER)
    bound = _of_worst(terms, lambda term: ir.Const(term.bound, NUMBER), NUMBER)
    kind = _of_worst(terms, lambda term: ir.Const(term.kind, KIND), KIND)
    message = ("chain ", ir.Field(chain, "id", TEXT), " loses ε ", epsilon, " of its ", kind, ", above ", bound)
    evidence = (Evidence("epsilon", epsilon), Evidence("bound", bound), Evidence("kind", kind))
    return Rule(
        RULE, "refuse", "enforce", "chain", "chains", condition, (*message, " (condition 3)"), evidence, builtin=True,
        loc=listed[0].loc,
    )  # fmt: skip


def _of_worst(terms: list[_Term], value: Callable[[_Term], ir.Expr], type_: Type) -> ir.Expr:
    """``value`` of the worst offender: the largest ε/bound, the first of equals; else of the first unknown."""
    if len(terms) == 1:
        return value(terms[0])
    chosen = value(terms[0])
    for term in reversed(terms):
        chosen = ir.If(ir.IsKnown(term.epsilon, True, BOOL), value(term), chosen, type_)
    for index in reversed(range(len(terms))):
        rivals = [ir.Not(_beats(terms, rival, index), BOOL) for rival in range(len(terms)) if rival != index]
        term = terms[index]
        chosen = ir.If(ir.And((term.known, term.exceeded, *rivals), BOOL), value(term), chosen, type_)
    return chosen


def _beats(terms: list[_Term], rival: int, index: int) -> ir.Expr:
    """Whether the rival is a worse offender than the offender at ``index``; never unknown."""
    one, other = terms[rival], terms[index]
    offends = (one.known, one.exceeded)
    if one.bound == 0.0:
        worse = other.bound > 0.0 or rival < index
        return ir.And(offends, BOOL) if worse else ir.Const(False, BOOL)
    if other.bound == 0.0:
        return ir.Const(False, BOOL)
    left = ir.Arith("*", one.epsilon, ir.Const(other.bound, NUMBER), NUMBER)
    right = ir.Arith("*", other.epsilon, ir.Const(one.bound, NUMBER), NUMBER)
    ratio = ir.Compare(">=" if rival < index else ">", left, right, BOOL)
    return ir.And((*offends, ratio), BOOL)
