"""How much work a rule can be, before any request is seen: a bound in terms of the sizes of the request.

The unit is the step of `interpret.count_steps`: a node evaluated, an element visited, a character read. Text functions
cost the length of their texts, whatever the engine: a bound that counts a search as one step is no bound. Establishing
evidence (representation, probes) is not part of it: that is done once per span, whatever the rules are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from policylang.compiler.shape import operands
from policylang.rules_ir import expr as ir
from policylang.rules_ir.facts import World
from policylang.rules_ir.policy import Rule
from policylang.rules_ir.types import BOOL, INT, NUMBER, SPAN, Type

SIZES: Final[dict[str, str]] = {
    "E": "evicted spans",
    "R": "retained spans",
    "S": "spans",
    "N": "evicted anchors",
    "C": "chains",
    "A": "assertions of one span",
    "B": "reasons for which one span is an anchor",
    "M": "terms of the eviction score",
    "U": "unsupported claims, or spans unaccounted for",
    "T": "characters of one span's text",
    "V": "characters of any other text (id, kind, key, value, tool, meta)",
}
"""The sizes that bounds are written in."""

_LISTS: Final[dict[str, str]] = {
    "evicted": "E",
    "retained": "R",
    "spans": "S",
    "anchors": "N",
    "chains": "C",
    "evicted_anchors": "N",
    "assertions": "A",
    "anchor_by": "B",
    "terms": "M",
    "claims": "U",
    "lost": "U",
}
_LOWER_GROWTH: Final = 3
"""Lower case of one character is at most so many characters."""

Polynomial = Mapping[tuple[str, ...], int]
"""Products of sizes, each sorted, with their factors; ``()`` is the constant."""


@dataclass(frozen=True, slots=True)
class Cost:
    """A bound and where it comes from.

    Attributes:
        label: What costs this: the rule, a quantifier or a text function, as a policy would write it.
        over: The size that multiplies everything below, None for once.
        own: Steps of this part itself, each time.
        parts: The dear parts inside, each time.
    """

    label: str
    over: Polynomial | None
    own: Polynomial
    parts: tuple[Cost, ...]

    def total(self) -> Polynomial:
        """The bound, multiplied out."""
        inside = self.own
        for part in self.parts:
            inside = _add(inside, part.total())
        return inside if self.over is None else _multiply(self.over, inside)

    def steps(self, sizes: Mapping[str, int]) -> int:
        """The bound for a request of these sizes."""
        result = 0
        for product, factor in self.total().items():
            for size in product:
                factor *= sizes[size]
            result += factor
        return result

    def __str__(self) -> str:
        terms = [_text(self.own)] if self.own else []
        terms += [str(part) for part in self.parts]
        inside = " + ".join(terms) or "0"
        if self.over is None:
            return inside
        over = _text(self.over)
        return f"{f'({over})' if ' ' in over else over}·{f'({inside})' if ' ' in inside else inside}"

    def lines(self, depth: int = 0) -> Iterator[str]:
        """One line per part, indented, dearest first: what it is and what it adds each time round."""
        yield f"{'  ' * depth}{self.label}: {self}"
        for part in self.parts:
            yield from part.lines(depth + 1)


def cost_bound(rules: Sequence[Rule]) -> list[Cost]:
    """The bound of each rule, in the order given."""
    return [_rule(rule) for rule in rules]


def world_sizes(world: World) -> dict[str, int]:
    """The sizes of one request; reads every fact of it."""
    spans = [*world.spans, *world.evicted, *world.retained, *world.anchors]
    assertions = [assertion for span in spans for assertion in span.assertions]
    words = [text for chain in world.chains for text in (chain.id,)]
    for span in spans:
        words += [span.id, span.kind, span.klass, span.representation or "", span.tool or "", span.tool_call_id or ""]
        words += [span.chain.id, *span.anchor_by, *span.meta.values()]
    for found in assertions:
        words += [found.key, found.value, found.type, found.entity or "", found.status or ""]
    words += [*(world.scoring.terms or ()), world.index.source or "", *world.integrity.claims, *world.integrity.lost]

    def longest(lists: list[Any]) -> int:
        return max(map(len, lists), default=0)

    chains = [*world.chains, *(span.chain for span in spans)]
    return {
        "E": longest([world.evicted, *(chain.evicted for chain in chains)]),
        "R": len(world.retained),
        "S": longest([world.spans, *(chain.spans for chain in chains), *(chain.anchors for chain in chains)]),
        "N": longest([world.anchors, *(chain.evicted_anchors for chain in chains)]),
        "C": len(world.chains),
        "A": longest([span.assertions for span in spans]),
        "B": longest([span.anchor_by for span in spans]),
        "M": len(world.scoring.terms or ()),
        "U": longest([world.integrity.claims, world.integrity.lost]),
        "T": longest([span.text for span in spans]),
        "V": longest(words),
    }


# --- polynomials -----------------------------------------------------------------------------------------------------


def _constant(value: int) -> Polynomial:
    return {(): value} if value else {}


def _symbol(name: str) -> Polynomial:
    return {(name,): 1}


def _add(*parts: Polynomial) -> Polynomial:
    result: dict[tuple[str, ...], int] = {}
    for part in parts:
        for product, factor in part.items():
            result[product] = result.get(product, 0) + factor
    return result


def _multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    result: dict[tuple[str, ...], int] = {}
    for one, factor in left.items():
        for other, times in right.items():
            product = tuple(sorted(one + other))
            result[product] = result.get(product, 0) + factor * times
    return result


def _larger(left: Polynomial, right: Polynomial) -> Polynomial:
    """A bound of both: factor by factor, as sizes are never negative."""
    return {product: max(left.get(product, 0), right.get(product, 0)) for product in {**left, **right}}


def _text(polynomial: Polynomial) -> str:
    terms = []
    for product, factor in sorted(polynomial.items(), key=lambda term: (len(term[0]), term[0])):
        words = [str(factor)] if factor != 1 or not product else []
        terms.append("·".join([*words, *product]))
    return " + ".join(terms) or "0"


# --- the walk --------------------------------------------------------------------------------------------------------


def _rule(rule: Rule) -> Cost:
    own, parts = _Walk().cost(rule.condition)
    own = _add(own, _constant(1))
    if rule.each is None:
        return Cost(rule.id, None, own, parts)
    return Cost(f"{rule.id}: for each in {rule.each}", _symbol(_LISTS[rule.each]), own, parts)


class _Walk:
    """One rule's condition. ``_texts`` bounds the length of text variables by slot."""

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: dict[int, Polynomial] = {}

    def cost(self, expr: ir.Expr) -> tuple[Polynomial, tuple[Cost, ...]]:
        """(steps of the plain nodes, the dear parts) of evaluating ``expr`` once."""
        match expr:
            case ir.Quant():
                return self._quantifier(expr)
            case ir.If():
                return self._if(expr)
            case _:
                pass
        own: Polynomial = _constant(1)
        parts: tuple[Cost, ...] = ()
        for operand in operands(expr):
            inner, dear = self.cost(operand)
            own, parts = _add(own, inner), parts + dear
        reads = self._reads(expr)
        if any(reads):
            parts = (*parts, Cost(describe(expr), None, reads, ()))
        else:
            own = _add(own, reads)
        return own, parts

    def _quantifier(self, expr: ir.Quant) -> tuple[Polynomial, tuple[Cost, ...]]:
        own, parts = self.cost(expr.collection)
        self._texts[expr.slot] = self._element(expr.collection)
        inner, dear = self.cost(expr.body)
        inner = _add(inner, _constant(1))
        if expr.where is not None:
            filtered, filters = self.cost(expr.where)
            inner, dear = _add(inner, filtered), filters + dear
        size = self._count(expr.collection)
        return _add(own, _constant(1)), (*parts, Cost(describe(expr), size, inner, dear))

    def _if(self, expr: ir.If) -> tuple[Polynomial, tuple[Cost, ...]]:
        """One branch is evaluated: the plain steps of the larger; dear parts of both, as either may be."""
        own, parts = self.cost(expr.condition)
        then, one = self.cost(expr.then)
        otherwise, other = self.cost(expr.otherwise)
        return _add(_constant(1), own, _larger(then, otherwise)), parts + one + other

    def _reads(self, expr: ir.Expr) -> Polynomial:
        """Characters and elements that the operator itself reads."""
        match expr:
            case ir.Compare(left=left, right=right):
                if left.type.element is None:
                    return _add(self._length(left), self._length(right))
                items = _add(_constant(1), self._element(left), self._element(right))
                return _multiply(_larger(self._count(left), self._count(right)), items)
            case ir.In():
                items = _add(_constant(1), self._length(expr.item), self._element(expr.collection))
                return _multiply(self._count(expr.collection), items)
            case ir.Matches():
                return self._length(expr.subject)
            case ir.Builtin():
                return _add(*(self._length(arg) for arg in expr.args))
            case _:
                return {}

    def _length(self, expr: ir.Expr) -> Polynomial:
        """The longest text that the expression can be; nothing if it is no text."""
        if not _is_text(expr.type):
            return {}
        match expr:
            case ir.Const():
                return _constant(len(str(expr.value)))
            case ir.Var():
                return self._texts[expr.slot]
            case ir.Field():
                return _symbol("T" if expr.base.type == SPAN and expr.name == "text" else "V")
            case ir.If():
                return _larger(self._length(expr.then), self._length(expr.otherwise))
            case ir.Builtin():
                return _multiply(_constant(_LOWER_GROWTH), self._length(expr.args[0]))
            case _:
                return _symbol("V")

    def _element(self, expr: ir.Expr) -> Polynomial:
        """The longest text in a list; nothing if its elements are no texts."""
        if expr.type.element is None or not _is_text(expr.type.element):
            return {}
        match expr:
            case ir.ListLit():
                longest: Polynomial = {}
                for item in expr.items:
                    longest = _larger(longest, self._length(item))
                return longest
            case ir.If():
                return _larger(self._element(expr.then), self._element(expr.otherwise))
            case _:
                return _symbol("V")

    def _count(self, expr: ir.Expr) -> Polynomial:
        """The longest list that the expression can be."""
        match expr:
            case ir.ListLit():
                return _constant(len(expr.items))
            case ir.If():
                return _larger(self._count(expr.then), self._count(expr.otherwise))
            case ir.Field():
                whole_chain = expr.base.type.name == "chain" and expr.name == "anchors"
                return _symbol("S" if whole_chain else _LISTS[expr.name])
            case ir.Global():
                return _symbol(_LISTS[expr.name])
            case _:
                raise TypeError(f"{type(expr).__name__} is no list")


def _is_text(of: Type) -> bool:
    return of.element is None and of not in (BOOL, INT, NUMBER) and of.name not in ("span", "chain", "assertion")


def describe(expr: ir.Expr) -> str:
    """A part of a condition in few words, for the table of costs."""
    match expr:
        case ir.Const():
            return repr(expr.value)
        case ir.Var() | ir.Global():
            return expr.name
        case ir.Field():
            return f"{describe(expr.base)}.{expr.name}"
        case ir.Meta():
            return f"{describe(expr.span)}.meta.{expr.key}"
        case ir.ListLit():
            return f"[{', '.join(describe(item) for item in expr.items)}]"
        case ir.Compare():
            return f"{describe(expr.left)} {expr.op} {describe(expr.right)}"
        case ir.In():
            return f"{describe(expr.item)} {'not in' if expr.negated else 'in'} {describe(expr.collection)}"
        case ir.Matches():
            return f"{describe(expr.subject)} matches /{expr.pattern}/{expr.flags}"
        case ir.Builtin():
            return f"{expr.name}({', '.join(describe(arg) for arg in expr.args)})"
        case ir.Quant():
            return f"{expr.quantifier} {expr.variable} in {describe(expr.collection)}"
        case _:
            return "…"
