"""``python -m examples.recorder OUT [--only NAME]``: record the bundled sessions into a directory."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from . import build, incident, research
from .scripted import Operator
from .session import EPOCH_HOURS, Clock, Ids, SessionWriter, write_jsonl
from .workbench import Workbench, missing_tools


@dataclass(frozen=True, slots=True)
class Script:
    """One session to record."""

    name: str
    title: str
    session_id: str
    start: str
    seed: int
    prepare: Callable[[Workbench], None]
    play: Callable[[Operator], None]


SCRIPTS = tuple(
    Script(name, module.TITLE, module.SESSION_ID, module.START, module.SEED, module.prepare, module.play)
    for name, module in (("incident-response", incident), ("build", build), ("research", research))
)


def record(script: Script, out: Path) -> dict[str, Any]:
    """Play one script in a scratch directory of its own, write its session, return its ground truth."""
    start = datetime.fromisoformat(script.start)
    clock = Clock(start, start)
    log = SessionWriter(script.session_id, clock, Ids(random.Random(script.seed)))
    with tempfile.TemporaryDirectory(prefix="recorder-") as scratch:
        bench = Workbench(Path(scratch), clock)
        try:
            bench.set_up(script.seed)
            script.prepare(bench)
            operator = Operator(log, bench)
            log.head(script.title)
            script.play(operator)
        finally:
            bench.tear_down()
    facts = operator.ground_truth()
    write_jsonl(out / f"{script.name}.jsonl", log.records)
    return {
        "session_id": script.session_id,
        "start": log.records[0]["timestamp"],
        "end": log.records[-1]["timestamp"],
        "epochs": clock.epoch + 1,
        "records": len(log.records),
        "facts": facts,
    }


def main(argv: list[str] | None = None) -> int:
    """Record; 0 if all was recorded, 2 if a needed program is missing."""
    parser = argparse.ArgumentParser(prog="python -m examples.recorder", description=__doc__)
    parser.add_argument("out", type=Path, help="directory for the sessions and FACTS.json")
    parser.add_argument("--only", choices=[script.name for script in SCRIPTS], help="record this session alone")
    args = parser.parse_args(argv)
    missing = missing_tools()
    if missing:
        print(f"recorder: missing on this machine: {', '.join(missing)}; nothing was recorded", file=sys.stderr)
        return 2
    args.out.mkdir(parents=True, exist_ok=True)
    chosen = [script for script in SCRIPTS if args.only in (None, script.name)]
    with ThreadPoolExecutor(len(chosen)) as pool:
        truths = list(pool.map(lambda script: record(script, args.out), chosen))
    facts = {
        "schema": "policylang.recorded-facts/1",
        "epoch_hours": EPOCH_HOURS,
        "epoch_numbering": "0-based: floor((timestamp - start) / epoch_hours)",
        "sessions": {script.name: truth for script, truth in zip(chosen, truths, strict=True)},
    }
    (args.out / "FACTS.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for script, truth in zip(chosen, truths, strict=True):
        print(f"{script.name}: {truth['records']} records, {truth['epochs']} epochs, {len(truth['facts'])} facts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
