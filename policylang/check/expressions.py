"""Types of expressions: syntax in, typed rules out (SPEC §3). One function for each form, no state but `Typing`.

Every function gives a node. Where something is wrong it reports once and gives `FAILED`, whose type fits everywhere.
"""

from __future__ import annotations

from typing import Final, assert_never

from policylang.check.bareword import needs_type, type_word
from policylang.check.calls import type_call, type_let
from policylang.check.context import (
    ERROR,
    FAILED,
    GLOBAL_NODES,
    MAX_DEPTH,
    MAX_NODES,
    Argument,
    Env,
    Typing,
)
from policylang.check.words import a, words_of
from policylang.regex import BadPatternError, compile_pattern
from policylang.rules_ir import expr as ir
from policylang.rules_ir.types import (
    ASSERTION,
    BOOL,
    CHAIN,
    ENUM_TYPES,
    FIELDS,
    INT,
    META,
    NUMBER,
    SPAN,
    TEXT,
    Type,
    list_of,
)
from policylang.syntax import ast

_COMPARABLE: Final = frozenset(type_.name for type_ in (BOOL, TEXT, SPAN, CHAIN, ASSERTION, *ENUM_TYPES))
TRUTH: Final = {True: ir.Const(True, BOOL), False: ir.Const(False, BOOL)}


def type_expr(t: Typing, expr: ast.Expr, env: Env, expected: Type | None = None) -> ir.Expr:
    """The typed form of ``expr``. ``expected`` is what its place asks for; it settles bare words, nothing else."""
    t.size += 1
    t.depth += 1
    if t.size > MAX_NODES or t.depth > MAX_DEPTH:
        node = t.overflow(expr.loc)
        t.depth -= 1
        return node
    node = _dispatch(t, expr, env, expected)
    t.depth -= 1
    return node


def _dispatch(t: Typing, expr: ast.Expr, env: Env, expected: Type | None) -> ir.Expr:
    match expr:
        case ast.FieldAccess():
            return _field(t, expr, env)
        case ast.Name():
            return _name(t, expr, env, expected)
        case ast.Compare():
            return _compare(t, expr, env)
        case ast.NumberLit(value):
            return ir.Const(value, INT if isinstance(value, int) else NUMBER)
        case ast.Bool():
            return _bool(t, expr, env)
        case ast.TextLit(value):
            return ir.Const(value, TEXT)
        case ast.Not():
            return ir.Not(type_as(t, expr.operand, env, BOOL, "`not` takes"), BOOL)
        case ast.BoolLit(value):
            return TRUTH[value]
        case ast.Matches():
            return _matches(t, expr, env)
        case ast.In():
            return _in(t, expr, env)
        case ast.Call():
            return type_call(t, expr, env, expected)
        case ast.Quantifier():
            return _quantifier(t, expr, env)
        case ast.IsKnown():
            return ir.IsKnown(type_expr(t, expr.operand, env), expr.negated, BOOL)
        case ast.Arith():
            return _arith(t, expr, env)
        case ast.Neg():
            operand = _number(t, expr.operand, env, "`-` takes")
            return ir.Neg(operand, operand.type)
        case ast.If():
            return _if(t, expr, env, expected)
        case ast.ListLit():
            return _list(t, expr, env, expected)
        case ast.ChainedCompare():
            return _chained(t, expr, env)
        case ast.RegexLit():
            return t.error("type-mismatch", "a regex is no value", expr.loc, "write `TEXT matches /…/`")
        case _:
            assert_never(expr)


def _numeric(type_: Type) -> bool:
    return type_ is INT or type_ is NUMBER


def fits(type_: Type, wanted: Type) -> bool:
    """Whether a value of ``type_`` can stand where ``wanted`` is asked for."""
    if type_ is wanted or type_ is ERROR or wanted is ERROR:
        return True
    if type_.element is not None and wanted.element is not None:
        return fits(type_.element, wanted.element)
    return wanted is NUMBER and type_ is INT


def type_as(t: Typing, expr: ast.Expr, env: Env, wanted: Type, who: str) -> ir.Expr:
    """The typed form of an operand that has to be of one type; ``who`` begins the message."""
    node = type_expr(t, expr, env, wanted)
    if fits(node.type, wanted):
        return node
    return t.error(
        "type-mismatch", f"{who} {a(wanted)}, but this is {a(node.type)}", expr.loc, _hint(node.type, wanted)
    )


def _hint(type_: Type, wanted: Type) -> str | None:
    if wanted is BOOL:
        return "compare it with something, or use `is known`"
    if type_ is TEXT and _numeric(wanted):
        return "text is not converted to numbers"
    return None


def _number(t: Typing, expr: ast.Expr, env: Env, who: str) -> ir.Expr:
    return type_as(t, expr, env, NUMBER, who)


