"""SWE-agent trajectories (``.traj``): one JSON document with `trajectory` steps, the `history` of messages, or both.

`history` is read where it is there: it holds the system prompt, the task and every observation. `trajectory` gives the
steps where there is no history, and the last observation, which early versions left out of the history. A document is
scanned twice, so memory is bounded by its largest message. Demonstrations are `system` with ``meta.demo``: they are
part of the prompt, and what they assert is true of another session. Calls and results pair by their ids where the run
used tool calls, else by position. A step's thought is `reasoning`, its action a `tool_call`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO, Final

from policylang.transcript.importers._build import Builder, flat
from policylang.transcript.importers._shape import outline
from policylang.transcript.jsonstream import Record, read_document
from policylang.transcript.session import Issues
from policylang.transcript.span import Span

ID: Final = "swe-agent"
TITLE: Final = "SWE-agent trajectory (.traj)"

_MARKS = frozenset(("agent", "message_type", "thought", "is_demo"))
_PARTS = frozenset(("history", "trajectory"))


def detect(head: bytes, name: str) -> float:
    """How likely it is this format, from 0 to 1: the document's keys, and the name's ending."""
    seen = outline(head, name)
    steps = any("action" in item and "observation" in item for item in seen.of("trajectory"))
    messages = any("role" in item and _MARKS & set(item) for item in seen.of("history"))
    if not steps and not messages:
        return 0.0
    return 0.95 if name.lower().removesuffix(".gz").endswith(".traj") else 0.7


def read(stream: BinaryIO, name: str, issues: Issues) -> Iterator[Span]:
    """The spans of a run, in its order."""
    start = stream.tell()
    # What the first scan finds odd, the second finds again and reports.
    keys = {record.key for record in read_document(stream, name, Issues(lenient=True), _PARTS)}
    stream.seek(start)
    builder = Builder(issues)
    run = _Run(builder)
    with_history = "history[]" in keys
    last: Record | None = None
    for record in read_document(stream, name, issues, _PARTS):
        if record.key == "history[]":
            yield from run.message(record)
        elif record.key == "trajectory[]" and not with_history:
            yield from run.step(record)
        elif record.key == "trajectory[]":
            last = record
        else:
            builder.skipped(f"key `{record.key or 'none'}`", record)
    if with_history and last is not None and isinstance(last.value, Mapping):
        yield from run.late(last, last.value.get("observation"))


class _Run:
    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._index = 0
        self._block = 0
        self._open: list[str] = []  # ids of the calls that wait for the next observation

    def _id(self, record: Record) -> str:
        span_id = self._builder.span_id(str(self._index), self._block, record.place.line)
        self._block += 1
        return span_id

    def _advance(self) -> None:
        self._index += 1
        self._block = 0

    def message(self, record: Record) -> Iterator[Span]:
        """The spans of one message of the history."""
        message = record.value
        if not isinstance(message, Mapping):
            self._builder.unknown("message that is no object", record.loc)
            yield self._builder.harness(self._id(record), flat(message), "unknown", time=None, meta={})
            self._advance()
            return
        text = flat(message.get("content"))
        meta = {"agent": str(message["agent"])} if message.get("agent") not in (None, "main", "primary") else {}
        match message.get("role"):
            case _ if message.get("is_demo"):
                yield Span(self._id(record), "system", text, 0, meta={**meta, "demo": "true"})
            case "system":
                yield Span(self._id(record), "system", text, 0, meta=meta)
            case "assistant":
                yield from self._act(record, message, text, meta)
            case "user" | "tool" if self._open or message.get("role") == "tool":
                yield from self._observe(record, message, text, meta)
            case "user":
                yield Span(self._id(record), "user_message", text, 0, meta=meta)
            case role:
                self._builder.unknown(f"role `{role}`", record.loc)
                yield self._builder.harness(self._id(record), text, str(role), time=None, meta=meta)
        self._advance()

    def _act(self, record: Record, message: Mapping[str, Any], text: str, meta: dict[str, str]) -> Iterator[Span]:
        self._open = []
        calls = message.get("tool_calls")
        action = message.get("action")
        thought = message.get("thought")
        said = thought if isinstance(thought, str) and (calls or action) else text
        before: list[str] = []
        if said.strip():
            span = Span(self._id(record), "reasoning" if calls or action else "assistant_message", said, 0, meta=meta)
            before.append(span.id)
            yield span
        if isinstance(calls, list) and calls:
            for call in calls:
                function = call.get("function") if isinstance(call, Mapping) else None
                function = function if isinstance(function, Mapping) else {}
                given = call.get("id") if isinstance(call, Mapping) else None
                yield self._call(
                    record, str(function.get("name") or "tool"), _object(function.get("arguments")), given, before, meta
                )
        elif isinstance(action, str) and action.strip():
            yield self._action(record, action, before, meta)

    def _action(self, record: Record, action: str, before: list[str], meta: dict[str, str]) -> Span:
        """An action as text: it is a command, and the command's first word its tool."""
        action = action.strip()
        span = self._call(record, action.split(None, 1)[0], None, None, before, meta, command=action)
        return replace(span, text=action)

    def _call(
        self,
        record: Record,
        tool: str,
        arguments: Any,
        given: Any,
        before: list[str],
        meta: dict[str, str],
        command: str | None = None,
    ) -> Span:
        span_id = self._id(record)
        # A call without an id goes by its span's, so that position can pair it.
        own = given if isinstance(given, str) and given else span_id
        known, text = self._builder.call(tool, arguments, own, span_id, command)
        self._open.append(known)
        return Span(
            span_id,
            "tool_call",
            text,
            0,
            parents=tuple(before),
            tool=tool,
            tool_call_id=known,
            batch=str(self._index),
            meta=meta,
        )

    def _observe(self, record: Record, message: Mapping[str, Any], text: str, meta: dict[str, str]) -> Iterator[Span]:
        given = message.get("tool_call_ids") or message.get("tool_call_id")
        ids = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        named = [item for item in ids if isinstance(item, str)]
        waiting = self._open or named
        if not any(self._builder.answered(item) for item in named):
            # Ids that no call has (a typing slip in a demonstration) pair by position.
            named = []
        yield from self._results(record, text, named or waiting, meta)

    def _results(self, record: Record, text: str, answered: list[str], meta: dict[str, str]) -> Iterator[Span]:
        """One observation; where it answers several calls, the first holds the text and the others are empty."""
        self._open = []
        for position, known in enumerate(answered or [""]):
            yield self._builder.result(self._id(record), "" if position else text, call_id=known or None, meta=meta)

    def step(self, record: Record) -> Iterator[Span]:
        """The spans of one step, where there is no history; the first brings the prompt it was asked with."""
        step = record.value
        if not isinstance(step, Mapping):
            self._builder.unknown("step that is no object", record.loc)
            yield self._builder.harness(self._id(record), flat(step), "unknown", time=None, meta={})
            self._advance()
            return
        if self._index == 0:
            asked = step.get("query") or step.get("messages")
            for message in asked if isinstance(asked, list) else []:
                if isinstance(message, Mapping) and message.get("role") in ("system", "user"):
                    yield from self.message(record._replace(value=message))
        yield from self._act(record, step, flat(step.get("response")), {})
        if self._open:
            yield from self._results(record, flat(step.get("observation")), self._open, {})
        self._advance()

    def late(self, record: Record, observation: Any) -> Iterator[Span]:
        """The last observation, where the history ends with the call."""
        if self._open and isinstance(observation, str):
            yield from self._results(record, observation, self._open, {})


def _object(value: Any) -> Any:
    """Arguments as an object where their JSON text is one."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
