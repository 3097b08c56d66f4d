"""Bare words in expressions: a variable, an enum literal of the type at hand, a `let`, or a name in scope."""

from __future__ import annotations

from policylang.check.context import ERROR, FAILED, GLOBAL_NODES, MAX_DEPTH, MAX_PROBES, Argument, Env, Typing
from policylang.check.words import a, either, owners_of, words_of
from policylang.diagnostics import nearest
from policylang.rules_ir import expr as ir
from policylang.rules_ir.types import ENUM_TYPES, KIND, TEXT, Type
from policylang.syntax import ast


def needs_type(t: Typing, expr: ast.Expr, env: Env, depth: int = 0) -> bool:
    """True for an expression of bare words only: what it means hangs on what it is compared with."""
    t.probes += 1
    if t.probes > MAX_PROBES:
        t.overflow(expr.loc)
    if depth > MAX_DEPTH or t.probes > MAX_PROBES:
        return False
    depth += 1
    match expr:
        case ast.Name(name):
            found = env.get(name)
            if isinstance(found, Argument):
                return needs_type(t, found.expr, found.env, depth)
            if found is not None or name in GLOBAL_NODES:
                return False
            let = t.names.lets.get(name)
            return let is None or (name not in t.names.broken and not let.params and needs_type(t, let.body, {}, depth))
        case ast.ListLit(items):
            return all(needs_type(t, item, env, depth) for item in items)
        case ast.If(_, then, otherwise):
            return needs_type(t, then, env, depth) and needs_type(t, otherwise, env, depth)
        case ast.Call(function, args):
            let = t.names.lets.get(function.name)
            if let is None or function.name in t.names.broken or len(args) != len(let.params):
                return False
            inner = {param.name: Argument(arg, env) for param, arg in zip(let.params, args, strict=True)}
            return needs_type(t, let.body, inner, depth)
        case _:
            return False


def type_word(t: Typing, word: ast.Name, env: Env, expected: Type | None) -> ir.Expr:
    """A word that is no variable, `let` or global: an enum literal by the type its place asks for."""
    if word.name in t.names.broken:
        return FAILED
    owners = owners_of(word.name, t.names.kinds)
    if expected is None or expected is ERROR:
        return _word_alone(t, word, env, owners, expected)
    if owners:
        return _misplaced(t, word, owners, expected)
    if expected in ENUM_TYPES:
        if expected is KIND and t.names.open_kinds:
            return FAILED
        code = "unknown-kind" if expected is KIND else "unknown-name"
        t.sink.unknown(code, str(expected), word.name, word.loc, words_of(expected, t.names.kinds))
        return FAILED
    names = _names_in_scope(t, env)
    quoted = f'text is written in quotes: "{word.name}"' if expected is TEXT else None
    if quoted is not None:
        near = nearest(word.name, names)
        hint = quoted if near is None else f"did you mean `{near}`? {quoted}"
        return t.error("unknown-name", f"unknown name `{word.name}`", word.loc, hint)
    return _unknown(t, word, names)


def _word_alone(t: Typing, word: ast.Name, env: Env, owners: list[Type], expected: Type | None) -> ir.Expr:
    if len(owners) == 1:
        return ir.Const(word.name, owners[0])
    if owners:
        if expected is ERROR:
            return FAILED
        message = f"`{word.name}` can be {either(owners)} here"
        return t.error("type-mismatch", message, word.loc, "compare it with a field of the type you mean")
    if t.names.open_kinds and expected is ERROR:
        return FAILED
    names = _names_in_scope(t, env)
    if t.names.kinds and nearest(word.name, names) is None:
        names = [*names, *t.names.kinds]
    return _unknown(t, word, names)


def _unknown(t: Typing, word: ast.Name, names: list[str]) -> ir.Expr:
    if word.name == "span":
        hint = "write `for each span in evicted` before `when`, or `any span in spans: …`"
        return t.error("unknown-name", "unknown name `span`", word.loc, hint)
    t.sink.unknown("unknown-name", "name", word.name, word.loc, names)
    return FAILED


def _misplaced(t: Typing, word: ast.Name, owners: list[Type], expected: Type) -> ir.Expr:
    message = f"`{word.name}` is {either(owners)}; {a(expected)} is needed here"
    if expected is TEXT:
        hint = f'text is written in quotes: "{word.name}"'
    elif expected in ENUM_TYPES:
        hint = f"{expected} words: {', '.join(sorted(words_of(expected, t.names.kinds)))}"
    else:
        hint = "a bare word has a meaning only beside a field of its type"
    return t.error("type-mismatch", message, word.loc, hint)


def _names_in_scope(t: Typing, env: Env) -> list[str]:
    hidden = {name for name in t.hidden if isinstance(name, str)}
    return [*env, *(name for name in GLOBAL_NODES if name not in hidden), *t.names.lets, *("true", "false")]
