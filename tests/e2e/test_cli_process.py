"""What only a process of its own can show: what is imported, closed pipes, interrupts, colour."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
POLICY = 'policy "p" version "1.0.0"\n\nrefuse "r" { when any s in evicted: s.tokens > 3 because "x" }\n'
HEAVY = ("annoy", "jsonschema", "numpy", "re2", "rich")

WATCH = """
import sys
from policylang.cli import main
code = main(sys.argv[1:])
print(*sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
print(*sorted(name for name in sys.modules if name.startswith("policylang.")), file=sys.stderr)
sys.exit(code)
"""


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR", "TERM")}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def start(*argv: str, folder: Path, **more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "policylang", *argv]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=environment(**more), stdin=pipe, stdout=pipe, stderr=pipe)


@pytest.mark.parametrize(
    ("argv", "unneeded"),
    [
        (["--version"], (*HEAVY, "lark", "msgspec", "yaml")),
        (["--help"], (*HEAVY, "lark", "msgspec", "yaml")),
        (["schema", "request"], (*HEAVY, "lark", "msgspec", "yaml")),
        (["fmt", "--check", "p.policy"], (*HEAVY, "lark", "msgspec", "yaml")),
        (["check", "p.policy"], (*HEAVY, "lark", "msgspec", "yaml")),
        (["eval", "-p", "p.policy", "-r", "r.json"], ("annoy", "jsonschema", "numpy", "rich", "lark", "yaml")),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_imports_no_more_than_it_needs(argv: list[str], unneeded: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "p.policy").write_text(POLICY, encoding="utf-8")
    (tmp_path / "r.json").write_text('{"epoch": 7, "spans": []}', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *argv],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    everything, ours = (line.split() for line in done.stderr.splitlines()[-2:])
    assert not set(unneeded) & set(everything)
    if argv[0] in ("--version", "fmt", "schema"):
        rooms = {name.split(".")[1] for name in ours}
        assert not rooms & {"analysis", "check", "compiler", "evidence", "runtime", "testing", "transcript"}


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    process = start("import", "incident-response", folder=tmp_path)
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.read(1) == b"{"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141


@pytest.mark.skipif(not Path("/proc/self/wchan").exists(), reason="only /proc says when a process waits for its input")
def test_an_interrupt_ends_a_waiting_command_with_130(tmp_path: Path) -> None:
    (tmp_path / "p.policy").write_text(POLICY, encoding="utf-8")
    process = start("eval", "-p", "p.policy", "-r", "-", folder=tmp_path, PYTHONUNBUFFERED="1")
    # It is waiting once it has loaded the policy; before that an interrupt would hit Python's own start.
    deadline = time.monotonic() + 60
    while not _reads_stdin(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


def _reads_stdin(pid: int) -> bool:
    """Whether the process sleeps in a read from a pipe."""
    return "pipe" in Path(f"/proc/{pid}/wchan").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "more", "coloured"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_when_there_is_colour(argv: list[str], more: dict[str, str], coloured: bool, tmp_path: Path) -> None:
    (tmp_path / "bad.policy").write_text('policy "p" version "1.0.0"\nindex { sorce mixed }\n', encoding="utf-8")
    process = start("check", "bad.policy", *argv, folder=tmp_path, **more)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert (b"\x1b[" in out and b"31m" in out) is coloured


def test_the_module_and_the_console_script_are_one(tmp_path: Path) -> None:
    process = start("--version", folder=tmp_path)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out.split()[0]) == (0, b"policylang")
    script = Path(sys.executable).parent / "policylang"
    if not script.exists():
        pytest.skip("the console script is not installed in this environment")
    done = subprocess.run([script, "--version"], capture_output=True, env=environment(), check=True)
    assert done.stdout == out
