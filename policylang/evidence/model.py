"""What extraction finds in a text: assertions and the regions that do not count (SPEC §4), as frozen data."""

from __future__ import annotations

from dataclasses import dataclass

EXTRACTOR_VERSION = "2"
"""Part of every cache key and, later, of every card: raise it when extraction changes what it finds."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One machine-parseable fact inside a span.

    Attributes:
        entity: What the fact is about (record ids around a leaf, a row's first cell, a named subject), or None.
        key: Normalised key: words split, lower case, singular, joined by `_`.
        value: Normalised value as text, such that two spellings of one value are equal where they can be
            (`v1.2` and `1.2`, hex in lower case, numbers without separators); compare with `values.same`.
        type: One of `vocabulary.ASSERTION_TYPES`.
        start: Offset of the first character of the value, in code points of the original text.
        end: Offset past the value's last character.
        raw: The value as written.
        polarity: False where a negation stands between key and value; ``value`` is still the one written.
        per_call: True for keys that belong to the call itself (exit code, HTTP status, duration, pid, run totals).
        key_start: Offset of the first character of the key, or of the value where the key is implied.
    """

    entity: str | None
    key: str
    value: str
    type: str
    start: int
    end: int
    raw: str
    polarity: bool = True
    per_call: bool = False
    key_start: int = 0


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything found in one text.

    Attributes:
        assertions: The material assertions that are kept (at most 64), by position.
        truncated: True if there were more than are kept.
        bulk: True if the span is bulk as a whole (no non-blank line lies outside bulk regions, or a reading call).
        regions: Half-open ranges of the original text that are bulk, sorted, not overlapping.
    """

    assertions: tuple[Assertion, ...]
    truncated: bool
    bulk: bool
    regions: tuple[tuple[int, int], ...]


EMPTY = Extraction((), False, False, ())
