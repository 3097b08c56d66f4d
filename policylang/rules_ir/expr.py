"""Typed expressions: what the check makes of the syntax, and all that the three evaluators read.

`let` calls are expanded, enum words are text, every variable has its own slot number (unique in its rule), so no name
needs resolving and no scope can be captured. A value is `bool | int | float | str | tuple | SpanFacts | …`; unknown is
``None``. The meaning of each node, for known operands (an unknown operand makes the node unknown unless said):

* `And`/`Or`/`Not` follow Kleene; `Quant` any/all likewise.
* `Compare` on int and number compares exactly as Python does; `==`/`!=` on every other type compare values, on
  spans and chains identity.
* `Arith`: `+ - *` of two ints is an exact int, else a float; `/` is a float; division by zero, an overflow and a NaN
  are unknown.
* `If` evaluates only the chosen branch; an unknown condition makes it unknown.
* `Quant` with `where`: an element whose filter is false does not count. If the filter is unknown: `any` and `all`
  treat the element as (filter and body) resp. (not filter or body) under Kleene; `count`, `sum`, `min`, `max` are
  unknown. `count` takes a bool; an unknown element makes count, sum, min and max unknown. `sum` of nothing is 0,
  `min`/`max` of nothing unknown.
* `Matches` is an RE2 search; flags `i`, `m`, `s` as in RE2.
* `IsKnown` is never unknown.
* `In` over a `ListLit` or a list: true if some item equals; else unknown if some item is unknown; else false.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from policylang.rules_ir.types import Type


@dataclass(frozen=True, slots=True)
class Const:
    """A literal: bool, int, float, or str (text and every enum)."""

    value: bool | int | float | str
    type: Type


@dataclass(frozen=True, slots=True)
class Var:
    """The subject of a rule (`for each`, slot 0) or the variable of a quantifier (slots from 1)."""

    slot: int
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Global:
    """A name in scope everywhere: `epoch`, `evicted`, …, `monitor`, and `integrity` for built-in rules."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record. The facts spell `class` as ``klass`` and `type` as ``type``."""

    base: Expr
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Meta:
    """`s.meta.KEY`: text, unknown if the span has no such key."""

    span: Expr
    key: str
    type: Type


@dataclass(frozen=True, slots=True)
class ListLit:
    items: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Neg:
    operand: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Compare:
    op: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Expr
    right: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class In:
    item: Expr
    collection: Expr
    negated: bool
    type: Type


@dataclass(frozen=True, slots=True)
class Matches:
    subject: Expr
    pattern: str
    flags: str
    type: Type


@dataclass(frozen=True, slots=True)
class IsKnown:
    operand: Expr
    negated: bool
    type: Type


@dataclass(frozen=True, slots=True)
class Arith:
    op: Literal["+", "-", "*", "/"]
    left: Expr
    right: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    then: Expr
    otherwise: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Quant:
    quantifier: Literal["any", "all", "count", "sum", "min", "max"]
    slot: int
    variable: str
    collection: Expr
    where: Expr | None
    body: Expr
    type: Type


BuiltinName = Literal["lower", "length", "starts_with", "contains"]


@dataclass(frozen=True, slots=True)
class Builtin:
    """`lower(text)`, `length(text or list)`, `starts_with(text, prefix)`, `contains(text, part)`."""

    name: BuiltinName
    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Epsilon:
    """`epsilon(chain, kind)`: ``kind`` as in `budget` (the word `reasoning` is the pooled class), ``by`` its mass.

    ``excluded`` are the kinds of the class that have a budget of their own and so leave the pool.
    """

    chain: Expr
    kind: str
    by: Literal["tokens", "spans"]
    excluded: tuple[str, ...]
    type: Type


Expr = (
    Const
    | Var
    | Global
    | Field
    | Meta
    | ListLit
    | Not
    | Neg
    | And
    | Or
    | Compare
    | In
    | Matches
    | IsKnown
    | Arith
    | If
    | Quant
    | Builtin
    | Epsilon
)
