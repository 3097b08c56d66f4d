"""Message templates: `"{span.id} survives only as a reference"` to text pieces and typed reads."""

from __future__ import annotations

from typing import Final

from policylang.check.context import GLOBAL_NODES
from policylang.check.sink import Sink
from policylang.check.words import a
from policylang.diagnostics import did_you_mean
from policylang.rules_ir import expr as ir
from policylang.rules_ir.types import BOOL, ENUM_TYPES, FIELDS, INT, META, NUMBER, TEXT, TEXTS
from policylang.source import Loc
from policylang.syntax import ast

_PRINTABLE: Final = frozenset(type_.name for type_ in (BOOL, INT, NUMBER, TEXT, *ENUM_TYPES))

Message = tuple[str | ir.Expr, ...]
Part = tuple[int, int]
"""Where in the string's value a placeholder or a lone brace begins and ends."""


def type_template(literal: ast.TextLit, subject: ir.Var | None, sink: Sink) -> Message:
    """The pieces of a message in turn; every mistake is `bad-template`, at the placeholder where it can be told."""
    text = literal.value
    if "{" not in text and "}" not in text:
        return (text,)
    pieces: list[str | ir.Expr] = []
    plain = ""
    at = 0
    while at < len(text):
        char = text[at]
        if text[at : at + 2] in ("{{", "}}"):
            plain += char
            at += 2
        elif char == "}":
            _bad(sink, literal, (at, at + 1), "a `}` closes nothing", "write `}}` for a brace")
            at += 1
        elif char == "{":
            end = text.find("}", at)
            if end == -1:
                _bad(sink, literal, (at, at + 1), "a `{` is not closed", "write `{{` for a brace")
                break
            if plain:
                pieces.append(plain)
                plain = ""
            node = _placeholder((at, end + 1), literal, subject, sink)
            if node is not None:
                pieces.append(node)
            at = end + 1
        else:
            plain += char
            at += 1
    if plain:
        pieces.append(plain)
    return tuple(pieces)


def _bad(sink: Sink, literal: ast.TextLit, part: Part, message: str, hint: str | None) -> None:
    source, start, end = literal.loc
    if source.text[start + 1 : end - 1] == literal.value:
        # Without escapes the text lies in the file as it is, so that each mistake has its own place.
        start, end = start + 1 + part[0], start + 1 + part[1]
    sink.error("bad-template", message, Loc(source, start, end), hint)


def _placeholder(part: Part, literal: ast.TextLit, subject: ir.Var | None, sink: Sink) -> ir.Expr | None:
    path = literal.value[part[0] + 1 : part[1] - 1]
    first, *fields = path.strip().split(".")
    node: ir.Expr | None = subject if subject is not None and first == subject.name else GLOBAL_NODES.get(first)
    if node is None:
        roots = [*GLOBAL_NODES, *([subject.name] if subject is not None else [])]
        known = "a placeholder is a field path of the rule's subject or of a global: {names}"
        _bad(sink, literal, part, f"`{{{path}}}` names nothing in scope", did_you_mean(first, roots, otherwise=known))
        return None
    for name in fields:
        if node.type is META and isinstance(node, ir.Field):
            node = ir.Meta(node.base, name, TEXT)
            continue
        field = FIELDS.get(node.type, {}).get(name)
        if field is None or field.internal:
            known_fields = [key for key, one in FIELDS.get(node.type, {}).items() if not one.internal]
            hint = did_you_mean(name, known_fields, otherwise="its fields: {names}") if known_fields else None
            _bad(sink, literal, part, f"`{{{path}}}`: {a(node.type)} has no field `{name}`", hint)
            return None
        node = ir.Field(node, name, field.type)
    if node.type.name not in _PRINTABLE and node.type != TEXTS:
        _bad(sink, literal, part, f"`{{{path}}}` is {a(node.type)}, which has no text", "name one of its fields")
        return None
    return node
