"""The shape of a request: which fields there are and what each may hold. Findings carry the path of the value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from policylang.diagnostics import did_you_mean
from policylang.transcript.jsontext import Path
from policylang.transcript.span import Span
from policylang.transcript.vocabulary import DISPOSITIONS, SOURCES

Problem = tuple[Path, str, str | None]
"""Where, what and, if there is one, what to do about it."""

UNKNOWN_FIELD: Final = "unknown field"


_MAX_BITS = 256
"""Integers stay exact far beyond 2^53, and small enough to be summed, divided and written."""


class _ShapeError(Exception):
    def __init__(self, message: str, help_: str | None = None, path: Path = ()) -> None:
        super().__init__(message)
        self.problem: Problem = (path, message, help_)


Reader = Callable[[Any], Any]


def _kind_of(value: Any) -> str:
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "text", type(None): "null"}
    if isinstance(value, Mapping):
        return "an object"
    return names.get(type(value), "a list" if isinstance(value, (list, tuple)) else type(value).__name__)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _ShapeError(f"found {_kind_of(value)}, expected text")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _ShapeError("the text holds a lone surrogate") from None
    return value


def _name(value: Any) -> str:
    if not _text(value):
        raise _ShapeError("found empty text, expected a name")
    return str(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _ShapeError(f"found {_kind_of(value)}, expected an integer")
    if value.bit_length() > _MAX_BITS:
        raise _ShapeError("the number is too large")
    if value < 0:
        raise _ShapeError(f"found {value}, expected an integer of 0 or more")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _ShapeError(f"found {_kind_of(value)}, expected a number")
    try:
        number = float(value)
    except OverflowError:
        raise _ShapeError("the number is too large") from None
    if not math.isfinite(number):
        raise _ShapeError("expected a finite number")
    return number + 0.0  # -0.0 is 0


def _share(value: Any) -> float:
    number = _number(value)
    if not 0.0 <= number <= 1.0:
        raise _ShapeError(f"found {value}, expected a number in [0, 1]")
    return number


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _ShapeError(f"found {_kind_of(value)}, expected true or false")
    return value


def _word(words: tuple[str, ...]) -> Reader:
    def read(value: Any) -> str:
        if _text(value) not in words:
            raise _ShapeError(f"unknown word `{value}`", did_you_mean(value, words))
        return str(value)

    return read


def _rebuilt(value: Any) -> int | str:
    if isinstance(value, str):
        if value != "never":
            raise _ShapeError(f'found "{value}", expected an epoch number or "never"')
        return value
    return _count(value)


def _list_of(read: Reader) -> Reader:
    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise _ShapeError(f"found {_kind_of(value)}, expected a list")
        return tuple(_at(number, read, item) for number, item in enumerate(value))

    return read_all


def _map_of(read: Reader, *, skip_null: bool = False) -> Reader:
    def read_all(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _ShapeError(f"found {_kind_of(value)}, expected an object")
        kept = {key: item for key, item in value.items() if not (skip_null and item is None)}
        return {_name(key): _at(key, read, item) for key, item in kept.items()}

    return read_all


def _at(step: str | int, read: Reader, value: Any) -> Any:
    try:
        return read(value)
    except _ShapeError as error:
        path, message, help_ = error.problem
        raise _ShapeError(message, help_, (step, *path)) from None


SPAN_FIELDS: dict[str, Reader] = {
    "id": _name,
    "kind": _name,
    "text": _text,
    "epoch": _count,
    "disposition": _word(DISPOSITIONS),
    "chain": _name,
    "parents": _list_of(_name),
    "tokens": _count,
    "loss": _share,
    "represented_by": _list_of(_name),
    "score": _number,
    "tool": _name,
    "tool_call_id": _name,
    "batch": _name,
    "interim": _flag,
    "time": _text,
    "meta": _map_of(_text),
}
_REQUIRED: dict[str, Any] = {"id": "", "kind": "", "text": "", "epoch": 0, "disposition": None}
"""The fields that a span must have, each with what stands for it while the rest of a bad request is judged."""
_NULLABLE = frozenset(SPAN_FIELDS) - set(_REQUIRED)

INDEX_FIELDS: dict[str, Reader] = {
    "source": _word(SOURCES),
    "rebuilt": _rebuilt,
    "covers": lambda value: frozenset(_list_of(_name)(value)),
    "verified": _map_of(_flag, skip_null=True),
    "size": _count,
    "coverage": _share,
}
MONITOR_FIELDS: dict[str, Reader] = {"enabled": _flag, "queries": _count, "divergence": _share}
SCORING_FIELDS: dict[str, Reader] = {"terms": _map_of(_number)}
TOP_FIELDS = ("epoch", "spans", "index", "generation", "transcript", "scoring", "monitor")
DOCUMENT_FIELDS = ("eviction_set", "rehydration_index_epoch", "current_epoch")
_TWINS = (("spans", "eviction_set"), ("epoch", "current_epoch"))


def read_request(value: Any) -> tuple[dict[str, Any], list[Problem]]:
    """The parts of a request by name, and what is wrong with its shape; both forms of SPEC §5 are read.

    Of a bad request the parts are those that can be read, so that the caller can go on judging.
    """
    if not isinstance(value, Mapping):
        return {}, [((), f"found {_kind_of(value)}, expected an object", None)]
    problems: list[Problem] = []
    parts: dict[str, Any] = {}
    known = {*TOP_FIELDS, *DOCUMENT_FIELDS, "schema"}
    problems.extend(
        ((str(key),), UNKNOWN_FIELD, did_you_mean(str(key), TOP_FIELDS)) for key in value if key not in known
    )
    for name, twin in _TWINS:
        if name in value and twin in value:
            problems.append(((twin,), f"`{name}` and `{twin}` are two names of one thing", "leave one"))
    if value.get("schema", "policylang.request/v1") != "policylang.request/v1":
        problems.append((("schema",), "unknown schema", "known: policylang.request/v1"))
    epoch_key = "current_epoch" if "current_epoch" in value else "epoch"
    if epoch_key not in value:
        problems.append(((), "the field `epoch` is missing", None))
    else:
        _collect(problems, parts, "epoch", (epoch_key,), _count, value[epoch_key])
    _read_spans(value, parts, problems)
    _read_evidence(value, parts, problems)
    return parts, problems


def _collect(problems: list[Problem], into: dict[str, Any], name: str, path: Path, read: Reader, value: Any) -> None:
    try:
        into[name] = read(value)
    except _ShapeError as error:
        inner, message, help_ = error.problem
        problems.append(((*path, *inner), message, help_))


def _read_spans(value: Mapping[str, Any], parts: dict[str, Any], problems: list[Problem]) -> None:
    key = "eviction_set" if "eviction_set" in value else "spans"
    items = value.get(key)
    if not isinstance(items, (list, tuple)):
        message = f"found {_kind_of(items)}, expected a list" if key in value else "the field `spans` is missing"
        problems.append(((key,) if key in value else (), message, None))
        return
    parts["spans"] = tuple(
        [
            _read_span(item, (key, number), problems, all_evicted=key == "eviction_set")
            for number, item in enumerate(items)
        ]
    )


def _read_span(item: Any, path: Path, problems: list[Problem], *, all_evicted: bool) -> Span:
    """The span; where something is wrong with it, as much of it as can be read: an id of "" is one that cannot."""
    if isinstance(item, Span):
        item = item.to_json()
    if not isinstance(item, Mapping):
        problems.append((path, f"found {_kind_of(item)}, expected an object", None))
        return Span("", "", "", 0)
    fields: dict[str, Any] = {}
    given = dict(item)
    if "span_id" in given:
        if "id" in given:
            problems.append(((*path, "span_id"), "`id` and `span_id` are two names of one thing", "leave one"))
        given["id"] = given.pop("span_id")
    if all_evicted and given.setdefault("disposition", "evict") != "evict":
        problems.append(((*path, "disposition"), "every span of `eviction_set` is evicted", "use `spans`"))
    for key, part in given.items():
        reader = SPAN_FIELDS.get(key)
        if reader is None:
            problems.append(((*path, str(key)), UNKNOWN_FIELD, did_you_mean(str(key), SPAN_FIELDS)))
        elif part is not None or key not in _NULLABLE:
            spelled = "span_id" if key == "id" and "span_id" in item else key
            _collect(problems, fields, key, (*path, spelled), reader, part)
    hints = {"disposition": 'say "evict" or "retain"'}
    problems.extend((path, f"the field `{key}` is missing", hints.get(key)) for key in _REQUIRED if key not in given)
    head = [fields.pop(key, unread) for key, unread in _REQUIRED.items() if key != "disposition"]
    return Span(*head, **fields)


def _read_evidence(value: Mapping[str, Any], parts: dict[str, Any], problems: list[Problem]) -> None:
    index = _read_group(value, "index", INDEX_FIELDS, problems)
    if "rehydration_index_epoch" in value:
        path: Path = ("rehydration_index_epoch",)
        if "rebuilt" in index:
            problems.append((path, "`index.rebuilt` and `rehydration_index_epoch` are two names of one thing", None))
        elif value["rehydration_index_epoch"] is not None:
            _collect(problems, index, "rebuilt", path, _rebuilt, value["rehydration_index_epoch"])
    parts["index"] = index
    parts["monitor"] = _read_group(value, "monitor", MONITOR_FIELDS, problems)
    parts.update(_read_group(value, "scoring", SCORING_FIELDS, problems))
    for name, read in (("generation", _count), ("transcript", _list_of(_name))):
        if value.get(name) is not None:
            _collect(problems, parts, name, (name,), read, value[name])


def _read_group(
    value: Mapping[str, Any], name: str, fields: Mapping[str, Reader], problems: list[Problem]
) -> dict[str, Any]:
    group = value.get(name)
    out: dict[str, Any] = {}
    if group is None:
        return out
    if not isinstance(group, Mapping):
        problems.append(((name,), f"found {_kind_of(group)}, expected an object", None))
        return out
    for key, part in group.items():
        if key not in fields:
            problems.append(((name, str(key)), UNKNOWN_FIELD, did_you_mean(str(key), fields)))
        elif part is not None:
            _collect(problems, out, key, (name, key), fields[key], part)
    return out
