"""How wide a text is on a terminal, and how to show what must not reach one as it stands.

A policy or a span can hold anything, escape sequences included; no report prints them raw. Widths follow Unicode's
East Asian Width, which every terminal that matters agrees on.
"""

from __future__ import annotations

import unicodedata
from typing import Final

TAB: Final = 4
"""Columns that a tab stands for in a shown source line."""


def char_width(char: str) -> int:
    """Columns of one code point: 0 for combining marks, 2 for wide ones."""
    if " " <= char <= "~":
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def text_width(text: str) -> int:
    """Columns of a text that holds no line end and no tab."""
    return len(text) if text.isascii() else sum(map(char_width, text))


def visible_char(char: str) -> str:
    """The code point, or its escape where it would steer the terminal or could not be seen."""
    if " " <= char <= "~":
        return char
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return f"\\u{{{ord(char):x}}}"
    return char


def visible(text: str) -> str:
    """One line of text as it may be shown: line ends as `⏎`, tabs as a space, controls as escapes."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "⏎").replace("\n", "⏎").replace("\t", " ")
    return "".join(map(visible_char, text))


def shorten(text: str, columns: int) -> str:
    """The text in at most so many columns, cut with `…` where it is longer."""
    if text_width(text) <= columns:
        return text
    out, used = [], 0
    for char in text:
        used += char_width(char)
        if used > columns - 1:
            break
        out.append(char)
    return "".join(out).rstrip() + "…"


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """The text filled with spaces to so many columns; ``right`` puts the spaces before it."""
    fill = " " * (columns - text_width(text))
    return fill + text if right else text + fill


def wrap(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many columns, broken at spaces, and inside a word only where it must be."""
    lines: list[str] = []
    rest = text
    while text_width(rest) > columns:
        head = _head(rest, columns)
        cut = len(head) if rest[len(head)] == " " else head.rfind(" ")
        if cut < 0 or not head[:cut].strip(" "):
            cut = len(head)
        lines.append(rest[:cut].rstrip(" "))
        rest = rest[cut:].lstrip(" ")
    return [*lines, rest] if rest or not lines else lines


def _head(text: str, columns: int) -> str:
    used = 0
    for number, char in enumerate(text):
        used += char_width(char)
        if used > columns:
            return text[: max(number, 1)]
    return text


def counted(count: int, noun: str) -> str:
    """A count with its noun, in the singular where it is one."""
    return f"{number(count)} {noun}{'s' * (count != 1)}"


def number(value: int | None) -> str:
    """A count with thin groups of three digits, `-` where there is none."""
    return "-" if value is None else f"{value:,}".replace(",", " ")
