"""Finding and running everything that a path holds: cases files, and the inline tests of policies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

from policylang.diagnostics import Diagnostic, DiagnosticError
from policylang.frontend.dsl import read_source
from policylang.runtime.policy import load
from policylang.testing.cases import read_cases
from policylang.testing.inline import inline_case
from policylang.testing.model import CaseResult, TestReport
from policylang.testing.run import Loader, run_case

CASES_SUFFIX = ".cases.yaml"
POLICY_SUFFIX = ".policy"


def find_tests(paths: Iterable[str | Path]) -> tuple[Path, ...]:
    """Every cases file and policy under the paths, sorted, each once.

    Raises:
        DiagnosticError: if a path does not exist.
    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if path.is_dir():
            for suffix in (CASES_SUFFIX, POLICY_SUFFIX):
                found.update((file, None) for file in path.rglob(f"*{suffix}") if file.is_file())
        elif path.exists():
            found[path] = None
        else:
            raise DiagnosticError([Diagnostic("syntax-error", f"no such file or folder: {path}")])
    return tuple(sorted(found))


def run_suite(
    paths: Iterable[str | Path],
    *,
    as_of: date | None = None,
    wanted: Callable[[str], bool] = lambda _name: True,
    fail_fast: bool = False,
) -> TestReport:
    """Run every test under the paths.

    Args:
        paths: Files and folders.
        as_of: The day that settles expiries.
        wanted: Chooses cases by name.
        fail_fast: Stop after the first case that fails.

    Raises:
        DiagnosticError: if a cases file or a policy with inline tests cannot be read.
    """
    results: list[CaseResult] = []
    files = find_tests(paths)
    for path in files:
        for result in _run_file(path, as_of, wanted):
            results.append(result)
            if fail_fast and result.outcome == "failed":
                return TestReport(tuple(results), tuple(map(str, files)))
    return TestReport(tuple(results), tuple(map(str, files)))


def _run_file(path: Path, as_of: date | None, wanted: Callable[[str], bool]) -> Iterable[CaseResult]:
    if path.name.endswith(CASES_SUFFIX) or path.suffix in (".yaml", ".yml"):
        policies: Loader = {}
        for case in read_cases(read_source(path)):
            if wanted(case.name):
                yield run_case(case, policies, as_of)
        return
    policy = load(path)
    for test in policy.checked.tests:
        if wanted(test.name.value):
            yield run_case(inline_case(test), {}, as_of, own=policy)
