"""Syntax errors in words that a person uses: what was found, what may stand there, and what to do."""

from __future__ import annotations

from typing import Final

from policylang.diagnostics import Diagnostic, nearest
from policylang.frontend.dsl.build import Clause
from policylang.frontend.dsl.driver import Machine
from policylang.frontend.dsl.lexer import DATE, END, NUMBER, REGEX, STRING, UNIT, WORD, Tokens
from policylang.source import Loc

DECLARATIONS: Final = frozenset(
    {
    "policy", "extends", "requires", "kind", "anchor", "exempt", "budget", "index", "scoring", "monitor",
    "integrity", "let", "refuse", "warn", "relax", "test",
    }
)  # fmt: skip
_OPERANDS: Final = frozenset(
    {
    "true", "false", "(", "[", "not", "-", "any", "all", "count", "sum", "min", "max", "if", "WORD", "NUMBER",
    "STRING",
    }
)  # fmt: skip
_OPERATORS: Final = frozenset(
    {
    "==", "!=", "<", "<=", ">", ">=", "in", "not", "matches", "is", "+", "-", "*", "/", "and", "or", ".", "(",
    "WORD", "UNIT",
    }
)  # fmt: skip
_CLASSES: Final = {
    "WORD": "a name",
    "UNIT": "a unit",
    "NUMBER": "a number",
    "STRING": "a string in double quotes",
    "REGEX": "a regex between slashes",
    "DATE": "a date such as 2027-01-31",
    "$END": "the end",
}
_AFTER: Final = {
    "kind": "a kind",
    "budget": "a kind or class",
    "detect": "an assertion type",
    "each": "a variable",
    "per": "`chain`",
    ".": "a field",
    "let": "a name",
    "given": "`epoch`, `index`, `scoring` or `monitor`",
}
_NOT_HERE: Final = {"refuse": {"owner", "until"}, "warn": {"owner", "until"}}
_NOT_HERE["exempt"] = {"for", "then", "mode", "owner"}
_NOT_HERE["relax"] = {"for", "then", "mode", "when"}


def unexpected(machine: Machine, first: int) -> Diagnostic:
    """The syntax error for the token that the machine is stuck at, in a declaration that began at ``first``."""
    tokens, at = machine.tokens, machine.at
    accepted = _accepted(machine)
    accepted -= _NOT_HERE.get(tokens.texts[first], set()) | _used_clauses(machine)
    expected = _expected(tokens, at, accepted)
    found = _found(tokens, at)
    message = f"found {found}, expected {expected}"
    start, end = tokens.starts[at], tokens.ends[at]
    if accepted == {"per"} and tokens.texts[first] == "budget" and _leaves_line(tokens, at):
        start = end = tokens.ends[at - 1]
        message = "the budget ends without `per chain`"
    elif tokens.kinds[at] == END and at:
        start = end = tokens.ends[at - 1]
    loc = Loc(tokens.source, start, end)
    related: tuple[tuple[Loc, str], ...] = ()
    opened = _open_bracket(tokens, first, at)
    if opened is not None and (tokens.kinds[at] == END or at == machine.hard):
        place = Loc(tokens.source, tokens.starts[opened], tokens.ends[opened])
        related = ((place, f"this `{tokens.texts[opened]}` is not closed"),)
        message = f"{found} stands inside a `{tokens.texts[opened]}` that is not closed"
        if tokens.kinds[at] == END:
            message = f"the text ends inside a `{tokens.texts[opened]}` that is not closed"
    return Diagnostic("syntax-error", message, loc, _help(tokens, at, accepted), related=related)


def _accepted(machine: Machine) -> set[str]:
    """The terminals that the machine could take here, tried one by one: a table row alone promises too much."""
    tables = machine.tables
    row = tables.actions[machine.states[-1]]
    return {tables.terminals[kind] for kind in row if _takes(machine, kind)}


def _used_clauses(machine: Machine) -> set[str]:
    """The first words of clauses that the declaration already has."""
    used: set[str] = set()
    for value in machine.values[1:]:
        if isinstance(value, int) and machine.tokens.texts[value] in ("when", "because", "mode"):
            used.add(machine.tokens.texts[value])
        elif isinstance(value, list):
            used |= {item.name.split()[0] for item in value if isinstance(item, Clause)}
    return used


def _takes(machine: Machine, kind: int) -> bool:
    tables = machine.tables
    states = list(machine.states)
    end_state = tables.starts[machine.start][1]
    while True:
        action = tables.actions[states[-1]].get(kind)
        if action is None:
            return False
        if action >= 0:
            return True
        size, left, _ = tables.rules[~action]
        if size:
            del states[-size:]
        states.append(tables.gotos[states[-1]][left])
        if kind == END and states[-1] == end_state:
            return True


