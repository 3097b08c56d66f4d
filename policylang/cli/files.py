"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from policylang.cli.failures import CannotRunError, unwritable


def write_atomically(path: str | Path, data: bytes) -> None:
    """Replace a file's bytes in one step; a file that is there keeps its mode, and a link keeps pointing at it.

    A device or a pipe is written to as it is.

    Raises:
        CannotRunError: it cannot be written; what was there before still is.
    """
    try:
        _write(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise CannotRunError([unwritable(error, str(path))]) from None


def _write(target: Path, data: bytes) -> None:
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("wb") as stream:
            stream.write(data)
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
