"""Writes one session in the Claude Code layout: one content block a line, linked by uuid and tool-call id.

Ids come from a seeded generator and time stamps from a scripted clock, so that recording the same script again
gives the same lines. What a tool printed is never made up here; this module only files it.
"""

from __future__ import annotations

import json
import random
import string
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

EPOCH_HOURS = 4
EPOCH = timedelta(hours=EPOCH_HOURS)
WRITER = "policylang-recorder/1"
MODEL = "scripted-operator"

Record = dict[str, Any]


class RecordingError(RuntimeError):
    """The script and the real tools disagree: nothing is written."""


@dataclass(slots=True)
class Clock:
    """The scripted clock. Epoch n is [start + 4 h * n, start + 4 h * (n + 1)), counted from 0."""

    start: datetime
    now: datetime

    @property
    def epoch(self) -> int:
        """Epoch of the present moment, as ``floor((now - start) / 4 h)``."""
        return (self.now - self.start) // EPOCH

    def epoch_of(self, stamp: str) -> int:
        """Epoch of a time stamp of this session."""
        return (datetime.fromisoformat(stamp) - self.start) // EPOCH

    def advance(self, seconds: float) -> None:
        """Move on; a script that runs out of its epoch is an error, not a silent shift."""
        before = self.epoch
        self.now += timedelta(seconds=seconds)
        if self.epoch != before:
            raise RecordingError(f"the script overran epoch {before}")

    def enter(self, epoch: int, minutes: float) -> None:
        """Jump to ``minutes`` after the beginning of an epoch that lies ahead."""
        target = self.start + EPOCH * epoch + timedelta(minutes=minutes)
        if target < self.now:
            raise RecordingError(f"epoch {epoch} lies behind the clock")
        self.now = target

    def stamp(self) -> str:
        """RFC 3339 in UTC with milliseconds, as the layout has it."""
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"


@dataclass(slots=True)
class Ids:
    """Seeded identifiers in the shapes of the layout."""

    rng: random.Random

    def uuid(self) -> str:
        """A version 4 UUID."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def token(self, prefix: str) -> str:
        """``prefix`` and 22 letters and digits, as in ``toolu_01…``."""
        return prefix + "".join(self.rng.choices(string.ascii_letters + string.digits, k=22))


@dataclass(slots=True)
class SessionWriter:
    """The records of one session, in order."""

    session_id: str
    clock: Clock
    ids: Ids
    branch: str = "main"
    records: list[Record] = field(default_factory=list)
    _parent: str | None = None
    _message: str | None = None

    def head(self, title: str) -> None:
        """The first record: says in the file itself who wrote it."""
        self._add(
            {
                "type": "system",
                "subtype": "informational",
                "level": "info",
                "isMeta": True,
                "content": (
                    f"{title} Recorded by examples/recorder: the operator (user, assistant and thinking text) is "
                    "scripted, the tool outputs are real runs of git, sqlite3, an HTTP server and Python in a scratch "
                    "directory. Time stamps follow a scripted clock; paths are shown below /workspace."
                ),
            }
        )

    def user(self, text: str) -> str:
        """What the human typed."""
        self._message = None
        return self._add({"type": "user", "userType": "external", "message": {"role": "user", "content": text}})

    def assistant(self, block: Mapping[str, Any]) -> str:
        """One content block of the assistant. Blocks up to the next user line share a message id."""
        if self._message is None:
            self._message = self.ids.token("msg_01")
        message = {
            "model": MODEL,
            "id": self._message,
            "type": "message",
            "role": "assistant",
            "content": [dict(block)],
            "stop_reason": None,
        }
        return self._add({"type": "assistant", "message": message})

    def progress(self, call_id: str, output: str, lines: int) -> str:
        """Output of a command that still runs. It does not close the call."""
        data = {"type": "bash_progress", "output": output, "totalLines": lines}
        return self._add({"type": "progress", "toolUseID": call_id, "data": data})

    def result(self, call_id: str, caller: str, text: str, structured: Any, *, error: bool) -> str:
        """The result that closes a call. ``caller`` is the uuid of the record that made it."""
        self._message = None
        block = {"tool_use_id": call_id, "type": "tool_result", "content": text, "is_error": error}
        record = {
            "type": "user",
            "message": {"role": "user", "content": [block]},
            "toolUseResult": structured,
            "sourceToolAssistantUUID": caller,
        }
        return self._add(record)

    def turn_over(self, milliseconds: int) -> None:
        """The layout's note that the assistant has stopped and waits for the human."""
        self._message = None
        self._add({"type": "system", "subtype": "turn_duration", "durationMs": milliseconds, "isMeta": False})

    def _add(self, body: Record) -> str:
        record = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "cwd": "/workspace",
            "sessionId": self.session_id,
            "version": WRITER,
            "gitBranch": self.branch,
            **body,
            "uuid": self.ids.uuid(),
            "timestamp": self.clock.stamp(),
        }
        self.records.append(record)
        self._parent = record["uuid"]
        return str(record["uuid"])


def span_text(record: Record) -> str:
    """All text that a reader of the record sees, calls included: what the recorder searches for a value."""
    message = record.get("message")
    if message is None:
        data = record.get("data", {})
        return str(record.get("content") or data.get("output") or "")
    content = message["content"]
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for block in content:
        match block["type"]:
            case "tool_use":
                parts.append(json.dumps(block["input"], ensure_ascii=False))
            case "tool_result":
                parts.append(block["content"])
            case kind:
                parts.append(block[kind])
    return "\n".join(parts)


def write_jsonl(path: Path, records: Sequence[Record]) -> None:
    """One compact JSON object a line, UTF-8, newline at the end."""
    lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