def _name(t: Typing, expr: ast.Name, env: Env, expected: Type | None) -> ir.Expr:
    name = expr.name
    found = env.get(name)
    if found is not None:
        return _argument(t, found, expected) if isinstance(found, Argument) else found
    if expected is not None and expected in ENUM_TYPES and name in words_of(expected, t.names.kinds):
        return ir.Const(name, expected)
    let = t.names.lets.get(name)
    if let is not None:
        return type_let(t, let, (), expr, env, expected)
    known = GLOBAL_NODES.get(name)
    if known is None:
        return type_word(t, expr, env, expected)
    if name in t.hidden:
        hint = f"{t.hidden[name]}; read other names"
        return t.error("unknown-name", f"`{name}` cannot be read here", expr.loc, hint)
    return known


def _argument(t: Typing, found: Argument, expected: Type | None) -> ir.Expr:
    if found.node is not None:
        t.size += found.size
        return found.node
    return type_expr(t, found.expr, found.env, expected)


def _field(t: Typing, expr: ast.FieldAccess, env: Env) -> ir.Expr:
    base = type_expr(t, expr.base, env)
    name, type_ = expr.name.name, base.type
    if type_ is ERROR:
        return FAILED
    if type_ is META:
        if isinstance(base, ir.Field):
            return ir.Meta(base.base, name, TEXT)
        return t.error(
            "type-mismatch", "`meta` is read of a span by name", expr.loc, "write `s.meta.KEY` in each branch"
        )
    fields = FIELDS.get(type_)
    if fields is None:
        hint = "use a quantifier: `any x in …: x.field`" if type_.element is not None else None
        return t.error("unknown-field", f"{a(type_)} has no fields", expr.name.loc, hint)
    found = fields.get(name)
    if found is None or found.internal:
        known = [key for key, field in fields.items() if not field.internal and (type_, key) not in t.hidden]
        t.sink.unknown("unknown-field", f"field of {a(type_)}:", name, expr.name.loc, known)
        return FAILED
    if t.hidden and (type_, name) in t.hidden:
        hint = f"{t.hidden[type_, name]}; read other fields"
        return t.error("unknown-field", f"`{name}` cannot be read here", expr.name.loc, hint)
    return ir.Field(base, name, found.type)


def _compare(t: Typing, expr: ast.Compare, env: Env) -> ir.Expr:
    left_ast, right_ast = expr.left, expr.right
    if not isinstance(left_ast, ast.FieldAccess) and needs_type(t, left_ast, env) and not needs_type(t, right_ast, env):
        right = type_expr(t, right_ast, env)
        left = type_expr(t, left_ast, env, right.type)
    else:
        left = type_expr(t, left_ast, env)
        right = type_expr(t, right_ast, env, left.type)
    one, two = left.type, right.type
    if one is ERROR or two is ERROR or (_numeric(one) and _numeric(two)):
        return ir.Compare(expr.op, left, right, BOOL)
    if expr.op not in ("==", "!="):
        wrong, node = (left_ast, left) if not _numeric(one) else (right_ast, right)
        message = f"`{expr.op}` compares numbers, but this is {a(node.type)}"
        return t.error("type-mismatch", message, wrong.loc, _hint(node.type, NUMBER))
    if one == two and one.name in _COMPARABLE:
        return ir.Compare(expr.op, left, right, BOOL)
    if one == two:
        return t.error("type-mismatch", f"{a(one)} cannot be compared", left_ast.loc, "compare its elements or fields")
    return t.error("type-mismatch", f"{a(one)} is compared with {a(two)}", right_ast.loc, _unlike(right_ast, one, two))


def _unlike(right: ast.Expr, one: Type, two: Type) -> str:
    if isinstance(right, ast.TextLit) and one in ENUM_TYPES:
        return f"{one} words stand without quotes: {right.value}"
    if _numeric(two) and one is TEXT and isinstance(right, ast.NumberLit):
        return f'text is written in quotes: "{right.text}"'
    return "both sides must be of one type; nothing is converted"


def _chained(t: Typing, expr: ast.ChainedCompare, env: Env) -> ir.Expr:
    for operand in expr.operands:
        type_expr(t, operand, env, ERROR)
    hint = "put the first comparison in parentheses"
    if len(expr.operands) == len(expr.ops) + 1 and "matches" not in expr.ops:
        texts = [_as_written(operand) for operand in expr.operands]
        pairs = zip(texts, expr.ops, texts[1:], strict=False)
        hint = f"write `{' and '.join(f'{left} {op} {right}' for left, op, right in pairs)}`"
    return t.error("chained-comparison", "comparisons do not chain", expr.loc, hint)


def _as_written(expr: ast.Expr) -> str:
    return " ".join(expr.loc.source.text[expr.loc.start : expr.loc.end].split())


