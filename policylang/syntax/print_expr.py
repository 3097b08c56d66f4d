"""Prints expressions with the parentheses that they need and no others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, assert_never

from policylang.syntax import ast
from policylang.syntax.ast import Expr
from policylang.syntax.layout import LINE, SOFT, SPACE, Doc, concat, group, indent
from policylang.syntax.script import Supply

_OR, _AND, _NOT, _COMPARE, _SUM, _TERM, _UNARY, _POSTFIX = range(1, 9)
_QUOTED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_NUMBER: Final = re.compile(r"(-?)([0-9][0-9.eE+%-]*)(?: ([a-z]+))?")


def quote(value: str) -> str:
    """A string literal; characters that do not print are written `\\u{…}`."""
    return f'"{"".join(_quoted(char) for char in value)}"'


def _quoted(char: str) -> str:
    if char in _QUOTED:
        return _QUOTED[char]
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"


def slashes(regex: ast.RegexLit) -> str:
    """A regex literal: every `/` of the pattern escaped."""
    escaped = re.sub(r"\\.|/", lambda found: "\\/" if found[0] == "/" else found[0], regex.pattern, flags=re.DOTALL)
    return f"/{escaped}/{regex.flags}"


class ExpressionPrinter:
    """Documents of expressions; tokens come from ``supply``.

    With ``canonical`` numbers are written from their values, else as they were written.
    """

    def __init__(self, supply: Supply, *, canonical: bool = False) -> None:
        self.supply = supply
        self.canonical = canonical

    def take(self, text: str, *, exact: bool = True) -> Doc:
        return self.supply.take(text, exact=exact)

    def words(self, *words: str) -> Doc:
        """Keywords with a space between them."""
        parts: list[Doc] = []
        for word in words:
            parts += ([SPACE] if parts else []) + [self.take(word)]
        return concat(parts)

    def ident(self, ident: ast.Ident) -> Doc:
        return self.take(ident.name)

    def quoted(self, value: str) -> Doc:
        return self.take(quote(value), exact=False)

    def number(self, number: ast.NumberLit) -> Doc:
        """A number: sign, digits and unit are tokens of their own."""
        text = number.text
        found = _NUMBER.fullmatch(text)
        if self.canonical or found is None:
            found = _NUMBER.fullmatch(repr(number.value))
            assert found is not None, "numbers are finite"
        sign, digits, unit = found.groups()
        parts = [self.take(sign)] if sign else []
        parts.append(self.take(digits))
        if unit is not None:
            parts += [SPACE, self.take(unit)]
        return concat(parts)

    def expr(self, expr: Expr, level: int = 0, last: bool = True, *, hang: bool = True) -> Doc:
        """A document of ``expr`` where the grammar takes ``level`` or tighter.

        ``last`` says that nothing follows that could be taken for a part of a quantifier's or an `if`'s body; ``hang``
        that its further lines go one step in, as where something stands before it on its line.
        """
        needed = _level(expr) < level if not _open(expr) else not last
        count = self.supply.parentheses(expr.loc, needed)
        if not count:
            return self.bare(expr, last, hang)
        before = [self.take("(") for _ in range(count)]
        inner = self.bare(expr, True, False)
        closing = self.supply.lead(closing=True)
        return group(*before, indent(SOFT, inner, closing), SOFT, *(self.take(")") for _ in range(count)))

    def bare(self, expr: Expr, last: bool, hang: bool) -> Doc:
        match expr:
            case ast.BoolLit(value):
                return self.take("true" if value else "false")
            case ast.NumberLit():
                return self.number(expr)
            case ast.TextLit(value):
                return self.quoted(value)
            case ast.RegexLit():
                return self.take(slashes(expr), exact=False)
            case ast.Name(name):
                return self.take(name)
            case ast.ListLit(items):
                return self.bracketed("[", items, "]")
            case ast.FieldAccess(base, name):
                return concat((self.expr(base, _POSTFIX, False), self.take("."), self.ident(name)))
            case ast.Call(function, args):
                return concat((self.ident(function), self.bracketed("(", args, ")")))
            case ast.Not(operand):
                return concat((self.take("not"), SPACE, self.expr(operand, _NOT, last)))
            case ast.Neg(operand):
                return concat((self.take("-"), self.expr(operand, _UNARY, last)))
            case ast.Bool(op, operands):
                return self.chain(operands, [op] * (len(operands) - 1), _AND if op == "or" else _NOT, last, hang)
            case ast.Compare(op, left, right):
                return self.chain((left, right), [op], _SUM, last, hang)
            case ast.In(item, collection, negated):
                return self.chain((item, collection), ["not in" if negated else "in"], _SUM, last, hang)
            case ast.Matches(subject, regex):
                return self.chain((subject, regex), ["matches"], _SUM, last, hang)
            case ast.IsKnown(operand, negated):
                return self.chain((operand,), ["is unknown" if negated else "is known"], _SUM, last, hang)
            case ast.ChainedCompare(operands, ops):
                return self.chain(operands, ops, _SUM, last, hang)
            case ast.Arith(op, left, right):
                level = _SUM if op in "+-" else _TERM
                first = self.expr(left, level, False)
                rest = (LINE, self.take(op), SPACE, self.expr(right, level + 1, last))
                return group(first, indent(*rest) if hang else concat(rest))
            case ast.If():
                return self.conditional(expr, hang)
            case ast.Quantifier():
                return self.quantifier(expr)
            case _:
                assert_never(expr)

    def chain(self, operands: Sequence[Expr], ops: Sequence[str], level: int, last: bool, hang: bool) -> Doc:
        """Operands with an operator before each but the first; `is known` has no operand behind it."""
        rest = list(operands[1:])
        first = self.expr(operands[0], level, last and not ops)
        parts: list[Doc] = []
        for at, op in enumerate(ops):
            parts += [LINE, self.words(*op.split())]
            if not op.startswith("is "):
                final = last and at == len(ops) - 1
                parts += [SPACE, self.expr(rest.pop(0), level, final)]
        return group(first, indent(*parts) if hang else concat(parts))

    def bracketed(self, opening: str, items: Sequence[Expr], closing: str) -> Doc:
        before = self.take(opening)
        if not items:
            return concat((before, self.take(closing)))
        parts: list[Doc] = [SOFT]
        for at, item in enumerate(items):
            parts += ([self.take(","), LINE] if at else []) + [self.expr(item, hang=False)]
        parts.append(self.supply.lead(closing=True))
        return group(before, indent(*parts), SOFT, self.take(closing))

    def conditional(self, expr: ast.If, hang: bool) -> Doc:
        condition = concat((self.take("if"), SPACE, self.expr(expr.condition)))
        then = concat((LINE, self.take("then"), SPACE, self.expr(expr.then)))
        otherwise = concat((LINE, self.take("else"), SPACE, self.expr(expr.otherwise, hang=False)))
        return group(condition, indent(then, otherwise) if hang else concat((then, otherwise)))

    def quantifier(self, expr: ast.Quantifier) -> Doc:
        parts = [self.take(expr.quantifier), SPACE, self.ident(expr.variable), SPACE, self.take("in"), SPACE]
        parts.append(self.expr(expr.collection))
        if expr.where is not None:
            parts.append(indent(LINE, self.take("where"), SPACE, self.expr(expr.where)))
        parts.append(self.take(":"))
        return group(group(*parts), indent(LINE, self.expr(expr.body, hang=False)))


def _open(expr: Expr) -> bool:
    """Whether the expression takes all that follows it into its body."""
    return isinstance(expr, ast.If | ast.Quantifier)


def _level(expr: Expr) -> int:
    match expr:
        case ast.Bool(op):
            return _OR if op == "or" else _AND
        case ast.Not():
            return _NOT
        case ast.Compare() | ast.ChainedCompare() | ast.In() | ast.Matches() | ast.IsKnown():
            return _COMPARE
        case ast.Arith(op):
            return _SUM if op in "+-" else _TERM
        case ast.Neg():
            return _UNARY
        case ast.If() | ast.Quantifier():
            return 0
        case (
            ast.BoolLit() | ast.NumberLit() | ast.TextLit() | ast.RegexLit() | ast.Name() | ast.ListLit()
            | ast.FieldAccess() | ast.Call()
        ):  # fmt: skip
            return _POSTFIX
        case _:
            assert_never(expr)
