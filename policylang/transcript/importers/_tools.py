"""Tool calls: their readable text, and of which kind their results are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FIRST: Final = (
    "command", "commands", "cmd", "script", "code", "input", "url", "uri", "file_path", "path", "filename", "file_name",
    "notebook_path", "query", "pattern", "search_term", "description",
)  # fmt: skip
"""Arguments that say best what a call does, best first."""

_SHELLS: Final = _words(
    "bash sh shell terminal run_command run_commands execute_command execute_bash cmd exec exec_command run "
    "local_shell run_in_terminal run_terminal_cmd container_exec"
)
_WRITERS: Final = _words(
    "write edit multiedit multi_edit notebookedit notebook_edit create create_file write_file writefile write_to_file "
    "edit_file editfile replace_in_file str_replace search_replace apply_patch applypatch apply_diff insert append "
    "append_file delete_file move_file rename_file create_directory save_file update_file insert_content"
)
_EDITORS: Final = _words("str_replace_editor str_replace_based_edit_tool editor file_editor text_editor")
_EDITOR_READS: Final = _words("view read open")
_FETCHERS: Final = _words(
    "webfetch web_fetch fetch fetch_url http_request http_get http_post httprequest curl wget get_url url_fetch "
    "api_call call_api api_request rest_request graphql_query send_request"
)
_API_WORD: Final = re.compile(r"(?:^|_)(?:https?|api|rest|graphql|webhook)(?:_|$)")
_HEREDOC: Final = re.compile(r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n.*?^\s*\2[ \t]*$", re.S | re.M)
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.S)
_SEPARATOR: Final = re.compile(r"&&|\|\||;|\n")
_REDIRECT: Final = re.compile(r"(?<![0-9&>=-])>>?\s*(?!&|/dev/)[^\s&|;>]")
_WRITE_VERBS: Final = _words("cp mv rm mkdir rmdir touch tee ln install chmod chown patch truncate dd")
_CARRIERS: Final = _words("cd echo printf cat true set export pushd popd")
_FETCH_VERBS: Final = _words("curl http https xh httpie")


def call_text(tool: str, arguments: Any) -> str:
    """The name of the tool and what it was called with, as people read it.

    The first line is the name and the argument that says most; the others follow as ``name: value`` lines.
    """
    if isinstance(arguments, str):
        return f"{tool} {arguments}".rstrip()
    if not isinstance(arguments, Mapping):
        return tool if arguments is None else f"{tool} {_compact(arguments)}"
    rest = dict(arguments)
    head = tool
    for name in _FIRST:
        value = rest.get(name)
        if isinstance(value, str) and value:
            head = f"{tool} {rest.pop(name)}"
            break
    return "\n".join([head, *(f"{name}: {_shown(value)}" for name, value in rest.items())])


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def command_of(tool: str, arguments: Any) -> str | None:
    """The shell command of a call, or None where the tool is no shell."""
    if plain_name(tool) not in _SHELLS:
        return None
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, Mapping):
        for name in ("command", "cmd", "script", "commands"):
            value = arguments.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                return "\n".join(value) if name == "commands" else " ".join(value)
    return None


def plain_name(tool: str) -> str:
    """A tool's own name in lower case: without its server (`mcp__fs__write_file`, `fs.write_file`)."""
    return re.split(r"__|[./:]", tool)[-1].lower().replace("-", "_")


def result_kind(tool: str, arguments: Any) -> str:
    """Of which kind a call's results are: `tool_result`, `file_write_ack` or `api_response`.

    The two special kinds are given only where the call says plainly what it is; what is unsure stays `tool_result`,
    which is state as well.
    """
    name = plain_name(tool)
    if name in _EDITORS:
        verb = arguments.get("command") if isinstance(arguments, Mapping) else None
        return "tool_result" if verb in _EDITOR_READS else "file_write_ack"
    if name in _WRITERS:
        return "file_write_ack"
    if name in _FETCHERS or _API_WORD.search(name):
        return "api_response"
    command = command_of(tool, arguments)
    return "tool_result" if command is None else shell_kind(command)


def shell_kind(command: str) -> str:
    """Of which kind the output of a shell command is: only writes, only an HTTP request, or anything else."""
    bare = _HEREDOC.sub(r"<<H \3", command)
    bare = _QUOTED.sub("Q", bare)
    writes = fetches = others = 0
    for segment in _SEPARATOR.split(bare):
        pipeline = [part.split() for part in segment.split("|")]
        words = [word for word in pipeline[0] if not re.match(r"\w+=\S*$|sudo$|env$|time$", word)]
        if not words:
            continue
        verb = words[0].rsplit("/", 1)[-1]
        if verb in _FETCH_VERBS and not _REDIRECT.search(segment) and not {"-o", "-O", "--output"} & set(words):
            fetches += 1
        elif (
            verb in _WRITE_VERBS
            or _REDIRECT.search(segment)
            or (verb == "sed" and any(word.startswith("-i") for word in words))
            or words[:2] in (["git", "apply"], ["git", "commit"], ["git", "add"], ["git", "mv"], ["git", "rm"])
            or any(part[:1] == ["tee"] for part in pipeline[1:])
        ):
            writes += 1
        elif verb not in _CARRIERS or verb == "cat":
            others += 1
    if others:
        return "tool_result"
    if fetches:
        return "tool_result" if writes else "api_response"
    return "file_write_ack" if writes else "tool_result"
