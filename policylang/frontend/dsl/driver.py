"""Runs the parse tables over tokens: one flat loop, so that no nesting can exhaust the interpreter's stack.

Lark builds the tables; this loop runs them, because a policy's keywords are soft (a word is a keyword only where the
state takes one), because recovery starts over at a declaration, and because a load of a thousand rules has 300 ms.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, Final

from policylang.frontend.dsl.depth import DECLARATION_LIMIT
from policylang.frontend.dsl.lexer import END, OPEN, RESERVED, UNIT, WORD, Tokens
from policylang.frontend.dsl.tables import STACK_LIMIT, Tables

DONE: Final = "done"
STUCK: Final = "stuck"
TOO_DEEP: Final = "too deep"
TOO_LONG: Final = "too long"


@dataclass(slots=True)
class Machine:
    """A parse that can stop and go on: three parallel stacks and the number of the next token.

    A value is a token number for a terminal, else what the builder made. ``begins`` holds the file offset where each
    entry starts. ``base`` is how many entries stand below a declaration. ``hard`` is a token that must start a
    declaration, whatever the state would make of it, or -1.
    """

    tables: Tables
    tokens: Tokens
    builder: Any
    start: str
    states: list[int]
    values: list[Any]
    begins: list[int]
    base: int = 0
    at: int = 0
    hard: int = -1

    def run(self) -> str:
        """Parses until the whole is done, or stops before the token ``at`` that cannot be taken."""
        actions, gotos = self.tables.actions, self.tables.gotos
        keywords = self.tables.keywords
        end_state = self.tables.starts[self.start][1]
        states, values, begins = self.states, self.values, self.begins
        kinds, starts = self.tokens.kinds, self.tokens.starts
        rules = [(size, left, getattr(self.builder, name) if name else None) for size, left, name in self.tables.rules]
        at = self.at
        limit = self.first() + DECLARATION_LIMIT
        state = states[-1]
        while True:
            kind = kinds[at]
            action = actions[state].get(kind)
            if action is None and (0 <= kind < keywords or kind == UNIT) and at != self.hard:
                if kind in RESERVED and OPEN in actions[state]:
                    self.at = at
                    return STUCK
                kind = WORD
                action = actions[state].get(kind)
            while action is not None and action < 0:
                size, left, make = rules[~action]
                if make is None:
                    del states[-1]
                elif size:
                    values[-size:] = (make(values[-size:], begins[-size], at),)
                    del states[-size:]
                    if size > 1:
                        del begins[1 - size :]
                else:
                    values.append(make(values, starts[at], at))
                    begins.append(starts[at])
                state = gotos[states[-1]][left]
                states.append(state)
                if kind == END and state == end_state:
                    self.at = at
                    return DONE
                action = actions[state].get(kind)
            if action is None:
                self.at = at
                return STUCK
            if len(states) > STACK_LIMIT or at > limit:
                self.at = at
                limit = self.first() + DECLARATION_LIMIT
                if len(states) > STACK_LIMIT or at > limit:
                    return TOO_DEEP if at <= limit else TOO_LONG
            state = action
            states.append(state)
            values.append(at)
            begins.append(starts[at])
            at += 1

    def first(self) -> int:
        """The number of the first token of the declaration that the machine is in."""
        if len(self.begins) <= self.base:
            return self.at
        return bisect_left(self.tokens.starts, self.begins[self.base])
