"""Where a printer's tokens come from: made from the syntax alone, or taken one by one from a text that is laid out.

The printer asks for each token in the order of the text. `Fresh` writes what is asked for. `Script` hands out the
lexemes of a text with their comments; it checks each, so that formatting cannot change a token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from policylang.source import Loc
from policylang.syntax.layout import Comments, Doc, Lead, Text, comments, concat

T = TypeVar("T")


class LayoutError(RuntimeError):
    """A bug of the printer: the text at hand is not the one that the syntax was read from."""


class Supply(Protocol):
    """What the printer needs to know of its tokens."""

    def take(self, text: str, *, exact: bool = True) -> Doc:
        """The next token: ``text`` if exact, else the token as the text has it."""

    def lead(self, *, closing: bool = False) -> Doc:
        """The comments before the next token, apart from it; ``closing`` drops a blank line before the token."""

    def parentheses(self, loc: Loc, needed: bool) -> int:
        """How many parentheses stand around the node that is next."""

    def doc(self, doc: str | None) -> Doc | None:
        """A doc comment, where comments are not supplied with the tokens."""

    def ordered(self, items: Iterable[T], place: Callable[[T], int]) -> list[T]:
        """Clauses in the order to print them."""

    def blank(self, wanted: bool) -> Doc:
        """A blank line before the next declaration, if it is to have one."""

    def opened(self) -> bool | None:
        """Whether a line end follows the bracket that was just taken; None leaves the choice to the printer."""


class Fresh:
    """Tokens from the syntax alone; ``docs`` says whether doc comments are written, too."""

    def __init__(self, *, docs: bool) -> None:
        self.docs = docs

    def take(self, text: str, *, exact: bool = True) -> Doc:
        return Text(text)

    def lead(self, *, closing: bool = False) -> Doc:
        return _NOTHING

    def parentheses(self, loc: Loc, needed: bool) -> int:
        return int(needed)

    def doc(self, doc: str | None) -> Doc | None:
        if doc is None or not self.docs:
            return None
        return comments(Lead(own=tuple((False, f"## {line}".rstrip()) for line in doc.split("\n"))))

    def ordered(self, items: Iterable[T], place: Callable[[T], int]) -> list[T]:
        return list(items)

    def blank(self, wanted: bool) -> Doc:
        return comments(Lead(blank=wanted))

    def opened(self) -> bool | None:
        return None


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A token of a text with the comments before it; ``newline`` if a line end stands in that gap."""

    text: str
    start: int
    lead: Lead
    newline: bool


class Script:
    """The lexemes of a text, the last one empty for its end."""

    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self.lexemes = lexemes
        self.at = 0
        self.lead_taken = False

    def take(self, text: str, *, exact: bool = True) -> Doc:
        lexeme = self.lexemes[self.at]
        if exact and lexeme.text != text:
            raise LayoutError(f"expected `{text}` at offset {lexeme.start}, not `{lexeme.text}`")
        lead = Lead(lexeme.lead.trailing, lexeme.lead.own)
        taken = self.lead_taken
        self.at += 1
        self.lead_taken = False
        return Text(lexeme.text) if taken or not lead.comments else concat((comments(lead), Text(lexeme.text)))

    def lead(self, *, closing: bool = False) -> Doc:
        if self.lead_taken:
            return _NOTHING
        self.lead_taken = True
        lead = self.lexemes[self.at].lead
        return comments(Lead(lead.trailing, lead.own) if closing else lead)

    def parentheses(self, loc: Loc, needed: bool) -> int:
        count = 0
        while self.lexemes[self.at + count].text == "(" and self.lexemes[self.at + count].start < loc.start:
            count += 1
        return count

    def doc(self, doc: str | None) -> Doc | None:
        return None

    def ordered(self, items: Iterable[T], place: Callable[[T], int]) -> list[T]:
        return sorted(items, key=place)

    def blank(self, wanted: bool) -> Doc:
        return _NOTHING

    def opened(self) -> bool | None:
        return self.lexemes[self.at].newline


_NOTHING = Comments(Lead(), False)
