"""Lays text out within a width: groups that go on one line if they fit, and comments that never get lost.

A document is a tree of `Text`, `Line`, `Hard`, `Comments`, `Concat`, `Indent` and `Group`. A group is written flat if
it fits, else every `Line` directly in it becomes a line end. White space is only written when the next text comes, so
that comments can stand in any gap: a trailing comment ends its line, any other has a line of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, assert_never

WIDTH: Final = 100
"""Columns that a line may have, comments behind it not counted."""

STEP: Final = 2
_OPENERS: Final = ("{", "(", "[")


@dataclass(frozen=True, slots=True)
class Lead:
    """The comments in the gap before a token.

    Attributes:
        trailing: The comment behind the token before, on its line, or None.
        own: Comments on lines of their own, each with whether a blank line stands before it.
        blank: Whether a blank line stands right before the token.
    """

    trailing: str | None = None
    own: tuple[tuple[bool, str], ...] = ()
    blank: bool = False

    @property
    def comments(self) -> bool:
        return self.trailing is not None or bool(self.own)


class Text(NamedTuple):
    text: str
    broken: bool = False


class Line(NamedTuple):
    """A line end, or ``flat`` where its group fits on the line."""

    flat: str = " "
    broken: bool = False


class Hard(NamedTuple):
    """A line end in any case."""

    broken: bool = True


class Comments(NamedTuple):
    """The comments of a gap; without any, at most a blank line."""

    lead: Lead
    broken: bool


class Concat(NamedTuple):
    parts: tuple[Doc, ...]
    broken: bool


class Indent(NamedTuple):
    part: Doc
    broken: bool


class Group(NamedTuple):
    part: Doc
    broken: bool


Doc = Text | Line | Hard | Comments | Concat | Indent | Group

SPACE: Final = Text(" ")
LINE: Final = Line()
SOFT: Final = Line("")
HARD: Final = Hard()


def concat(parts: Iterable[Doc]) -> Doc:
    """The parts one after the other."""
    found = tuple(parts)
    return found[0] if len(found) == 1 else Concat(found, any(part.broken for part in found))


def indent(*parts: Doc) -> Doc:
    """The parts, their lines one step further in."""
    part = concat(parts)
    return Indent(part, part.broken)


def group(*parts: Doc, broken: bool = False) -> Doc:
    """The parts on one line if they fit and ``broken`` is not set."""
    part = concat(parts)
    return Group(part, broken or part.broken)


def comments(lead: Lead) -> Doc:
    return Comments(lead, lead.comments)


def render(doc: Doc, width: int = WIDTH) -> str:
    """The text, its lines without trailing white space; it ends with a line end unless it is empty."""
    page = _Page()
    stack: list[tuple[int, bool, Doc]] = [(0, False, doc)]
    while stack:
        level, flat, top = stack.pop()
        match top:
            case Text(text):
                page.text(text)
            case Concat(parts):
                stack.extend([(level, flat, part) for part in parts[::-1]])
            case Line(space):
                if flat:
                    page.space(space)
                else:
                    page.newline(level)
            case Hard():
                page.newline(level)
            case Comments(lead):
                page.comments(lead, level)
            case Indent(part):
                stack.append((level + STEP, flat, part))
            case Group(part, broken):
                one_line = flat or (not broken and _fits(part, width - page.column(), stack))
                stack.append((level, one_line, part))
            case _:
                assert_never(top)
    return page.finish()


def _fits(doc: Doc, room: int, rest: list[tuple[int, bool, Doc]]) -> bool:
    """Whether ``doc`` written flat, and what follows up to the next possible line end, takes at most ``room``."""
    todo: list[tuple[bool, Doc]] = [(True, doc)]
    below = len(rest)
    while room >= 0:
        if not todo:
            if not below:
                return True
            below -= 1
            _, flat, part = rest[below]
            todo.append((flat, part))
            continue
        flat, top = todo.pop()
        match top:
            case Text(text):
                room -= len(text)
            case Line(space):
                if not flat:
                    return True
                room -= len(space)
            case Hard():
                return True
            case Comments(lead):
                if lead.comments:
                    return True
            case Concat(parts):
                todo.extend([(flat, part) for part in parts[::-1]])
            case Indent(part):
                todo.append((flat, part))
            case Group(part, broken):
                todo.append((flat and not broken, part))
            case _:
                assert_never(top)
    return False


class _Page:
    """Lines written so far, and the white space that the next text will need."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str | None]] = []
        self.line = ""
        self.gap = ""
        self.newline_at: int | None = None
        self.blank = False
        self.trailing: str | None = None
        self.after_opener = True

    def column(self) -> int:
        return self.newline_at if self.newline_at is not None else len(self.line) + len(self.gap)

    def text(self, text: str) -> None:
        if text == " ":
            self.space(text)
            return
        self._flush()
        self.line += text
        self.after_opener = text in _OPENERS

    def space(self, space: str) -> None:
        if self.newline_at is None:
            self.gap += space

    def newline(self, level: int) -> None:
        self.newline_at = level

    def comments(self, lead: Lead, level: int) -> None:
        level = self.newline_at if self.newline_at is not None else level
        if lead.trailing is not None:
            self.trailing = lead.trailing
            self.newline_at = level
        for blank, text in lead.own:
            self.newline_at = level
            self.blank = blank or self.blank
            self._flush()
            self.line += text
            self.after_opener = False
            self.newline_at = level
        self.blank = (lead.blank or self.blank) and self.newline_at is not None

    def _flush(self) -> None:
        if self.newline_at is None:
            self.line += self.gap
        else:
            self._end_line()
            self.line = " " * self.newline_at
        self.gap = ""
        self.newline_at = None

    def _end_line(self) -> None:
        if self.line or self.lines:
            self.lines.append((self.line.rstrip(), self.trailing))
            if self.blank and not self.after_opener:
                self.lines.append(("", None))
        self.blank = False
        self.trailing = None
        self.line = ""

    def finish(self) -> str:
        self.blank = False
        self._end_line()
        return "".join(f"{line}\n" for line in _aligned(self.lines))


def _inset(line: str) -> int:
    """White space before the line; a line that opens a bracket has an inset of its own."""
    return -1 if line.endswith(_OPENERS) else len(line) - len(line.lstrip())


def _aligned(lines: list[tuple[str, str | None]]) -> list[str]:
    """Lines with their trailing comments; those of neighbouring lines with one inset start in one column."""
    out: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end][1] is not None and _inset(lines[end][0]) == _inset(lines[at][0]):
            end += 1
        widest = max((len(code) for code, _ in lines[at:end]), default=0)
        for code, comment in lines[at:end]:
            pad = widest if widest <= WIDTH else len(code)
            out.append(f"{code:<{pad}}  {comment}")
        if end == at:
            out.append(lines[at][0])
            end += 1
        at = end
    return out
