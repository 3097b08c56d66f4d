"""From text to syntax, with every error of the text in one run, in source order.

A declaration is read softly first: newlines mean nothing. Only if it does not parse is it read again up to the next
line that looks like the start of a declaration, so that an unclosed brace does not swallow what follows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from policylang.diagnostics import Diagnostic, PolicyError, in_source_order
from policylang.frontend.dsl.build import Builder
from policylang.frontend.dsl.depth import DECLARATION_LIMIT, too_deep, too_long
from policylang.frontend.dsl.driver import DONE, TOO_DEEP, TOO_LONG, Machine
from policylang.frontend.dsl.errors import DECLARATIONS, unexpected
from policylang.frontend.dsl.lexer import END, Offsets, Tokens, tokenize
from policylang.frontend.dsl.tables import tables
from policylang.source import Loc, Source
from policylang.syntax.ast import Expr, ForEach, Ident, NumberLit, PolicyFile

MAX_ERRORS: Final = 100
"""After so many syntax errors the rest of a file is not read."""

_GOES_ON: Final = frozenset(
    {
    ".", ",", ")", "]", "}", "=", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "and", "or", "not",
    "in", "is", "matches", "then", "else", "because", "when", "where", "mode", "for",
    }
)  # fmt: skip
"""What follows a name in an expression or ends a clause; a line that goes on so starts no declaration."""


def read_source(path: str | Path | bytes, name: str | None = None) -> Source:
    """A policy's text from a file or from bytes.

    Args:
        path: Where to read, or the bytes themselves.
        name: How diagnostics name it; the path as given by default.

    Raises:
        PolicyError: `bad-encoding`, at the line of the first byte that is not UTF-8.
        OSError: The file cannot be read.
    """
    raw = path if isinstance(path, bytes) else Path(path).read_bytes()
    shown = name if name is not None else "<bytes>" if isinstance(path, bytes) else str(path)
    try:
        return Source(shown, raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        source = Source(shown, raw.decode("utf-8", "replace"))
        loc = Loc(source, len(before), len(before) + 1)
        message = f"byte {raw[error.start]:#04x} at offset {error.start} is not UTF-8"
        raise PolicyError([Diagnostic("bad-encoding", message, loc, "save the file as UTF-8")]) from error


def parse(source: Source) -> tuple[PolicyFile, tuple[Diagnostic, ...]]:
    """The declarations that parse, and everything that is wrong with the text, in source order."""
    tokens = tokenize(source)
    reader = _Reader(tokens)
    reader.read()
    file = PolicyFile(tuple(reader.machine.values[0]), loc=Loc(source, 0, len(source.text)))
    return file, in_source_order((*tokens.problems, *reader.problems, *reader.builder.problems))


def parse_expression(
    source: Source, start: int = 0, end: int | None = None, *, text: str | None = None, offsets: Offsets | None = None
) -> tuple[Expr | None, tuple[Diagnostic, ...]]:
    """One expression: a slice of the source, or the text of a scalar whose characters lie at ``offsets``.

    Args:
        source: The file that places refer to.
        start: First code point of the slice.
        end: Code point after it; the end of the text by default.
        text: A scalar's text after its escapes were read; the slice is not looked at then.
        offsets: From an index into ``text`` (its length included) to the code point in the file.
    """
    return _parse_piece("expression", source, start, end, text, offsets)


def parse_let_head(
    source: Source, start: int = 0, end: int | None = None, *, text: str | None = None, offsets: Offsets | None = None
) -> tuple[tuple[Ident, tuple[Ident, ...]] | None, tuple[Diagnostic, ...]]:
    """`severed(s)`, as `parse_expression` takes its text: the name and the parameters."""
    return _parse_piece("let_head", source, start, end, text, offsets)


def parse_each(
    source: Source, start: int = 0, end: int | None = None, *, text: str | None = None, offsets: Offsets | None = None
) -> tuple[ForEach | None, tuple[Diagnostic, ...]]:
    """`span in evicted`, as `parse_expression` takes its text."""
    return _parse_piece("each_head", source, start, end, text, offsets)


def parse_quantity(
    source: Source, start: int = 0, end: int | None = None, *, text: str | None = None, offsets: Offsets | None = None
) -> tuple[tuple[tuple[Ident | NumberLit, ...], Ident | None] | None, tuple[Diagnostic, ...]]:
    """`2 epochs`, `8%`, `key, question`, as `parse_expression` takes its text: the values and the unit of a setting."""
    return _parse_piece("quantity", source, start, end, text, offsets)


def _parse_piece(
    symbol: str, source: Source, start: int, end: int | None, text: str | None, offsets: Offsets | None
) -> tuple[Any, tuple[Diagnostic, ...]]:
    if text is None:
        text = source.text[start:end]
        offsets = start.__add__
    tokens = tokenize(source, text, offsets)
    builder = Builder(tokens)
    machine = Machine(tables(), tokens, builder, symbol, [tables().starts[symbol][0]], [], [])
    outcome = machine.run()
    problems = [*tokens.problems, *builder.problems]
    if outcome == DONE and not builder.failed:
        value = machine.values[-1]
        if symbol == "expression":
            builder.root(value, -1, machine.at)
        return (None if builder.failed else value), in_source_order((*tokens.problems, *builder.problems))
    if outcome in (TOO_DEEP, TOO_LONG):
        problems.append(_beyond(outcome, machine))
    elif outcome != DONE and not tokens.problems:
        problems.append(unexpected(machine, 0))
    return None, in_source_order(problems)


class _Reader:
    """Reads a file declaration by declaration, and starts over at the next one after an error."""

    def __init__(self, tokens: Tokens) -> None:
        table = tables()
        first = table.starts["policy"][0]
        self.tokens = tokens
        self.builder = Builder(tokens)
        states = [first, table.gotos[first]["declarations"]]
        self.machine = Machine(table, tokens, self.builder, "policy", states, [[]], [0], base=1)
        self.problems: list[Diagnostic] = []
        self._line_starts: list[int] | None = None

    def read(self) -> None:
        machine = self.machine
        while True:
            outcome = machine.run()
            if outcome == DONE:
                return
            if len(self.problems) >= MAX_ERRORS:
                loc = _place(self.tokens, machine.at)
                self.problems.append(Diagnostic("syntax-error", f"more than {MAX_ERRORS} errors; stopped here", loc))
                return
            first = machine.first()
            if outcome in (TOO_DEEP, TOO_LONG):
                self.problems.append(_beyond(outcome, machine))
                self._restart(self._next_start(first, machine.at))
                continue
            following = self._next_start(first, first)
            if following < machine.at:
                self._restart(first)
                machine.hard = following
                machine.run()
            machine.hard = following
            self._report(first)
            machine.hard = -1
            self._restart(following if following > first else self._next_start(first, machine.at))

    def _restart(self, at: int) -> None:
        machine = self.machine
        del machine.states[2:], machine.values[1:], machine.begins[1:]
        machine.at = at
        self.builder.failed = False

    def _report(self, first: int) -> None:
        """The error, unless a finding about a single token of the same declaration already explains it."""
        tokens, at = self.tokens, self.machine.at
        begin, end = tokens.starts[first], tokens.ends[at]
        if not any(item.loc is not None and begin <= item.loc.start < end for item in tokens.problems):
            self.problems.append(unexpected(self.machine, first))

    def _next_start(self, first: int, after: int) -> int:
        """The next token after ``after`` that starts a declaration: first on its line, no further in than ``first``."""
        column = self._column(first)
        kinds, texts = self.tokens.kinds, self.tokens.texts
        for at in range(after + 1, len(kinds)):
            if kinds[at] == END:
                return at
            if texts[at] in DECLARATIONS and self._opens(at) and self._column(at) <= column:
                return at
        return len(kinds) - 1

    def _opens(self, at: int) -> bool:
        """Whether the token is first on its line and what follows could go on as a declaration."""
        tokens = self.tokens
        line = tokens.text.rfind("\n", 0, tokens.starts[at]) + 1
        if tokens.text[line : tokens.starts[at]].strip(" \t\r\f\ufeff"):
            return False
        return tokens.texts[at + 1] not in _GOES_ON

    def _column(self, at: int) -> int:
        start = self.tokens.starts[at]
        return start - (self.tokens.text.rfind("\n", 0, start) + 1)


def _beyond(outcome: str, machine: Machine) -> Diagnostic:
    loc = _place(machine.tokens, machine.at)
    return too_deep(loc) if outcome == TOO_DEEP else too_long(loc, "declaration", DECLARATION_LIMIT)


def _place(tokens: Tokens, at: int) -> Loc:
    return Loc(tokens.source, tokens.starts[at], tokens.ends[at])
