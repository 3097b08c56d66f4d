"""Which calls only read: their result repeats what stands elsewhere, so all but its exit code is bulk (SPEC §4)."""

from __future__ import annotations

import json
import re
import shlex
from functools import lru_cache
from typing import Final

from policylang.evidence import keys
from policylang.evidence.lexicon import word_set

_READERS: Final = word_set(
    "cat head tail less more nl bat ls ll dir find fd tree rg grep egrep fgrep ag ack zcat zgrep awk od xxd "
    "hexdump strings diff wc file type stat du locate column get-content get-childitem gci gc select-string "
    "man info pdftotext jq cut sort uniq"
)
_GIT_READS: Final = word_set("diff show log blame grep ls-files ls-tree cat-file shortlog whatchanged")
_NEUTRAL: Final = word_set(
    "cd pushd popd echo printf true false export set unset sleep pwd clear test [ : source . read wait time "
    "sudo command env write-output write-host"
)
_WRAPPERS: Final = word_set("sudo time command env timeout nice nohup stdbuf xargs bash sh zsh -lc -c -l -e")
_VERBS: Final = word_set("read open view glob grep cat head tail ls find browse fetch websearch webfetch")
_LOOKING: Final = word_set("search list get query find lookup fetch load retrieve show")
_LOOKED_AT: Final = word_set(
    "file dir directory directorie code codebase repo repository content text web web_page page symbol "
    "definition reference doc documentation usage tree folder internet google"
)
_EDITORS: Final = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "text_editor", "edit_anthropic"})
_SHELL: Final = word_set(
    "bash shell terminal execute_bash run_command run_commands exec_command shell_command run_terminal_cmd "
    "run_shell_command run_in_terminal execute_command local_shell exec run command cmd powershell console "
    "process"
)
_SPLIT: Final = re.compile(r"&&|\|\||;|\n")
_WRITES: Final = re.compile(
    r"(?<![0-9&=-])>{1,2}(?!&|\s*/dev/null|=)|(?<!<)<<(?!<)|\btee\b|-delete\b|-exec\b|\bsed\s+(?:-[a-zA-Z]*i"
    r"|--in-place)"
)
MAX_CALL: Final = 20_000
"""A longer call writes or computes; it is not looked into."""


@lru_cache(maxsize=4_096)
def is_reading(tool: str | None, call_text: str | None) -> bool:
    """True if the call only reads files, listings, history or pages, so that its result is bulk.

    Args:
        tool: The tool's name, or the first word of the call; None if unknown (then only the call's text decides).
        call_text: The call as the transcript holds it: JSON arguments, or the command itself.
    """
    if tool is None and not call_text:
        return False
    name = tool or ""
    arguments = _arguments(call_text)
    if name.lower() in _EDITORS:
        return arguments.get("command") in ("view", "open", "read", "find")
    command = _command(arguments, call_text)
    if name.lower() in _SHELL or not name:
        return command is not None and _reads(command)
    if command is not None and command.split(None, 1)[:1] == [name]:
        # The call is told as a command line: a tool of the agent's own (`open setup.py`) or one of the system's.
        alone = len(_SPLIT.findall(_unquoted(command))) == 0 and not _WRITES.search(_unquoted(command))
        return _reads(command) or (alone and _reading_tool(name))
    return _reading_tool(name)


def _reading_tool(name: str) -> bool:
    parts = keys.words(name.rsplit("__", 1)[-1])
    if not parts:
        return False
    if "".join(parts) in ("websearch", "webfetch", "toolsearch", "codesearch", "filesearch", "notebookread"):
        return True
    if parts[0] in _VERBS:
        return parts[0] not in ("find", "fetch", "open", "browse") or len(parts) == 1 or parts[1] in _LOOKED_AT
    if parts[0] in _LOOKING and len(parts) > 1:
        return parts[1] in _LOOKED_AT
    return (parts[0] == "search" and len(parts) == 1) or (parts[-1] == "search" and parts[0] in _LOOKED_AT)


def _arguments(call_text: str | None) -> dict[str, object]:
    text = (call_text or "").lstrip()
    if not text.startswith("{") or len(text) > MAX_CALL:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _command(arguments: dict[str, object], call_text: str | None) -> str | None:
    """The shell command of a call, or None where it has none."""
    if arguments:
        for name in ("command", "cmd", "commands", "script", "input", "code"):
            value = arguments.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
                words = [str(item) for item in value]
                return words[-1] if len(words) > 1 and words[-2] in ("-lc", "-c", "-Command") else _joined(name, words)
        return None
    text = (call_text or "").strip()
    return text if text and len(text) <= MAX_CALL else None


def _joined(name: str, words: list[str]) -> str:
    return "\n".join(words) if name == "commands" else " ".join(words)


def _reads(command: str) -> bool:
    """True if every pipeline of the command starts with a reader, and at least one does."""
    if len(command) > MAX_CALL or _WRITES.search(_unquoted(command)):
        return False
    seen = False
    for part in _SPLIT.split(_unquoted(command)):
        verdict = _pipeline(part.split("|", 1)[0])
        if verdict is False:
            return False
        seen = seen or verdict is True
    return seen


_QUOTED: Final = re.compile(r"'[^']*+'|\"(?:[^\"\\]++|\\.)*+\"")


def _unquoted(command: str) -> str:
    """The command with quoted strings made one harmless word, so that a `;` inside a pattern splits nothing."""
    return _QUOTED.sub("Q", command)


def _pipeline(part: str) -> bool | None:
    """True for a reader, False for anything that may change state, None for what does neither."""
    try:
        words = shlex.split(part, comments=True)
    except ValueError:
        words = part.split()
    while words and (words[0] in _WRAPPERS or words[0].startswith("-") or "=" in words[0] or words[0].isdigit()):
        words = words[1:]
    words = [word for word in words if not word.startswith(("2>", ">", "<", "&>"))]
    if (
        not words
        or words[0].lower() in _NEUTRAL
        or words[0] in ("{", "}", "(", ")", "if", "then", "fi", "else", "do", "done", "for")
    ):
        return None
    verb = words[0].rsplit("/", 1)[-1].lower()
    if verb == "git":
        rest = [word for word in words[1:] if not word.startswith("-")]
        return bool(rest) and (
            rest[0] in _GIT_READS
            or (rest[0] in words[1:] and words[1] == "-C" and rest[1:2] != [] and rest[1] in _GIT_READS)
        )
    if verb == "sed":
        return "-n" in words or not any(word.startswith("-i") for word in words)
    return verb in _READERS
