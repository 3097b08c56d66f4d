"""The order of declarations means nothing; slots are unique; sizes are bounded."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policylang.check import check, load_text
from policylang.frontend.dsl import parse
from policylang.rules_ir import expr as ir
from policylang.rules_ir.policy import CheckedPolicy
from policylang.shipped import shipped_ids, shipped_path
from policylang.source import Source
from policylang.syntax import ast


def read(name: str) -> ast.PolicyFile:
    path = shipped_path(name)
    assert path is not None
    file, problems = parse(Source(name, path.read_text("utf-8")))
    assert not problems
    return file


FILES = {name: read(name) for name in shipped_ids()}


def checked(file: ast.PolicyFile) -> CheckedPolicy:
    policy, found = check(file, resolve=FILES.get, known_parents=FILES)
    assert policy is not None, found
    return policy


@pytest.mark.parametrize("name", shipped_ids())
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_order_of_declarations_changes_nothing(name: str, data: st.DataObject) -> None:
    file = FILES[name]
    order = data.draw(st.permutations(range(len(file.decls))))
    shuffled = replace(file, decls=tuple(file.decls[at] for at in order))
    one, other = checked(file), checked(shuffled)
    assert replace(one, digest="", tests=()) == replace(other, digest="", tests=())


def slots(node: Any) -> list[int]:
    """Slots of all quantifiers, in the order in which they stand."""
    found: list[int] = []
    if is_dataclass(node):
        if isinstance(node, ir.Quant):
            found.append(node.slot)
        for field in fields(node):
            found += slots(getattr(node, field.name))
    elif isinstance(node, tuple):
        for item in node:
            found += slots(item)
    return found


def test_every_quantifier_has_a_slot_of_its_own() -> None:
    policy = load_text(
        "let both(p) = p and (epoch > 1 or p)\n"
        "let held(s) = any a in s.assertions: a.status == absent\n"
        'refuse "r" { for each s in evicted when both(any t in spans: both(held(t)) and held(s)) because "x" }\n'
    )
    found = slots(policy.rules[0].condition)
    assert len(found) == 2 * (1 + 2 + 1)
    assert len(set(found)) == len(found) and 0 not in found


def test_a_let_cannot_capture_its_callers_variable() -> None:
    policy = load_text(
        "let other(s) = any t in evicted: t.tokens > s.tokens\n"
        'refuse "r" { when any t in retained: other(t) because "x" }\n'
    )
    outer = policy.rules[0].condition
    assert isinstance(outer, ir.Quant) and isinstance(outer.body, ir.Quant)
    assert isinstance(outer.body.body, ir.Compare)
    left, right = outer.body.body.left, outer.body.body.right
    assert isinstance(left, ir.Field) and isinstance(right, ir.Field)
    assert (left.base, right.base) == (
        ir.Var(outer.body.slot, "t", left.base.type),
        ir.Var(outer.slot, "t", right.base.type),
    )


@pytest.mark.parametrize("wide", [2, 3, 10])
def test_lets_that_blow_up_are_stopped_soon(wide: int) -> None:
    """Each level calls the one below `wide` times: without a bound this would never end."""
    lines = ["let l0(s) = s.anchor"]
    lines += [f"let l{n}(s) = {' and '.join([f'l{n - 1}(s)'] * wide)}" for n in range(1, 60)]
    lines.append('refuse "r" { when any s in evicted: l59(s) because "x" }')
    file, problems = parse(Source("x", "\n".join(lines)))
    assert not problems
    policy, found = check(file)
    assert policy is None and [item.code for item in found] == ["too-deep"]


@pytest.mark.parametrize("arguments", [False, True])
def test_long_chains_of_lets(arguments: bool) -> None:
    head = "(s)" if arguments else ""
    lines = [f"let l0{head} = {'s.anchor' if arguments else 'epoch > 1'}"]
    lines += [f"let l{n}{head} = l{n - 1}{head}" for n in range(1, 3000)]
    lines.append(f'refuse "r" {{ when any s in evicted: l2999{head} == true because "x" }}')
    file, _ = parse(Source("x", "\n".join(lines)))
    policy, found = check(file)
    assert policy is None and [item.code for item in found] == ["too-deep"]
