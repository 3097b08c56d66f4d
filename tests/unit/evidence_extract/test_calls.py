"""Which calls only read (SPEC §4): by tool name, by command, by an editor's sub-command."""

from __future__ import annotations

import pytest

from policylang.evidence.calls import is_reading

READING = [
    ("Read", '{"file_path": "/a"}'),
    ("read_file", "{}"),
    ("read", "read a"),
    ("view", None),
    ("Grep", '{"pattern": "x"}'),
    ("Glob", None),
    ("open", "open setup.py"),
    ("search_dir", "search_dir x"),
    ("find_file", "find_file fields.py src"),
    ("WebSearch", '{"query": "x"}'),
    ("bash", '{"command": "cat a.py"}'),
    ("Bash", '{"command": "cd /a && rg -n foo | head -5"}'),
    ("Bash", '{"command": "grep -c \\"a;b\\" x.py"}'),
    ("exec_command", '{"cmd": "sed -n 1,20p a.py"}'),
    ("shell", '{"command": ["bash", "-lc", "git diff HEAD"]}'),
    ("bash", '{"command": "git -C /a log --oneline -3"}'),
    ("shell_command", '{"command": "Get-Content a.md"}'),
    ("str_replace_editor", '{"command": "view", "path": "/a"}'),
    ("ls", "ls -F"),
    (None, "find . -name x"),
]
ACTING = [
    ("Write", '{"file_path": "/a"}'),
    ("bash", '{"command": "pytest -q"}'),
    ("bash", '{"command": "pytest -q | tail -5"}'),
    ("bash", '{"command": "cat a.py && rm a.py"}'),
    ("bash", '{"command": "cat > a.py <<EOF\\nx\\nEOF"}'),
    ("bash", '{"command": "sed -i s/a/b/ a.py"}'),
    ("bash", '{"command": "find . -name x -delete"}'),
    ("bash", '{"command": "git status"}'),
    ("bash", '{"command": "git commit -m \\"cat file\\""}'),
    ("bash", '{"command": "echo hello"}'),
    ("str_replace_editor", '{"command": "create", "path": "/a"}'),
    ("search_direct_flight", '{"origin": "DEN"}'),
    ("get_user_details", '{"user_id": "x"}'),
    ("run", "run migrate 0042"),
    (None, None),
    ("bash", None),
    ("bash", '{"command": 7}'),
    ("bash", '{"command": "unclosed \\" quote"}'),
]


@pytest.mark.parametrize(("tool", "call"), READING)
def test_reads(tool: str | None, call: str | None) -> None:
    assert is_reading(tool, call)


@pytest.mark.parametrize(("tool", "call"), ACTING)
def test_does_not_only_read(tool: str | None, call: str | None) -> None:
    assert not is_reading(tool, call)
