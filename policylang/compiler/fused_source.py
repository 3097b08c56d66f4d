"""Typed expressions to Python source. Every piece of a policy's own text enters as a literal made by ``repr`` or as a
numbered constant, never as bare text, so no policy can write code.

Three renderings of a bool expression, each exact: ``value`` is True, False or None; ``rail(…, False)`` is truthy if the
expression is true; ``rail(…, True)`` is truthy unless it is false. The rails carry no None, so they are plain `and`,
`or`, `not`. Every rendering visits each node once, so source grows linearly with the policy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from policylang.compiler.fused_scope import Scope
from policylang.compiler.shape import CHEAP_FIELDS, Shapes
from policylang.rules_ir import expr as ir
from policylang.rules_ir.facts import ATTRIBUTE
from policylang.rules_ir.types import INT

_DEEP: Final = 12
"""Nesting of one line of source; what is deeper becomes a function of its own (CPython's parser is bounded)."""

_HELPERS: Final = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}

Rail = bool | None
"""What an unknown renders as: False and True for the two rails, None for the value."""


class Writer:
    """Collects the functions, constants and patterns of one policy while its rules are rendered."""

    __slots__ = ("_names", "cached", "constants", "functions", "patterns", "shapes")

    def __init__(self) -> None:
        self.shapes = Shapes()
        self.functions: list[str] = []
        self.constants: list[object] = []
        self.patterns: dict[tuple[str, str], str] = {}
        self.cached = 0
        self._names: dict[str, str] = {}

    # --- pieces --------------------------------------------------------------------------------------------------

    def function(self, parameters: str, body: str) -> str:
        """The name of a function with this source; equal source is written once."""
        text = f"({parameters}):\n{body}\n"
        name = self._names.get(text)
        if name is None:
            name = f"f{len(self._names)}"
            self._names[text] = name
            self.functions.append(f"def {name}{text}")
        return name

    def constant(self, value: object) -> str:
        """Source of a literal."""
        match value:
            case bool():
                return "True" if value else "False"
            case str():
                return str.__repr__(value)
            case int() if value.bit_length() <= 64:
                return int.__repr__(value) if value >= 0 else f"({int.__repr__(value)})"
            case float() if math.isfinite(value):
                return f"({float.__repr__(value)})"
            case _:
                self.constants.append(value)
                return f"v{len(self.constants) - 1}"

    def pattern(self, pattern: str, flags: str) -> str:
        """The name that the search function of a pattern has."""
        return self.patterns.setdefault((pattern, flags), f"r{len(self.patterns)}")

    # --- the three renderings ------------------------------------------------------------------------------------

    def value(self, expr: ir.Expr, scope: Scope) -> str:
        """Source of the value itself, None for unknown."""
        return self.render(expr, None, scope)

    def rail(self, expr: ir.Expr, unknown: bool, scope: Scope) -> str:
        """Source that is truthy if a bool expression is true, or also if it is unknown."""
        return self.render(expr, unknown, scope)

    def render(self, expr: ir.Expr, unknown: Rail, scope: Scope) -> str:
        """One rendering; what nests too deep moves into a function of its own."""
        if scope.depth >= _DEEP and not isinstance(expr, (ir.Const, ir.Var, ir.Global)):
            inner = Scope(scope.slots)
            body = f" return {self.render(expr, unknown, inner)}"
            return f"{self.function(scope.parameters, body)}({scope.parameters})"
        scope.depth += 1
        source = self._render(expr, unknown, scope)
        scope.depth -= 1
        return source

    def _render(self, expr: ir.Expr, unknown: Rail, scope: Scope) -> str:
        match expr:
            case ir.And() | ir.Or():
                return self._connective(expr, unknown, scope)
            case ir.Compare():
                return self._compare(expr, unknown, scope)
            case ir.Const():
                return self.constant(expr.value)
            case ir.In():
                return self._in(expr, unknown, scope)
            case ir.Not():
                return self._not(expr, unknown, scope)
            case ir.If():
                return self._if(expr, unknown, scope)
            case ir.Quant():
                return self._quantifier(expr, unknown, scope)
            case ir.IsKnown():
                if not self.shapes.of(expr.operand).unknown:
                    return "False" if expr.negated else "True"
                return f"({self.value(expr.operand, scope)} is {'' if expr.negated else 'not '}None)"
            case ir.Matches():
                search = self.pattern(expr.pattern, expr.flags)
                return self._strict((expr.subject,), lambda text: f"({search}({text}) is not None)", unknown, scope)
            case ir.Builtin():
                return self._strict(expr.args, _BUILTINS[expr.name], unknown, scope)
            case _:
                return self._plain(expr, unknown, scope)

    def _plain(self, expr: ir.Expr, unknown: Rail, scope: Scope) -> str:
        """Reads and arithmetic: their value is their rendering, but for a bool that may be unknown."""
        source = self._value_only(expr, scope)
        if unknown and self.shapes.of(expr).unknown:
            return f"({source} is not False)"
        return source

    def _value_only(self, expr: ir.Expr, scope: Scope) -> str:
        match expr:
            case ir.Var():
                return scope.slots[expr.slot]
            case ir.Global():
                return self._global(expr.name, scope)
            case ir.Field():
                return self._field(expr, scope)
            case ir.Meta():
                key = self.constant(expr.key)
                return self._strict((expr.span,), lambda span: f"{span}.meta.get({key})", None, scope)
            case ir.ListLit():
                items = "".join(f"{self.value(item, scope)}, " for item in expr.items)
                return f"({items})"
            case ir.Neg():
                return self._strict((expr.operand,), lambda number: f"(-{number})", None, scope)
            case ir.Arith():
                return self._arithmetic(expr, scope)
            case ir.Epsilon():
                excluded = "".join(f"{self.constant(kind)}, " for kind in expr.excluded)
                budget = f"{self.constant(expr.kind)}, {self.constant(expr.by)}, ({excluded})"
                return self._strict((expr.chain,), lambda chain: f"{chain}.epsilon_of({budget})", None, scope)
            case _:
                raise TypeError(f"no rendering for {type(expr).__name__}")

    def _global(self, name: str, scope: Scope) -> str:
        if scope.hoisted is None:
            return f"w.{name}"
        return scope.hoisted.setdefault(f"w.{name}", f"g_{name}")

    def _field(self, expr: ir.Field, scope: Scope) -> str:
        attribute = ATTRIBUTE.get(expr.name, expr.name)
        if scope.hoisted is not None and isinstance(expr.base, ir.Var):
            name = f"x0_{attribute}"
            if expr.name in CHEAP_FIELDS:
                scope.reads[attribute] = f"x0.{attribute}"
                return name
            # Evidence is read when it is first needed. A value that is false is read again: that is rarer, and no
            # longer, than asking each time whether it was read.
            scope.reads[attribute] = "None"
            return name if scope.settled else f"({name} or ({name} := x0.{attribute}))"
        return self._strict((expr.base,), lambda record: f"{record}.{attribute}", None, scope)

    def _arithmetic(self, expr: ir.Arith, scope: Scope) -> str:
        if expr.type == INT and expr.op != "/":
            return self._strict((expr.left, expr.right), lambda a, b: f"({a} {expr.op} {b})", None, scope)
        return f"{_HELPERS[expr.op]}({self.value(expr.left, scope)}, {self.value(expr.right, scope)})"

    def _strict(self, parts: Sequence[ir.Expr], operation: Callable[..., str], unknown: Rail, scope: Scope) -> str:
        """An operation that is unknown if an operand is."""
        tests: list[str] = []
        names: list[str] = []
        for part in parts:
            source = self.value(part, scope)
            if self.shapes.of(part).unknown:
                name = scope.temporary()
                tests.append(f"({name} := {source})")
                source = name
            names.append(source)
        done = operation(*names)
        if not tests:
            return done
        if unknown is None:
            return f"(None if {' or '.join(f'{test} is None' for test in tests)} else {done})"
        if unknown:
            return f"({' or '.join(f'{test} is None' for test in tests)} or {done})"
        return f"({' and '.join(f'{test} is not None' for test in tests)} and {done})"

    # --- bool operators ------------------------------------------------------------------------------------------

    def _connective(self, expr: ir.And | ir.Or, unknown: Rail, scope: Scope) -> str:
        word = "and" if isinstance(expr, ir.And) else "or"
        parts = self.shapes.by_cost(expr.operands)
        if unknown is not None or not self.shapes.of(expr).unknown:
            return f"({f' {word} '.join([self._operand(part, unknown, scope) for part in parts])})"
        decisive = "False" if word == "and" else "True"
        names, tests = [], []
        for part in parts:
            source = self.value(part, scope)
            if self.shapes.of(part).unknown:
                name = scope.temporary()
                names.append(name)
                tests.append(f"({name} := {source}) is {decisive}")
            else:
                tests.append(f"{source} is {decisive}")
        undecided = " or ".join(f"{name} is None" for name in names)
        neutral = "True" if word == "and" else "False"
        return f"({decisive} if {' or '.join(tests)} else None if {undecided} else {neutral})"

    def _operand(self, expr: ir.Expr, unknown: Rail, scope: Scope) -> str:
        """An operand of a connective, without the parentheses that a comparison does not need there."""
        source = self.render(expr, unknown, scope)
        if isinstance(expr, (ir.Compare, ir.In)) and source[0] == "(" and source.count("(") == 1:
            return source[1:-1]
        return source

    def _not(self, expr: ir.Not, unknown: Rail, scope: Scope) -> str:
        if unknown is not None:
            return f"(not {self.rail(expr.operand, not unknown, scope)})"
        return self._strict((expr.operand,), lambda operand: f"(not {operand})", None, scope)

    def _if(self, expr: ir.If, unknown: Rail, scope: Scope) -> str:
        condition = self.value(expr.condition, scope)
        then, otherwise = self.render(expr.then, unknown, scope), self.render(expr.otherwise, unknown, scope)
        if not self.shapes.of(expr.condition).unknown:
            return f"({then} if {condition} else {otherwise})"
        name = scope.temporary()
        return f"({unknown} if ({name} := {condition}) is None else {then} if {name} else {otherwise})"

    def _compare(self, expr: ir.Compare, unknown: Rail, scope: Scope) -> str:
        if expr.left.type.element is not None:
            same = f"equal({self.value(expr.left, scope)}, {self.value(expr.right, scope)})"
            if expr.op == "!=":
                same = f"negation({same})"
            return _settle(same, unknown)
        if expr.op == "==" and unknown is not None:
            short = self._equals_constant(expr, unknown, scope)
            if short is not None:
                return short
        return self._strict((expr.left, expr.right), lambda a, b: f"({a} {expr.op} {b})", unknown, scope)

    def _equals_constant(self, expr: ir.Compare, unknown: bool, scope: Scope) -> str | None:
        """`field == literal` where the field may be unknown: None never equals a literal, so no test is needed."""
        if not isinstance(expr.right, ir.Const) or not self.shapes.of(expr.left).unknown:
            return None
        source, literal = self.value(expr.left, scope), self.constant(expr.right.value)
        return f"({source} in {{None, {literal}}})" if unknown else f"({source} == {literal})"

    def _in(self, expr: ir.In, unknown: Rail, scope: Scope) -> str:
        word = "not in" if expr.negated else "in"
        collection = self.shapes.of(expr.collection)
        literals = self._literals(expr.collection)
        if literals is not None:
            return self._strict((expr.item,), lambda item: f"({item} {word} {literals})", unknown, scope)
        simple = not collection.items_unknown and expr.item.type.element is None
        if simple:
            parts = (expr.item, expr.collection)
            return self._strict(parts, lambda item, items: f"({item} {word} {items})", unknown, scope)
        found = f"member({self.value(expr.item, scope)}, {self.value(expr.collection, scope)})"
        return _settle(f"negation({found})" if expr.negated else found, unknown)

    def _literals(self, expr: ir.Expr) -> str | None:
        """A set display of literals, which CPython folds into one frozen set."""
        if not isinstance(expr, ir.ListLit):
            return None
        words = [self.constant(item.value) for item in expr.items if isinstance(item, ir.Const)]
        if len(words) != len(expr.items):
            return None
        return f"{{{', '.join(words)}}}" if words else "()"

    # --- quantifiers ---------------------------------------------------------------------------------------------

    def _quantifier(self, expr: ir.Quant, unknown: Rail, scope: Scope) -> str:
        shape = self.shapes.of(expr)
        if not shape.free and scope.slots:
            # The same for every subject: evaluated when first asked for, then kept for the rest of the run.
            place = self._cache(expr)
            return _settle(place, unknown if shape.unknown else None)
        name = self._loop(expr, unknown if shape.unknown else None, scope.slots)
        return f"{name}({scope.parameters})"

    def _cache(self, expr: ir.Quant) -> str:
        loop = self._loop(expr, None, {})
        name = f"c_{loop}"
        if name not in self._names:
            place = f"k[{self.cached}]"
            self.cached += 1
            self._names[name] = place
            self.functions.append(f"def {name}(w, k):\n {place} = {loop}(w, k)\n return {place}\n")
        place = self._names[name]
        return f"({place} if {place} is not UNSET else {name}(w, k))"

    def _loop(self, expr: ir.Quant, unknown: Rail, slots: dict[int, str]) -> str:
        outer = Scope(slots)
        variable = f"x{len(slots)}q"
        inner = Scope({**slots, expr.slot: variable})
        lines = []
        collection = self.value(expr.collection, outer)
        if self.shapes.of(expr.collection).unknown:
            lines += [f"c = {collection}", f"if c is None: return {unknown}"]
            collection = "c"
        head = f"for {variable} in {collection}:"
        if expr.quantifier in ("any", "all"):
            lines += self._search(expr, unknown, inner, head)
        else:
            lines += self._fold(expr, inner, head)
        return self.function(outer.parameters, "\n".join(f" {line}" for line in lines))

    def _search(self, expr: ir.Quant, unknown: Rail, scope: Scope, head: str) -> list[str]:
        """`any` and `all`: leave the loop at the first element that decides."""
        some = expr.quantifier == "any"
        if not self.shapes.of(expr).unknown or unknown is not None:
            filter_rail = unknown if some or unknown is None else not unknown
            test = self.render(expr.body, unknown, scope)
            if not some:
                test = f"not {test}"
            if expr.where is not None:
                test = f"{self.render(expr.where, filter_rail, scope)} and {test}"
            return [head, f" if {test}: return {some}", f"return {not some}"]
        lines = ["u = False", head]
        decides = f"b is {some}"
        if expr.where is not None:
            lines += [f" p = {self.value(expr.where, scope)}", " if p is False: continue"]
            decides += " and p"
        lines += [
            f" b = {self.value(expr.body, scope)}",
            f" if {decides}: return {some}",
            f" if b is not {not some}: u = True",
            f"return None if u else {not some}",
        ]
        return lines

    def _fold(self, expr: ir.Quant, scope: Scope, head: str) -> list[str]:
        """`count`, `sum`, `min`, `max`: every element that passes the filter, none of them unknown."""
        lines: list[str] = []
        if expr.where is not None:
            lines.append(f" p = {self.value(expr.where, scope)}")
            if self.shapes.of(expr.where).unknown:
                lines.append(" if p is None: return None")
            lines.append(" if not p: continue")
        lines.append(f" b = {self.value(expr.body, scope)}")
        if self.shapes.of(expr.body).unknown:
            lines.append(" if b is None: return None")
        start, step, result = _FOLDS[expr.quantifier]
        if expr.quantifier == "sum" and expr.body.type != INT:
            step = " n = add(n, b)\n  if n is None: return None"
        return [start, head, *lines, step, result]


_FOLDS: Final[dict[str, tuple[str, str, str]]] = {
    "count": ("n = 0", " if b: n += 1", "return n"),
    "sum": ("n = 0", " n += b", "return n"),
    "min": ("n = []", " n.append(b)", "return min(n) if n else None"),
    "max": ("n = []", " n.append(b)", "return max(n) if n else None"),
}

_BUILTINS: Final[dict[ir.BuiltinName, Callable[..., str]]] = {
    "lower": lambda text: f"{text}.lower()",
    "length": lambda text: f"len({text})",
    "starts_with": lambda text, prefix: f"{text}.startswith({prefix})",
    "contains": lambda text, part: f"({part} in {text})",
}


def _settle(source: str, unknown: Rail) -> str:
    """A rail out of a source that is True, False or None."""
    if unknown is None:
        return source
    return f"({source} is not False)" if unknown else f"({source} is True)"
