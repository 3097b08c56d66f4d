"""Loading: files, folders and shipped names to one checked policy. The only part of the check that reads files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from policylang.check.closure import Parsed
from policylang.check.run import check_set
from policylang.diagnostics import Diagnostic, PolicyError, did_you_mean, in_source_order
from policylang.frontend import dsl
from policylang.rules_ir.policy import CheckedPolicy
from policylang.shipped import shipped_ids, shipped_name, shipped_path
from policylang.source import Source
from policylang.syntax import ast

Parse = Callable[[Source], tuple[ast.PolicyFile, tuple[Diagnostic, ...]]]

SPELLINGS: Final[dict[str, Parse]] = {".policy": dsl.parse}
"""File name ending -> parser. Another spelling is one more entry; the longest ending that fits counts."""


def load(paths: Sequence[str | Path]) -> CheckedPolicy:
    """The effective policy of files, folders (every policy below) and shipped names such as `std/standard`.

    A parent is found by its id: in the set, else beside the file that names it, else among the shipped policies.

    Raises:
        PolicyError: with the findings of all files.
    """
    loader = _Loader()
    files: list[Parsed] = []
    for path in paths:
        files += loader.named(str(path))
    if not files and not loader.read_anything and not loader.found:
        what = "the folders hold no policy" if paths else "no policy was named"
        loader.found.append(Diagnostic("no-rules", what, None, "name a file, a folder or a shipped policy"))
    return loader.finish(files)


def load_text(text: str, name: str = "<text>", *, stem: str = "policy") -> CheckedPolicy:
    """The policy of a text; its parents are looked for among the shipped policies.

    Raises:
        PolicyError: with all that is wrong with it.
    """
    loader = _Loader()
    return loader.finish([loader.text(Source(name, text), stem)])


def spelling(name: str) -> str | None:
    """The ending by which a file name is a policy's, or None."""
    fits = [ending for ending in SPELLINGS if name.endswith(ending) and name != ending]
    return max(fits, key=len, default=None)


@dataclass(frozen=True, slots=True)
class _Read:
    """A file that was read: None where it could not be, and what is wrong with its text."""

    parsed: Parsed | None
    problems: tuple[Diagnostic, ...]


class _Loader:
    """One load: each file is read once, by its real path."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self._read: dict[Path, _Read] = {}
        self._used: set[Path] = set()
        self._folders: dict[str, Path] = {}
        self._set: dict[str, Parsed] = {}

    @property
    def read_anything(self) -> bool:
        """Whether any file was there, readable or not."""
        return bool(self._used)

    def finish(self, files: Sequence[Parsed]) -> CheckedPolicy:
        """Checks the files; raises PolicyError with every finding."""
        unique = list({id(parsed): parsed for parsed in files}.values())
        self._set = {parsed.id: parsed for parsed in unique}
        policy, findings = check_set(unique, self._parent, self._known)
        problems = [problem for path in self._used for problem in self._read[path].problems]
        found = in_source_order([*self.found, *problems, *findings])
        if policy is None or found:
            raise PolicyError(found)
        return policy

    def text(self, source: Source, stem: str) -> Parsed:
        """A text that is no file."""
        file, problems = dsl.parse(source)
        self.found += problems
        return Parsed(file, stem, bool(problems))

    def named(self, name: str) -> list[Parsed]:
        """The policies behind one argument."""
        path = Path(name)
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if spelling(one.name) and one.is_file())
            return [parsed for one in inside if (parsed := self._use(one, str(one))) is not None]
        if path.is_file():
            parsed = self._use(path, name)
            return [parsed] if parsed is not None else []
        if name in shipped_ids():
            shipped = self._shipped(name)
            return [shipped] if shipped is not None else []
        hint = did_you_mean(name, shipped_ids(), otherwise="shipped policies: {names}")
        self.found.append(Diagnostic("unknown-name", f"no file, folder or shipped policy `{name}`", None, hint))
        return []

    def _use(self, path: Path, shown: str) -> Parsed | None:
        """A file that takes part: what is wrong with it is reported."""
        self._used.add(path.resolve())
        return self._peek(path, shown).parsed

    def _peek(self, path: Path, shown: str) -> _Read:
        real = path.resolve()
        if real not in self._read:
            self._read[real] = self._open(path, shown)
        return self._read[real]

    def _open(self, path: Path, shown: str) -> _Read:
        ending = spelling(path.name) or max(SPELLINGS, key=len)
        try:
            source = dsl.read_source(path, shown)
        except OSError as error:
            reason = error.strerror or str(error)
            return _Read(None, (Diagnostic("unknown-name", f"`{shown}` cannot be read: {reason}"),))
        except PolicyError as error:
            return _Read(None, error.diagnostics)
        self._folders[shown] = path.parent
        file, problems = SPELLINGS[ending](source)
        return _Read(Parsed(file, path.name.removesuffix(ending), bool(problems)), problems)

    def _shipped(self, policy_id: str) -> Parsed | None:
        path = shipped_path(policy_id)
        return self._use(path, shipped_name(policy_id)) if path is not None else None

    def _parent(self, policy_id: str, child: Parsed) -> Parsed | None:
        found = self._set.get(policy_id)
        if found is None:
            found = self._beside(policy_id, child)
        return found if found is not None else self._shipped(policy_id)

    def _beside(self, policy_id: str, child: Parsed) -> Parsed | None:
        """A policy of this id in the child's folder; one named like the id is looked at first.

        What is wrong with a sibling that nobody names is not this policy's business.
        """
        shown = child.file.loc.source.name
        folder = self._folders.get(shown)
        if folder is None or shown in map(shipped_name, shipped_ids()):
            return None
        last = policy_id.rsplit("/", 1)[-1]
        siblings = sorted(one for one in folder.iterdir() if spelling(one.name) and one.is_file())
        for path in sorted(siblings, key=lambda one: one.name.removesuffix(spelling(one.name) or "") != last):
            parsed = self._peek(path, str(path)).parsed
            if parsed is not None and parsed.id == policy_id:
                return self._use(path, str(path))
        return None

    def _known(self, child: Parsed) -> Iterable[str]:
        return {*self._set, *shipped_ids()} - {child.id}
