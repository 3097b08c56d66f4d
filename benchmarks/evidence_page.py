"""The figures of extraction in ``docs/evidence.md``: every half against its hand labels, in one table.

python -m benchmarks.evidence_page [--write]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.evidence import EXTRACTOR, HALVES, TARGETS, TRANSCRIPTS, Texts, load_extractor, score, summary
from benchmarks.render import written_into

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "evidence.md"
BEGIN, END = "<!-- figures:extraction -->", "<!-- /figures:extraction -->"
NAMES: Final = {"dev": "development", "dev2": "second development", "heldout": "held out"}
STRICT: Final = ("write", "exit_code", "id", "checksum", "version")

INTRODUCTION: Final = """\
Measured against hand labels (`python -m benchmarks.evidence`; the labels, as offsets and values, and the rater's guide
are in [tests/evidence_labels](../tests/evidence_labels/GUIDE.md)). The two development halves were tuned on, so theirs
are no figures to expect; read blind, before anything was tuned on it, the second scored precision .97 and recall .80.
*Held out* are sessions that nobody who built extraction opened; the summary was looked at three times on the way, texts
and errors never. Shares with their 95 % intervals, and of how many."""


def measure(extractor: str = EXTRACTOR) -> dict[str, Mapping[str, Any]]:
    """The summary of each half over all its spans."""
    extract, texts = load_extractor(extractor), Texts(TRANSCRIPTS)
    return {half: summary(score(half, extract, texts, errors=False)[0]["all"]) for half in HALVES}


def page(report: Mapping[str, Mapping[str, Any]]) -> str:
    """The marked part of the page."""
    return "\n".join((INTRODUCTION, "", *_table(report), "", *_remarks(report["heldout"])))


def _table(report: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield f"| | target | {' | '.join(NAMES[half] for half in report)} |"
    yield f"|---|---|{'---|' * len(report)}"
    spans = (f"{data['spans']}, {data['spans_without_labels']}" for data in report.values())
    yield f"| spans, of them without a label | | {' | '.join(spans)} |"
    for name in ("precision", "recall"):
        cells = (_cell(data["overall"], name) for data in report.values())
        yield f"| {name} | ≥ {TARGETS[name]:.2f} | {' | '.join(cells)} |"
    for kind in STRICT:
        for name in ("precision", "recall"):
            cells = (_cell(data["types"].get(kind), name) for data in report.values())
            yield f"| {kind}, {name} | ≥ {TARGETS['strict']:.2f} | {' | '.join(cells)} |"
    keys = (f"{data['key_agreement']:.3f} of {data['keys_judged']}" for data in report.values())
    yield f"| keys agree | | {' | '.join(keys)} |"


def _cell(row: Mapping[str, Any] | None, name: str) -> str:
    if row is None or row[name] is None:
        return "no data"
    low, high = row[f"{name}_95"]
    total = row["labels"] if name == "recall" else row["right"] + row["false"]
    return f"{row[name]:.3f} ({low:.2f}–{high:.2f}) of {total}"


def _remarks(data: Mapping[str, Any]) -> Iterator[str]:
    short = [
        f"{kind} {name} ({data['types'][kind][name]:.2f})"
        for kind in STRICT
        for name in ("precision", "recall")
        if kind in data["types"] and (data["types"][kind][name] or 0) < TARGETS["strict"]
    ]
    weak = [
        f"{kind} ({row['labels']} labels: precision {row['precision'] or 0:.2f}, recall {row['recall'] or 0:.2f})"
        for kind, row in data["types"].items()
        if kind not in STRICT and row["labels"] >= 10 and min(row["precision"] or 0, row["recall"] or 0) < 0.8
    ]
    if short:
        yield f"Short of the target on held-out sessions: {', '.join(short)}."
    if weak:
        yield f"Weak there, though without a target of their own: {', '.join(weak)}."


def main() -> int:
    """Measure and print or write; 0, or 3 where the transcripts are absent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/evidence.md")
    options = parser.parse_args()
    if not TRANSCRIPTS.is_dir():
        print("skipped: the transcripts are not here", file=sys.stderr)
        return 3
    figures = page(measure())
    if options.write:
        PAGE.write_text(written_into(PAGE.read_text(encoding="utf-8"), figures, BEGIN, END), encoding="utf-8")
    else:
        print(figures)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
