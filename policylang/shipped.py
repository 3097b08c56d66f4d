"""The policies that come with the engine: in a wheel under `policylang/_rules`, in a checkout under `rules/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

SUFFIX: Final = ".policy"


@cache
def shipped_root() -> Path:
    """The folder that holds the shipped policies; FileNotFoundError if the installation lost it."""
    here = Path(__file__).resolve().parent
    for folder in (here / "_rules", here.parent / "rules"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("policylang's shipped policies are missing: reinstall the package")


@cache
def shipped_ids() -> tuple[str, ...]:
    """Ids of all shipped policies, sorted (`std/standard`, …)."""
    root = shipped_root()
    return tuple(sorted(path.relative_to(root).as_posix().removesuffix(SUFFIX) for path in root.rglob(f"*{SUFFIX}")))


def shipped_path(policy_id: str) -> Path | None:
    """Where a shipped policy lies, None if none has this id."""
    return shipped_root() / f"{policy_id}{SUFFIX}" if policy_id in shipped_ids() else None


def shipped_name(policy_id: str) -> str:
    """How diagnostics and verdicts name a shipped policy's file: the same on every machine."""
    return f"{policy_id}{SUFFIX}"
