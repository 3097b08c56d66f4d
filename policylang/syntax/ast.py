"""The abstract syntax of a policy, as frozen data. Both spellings meet here and never part again.

Every node ends with ``loc``, which takes no part in equality: two policies that mean the same compare equal
wherever their words stand. Names keep their own place (`Ident`), so that a finding underlines the word itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from policylang.source import Loc


@dataclass(frozen=True, slots=True)
class Ident:
    """A word, as written (an identifier, a kind, a setting, a rule id without its quotes)."""

    name: str
    loc: Loc = field(compare=False, repr=False, kw_only=True)


# --- expressions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoolLit:
    value: bool
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class NumberLit:
    """`7` is int, `0.08` and `8%` are number. ``text`` is the literal as written, for the printer."""

    value: int | float
    text: str = field(compare=False)
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class TextLit:
    """A quoted string after its escapes were read."""

    value: str
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class RegexLit:
    """`/pattern/flags`; ``pattern`` is RE2 syntax with `\\/` already read as `/`, ``flags`` a subset of "ims"."""

    pattern: str
    flags: str
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Name:
    """A bare word in an expression: a variable, a name in scope, or an enum literal, settled by the check."""

    name: str
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ListLit:
    items: tuple[Expr, ...]
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class FieldAccess:
    base: Expr
    name: Ident
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Call:
    function: Ident
    args: tuple[Expr, ...]
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Neg:
    operand: Expr
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Bool:
    """`a and b and c` flat: two operands or more; `(a and b) and c` in parentheses nests."""

    op: Literal["and", "or"]
    operands: tuple[Expr, ...]
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Compare:
    op: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Expr
    right: Expr
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ChainedCompare:
    """`a < b < c`: it parses, so that the check can name the error `chained-comparison` at ``loc``."""

    operands: tuple[Expr, ...]
    ops: tuple[str, ...]
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class In:
    item: Expr
    collection: Expr
    negated: bool
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Matches:
    subject: Expr
    regex: RegexLit
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class IsKnown:
    """`e is known`, or `e is unknown` where ``negated``."""

    operand: Expr
    negated: bool
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Arith:
    op: Literal["+", "-", "*", "/"]
    left: Expr
    right: Expr
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    then: Expr
    otherwise: Expr
    loc: Loc = field(compare=False, repr=False, kw_only=True)


QuantifierName = Literal["any", "all", "count", "sum", "min", "max"]


@dataclass(frozen=True, slots=True)
class Quantifier:
    """`any x in xs where p: e`."""

    quantifier: QuantifierName
    variable: Ident
    collection: Expr
    where: Expr | None
    body: Expr
    loc: Loc = field(compare=False, repr=False, kw_only=True)


Expr = (
    BoolLit
    | NumberLit
    | TextLit
    | RegexLit
    | Name
    | ListLit
    | FieldAccess
    | Call
    | Not
    | Neg
    | Bool
    | Compare
    | ChainedCompare
    | In
    | Matches
    | IsKnown
    | Arith
    | If
    | Quantifier
)


# --- declarations ----------------------------------------------------------------------------------------------
# Each declaration carries its `##` doc comment (joined lines, without the marks), or None.


@dataclass(frozen=True, slots=True)
class Header:
    """`policy "id" version "1.2.0"`."""

    id: Ident
    version: Ident | None
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Extends:
    """`extends "std/decision-boundary"`; one parent each, a policy may hold several."""

    parent: Ident
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Requires:
    """`requires policylang >= "0.3"`."""

    op: str
    version: Ident
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class KindDecl:
    """`kind deploy_receipt : state`."""

    name: Ident
    klass: Ident
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AnchorKind:
    """`anchor kind tool_result, file_write_ack`."""

    kinds: tuple[Ident, ...]
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AnchorDetect:
    """`anchor detect version, id`."""

    types: tuple[Ident, ...]
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AnchorWhen:
    """`anchor schema_version when EXPR`, with `span` in scope."""

    name: Ident
    condition: Expr
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Exempt:
    """`exempt "name" when EXPR because "…" until DATE`; the two last are required, the check says so."""

    name: Ident
    condition: Expr
    because: TextLit | None
    until: DateLit | None
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class DateLit:
    value: date
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Budget:
    """`budget TARGET epsilon E per chain [by tokens|spans]` or `budget TARGET never`.

    ``epsilon`` is None for `never`. ``per`` is the word after `per` (only `chain` passes the check), ``by`` the word
    after `by` or None.
    """

    target: Ident
    epsilon: NumberLit | None
    per: Ident | None
    by: Ident | None
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a block: `quarantine 2 epochs` is (quarantine, (2,), epochs), `probe key, question` has two words.

    ``values`` holds words or numbers as written; ``unit`` is the word after a number (`epochs`, `queries`) or None.
    """

    name: Ident
    values: tuple[Ident | NumberLit, ...]
    unit: Ident | None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Block:
    """`index { … }`, `scoring { … }`, `monitor { … }`, `integrity { … }`; ``block`` is the word before the brace."""

    block: Ident
    settings: tuple[Setting, ...]
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Let:
    """`let f(a, b) = EXPR`; without parameters `let x = EXPR`."""

    name: Ident
    params: tuple[Ident, ...]
    body: Expr
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ForEach:
    """`for each span in evicted`."""

    variable: Ident
    collection: Ident
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Rule:
    """`refuse "id" { … }` or `warn "id" { … }`.

    ``spill`` is the word after `then spill` (`span` or `epoch`), None where not given; ``mode`` likewise.
    """

    level: Literal["refuse", "warn"]
    id: Ident
    each: ForEach | None
    condition: Expr
    because: TextLit
    spill: Ident | None
    mode: Ident | None
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Relax:
    """`relax "rule" because "…" owner "…" until DATE`; reason and date are required, the check says so."""

    rule: Ident
    because: TextLit | None
    owner: TextLit | None
    until: DateLit | None
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


