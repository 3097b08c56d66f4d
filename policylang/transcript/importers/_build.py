"""What all importers share: unique ids in bounded memory, calls and their results, content blocks, harness text."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final

from policylang.source import Loc
from policylang.transcript.importers._tools import call_text, result_kind, shell_kind
from policylang.transcript.jsonstream import Record
from policylang.transcript.session import Issues
from policylang.transcript.span import Span

HARNESS: Final = "harness"
"""The ``tool`` of text that the runtime put into the context itself, and the value of ``meta.origin`` explains."""

_REMEMBERED = 1 << 14
_BITS = 1 << 24
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.S)
_INSTRUCTIONS = re.compile(
    r"^#\s*claudeMd\b|\bContents of \S*(?:CLAUDE|AGENTS)\.md\b|^# (?:CLAUDE|AGENTS)\.md\b"
    r"|OVERRIDE any default behavior",
    re.M,
)
_FAILED = re.compile(
    r"\s*(?:<error>|\[?(?:error|failed|failure|fatal|ran into|invalid|traceback|exception|cannot|could not|usage:)\b"
    r"|[^\n]*: (?:command not found|no such file or directory|permission denied)\b)",
    re.I,
)


@dataclass(slots=True)
class Call:
    """A tool call that was seen: its span, and of which kind its results are.

    An error, or a text that opens as one, acknowledges nothing: it is a `tool_result` whatever ``kind`` says.
    """

    span_id: str
    tool: str
    call_id: str
    kind: str


class _Issued:
    """Which ids were given out, in 2 MB whatever their number: it may say yes wrongly, but never no wrongly."""

    def __init__(self) -> None:
        self._bits = bytearray(_BITS // 8)

    def add(self, name: str) -> bool:
        """Marks a name; True if it may have been there already."""
        digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = True
        for part in range(0, 16, 4):
            bit = int.from_bytes(digest[part : part + 4], "big") % _BITS
            mask = 1 << (bit & 7)
            if not self._bits[bit >> 3] & mask:
                known = False
                self._bits[bit >> 3] |= mask
        return known


class Builder:
    """Makes the spans of one transcript. Ids are unique; memory does not grow with the session.

    A span's id is ``<record>#<block>``. Where a file repeats a record's name, the id ends in ``@<line>``; a record's
    own name never holds an `@` in an id, so the two cannot meet.
    """

    def __init__(self, issues: Issues) -> None:
        self.issues = issues
        self._issued = _Issued()
        self._calls: OrderedDict[str, Call] = OrderedDict()
        self._unnamed: OrderedDict[str, Call] = OrderedDict()

    def span_id(self, record: str, block: int, line: int) -> str:
        """A new id."""
        name = f"{record.replace('@', '%40').strip() or line}#{block}"
        return f"{name}@{line}" if self._issued.add(name) else name

    def call(
        self, tool: str, arguments: Any, call_id: str | None, span_id: str, command: str | None = None
    ) -> tuple[str, str]:
        """Remembers a call; its id (the span's own where the source gives none) and the text of its span.

        ``command`` is the whole command of a call that is one, whatever its first word is.
        """
        known = call_id or span_id
        kind = result_kind(tool, arguments)
        if kind == "tool_result" and command is not None:
            kind = shell_kind(command)
        call = Call(span_id, tool, known, kind)
        table = self._calls if call_id else self._unnamed
        table.pop(known, None)
        table[known] = call
        if len(table) > _REMEMBERED:
            table.popitem(last=False)
        return known, call_text(tool, arguments)

    def answered(self, call_id: str | None, tool: str | None = None) -> Call | None:
        """The call that a result answers: by id, else the oldest unanswered call without an id (of that tool)."""
        if call_id:
            return self._calls.get(call_id)
        for known, call in self._unnamed.items():
            if tool is None or call.tool == tool:
                return self._unnamed.pop(known)
        return None

    def result(
        self,
        span_id: str,
        text: str,
        *,
        call_id: str | None,
        tool: str | None = None,
        error: bool = False,
        interim: bool = False,
        time: str | None = None,
        meta: Mapping[str, str] | None = None,
    ) -> Span:
        """The span of a result, paired with its call where there is one."""
        call = self.answered(call_id, tool)
        notes = dict(meta or {})
        if error:
            notes["is_error"] = "true"
        return Span(
            span_id,
            call.kind if call and not error and not _FAILED.match(text) else "tool_result",
            text,
            0,
            parents=(call.span_id,) if call else (),
            tool=call.tool if call else tool,
            tool_call_id=call.call_id if call else call_id,
            interim=interim,
            time=time,
            meta=notes,
        )

    def harness(self, span_id: str, text: str, origin: str, *, time: str | None, meta: Mapping[str, str]) -> Span:
        """Text that the runtime put in: state of the environment, or `system` if it holds standing instructions."""
        notes = {**meta, "origin": origin}
        if _INSTRUCTIONS.search(text):
            return Span(span_id, "system", text, 0, time=time, meta=notes)
        return Span(span_id, "tool_result", text, 0, tool=HARNESS, time=time, meta=notes)

    def skipped(self, what: str, record: Record) -> None:
        """Counts a record that holds nothing of the conversation."""
        self.issues.note(what, "no part of the conversation", record.loc)

    def unknown(self, what: str, loc: Callable[[], Loc]) -> None:
        """Counts something that the format does not know but that holds text, which was kept."""
        self.issues.note(what, "unknown, text kept", loc)


def split_reminders(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a user's text in order, each with whether the harness put it in; blank pieces are left out."""
    at = 0
    for found in _REMINDER.finditer(text):
        if text[at : found.start()].strip():
            yield text[at : found.start()].strip("\n"), False
        yield found[0], True
        at = found.end()
    if text[at:].strip():
        yield (text[at:].strip("\n") if at else text), False


def flat(content: Any) -> str:
    """The text of a message's or result's content: a string, or blocks of which each gives its text or its name."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(piece for piece in (block_text(item) for item in content) if piece)
    return block_text(content)


def block_text(block: Any) -> str:
    """The text of one block; what is not text stands as `[image]`, and what is unknown as its JSON."""
    if isinstance(block, str):
        return block
    if isinstance(block, Mapping):
        kind = block.get("type")
        if kind in ("image", "image_url", "input_image", "document", "input_audio", "audio"):
            return f"[{str(kind).removeprefix('input_').removesuffix('_url')}]"
        for name in ("text", "refusal"):
            if isinstance(block.get(name), str):
                return str(block[name])
        if kind == "tool_reference" and isinstance(block.get("tool_name"), str):
            return f"[tool {block['tool_name']}]"
    return json.dumps(block, ensure_ascii=False)


def stamp(value: Any) -> str | None:
    """A time as RFC 3339: a string as it is, epoch seconds or milliseconds in UTC; None for anything else."""
    if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d", value):
        return value
    if isinstance(value, str) and re.fullmatch(r"\d{9,13}(\.\d+)?", value):
        value = float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 1e8 < value < 1e13:
        seconds = value / 1000 if value > 1e11 else value
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    return None
