"""Configuration: `policylang.toml`, or `[tool.policylang]` of a pyproject.toml, found upwards from the working folder.

The nearest one counts, files are never merged. The search ends at the folder that holds `.git`, if there is one.
Known keys: `policy` (a text or a list: what `-p` is where it is left out; paths start at the file's folder), `format`
(`text` or `json`) and `fail-level` (as the option).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from policylang.cli.failures import CannotRunError, unreadable
from policylang.diagnostics import Diagnostic, did_you_mean
from policylang.source import Loc, Source

FORMATS: Final = ("text", "json")
FINDING_FORMATS: Final = (*FORMATS, "sarif", "junit", "github")
"""What commands that report findings write; the configuration knows the first two, which every command has."""

FAIL_LEVELS: Final = ("error", "warning", "info", "never")
KEYS: Final = ("policy", "format", "fail-level")


@dataclass(frozen=True, slots=True)
class Config:
    """What the configuration says; ``path`` is None where there is none."""

    path: Path | None = None
    policy: tuple[str, ...] = ()
    format: str | None = None
    fail_level: str | None = None


def find_config(start: Path) -> Config:
    """The nearest configuration at or above a folder.

    Raises:
        CannotRunError: it is not TOML, or has an unknown key or a value that the key does not take.
    """
    import tomllib

    for folder in (start, *start.parents):
        for name in ("policylang.toml", "pyproject.toml"):
            path = folder / name
            if not path.is_file():
                continue
            source = _read(path)
            try:
                document = tomllib.loads(source.text)
            except tomllib.TOMLDecodeError as error:
                raise CannotRunError([Diagnostic("syntax-error", f"not TOML: {error}", Loc(source, 0, 1))]) from None
            table = document if name == "policylang.toml" else document.get("tool", {}).get("policylang")
            if table is not None:
                return _config(table, source, path)
        if (folder / ".git").exists():
            break
    return Config()


def _read(path: Path) -> Source:
    try:
        return Source(str(path), path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise CannotRunError([Diagnostic("bad-encoding", f"{path} is not UTF-8")]) from None
    except OSError as error:
        raise CannotRunError([unreadable(error)]) from None


def _config(table: Any, source: Source, path: Path) -> Config:
    findings = []
    if not isinstance(table, dict):
        raise CannotRunError([Diagnostic("type-mismatch", "`tool.policylang` is not a table", Loc(source, 0, 1))])
    for key in table:
        if key not in KEYS:
            message = f"the configuration has no key `{key}`"
            findings.append(Diagnostic("unknown-key", message, _place(source, key), did_you_mean(key, KEYS)))
    policy = table.get("policy", [])
    policy = [policy] if isinstance(policy, str) else policy
    if not isinstance(policy, list) or not all(isinstance(item, str) for item in policy):
        message = "`policy` is a text or a list of texts"
        findings.append(Diagnostic("type-mismatch", message, _place(source, "policy")))
    for key, choices in (("format", FORMATS), ("fail-level", FAIL_LEVELS)):
        if key in table and table[key] not in choices:
            message = f"`{key}` is one of {', '.join(choices)}"
            findings.append(Diagnostic("type-mismatch", message, _place(source, key)))
    if findings:
        raise CannotRunError(findings)
    return Config(path, tuple(_beside(path, item) for item in policy), table.get("format"), table.get("fail-level"))


def _place(source: Source, key: str) -> Loc:
    at = source.text.find(key, max(source.text.find("[tool.policylang]"), 0))
    return Loc(source, max(at, 0), max(at, 0) + len(key))


def _beside(path: Path, policy: str) -> str:
    beside = path.parent / policy
    return str(beside) if beside.exists() else policy
