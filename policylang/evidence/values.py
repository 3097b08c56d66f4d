"""Typed values: what a token is under a key, its normal form, and when two of them are one value (SPEC §4).

All patterns are matched against whole, short tokens, with possessive quantifiers: none can backtrack.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from policylang.evidence import keys
from policylang.evidence.lexicon import (
    CHECKSUM_WORDS,
    CLOCK_WORDS,
    COUNT_WORDS,
    ENUM_WORDS,
    FALSE_WORDS,
    ID_WORDS,
    MEASURES,
    MEMORY_WORDS,
    NOT_IDS,
    OPPOSITES,
    PRODUCTS,
    SIZES,
    STATE_WORDS,
    TRUE_WORDS,
    UNITS,
    VERDICTS,
    VERSIONED,
)

MAX_VALUE: Final = 512
"""A longer token is free text, whatever its shape."""

_QUOTES: Final = "\"'`*“”‘’"
_HEX = re.compile(r"[0-9a-fA-F]++")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_DIGEST = re.compile(r"(?:sha(?:1|224|256|384|512)|md5|blake[23]b?)[:-]([0-9a-fA-F]{8,128})", re.I)
_SRI = re.compile(r"sha(?:256|384|512)-[A-Za-z0-9+/]{40,90}={0,2}")
_ARN = re.compile(r"arn:[a-z-]++:[a-z0-9-]++:[a-z0-9-]*+:[0-9]*+:\S++")
_TICKET = re.compile(r"[A-Z][A-Z0-9]{1,9}-[0-9]++|#[0-9]++")
_IDENT = re.compile(r"[A-Za-z0-9]++(?:[-_:.@/][A-Za-z0-9]++)*+")
_PIECES = re.compile(r"[A-Za-z]++|[0-9]++")
_VERSION = re.compile(r"[vV]?([0-9]++(?:\.[0-9]++)*+(?:\.x)?(?:[-+._]?[0-9A-Za-z]++)*+)")
_DOTTED = re.compile(r"[vV]?[0-9]++(?:\.[0-9]++){2,}+(?:[-+][0-9A-Za-z.+-]++|(?:a|b|rc|dev|post|\.dev|\.post)[0-9]++)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:[,_'’][0-9]{3})*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_PERCENT = re.compile(r"([+-]?[0-9]++(?:\.[0-9]++)?) ?%")
_MONEY = re.compile(r"(-?)[$€£] ?([0-9]++(?:,[0-9]{3})*+(?:\.[0-9]++)?)")
_IPV4 = re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?:/[0-9]{1,2})?")
_IPV6 = re.compile(r"(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*+://[^\s\"'<>`]++")
_TIME = r"[0-2]?[0-9]:[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]++)?)?(?: ?[AaPp][Mm]\b)?"
_DATE = re.compile(
    rf"[0-9]{{4}}-[01][0-9]-[0-3][0-9](?:[T ]{_TIME}(?: ?(?:Z|UTC(?:[+-][0-9:]{2, 5})?|[+-][0-2][0-9]:?[0-5][0-9]))?)?"
)
_CLOCK = re.compile(_TIME)
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_ZONE = r"(?: (?:GMT|UTC|Z|[A-Z]{3,4}|[+-][0-9]{4}))?"
WRITTEN_DATE = (
    rf"(?:{_DAY},? )?(?:[0-9]{{1,2}}[ -]{_MONTH}[ -][0-9]{{4}}(?:,? {_TIME}{_ZONE})?"
    rf"|{_MONTH} {{1,2}}[0-9]{{1,2}},? (?:{_TIME}{_ZONE} )?[0-9]{{4}}(?:,? {_TIME})?{_ZONE}"
    rf"|[0-9]{{4}}-[01][0-9]-[0-3][0-9] {_TIME}{_ZONE})"
    rf"|[0-9]{{4}}/[01][0-9]/[0-3][0-9](?: {_TIME})?|[0-9]{{1,2}}/{_MONTH}/[0-9]{{4}}[: ]{_TIME}(?: [+-][0-9]{{4}})?"
)
"""Dates as people and HTTP write them: `Tue, 01 Dec 2026 10:00:00 GMT`, `Dec 1, 2026`, `Tue Dec  1 10:00:00 2026`."""
_WRITTEN = re.compile(WRITTEN_DATE)
_NAMED_VERSION = re.compile(r"[A-Za-z][A-Za-z+]*[/_-]?v?([0-9]++(?:\.[0-9]++)++(?:[-+][0-9A-Za-z.]++|[a-z]++[0-9]*+)?)")
_MEASURE = re.compile(r"([+-]?[0-9]++(?:,[0-9]{3})*+(?:\.[0-9]++)?)([A-Za-zµ°]{1,4}(?:/[a-z]{1,4})?|[A-Za-z]{1,3}/s)")
_SHORT_SIZE = re.compile(r"([0-9]++(?:\.[0-9]++)?)([KMGT])i?")
_PATH = re.compile(
    r"(?:~|\.{1,2})?/[^\s\"'<>|*?`]*+|[A-Za-z]:[\\/][^\s\"'<>|*?`]*+|[\w.@+-]++(?:[/\\][\w.@+()\[\]-]++)+/?"
)
_FILE = re.compile(r"[\w@+-]*+(?:\.[\w@+-]++)*?\.[A-Za-z][A-Za-z0-9]{0,7}")
_QUANTITY = re.compile(r"([0-9]++(?:,[0-9]{3})*+(?:\.[0-9]++)?) ?([A-Za-zµμ]++)")
_COMPOUND = re.compile(r"(?:([0-9]{1,5})h ?)?(?:([0-9]{1,5})m(?:in)? ?)?(?:([0-9]{1,5}(?:\.[0-9]{1,9})?)s)?")
_WORDS = re.compile(r"[A-Za-z](?:[A-Za-z0-9_/.+-]*[A-Za-z0-9+])?")

_EMPTY: Final = frozenset({"none", "null", "nil", "unknown", "undefined", "n/a"})
_NUMERIC: Final = frozenset({"number", "count", "version", "exit_code", "http_status", "port", "migration"})
_NAMES: Final = frozenset({"id", "checksum", "migration"})
_WORDY: Final = frozenset({"boolean", "state", "enum"})
_PLACES: Final = frozenset({"path", "write"})


def opposite(word: str) -> frozenset[str]:
    """The state words that deny this one (`applied`: failed, reverted …); empty where none is known."""
    return OPPOSITES.get(word.lower(), frozenset())


def same_type(first: str, second: str) -> bool:
    """True if values of the two types can be compared at all, so that one may contradict the other."""
    return first == second or any(
        first in family and second in family for family in (_NUMERIC, _NAMES, _WORDY, _PLACES)
    )


def same(first_type: str, first: str, second_type: str, second: str) -> bool:
    """True if two normalised values are one value: whole token against whole token."""
    if not same_type(first_type, second_type):
        return False
    if first == second:
        return True
    if first_type in _NUMERIC and second_type in _NUMERIC:
        return _same_number(first, second)
    if first_type in _NAMES and second_type in _NAMES:
        return _same_name(first, second)
    if first_type in _WORDY:
        return _truth(first) is not None and _truth(first) == _truth(second)
    if first_type in _PLACES:
        return _suffix(first, second)
    if first_type in ("duration", "size"):
        return _same_number(first, second)
    if first_type == "url":
        return first.rstrip("/") == second.rstrip("/")
    return False


def _same_number(first: str, second: str) -> bool:
    if first.endswith("%") != second.endswith("%"):
        return False
    one, two = _decimal(first.rstrip("%")), _decimal(second.rstrip("%"))
    return one is not None and one == two


def _same_name(first: str, second: str) -> bool:
    one, two = first.lower(), second.lower()
    if min(len(one), len(two)) >= 7 and _HEX.fullmatch(one) and _HEX.fullmatch(two):
        return one.startswith(two) or two.startswith(one)
    return one == two and bool(_UUID.fullmatch(one))


def _suffix(first: str, second: str) -> bool:
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    return longer.endswith("/" + shorter)


def _truth(word: str) -> bool | None:
    return True if word in TRUE_WORDS else False if word in FALSE_WORDS else None


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def number(raw: str) -> str | None:
    """A number in normal form: no separators, no sign `+`, no leading zeros; None if the token is no number."""
    if not _NUMBER.fullmatch(raw):
        return None
    plain = raw.translate(_SEPARATORS)
    if plain.isdigit():
        return plain.lstrip("0") or "0"
    value = _decimal(plain)
    if value is None or not value.is_finite():
        return None
    return plain.lstrip("+") if abs(value.adjusted()) > 40 else format(value.normalize(), "f")


_SEPARATORS = str.maketrans("", "", ",_'’")


def strip(raw: str) -> str:
    """The token without quotes, markup and closing punctuation around it."""
    return raw.strip().strip(_QUOTES).rstrip(".,;:!").strip(_QUOTES)


@lru_cache(maxsize=32_768)
def classify(raw: str, key: str | None = None) -> tuple[str, str] | None:
    """Type and normal form of a value under a key, or None for free text.

    Args:
        raw: One token (or number and unit), with or without quotes.
        key: The key it stands under, in any spelling; decides between readings of one shape.
    """
    if len(raw) > MAX_VALUE:
        return None
    value = strip(raw)
    if not value:
        return None
    parts = keys.words(key) if key else ()
    last = parts[-1] if parts else ""
    return (
        _by_key(value, "_".join(parts), parts, last)
        or _special(value, parts)
        or _quantity(value, parts, last)
        or _numeric(value, parts, last)
        or _place(value, parts, last)
        or _identifier(value, parts, last)
        or _word(value, parts, last)
    )


def _by_key(value: str, key: str, parts: tuple[str, ...], last: str) -> tuple[str, str] | None:
    """Readings that the key alone settles."""
    if key in keys.EXIT_CODE or key.endswith("_exit_code"):
        plain = value.lstrip("-")
        return ("exit_code", value) if plain.isdigit() and len(plain) < 12 else None
    digits = value.isdigit() and value.isascii()
    if last == "version" and _VERSION.fullmatch(value) and value[0].lower() in "v0123456789":
        return "version", value.lstrip("vV")
    named = _NAMED_VERSION.fullmatch(value) if last == "version" else None
    if named is not None:
        return "version", named[1]
    if (
        digits
        and len(value) == 3
        and "100" <= value < "600"
        and last in ("status", "code")
        and (
            key
            in (
                "status",
                "status_code",
                "http_status",
                "http_code",
                "http_status_code",
                "response_status",
                "response_code",
            )
        )
    ):
        return "http_status", value
    if digits and last == "port" and len(value) <= 5 and 0 < int(value) < 65_536:
        return "port", value
    if digits and last == "migration":
        return "migration", value
    if last in CHECKSUM_WORDS and len(value) >= 8 and _HEX.fullmatch(value):
        return ("checksum", value.lower()) if last != "sha" or len(value) > 40 else ("id", value.lower())
    if last in ID_WORDS and _id_token(value, last):
        return "id", value.lower() if _HEX.fullmatch(value) and not digits else value
    if last in ENUM_WORDS and len(value) <= 40 and _WORDS.fullmatch(value) and _truth(value.lower()) is None:
        return "enum", value if last == "branch" else value.lower()
    if digits and len(value) in (10, 13) and CLOCK_WORDS.intersection(parts):
        return "timestamp", value
    return None


def _digit(value: str) -> bool:
    return any(c.isdigit() for c in value)


_NUMBERED_TOO: Final = frozenset(
    {"revision", "rev", "head", "ref", "key", "token", "commit", "serial", "lease", "parent"}
)
"""Keys of ids under which a short number is only a number: `flag_revision: 7`."""
_AT_RELEASE: Final = re.compile(r"@?[\w./-]{1,80}@v?([0-9]++(?:\.[0-9]++)++[\w.+-]*+)")


def _id_token(value: str, last: str) -> bool:
    """A token fit to be an id under a key that says so: `id` itself takes any name, `key` only one with a digit."""
    if len(value) > 128 or any(c.isspace() for c in value):
        return False
    if not all(char.isalnum() or char in "_-.:/@+=#" for char in value):
        return False
    plain = value.isascii() and value.replace("_", "").replace("-", "").isalnum()
    if last in _NUMBERED_TOO and len(value) < 7 and value.isdigit():
        return False
    return _digit(value) or (
        plain and last in ("id", "uuid", "guid") and value.lower() not in TRUE_WORDS | FALSE_WORDS | _EMPTY
    )


def _special(value: str, parts: tuple[str, ...]) -> tuple[str, str] | None:
    """Shapes that are what they are under any key."""
    if _UUID.fullmatch(value):
        return "id", value.lower()
    digest = _DIGEST.fullmatch(value)
    if digest:
        return "checksum", digest[1].lower()
    if _SRI.fullmatch(value):
        return "checksum", value
    if len(value) in (56, 64, 96, 128) and _HEX.fullmatch(value):
        return "checksum", value.lower()
    if _ULID.fullmatch(value) or _ARN.fullmatch(value):
        return "id", value
    if _URL.fullmatch(value):
        return "url", value
    release = _AT_RELEASE.fullmatch(value) if "@" in value else None
    if release is not None:
        return "version", release[1]
    if len(value) > 9 and _WRITTEN.fullmatch(value):
        return "timestamp", value if value[4:5] != "-" else value.replace(" ", "T", 1)
    if _DATE.fullmatch(value) or (_CLOCK.fullmatch(value) and not value.isdigit()):
        return "timestamp", value.replace(" ", "T", 1) if value[:4].isdigit() and "-" in value else value
    if _IPV4.fullmatch(value) and all(int(p) < 256 for p in value.split("/")[0].split(".")):
        return ("version", value) if "version" in parts else ("ip", value)
    if value.count(":") >= 2 and _IPV6.fullmatch(value) and ("::" in value or value.count(":") == 7) and _digit(value):
        return "ip", value.lower()
    return None


def _quantity(value: str, parts: tuple[str, ...], last: str) -> tuple[str, str] | None:
    """Durations in seconds, sizes in bytes, and numbers with another unit."""
    if value[-1] in "KMGTi" and not MEMORY_WORDS.isdisjoint(parts):
        short = _SHORT_SIZE.fullmatch(value)
        if short is not None:
            return "size", format((Decimal(short[1]) * 1024 ** ("KMGT".index(short[2]) + 1)).normalize(), "f")
    found = _QUANTITY.fullmatch(value)
    if not found:
        parted = _COMPOUND.fullmatch(value)
        if parted is None or not value[-1].isalpha():
            return None
        hours, minutes, seconds = (Decimal(parted[group] or 0) for group in (1, 2, 3))
        return "duration", format((hours * 3600 + minutes * 60 + seconds).normalize(), "f")
    amount, unit = _decimal(found[1].replace(",", "")), found[2]
    if amount is None:
        return None
    length = UNITS.get(unit) or UNITS.get(unit.lower() if len(unit) > 1 else "")
    size = SIZES.get(unit.lower())
    if length is not None and not (unit == "m" and last in COUNT_WORDS):
        return "duration", format((amount * Decimal(length)).normalize(), "f")
    if size is not None and (len(unit) > 1 or unit == "B"):
        return "size", format((amount * size).normalize(), "f")
    if unit.lower() in MEASURES and parts:
        plain = number(found[1])
        return ("number", plain) if plain is not None else None
    return None


def _numeric(value: str, parts: tuple[str, ...], last: str) -> tuple[str, str] | None:
    if value[0] not in "+-0123456789$€£vV":
        return None
    if _DOTTED.fullmatch(value) or (value[0] in "vV" and len(value) > 1 and _VERSION.fullmatch(value)):
        return ("version", value.lstrip("vV")) if value[1:2].isdigit() or value[0].isdigit() else None
    if (last in VERSIONED or last in PRODUCTS) and _VERSION.fullmatch(value) and "." in value:
        return "version", value
    measured = _MEASURE.fullmatch(value) if parts and (value[-1].isalpha() or "/" in value) else None
    if measured is not None and ("/" in measured[2] or "°" in measured[2]):
        plain = number(measured[1])
        return ("number", plain) if plain is not None else None
    percent, money = _PERCENT.fullmatch(value), _MONEY.fullmatch(value)
    if percent:
        return "number", f"{number(percent[1])}%"
    plain = number(money[1] + money[2] if money else value)
    if plain is None:
        return None
    counted = plain.isdigit() and (last in COUNT_WORDS or (parts and parts[0] in ("total", "num", "number", "count")))
    return ("count" if counted else "number"), plain


def _place(value: str, parts: tuple[str, ...], last: str) -> tuple[str, str] | None:
    if _PATH.fullmatch(value):
        # `and/or`, `1/2`, `n/a` are no paths: a relative one shows an extension, or its key says so.
        rooted = value[0] in "/~." or value[1:2] == ":"
        named = last in ("path", "file", "dir", "directory", "folder", "root", "rootdir", "cwd", "location")
        if (rooted and len(value) > 1) or named or ("/" in value and _FILE.fullmatch(value.rsplit("/", 1)[1])):
            return "path", value
    if last in ("path", "file", "filename", "configfile", "location") and _FILE.fullmatch(value):
        return "path", value
    return None


def _identifier(value: str, parts: tuple[str, ...], last: str) -> tuple[str, str] | None:
    if not _digit(value) or value.lower() in NOT_IDS:
        return None
    if _TICKET.fullmatch(value):
        return "id", value
    if 7 <= len(value) <= 40 and _HEX.fullmatch(value):
        return ("id", value.lower()) if any(c.isalpha() for c in value) else None
    if len(value) > 64 or not _IDENT.fullmatch(value) or any(c in "./:@" for c in value):
        return None
    pieces = _PIECES.findall(value)
    if (
        len(pieces) < 2
        or not any(p.isalpha() for p in pieces)
        or (value[0].isdigit() and len(pieces) == 2 and len(value) < 5)
    ):
        return None
    return "id", value


def _word(value: str, parts: tuple[str, ...], last: str) -> tuple[str, str] | None:
    word = value.lower()
    if word in TRUE_WORDS or word in FALSE_WORDS:
        return "boolean", "true" if word in TRUE_WORDS else "false"
    if word in STATE_WORDS or (word in VERDICTS and parts):
        return "state", word
    return None