def _bool(t: Typing, expr: ast.Bool, env: Env) -> ir.Expr:
    who = f"`{expr.op}` takes"
    operands = tuple([type_as(t, operand, env, BOOL, who) for operand in expr.operands])
    return ir.And(operands, BOOL) if expr.op == "and" else ir.Or(operands, BOOL)


def _in(t: Typing, expr: ast.In, env: Env) -> ir.Expr:
    word = "not in" if expr.negated else "in"
    if needs_type(t, expr.item, env):
        collection = type_expr(t, expr.collection, env)
        item = type_expr(t, expr.item, env, collection.type.element or collection.type)
    else:
        item = type_expr(t, expr.item, env)
        collection = type_expr(t, expr.collection, env, list_of(item.type))
    one, many = item.type, collection.type
    if many is ERROR or one is ERROR:
        return ir.In(item, collection, expr.negated, BOOL)
    if many.element is None:
        hint = "write a list: `[a, b]`" + (", or `contains(text, part)`" if many is TEXT else "")
        return t.error("type-mismatch", f"`{word}` takes a list, but this is {a(many)}", expr.collection.loc, hint)
    if not (fits(one, many.element) or fits(many.element, one)) or not (one.name in _COMPARABLE or _numeric(one)):
        message = f"{a(one)} is looked for in a {many}"
        return t.error("type-mismatch", message, expr.item.loc, "item and elements must be of one type")
    return ir.In(item, collection, expr.negated, BOOL)


def _matches(t: Typing, expr: ast.Matches, env: Env) -> ir.Expr:
    subject = type_as(t, expr.subject, env, TEXT, "`matches` takes")
    regex = expr.regex
    try:
        compile_pattern(regex.pattern, regex.flags)
    except BadPatternError as error:
        hint = "patterns are RE2: no look-around, no back-references"
        return t.error("bad-regex", f"not an RE2 pattern: {error}", regex.loc, hint)
    return ir.Matches(subject, regex.pattern, regex.flags, BOOL)


def _arith(t: Typing, expr: ast.Arith, env: Env) -> ir.Expr:
    who = f"`{expr.op}` takes"
    left, right = _number(t, expr.left, env, who), _number(t, expr.right, env, who)
    exact = expr.op != "/" and left.type is INT and right.type is INT
    return ir.Arith(expr.op, left, right, INT if exact else NUMBER)


def _if(t: Typing, expr: ast.If, env: Env, expected: Type | None) -> ir.Expr:
    condition = type_as(t, expr.condition, env, BOOL, "`if` takes")
    then = type_expr(t, expr.then, env, expected)
    otherwise = type_expr(t, expr.otherwise, env, expected if expected is not None else then.type)
    joined = _join(then.type, otherwise.type)
    if joined is None:
        message = f"the branches differ: {a(then.type)} and {a(otherwise.type)}"
        return t.error("type-mismatch", message, expr.otherwise.loc, "both branches must be of one type")
    return ir.If(condition, then, otherwise, joined)


def _join(one: Type, two: Type) -> Type | None:
    """The type of a value that is of ``one`` or of ``two``."""
    if fits(one, two):
        return two if one is not ERROR else one
    return one if fits(two, one) else None


def _list(t: Typing, expr: ast.ListLit, env: Env, expected: Type | None) -> ir.Expr:
    wanted = expected.element if expected is not None else None
    items: list[ir.Expr] = []
    joined: Type | None = None
    for item in expr.items:
        node = type_expr(t, item, env, wanted or joined)
        both = node.type if joined is None else _join(joined, node.type)
        if both is None:
            message = f"the list holds {a(joined or ERROR)} and {a(node.type)}"
            return t.error("type-mismatch", message, item.loc, "all elements of a list must be of one type")
        joined = both
        items.append(node)
    return ir.ListLit(tuple(items), list_of(joined or wanted or ERROR))


def _quantifier(t: Typing, expr: ast.Quantifier, env: Env) -> ir.Expr:
    collection = type_expr(t, expr.collection, env)
    element: Type = ERROR
    if collection.type.element is not None:
        element = collection.type.element
    elif collection.type is not ERROR:
        message = f"`{expr.quantifier}` ranges over a list, but this is {a(collection.type)}"
        t.error("type-mismatch", message, expr.collection.loc, "lists: evicted, retained, spans, anchors, chains, …")
    t.slots += 1
    slot, name = t.slots, expr.variable.name
    inner: dict[str, ir.Var | Argument] = {**env, name: ir.Var(slot, name, element)}
    where = type_as(t, expr.where, inner, BOOL, "`where` takes") if expr.where is not None else None
    who = f"`{expr.quantifier}` takes"
    numeric = expr.quantifier in ("sum", "min", "max")
    body = type_as(t, expr.body, inner, NUMBER if numeric else BOOL, who)
    result = body.type if numeric else INT if expr.quantifier == "count" else BOOL
    return ir.Quant(expr.quantifier, slot, name, collection, where, body, result)
