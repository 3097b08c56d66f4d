"""Messages of the Anthropic API: content blocks with `tool_use` and `tool_result`.

Taken as a list of messages, as ``{"messages": […]}`` with `system` (a request or a log of one), as one message a line,
in Cline's wrapper (message ids, epoch milliseconds, `file` blocks), and in the ``{"loglines": […]}`` wrapper of
exported web sessions. A `file` block is a `tool_result` of the tool `harness` (origin `file`): the runtime read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final

from policylang.transcript.importers._blocks import Envelope, Messages
from policylang.transcript.importers._build import Builder, block_text, flat, stamp
from policylang.transcript.importers._shape import is_lines, outline
from policylang.transcript.jsonstream import Record, read_document, read_lines
from policylang.transcript.session import Issues
from policylang.transcript.span import Span

ID: Final = "anthropic-messages"
TITLE: Final = "Messages of the Anthropic API, also as Cline and exported web sessions wrap them"

_BLOCK = re.compile(rb'"type"\s*:\s*"(?:tool_use|tool_result|thinking)"')
_FOREIGN = frozenset(("tool_calls", "function_call", "tool_call_id", "parts"))
_SYSTEM = frozenset(("system", "system_prompt"))


def detect(head: bytes, name: str) -> float:
    """How likely it is this format, from 0 to 1: roles, and content blocks of this API."""
    seen = outline(head, name)
    if any("message" in item for item in seen.of("loglines")):
        return 0.95
    messages = [item for item in [*seen.objects(), *seen.of("", "messages")] if "role" in item and "content" in item]
    if not messages or any(_FOREIGN & set(item) or item["role"] == "tool" for item in messages):
        return 0.0
    return 0.9 if _BLOCK.search(head) else 0.4


def read(stream: BinaryIO, name: str, issues: Issues) -> Iterator[Span]:
    """The spans of a conversation, in its order."""
    builder = Builder(issues)
    messages = Messages(builder)
    if is_lines(stream, name):
        records: Iterator[Record] = read_lines(stream, name, issues)
    else:
        records = read_document(stream, name, issues, frozenset(("messages", "loglines")))
    index = 0
    for record in records:
        if record.key in ("", "messages[]", "loglines[]"):
            yield from _message(messages, builder, record, index)
            index += 1
        elif record.key in _SYSTEM and record.value:
            yield from messages.spans("system", _joined(record.value), Envelope(record, record.key))
        elif record.key == "content" and isinstance(record.value, list):
            yield from messages.spans("assistant", record.value, Envelope(record, "response"))
        else:
            builder.skipped(f"key `{record.key}`", record)


def _joined(system: object) -> str:
    return "\n".join(block_text(item) for item in system) if isinstance(system, list) else flat(system)


def _message(messages: Messages, builder: Builder, record: Record, index: int) -> Iterator[Span]:
    outer = record.value
    if not isinstance(outer, Mapping):
        builder.unknown("message that is no object", record.loc)
        yield from messages.spans("user", flat(outer), Envelope(record, str(index), injected="unknown"))
        return
    inner = outer.get("message")
    message = inner if isinstance(inner, Mapping) else outer
    given = outer.get("id", message.get("id"))
    name = given if isinstance(given, str) and given else str(index)
    envelope = Envelope(
        record,
        name,
        stamp(outer.get("timestamp", outer.get("ts"))),
        name,
        summary=bool(outer.get("isCompactSummary")),
        injected="meta" if outer.get("isMeta") else None,
    )
    role = message.get("role", outer.get("type"))
    if "content" not in message:
        builder.skipped(f"message `{role}` without content", record)
        return
    yield from messages.spans(str(role), message["content"], envelope)