# --- inline tests ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InlineSpan:
    """`span "m42" tool_result "text" epoch 3 evicted [NAME VALUE …]`.

    ``extras`` are the optional attributes after the disposition, in order: `chain "c"`, `tokens 40`, `loss 0.1`,
    `tool "bash"`, `tool_call_id "t1"`, `batch "b"`, `parents "a"`, `represented_by "s"` (the last two repeat),
    and the bare words `verified`, `unverified`, `interim` with value None.
    """

    id: Ident
    kind: Ident
    text: TextLit
    epoch: NumberLit
    disposition: Ident
    extras: tuple[tuple[Ident, TextLit | NumberLit | None], ...] = ()
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class InlineGiven:
    """`given index { rebuilt 5 }`, `given epoch 9`: evidence over the healthy base of SPEC §8.

    ``target`` is `epoch`, `index`, `scoring` or `monitor`; ``settings`` its `name value` pairs, where the words
    `unknown`, `never`, `true`, `false` stand for themselves. For `epoch` the one setting is named `epoch`.
    """

    target: Ident
    settings: tuple[Setting, ...]
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class InlineExpect:
    """`expect compact`, `expect refuse ["rule" [on "span", …]]`, `expect no "rule"`, `expect warn "rule"`.

    ``outcome`` is `compact`, `refuse`, `no`, `warn` or `undetermined`.
    """

    outcome: Ident
    rule: Ident | None = None
    spans: tuple[Ident, ...] = ()
    loc: Loc = field(compare=False, repr=False, kw_only=True)


InlineItem = InlineSpan | InlineGiven | InlineExpect


@dataclass(frozen=True, slots=True)
class InlineTest:
    """`test "name" { … }`."""

    name: TextLit
    items: tuple[InlineItem, ...]
    doc: str | None = None
    loc: Loc = field(compare=False, repr=False, kw_only=True)


Decl = (
    Header
    | Extends
    | Requires
    | KindDecl
    | AnchorKind
    | AnchorDetect
    | AnchorWhen
    | Exempt
    | Budget
    | Block
    | Let
    | Rule
    | Relax
    | InlineTest
)


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """One file: its declarations in the order of the text.

    The printer writes them in that order; the meaning never depends on it.
    """

    decls: tuple[Decl, ...]
    loc: Loc = field(compare=False, repr=False, kw_only=True)
