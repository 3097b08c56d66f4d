"""One file over its parents: names, types, settings and rules, each checked against what the parents ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from policylang.check import budgets as budgets_
from policylang.check.anchors import read_anchors
from policylang.check.blockrules import BLOCK_IDS, block_rules
from policylang.check.context import Names
from policylang.check.declarations import (
    Declarations,
    Unread,
    check_header,
    check_unique,
    read_kinds,
    read_lets,
    sort_declarations,
    unread_names,
)
from policylang.check.epsilon import mass_of
from policylang.check.inline_tests import check_tests
from policylang.check.layer import Layer, Owned, T, base_of
from policylang.check.lets import broken_lets, check_unused
from policylang.check.relax import Relaxed, read_relaxes
from policylang.check.rules import type_rule
from policylang.check.settings import Given, Key, held, is_looser, read_block, spec_of, spell
from policylang.check.sink import Sink
from policylang.source import Loc
from policylang.syntax import ast


def build_layer(
    policy_id: str,
    file: ast.PolicyFile,
    parents: Sequence[Layer],
    sink: Sink,
    *,
    has_missing_parent: bool = False,
    is_damaged: bool = False,
) -> Layer:
    """The layer of one file over its parents.

    Args:
        policy_id: From its header, else from its name.
        file: The parsed file.
        parents: The layers that it extends, sorted by id.
        sink: Where mistakes go.
        has_missing_parent: True where it names a parent that is not there.
        is_damaged: True where the parser had to skip some of its text.
    """
    before = len(sink.found)
    decls = sort_declarations(file)
    check_header(decls, sink)
    check_unique(decls, sink)
    header = decls.headers[0] if decls.headers else None
    version = header.version.name if header is not None and header.version is not None else "0.0.0"
    at = {decl.parent.name: decl.parent.loc for decl in decls.extends}
    layer = base_of(policy_id, version, header.loc if header else file.loc, parents, at, sink)
    has_gap = has_missing_parent or not layer.is_whole
    unread = unread_names(file.loc.source.text, decls) if is_damaged else Unread()
    layer.closure[policy_id] = file
    layer.tests = tuple(decls.tests)
    own_kinds = read_kinds(decls.kinds, layer.declared, sink)
    places = {decl.name.name: decl.name.loc for decl in reversed(decls.kinds)}
    for name, klass in own_kinds.items():
        layer.declared[name] = Owned(policy_id, klass, places[name])
        layer.kinds[name] = klass
    layer.kinds.update(dict.fromkeys(unread.kinds - layer.kinds.keys()))
    relaxes = read_relaxes(decls.relaxes, sink)
    blocks_from = len(sink.found)
    looser = _apply_settings(layer, decls, relaxes, sink)
    looser_budgets = _apply_budgets(layer, decls, relaxes, has_gap, sink)
    names = _names(layer, decls, has_gap, unread, sink)
    used: set[str] = set()
    _apply_anchors(layer, decls, names, used, sink)
    # A broken block makes no rule, so its id is not missed.
    unmade = BLOCK_IDS if is_damaged or len(sink.found) != blocks_from else frozenset()
    broken_rules = _apply_rules(layer, decls, names, used, sink) | unread.rules | unmade
    check_unused(names, used, sink)
    if not has_gap:
        _check_relaxes(layer, decls, relaxes, broken_rules, sink)
    for rule, relaxed in relaxes.items():
        if relaxed is not None:
            budgets = looser_budgets if rule == budgets_.RULE else None
            _relax(layer, rule, relaxed, looser.get(rule, {}), budgets or {})
    check_tests(decls.tests, layer, broken_rules, has_gap, sink)
    layer.is_whole = not has_gap and not is_damaged and len(sink.found) == before
    return layer


def _apply_settings(
    layer: Layer, decls: Declarations, relaxes: Mapping[str, Relaxed | None], sink: Sink
) -> dict[str, dict[Key, Given]]:
    """Takes over the file's settings; gives those that only a relax allows, by the rule that it names."""
    looser: dict[str, dict[Key, Given]] = {}
    inherited = dict(layer.settings)
    seen: set[str] = set()
    for block in decls.blocks:
        found = read_block(block, sink)
        if block.block.name in seen:
            continue
        seen.add(block.block.name)
        if block.block.name == "monitor":
            layer.monitor = block.loc
        for key, given in found.items():
            spec, parent = spec_of(key), held(inherited, key)
            if parent is None or not is_looser(spec, given.value, parent):
                layer.settings[key] = given
                layer.relaxed.pop(spec.rule, None)
            elif spec.rule in relaxes:
                looser.setdefault(spec.rule, {})[key] = given
                layer.relaxed.pop(spec.rule, None)
            else:
                place = inherited[key].loc if key in inherited else None
                message = f"`{key[1]} {spell(given.value)}` is looser than the parent's `{spell(parent)}`"
                if spec.tighter == "same":
                    message = f"`{key[1]} {spell(given.value)}` differs from the parent's `{spell(parent)}`"
                _loosens(sink, message, given.loc, spec.rule, place)
    return looser


