"""What the figures were measured on; without it they mean nothing."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from benchmarks.sides import PEERS
from policylang.version import __version__

LIBRARIES: Final = ("numpy", "google-re2", "lark", "msgspec", "click")
NOT_INSTALLED: Final = "not installed"


def machine() -> dict[str, str]:
    """Date, processor, cores, Python and versions, by name."""
    packages = (*LIBRARIES, *PEERS.values())
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load before the run": f"{os.getloadavg()[0]:.1f}",
        "system": platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "policylang": __version__,
        **{name: _version(name) for name in packages},
    }


def _processor() -> str:
    """The processor's model, as the system names it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return NOT_INSTALLED
