"""Finds the state spans of a transcript file, each with a locator that `benchmarks/evidence.py` can follow back.

A locator is ``{"line": n or null, "path": [...]}``: the zero-based line of a JSON Lines file (null for one JSON
document), then keys and indexes down to the text. What stands there is a string, or a list of blocks whose ``text``
fields are joined by newlines. Nothing here knows how policylang imports or extracts: labels must not depend on it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Step = str | int


@dataclass(frozen=True, slots=True)
class StateSpan:
    """One state span: where it is, what produced it (tool and call as text), and its text."""

    file: str
    line: int | None
    path: tuple[Step, ...]
    tool: str | None
    call: str
    text: str
    call_id: str | None = None


def documents(file: Path) -> Iterator[tuple[int | None, Any]]:
    """The JSON documents of a file with their line numbers; a line that is not JSON is left out."""
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    text = raw.decode("utf-8")
    if ".jsonl" not in file.name:
        yield None, json.loads(text)
        return
    for number, line in enumerate(text.split("\n")):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except json.JSONDecodeError:
            # Two files of the collection hold a malformed line (MANIFEST, "Known malformed"); it has no span.
            continue


def text_of(value: Any) -> str | None:
    """The text at the end of a locator, or None if nothing readable stands there."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [block["text"] for block in value if isinstance(block, dict) and isinstance(block.get("text"), str)]
        return "\n".join(parts) if parts else None
    return None


def follow(document: Any, path: tuple[Step, ...] | list[Step]) -> str | None:
    """The text that a path leads to, or None if the path does not exist."""
    here = document
    for step in path:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            return None
    return text_of(here)


def _words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _openai(messages: Any, base: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], str | None, str, str | None]]:
    calls: dict[str, tuple[str, str]] = {}
    last = ("", "")
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            continue
        for call in message.get("tool_calls") or []:
            function = call.get("function") or {}
            last = (str(function.get("name")), _words(function.get("arguments") or ""))
            calls[str(call.get("id"))] = last
        role = message.get("role")
        if role == "tool":
            ref = message.get("tool_call_id")
            name, words = calls.get(str(ref), (message.get("name") or last[0], last[1]))
            yield (*base, index, "content"), name, words, ref
        elif role == "user" and index > 1:
            text = text_of(message.get("content")) or ""
            if text.startswith(("<returncode>", "EXECUTION RESULT", "Observation:")):
                before = text_of(messages[index - 1].get("content")) or ""
                yield (*base, index, "content"), None, before[-600:], None


def _anthropic(
    content: Any, base: tuple[Step, ...], calls: dict[str, tuple[str, str]]
) -> Iterator[tuple[tuple[Step, ...], str | None, str, str | None]]:
    if not isinstance(content, list):
        return
    for index, block in enumerate(content):
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_use":
            calls[block["id"]] = (block["name"], _words(block["input"]))
        if block.get("type") == "tool_result":
            ref = block.get("tool_use_id")
            name, words = calls.get(str(ref), (None, ""))
            yield (*base, index, "content"), name, words, ref


def _events(history: Any, base: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], str | None, str, str | None]]:
    actions = {event.get("id"): event for event in history if isinstance(event, dict) and "action" in event}
    for index, event in enumerate(history):
        if not isinstance(event, dict) or event.get("observation") in (None, "null", "agent_state_changed"):
            continue
        cause = actions.get(event.get("cause"), {})
        meta = event.get("tool_call_metadata") or {}
        args = {k: v for k, v in (cause.get("args") or {}).items() if k in ("command", "code", "path", "url")}
        yield (
            (*base, index, "content"),
            meta.get("function_name") or event["observation"],
            _words(args),
            meta.get("tool_call_id"),
        )


def _gemini(turns: Any) -> Iterator[tuple[tuple[Step, ...], str | None, str, str | None]]:
    calls: dict[str, str] = {}
    for t, turn in enumerate(turns):
        for p, part in enumerate(turn.get("parts") or []):
            if "functionCall" in part:
                calls[str(part["functionCall"].get("id"))] = _words(part["functionCall"].get("args"))
            if "functionResponse" in part:
                response = part["functionResponse"]
                for key in response.get("response") or {}:
                    yield (
                        (t, "parts", p, "functionResponse", "response", key),
                        response.get("name"),
                        calls.get(str(response.get("id")), ""),
                        response.get("id"),
                    )


Found = tuple[int | None, tuple[Step, ...], str | None, str, str | None]


def _places(name: str, docs: list[tuple[int | None, Any]]) -> Iterator[Found]:
    folder = name.split("/")[0]
    calls: dict[str, tuple[str, str]] = {}
    for line, doc in docs:
        found: Iterator[tuple[tuple[Step, ...], str | None, str, str | None]] = iter(())
        if folder == "claude-code":
            message = doc.get("message") if isinstance(doc, dict) else None
            found = _anthropic((message or {}).get("content"), ("message", "content"), calls)
        elif folder == "anthropic":
            rows, key = (doc["messages"], "messages") if "messages" in doc else (doc["loglines"], "loglines")
            for index, row in enumerate(rows):
                body = row if key == "messages" else row.get("message") or {}
                base: tuple[Step, ...] = (key, index, "content")
                base = base if key == "messages" else (key, index, "message", "content")
                for item in _anthropic(body.get("content"), base, calls):
                    yield line, *item
        elif folder == "openai-chat" or folder == "mini-swe-agent":
            inside = isinstance(doc, dict)
            found = _openai(doc["messages"] if inside else doc, ("messages",) if inside else ())
        elif folder == "tau-bench":
            for index, item in enumerate(doc):
                for hit in _openai(item["traj"], (index, "traj")):
                    yield line, *hit
        elif folder == "swe-agent":
            for index, step in enumerate(doc.get("trajectory") or []):
                yield line, ("trajectory", index, "observation"), None, step.get("action") or "", None
        elif folder == "openhands":
            found = _events(doc["history"], ("history",)) if isinstance(doc, dict) else _events(doc, ())
        elif folder == "atif":
            for index, step in enumerate(doc["steps"]):
                words = _words([call.get("arguments") for call in step.get("tool_calls") or []])
                for r, _ in enumerate((step.get("observation") or {}).get("results") or []):
                    yield line, ("steps", index, "observation", "results", r, "content"), "bash_command", words, None
        elif folder == "gemini" and isinstance(doc, list):
            found = _gemini(doc)
        elif folder == "codex":
            payload = doc.get("payload") or {}
            kind = payload.get("type")
            if kind in ("function_call", "custom_tool_call"):
                words = _words(payload.get("arguments") or payload.get("input") or "")
                calls[payload["call_id"]] = (payload["name"], words)
            if kind in ("function_call_output", "custom_tool_call_output"):
                tool, words = calls.get(payload["call_id"], (None, ""))
                yield line, ("payload", "output"), tool, words, payload["call_id"]
        for hit in found:
            yield line, *hit


def state_spans(root: Path, name: str) -> list[StateSpan]:
    """Every state span with text of one file under ``root``, in the order of the file."""
    docs = list(documents(root / name))
    by_line = dict(docs)
    out = []
    for line, path, tool, call, call_id in _places(name, docs):
        text = follow(by_line[line], path)
        if text is not None and text.strip():
            out.append(StateSpan(name, line, path, tool, call, text, call_id))
    return out
