"""``python -m benchmarks``: every theme in one run, as tables; a comparison is only fair within one run."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from benchmarks.machine import machine
from benchmarks.model import Report
from benchmarks.render import markdown, written_into

THEMES: Final = ("decide", "columns", "frontend", "standard", "text")
"""Modules in the order in which they run and are shown."""


def names() -> dict[str, str]:
    """Name of each theme -> its module."""
    return {import_module(f"benchmarks.{module}").NAME: f"benchmarks.{module}" for module in THEMES}


def run_themes(chosen: Sequence[str], quick: bool) -> dict[str, tuple[str, Report]]:
    """Title and report of each theme, by name; progress goes to standard error."""
    modules = names()
    out = {}
    for name in chosen:
        theme: Any = import_module(modules[name])
        started = time.perf_counter()
        print(f"{name} …", file=sys.stderr, flush=True)
        out[name] = (theme.TITLE, theme.run(quick))
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return out


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure policylang beside its peers.")
    known = sorted(names())
    parser.add_argument("--quick", action="store_true", help="smaller sizes and few rounds: shows that it runs")
    parser.add_argument("--only", action="append", choices=known, help="one theme; may be given more than once")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the raw figures too")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the tables between the markers of a page")
    return parser.parse_args(given)


def main() -> int:
    """Run, print, write; 2 where a page has no place for the tables."""
    options = arguments()
    chosen = [name for name in names() if not options.only or name in options.only]
    if options.write is not None:
        try:
            written_into(options.write.read_text("utf-8"), "")
        except (OSError, ValueError) as error:
            print(f"{options.write}: {error}", file=sys.stderr)
            return 2
    where = machine()
    reports = run_themes(chosen, options.quick)
    text = markdown(reports, where)
    print(text)
    if options.json is not None:
        data = {"machine": where, "themes": {name: report.to_json() for name, (_, report) in reports.items()}}
        options.json.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if options.write is not None:
        page = options.write.read_text("utf-8")
        options.write.write_text(written_into(page, text), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