def _loosens(sink: Sink, message: str, loc: Loc, rule: str, parent: Loc | None) -> None:
    hint = f'a child may only tighten; to loosen until a date: `relax "{rule}" because "…" until 2027-01-31`'
    related = ((parent, "the parent's setting"),) if parent is not None else ()
    sink.error("loosens-parent", message, loc, hint, related)


def _apply_budgets(
    layer: Layer, decls: Declarations, relaxes: Mapping[str, Relaxed | None], has_gap: bool, sink: Sink
) -> dict[budgets_.BudgetKey, budgets_.Bound] | None:
    """Takes over the file's budgets; gives those that hold until a relax ends, if it needs one."""
    declared = budgets_.read_budgets(decls.budgets, layer.kinds, has_gap, sink)
    if any(layer.kinds.get(one.kind) == budgets_.POOL or one.kind == budgets_.POOL for one in declared):
        layer.relaxed.pop(budgets_.RULE, None)

    def loosens(one: budgets_.Declared, why: str, parent: budgets_.Bound) -> bool:
        if budgets_.RULE in relaxes:
            return True
        message = f"the budget of `{one.kind}` is looser than the parent's: {why}"
        _loosens(sink, message, one.bound.loc, budgets_.RULE, parent.loc)
        return False

    layer.budgets, relaxed = budgets_.apply(layer.budgets, declared, layer.kinds, loosens)
    return relaxed


def _names(layer: Layer, decls: Declarations, has_gap: bool, unread: Unread, sink: Sink) -> Names:
    lets = read_lets(decls.lets, sink)
    return Names(
        kinds=dict(layer.kinds),
        open_kinds=has_gap,
        lets=lets,
        broken=broken_lets(lets, unread.lets, sink),
        parent_lets=frozenset(
            decl.name.name
            for name, file in layer.closure.items()
            if name != layer.id
            for decl in file.decls
            if isinstance(decl, ast.Let)
        ),
        mass=mass_of(layer.budgets),
        excluded=budgets_.own_kinds(layer.budgets, layer.kinds),
    )


def _apply_anchors(layer: Layer, decls: Declarations, names: Names, used: set[str], sink: Sink) -> None:
    own = read_anchors(decls.anchors, names, used, sink)
    layer.anchor = own.first or layer.anchor
    layer.detect |= own.detect
    if own.kinds is not None:
        layer.anchor_kinds = {**{kind.name: kind.loc for kind in own.kinds}, **(layer.anchor_kinds or {})}
    for anchor in own.named:
        _declare(layer.named, anchor.name, Owned(layer.id, anchor, anchor.loc), "anchor", sink)
    for exempt in own.exempts:
        _declare(layer.exempts, exempt.name, Owned(layer.id, exempt, exempt.loc), "exempt", sink)
    _check_anchor_budgets(layer, decls, own.kinds or (), sink)


