"""A layer: what one policy says together with all that it extends, and how several parents make one base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from policylang.check import budgets as budgets_
from policylang.check import relax as relax_
from policylang.check.blockrules import Blocks, block_rules
from policylang.check.relax import Relaxed
from policylang.check.settings import SPECS, Given, Key, Settings, held, spec_of, spell, tighter_of
from policylang.check.sink import Sink
from policylang.rules_ir.policy import Exempt, NamedAnchor, Rule
from policylang.source import Loc
from policylang.syntax import ast
from policylang.transcript.vocabulary import KNOWN_KINDS

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Owned(Generic[T]):
    """Something with the id of the policy that declares it: met twice over two ways up, it is still one."""

    owner: str
    value: T
    loc: Loc = field(compare=False)


@dataclass(slots=True)
class Layer:
    """All that holds in one policy, its parents' part included. Filled by `build.py`, read-only from then on.

    Attributes:
        kinds: Every kind -> class, None where its declaration is broken.
        declared: The kinds that policies declare.
        anchor: The `anchor` that the anchor rules point at, None where there is none.
        anchor_kinds: Kinds of `anchor kind`, each with its place; None where none stands.
        rules: Own rules of all layers, without relaxations.
        relaxed: What weakens which rule, in no order.
        closure: The files of the policy and of all that it extends, by id.
        is_whole: False where a parent is missing or something is broken: then nothing is said of what is not there.
    """

    id: str
    version: str
    loc: Loc
    kinds: dict[str, str | None] = field(default_factory=lambda: dict(KNOWN_KINDS))
    declared: dict[str, Owned[str | None]] = field(default_factory=dict)
    anchor: Loc | None = None
    anchor_kinds: dict[str, Loc] | None = None
    detect: frozenset[str] = frozenset()
    named: dict[str, Owned[NamedAnchor]] = field(default_factory=dict)
    exempts: dict[str, Owned[Exempt]] = field(default_factory=dict)
    settings: dict[Key, Given] = field(default_factory=dict)
    monitor: Loc | None = None
    budgets: dict[budgets_.BudgetKey, budgets_.Bound] = field(default_factory=dict)
    rules: dict[str, Owned[Rule]] = field(default_factory=dict)
    relaxed: dict[str, tuple[Relaxed, ...]] = field(default_factory=dict)
    tests: tuple[ast.InlineTest, ...] = ()
    closure: dict[str, ast.PolicyFile] = field(default_factory=dict)
    is_whole: bool = True

    def blocks(self) -> Blocks:
        """What the blocks say."""
        return Blocks(self.settings, self.budgets, self.kinds, self.anchor, self.monitor)

    def rule_ids(self) -> frozenset[str]:
        """Ids of all rules, own and of blocks."""
        return frozenset(self.rules) | frozenset(block_rules(self.blocks()))


def base_of(
    layer_id: str, version: str, loc: Loc, parents: Sequence[Layer], at: Mapping[str, Loc], sink: Sink
) -> Layer:
    """The layer that asks for all that each parent asks for; ``at`` gives the place that names each parent.

    Parents come sorted by id, so that the order in which they are named means nothing.
    """
    base = Layer(layer_id, version, loc)
    for parent in parents:
        here = at.get(parent.id, loc)
        base.is_whole = base.is_whole and parent.is_whole
        base.closure.update(parent.closure)
        _meet_kinds(base, parent, here, sink)
        base.anchor = base.anchor or parent.anchor
        if parent.anchor_kinds is not None:
            base.anchor_kinds = {**parent.anchor_kinds, **(base.anchor_kinds or {})}
        base.detect |= parent.detect
        _meet(base.named, parent.named, "anchor", here, sink)
        _meet(base.exempts, parent.exempts, "exempt", here, sink)
        _meet(base.rules, parent.rules, "rule", here, sink)
        _meet_settings(base, parent, here, sink)
        base.monitor = base.monitor or parent.monitor
    base.budgets = budgets_.merge([(parent.budgets, parent.kinds) for parent in parents])
    base.relaxed = _meet_relaxes(parents)
    return base


def _meet_kinds(base: Layer, parent: Layer, here: Loc, sink: Sink) -> None:
    for name, owned in parent.declared.items():
        other = base.declared.get(name)
        if other is not None and other.owner != owned.owner and other.value != owned.value:
            message = f"`{other.owner}` and `{owned.owner}` declare the kind `{name}` with different classes"
            _twice(sink, message, here, other.loc, owned.loc)
        elif other is None:
            base.declared[name] = owned
            base.kinds[name] = owned.value


def _meet(base: dict[str, Owned[T]], parent: dict[str, Owned[T]], what: str, here: Loc, sink: Sink) -> None:
    for name, owned in parent.items():
        other = base.setdefault(name, owned)
        if other.owner != owned.owner:
            message = f"`{other.owner}` and `{owned.owner}` both declare the {what} `{name}`"
            _twice(sink, message, here, other.loc, owned.loc)


def _twice(sink: Sink, message: str, here: Loc, one: Loc, two: Loc) -> None:
    related = ((one, "declared here"), (two, "and here"))
    sink.error("duplicate-id", message, here, "rename one of the two", related)


def _meet_settings(base: Layer, parent: Layer, here: Loc, sink: Sink) -> None:
    before = dict(base.settings)
    for key in sorted(_spoken_of(before) | _spoken_of(parent.settings)):
        other, given = _held(before, key), _held(parent.settings, key)
        if other is None or given is None:
            base.settings[key] = other or given or base.settings[key]
            continue
        value = tighter_of(spec_of(key), other.value, given.value)
        if value is None:
            name = f"{key[0]} {key[1]}"
            message = f"the parents ask for `{name} {spell(other.value)}` and `{name} {spell(given.value)}` at once"
            related = ((other.loc, "set here"), (given.loc, "and here"))
            sink.error("loosens-parent", message, here, "no value satisfies both; extend one of the two", related)
        elif value != other.value:
            base.settings[key] = Given(value, given.loc)


def _spoken_of(settings: Settings) -> set[Key]:
    """The settings that are given, and those that have a default because the rule they shape is there."""
    guarded = {
        (block, name)
        for block, specs in SPECS.items()
        for name, spec in specs.items()
        if spec.guard is not None and (block, spec.guard) in settings
    }
    return guarded | set(settings)


def _held(settings: Settings, key: Key) -> Given | None:
    """What one parent asks for: a default asks for as much as the same value written out."""
    value = held(settings, key)
    if value is None or key in settings:
        return settings.get(key)
    return Given(value, settings[key[0], spec_of(key).guard or ""].loc)


def _meet_relaxes(parents: Sequence[Layer]) -> dict[str, tuple[Relaxed, ...]]:
    """A rule is weakened only as far as every parent that has it weakens it."""
    found: dict[str, tuple[Relaxed, ...]] = {}
    with_rule: dict[str, int] = {}
    for parent in parents:
        for rule in sorted(parent.rule_ids()):
            mine = parent.relaxed.get(rule, ())
            if rule in with_rule:
                found[rule] = relax_.merge(found[rule], mine)
            else:
                found[rule] = mine
            with_rule[rule] = 1
    return {rule: relaxes for rule, relaxes in found.items() if relaxes}
