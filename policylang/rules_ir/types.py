"""Types of the language and the fields of its records (SPEC §3): one table that check, docs and evaluators share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Type:
    """A type: a name, or `list` with the type of its elements."""

    name: str
    element: Type | None = None

    def __str__(self) -> str:
        return f"list of {self.element}" if self.element is not None else self.name


BOOL: Final = Type("bool")
INT: Final = Type("int")
NUMBER: Final = Type("number")
TEXT: Final = Type("text")
KIND: Final = Type("kind")
CLASS: Final = Type("class")
REPRESENTATION: Final = Type("representation")
SOURCE: Final = Type("source")
ASSERTION_TYPE: Final = Type("assertion type")
STATUS: Final = Type("status")
SPAN: Final = Type("span")
CHAIN: Final = Type("chain")
ASSERTION: Final = Type("assertion")
INDEX: Final = Type("index")
SCORING: Final = Type("scoring")
MONITOR: Final = Type("monitor")
META: Final = Type("meta")
INTEGRITY: Final = Type("integrity")

ENUM_TYPES: Final = (KIND, CLASS, REPRESENTATION, SOURCE, ASSERTION_TYPE, STATUS)
"""Types whose literals are bare words. At run time every one of their values is a `str`."""


def list_of(element: Type) -> Type:
    """The type of a list."""
    return Type("list", element)


SPANS: Final = list_of(SPAN)
TEXTS: Final = list_of(TEXT)


@dataclass(frozen=True, slots=True)
class FieldType:
    """Type of a field, whether its value can be unknown, and whether only built-in rules may read it."""

    type: Type
    maybe_unknown: bool = False
    internal: bool = False


FIELDS: Final[dict[Type, dict[str, FieldType]]] = {
    SPAN: {
        "id": FieldType(TEXT),
        "kind": FieldType(KIND),
        "class": FieldType(CLASS),
        "text": FieldType(TEXT),
        "epoch": FieldType(INT),
        "age": FieldType(INT),
        "chain": FieldType(CHAIN),
        "tokens": FieldType(INT),
        "loss": FieldType(NUMBER, maybe_unknown=True),
        "anchor": FieldType(BOOL),
        "anchor_by": FieldType(TEXTS),
        "assertions": FieldType(list_of(ASSERTION)),
        "assertions_truncated": FieldType(BOOL),
        "bulk": FieldType(BOOL),
        "representation": FieldType(REPRESENTATION, maybe_unknown=True),
        "indexed": FieldType(BOOL, maybe_unknown=True),
        "verified": FieldType(BOOL, maybe_unknown=True),
        "tool": FieldType(TEXT, maybe_unknown=True),
        "tool_call_id": FieldType(TEXT, maybe_unknown=True),
        "position": FieldType(INT),
        "meta": FieldType(META),
        "pair_split": FieldType(BOOL, internal=True),
        "call_open": FieldType(BOOL, internal=True),
        "kept_verbatim": FieldType(BOOL, internal=True),
    },
    ASSERTION: {
        "entity": FieldType(TEXT, maybe_unknown=True),
        "key": FieldType(TEXT),
        "value": FieldType(TEXT),
        "type": FieldType(ASSERTION_TYPE),
        "status": FieldType(STATUS, maybe_unknown=True),
    },
    CHAIN: {
        "id": FieldType(TEXT),
        "spans": FieldType(SPANS),
        "evicted": FieldType(SPANS),
        "anchors": FieldType(SPANS),
        "evicted_anchors": FieldType(SPANS),
        "epsilon": FieldType(NUMBER, maybe_unknown=True),
    },
    INDEX: {
        "source": FieldType(SOURCE, maybe_unknown=True),
        "rebuilt": FieldType(NUMBER, maybe_unknown=True),
        "epochs_since_rebuild": FieldType(NUMBER, maybe_unknown=True),
        "size": FieldType(INT, maybe_unknown=True),
        "coverage": FieldType(NUMBER, maybe_unknown=True),
    },
    SCORING: {
        "terms": FieldType(TEXTS, maybe_unknown=True),
        "structural": FieldType(BOOL, maybe_unknown=True),
        "structural_weight": FieldType(NUMBER, maybe_unknown=True),
        "anchor_auc": FieldType(NUMBER, maybe_unknown=True),
    },
    MONITOR: {
        "enabled": FieldType(BOOL, maybe_unknown=True),
        "queries": FieldType(INT, maybe_unknown=True),
        "divergence": FieldType(NUMBER, maybe_unknown=True),
        "probe_divergence": FieldType(NUMBER, maybe_unknown=True, internal=True),
    },
    INTEGRITY: {
        "unsupported_claims": FieldType(INT, internal=True),
        "unaccounted": FieldType(INT, internal=True),
        "gain": FieldType(NUMBER, maybe_unknown=True, internal=True),
        "claims": FieldType(TEXTS, internal=True),
        "lost": FieldType(TEXTS, internal=True),
    },
}
"""Fields by record type. `index.rebuilt` is the epoch number, or minus infinity for `never`; an infinite
`epochs_since_rebuild` goes with it. ``internal`` fields carry the built-in integrity rules and have no spelling."""

GLOBALS: Final[dict[str, Type]] = {
    "epoch": INT,
    "evicted": SPANS,
    "retained": SPANS,
    "spans": SPANS,
    "anchors": SPANS,
    "chains": list_of(CHAIN),
    "index": INDEX,
    "scoring": SCORING,
    "monitor": MONITOR,
}
"""Names in scope everywhere, always known. `integrity` (type INTEGRITY) is one more, for built-in rules only."""
