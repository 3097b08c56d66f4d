"""Calls: builtins, `epsilon(chain, kind)`, and `let`s, which are typed at each call and expanded in place."""

from __future__ import annotations

from typing import Final

from policylang.check import expressions
from policylang.check.bareword import needs_type
from policylang.check.context import ERROR, FAILED, GLOBAL_NODES, Argument, Env, Typing
from policylang.check.words import a
from policylang.rules_ir import expr as ir
from policylang.rules_ir.types import BOOL, CHAIN, INT, NUMBER, TEXT, Type
from policylang.syntax import ast

BUILTINS: Final[dict[str, tuple[ir.BuiltinName, int, Type]]] = {
    "lower": ("lower", 1, TEXT),
    "length": ("length", 1, INT),
    "starts_with": ("starts_with", 2, BOOL),
    "contains": ("contains", 2, BOOL),
}
FUNCTIONS: Final = (*BUILTINS, "epsilon")


def type_call(t: Typing, call: ast.Call, env: Env, expected: Type | None) -> ir.Expr:
    """The typed form of `f(…)`."""
    name = call.function.name
    if name in BUILTINS:
        return _builtin(t, call, env)
    if name == "epsilon":
        return _epsilon(t, call, env)
    let = t.names.lets.get(name)
    if let is not None:
        return type_let(t, let, call.args, call, env, expected)
    for arg in call.args:
        expressions.type_expr(t, arg, env, ERROR)
    if name in t.names.broken:
        return FAILED
    if name in env or name in GLOBAL_NODES:
        return t.error("type-mismatch", f"`{name}` is not a function", call.function.loc, "write it without `(…)`")
    if name in t.names.parent_lets:
        hint = "a `let` is seen in its own file only; define it here"
        return t.error("unknown-name", f"`{name}` is a `let` of a parent", call.function.loc, hint)
    t.sink.unknown("unknown-name", "function", name, call.function.loc, [*FUNCTIONS, *t.names.lets])
    return FAILED


def _arity(t: Typing, name: str, wanted: int, got: int, at: ast.Call | ast.Name) -> bool:
    if wanted == got:
        return True
    arguments = "argument" if wanted == 1 else "arguments"
    t.error("wrong-arity", f"`{name}` takes {wanted} {arguments}, not {got}", at.loc)
    return False


def _builtin(t: Typing, call: ast.Call, env: Env) -> ir.Expr:
    name, arity, result = BUILTINS[call.function.name]
    if not _arity(t, name, arity, len(call.args), call):
        return FAILED
    if name == "length":
        node = expressions.type_expr(t, call.args[0], env, TEXT)
        if node.type.element is None and node.type not in (TEXT, ERROR):
            message = f"`length` takes text or a list, but this is {a(node.type)}"
            return t.error("type-mismatch", message, call.args[0].loc)
        return ir.Builtin(name, (node,), result)
    args = tuple(expressions.type_as(t, arg, env, TEXT, f"`{name}` takes") for arg in call.args)
    return ir.Builtin(name, args, result)


def _epsilon(t: Typing, call: ast.Call, env: Env) -> ir.Expr:
    if not _arity(t, "epsilon", 2, len(call.args), call):
        return FAILED
    chain = expressions.type_as(t, call.args[0], env, CHAIN, "`epsilon` takes")
    word: ast.Expr = call.args[1]
    while isinstance(word, ast.Name) and isinstance(found := env.get(word.name), Argument):
        word, env = found.expr, found.env
    if not isinstance(word, ast.Name) or word.name in env:
        hint = "name it: `epsilon(c, reasoning)`"
        return t.error("type-mismatch", "`epsilon` takes a kind as in `budget`", word.loc, hint)
    kind = word.name
    if kind != "reasoning" and kind not in t.names.kinds:
        if not t.names.open_kinds:
            t.sink.unknown("unknown-kind", "kind", kind, word.loc, t.names.kinds)
        return FAILED
    excluded = t.names.excluded if kind == "reasoning" else ()
    return ir.Epsilon(chain, kind, t.names.mass.get(kind, "tokens"), excluded, NUMBER)


def type_let(
    t: Typing, let: ast.Let, args: tuple[ast.Expr, ...], at: ast.Call | ast.Name, env: Env, expected: Type | None
) -> ir.Expr:
    """The body of ``let`` with its arguments in place; the caller's names are out of its sight."""
    name = let.name.name
    t.used.add(name)
    if not _arity(t, name, len(let.params), len(args), at):
        return FAILED
    inner = {param.name: _argument(t, arg, env) for param, arg in zip(let.params, args, strict=True)}
    if t.opaque or name in t.names.broken:
        return FAILED
    t.calls.append(at.loc)
    node = expressions.type_expr(t, let.body, inner, expected)
    t.calls.pop()
    return node


def _argument(t: Typing, arg: ast.Expr, env: Env) -> Argument:
    """An argument, typed once here so that its mistakes are found even if the body never uses it."""
    if needs_type(t, arg, env):
        expressions.type_expr(t, arg, env, ERROR)
        return Argument(arg, env)
    slots, size = t.slots, t.size
    node = expressions.type_expr(t, arg, env)
    if t.slots != slots:
        return Argument(arg, env)
    return Argument(arg, env, node, t.size - size)
