"""Random well-typed rules (`rules_ir`) and random facts, for any test that compares evaluators.

Everything is drawn from one ``random.Random``: hypothesis hands in its own, so cases shrink, and a long fuzz run can
hand in a seeded one. Values are few and awkward on purpose: big ints, infinities, empty lists, texts that nearly match.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

from policylang.rules_ir import expr as ir
from policylang.rules_ir import types as ty
from policylang.rules_ir.facts import (
    ATTRIBUTE,
    AssertionFacts,
    ChainFacts,
    IndexFacts,
    IntegrityFacts,
    MonitorFacts,
    ScoringFacts,
    SpanFacts,
    World,
)
from policylang.rules_ir.policy import Rule
from policylang.source import nowhere
from policylang.transcript import vocabulary

INTS = (0, 1, 2, 3, 5, 7, 17, -1, -4, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 2**64, 10**30, 10**400)
FLOATS = (0.0, -0.0, 0.05, 0.1, 0.5, 1.0, 2.0, 7.0, -3.5, 2.0**53, 9.3e18, 1e200, 1.7e308, 5e-324, math.inf, -math.inf)
TEXTS = ("", "a", "A", "version = 7", "VERSION", "a\nb", "schema", "schema_version", "7", "é", "İ", 'q"uo\\te', "tool")
PATTERNS = (("ver.ion", "i"), ("a.b", ""), ("a.b", "s"), ("^b", "m"), (r"\d+$", ""), ("", ""), ("é|(x)", ""), ('"', ""))
KINDS = ("reasoning", "tool_result", "state_assertion", "deploy_receipt")
META_KEYS = ("team", "x_y")
WORDS: dict[ty.Type, tuple[str, ...]] = {
    ty.KIND: KINDS,
    ty.CLASS: vocabulary.CLASSES,
    ty.REPRESENTATION: vocabulary.REPRESENTATIONS,
    ty.SOURCE: vocabulary.SOURCES,
    ty.ASSERTION_TYPE: vocabulary.ASSERTION_TYPES[:4],
    ty.STATUS: vocabulary.STATUSES,
    ty.TEXT: TEXTS,
}
ELEMENTS = (ty.INT, ty.NUMBER, ty.TEXT, ty.BOOL, ty.KIND, ty.REPRESENTATION)
RECORDS = {ty.INDEX: "index", ty.SCORING: "scoring", ty.MONITOR: "monitor", ty.INTEGRITY: "integrity"}
GLOBALS: dict[ty.Type, list[str]] = {}
for _name, _type in ty.GLOBALS.items():
    GLOBALS.setdefault(_type, []).append(_name)
FIELDS: dict[ty.Type, list[tuple[ty.Type, str]]] = {}
for _record, _fields in ty.FIELDS.items():
    for _name, _field in _fields.items():
        FIELDS.setdefault(_field.type, []).append((_record, _name))

Env = tuple[ir.Var, ...]


class Maker:
    """Draws expressions of a wanted type."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.slot = 0

    def rule(self, name: str, depth: int) -> Rule:
        """A rule over any list, or over none."""
        self.slot = 0
        each = self.random.choice((None, "evicted", "evicted", "anchors", "chains"))
        env: Env = ()
        if each is not None:
            element = ty.GLOBALS[each].element
            assert element is not None
            env = (ir.Var(0, "x", element),)
        return Rule(
            id=name,
            level="refuse",
            mode="enforce",
            scope="epoch",
            each=each,
            condition=self.expr(ty.BOOL, env, depth),
            message=(),
            evidence=(),
            loc=nowhere(),
        )

    def expr(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        """A random expression of type ``wanted``; an int may stand for a number."""
        if wanted == ty.NUMBER and self.random.random() < 0.25:
            wanted = ty.INT
        if depth > 0 and self.random.random() < 0.8:
            return self.random.choice(self._compound(wanted))(wanted, env, depth - 1)
        return self._leaf(wanted, env)

    def _leaf(self, wanted: ty.Type, env: Env) -> ir.Expr:
        options: list[Callable[[], ir.Expr]] = [lambda var=var: var for var in env if var.type == wanted]
        options += [lambda name=name: ir.Global(name, wanted) for name in GLOBALS.get(wanted, ())]
        for record, name in FIELDS.get(wanted, ()):
            base = self._record(record, env)
            if base is not None:
                options.append(lambda base=base, name=name: ir.Field(base, name, wanted))
        literal = self._literal(wanted)
        if literal is not None:
            options += [lambda: literal] * max(1, len(options) // 2)
        if wanted == ty.TEXT and (span := self._record(ty.SPAN, env)) is not None:
            options.append(lambda: ir.Meta(span, self.random.choice(META_KEYS), ty.TEXT))
        if wanted == ty.NUMBER and (chain := self._record(ty.CHAIN, env)) is not None:
            budget = self.random.choice((("reasoning", "tokens", ()), ("tool_result", "spans", ("reasoning",))))
            options.append(lambda: ir.Epsilon(chain, *budget, ty.NUMBER))
        if wanted.element is not None and not options:
            return ir.ListLit((), wanted)
        return self.random.choice(options)()

    def _record(self, record: ty.Type, env: Env) -> ir.Expr | None:
        if record in RECORDS:
            return ir.Global(RECORDS[record], record)
        found: list[ir.Expr] = [var for var in env if var.type == record]
        if record == ty.CHAIN:
            found += [ir.Field(var, "chain", ty.CHAIN) for var in env if var.type == ty.SPAN]
        return self.random.choice(found) if found else None

    def _literal(self, wanted: ty.Type) -> ir.Expr | None:
        choose = self.random.choice
        if wanted == ty.BOOL:
            return ir.Const(choose((True, False)), wanted)
        if wanted == ty.INT:
            return ir.Const(choose(INTS), wanted)
        if wanted == ty.NUMBER:
            return ir.Const(choose(FLOATS), wanted)
        if wanted in WORDS:
            return ir.Const(choose(WORDS[wanted]), wanted)
        if wanted.element in ELEMENTS:
            return ir.ListLit(tuple(self._literal(wanted.element) for _ in range(choose((0, 1, 3)))), wanted)
        return None

    def _compound(self, wanted: ty.Type) -> list[Callable[[ty.Type, Env, int], ir.Expr]]:
        if wanted == ty.BOOL:
            return [self._connective] * 3 + [self._search] * 3 + [self._order] * 2 + [
                self._not, self._equals, self._in, self._matches, self._is_known, self._if, self._text_test,
            ]  # fmt: skip
        if wanted == ty.INT:
            return [self._arith, self._arith, self._fold, self._fold, self._count, self._neg, self._if, self._length]
        if wanted == ty.NUMBER:
            return [self._arith, self._arith, self._fold, self._fold, self._neg, self._if]
        if wanted == ty.TEXT:
            return [self._lower, self._if, lambda wanted, env, _depth: self._leaf(wanted, env)]
        if wanted.element in ELEMENTS:
            return [self._list, self._list, self._if]
        return [self._if, lambda wanted, env, _depth: self._leaf(wanted, env)]

    def _connective(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        node = self.random.choice((ir.And, ir.Or))
        return node(tuple(self.expr(ty.BOOL, env, depth) for _ in range(self.random.choice((2, 2, 3)))), wanted)

    def _not(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        return ir.Not(self.expr(ty.BOOL, env, depth), wanted)

    def _neg(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        return ir.Neg(self.expr(wanted, env, depth), wanted)

    def _arith(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        op = self.random.choice(("+", "-", "*") if wanted == ty.INT else ("+", "-", "*", "/", "/"))
        return ir.Arith(op, self.expr(wanted, env, depth), self.expr(wanted, env, depth), wanted)

    def _order(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        op = self.random.choice(("==", "!=", "<", "<=", ">", ">="))
        return ir.Compare(op, self.expr(ty.NUMBER, env, depth), self.expr(ty.NUMBER, env, depth), wanted)

    def _comparable(self, env: Env) -> ty.Type:
        found = [ty.BOOL, ty.TEXT, ty.KIND, ty.CLASS, ty.REPRESENTATION, ty.SOURCE, ty.STATUS, ty.ASSERTION_TYPE]
        found += [ty.list_of(element) for element in (ty.TEXT, ty.NUMBER, ty.INT)] + [ty.SPANS]
        found += [var.type for var in env] * 4
        found += [ty.CHAIN for var in env if var.type == ty.SPAN]
        return self.random.choice(found)

    def _equals(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        of = self._comparable(env)
        return ir.Compare(
            self.random.choice(("==", "!=")), self.expr(of, env, depth), self.expr(of, env, depth), wanted
        )

    def _in(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        element = self.random.choice([*ELEMENTS, *(var.type for var in env if var.type in (ty.SPAN, ty.CHAIN))])
        items = self.expr(ty.list_of(element), env, depth)
        return ir.In(self.expr(element, env, depth), items, self.random.choice((True, False)), wanted)

    def _matches(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        return ir.Matches(self.expr(ty.TEXT, env, depth), *self.random.choice(PATTERNS), wanted)

    def _is_known(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        of = self.random.choice(
            (ty.BOOL, ty.NUMBER, ty.INT, ty.TEXT, ty.REPRESENTATION, ty.TEXTS, *(v.type for v in env))
        )
        return ir.IsKnown(self.expr(of, env, depth), self.random.choice((True, False)), wanted)

    def _if(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        return ir.If(
            self.expr(ty.BOOL, env, depth), self.expr(wanted, env, depth), self.expr(wanted, env, depth), wanted
        )

    def _text_test(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        name = self.random.choice(("starts_with", "contains"))
        return ir.Builtin(name, (self.expr(ty.TEXT, env, depth), self.expr(ty.TEXT, env, depth)), wanted)

    def _lower(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        return ir.Builtin("lower", (self.expr(ty.TEXT, env, depth),), wanted)

    def _length(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        of = self.random.choice((ty.TEXT, ty.SPANS, ty.TEXTS, ty.list_of(ty.INT)))
        return ir.Builtin("length", (self.expr(of, env, depth),), wanted)

    def _list(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        assert wanted.element is not None
        count = self.random.choice((0, 1, 2, 3))
        return ir.ListLit(tuple(self.expr(wanted.element, env, depth) for _ in range(count)), wanted)

    def _quantifier(self, quantifier: Any, body: ty.Type, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        lists = [ty.SPANS, ty.SPANS, ty.list_of(ty.CHAIN), ty.list_of(ty.INT), ty.TEXTS, ty.list_of(ty.NUMBER)]
        if any(var.type == ty.SPAN for var in env):
            lists += [ty.list_of(ty.ASSERTION)] * 3
        of = self.random.choice(lists)
        assert of.element is not None
        collection = self._leaf(of, env) if self.random.random() < 0.7 else self.expr(of, env, depth)
        self.slot += 1
        var = ir.Var(self.slot, f"v{self.slot}", of.element)
        inner = (*env, var)
        where = self.expr(ty.BOOL, inner, depth) if self.random.random() < 0.4 else None
        return ir.Quant(quantifier, var.slot, var.name, collection, where, self.expr(body, inner, depth), wanted)

    def _search(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        return self._quantifier(self.random.choice(("any", "all")), ty.BOOL, wanted, env, depth)

    def _count(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        return self._quantifier("count", ty.BOOL, wanted, env, depth)

    def _fold(self, wanted: ty.Type, env: Env, depth: int) -> ir.Expr:
        return self._quantifier(self.random.choice(("sum", "min", "max")), wanted, wanted, env, depth)


def make_rules(random: Random, *, most: int = 5, depth: int = 4) -> tuple[Rule, ...]:
    """One to ``most`` rules with conditions up to ``depth`` deep."""
    maker = Maker(random)
    return tuple(maker.rule(f"rule-{index}", depth) for index in range(random.randint(1, most)))


# --- facts -----------------------------------------------------------------------------------------------------------


def _fill(random: Random, record: ty.Type, facts: Any, fixed: dict[str, Any]) -> None:
    """Set every field of the language: from ``fixed``, else at random, unknown only where the table allows it."""
    calm = random.random() < 0.5
    for name, field in ty.FIELDS[record].items():
        attribute = ATTRIBUTE.get(name, name)
        value = fixed[attribute] if attribute in fixed else _value(random, field.type, calm)
        if field.maybe_unknown and random.random() < 0.25:
            value = None
        setattr(facts, attribute, value)


def _value(random: Random, of: ty.Type, calm: bool) -> Any:
    if of == ty.BOOL:
        return random.random() < 0.5
    if of == ty.INT:
        return random.choice(INTS[:7] if calm else INTS)
    if of == ty.NUMBER:
        return random.choice((0.05, 0.5, 1.0, 7.0) if calm else FLOATS + INTS)
    if of == ty.TEXTS:
        return [random.choice(TEXTS) for _ in range(random.choice((0, 1, 2)))]
    if of == ty.META:
        return {key: random.choice(TEXTS) for key in META_KEYS if random.random() < 0.5}
    return random.choice(WORDS[of])


def _some(random: Random, items: list[Any]) -> list[Any]:
    share = random.choice((0.0, 0.5, 1.0))
    return [item for item in items if random.random() < share]


def make_world(random: Random, *, most: int = 5) -> World:
    """A world of up to ``most`` spans and three chains; every field is set."""
    chains = [ChainFacts() for _ in range(random.randint(1, 3))]
    spans = [SpanFacts() for _ in range(random.randint(0, most))]
    for position, span in enumerate(spans):
        assertions = [AssertionFacts() for _ in range(random.choice((0, 1, 1, 2, 3)))]
        for assertion in assertions:
            _fill(random, ty.ASSERTION, assertion, {})
        fixed = {"id": f"s{position}", "position": position, "chain": random.choice(chains), "assertions": assertions}
        _fill(random, ty.SPAN, span, fixed)
    for number, chain in enumerate(chains):
        own = _some(random, spans)
        lists = {"spans": own, "evicted": _some(random, own), "anchors": _some(random, own)}
        lists["evicted_anchors"] = [span for span in lists["evicted"] if span in lists["anchors"]]
        _fill(random, ty.CHAIN, chain, {"id": f"c{number}", **lists})
        table = {kind: random.choice((None, 0.0, 0.05, 1.0)) for kind in ("reasoning", "tool_result")}
        chain.epsilon_of = lambda kind, by, excluded, table=table: table[kind]
    evicted = _some(random, spans)
    world = World(
        spans=spans,
        evicted=evicted,
        retained=[span for span in spans if span not in evicted],
        anchors=_some(random, evicted),
        chains=chains if random.random() < 0.8 else [],
        epoch=random.choice(INTS[:7]),
        index=IndexFacts(),
        scoring=ScoringFacts(),
        monitor=MonitorFacts(),
        integrity=IntegrityFacts(),
    )
    for record, name in RECORDS.items():
        _fill(random, record, getattr(world, name), {})
    return world


def rules() -> st.SearchStrategy[tuple[Rule, ...]]:
    """Well-typed rules."""
    return st.randoms(use_true_random=False).map(make_rules)


def worlds(most: int = 4) -> st.SearchStrategy[list[World]]:
    """One to ``most`` worlds."""
    return st.randoms(use_true_random=False).map(
        lambda random: [make_world(random) for _ in range(random.randint(1, most))]
    )
