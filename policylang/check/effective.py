"""From layers to the one policy that evaluators run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from policylang.check.anchors import with_declared
from policylang.check.blockrules import block_rules
from policylang.check.budgets import in_policy_order
from policylang.check.digest import policy_digest
from policylang.check.layer import Layer, base_of
from policylang.check.relax import loosest_first, relaxations
from policylang.check.settings import index_settings, monitor_settings
from policylang.check.sink import Sink
from policylang.rules_ir.policy import Anchors, CheckedPolicy, Rule, SettingRelaxation
from policylang.source import Loc, nowhere

JOIN = " + "


def together(roots: Sequence[Layer], sink: Sink) -> Layer:
    """One layer that asks for all that each root asks for; a single root is that layer."""
    if len(roots) == 1:
        return roots[0]
    roots = sorted(roots, key=lambda root: root.id)
    places: Mapping[str, Loc] = {root.id: root.loc for root in roots}
    layer = base_of(JOIN.join(root.id for root in roots), JOIN.join(root.version for root in roots),
                    roots[0].loc, roots, places, sink)  # fmt: skip
    layer.tests = tuple(test for root in roots for test in root.tests)
    return layer


def effective(layer: Layer) -> CheckedPolicy:
    """The policy of a layer without errors."""
    blocks = layer.blocks()
    own = {name: owned.value for name, owned in layer.rules.items()}
    rules: dict[str, Rule] = {**block_rules(blocks), **own}
    for name, relaxed in layer.relaxed.items():
        rules[name] = replace(rules[name], relaxations=relaxations(rules[name], relaxed, blocks))
    settings = tuple(
        SettingRelaxation(name, one.until, tuple((key, given.value) for key, given in one.settings))
        for name in sorted(layer.relaxed)
        for one in loosest_first(layer.relaxed[name])
    )
    kinds = {name: klass for name, klass in sorted(layer.kinds.items()) if klass is not None}
    return CheckedPolicy(
        id=layer.id,
        version=layer.version,
        digest=policy_digest(layer.closure),
        kinds=kinds,
        anchors=_anchors(layer),
        budgets=in_policy_order(layer.budgets),
        index=index_settings(layer.settings),
        monitor=monitor_settings(layer.settings, layer.monitor is not None),
        rules=tuple(rules[name] for name in sorted(rules)),
        tests=layer.tests,
        layers=tuple(sorted(layer.closure)),
        setting_relaxations=settings,
        loc=layer.loc if layer.closure else nowhere(),
    )


def _anchors(layer: Layer) -> Anchors | None:
    if layer.anchor is None:
        return None
    kinds = layer.anchor_kinds
    declared = [(name, owned.value) for name, owned in layer.declared.items()]
    return Anchors(
        kinds=with_declared(kinds, declared) if kinds is not None else None,
        detect=layer.detect,
        named=tuple(layer.named[name].value for name in sorted(layer.named)),
        exempts=tuple(layer.exempts[name].value for name in sorted(layer.exempts)),
    )
