"""`relax`: what may weaken a rule until a date, and what is left of it where several parents meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from policylang.check import budgets as budgets_
from policylang.check.blockrules import Blocks, block_rules
from policylang.check.settings import Given, Key, looseness, spec_of, tighter_of
from policylang.check.sink import Sink
from policylang.rules_ir.policy import Relaxation, Rule
from policylang.source import Loc
from policylang.syntax import ast


@dataclass(frozen=True, slots=True)
class Relaxed:
    """One relax: until its date the rule runs with ``settings`` and ``budgets``, or in shadow if both are empty."""

    until: date
    because: str
    owner: str | None
    loc: Loc = field(compare=False)
    settings: tuple[tuple[Key, Given], ...] = ()
    budgets: tuple[tuple[budgets_.BudgetKey, budgets_.Bound], ...] = ()

    @property
    def in_shadow(self) -> bool:
        return not self.settings and not self.budgets


Relaxes = Mapping[str, tuple[Relaxed, ...]]


def read_relaxes(decls: Iterable[ast.Relax], sink: Sink) -> dict[str, Relaxed | None]:
    """The file's relaxes by rule; None for one whose reason or date is missing."""
    found: dict[str, Relaxed | None] = {}
    places: dict[str, Loc] = {}
    for decl in decls:
        rule = decl.rule.name
        if rule in places:
            related = ((places[rule], "first relaxed here"),)
            sink.error("duplicate-id", f"`{rule}` is relaxed already", decl.rule.loc, "keep one of the two", related)
            continue
        places[rule] = decl.rule.loc
        missing = _missing(decl.because, decl.until)
        if missing or decl.because is None or decl.until is None:
            hint = 'write `because "…" until 2027-01-31`'
            sink.error("relax-without-expiry", f"the relax of `{rule}` has no {missing}", decl.rule.loc, hint)
            found[rule] = None
            continue
        owner = decl.owner.value if decl.owner is not None else None
        found[rule] = Relaxed(decl.until.value, decl.because.value, owner, decl.loc)
    return found


def _missing(because: ast.TextLit | None, until: ast.DateLit | None) -> str:
    gaps = [] if because is not None and because.value.strip() else ["reason"]
    return " and no ".join(gaps if until is not None else [*gaps, "date"])


def merge(one: tuple[Relaxed, ...], two: tuple[Relaxed, ...]) -> tuple[Relaxed, ...]:
    """What two parents that both have the rule allow together: until the earlier date, at the tighter setting."""
    if one == two:
        return one
    pairs = [_both(first, second) for first in one for second in two]
    return tuple(dict.fromkeys(pair for pair in pairs if pair is not None))


def _both(one: Relaxed, two: Relaxed) -> Relaxed | None:
    first = one if one.until <= two.until else two
    if one.in_shadow or two.in_shadow:
        other = two if one.in_shadow else one
        return replace(first, settings=other.settings, budgets=other.budgets)
    budgets = dict(one.budgets)
    for budget, bound in two.budgets:
        if budget not in budgets or bound.limit < budgets[budget].limit:
            budgets[budget] = bound
    settings = dict(one.settings)
    for key, given in two.settings:
        mine = settings.get(key)
        value = tighter_of(spec_of(key), mine.value, given.value) if mine is not None else given.value
        if value is None:
            return None
        settings[key] = Given(value, given.loc)
    return replace(first, settings=tuple(settings.items()), budgets=tuple(budgets.items()))


def loosest_first(relaxes: Iterable[Relaxed]) -> list[Relaxed]:
    """Shadow before any setting, then by how much the settings allow, then by date: the first in force applies."""

    def rank(one: Relaxed) -> tuple[object, ...]:
        loose = sorted((key, _negated(looseness(spec_of(key), given.value))) for key, given in one.settings)
        limits = sorted((key, -bound.limit) for key, bound in one.budgets)
        return (not one.in_shadow, loose, limits, -one.until.toordinal(), one.because)

    return sorted(relaxes, key=rank)


def _negated(value: object) -> float:
    return -float(value) if isinstance(value, int | float) else 0.0


def relaxations(rule: Rule, relaxes: Iterable[Relaxed], blocks: Blocks) -> tuple[Relaxation, ...]:
    """The relaxations of a rule, the loosest first."""
    found = []
    for one in loosest_first(relaxes):
        replacement: Rule | None = None
        if not one.in_shadow:
            settings = {**blocks.settings, **dict(one.settings)}
            looser = replace(blocks, settings=settings, budgets=dict(one.budgets) or blocks.budgets)
            replacement = block_rules(looser)[rule.id]
        found.append(Relaxation(one.until, one.because, one.owner, replacement, one.loc))
    return tuple(found)
