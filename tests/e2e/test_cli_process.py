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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only /dev/full says at once that there is no room")
@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "--version",
        "check --help",
        "check bad.policy",
        "check bad.policy --format json",
        "check bad.policy --format sarif",
        "check missing.policy --format json",
        "eval -p p.policy -r r.json",
        "eval -p p.policy -r r.json --format json",
        "explain -p p.policy",
        "fmt --diff ugly.policy",
        "import s.jsonl",
        "import s.jsonl -o /dev/full",
        "import incident-response",
        "import --list-formats",
        "new fresh.policy",
        "replay -p p.policy s.jsonl",
        "schema",
        "schema request",
        "test tested.policy",
        "test --list tested.policy",
    ],
)
def test_a_full_disk_is_no_bug_and_no_answer(command: str, tmp_path: Path) -> None:
    (tmp_path / "p.policy").write_text(POLICY, encoding="utf-8")
    (tmp_path / "ugly.policy").write_text(POLICY.replace(" version", "   version"), encoding="utf-8")
    (tmp_path / "bad.policy").write_text("polcy", encoding="utf-8")
    span = 'test "t" { span "a" reasoning "x" epoch 1 evicted\n expect compact }\n'
    (tmp_path / "tested.policy").write_text(POLICY + span, encoding="utf-8")
    (tmp_path / "r.json").write_text('{"epoch": 7, "spans": []}', encoding="utf-8")
    (tmp_path / "s.jsonl").write_text('{"id": "a", "kind": "reasoning", "text": "x", "epoch": 0}\n', encoding="utf-8")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "policylang", *command.split()],
            cwd=tmp_path,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert "unreadable-input" in said and "No space left on device" in said
    assert "bug" not in said and "Traceback" not in said
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only /dev/full says at once that there is no room")
def test_notes_that_cannot_be_written_are_no_success(tmp_path: Path) -> None:
    (tmp_path / "p.policy").write_text(POLICY, encoding="utf-8")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "policylang", "check", "p.policy"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert (done.returncode, done.stdout) == (2, b"")


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


def on_a_terminal(*argv: str, folder: Path, typed: bytes = b"", **more: str) -> tuple[int, str]:
    """Runs a command with all three streams on one terminal of 100 columns; the exit code and what it showed."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    command = [sys.executable, "-m", "policylang", *argv]
    env = environment(**{"TERM": "xterm-256color", **more})
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    os.write(leader, typed)
    shown = b""
    while True:
        try:
            part = os.read(leader, 1 << 16)
        except OSError:
            # Linux says EIO where the last process has left the terminal.
            break
        if not part:
            break
        shown += part
    os.close(leader)
    return process.wait(60), shown.decode()


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals on Windows")


@needs_terminal
def test_on_a_terminal_there_is_colour_and_progress_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "p.policy").write_text(POLICY, encoding="utf-8")
    spans = [f'{{"id": "s{n}", "kind": "reasoning", "text": "thinking about it {n}", "epoch": 0}}' for n in range(9)]
    (tmp_path / "s.jsonl").write_text("\n".join(spans) + "\n", encoding="utf-8")
    code, shown = on_a_terminal("replay", "-p", "p.policy", "s.jsonl", folder=tmp_path)
    assert code == 0
    assert "replaying 9 spans" in shown
    assert "\x1b[" in shown.split("REPLAY OF", 1)[1]
    assert "replaying" not in shown.split("REPLAY OF", 1)[1]


@needs_terminal
@pytest.mark.parametrize(
    ("more", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)], ids=str
)
def test_variables_turn_colour_off_on_a_terminal(more: dict[str, str], coloured: bool, tmp_path: Path) -> None:
    (tmp_path / "bad.policy").write_text("polcy", encoding="utf-8")
    code, shown = on_a_terminal("check", "bad.policy", folder=tmp_path, **more)
    assert code == 1
    assert ("31m" in shown) is coloured


@needs_terminal
def test_a_person_at_a_terminal_is_told_that_input_is_awaited(tmp_path: Path) -> None:
    (tmp_path / "p.policy").write_text(POLICY, encoding="utf-8")
    typed = b'{"epoch": 7, "spans": []}\n\x04'
    code, shown = on_a_terminal("eval", "-p", "p.policy", "-r", "-", folder=tmp_path, typed=typed)
    assert code == 0
    assert "reading standard input; end it with Ctrl-D" in shown
    assert "COMPACT" in shown
