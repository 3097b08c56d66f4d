"""Builds declarations: one method for each named rule of the grammar (see `build_expr` for what a method gets)."""

from __future__ import annotations

from datetime import date
from typing import Any, Final, NamedTuple

from policylang.frontend.dsl.build_expr import ExpressionBuilder
from policylang.frontend.dsl.lexer import Tokens
from policylang.source import Loc
from policylang.syntax import ast
from policylang.syntax.ast import Decl, Ident
from policylang.syntax.names import check_id, check_policy_id

CLAUSES: Final = {
    "refuse": ("for each", "when", "because", "then", "mode"),
    "warn": ("for each", "when", "because", "then", "mode"),
    "exempt": ("when", "because", "until"),
    "relax": ("because", "owner", "until"),
}
"""The clauses that may stand in a declaration, each once, in any order."""


class Clause(NamedTuple):
    name: str
    value: Any
    loc: Loc


class Builder(ExpressionBuilder):
    """Everything that stands at the top of a file, and the pieces that the YAML spelling keeps in its scalars."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        self.docs = _docs(tokens)

    def quoted(self, token: int) -> Ident:
        return Ident(self.string(token), loc=self.place(token))

    def id(self, token: int, *, policy: bool = False) -> Ident:
        """A quoted id, which must look like one."""
        ident = self.quoted(token)
        problem = (check_policy_id if policy else check_id)(ident)
        if problem is not None and self.tokens.texts[token].endswith('"'):
            self.problems.append(problem)
            self.failed = self.failed or problem.code == "syntax-error"
        return ident

    # --- the file ----------------------------------------------------------------------------------------------

    def declarations_none(self, v: list[Any], begin: int, at: int) -> list[Decl]:
        return []

    def declarations_more(self, v: list[Any], begin: int, at: int) -> list[Decl]:
        decls: list[Decl] = v[0]
        if not self.failed and v[1] is not None:
            decls.append(v[1])
        self.failed = False
        return decls

    def header(self, v: list[Any], begin: int, at: int) -> Decl:
        version = self.quoted(v[3]) if len(v) > 2 else None
        return ast.Header(self.id(v[1], policy=True), version, self.docs.get(v[0]), loc=self.loc(begin, at))

    def extends(self, v: list[Any], begin: int, at: int) -> Decl:
        return ast.Extends(self.id(v[1], policy=True), self.docs.get(v[0]), loc=self.loc(begin, at))

    def requires(self, v: list[Any], begin: int, at: int) -> Decl:
        return ast.Requires(self.texts[v[2]], self.quoted(v[3]), self.docs.get(v[0]), loc=self.loc(begin, at))

    def kind_decl(self, v: list[Any], begin: int, at: int) -> Decl:
        return ast.KindDecl(self.declared(v[1]), self.ident(v[3]), self.docs.get(v[0]), loc=self.loc(begin, at))

    def words_one(self, v: list[Any], begin: int, at: int) -> list[Ident]:
        return [self.ident(v[0])]

    def words_more(self, v: list[Any], begin: int, at: int) -> list[Ident]:
        words: list[Ident] = v[0]
        words.append(self.ident(v[2]))
        return words

    def anchor_kind(self, v: list[Any], begin: int, at: int) -> Decl:
        return ast.AnchorKind(tuple(v[2]), self.docs.get(v[0]), loc=self.loc(begin, at))

    def anchor_detect(self, v: list[Any], begin: int, at: int) -> Decl:
        return ast.AnchorDetect(tuple(v[2]), self.docs.get(v[0]), loc=self.loc(begin, at))

    def anchor_when(self, v: list[Any], begin: int, at: int) -> Decl:
        condition = self.root(v[3], v[2], at)
        return ast.AnchorWhen(self.declared(v[1]), condition, self.docs.get(v[0]), loc=self.loc(begin, at))

    def budget_never(self, v: list[Any], begin: int, at: int) -> Decl:
        return ast.Budget(self.ident(v[1]), None, None, None, self.docs.get(v[0]), loc=self.loc(begin, at))

    def budget(self, v: list[Any], begin: int, at: int) -> Decl:
        by = self.ident(v[7]) if len(v) > 6 else None
        return ast.Budget(self.ident(v[1]), v[3], self.ident(v[5]), by, self.docs.get(v[0]), loc=self.loc(begin, at))

    # --- settings, let -----------------------------------------------------------------------------------------

    def block(self, v: list[Any], begin: int, at: int) -> Decl:
        return ast.Block(self.ident(v[0]), tuple(v[2]), self.docs.get(v[0]), loc=self.loc(begin, at))

    def setting(self, v: list[Any], begin: int, at: int) -> ast.Setting:
        values, unit = v[1]
        return ast.Setting(self.ident(v[0]), values, unit, loc=self.loc(begin, at))

    def quantity(self, v: list[Any], begin: int, at: int) -> tuple[tuple[Ident | ast.NumberLit, ...], Ident | None]:
        return tuple(v[0]), self.ident(v[1]) if len(v) > 1 else None

    def word(self, v: list[Any], begin: int, at: int) -> Ident:
        return self.ident(v[0])

    def let(self, v: list[Any], begin: int, at: int) -> Decl:
        body = self.root(v[3], v[2], at)
        return ast.Let(self.declared(v[1]), (), body, self.docs.get(v[0]), loc=self.loc(begin, at))

    def let_params(self, v: list[Any], begin: int, at: int) -> Decl:
        body = self.root(v[6], v[5], at)
        name, params = self.let_head(v[1:5], begin, at)
        return ast.Let(name, params, body, self.docs.get(v[0]), loc=self.loc(begin, at))

    def let_head(self, v: list[Any], begin: int, at: int) -> tuple[Ident, tuple[Ident, ...]]:
        return self.declared(v[0]), self.params(v[2]) if len(v) > 1 else ()

    def params(self, idents: list[Ident]) -> tuple[Ident, ...]:
        seen: set[str] = set()
        for ident in idents:
            if ident.name in seen:
                self.fail(f"the parameter `{ident.name}` is there twice", ident.loc)
            seen.add(ident.name)
        return tuple(idents)

    def each_head(self, v: list[Any], begin: int, at: int) -> ast.ForEach:
        return ast.ForEach(self.declared(v[0]), self.ident(v[2]), loc=self.loc(begin, at))

    # --- clauses, rules ----------------------------------------------------------------------------------------

    def clause_each(self, v: list[Any], begin: int, at: int) -> Clause:
        loc = self.loc(begin, at)
        return Clause("for each", ast.ForEach(self.declared(v[2]), self.ident(v[4]), loc=loc), loc)

    def clause_when(self, v: list[Any], begin: int, at: int) -> Clause:
        return Clause("when", self.root(v[1], v[0], at), self.loc(begin, at))

    def clause_because(self, v: list[Any], begin: int, at: int) -> Clause:
        return Clause("because", self.text_lit(v[1]), self.loc(begin, at))

    def clause_then(self, v: list[Any], begin: int, at: int) -> Clause:
        return Clause("then", self.ident(v[2]), self.loc(begin, at))

    def clause_mode(self, v: list[Any], begin: int, at: int) -> Clause:
        return Clause("mode", self.ident(v[1]), self.loc(begin, at))

    def clause_owner(self, v: list[Any], begin: int, at: int) -> Clause:
        return Clause("owner", self.text_lit(v[1]), self.loc(begin, at))

    def clause_until(self, v: list[Any], begin: int, at: int) -> Clause:
        loc = self.place(v[1])
        text = self.texts[v[1]]
        try:
            day = date.fromisoformat(text)
        except ValueError:
            self.fail(f"there is no day {text}", loc, "a date is year-month-day, such as 2027-01-31")
            day = date.max
        return Clause("until", ast.DateLit(day, loc=loc), self.loc(begin, at))

    def clauses(self, found: list[Clause], level: str, head: Loc, required: tuple[str, ...]) -> dict[str, Any]:
        """The clauses of a declaration by name; says which are missing, there twice, or out of place."""
        allowed = CLAUSES[level]
        seen: dict[str, Clause] = {}
        for clause in found:
            if clause.name not in allowed:
                names = ", ".join(f"`{name}`" for name in allowed)
                self.fail(f"`{level}` takes no `{clause.name}`", clause.loc, f"it takes {names}")
            elif clause.name in seen:
                first = (seen[clause.name].loc, "the first one")
                self.fail(f"`{clause.name}` is there twice", clause.loc, "keep one of them", related=(first,))
            seen.setdefault(clause.name, clause)
        missing = [name for name in required if name not in seen]
        if missing:
            what = " and no ".join(f"`{name}`" for name in missing)
            self.fail(f"this `{level}` has no {what}", head, _MISSING[missing[0]])
        return {name: clause.value for name, clause in seen.items()}

    def rule(self, v: list[Any], begin: int, at: int) -> Decl | None:
        level: Any = self.texts[v[0]]
        ident = self.id(v[1])
        get = self.clauses(v[3], level, self.loc(begin, v[1] + 1), ("when", "because")).get
        condition, because = get("when"), get("because")
        if condition is None or because is None:
            return None
        each, spill, mode, doc = get("for each"), get("then"), get("mode"), self.docs.get(v[0])
        return ast.Rule(level, ident, each, condition, because, spill, mode, doc, loc=self.loc(begin, at))

    def exempt(self, v: list[Any], begin: int, at: int) -> Decl | None:
        get = self.clauses(v[2], "exempt", self.loc(begin, v[1] + 1), ("when",)).get
        condition = get("when")
        if condition is None:
            return None
        doc, loc = self.docs.get(v[0]), self.loc(begin, at)
        return ast.Exempt(self.id(v[1]), condition, get("because"), get("until"), doc, loc=loc)

    def relax(self, v: list[Any], begin: int, at: int) -> Decl:
        get = self.clauses(v[2], "relax", self.loc(begin, v[1] + 1), ()).get
        doc, loc = self.docs.get(v[0]), self.loc(begin, at)
        return ast.Relax(self.id(v[1]), get("because"), get("owner"), get("until"), doc, loc=loc)

    # --- inline tests ------------------------------------------------------------------------------------------

    def test(self, v: list[Any], begin: int, at: int) -> Decl:
        return ast.InlineTest(self.text_lit(v[1]), tuple(v[3]), self.docs.get(v[0]), loc=self.loc(begin, at))

    def inline_span(self, v: list[Any], begin: int, at: int) -> ast.InlineSpan:
        epoch = self.number([v[5]], begin, at)
        kind, text, disposition = self.ident(v[2]), self.text_lit(v[3]), self.ident(v[6])
        extras = tuple(v[7])
        return ast.InlineSpan(self.quoted(v[1]), kind, text, epoch, disposition, extras, loc=self.loc(begin, at))

    def extra_word(self, v: list[Any], begin: int, at: int) -> tuple[Ident, None]:
        return self.ident(v[0]), None

    def extra_text(self, v: list[Any], begin: int, at: int) -> tuple[Ident, ast.TextLit]:
        return self.ident(v[0]), self.text_lit(v[1])

    def extra_number(self, v: list[Any], begin: int, at: int) -> tuple[Ident, ast.NumberLit]:
        return self.ident(v[0]), self.number(v[1:], begin, at)

    def given_epoch(self, v: list[Any], begin: int, at: int) -> ast.InlineGiven:
        target, number = self.ident(v[1]), self.number(v[2:], begin, at)
        setting = ast.Setting(target, (number,), None, loc=self.loc(self.starts[v[1]], at))
        return ast.InlineGiven(target, (setting,), loc=self.loc(begin, at))

    def given(self, v: list[Any], begin: int, at: int) -> ast.InlineGiven:
        return ast.InlineGiven(self.ident(v[1]), tuple(v[3]), loc=self.loc(begin, at))

    def expect(self, v: list[Any], begin: int, at: int) -> ast.InlineExpect:
        rule = self.id(v[2]) if len(v) > 2 else None
        spans = tuple(v[4]) if len(v) > 4 else ()
        outcome, loc = self.texts[v[1]], self.loc(begin, at)
        if outcome == "compact" and rule is not None:
            self.fail("`expect compact` takes no rule: no rule refuses then", loc, "write `expect compact`")
        elif outcome in ("no", "warn", "undetermined") and rule is None:
            self.fail(f"`expect {outcome}` names no rule, so it tests nothing", loc, f'write `expect {outcome} "RULE"`')
        elif outcome in ("no", "warn") and spans:
            advice = "leave the spans out, or expect `refuse`"
            self.fail(f"`on` says which spans are refused, so `expect {outcome}` takes none", loc, advice)
        return ast.InlineExpect(self.ident(v[1]), rule, spans, loc=self.loc(begin, at))

    def strings_one(self, v: list[Any], begin: int, at: int) -> list[Ident]:
        return [self.quoted(v[0])]

    def strings_more(self, v: list[Any], begin: int, at: int) -> list[Ident]:
        strings: list[Ident] = v[0]
        strings.append(self.quoted(v[2]))
        return strings


_MISSING: Final = {
    "when": "say what it looks for: `when` and a condition",
    "because": 'say why, for whoever reads the verdict: `because "…"`',
}


def _docs(tokens: Tokens) -> dict[int, str]:
    """The `##` lines right before a token, joined; a `##` behind other tokens on its line is a plain comment."""
    docs: dict[int, list[str]] = {}
    for comment in tokens.comments:
        mark = tokens.text[comment.start : comment.end]
        if not mark.startswith("##") or mark.startswith("###"):
            continue
        line = tokens.text.rfind("\n", 0, comment.start) + 1
        if not tokens.text[line : comment.start].strip(" \t\r\f\ufeff"):
            docs.setdefault(comment.token, []).append(mark[2:].removeprefix(" "))
    return {token: "\n".join(lines) for token, lines in docs.items()}