def _expected(tokens: Tokens, at: int, accepted: set[str]) -> str:
    names = accepted - ({"-"} if "NUMBER" in accepted and "*" not in accepted else set())
    parts: list[str] = []
    if {"true", "NUMBER", "("} <= names:
        parts.append("an expression")
        names -= _OPERANDS
    elif {"+", "*", "and"} <= names:
        parts.append("an operator")
        names -= _OPERATORS
    if names >= DECLARATIONS:
        parts.append("a declaration such as `refuse`, `anchor` or `budget`")
        names -= DECLARATIONS | {"$END"}
    if "WORD" in names and at:
        before = tokens.texts[at - 1]
        two = tokens.texts[at - 2] if at > 1 else ""
        parts.append(_AFTER.get(before, "a kind" if two in ("kind", ",") and before == "," else "a name"))
        names -= {"WORD"}
    names -= {"UNIT"} if len(names) > 1 else set()
    classes = [text for name, text in _CLASSES.items() if name in names]
    words = sorted(f"`{name}`" for name in names if name not in _CLASSES)
    parts += classes + words or ([] if parts else ["the end"])
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _found(tokens: Tokens, at: int) -> str:
    kind, text = tokens.kinds[at], tokens.texts[at]
    shown = text if len(text) <= 40 else text[:37] + "…"
    if kind == END:
        return "the end of the text"
    if kind == STRING:
        return f"the string {shown}"
    if kind == REGEX:
        return f"the regex {shown}"
    if kind in (NUMBER, DATE):
        return f"the {'date' if kind == DATE else 'number'} {shown}"
    return f"`{shown}`"


def _leaves_line(tokens: Tokens, at: int) -> bool:
    """Whether the token stands on another line than the one before it."""
    return tokens.kinds[at] == END or "\n" in tokens.source.text[tokens.ends[at - 1] : tokens.starts[at]]


def _open_bracket(tokens: Tokens, first: int, at: int) -> int | None:
    """The innermost bracket that is open before token ``at``."""
    stack: list[int] = []
    for token in range(first, at):
        text = tokens.texts[token]
        if text in ("{", "(", "["):
            stack.append(token)
        elif text in ("}", ")", "]") and stack:
            stack.pop()
    return stack[-1] if stack else None


def _help(tokens: Tokens, at: int, accepted: set[str]) -> str | None:
    kind, text = tokens.kinds[at], tokens.texts[at]
    before = tokens.texts[at - 1] if at else ""
    if accepted == {"per"}:
        return "write `per chain`"
    if accepted == {"REGEX"} and kind == STRING:
        return f"write the pattern between slashes: `/{text[1:-1].replace('/', chr(92) + '/')}/`"
    if at > 1 and tokens.texts[at - 2] == "anchor":
        if before == "when":
            return "an anchor with a condition has a name: `anchor NAME when …`"
        near = nearest(before.lower(), ("kind", "detect"))
        if accepted == {"when"} and near is not None:
            return f"did you mean `anchor {near}`?"
    if text == "=" and "==" in accepted:
        return "write `==` to compare"
    if text == "/" and accepted == {"REGEX"}:
        return "a regex ends with `/` on the same line; a slash in it is `\\/`"
    if kind == STRING and accepted == {"DATE"}:
        return "a date takes no quotes"
    if kind == NUMBER and accepted == {"DATE"}:
        return "a date is year-month-day with two digits each for month and day"
    if kind == DATE:
        return "a date stands only after `until`; put spaces around a minus sign"
    if text == "not" and before == "is":
        return "write `is unknown`"
    if text == "." and tokens.kinds[at + 1] == NUMBER and "NUMBER" in accepted:
        return f"write `0.{tokens.texts[at + 1]}`"
    if text == "not" and {"true", "("} <= accepted:
        return "put `not …` in parentheses here"
    if _is_word(tokens, at):
        words = {name for name in accepted if name.isalpha() and name.islower()}
        near = nearest(text, words) if words else None
        if near is not None and near != text:
            return f"did you mean `{near}`?"
    if at > 1 and tokens.kinds[at - 2] == NUMBER and _is_word(tokens, at - 1) and {"WORD", "NUMBER"} <= accepted:
        return f"after a number only `epochs` or `queries` may stand, so `{before}` was read as a setting"
    return None


def _is_word(tokens: Tokens, at: int) -> bool:
    kind = tokens.kinds[at]
    return kind in (WORD, UNIT) or tokens.texts[at].isalpha()
