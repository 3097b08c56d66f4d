"""The scratch directory in which everything really happens, and the tools that work in it.

Nothing of the machine may reach a session: the environment is built from nothing, and `Workbench.clean` turns the
scratch directory, the interpreter's own paths and the server's port into neutral ones.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from .session import Clock, RecordingError

FIXTURES = Path(__file__).parent / "fixtures"
SHOWN_ROOT = "/workspace"
SHOWN_ADDRESS = "127.0.0.1:8080"
WAIT_SECONDS = 20.0


def missing_tools() -> list[str]:
    """Programs that the recorder needs and this machine lacks. Python brings sqlite3 and the HTTP server."""
    return [name for name in ("git", "bash") if shutil.which(name) is None]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a finished command printed, already cleaned."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams as the model sees them, the exit code in front where it is not 0."""
        body = "\n".join(part for part in (self.out.rstrip("\n"), self.err.rstrip("\n")) if part)
        return body if self.code == 0 else f"Exit code {self.code}\n{body}".rstrip("\n")


@dataclass(slots=True)
class Job:
    """A command running in the background, read line by line."""

    process: subprocess.Popen[str]
    output: Path
    shown: int = 0


@dataclass(slots=True)
class Workbench:
    """A scratch root with ``workspace/`` (the operator's cwd), ``home/``, ``bin/`` and a running service."""

    root: Path
    clock: Clock
    author: str = "operator"
    address: str = ""
    jobs: dict[str, Job] = field(default_factory=dict)
    _server: subprocess.Popen[str] | None = None

    @property
    def workspace(self) -> Path:
        """Where the operator works; shown as ``/workspace``."""
        return self.root / "workspace"

    def set_up(self, seed: int) -> None:
        """Make the directories, put the fixtures in place and start the service on a free port."""
        for name in ("workspace", "home", "bin", "state"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        self._program("python3", f'exec {shlex.quote(sys.executable)} -S -s "$@"')
        self._program("opsctl", f'exec {shlex.quote(sys.executable)} -S "{FIXTURES / "opsctl.py"}" "$@"')
        config = "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[core]\n\tpager = cat\n"
        (self.root / "home" / ".gitconfig").write_text(config, encoding="utf-8")
        self._tick()
        port_file = self.root / "state" / "port"
        command = [sys.executable, "-S", str(FIXTURES / "opsd.py"), str(port_file), str(self._clock_file), str(seed)]
        self._server = subprocess.Popen(command, cwd=self.root, env=self.environment(), text=True)
        deadline = time.monotonic() + WAIT_SECONDS
        while not (port_file.exists() and port_file.read_text(encoding="utf-8").endswith("\n")):
            if time.monotonic() > deadline or self._server.poll() is not None:
                raise RecordingError("the service did not start")
            time.sleep(0.01)
        self.address = f"127.0.0.1:{port_file.read_text(encoding='utf-8').strip()}"

    def tear_down(self) -> None:
        """Stop what this workbench started, and nothing else."""
        for process in [*(job.process for job in self.jobs.values()), self._server]:
            if process is not None and process.poll() is None:
                process.terminate()
                process.wait(WAIT_SECONDS)

    def environment(self) -> dict[str, str]:
        """A neutral environment: fixed author, fixed time zone, the scripted clock."""
        stamp = self.clock.now.strftime("%Y-%m-%dT%H:%M:%S+0000")
        mail = f"{self.author}@example.com"
        return {
            "PATH": os.pathsep.join([str(self.root / "bin"), os.defpath, *_tool_folders()]),
            "HOME": str(self.root / "home"),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": ".",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
            "GIT_PAGER": "cat",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": self.author,
            "GIT_AUTHOR_EMAIL": mail,
            "GIT_COMMITTER_NAME": self.author,
            "GIT_COMMITTER_EMAIL": mail,
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_DATE": stamp,
            "OPS_ADDRESS": self.address,
            "SCENARIO_NOW": self.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

    def run(self, command: str) -> Ran:
        """Run a shell command to its end in the workspace."""
        self._tick()
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.workspace,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
        return Ran(done.returncode, self.clean(done.stdout), self.clean(done.stderr))

    def must(self, command: str) -> None:
        """Run a command outside of the session (preparation, the other people) that has to succeed."""
        ran = self.run(command)
        if ran.code != 0:
            raise RecordingError(f"{command}\n{ran.text}")

    def start(self, name: str, command: str) -> None:
        """Start a command in the background under the id ``name``."""
        self._tick()
        output = self.root / "state" / f"{name}.out"
        with output.open("w", encoding="utf-8") as sink:
            process = subprocess.Popen(
                ["bash", "-c", f"exec {command}"],
                cwd=self.workspace,
                env=self.environment(),
                stdout=sink,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self.jobs[name] = Job(process, output)

    def peek(self, name: str, lines: int) -> str:
        """Wait for ``lines`` new lines of a running command and return exactly those."""
        job = self.jobs[name]
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            have = job.output.read_text(encoding="utf-8").splitlines(keepends=True)
            complete = [line for line in have if line.endswith("\n")][job.shown : job.shown + lines]
            if len(complete) == lines:
                job.shown += lines
                return self.clean("".join(complete)).rstrip("\n")
            if time.monotonic() > deadline:
                raise RecordingError(f"{name} printed {len(complete)} of {lines} lines")
            time.sleep(0.01)

    def finish(self, name: str) -> Ran:
        """Wait for a background command and return what had not been shown yet."""
        job = self.jobs[name]
        code = job.process.wait(WAIT_SECONDS)
        rest = job.output.read_text(encoding="utf-8").splitlines(keepends=True)[job.shown :]
        return Ran(code, self.clean("".join(rest)), "")

    def fetch(self, path: str) -> tuple[int, str]:
        """GET ``path`` from the service."""
        self._tick()
        try:
            with urllib.request.urlopen(f"http://{self.address}{path}", timeout=WAIT_SECONDS) as answer:
                return int(answer.status), self.clean(answer.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            with error:
                return error.code, self.clean(error.read().decode("utf-8"))

    def file(self, shown: str) -> Path:
        """The real path of a path below ``/workspace``."""
        relative = shown.removeprefix(SHOWN_ROOT + "/")
        if relative == shown:
            raise RecordingError(f"{shown} is outside {SHOWN_ROOT}")
        return self.workspace / relative

    def clean(self, text: str) -> str:
        """Text without a trace of this machine."""
        for root in {str(self.root), str(self.root.resolve())}:
            text = text.replace(f"{root}/workspace", SHOWN_ROOT).replace(f"{root}/home", "/home/operator")
            text = text.replace(f"{root}/bin", "/usr/local/bin")
        text = text.replace(str(FIXTURES), "/usr/local/lib/ops")
        for library in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}:
            text = text.replace(library, "/usr/lib/python3")
        text = text.replace(sys.executable, "/usr/bin/python3")
        if self.address:
            text = text.replace(self.address, SHOWN_ADDRESS)
        # A test run takes the time it takes; the figure would differ at each recording and says nothing.
        return re.sub(r"(?m)^(Ran \d+ tests?) in [\d.]+s$", r"\1 in 0.01s", text)

    @property
    def _clock_file(self) -> Path:
        return self.root / "state" / "clock"

    def _tick(self) -> None:
        self._clock_file.write_text(self.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ"), encoding="utf-8")

    def _program(self, name: str, line: str) -> None:
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)


def _tool_folders() -> list[str]:
    found = (shutil.which(name) for name in ("git", "bash"))
    return sorted({str(Path(path).parent) for path in found if path is not None})
