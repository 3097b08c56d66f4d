"""Random syntax that could have been read from a file: well-formed, not necessarily well-typed.

``policies()`` builds whole files, ``expressions()`` single conditions. What the reader never makes is never built:
a `Bool` of one operand, a negative number inside an expression, a name that is a word of the language.
"""

from __future__ import annotations

from datetime import date

from hypothesis import strategies as st

from policylang.source import nowhere
from policylang.syntax import ast
from policylang.syntax.names import RESERVED_WORDS

LOC = nowhere("<made up>")
_SOFT = ("kind", "anchor", "index", "span", "epoch", "version", "test", "source", "mode", "count", "query", "warn")


def words() -> st.SearchStrategy[str]:
    """Identifiers, soft keywords among them."""
    free = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(lambda word: word not in RESERVED_WORDS)
    return st.one_of(st.sampled_from(_SOFT), free)


def names() -> st.SearchStrategy[str]:
    """Words for places where `count` would start a quantifier."""
    return words().filter(lambda word: word not in ("count", "epochs", "query", "queries", "epoch"))


def idents(source: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[ast.Ident]:
    return st.builds(lambda name: ast.Ident(name, loc=LOC), source if source is not None else words())


def ids() -> st.SearchStrategy[ast.Ident]:
    """Kebab-case ids."""
    return idents(st.from_regex(r"[a-z0-9]{1,4}(-[a-z0-9]{1,4}){0,2}", fullmatch=True))


def texts() -> st.SearchStrategy[str]:
    """Any text that UTF-8 can hold."""
    return st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


def text_lits() -> st.SearchStrategy[ast.TextLit]:
    return st.builds(lambda value: ast.TextLit(value, loc=LOC), texts())


def _number(value: int | float, text: str) -> ast.NumberLit:
    return ast.NumberLit(value, text, loc=LOC)


def numbers(units: bool = False) -> st.SearchStrategy[ast.NumberLit]:
    whole = st.integers(0, 10**30).map(lambda value: _number(value, str(value)))
    real = st.floats(0, 1e300).map(lambda value: _number(value, repr(value)))
    percent = st.integers(0, 400).map(lambda value: _number(float(f"{value}e-2"), f"{value}%"))
    with_unit = st.integers(0, 99).map(lambda value: _number(value, f"{value} epochs"))
    return st.one_of(whole, real, percent, *([with_unit] if units else []))


def regexes() -> st.SearchStrategy[ast.RegexLit]:
    """Patterns as they are read: a `\\/` has become `/`, a backslash takes the next character along."""
    plain = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\\\u2028\u2029")
    escape = st.sampled_from([r"\d", r"\s", r"\\", r"\.", r"\b"])
    visible = st.one_of(plain, escape).filter(lambda part: part not in _BIDI)
    body = st.lists(visible, max_size=8).map("".join)
    flags = st.sampled_from(["", "i", "m", "s", "im", "ims"])
    return st.builds(lambda pattern, flag: ast.RegexLit(pattern, flag, loc=LOC), body, flags)


_BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _leaves() -> st.SearchStrategy[ast.Expr]:
    return st.one_of(
        st.booleans().map(lambda value: ast.BoolLit(value, loc=LOC)),
        numbers(units=True),
        text_lits(),
        words().map(lambda name: ast.Name(name, loc=LOC)),
        st.just(ast.ListLit((), loc=LOC)),
    )


def _branches(inner: st.SearchStrategy[ast.Expr]) -> st.SearchStrategy[ast.Expr]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        st.builds(lambda base, name: ast.FieldAccess(base, name, loc=LOC), inner, idents()),
        st.builds(lambda name, xs: ast.Call(name, tuple(xs), loc=LOC), idents(names()), st.lists(inner, max_size=3)),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: ast.ListLit(tuple(items), loc=LOC)),
        inner.map(lambda operand: ast.Not(operand, loc=LOC)),
        inner.map(lambda operand: ast.Neg(operand, loc=LOC)),
        st.builds(lambda op, operands: ast.Bool(op, operands, loc=LOC), st.sampled_from(["and", "or"]), several),
        st.builds(
            lambda op, left, right: ast.Compare(op, left, right, loc=LOC),
            st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner, inner,
        ),
        st.builds(lambda item, xs, negated: ast.In(item, xs, negated, loc=LOC), inner, inner, st.booleans()),
        st.builds(lambda subject, regex: ast.Matches(subject, regex, loc=LOC), inner, regexes()),
        st.builds(lambda operand, negated: ast.IsKnown(operand, negated, loc=LOC), inner, st.booleans()),
        st.builds(
            lambda op, left, right: ast.Arith(op, left, right, loc=LOC), st.sampled_from("+-*/"), inner, inner
        ),
        st.builds(lambda c, a, b: ast.If(c, a, b, loc=LOC), inner, inner, inner),
        st.builds(
            lambda word, var, xs, where, body: ast.Quantifier(word, var, xs, where, body, loc=LOC),
            st.sampled_from(["any", "all", "count", "sum", "min", "max"]),
            idents(names().filter(lambda name: name not in _SOFT)), inner, st.none() | inner, inner,
        ),
        _chained(inner),
    )  # fmt: skip


