"""The JSON Schemas that policylang publishes, as files beside this one (draft-07, which editors know best)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_SUFFIX: Final = ".schema.json"
_FOLDER: Final = Path(__file__).resolve().parent


def schema_names() -> tuple[str, ...]:
    """Names of the schemas, sorted."""
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in _FOLDER.glob(f"*{_SUFFIX}")))


def schema_text(name: str) -> str:
    """A schema as it is published."""
    return (_FOLDER / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
