"""Builds expressions: one method for each named rule of the grammar.

Each method takes the values of its rule, the offset where the rule starts, and the number of the token after it.
A value is a token's number or what another method made.
"""

from __future__ import annotations

import math
from typing import Any, Final

from policylang.diagnostics import Diagnostic
from policylang.frontend.dsl.depth import check_depth
from policylang.frontend.dsl.lexer import Tokens
from policylang.regex import FLAGS
from policylang.source import Loc
from policylang.syntax import ast
from policylang.syntax.ast import Expr, Ident
from policylang.syntax.names import check_word

_LONGEST_NUMBER: Final = 40
_loc = tuple.__new__


class ExpressionBuilder:
    """Methods for expressions; ``problems`` collects findings, ``failed`` says that the declaration is left out."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.source = tokens.source
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.texts = tokens.texts
        self.problems: list[Diagnostic] = []
        self.failed = False

    # --- tokens ------------------------------------------------------------------------------------------------

    def loc(self, begin: int, at: int) -> Loc:
        """From an offset to the end of the token before number ``at``."""
        return _loc(Loc, (self.source, begin, self.ends[at - 1]))

    def place(self, token: int) -> Loc:
        return _loc(Loc, (self.source, self.starts[token], self.ends[token]))

    def ident(self, token: int) -> Ident:
        return Ident(self.texts[token], loc=_loc(Loc, (self.source, self.starts[token], self.ends[token])))

    def string(self, token: int) -> str:
        value = self.tokens.values.get(token)
        return self.texts[token][1:-1] if value is None else value

    def text_lit(self, token: int) -> ast.TextLit:
        return ast.TextLit(self.string(token), loc=self.place(token))

    def fail(self, message: str, loc: Loc, advice: str | None = None, **more: Any) -> None:
        """A syntax error that the grammar alone does not see; the declaration is left out."""
        self.problems.append(Diagnostic("syntax-error", message, loc, advice, **more))
        self.failed = True

    def declared(self, token: int) -> Ident:
        """A name that is declared here: lower case, ASCII (the lexer has reported what is not ASCII)."""
        ident = self.ident(token)
        problem = check_word(ident)
        if problem is not None and problem.code == "syntax-error":
            self.problems.append(problem)
            self.failed = True
        return ident

    def root(self, expr: Expr, token: int, at: int) -> Expr:
        """A whole expression after ``token``: checked for depth."""
        problem = check_depth(expr, self.tokens, token + 1, at)
        if problem is not None:
            self.problems.append(problem)
            self.failed = True
        return expr

    # --- lists -------------------------------------------------------------------------------------------------

    def list_none(self, v: list[Any], begin: int, at: int) -> list[Any]:
        return []

    def list_one(self, v: list[Any], begin: int, at: int) -> list[Any]:
        return v

    def list_more(self, v: list[Any], begin: int, at: int) -> list[Any]:
        items: list[Any] = v[0]
        items.append(v[1])
        return items

    def list_more_after_comma(self, v: list[Any], begin: int, at: int) -> list[Any]:
        items: list[Any] = v[0]
        items.append(v[2])
        return items

    # --- and, or, not ------------------------------------------------------------------------------------------

    def chain_two(self, v: list[Any], begin: int, at: int) -> list[Expr]:
        return [v[0], v[2]]

    chain_more = list_more_after_comma

    def or_done(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Bool("or", tuple(v[0]), loc=self.loc(begin, at))

    def or_two(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Bool("or", (v[0], v[2]), loc=self.loc(begin, at))

    def or_last(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Bool("or", (*v[0], v[2]), loc=self.loc(begin, at))

    def and_done(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Bool("and", tuple(v[0]), loc=self.loc(begin, at))

    def and_two(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Bool("and", (v[0], v[2]), loc=self.loc(begin, at))

    def and_last(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Bool("and", (*v[0], v[2]), loc=self.loc(begin, at))

    def not_(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Not(v[1], loc=self.loc(begin, at))

    # --- comparison --------------------------------------------------------------------------------------------

    def op(self, v: list[Any], begin: int, at: int) -> str:
        text: str = self.texts[v[0]]
        return text

    def op_not_in(self, v: list[Any], begin: int, at: int) -> str:
        return "not in"

    def op_matches(self, v: list[Any], begin: int, at: int) -> ast.RegexLit:
        body, _, flags = self.texts[v[1]][1:].rpartition("/")
        if set(flags) - FLAGS:
            flags = ""  # the lexer has said so; one slip is one finding
        return ast.RegexLit(_without_slash_escapes(body), flags, loc=self.place(v[1]))

    def op_known(self, v: list[Any], begin: int, at: int) -> str:
        return "is known"

    def op_unknown(self, v: list[Any], begin: int, at: int) -> str:
        return "is unknown"

    def compare(self, v: list[Any], begin: int, at: int) -> Expr:
        left, op, right = v
        if op == "in" or op == "not in":
            return ast.In(left, right, op != "in", loc=self.loc(begin, at))
        return ast.Compare(op, left, right, loc=self.loc(begin, at))

    def compare_test(self, v: list[Any], begin: int, at: int) -> Expr:
        if isinstance(v[1], ast.RegexLit):
            return ast.Matches(v[0], v[1], loc=self.loc(begin, at))
        return ast.IsKnown(v[0], v[1] == "is unknown", loc=self.loc(begin, at))

    def chain_first(self, v: list[Any], begin: int, at: int) -> tuple[list[Expr], list[str]]:
        return [v[0], v[2]], [v[1]]

    def chain_first_test(self, v: list[Any], begin: int, at: int) -> tuple[list[Expr], list[str]]:
        return self.chain_test([([v[0]], []), v[1]], begin, at)

    def chain_operand(self, v: list[Any], begin: int, at: int) -> tuple[list[Expr], list[str]]:
        operands, ops = v[0]
        operands.append(v[2])
        ops.append(v[1])
        return operands, ops

    def chain_test(self, v: list[Any], begin: int, at: int) -> tuple[list[Expr], list[str]]:
        operands, ops = v[0]
        if isinstance(v[1], ast.RegexLit):
            operands.append(v[1])
            ops.append("matches")
        else:
            ops.append(v[1])
        return operands, ops

    def compare_chain(self, v: list[Any], begin: int, at: int) -> Expr:
        operands, ops = v[0]
        return ast.ChainedCompare(tuple(operands), tuple(ops), loc=self.loc(begin, at))

    def compare_chain_last(self, v: list[Any], begin: int, at: int) -> Expr:
        return self.compare_chain([self.chain_operand(v, begin, at)], begin, at)

    # --- arithmetic, quantifiers, atoms ------------------------------------------------------------------------

    def arith(self, v: list[Any], begin: int, at: int) -> Expr:
        op: Any = self.texts[v[1]]
        return ast.Arith(op, v[0], v[2], loc=self.loc(begin, at))

    def negative(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Neg(v[1], loc=self.loc(begin, at))

    def quantifier(self, v: list[Any], begin: int, at: int) -> Expr:
        word: Any = self.texts[v[0]]
        return ast.Quantifier(word, self.declared(v[1]), v[3], None, v[5], loc=self.loc(begin, at))

    def quantifier_where(self, v: list[Any], begin: int, at: int) -> Expr:
        word: Any = self.texts[v[0]]
        return ast.Quantifier(word, self.declared(v[1]), v[3], v[5], v[7], loc=self.loc(begin, at))

    def conditional(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.If(v[1], v[3], v[5], loc=self.loc(begin, at))

    def field(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.FieldAccess(v[0], self.ident(v[2]), loc=self.loc(begin, at))

    def name(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Name(self.texts[v[0]], loc=self.place(v[0]))

    def true(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.BoolLit(True, loc=self.place(v[0]))

    def false(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.BoolLit(False, loc=self.place(v[0]))

    def number(self, v: list[Any], begin: int, at: int) -> ast.NumberLit:
        text = self.texts[v[0]]
        return ast.NumberLit(self.value(text, v[0]), text, loc=self.place(v[0]))

    def number_negative(self, v: list[Any], begin: int, at: int) -> ast.NumberLit:
        text = self.texts[v[1]]
        return ast.NumberLit(-self.value(text, v[1]), f"-{text}", loc=self.loc(begin, at))

    def number_unit(self, v: list[Any], begin: int, at: int) -> ast.NumberLit:
        text, unit = self.texts[v[0]], self.texts[v[1]]
        value = self.value(text, v[0])
        if not isinstance(value, int):
            self.fail(f"`{unit}` takes a whole number, not `{text}`", self.place(v[0]), f"write `2 {unit}`")
        return ast.NumberLit(value, f"{text} {unit}", loc=self.loc(begin, at))

    def text(self, v: list[Any], begin: int, at: int) -> Expr:
        return self.text_lit(v[0])

    def parenthesised(self, v: list[Any], begin: int, at: int) -> Expr:
        inner: Expr = v[1]
        return inner

    def list_empty(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.ListLit((), loc=self.loc(begin, at))

    def list_literal(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.ListLit(tuple(v[1]), loc=self.loc(begin, at))

    def call_empty(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Call(self.ident(v[0]), (), loc=self.loc(begin, at))

    def call(self, v: list[Any], begin: int, at: int) -> Expr:
        return ast.Call(self.ident(v[0]), tuple(v[2]), loc=self.loc(begin, at))

    def value(self, text: str, token: int) -> int | float:
        """The value of a number as written: exact for int, the nearest double for the rest, `%` included."""
        digits = text.rstrip("%")
        if len(digits) > _LONGEST_NUMBER:
            self.fail(f"the number has more than {_LONGEST_NUMBER} characters", self.place(token))
            return 0
        whole = digits.partition(".")[0].partition("e")[0].partition("E")[0]
        if len(whole) > 1 and whole[0] == "0":
            self.fail(f"`{text}` starts with a zero", self.place(token), f"write `{text.lstrip('0') or '0'}`")
            return 0
        if text.isdigit():
            return int(text)
        mantissa, _, exponent = digits.lower().partition("e")
        power = int(exponent or "0") - (2 if text.endswith("%") else 0)
        value = float(f"{mantissa}e{power}")
        if math.isinf(value) or (value == 0 and mantissa.strip("0.")):
            self.fail(f"the number `{text}` is out of range", self.place(token), "numbers lie between 1e-307 and 1e308")
            return 0
        return value


def _without_slash_escapes(body: str) -> str:
    """A regex body with `\\/` read as `/`; every other escape stays as it is."""
    if "\\/" not in body:
        return body
    out: list[str] = []
    escaped = False
    for char in body:
        if escaped and char == "/":
            out.pop()
        escaped = char == "\\" and not escaped
        out.append(char)
    return "".join(out)
