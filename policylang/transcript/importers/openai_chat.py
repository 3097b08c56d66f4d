"""Chat messages in OpenAI's layout: `tool_calls` with JSON text as arguments, and `tool` messages that answer them.

Taken as a list of messages, as ``{"messages": […]}``, as a litellm log (``messages`` and the ``response`` to them), and
as JSON Lines of single messages or of whole conversations. Calls written as text for models without tools
(``<function=NAME><parameter=KEY>…``) and their results in user messages (``EXECUTION RESULT of [NAME]:``) are read as
calls and results. Of several conversations in one file, the second and later have their number in all their ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from policylang.transcript.importers._build import Builder, block_text, flat, split_reminders, stamp
from policylang.transcript.importers._shape import is_lines, outline
from policylang.transcript.jsonstream import Record, read_document, read_lines
from policylang.transcript.session import Issues
from policylang.transcript.span import Span

ID: Final = "openai-chat"
TITLE: Final = "Chat messages in OpenAI's layout, also as litellm logs them"

_CALLS: Final = frozenset(("tool_calls", "function_call", "tool_call_id"))
_BLOCK = re.compile(rb'"type"\s*:\s*"(?:tool_use|tool_result)"')
_FUNCTION = re.compile(r"<function=([\w.:-]+)>(.*?)(?:</function>|\Z)", re.S)
_PARAMETER = re.compile(r"<parameter=([\w.:-]+)>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.S)
_RESULT = re.compile(r"\s*EXECUTION RESULT of \[([^\]\n]+)\]:[ ]?\n?")
_THOUGHTS: Final = ("reasoning_content", "reasoning", "thinking")


def detect(head: bytes, name: str) -> float:
    """How likely it is this format, from 0 to 1: roles, and calls or `messages` in this layout."""
    seen = outline(head, name)
    inside = [item for line in seen.objects() if isinstance(line.get("messages"), list) for item in line["messages"]]
    candidates = [*seen.objects(), *seen.of("", "messages"), *(item for item in inside if isinstance(item, Mapping))]
    messages = [item for item in candidates if "role" in item and ("content" in item or "tool_calls" in item)]
    if not messages or _BLOCK.search(head):
        return 0.0
    own = any(_CALLS & set(item) or item["role"] in ("tool", "function", "developer") for item in messages)
    return 0.85 if own or b"<function=" in head else 0.5


def read(stream: BinaryIO, name: str, issues: Issues) -> Iterator[Span]:
    """The spans of the conversations, in the order of the file."""
    builder = Builder(issues)
    talk = _Talk(builder, 0)
    if is_lines(stream, name):
        for record in read_lines(stream, name, issues):
            if isinstance(record.value, Mapping) and "role" in record.value:
                yield from talk.message(record, record.value)
            else:
                talk = talk.next()
                yield from _conversation(talk, record)
        return
    answer: Record | None = None
    alone: dict[str, Any] = {}
    last: Record | None = None
    for record in read_document(stream, name, issues, frozenset(("messages",))):
        match record.key:
            case "" | "messages[]":
                yield from talk.message(record, record.value)
            case "response":
                answer = record
            case "role" | "content" | "tool_calls" | "tool_call_id" | "name":
                alone[record.key] = record.value
                last = record
            case _:
                builder.skipped(f"key `{record.key}`", record)
    if "role" in alone and last is not None:
        # The document is one message.
        yield from talk.message(last, alone)
    if answer is not None:
        yield from _response(talk, answer)


def _conversation(talk: _Talk, record: Record) -> Iterator[Span]:
    value = record.value
    messages = value.get("messages") if isinstance(value, Mapping) else value
    if not isinstance(messages, list):
        yield from talk.message(record, value)
        return
    for message in messages:
        yield from talk.message(record, message)
    if isinstance(value, Mapping):
        if value.get("response") is not None:
            yield from _response(talk, Record(value["response"], record.place, record.raw))
        for key in sorted(set(value) - {"messages", "response"}):
            talk.builder.skipped(f"key `{key}`", record)


def _response(talk: _Talk, record: Record) -> Iterator[Span]:
    """The last message of a log: what the model answered to the messages."""
    choices = record.value.get("choices") if isinstance(record.value, Mapping) else None
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, Mapping) and isinstance(choice.get("message"), Mapping):
            yield from talk.message(record, choice["message"])


class _Talk:
    """One conversation: numbers its messages."""

    def __init__(self, builder: Builder, number: int) -> None:
        self.builder = builder
        self._number = number
        self._index = 0
        self._unused = True

    def next(self) -> _Talk:
        """The conversation after this one; itself if nothing was said yet."""
        return self if self._unused else _Talk(self.builder, self._number + 1)

    def message(self, record: Record, message: Any) -> Iterator[Span]:
        """The spans of one message."""
        name = f"{self._number + 1}.{self._index}" if self._number else str(self._index)
        self._index += 1
        self._unused = False
        said = _Said(self.builder, record, name, f"{self._number + 1}/" if self._number else "")
        if not isinstance(message, Mapping):
            self.builder.unknown("message that is no object", record.loc)
            yield said.harness(flat(message), "unknown")
            return
        said.time = stamp(message.get("timestamp", message.get("created_at")))
        if self._number:
            said.meta["conversation"] = str(self._number + 1)
        match message.get("role"):
            case "assistant" | "model":
                yield from said.assistant(message)
            case "tool" | "function" | "ipython":
                yield said.result(message)
            case "system" | "developer":
                yield from said.plain("system", message)
            case "user":
                yield from said.user(message)
            case role:
                self.builder.unknown(f"role `{role}`", record.loc)
                yield said.harness(flat(message.get("content")), str(role))


class _Said:
    """One message on its way into spans."""

    def __init__(self, builder: Builder, record: Record, name: str, prefix: str) -> None:
        self._builder, self._record, self._name, self._prefix = builder, record, name, prefix
        self._number = 0
        self.time: str | None = None
        self.meta: dict[str, str] = {}

    def _id(self) -> str:
        span_id = self._builder.span_id(self._name, self._number, self._record.place.line)
        self._number += 1
        return span_id

    def _call_id(self, given: Any) -> str | None:
        return f"{self._prefix}{given}" if isinstance(given, str) and given else None

    def _span(self, kind: str, text: str) -> Span:
        return Span(self._id(), kind, text, 0, time=self.time, meta=self.meta)

    def harness(self, text: str, origin: str) -> Span:
        return self._builder.harness(self._id(), text, origin, time=self.time, meta=self.meta)

    def plain(self, kind: str, message: Mapping[str, Any]) -> Iterator[Span]:
        text = flat(message.get("content"))
        if text.strip():
            yield self._span(kind, text)

    def user(self, message: Mapping[str, Any]) -> Iterator[Span]:
        text = flat(message.get("content"))
        answer = _RESULT.match(text)
        if answer is not None:
            yield self._builder.result(
                self._id(), text[answer.end() :], call_id=None, tool=answer[1], time=self.time, meta=self.meta
            )
            return
        for piece, injected in split_reminders(text):
            yield self.harness(piece, "system-reminder") if injected else self._span("user_message", piece)

    def result(self, message: Mapping[str, Any]) -> Span:
        name = message.get("name")
        call_id = self._call_id(message.get("tool_call_id"))
        content = message.get("content")
        return self._builder.result(
            self._id(),
            flat(content) if content is not None else flat(message.get("error")),
            call_id=call_id,
            tool=name if isinstance(name, str) else None,
            error=bool(message.get("error")) or message.get("status") == "error" or message.get("is_error") is True,
            time=self.time,
            meta=self.meta,
        )

    def assistant(self, message: Mapping[str, Any]) -> Iterator[Span]:
        before: list[str] = []
        for span in self._thoughts(message):
            before.append(span.id)
            yield span
        calls = message.get("tool_calls")
        legacy = message.get("function_call")
        text = flat(message.get("content"))
        written = [] if calls or legacy else list(_FUNCTION.finditer(text))
        shown = text[: written[0].start()].rstrip() if written else text
        if shown.strip():
            span = self._span("assistant_message", shown)
            before.append(span.id)
            yield span
        if isinstance(message.get("refusal"), str):
            yield self._span("assistant_message", message["refusal"])
        for call in calls if isinstance(calls, list) else []:
            yield self._tool_call(call, before)
        if isinstance(legacy, Mapping):
            yield self._call(str(legacy.get("name") or "function"), _arguments(legacy.get("arguments")), None, before)
        for found in written:
            values = {key: value.strip("\n") for key, value in _PARAMETER.findall(found[2])}
            yield self._call(found[1], values or (found[2].strip() or None), None, before)
        if written and text[written[-1].end() :].strip():
            yield self._span("assistant_message", text[written[-1].end() :].strip())

    def _thoughts(self, message: Mapping[str, Any]) -> Iterator[Span]:
        for name in _THOUGHTS:
            text = flat(message.get(name)) if message.get(name) else ""
            if text.strip():
                yield self._span("reasoning", text)
                return
        blocks = message.get("thinking_blocks")
        for block in blocks if isinstance(blocks, list) else []:
            if isinstance(block, Mapping) and block.get("thinking"):
                yield self._span("reasoning", str(block["thinking"]))

    def _tool_call(self, call: Any, before: list[str]) -> Span:
        if not isinstance(call, Mapping):
            self._builder.unknown("tool call that is no object", self._record.loc)
            return self._call("tool", block_text(call), None, before)
        function = call.get("function", call.get("custom", call))
        function = function if isinstance(function, Mapping) else {"name": function}
        arguments = function.get("arguments", function.get("input", call.get("arguments")))
        return self._call(
            str(function.get("name") or "tool"), _arguments(arguments), self._call_id(call.get("id")), before
        )

    def _call(self, tool: str, arguments: Any, call_id: str | None, before: list[str]) -> Span:
        span_id = self._id()
        known, text = self._builder.call(tool, arguments, call_id, span_id)
        return Span(
            span_id,
            "tool_call",
            text,
            0,
            parents=tuple(before),
            tool=tool,
            tool_call_id=known,
            batch=f"{self._prefix}{self._name}",
            time=self.time,
            meta=self.meta,
        )


def _arguments(value: Any) -> Any:
    """Arguments as an object where their JSON text is one, else as they are written."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return read if isinstance(read, dict) else value
