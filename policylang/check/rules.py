"""Own rules: `refuse` and `warn` with their condition, message, scope and mode."""

from __future__ import annotations

from typing import Final, Literal

from policylang.check.context import Names, Typing
from policylang.check.evidence import evidence_of
from policylang.check.expressions import type_as
from policylang.check.sink import Sink
from policylang.check.template import type_template
from policylang.rules_ir import expr as ir
from policylang.rules_ir.policy import Mode, Rule, Scope
from policylang.rules_ir.types import BOOL, CHAIN, GLOBALS, SPAN
from policylang.syntax import ast

Each = Literal["evicted", "anchors", "chains"]

_RANGES: Final[dict[str, tuple[Each, Scope]]] = {
    "evicted": ("evicted", "span"),
    "anchors": ("anchors", "span"),
    "chains": ("chains", "chain"),
}
_MODES: Final[dict[str, Mode]] = {"enforce": "enforce", "shadow": "shadow", "warn": "warn"}


def type_rule(rule: ast.Rule, names: Names, used: set[str], sink: Sink) -> Rule | None:
    """The typed rule, or None where it is wrong; its mistakes are reported."""
    before = len(sink.found)
    each, scope = _range(rule, sink)
    subject: ir.Var | None = None
    if rule.each is not None:
        subject = ir.Var(0, rule.each.variable.name, CHAIN if each == "chains" else SPAN)
    t = Typing(names, sink)
    env = {subject.name: subject} if subject is not None else {}
    condition = type_as(t, rule.condition, env, BOOL, "`when` takes")
    used |= t.used
    message = type_template(rule.because, subject, sink)
    mode = _mode(rule, sink)
    if len(sink.found) != before:
        return None
    return Rule(
        rule.id.name,
        rule.level,
        mode,
        scope,
        each,
        condition,
        message,
        evidence_of(condition),
        doc=rule.doc,
        loc=rule.loc,
    )


def _range(rule: ast.Rule, sink: Sink) -> tuple[Each | None, Scope]:
    """What the rule ranges over and names: `then spill epoch` makes it name the epoch."""
    each: Each | None = None
    scope: Scope = "epoch"
    if rule.each is not None:
        word = rule.each.collection
        found = _RANGES.get(word.name)
        if found is not None:
            each, scope = found
        elif word.name in GLOBALS:
            hint = "use a quantifier in `when` for other lists"
            message = f"`for each` ranges over evicted, anchors or chains, not `{word.name}`"
            sink.error("type-mismatch", message, word.loc, hint)
        else:
            sink.unknown("unknown-name", "list", word.name, word.loc, _RANGES)
    spill = rule.spill
    if spill is None:
        return each, scope
    if spill.name == "epoch":
        return each, "epoch"
    if spill.name != "span":
        sink.unknown("unknown-name", "word after `then spill`:", spill.name, spill.loc, ("span", "epoch"))
    elif scope != "span" and (rule.each is None or each is not None):
        what = "ranges over chains" if each == "chains" else "has no `for each`"
        hint = "write `for each span in evicted`, or `then spill epoch`"
        sink.error("type-mismatch", f"`then spill span` names spans, but the rule {what}", spill.loc, hint)
    return each, scope


def _mode(rule: ast.Rule, sink: Sink) -> Mode:
    if rule.mode is None:
        return "enforce"
    mode = _MODES.get(rule.mode.name)
    if mode is None:
        sink.unknown("unknown-name", "mode", rule.mode.name, rule.mode.loc, _MODES)
        return "enforce"
    return mode
