"""ε budgets: who may have one, how a child tightens one, and what several parents ask for together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from policylang.check.sink import Sink
from policylang.check.words import a
from policylang.rules_ir.policy import Budget
from policylang.source import Loc
from policylang.syntax import ast
from policylang.transcript.vocabulary import CLASSES

POOL: Final = "reasoning"
RULE: Final = "epsilon-exceeded"
By = Literal["tokens", "spans"]
BudgetKey = tuple[str, By]


@dataclass(frozen=True, slots=True)
class Bound:
    """The ε of one kind, or None for `never`."""

    epsilon: float | None
    loc: Loc = field(compare=False)

    @property
    def limit(self) -> float:
        """What ε may reach: nothing at all for `never`."""
        return self.epsilon if self.epsilon is not None else 0.0


Budgets = Mapping[BudgetKey, Bound]


def in_policy_order(budgets: Budgets) -> tuple[Budget, ...]:
    """Budgets by kind, so that the order of declarations means nothing."""
    return tuple(Budget(kind, budgets[kind, by].epsilon, by, budgets[kind, by].loc) for kind, by in sorted(budgets))


def own_kinds(budgets: Budgets, kinds: Mapping[str, str | None]) -> tuple[str, ...]:
    """The reasoning kinds that have a budget of their own and so leave the pool."""
    return tuple(sorted({kind for kind, _ in budgets if kind != POOL and kinds.get(kind) == POOL}))


def pooled(budgets: Budgets, kinds: Mapping[str, str | None]) -> frozenset[str]:
    """The kinds that the `reasoning` budget covers, if there is one that licenses loss."""
    licensed = any(kind == POOL and bound.epsilon is not None for (kind, _), bound in budgets.items())
    if not licensed:
        return frozenset()
    own = own_kinds(budgets, kinds)
    return frozenset(kind for kind, klass in kinds.items() if klass == POOL and kind not in own)


def merge(parents: Iterable[tuple[Budgets, Mapping[str, str | None]]]) -> dict[BudgetKey, Bound]:
    """The budgets that hold where all parents' hold.

    A kind that one parent pools and another budgets alone would leave the pool; it keeps the pool's ε as its own.
    Parts that each keep to ε keep to it together, so nothing is loosened.
    """
    layers = list(parents)
    found: dict[BudgetKey, Bound] = {}
    for budgets, _ in layers:
        for key in sorted(budgets):
            _keep(found, key, budgets[key])
    own = sorted({kind for budgets, kinds in layers for kind in own_kinds(budgets, kinds)})
    for budgets, kinds in layers:
        alone = own_kinds(budgets, kinds)
        for (kind, by), bound in sorted(budgets.items(), key=lambda item: item[0]):
            if kind == POOL:
                for other in own:
                    if other not in alone:
                        _keep(found, (other, by), bound)
    return found


def _keep(found: dict[BudgetKey, Bound], key: BudgetKey, bound: Bound) -> None:
    other = found.get(key)
    if other is None or bound.limit < other.limit:
        found[key] = bound


@dataclass(frozen=True, slots=True)
class Declared:
    """A budget that its file may give, if its parents let it."""

    kind: str
    by: By | None
    bound: Bound
    target: ast.Ident


def read_budgets(
    decls: Iterable[ast.Budget], kinds: Mapping[str, str | None], open_kinds: bool, sink: Sink
) -> list[Declared]:
    """The file's own budgets; what no policy may say is reported."""
    seen: dict[str, Loc] = {}
    found: list[Declared] = []
    for decl in decls:
        kind = decl.target.name
        if kind in seen:
            message = f"`{kind}` has a budget already"
            related = ((seen[kind], "first budget here"),)
            sink.error("duplicate-id", message, decl.target.loc, "keep one of the two", related)
            continue
        seen[kind] = decl.target.loc
        if _is_sound(decl, kinds, open_kinds, sink):
            epsilon = float(decl.epsilon.value) if decl.epsilon is not None else None
            by: By | None = None if decl.by is None else "spans" if decl.by.name == "spans" else "tokens"
            if epsilon is not None and by is None:
                by = "tokens"
            found.append(Declared(kind, by, Bound(epsilon, decl.loc), decl.target))
    return found


