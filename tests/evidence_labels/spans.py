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
from itertools import groupby
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


def where(root: Path, name: str) -> Path:
    """The file of a name: under ``root``, the project's own sessions in the project."""
    return Path(__file__).resolve().parents[2] / name if name.startswith("examples/") else root / name


def documents(file: Path) -> Iterator[tuple[int | None, Any]]:
    """The JSON documents of a file with their line numbers; a line that is not JSON is left out."""
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    text = raw.decode("utf-8")
    if file.suffix == ".md":
        yield None, quoted_blocks(text)
        return
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


def quoted_blocks(text: str) -> list[str]:
    """The blocks of ``> `` lines of a Markdown chat history (tool output), mark and trailing blanks taken off."""
    groups = groupby(text.split("\n"), key=lambda line: line.startswith(">"))
    return ["\n".join(line[2:].rstrip() for line in lines) for quoted, lines in groups if quoted]


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


Hit = tuple[tuple[Step, ...], str | None, str, str | None]


def _pi(doc: Any, calls: dict[str, tuple[str, str]]) -> Iterator[Hit]:
    message = doc.get("message") if isinstance(doc, dict) else None
    if not isinstance(message, dict):
        return
    for block in message["content"] if isinstance(message.get("content"), list) else ():
        if isinstance(block, dict) and block.get("type") == "toolCall":
            calls[block["id"]] = (block["name"], _words(block["arguments"]))
    if message.get("role") == "toolResult":
        ref = str(message.get("toolCallId"))
        tool, words = calls.get(ref, (message.get("toolName"), ""))
        yield ("message", "content"), tool, words, ref
    elif message.get("role") == "bashExecution":
        yield ("message", "output"), "bash", _words(message.get("command")), None


def _copilot(doc: Any, calls: dict[str, tuple[str, str]]) -> Iterator[Hit]:
    raw, base = (doc["raw"], ("raw",)) if "raw" in doc else (doc, ())
    data = raw.get("data") or {}
    if raw.get("type") == "tool.execution_start":
        calls[str(data.get("toolCallId"))] = (str(data.get("toolName")), _words(data.get("arguments")))
    if raw.get("type") == "tool.execution_complete":
        ref = str(data.get("toolCallId"))
        tool, words = calls.get(ref, (None, ""))
        yield (*base, "data", "result", "content"), tool, words, ref


def _kimi(doc: Any, calls: dict[str, tuple[str, str]]) -> Iterator[Hit]:
    event = doc.get("event") if isinstance(doc, dict) else None
    if not isinstance(event, dict):
        return
    ref = str(event.get("toolCallId"))
    if event.get("type") == "tool.call":
        calls[ref] = (str(event.get("name")), _words(event.get("args")))
    if event.get("type") == "tool.result":
        tool, words = calls.get(ref, (None, ""))
        yield ("event", "result", "output"), tool, words, ref


def _histories(doc: Any) -> Iterator[Hit]:
    """Sessions that pair actions with observations by position: intercode, mint, autogen, toolbench's tree."""
    for key, task in enumerate(doc) if isinstance(doc, list) else doc.items():
        turns: Any = (task.get("turn_history") if isinstance(task, dict) else None) or {}
        for t, _ in enumerate(turns.get("observations") or ()):
            yield (key, "turn_history", "observations", t), "bash", str(turns["actions"][t]), None
    if not isinstance(doc, dict):
        return
    for base in (("state", "history"), ("history",)):
        turns = doc.get(base[0]) or ()
        turns = turns.get("history") if base[0] == "state" and isinstance(turns, dict) else turns
        for t, turn in enumerate(turns or ()):
            ran = turn.get("name") == "Computer_terminal" or str(turn["content"]).startswith("Observation:")
            ran = ran or turn.get("role") in ("WebSurfer", "FileSurfer")
            if ran and t:
                yield (*base, t, "content"), turn.get("name"), str(turns[t - 1]["content"])[-600:], None
    if "tree" in doc:
        yield from _tree(doc["tree"]["tree"], ("tree", "tree"), "")


def _tree(node: Any, base: tuple[Step, ...], action: str) -> Iterator[Hit]:
    words = str(node.get("description"))
    if node.get("node_type") == "Action Input":
        yield (*base, "observation"), action, words, None
    for index, child in enumerate(node.get("children") or ()):
        yield from _tree(child, (*base, "children", index), words)


def _documents(doc: Any) -> Iterator[Hit]:
    """Exports of one JSON document: agent files (letta), event lists (ADK), traces (Langfuse), samples (Inspect)."""
    for a, agent in enumerate(doc.get("agents") or ()):
        for m, message in enumerate(agent.get("messages") or ()):
            if message.get("role") == "tool":
                yield ("agents", a, "messages", m, "content"), message.get("name"), "", message.get("tool_call_id")
    for e, event in enumerate(doc.get("events") or ()):
        for p, part in enumerate((event.get("content") or {}).get("parts") or ()):
            for key in (part.get("function_response") or {}).get("response") or ():
                base = ("events", e, "content", "parts", p, "function_response")
                yield (*base, "response", key), part["function_response"].get("name"), "", None
    for o, observation in enumerate(doc.get("observations") or ()):
        if observation.get("type") == "TOOL" or str(observation.get("name")).startswith("tool"):
            yield ("observations", o, "output"), observation.get("name"), _words(observation.get("input")), None
    for s, sample in enumerate(doc.get("samples") or ()):
        for m, message in enumerate(sample.get("messages") or ()):
            if message.get("role") == "tool":
                yield ("samples", s, "messages", m, "content"), message.get("function"), "", message.get("tool_call_id")


Found = tuple[int | None, tuple[Step, ...], str | None, str, str | None]


def _places(name: str, docs: list[tuple[int | None, Any]]) -> Iterator[Found]:
    folder = name.split("/")[0]
    calls: dict[str, tuple[str, str]] = {}
    for line, doc in docs:
        found: Iterator[tuple[tuple[Step, ...], str | None, str, str | None]] = iter(())
        if folder in ("claude-code", "examples"):
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
        elif folder == "pi":
            found = _pi(doc, calls)
        elif folder == "copilot":
            found = _copilot(doc, calls)
        elif folder == "kimi":
            found = _kimi(doc, calls)
        elif folder == "aider":
            found = (((index,), None, "", None) for index, _ in enumerate(doc))
        elif folder in ("intercode", "mint", "autogen", "toolbench"):
            found = _histories(doc)
        elif folder in ("letta", "google-adk", "otel-genai", "langchain", "inspect"):
            found = _documents(doc)
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
    docs = list(documents(where(root, name)))
    by_line = dict(docs)
    out = []
    for line, path, tool, call, call_id in _places(name, docs):
        text = follow(by_line[line], path)
        if text is not None and text.strip():
            out.append(StateSpan(name, line, path, tool, call, text, call_id))
    return out
