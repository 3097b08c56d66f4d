"""From policy text to the compiled function, phase by phase; and what a process costs before it does anything."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.model import Cell, Goal, Report, Table, scaled
from benchmarks.render import count
from benchmarks.timing import medians, once
from policylang.check import check, load_text
from policylang.compiler.fused import fuse
from policylang.frontend import dsl
from policylang.frontend.dsl.lexer import tokenize
from policylang.regex import compile_pattern
from policylang.source import Source

NAME: Final = "frontend"
TITLE: Final = "Loading a policy"

ROOT: Final = Path(__file__).resolve().parents[1]
SIZES: Final = (100, 1_000)

CONDITIONS: Final = (
    "span.kind == deploy_receipt and span.representation == referenced",
    "span.kind in [tool_result, api_response] and span.age > {n}",
    "span.anchor and not span.verified and span.tokens > {n}",
    "span.text matches /(?i)release[_ ]{n}\\s*[:=]\\s*\\d+/",
    'any a in span.assertions where a.type == version: a.key == "schema_version_{n}" and a.status != restated',
    "(count s in retained: s.kind == summary and s.epoch >= {n}) == 0",
    "if span.class == state then span.loss > {n}% else severed(span)",
    "(span.chain.epsilon > 8% or span.chain.epsilon is unknown) and span.position >= {n}",
)
"""One of each sort of expression that real policies hold, by turns; ``{n}`` tells the rules apart."""


def rules_of(size: int) -> list[dict[str, str]]:
    """``size`` rules as plain data: id, condition and message."""
    return [
        {
            "refuse": f"rule-{number}",
            "for_each": "span in evicted",
            "when": CONDITIONS[number % len(CONDITIONS)].replace("{n}", str(number % 90 + 2)),
            "because": f"{{span.id}} ({{span.kind}}, epoch {{span.epoch}}) breaks rule {number}",
        }
        for number in range(size)
    ]


def policy_text(size: int) -> str:
    """A policy of ``size`` rules over spans, as a person would lay it out."""
    head = (
        f'policy "bench/rules-{size}" version "1.0.0"\n\nkind deploy_receipt : state\n'
        "anchor kind tool_result, api_response\n\nlet severed(s) = s.anchor and s.representation != restated\n"
    )
    rules = (
        f"\n## Rule {number}.\n"
        f'refuse "{rule["refuse"]}" {{\n  for each {rule["for_each"]}\n  when {rule["when"]}\n'
        f'  because "{rule["because"]}"\n  then spill span\n}}\n'
        for number, rule in enumerate(rules_of(size))
    )
    return head + "".join(rules)


COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "python -c pass": ("-c", "pass"),
    "import policylang": ("-c", "import policylang"),
    "import policylang, its names used": ("-c", "import policylang; policylang.evaluate, policylang.load"),
    "policylang --version": ("-m", "policylang", "--version"),
    "policylang check std/standard": ("-m", "policylang", "check", "rules/std/standard.policy"),
    "policylang check, 100 rules": ("-m", "policylang", "check", "-"),
}
"""Whole processes; the last one reads a policy of 100 rules on standard input."""


def process(arguments: Sequence[str]) -> None:
    """Run one process to its end.

    Raises:
        CalledProcessError: it did not succeed, so its time would mean nothing.
    """
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, input=policy_text(100).encode())


def time_processes(rounds: int) -> dict[str, float]:
    """Median seconds of each process, by turns; a first turn fills the disk cache and writes bytecode."""
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for name in list(COMMANDS) * (rounds + 1):
        taken[name].append(once(partial(process, COMMANDS[name])))
    return {name: statistics.median(found[1:]) for name, found in taken.items()}


def time_phases(size: int, seconds: float) -> tuple[dict[str, float], int]:
    """Median seconds of each phase for a policy of ``size`` rules, and its bytes.

    Raises:
        ValueError: the policy does not come out with ``size`` rules of its own.
    """
    text = policy_text(size)
    source = Source("bench.policy", text)
    file, problems = dsl.parse(source)
    policy, findings = check(file)
    if problems or findings or policy is None or sum(not rule.builtin for rule in policy.rules) != size:
        raise ValueError(f"the policy of {size} rules is not whole: {[*problems, *findings][:3]}")
    rules = policy.rules
    data = json.dumps({"policy": "bench", "rules": rules_of(size)})
    phases = {
        "tokens": lambda: tokenize(source),
        "parse (with tokens)": lambda: dsl.parse(source),
        "check": lambda: _afresh(lambda: check(file)),
        "compile": lambda: _afresh(lambda: fuse(rules)),
        "text to function": lambda: _afresh(lambda: fuse(load_text(text).rules)),
        "limit: json.loads of the rules as JSON, expressions as strings": lambda: json.loads(data),
    }
    return medians(phases, seconds), len(text.encode())


def _afresh(work: Callable[[], object]) -> None:
    """Do it with no pattern compiled yet, as in a process that loads its policy."""
    compile_pattern.cache_clear()
    work()


def run(quick: bool) -> Report:
    """Times the phases and the processes."""
    phases = {size: time_phases(size, 1.5 if quick else 12.0) for size in SIZES}
    processes = time_processes(3 if quick else 15)
    return Report((_phase_table(phases), _process_table(processes)), _goals(phases[SIZES[-1]][0], processes))


def _phase_table(phases: Mapping[int, tuple[dict[str, float], int]]) -> Table:
    names = list(phases[SIZES[0]][0])
    rows: list[tuple[Cell, ...]] = [(name, *(scaled(phases[size][0][name], "ms") for size in SIZES)) for name in names]
    rate = (len(CONDITIONS), *(phases[size][1] / 1e3 for size in SIZES))
    note = (
        f"Rules of {rate[0]} sorts (comparison, membership, regex, quantifier, `if`, `let`, unknown values); "
        f"{rate[1]:.0f} kB and {rate[2]:.0f} kB of text."
    )
    return Table(
        "From text to the compiled function", ("ms", *(f"{count(size)} rules" for size in SIZES)), tuple(rows), (note,)
    )


def _process_table(found: Mapping[str, float]) -> Table:
    base = found["python -c pass"]
    rows = tuple((name, scaled(taken, "ms"), scaled(taken - base, "ms")) for name, taken in found.items())
    note = "Whole processes from start to exit, bytecode written; `python -c pass` is what no Python program can beat."
    return Table("Processes", ("ms", "whole", "over python -c pass"), rows, (note,))


def _goals(phases: Mapping[str, float], processes: Mapping[str, float]) -> tuple[Goal, ...]:
    return (
        Goal("1 000 rules: text to compiled function", scaled(phases["text to function"], "ms"), 300.0, "ms"),
        Goal("`import policylang`, whole process", scaled(processes["import policylang"], "ms"), 80.0, "ms"),
        Goal("`policylang check`, cold", scaled(processes["policylang check std/standard"], "ms"), 300.0, "ms"),
    )