def _declare(into: dict[str, Owned[T]], name: str, owned: Owned[T], what: str, sink: Sink) -> None:
    other = into.setdefault(name, owned)
    if other.owner != owned.owner:
        message = f"a parent declares the {what} `{name}`"
        sink.error("duplicate-id", message, owned.loc, "choose another name", ((other.loc, "declared here"),))


def _check_anchor_budgets(layer: Layer, decls: Declarations, own: Sequence[ast.Ident], sink: Sink) -> None:
    """No anchor may have an ε, neither alone nor in the pool; said where this file brings the two together."""
    anchors = layer.anchor_kinds or {}
    licensed = {kind: bound for (kind, _), bound in sorted(layer.budgets.items()) if bound.epsilon is not None}
    pool = budgets_.pooled(layer.budgets, layer.kinds)
    targets = {decl.target.name: decl.target.loc for decl in reversed(decls.budgets)}
    places = {kind.name: kind.loc for kind in reversed(own)}
    for kind in sorted(anchors):
        through = kind if kind in licensed and kind != budgets_.POOL else budgets_.POOL if kind in pool else None
        if through is None or layer.kinds.get(kind) != budgets_.POOL:
            continue
        loc = targets.get(through) or places.get(kind) or licensed[through].loc
        hint = f"`budget {kind} never`, or no longer anchor it" if kind != through else "no longer anchor it"
        message = f"ε cannot license losing `{kind}`, which is an anchor"
        sink.error("epsilon-on-state", message, loc, hint, ((anchors[kind], "anchored here"),))


def _apply_rules(layer: Layer, decls: Declarations, names: Names, used: set[str], sink: Sink) -> frozenset[str]:
    """Takes over the file's own rules; gives the ids of those that are wrong."""
    broken: set[str] = set()
    first: dict[str, Loc] = {}
    for rule in decls.rules:
        name = rule.id.name
        other = layer.rules.get(name)
        if name in BLOCK_IDS:
            message = f"`{name}` is the id of a block's rule"
            sink.error("duplicate-id", message, rule.id.loc, "choose another id; the block makes its rule itself")
        elif name in first:
            message = f"the rule `{name}` is declared already"
            sink.error(
                "duplicate-id", message, rule.id.loc, "choose another id", ((first[name], "first declared here"),)
            )
        elif other is not None:
            message = f"`{other.owner}` declares the rule `{name}`; a child may add rules, not change them"
            sink.error("duplicate-id", message, rule.id.loc, "choose another id", ((other.loc, "declared here"),))
        first.setdefault(name, rule.id.loc)
        typed = type_rule(rule, names, used, sink)
        if typed is None:
            broken.add(name)
        elif other is None and name not in BLOCK_IDS:
            layer.rules.setdefault(name, Owned(layer.id, typed, rule.loc))
    return frozenset(broken)


def _check_relaxes(
    layer: Layer, decls: Declarations, relaxes: Mapping[str, Relaxed | None], broken: frozenset[str], sink: Sink
) -> None:
    ids = {*layer.rules, *block_rules(layer.blocks())}
    places = {decl.rule.name: decl.rule.loc for decl in reversed(decls.relaxes)}
    for rule in relaxes:
        if rule not in ids and rule not in broken:
            hint = "the policy has no such block, so there is nothing to relax" if rule in BLOCK_IDS else None
            sink.unknown("relax-unknown-rule", "rule", rule, places[rule], ids, hint)


def _relax(
    layer: Layer,
    rule: str,
    relaxed: Relaxed,
    settings: Mapping[Key, Given],
    budgets: Mapping[budgets_.BudgetKey, budgets_.Bound],
) -> None:
    one = replace(
        relaxed,
        settings=tuple(sorted(settings.items(), key=lambda item: item[0])),
        budgets=tuple(sorted(budgets.items(), key=lambda item: item[0])),
    )
    layer.relaxed[rule] = (*layer.relaxed.get(rule, ()), one)
