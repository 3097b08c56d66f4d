"""What ids and declared names look like (SPEC §3), for both spellings: kebab-case ids, lower-case words, ASCII."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from policylang.diagnostics import Diagnostic
from policylang.source import Loc
from policylang.syntax.ast import Ident

_CONTROLS: Final = {
    "\0": "NULL",
    "\r": "CARRIAGE RETURN",
    "\x0b": "LINE TABULATION",
    "\x0c": "FORM FEED",
    "\x85": "NEXT LINE",
}
_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_POLICY_ID: Final = re.compile(r"[a-z0-9]+(?:[-/.][a-z0-9]+)*\Z")
_WORD: Final = re.compile(r"[a-z][a-z0-9_]*\Z")

RESERVED_WORDS: Final = frozenset(
    {
    "true", "false", "not", "and", "or", "in", "is", "matches", "if", "then", "else", "any", "all", "sum",
    "min", "max",
    }
)  # fmt: skip
"""Words that cannot name a thing: an expression reads them as what they are."""

BIDI: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that change the order in which a reader sees a line."""


def code_point(char: str) -> str:
    """`U+0430 CYRILLIC SMALL LETTER A`."""
    return f"U+{ord(char):04X} {unicodedata.name(char, _CONTROLS.get(char, 'unnamed'))}"


def confusable(name: str, loc: Loc) -> Diagnostic | None:
    """The finding for a word or id that holds anything but ASCII, or None."""
    foreign = next((char for char in name if not char.isascii()), None)
    if foreign is None:
        return None
    plain = "".join(_LOOKALIKE.get(char, char) for char in unicodedata.normalize("NFKC", name))
    advice = f"did you mean `{plain}`?" if plain.isascii() else "names are ASCII: letters, digits and `_` (`-` in ids)"
    return Diagnostic(
        "confusable-identifier",
        f"`{name}` holds {code_point(foreign)}",
        loc,
        advice,
        args=(("name", name), ("code_point", f"U+{ord(foreign):04X}")),
    )


def check_id(ident: Ident) -> Diagnostic | None:
    """The finding for an id of a rule, exempt or relax that is not kebab-case, or None."""
    return _check(ident, _ID, "an id is kebab-case: lower-case letters and digits, joined by `-`")


def check_policy_id(ident: Ident) -> Diagnostic | None:
    """The finding for the id of a policy or parent, or None: kebab-case parts, joined by `/` or `.`."""
    advice = "a policy's id is kebab-case parts, joined by `/`, such as `acme/incident-response`"
    return _check(ident, _POLICY_ID, advice)


def check_word(ident: Ident) -> Diagnostic | None:
    """The finding for a declared name that is not a lower-case identifier, or None."""
    return _check(ident, _WORD, "a name is a lower-case letter, then lower-case letters, digits and `_`")


def _check(ident: Ident, pattern: re.Pattern[str], advice: str) -> Diagnostic | None:
    if pattern is _WORD and ident.name in RESERVED_WORDS:
        return Diagnostic("syntax-error", f"`{ident.name}` is a word of the language", ident.loc, "take another name")
    if pattern.match(ident.name):
        return None
    return confusable(ident.name, ident.loc) or Diagnostic(
        "syntax-error", f"`{ident.name}` cannot be a name here", ident.loc, advice, args=(("name", ident.name),)
    )


_LOOKALIKE: Final = {
    **dict(zip("аӏԁеһіјќӄоԛрѕсԝхуѵɡαινορτυκϲ", "alðehijkkoqpscwxyvgaivoptukc".replace("ð", "d"), strict=True)),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\u0300\u0301\u0302\u0303\u0308\u030a", ""),
}
"""Letters of other scripts that look like one ASCII letter, and characters that show nothing; for the help line."""