@st.composite
def _chained(draw: st.DrawFn, inner: st.SearchStrategy[ast.Expr]) -> ast.Expr:
    """`a < b < c`, also with `in`, `matches` and `is known` in the chain."""
    ops = draw(st.lists(st.sampled_from(["==", "<", "in", "not in", "matches", "is known"]), min_size=2, max_size=3))
    operands = [draw(inner)]
    for op in ops:
        if op == "matches":
            operands.append(draw(regexes()))
        elif op != "is known":
            operands.append(draw(inner))
    return ast.ChainedCompare(tuple(operands), tuple(ops), loc=LOC)


def expressions() -> st.SearchStrategy[ast.Expr]:
    return st.recursive(_leaves(), _branches, max_leaves=10)


# --- declarations ----------------------------------------------------------------------------------------------


def docs() -> st.SearchStrategy[str | None]:
    line = st.from_regex(r"([!-~]([ -~]{0,8}[!-~])?)?", fullmatch=True).filter(lambda text: not text.startswith("#"))
    return st.none() | st.lists(line, min_size=1, max_size=2).map("\n".join)


def dates() -> st.SearchStrategy[ast.DateLit]:
    return st.dates(date(1000, 1, 1)).map(lambda value: ast.DateLit(value, loc=LOC))


def settings() -> st.SearchStrategy[ast.Setting]:
    """A unit follows only a number; a word after a number would be read as one."""
    plain = names()
    word = st.builds(
        lambda name, values: ast.Setting(name, tuple(values), None, loc=LOC),
        idents(plain), st.lists(idents(plain) | numbers(), min_size=1, max_size=3),
    )  # fmt: skip
    unit = st.builds(
        lambda name, value, unit: ast.Setting(name, (value,), unit, loc=LOC),
        idents(plain), numbers(), idents(st.sampled_from(["epoch", "epochs", "query", "queries"])),
    )  # fmt: skip
    return word | unit


def rules() -> st.SearchStrategy[ast.Rule]:
    each = st.builds(lambda var, xs: ast.ForEach(var, xs, loc=LOC), idents(), idents())
    return st.builds(
        lambda level, ident, each, when, because, spill, mode, doc: ast.Rule(
            level, ident, each, when, because, spill, mode, doc, loc=LOC
        ),
        st.sampled_from(["refuse", "warn"]), ids(), st.none() | each, expressions(), text_lits(),
        st.none() | idents(st.sampled_from(["span", "epoch"])),
        st.none() | idents(st.sampled_from(["enforce", "shadow", "warn"])), docs(),
    )  # fmt: skip


