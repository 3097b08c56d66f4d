"""Builds the parse tables with Lark, strictly: a grammar with any conflict does not build.

Building takes longer than everything else that a small `policylang` command does, so the tables ship as
``tables.json``, marked with the digest of the grammar they came from. ``python -m policylang.frontend.dsl.generate``
writes that file again after a change of ``grammar.lark``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from lark import Lark
from lark.lexer import Lexer, LexerState, Token
from lark.parsers.lalr_analysis import Shift

GRAMMAR: Final = Path(__file__).with_name("grammar.lark")
TABLES: Final = Path(__file__).with_name("tables.json")
STARTS: Final = ("policy", "expression", "let_head", "each_head", "quantity")
_DECLARED: Final = ("WORD", "UNIT", "NUMBER", "STRING", "REGEX", "DATE", "$END")


class _TablesOnly(Lexer):
    """Stands in for Lark's lexers: tokens come from `lexer.py`, which reads any Unicode word and keeps comments."""

    def __init__(self, conf: object) -> None:
        self.conf = conf

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:
        raise NotImplementedError("Lark only builds the tables")


def digest(grammar: str) -> str:
    """What ties a table to its grammar."""
    return hashlib.sha256(grammar.encode()).hexdigest()


def build(grammar: str) -> dict[str, Any]:
    """The tables of a grammar, the same for the same grammar (Lark's own state numbers change from run to run).

    Shape: ``terminals`` [spelling or name, "keyword" | "mark" | "class"];
    ``rules`` [left side, size, method or null]; ``starts`` name ->
    [first state, state after the whole]; ``actions`` a row per state, terminal number -> state to shift to, or
    ``-1 - rule`` to reduce; ``gotos`` a row per state, left side -> state.
    """
    lark = Lark(grammar, parser="lalr", lexer=_TablesOnly, strict=True, start=list(STARTS), maybe_placeholders=False)
    table = lark.parser.parser._parse_table
    spelling = {terminal.name: terminal.pattern.value for terminal in lark.terminals}
    keywords = sorted((text, name) for name, text in spelling.items() if text.isalpha())
    marks = sorted((text, name) for name, text in spelling.items() if not text.isalpha())
    named = [name for _, name in keywords + marks] + list(_DECLARED)
    number = {name: at for at, name in enumerate(named)}
    order = _state_order(table, spelling)
    rules = sorted({_rule(arg) for row in table.states.values() for action, arg in row.values() if action is not Shift})
    rule_number = {rule: at for at, rule in enumerate(rules)}
    actions: list[dict[int, int]] = []
    gotos: list[dict[str, int]] = []
    for state in order:
        row = table.states[state]
        shifts = {name: order[arg] for name, (action, arg) in row.items() if action is Shift}
        reduces = {name: -1 - rule_number[_rule(arg)] for name, (action, arg) in row.items() if action is not Shift}
        both = {number[name]: to for name, to in {**shifts, **reduces}.items() if name in number}
        actions.append(dict(sorted(both.items())))
        gotos.append({name: shifts[name] for name in sorted(shifts) if name not in number})
    return {
        "grammar": digest(grammar),
        "terminals": [[spelling.get(name, name), kind] for name, kind in _kinds(keywords, marks)],
        "rules": [[left, len(right), method or None] for left, right, method in rules],
        "starts": {name: [order[table.start_states[name]], order[table.end_states[name]]] for name in STARTS},
        "actions": actions,
        "gotos": gotos,
    }


def _rule(rule: Any) -> tuple[str, tuple[str, ...], str]:
    return (rule.origin.name, tuple(symbol.name for symbol in rule.expansion), rule.alias or "")


def _state_order(table: Any, spelling: dict[str, str]) -> dict[int, int]:
    """Lark's state -> ours, numbered as a walk from the starts meets them, by the spelling of symbols."""
    order: dict[int, int] = {}
    queue = [table.start_states[name] for name in STARTS]
    while queue:
        state = queue.pop(0)
        if state in order:
            continue
        order[state] = len(order)
        row = table.states[state]
        named = sorted(row.items(), key=lambda item: (item[0] in spelling, spelling.get(item[0], item[0])))
        queue.extend(arg for _, (action, arg) in named if action is Shift)
    return order


def _kinds(keywords: list[tuple[str, str]], marks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    named = [(name, "keyword") for _, name in keywords] + [(name, "mark") for _, name in marks]
    return named + [(name, "class") for name in _DECLARED]


def render(tables: dict[str, Any]) -> str:
    """The text of ``tables.json``."""
    return json.dumps(tables, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    TABLES.write_text(render(build(GRAMMAR.read_text("utf-8"))), "utf-8")
