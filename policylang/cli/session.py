"""One run of the command line: what was asked of it, and its two streams."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, TextIO

from policylang.cli.config import FINDING_FORMATS, FORMATS, Config, find_config
from policylang.cli.failures import OutputError, unwritable
from policylang.report.blocks import Block

Advance = Callable[[], None]


@contextmanager
def writing(stream: TextIO) -> Iterator[TextIO]:
    """The stream, to be written to.

    Raises:
        OutputError: it takes no more (a full disk); a reader that has gone is a `BrokenPipeError` as ever.
    """
    try:
        yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "<stderr>" if stream is sys.stderr else "<stdout>"
        raise OutputError([unwritable(error, name)]) from None


class Session:
    """The state that the options of one run set, and where its output goes.

    Attributes:
        argv: The arguments, to tell a wish for JSON before they could be read.
        isolated: No configuration is looked for.
        debug: Show tracebacks.
        colour: `auto`, `always` or `never`.
        format: The format chosen, None as long as no option was read.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        self.argv = tuple(argv)
        self.isolated = "--isolated" in argv
        self.debug = "--debug" in argv or bool(os.environ.get("POLICYLANG_DEBUG"))
        self.colour = "auto"
        self.format: str | None = None
        self._config: Config | None = None

    @property
    def config(self) -> Config:
        """The configuration, read when it is first asked for."""
        if self._config is None:
            self._config = Config() if self.isolated else find_config(Path.cwd())
        return self._config

    def wanted_format(self) -> str:
        """What the answer is to be written in, even if the arguments could not be read."""
        if self.format is not None:
            return self.format
        from policylang.cli.group import command_modules

        command = next((word for word in self.argv if word in command_modules()), None)
        for number, word in enumerate(self.argv):
            if word == "--":
                break
            following = self.argv[number + 1] if number + 1 < len(self.argv) else ""
            for found in (word.removeprefix("--format="), word.removeprefix("-f"), following):
                if word.startswith(("--format", "-f")) and found in FINDING_FORMATS:
                    # Only what reports findings has the other forms; what wanted one elsewhere is a program.
                    return found if command in ("check", "test") or found in FORMATS else "json"
        return (self._config.format if self._config is not None else None) or "text"

    def _coloured(self, stream: Any) -> bool:
        """Whether a stream gets the terminal's rendering. A flag beats a variable, a variable beats the stream."""
        if self.colour != "auto":
            return self.colour == "always"
        if os.environ.get("FORCE_COLOR"):
            return True
        return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"

    def show(self, report: Iterable[Block], *, error: bool = False) -> None:
        """Write a report to standard output, or to standard error."""
        with writing(sys.stderr if error else sys.stdout) as stream:
            self._show(report, stream)

    def _show(self, report: Iterable[Block], stream: TextIO) -> None:
        if not self._coloured(stream):
            from policylang.report.plain import WIDTH, to_text

            # A dumb terminal has a width too; a pipe or a file has none.
            wide = get_terminal_size((WIDTH, 24)).columns if stream.isatty() else WIDTH
            stream.write(to_text(report, wide))
            return
        from policylang.report.terminal import console, show

        without = self.colour == "auto" and bool(os.environ.get("NO_COLOR"))
        width = None if stream.isatty() else 100
        show(report, console(stream, colour=not without, width=width))

    def write(self, text: str) -> None:
        """Write text to standard output as it is."""
        with writing(sys.stdout) as stream:
            stream.write(text)

    def document(self, document: Any) -> None:
        """Write the one JSON document of a run."""
        from policylang.report.json_text import to_json_text

        self.write(to_json_text(document))

    def note(self, text: str) -> None:
        """Write a line for the person to standard error."""
        from policylang.report.width import visible

        with writing(sys.stderr) as stream:
            stream.write(visible(text) + "\n")

    def flush(self) -> None:
        """Give both streams to the operating system now, while there is somebody to tell that it refuses."""
        for found in (sys.stdout, sys.stderr):
            with writing(found) as stream:
                stream.flush()

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Iterator[Advance]:
        """Progress on standard error, if that is a terminal; call what is yielded once for each step."""
        if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            yield lambda: None
            return
        from policylang.report.terminal import progress

        with progress(sys.stderr, what, total) as bar:
            yield lambda: bar.advance(bar.task_ids[0])