def inline_tests() -> st.SearchStrategy[ast.InlineTest]:
    extra = st.tuples(idents(names().filter(lambda name: name not in ("span", "given", "expect"))),
                      st.none() | text_lits() | numbers())  # fmt: skip
    span = st.builds(
        lambda ident, kind, text, epoch, where, extras: ast.InlineSpan(
            ident, kind, text, epoch, where, tuple(extras), loc=LOC
        ),
        idents(texts()), idents(), text_lits(), numbers(), idents(st.sampled_from(["evicted", "retained"])),
        st.lists(extra, max_size=3),
    )  # fmt: skip
    given = st.builds(
        lambda target, found: ast.InlineGiven(target, tuple(found), loc=LOC),
        idents(st.sampled_from(["index", "scoring", "monitor"])), st.lists(settings(), max_size=2),
    )  # fmt: skip
    epoch = ast.Ident("epoch", loc=LOC)
    given_epoch = numbers().map(
        lambda value: ast.InlineGiven(epoch, (ast.Setting(epoch, (value,), None, loc=LOC),), loc=LOC)
    )
    outcome = idents(st.sampled_from(["compact", "refuse", "no", "warn", "undetermined"]))
    expect = st.builds(
        lambda outcome, rule, spans: ast.InlineExpect(
            outcome if rule or outcome.name in ("compact", "refuse") else ast.Ident("refuse", loc=LOC),
            rule if outcome.name != "compact" else None,
            tuple(spans) if rule and outcome.name in ("refuse", "undetermined") else (),
            loc=LOC,
        ),
        outcome, st.none() | ids(), st.lists(idents(texts()), max_size=2),
    )  # fmt: skip
    items = st.lists(span | given | given_epoch | expect, max_size=4).map(tuple)
    return st.builds(lambda name, found, doc: ast.InlineTest(name, found, doc, loc=LOC), text_lits(), items, docs())


def declarations() -> st.SearchStrategy[ast.Decl]:
    some = st.lists(idents(), min_size=1, max_size=4).map(tuple)
    policy_id = idents(st.from_regex(r"[a-z0-9]{1,4}(/[a-z0-9]{1,4}(-[a-z0-9]{1,4})?){0,2}", fullmatch=True))
    version = idents(st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,2}){0,2}", fullmatch=True))
    condition = expressions()
    budget = st.builds(
        lambda kind, epsilon, per, by, doc: ast.Budget(
            kind, epsilon, per if epsilon else None, by if epsilon else None, doc, loc=LOC
        ),
        idents(), st.none() | numbers(), idents(), st.none() | idents(st.sampled_from(["tokens", "spans"])), docs(),
    )  # fmt: skip
    block = st.builds(
        lambda word, found, doc: ast.Block(word, tuple(found), doc, loc=LOC),
        idents(st.sampled_from(["index", "scoring", "monitor", "integrity"])), st.lists(settings(), max_size=4), docs(),
    )  # fmt: skip
    return st.one_of(
        st.builds(lambda a, b, d: ast.Header(a, b, d, loc=LOC), policy_id, st.none() | version, docs()),
        st.builds(lambda a, d: ast.Extends(a, d, loc=LOC), policy_id, docs()),
        st.builds(lambda a, d: ast.Requires(">=", a, d, loc=LOC), version, docs()),
        st.builds(lambda a, b, d: ast.KindDecl(a, b, d, loc=LOC), idents(), idents(), docs()),
        st.builds(lambda a, d: ast.AnchorKind(a, d, loc=LOC), some, docs()),
        st.builds(lambda a, d: ast.AnchorDetect(a, d, loc=LOC), some, docs()),
        st.builds(
            lambda a, b, d: ast.AnchorWhen(a, b, d, loc=LOC),
            idents(words().filter(lambda word: word not in ("kind", "detect"))), condition, docs(),
        ),
        st.builds(
            lambda a, b, c, u, d: ast.Exempt(a, b, c, u, d, loc=LOC),
            ids(), condition, st.none() | text_lits(), st.none() | dates(), docs(),
        ),
        st.builds(
            lambda a, b, o, u, d: ast.Relax(a, b, o, u, d, loc=LOC),
            ids(), st.none() | text_lits(), st.none() | text_lits(), st.none() | dates(), docs(),
        ),
        budget,
        block,
        st.builds(
            lambda a, ps, b, d: ast.Let(a, tuple(ps), b, d, loc=LOC),
            idents(), st.lists(idents(), max_size=3, unique_by=lambda ident: ident.name), condition, docs(),
        ),
        rules(),
        inline_tests(),
    )  # fmt: skip


def policies() -> st.SearchStrategy[ast.PolicyFile]:
    """Whole files, in any order of declarations."""
    return st.lists(declarations(), max_size=6).map(lambda decls: ast.PolicyFile(tuple(decls), loc=LOC))
