"""Whether two values of a type can deny each other: units, rounding, and how exact a time is (SPEC §4)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

_UNIT: Final = re.compile(r"([$€£¥])|[0-9]\s?([A-Za-zµμ°%][A-Za-z/]*)$")
_ROUNDED: Final = Decimal("0.08")
"""Rounding between units: 1 GB may be 1024 MiB or 1000."""
_MEASURED: Final = frozenset({"size", "duration"})
_PLAIN: Final = frozenset({"number", "count"})
_WIDE: Final = 24
_THOUSANDS: Final = re.compile(
    r"(?<![\w.,])[$€£¥]?[0-9]{1,3}(?:(?:[,'’_\u00a0\u2009\u202f][0-9]{3})+|(?: 000)+)(?![\w.]?[0-9])"
)
_FORMATS: Final = (
    "%Y-%m-%dT%H:%M:%S%z",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M%z",
    "%Y-%m-%dT%H:%M",
    "%a %b %d %H:%M:%S %Y %z",
    "%a %b %d %H:%M:%S %Y",
    "%b %d %H:%M:%S %Y",
    "%a, %d %b %Y %H:%M:%S %z",
    "%a, %d %b %Y %H:%M:%S GMT",
    "%d/%b/%Y:%H:%M:%S %z",
    "%d/%b/%Y %H:%M:%S",
)
_DAYS: Final = ("%Y-%m-%d", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y")
_FRACTION: Final = re.compile(r"(?<=:[0-9]{2})[.,][0-9]+")
_ZONE: Final = re.compile(r"\s?(?:Z|UTC)$")


def comparable(kind: str, first: tuple[str, str], second: tuple[str, str]) -> bool:
    """True if two different values of a type deny each other.

    Args:
        kind: The type.
        first: One value, as written and in normal form.
        second: The other.
    """
    if kind in _MEASURED:
        return _unit(first[0]) == _unit(second[0]) or not _near(first[1], second[1])
    if kind in _PLAIN:
        # "$121" and "17" are a price and a number of seats.
        return _unit(first[0]) == _unit(second[0])
    if kind == "timestamp":
        one, two = moment(first[1]), moment(second[1])
        if one is None or two is None:
            return (one is None) == (two is None) and first[1].count(":") == second[1].count(":")
        return one[1] == two[1] or one[0].date() != two[0].date()
    return True


def whole(text: str, start: int, end: int) -> str | None:
    """The number that a token is a part of, without separators: 1000 for the "1" of "1 000"; None where it is whole.

    A plain space separates thousands only before zeros: "200 512" is a status and a size.
    """
    if not text[start:end].lstrip("$€£¥+-").isdigit():
        return None
    left = max(0, start - _WIDE)
    for match in _THOUSANDS.finditer(text, left, end + _WIDE):
        first, last = match.start(), match.end()
        if first <= start < last and (first < start or end < last):
            return "".join(char for char in match.group() if char.isdigit())
    return None


def _unit(raw: str) -> str:
    found = _UNIT.search(raw.strip("\"'`*"))
    unit = (found[1] or found[2] or "") if found is not None else ""
    # "50" may be short for "50%".
    return "" if unit == "%" else unit.lower().rstrip("s")


def _near(first: str, second: str) -> bool:
    try:
        one, two = Decimal(first), Decimal(second)
    except InvalidOperation:
        return False
    return abs(one - two) <= _ROUNDED * max(abs(one), abs(two))


@lru_cache(maxsize=16_384)
def moment(value: str) -> tuple[datetime, bool] | None:
    """A written time and whether it has a clock; without a zone it is taken as UTC. None for other texts."""
    plain = _ZONE.sub("+0000", _FRACTION.sub("", " ".join(value.split())))
    if plain[:4].isdigit() and plain[10:11] == " ":
        plain = plain[:10] + "T" + plain[11:]
    plain = plain.replace(" +", "+", 1).replace(" -", "-", 1) if "T" in plain[10:11] else plain
    for formats, clock in ((_FORMATS, True), (_DAYS, False)):
        for form in formats:
            try:
                found = datetime.strptime(plain, form)
            except ValueError:
                continue
            if found.tzinfo is None:
                return found.replace(tzinfo=UTC), clock
            return found.astimezone(UTC), clock
    return None