def _is_sound(decl: ast.Budget, kinds: Mapping[str, str | None], open_kinds: bool, sink: Sink) -> bool:
    kind, before = decl.target.name, len(sink.found)
    klass = kind if kind in CLASSES else kinds.get(kind)
    if kind not in kinds and kind not in CLASSES:
        if not open_kinds:
            sink.unknown("unknown-kind", "kind", kind, decl.target.loc, [*kinds, *CLASSES])
        return False
    if decl.epsilon is None:
        return True
    if klass is not None and klass != POOL:
        what = f"the class `{kind}`" if kind in CLASSES else f"`{kind}`, {a('kind')} of class {klass}"
        hint = f"`budget {kind} never`: state is restated or spilled, ε is for reasoning"
        sink.error("epsilon-on-state", f"ε cannot license losing {what}", decl.target.loc, hint)
    if not 0 < decl.epsilon.value <= 1:
        hint = (
            f"write `budget {kind} never` to allow no loss"
            if decl.epsilon.value <= 0
            else "ε is a share of a chain's mass: 8% is 0.08"
        )
        sink.error("epsilon-out-of-range", f"ε {decl.epsilon.text} lies outside (0, 1]", decl.epsilon.loc, hint)
    if decl.per is not None and decl.per.name == "epoch":
        hint = "write `per chain`"
        sink.error("epsilon-per-epoch", "an ε per epoch hides chains that lost everything", decl.per.loc, hint)
    elif decl.per is not None and decl.per.name != "chain":
        sink.unknown("unknown-name", "word after `per`:", decl.per.name, decl.per.loc, ["chain"])
    if decl.by is not None and decl.by.name not in ("tokens", "spans"):
        sink.unknown("unknown-name", "word after `by`:", decl.by.name, decl.by.loc, ["tokens", "spans"])
    return len(sink.found) == before


def apply(
    inherited: Budgets,
    declared: Iterable[Declared],
    kinds: Mapping[str, str | None],
    loosens: Callable[[Declared, str, Bound], bool],
) -> tuple[dict[BudgetKey, Bound], dict[BudgetKey, Bound] | None]:
    """The budgets that hold, and those that hold until a relax ends (None where nothing is looser).

    ``loosens(budget, why, parent)`` is asked about each budget that is looser than a parent's; it reports it, or says
    True where a relax allows it.
    """
    tight, relaxed = dict(inherited), dict(inherited)
    is_relaxed = False
    for one in declared:
        over = _covering(inherited, one.kind, kinds)
        by: By = one.by or (over[0][1] if over else "tokens")
        looser = [key for key in over if one.bound.limit > inherited[key].limit or by != key[1]]
        if one.bound.limit == 0.0:
            looser = []
        if not looser:
            tight[one.kind, by] = relaxed[one.kind, by] = one.bound
            continue
        parent = inherited[looser[0]]
        weighs = "it weighs otherwise" if one.bound.limit <= parent.limit else f"{one.bound.limit:g} > {parent.limit:g}"
        if loosens(one, weighs, parent):
            is_relaxed = True
            for key in looser:
                if key[0] == one.kind:
                    del relaxed[key]
            relaxed[one.kind, by] = one.bound
    return tight, relaxed if is_relaxed else None


def _covering(inherited: Budgets, kind: str, kinds: Mapping[str, str | None]) -> list[BudgetKey]:
    """The inherited budgets that bind ``kind``: its own, else the pool's."""
    own = sorted(key for key in inherited if key[0] == kind)
    if own or kind == POOL or kinds.get(kind) != POOL:
        return own
    return sorted(key for key in inherited if key[0] == POOL)
