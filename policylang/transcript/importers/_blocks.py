"""Messages of Anthropic content blocks, as Claude Code sessions and Messages API logs hold them, into spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from policylang.transcript.importers._build import Builder, block_text, flat, split_reminders
from policylang.transcript.jsonstream import Record
from policylang.transcript.span import Span

_FRAMES: Final = re.compile(
    r"\s*(?:<(?P<tag>local-command-stdout|local-command-stderr|local-command-caveat|bash-stdout|bash-stderr"
    r"|task-notification|ide_opened_file|ide_selection|ide_diagnostics|environment_details)\b"
    r"|(?P<stop>\[Request interrupted by user))"
)


@dataclass(slots=True)
class Envelope:
    """What stands around a message's content.

    Attributes:
        record: The record that it came from.
        name: First part of the ids of its spans.
        time: RFC 3339, or None.
        message: Id of the API message; several records may share it.
        injected: Why the harness, not the user, wrote it (`meta`, `hook`, …), or None.
        interim: Its results do not close their calls.
        meta: For every span of it.
    """

    record: Record
    name: str
    time: str | None = None
    message: str | None = None
    injected: str | None = None
    interim: bool = False
    summary: bool = False
    meta: dict[str, str] = field(default_factory=dict)


class Messages:
    """Turns one message after the other into spans; knows what was thought before a call of the same message."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._message: str | None = None
        self._thoughts: list[str] = []

    def spans(self, role: str, content: Any, envelope: Envelope) -> Iterator[Span]:
        """The spans of one message, in the order of its blocks."""
        if envelope.message is None or envelope.message != self._message:
            self._message, self._thoughts = envelope.message, []
        number = 0
        for block in content if isinstance(content, list) else [content]:
            for span in self._block(role, block, envelope, number):
                number += 1
                yield span

    def _block(self, role: str, block: Any, envelope: Envelope, number: int) -> Iterator[Span]:
        kind = "text" if isinstance(block, str) else block.get("type") if isinstance(block, Mapping) else None
        if block is None:
            return
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            yield self._call(block, envelope, number)
        elif kind == "tool_result" or (isinstance(kind, str) and kind.endswith("_tool_result")):
            yield self._result(block, envelope, number)
        elif kind in ("thinking", "redacted_thinking", "reasoning"):
            text = block.get("thinking") or block.get("text") or ""
            if text:
                yield self._said("reasoning", text, envelope, number)
            else:
                self._builder.skipped(f"{kind} without text", envelope.record)
        elif kind == "file":
            text = f"{block.get('path', '')}\n{flat(block.get('content'))}".strip()
            yield self._harness(text, "file", envelope, number)
        else:
            text = block if isinstance(block, str) else block_text(block)
            if kind not in ("text", "image", "document", "compaction"):
                self._builder.unknown(f"block `{kind}`", envelope.record.loc)
            if kind == "compaction":
                yield self._said("summary", flat(block.get("content")), envelope, number)
            elif text.strip():
                yield from self._text(role, text, envelope, number)

    def _id(self, envelope: Envelope, number: int) -> str:
        return self._builder.span_id(envelope.name, number, envelope.record.place.line)

    def _said(self, kind: str, text: str, envelope: Envelope, number: int) -> Span:
        span_id = self._id(envelope, number)
        if kind in ("reasoning", "assistant_message"):
            self._thoughts.append(span_id)
        return Span(span_id, kind, text, 0, time=envelope.time, meta=envelope.meta)

    def _harness(self, text: str, origin: str, envelope: Envelope, number: int) -> Span:
        return self._builder.harness(self._id(envelope, number), text, origin, time=envelope.time, meta=envelope.meta)

    def _text(self, role: str, text: str, envelope: Envelope, number: int) -> Iterator[Span]:
        if envelope.summary:
            yield self._said("summary", text, envelope, number)
        elif envelope.injected:
            yield self._harness(text, envelope.injected, envelope, number)
        elif role == "assistant" or "sidechain" in envelope.meta:
            # What a sub-agent is told, its parent agent wrote.
            yield self._said("assistant_message", text, envelope, number)
        elif role in ("system", "developer"):
            yield self._said("system", text, envelope, number)
        else:
            if role != "user":
                self._builder.unknown(f"role `{role}`", envelope.record.loc)
            for piece, injected in split_reminders(text):
                frame = _FRAMES.match(piece)
                if injected or frame:
                    origin = "system-reminder" if injected or not frame else frame["tag"] or "interruption"
                    yield self._harness(piece, origin, envelope, number)
                else:
                    yield self._said("user_message", piece, envelope, number)
                number += 1

    def _call(self, block: Mapping[str, Any], envelope: Envelope, number: int) -> Span:
        span_id = self._id(envelope, number)
        tool = str(block.get("name") or "tool")
        given = block.get("id")
        call_id, text = self._builder.call(
            tool, block.get("input"), given if isinstance(given, str) and given else None, span_id
        )
        return Span(
            span_id,
            "tool_call",
            text,
            0,
            parents=tuple(self._thoughts),
            tool=tool,
            tool_call_id=call_id,
            batch=envelope.message or envelope.name,
            time=envelope.time,
            meta=envelope.meta,
        )

    def _result(self, block: Mapping[str, Any], envelope: Envelope, number: int) -> Span:
        given = block.get("tool_use_id")
        name = block.get("name")
        return self._builder.result(
            self._id(envelope, number),
            flat(block.get("content")),
            call_id=given if isinstance(given, str) and given else None,
            tool=name if isinstance(name, str) else None,
            error=bool(block.get("is_error")),
            interim=envelope.interim,
            time=envelope.time,
            meta=envelope.meta,
        )
