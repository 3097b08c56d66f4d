"""The engine's version, readable without importing anything else."""

from __future__ import annotations

from typing import Final

__version__: Final = "0.3.0"
