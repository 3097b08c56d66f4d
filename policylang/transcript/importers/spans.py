"""policylang's own format: one span a line, as a request spells it. `policylang import` writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final

from policylang.diagnostics import Diagnostic, did_you_mean
from policylang.transcript.jsonstream import Record, read_lines
from policylang.transcript.session import Issues, Transcript
from policylang.transcript.span import Span

ID: Final = "spans"
TITLE: Final = "policylang's own: one span a line"

_HEAD = re.compile(rb'\s*\{\s*"(?:id|span_id)"\s*:\s*"[^"\n]*"\s*,\s*"kind"\s*:')
_TEXT: Final = ("disposition", "chain", "tool", "tool_call_id", "batch", "time")
_NUMBERS: Final = ("tokens", "loss", "score")
_LISTS: Final = ("parents", "represented_by")
_FIELDS: Final = frozenset(("id", "kind", "text", "epoch", "interim", "meta", *_TEXT, *_NUMBERS, *_LISTS))


def detect(head: bytes, name: str) -> float:
    """How likely it is this format, from 0 to 1: an id, then a kind."""
    del name
    return 1.0 if _HEAD.match(head.removeprefix(b"\xef\xbb\xbf")) else 0.0


def read(stream: BinaryIO, name: str, issues: Issues) -> Iterator[Span]:
    """The spans, in the order of the file."""
    for record in read_lines(stream, name, issues):
        span = span_of(record, issues)
        if span is not None:
            yield span


def read_spans_jsonl(stream: BinaryIO, name: str = "-", lenient: bool = False) -> Transcript:
    """Spans written by `write_spans_jsonl`, lazily.

    Raises:
        RequestError: while iterating, at the first line that is no span, unless ``lenient``.
    """
    issues = Issues(lenient)
    return Transcript(name, ID, read(stream, name, issues), issues, None)


def write_spans_jsonl(spans: Iterable[Span]) -> Iterator[str]:
    """The lines of the format, each with its line end."""
    for span in spans:
        yield json.dumps(span.to_json(), ensure_ascii=False) + "\n"


def span_of(record: Record, issues: Issues) -> Span | None:
    """One record as a span, or None where it is none and the issues are lenient."""
    wrong = _wrong(record.value)
    if wrong is not None:
        message, help_ = wrong
        issues.malformed(Diagnostic("invalid-request", message, record.loc(), help_))
        return None
    value = record.value
    given = {name: value[name] for name in (*_TEXT, *_NUMBERS) if value.get(name) is not None}
    return Span(
        value["id"],
        value["kind"],
        value["text"],
        value["epoch"],
        parents=tuple(value.get("parents") or ()),
        represented_by=tuple(value.get("represented_by") or ()),
        interim=value.get("interim") is True,
        meta=value.get("meta") or {},
        **given,
    )


def _wrong(value: Any) -> tuple[str, str | None] | None:
    """What is wrong with a span's JSON, and a line of help."""
    if not isinstance(value, Mapping):
        return "a span is an object", None
    for name in value:
        if name not in _FIELDS:
            return f"a span has no field `{name}`", did_you_mean(name, _FIELDS)
    for name in ("id", "kind", "text"):
        if not isinstance(value.get(name), str) or (name != "text" and not value[name]):
            return f"a span needs a text `{name}`", None
    if not _is_number(value.get("epoch"), whole=True):
        return "a span needs an `epoch`, a whole number from 0", None
    for name in _TEXT:
        if not isinstance(value.get(name), (str, type(None))):
            return f"`{name}` is text", None
    for name in _NUMBERS:
        if value.get(name) is not None and not _is_number(value[name], whole=name == "tokens", signed=name == "score"):
            return f"`{name}` is a number from 0", None
    for name in _LISTS:
        items = value.get(name)
        if items is not None and not (isinstance(items, list) and all(isinstance(item, str) for item in items)):
            return f"`{name}` is a list of span ids", None
    meta = value.get("meta")
    if meta is not None and not (isinstance(meta, dict) and all(isinstance(item, str) for item in meta.values())):
        return "`meta` holds text by key", None
    if not isinstance(value.get("interim"), (bool, type(None))):
        return "`interim` is true or false", None
    return None


def _is_number(value: Any, *, whole: bool = False, signed: bool = False) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return False
    return signed or bool(value >= 0)
