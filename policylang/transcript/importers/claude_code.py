"""Claude Code sessions: JSON Lines, one record a line, in ``~/.claude/projects``.

What is no instruction of the user, by decision:

- text that the harness injects (`isMeta`, `<system-reminder>`, hook feedback, attachments, command output) is a
  `tool_result` of the tool `harness` with ``meta.origin``: state of the environment, to be kept reachable, but no
  instruction. Only where it carries standing instructions (CLAUDE.md, AGENTS.md) is it `system`;
- a message of a sub-agent (`isSidechain`) has ``meta.sidechain``; what the parent told it is an `assistant_message`;
- a compaction summary (`isCompactSummary`) is a `summary`, with the boundary's trigger in ``meta.trigger``;
- what a user queued while the agent worked is a `user_message`.

Records without any part in the conversation (modes, titles, snapshots, progress, …) are counted in the issues.
Records of an unknown type are kept as harness text if they hold text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from policylang.transcript.importers._blocks import Envelope, Messages
from policylang.transcript.importers._build import Builder, flat, stamp
from policylang.transcript.importers._shape import outline
from policylang.transcript.jsonstream import Record, read_lines
from policylang.transcript.session import Issues
from policylang.transcript.span import Span

ID: Final = "claude-code"
TITLE: Final = "Claude Code session (JSON Lines)"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SILENT: Final = _words(
    "file-history-snapshot queue-operation permission-mode mode ai-title custom-title agent-name last-prompt progress "
    "summary frame-link pr-link started relocated worktree-state bridge-session atis-latch tag"
)
_SILENT_SYSTEM: Final = _words("turn_duration stop_hook_summary session_start api_error error")
_TEXT_FIELDS: Final = (
    "content", "prompt", "text", "snippet", "addedBlocks", "blockingError", "stdout", "stderr", "summary", "output",
    "result", "message", "description", "deltaSummary", "banner",
)  # fmt: skip
_ENVELOPE: Final = frozenset(("sessionId", "leafUuid", "messageId", "parentUuid"))


def detect(head: bytes, name: str) -> float:
    """How likely it is this format, from 0 to 1: typed records around messages, or the records between them."""
    records = outline(head, name).objects()
    if any(record.get("type") in ("user", "assistant") and _is_message(record.get("message")) for record in records):
        return 0.95
    known = [record for record in records if record.get("type") in _SILENT and _ENVELOPE & set(record)]
    return 0.6 if known and len(known) == len(records) else 0.0


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and "role" in value and "content" in value


def read(stream: BinaryIO, name: str, issues: Issues) -> Iterator[Span]:
    """The spans of a session, in the order of the file."""
    session = _Session(Builder(issues))
    for record in read_lines(stream, name, issues):
        if isinstance(record.value, Mapping):
            yield from session.record(record)
        else:
            session.builder.unknown("record that is no object", record.loc)
            yield from session.other(record, {"text": flat(record.value)}, "record")


class _Session:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._messages = Messages(builder)
        self._boundary: dict[str, str] = {}

    def record(self, record: Record) -> Iterator[Span]:
        value = record.value
        kind = value.get("type")
        match kind:
            case "user" | "assistant":
                yield from self._message(record, value)
            case "system":
                yield from self._system(record, value)
            case "attachment":
                yield from self._attachment(record, value)
            case "tool_use" | "tool_result":
                # Early versions wrote calls as records of their own.
                block = {**value, "content": value.get("content", value.get("output"))}
                yield from self._messages.spans("assistant", [block], self._envelope(record, value))
            case _ if kind in _SILENT:
                self.builder.skipped(f"record `{kind}`", record)
            case _:
                if isinstance(value.get("message"), Mapping) and "role" in value["message"]:
                    self.builder.unknown(f"record `{kind}`", record.loc)
                    yield from self._message(record, value)
                else:
                    yield from self.other(record, value, str(kind))

    def _envelope(self, record: Record, value: Mapping[str, Any]) -> Envelope:
        message = value.get("message")
        uuid = value.get("uuid")
        given = message.get("id") if isinstance(message, Mapping) else None
        meta = {}
        if value.get("isSidechain"):
            meta["sidechain"] = str(value.get("agentId") or "true")
        return Envelope(
            record,
            uuid if isinstance(uuid, str) and uuid else str(record.place.line),
            stamp(value.get("timestamp")),
            given if isinstance(given, str) else None,
            meta=meta,
        )

    def _message(self, record: Record, value: Mapping[str, Any]) -> Iterator[Span]:
        message = value.get("message")
        envelope = self._envelope(record, value)
        if not isinstance(message, Mapping):
            yield from self.other(record, value, str(value.get("type")))
            return
        if value.get("isCompactSummary"):
            envelope.summary = True
            envelope.meta.update(self._boundary)
            self._boundary = {}
        elif value.get("isMeta"):
            envelope.injected = "meta"
        elif value.get("isApiErrorMessage"):
            envelope.injected = "api-error"
        elif isinstance(value.get("origin"), Mapping) and value["origin"].get("kind") == "task-notification":
            envelope.injected = "task-notification"
        result = value.get("toolUseResult")
        envelope.interim = isinstance(result, Mapping) and result.get("status") == "async_launched"
        role = message.get("role")
        yield from self._messages.spans(
            role if isinstance(role, str) else str(value.get("type")), message.get("content"), envelope
        )

    def _system(self, record: Record, value: Mapping[str, Any]) -> Iterator[Span]:
        subtype = value.get("subtype")
        if subtype == "compact_boundary":
            facts = value.get("compactMetadata")
            facts = facts if isinstance(facts, Mapping) else {}
            named = {"trigger": facts.get("trigger"), "pre_tokens": facts.get("preTokens")}
            self._boundary = {key: str(item) for key, item in named.items() if item is not None}
            self.builder.skipped("record `system/compact_boundary`", record)
        elif subtype in _SILENT_SYSTEM:
            self.builder.skipped(f"record `system/{subtype}`", record)
        else:
            text = flat(value.get("content"))
            if text.strip():
                yield self._harness(record, value, text, str(subtype or "system"))
            else:
                self.builder.skipped(f"record `system/{subtype}`", record)

    def _attachment(self, record: Record, value: Mapping[str, Any]) -> Iterator[Span]:
        inner = value.get("attachment")
        inner = inner if isinstance(inner, Mapping) else {}
        kind = str(inner.get("type"))
        text = _text_of(inner)
        if not text.strip():
            self.builder.skipped(f"attachment `{kind}`", record)
        elif kind == "queued_command" and inner.get("commandMode") != "task-notification":
            yield from self._messages.spans("user", text, self._envelope(record, value))
        elif kind == "nested_memory":
            envelope = self._envelope(record, value)
            yield from self._messages.spans("system", text, envelope)
        else:
            yield self._harness(record, value, text, kind)

    def other(self, record: Record, value: Mapping[str, Any], kind: str) -> Iterator[Span]:
        """A record of a type that is not known: its text is kept."""
        text = _text_of(value)
        if text.strip():
            self.builder.unknown(f"record `{kind}`", record.loc)
            yield self._harness(record, value, text, kind)
        else:
            self.builder.skipped(f"record `{kind}`", record)

    def _harness(self, record: Record, value: Mapping[str, Any], text: str, origin: str) -> Span:
        envelope = self._envelope(record, value)
        span_id = self.builder.span_id(envelope.name, 0, record.place.line)
        return self.builder.harness(span_id, text, origin, time=envelope.time, meta=envelope.meta)


def _text_of(value: Mapping[str, Any]) -> str:
    """The text fields of a record whose layout is not known, one after the other."""
    pieces: list[str] = []
    for name in _TEXT_FIELDS:
        item = value.get(name)
        if isinstance(item, Mapping) and isinstance(item.get("content"), str):
            item = item["content"]
        text = flat(item) if item not in (None, [], {}) else ""
        if text.strip():
            pieces.append(text)
    return "\n".join(pieces)
