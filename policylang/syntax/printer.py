"""Prints a policy: canonical text from the syntax alone, or the layout of a text that was read (`fmt`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Final, assert_never

from policylang.syntax import ast
from policylang.syntax.layout import HARD, LINE, SPACE, Doc, Line, concat, group, indent, render
from policylang.syntax.print_expr import ExpressionPrinter
from policylang.syntax.script import Fresh, Supply

_TWO_SPACES: Final = Line("  ")
_APART: Final = (ast.Rule, ast.InlineTest)
"""Declarations that have a blank line around them, whatever stands beside."""


def print_policy(file: ast.PolicyFile, *, canonical: bool = False) -> str:
    """The text of a policy, from its syntax alone, so without comments other than `##`.

    Reading it gives an equal syntax. Equal syntax gives the same text if ``canonical`` is set: then numbers are written
    from their values (`8%` and `0.08` are one) and doc comments are left out, as for a digest.
    """
    return render(DeclarationPrinter(Fresh(docs=not canonical), canonical=canonical).file(file))


def print_expr(expr: ast.Expr) -> str:
    """An expression on one line, with the parentheses that it needs."""
    return render(ExpressionPrinter(Fresh(docs=False)).expr(expr), sys.maxsize).removesuffix("\n")


class DeclarationPrinter(ExpressionPrinter):
    """Documents of declarations; see `ExpressionPrinter`."""

    def __init__(self, supply: Supply, *, canonical: bool = False) -> None:
        super().__init__(supply, canonical=canonical)

    def file(self, file: ast.PolicyFile) -> Doc:
        parts: list[Doc] = []
        before: ast.Decl | None = None
        for decl in file.decls:
            if before is not None:
                apart = _section(before) != _section(decl) or isinstance(decl, _APART)
                parts += [HARD, self.supply.blank(apart)]
            parts.append(self.supply.lead())
            doc = self.supply.doc(decl.doc)
            parts += ([] if doc is None else [doc]) + [self.decl(decl)]
            before = decl
        parts += [HARD, self.supply.lead(closing=True)] if parts else [self.supply.lead(closing=True)]
        return concat(parts)

    def decl(self, decl: ast.Decl) -> Doc:
        match decl:
            case ast.Header(ident, version):
                parts = [self.take("policy"), SPACE, self.quoted(ident.name)]
                if version is not None:
                    parts += [SPACE, self.take("version"), SPACE, self.quoted(version.name)]
                return group(indent(*parts))
            case ast.Extends(parent):
                return group(indent(self.take("extends"), SPACE, self.quoted(parent.name)))
            case ast.Requires(op, version):
                words = self.words("requires", "policylang", op)
                return group(indent(words, SPACE, self.quoted(version.name)))
            case ast.KindDecl(name, klass):
                parts = [self.take("kind"), SPACE, self.ident(name), SPACE, self.take(":"), SPACE]
                return group(indent(*parts, self.ident(klass)))
            case ast.AnchorKind(kinds):
                return group(self.words("anchor", "kind"), self.listed(kinds))
            case ast.AnchorDetect(types):
                return group(self.words("anchor", "detect"), self.listed(types))
            case ast.AnchorWhen(name, condition):
                head = concat((self.take("anchor"), SPACE, self.ident(name)))
                return group(head, indent(LINE, self.when(condition)))
            case ast.Exempt():
                return self.exempt(decl)
            case ast.Budget():
                return self.budget(decl)
            case ast.Block(block, settings):
                return self.settings(self.ident(block), settings)
            case ast.Let():
                return self.let(decl)
            case ast.Rule():
                return self.rule(decl)
            case ast.Relax():
                return self.relax(decl)
            case ast.InlineTest():
                return self.test(decl)
            case _:
                assert_never(decl)

    def listed(self, words: Sequence[ast.Ident]) -> Doc:
        parts: list[Doc] = [LINE]
        for at, word in enumerate(words):
            parts += ([self.take(","), LINE] if at else []) + [self.ident(word)]
        return indent(*parts)

    def budget(self, decl: ast.Budget) -> Doc:
        parts = [self.take("budget"), SPACE, self.ident(decl.target), SPACE]
        if decl.epsilon is None:
            return group(*parts, self.take("never"))
        parts += [self.take("epsilon"), SPACE, self.number(decl.epsilon)]
        for word, value in (("per", decl.per), ("by", decl.by)):
            if value is not None:
                parts += [SPACE, self.take(word), SPACE, self.ident(value)]
        return group(indent(*parts))

    def let(self, decl: ast.Let) -> Doc:
        parts = [self.take("let"), SPACE, self.ident(decl.name)]
        if decl.params:
            parts.append(self.take("("))
            for at, param in enumerate(decl.params):
                parts += ([self.take(","), SPACE] if at else []) + [self.ident(param)]
            parts.append(self.take(")"))
        parts += [SPACE, self.take("=")]
        return group(*parts, indent(LINE, self.expr(decl.body, hang=False)))

    # --- clauses -----------------------------------------------------------------------------------------------

    def when(self, condition: ast.Expr) -> Doc:
        return concat((self.take("when"), SPACE, self.expr(condition)))

    def text(self, word: str, text: ast.TextLit) -> Doc:
        return indent(self.take(word), SPACE, self.quoted(text.value))

    def until(self, until: ast.DateLit) -> Doc:
        return indent(self.take("until"), SPACE, self.take(until.value.isoformat()))

    def each(self, each: ast.ForEach) -> Doc:
        parts = [self.words("for", "each"), SPACE, self.ident(each.variable), SPACE]
        return indent(*parts, self.take("in"), SPACE, self.ident(each.collection))

    def clauses(self, found: Sequence[tuple[int, Callable[[], Doc]]]) -> list[Doc]:
        """Clauses in the order of the text, the comments before each apart, so that they do not break it."""
        out: list[Doc] = []
        for _, make in self.supply.ordered(found, lambda clause: clause[0]):
            lead = self.supply.lead()
            out.append(concat((lead, make())))
        return out

    def exempt(self, decl: ast.Exempt) -> Doc:
        head = concat((self.take("exempt"), SPACE, self.quoted(decl.name.name)))
        found = [(decl.condition.loc.start, lambda: self.when(decl.condition))]
        return self.with_clauses(head, [*found, *self.reasons(decl.because, None, decl.until)])

    def relax(self, decl: ast.Relax) -> Doc:
        head = concat((self.take("relax"), SPACE, self.quoted(decl.rule.name)))
        return self.with_clauses(head, self.reasons(decl.because, decl.owner, decl.until))

    def reasons(
        self, because: ast.TextLit | None, owner: ast.TextLit | None, until: ast.DateLit | None
    ) -> list[tuple[int, Callable[[], Doc]]]:
        found: list[tuple[int, Callable[[], Doc]]] = []
        if because is not None:
            found.append((because.loc.start, lambda: self.text("because", because)))
        if owner is not None:
            found.append((owner.loc.start, lambda: self.text("owner", owner)))
        if until is not None:
            found.append((until.loc.start, lambda: self.until(until)))
        return found

    def with_clauses(self, head: Doc, found: Sequence[tuple[int, Callable[[], Doc]]]) -> Doc:
        """A head and its clauses on one line, or each clause on its own."""
        parts: list[Doc] = []
        for clause in self.clauses(found):
            parts += [LINE, clause]
        return group(head, indent(*parts)) if parts else head

    def rule(self, rule: ast.Rule) -> Doc:
        head = concat((self.take(rule.level), SPACE, self.quoted(rule.id.name), SPACE))
        found: list[tuple[int, Callable[[], Doc]]] = []
        each, spill, mode = rule.each, rule.spill, rule.mode
        if each is not None:
            found.append((each.loc.start, lambda: self.each(each)))
        found.append((rule.condition.loc.start, lambda: self.when(rule.condition)))
        found.append((rule.because.loc.start, lambda: self.text("because", rule.because)))
        if spill is not None:
            found.append((spill.loc.start, lambda: indent(self.words("then", "spill"), SPACE, self.ident(spill))))
        if mode is not None:
            found.append((mode.loc.start, lambda: indent(self.take("mode"), SPACE, self.ident(mode))))
        return self.braced(head, lambda: self.clauses(found), expanded=len(found) > 2)

    # --- braces ------------------------------------------------------------------------------------------------

    def braced(self, head: Doc, make: Callable[[], list[Doc]], *, expanded: bool, gap: Line = LINE) -> Doc:
        """`head { items }` on one line if it fits and the text, or else ``expanded``, does not ask for more lines."""
        opening = self.take("{")
        opened = self.supply.opened()
        items = make()
        closing = self.supply.lead(closing=True)
        if not items and not closing.broken:
            return concat((head, opening, closing, self.take("}")))
        parts: list[Doc] = []
        for at, item in enumerate(items):
            parts += [LINE if at == 0 else gap, item]
        broken = bool(items) and (expanded if opened is None else opened)
        return group(head, opening, indent(*parts, closing), LINE, self.take("}"), broken=broken)

    def settings(self, head: Doc, settings: Sequence[ast.Setting]) -> Doc:
        def make() -> list[Doc]:
            return [concat((self.supply.lead(), self.setting(setting))) for setting in settings]

        return self.braced(concat((head, SPACE)), make, expanded=False, gap=_TWO_SPACES)

    def setting(self, setting: ast.Setting) -> Doc:
        parts = [self.ident(setting.name), SPACE]
        for at, value in enumerate(setting.values):
            parts += [self.take(","), SPACE] if at else []
            parts.append(self.ident(value) if isinstance(value, ast.Ident) else self.number(value))
        if setting.unit is not None:
            parts += [SPACE, self.ident(setting.unit)]
        return indent(*parts)

    # --- inline tests ------------------------------------------------------------------------------------------

    def test(self, test: ast.InlineTest) -> Doc:
        head = concat((self.take("test"), SPACE, self.quoted(test.name.value), SPACE))

        def make() -> list[Doc]:
            return [concat((self.supply.lead(), self.item(item))) for item in test.items]

        return self.braced(head, make, expanded=True)

    def item(self, item: ast.InlineItem) -> Doc:
        match item:
            case ast.InlineSpan():
                return self.inline_span(item)
            case ast.InlineGiven(target, settings):
                word = self.take("given")
                if target.name == "epoch":
                    return concat((word, SPACE, self.setting(settings[0])))
                return self.settings(concat((word, SPACE, self.ident(target))), settings)
            case ast.InlineExpect(outcome, rule, spans):
                parts = [self.take("expect"), SPACE, self.ident(outcome)]
                if rule is not None:
                    parts += [SPACE, self.quoted(rule.name)]
                for at, span in enumerate(spans):
                    parts += [self.take(","), SPACE] if at else [SPACE, self.take("on"), SPACE]
                    parts.append(self.quoted(span.name))
                return group(indent(*parts))
            case _:
                assert_never(item)

    def inline_span(self, item: ast.InlineSpan) -> Doc:
        parts = [self.take("span"), SPACE, self.quoted(item.id.name), SPACE, self.ident(item.kind), SPACE]
        parts += [self.quoted(item.text.value), SPACE, self.take("epoch"), SPACE, self.number(item.epoch), SPACE]
        parts.append(self.ident(item.disposition))
        extras: list[Doc] = []
        for name, value in item.extras:
            extras += [LINE, self.ident(name)]
            if isinstance(value, ast.TextLit):
                extras += [SPACE, self.quoted(value.value)]
            elif value is not None:
                extras += [SPACE, self.number(value)]
        return group(indent(*parts, *extras))


def _section(decl: ast.Decl) -> str:
    """Declarations of one section stand together without a blank line between them."""
    match decl:
        case ast.Header() | ast.Extends() | ast.Requires():
            return "head"
        case ast.AnchorKind() | ast.AnchorDetect() | ast.AnchorWhen() | ast.Exempt():
            return "anchor"
        case (
            ast.KindDecl() | ast.Budget() | ast.Block() | ast.Let() | ast.Rule() | ast.Relax() | ast.InlineTest()
        ):  # fmt: skip
            return type(decl).__name__
        case _:
            assert_never(decl)
