"""The figures of `docs/replay.md`: six sessions under two runtimes, with the gate and without.

Run from the project's root: ``python -m benchmarks.replay_figures`` prints them, ``--write`` puts them into the page
between its marks, ``--check`` fails where the page says something else. Three sessions come with policylang, three from
the transcript collection beside the project; without that collection nothing is written, and the reason is told.
Figures only: no text of a transcript is printed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from policylang.analysis.replay import IndexMode, ReplayOptions, replay
from policylang.analysis.report import ReplayReport, RunReport
from policylang.runtime.policy import load
from policylang.transcript.importers import open_transcript

ROOT: Final = Path(__file__).resolve().parents[1]
BUNDLED: Final = ROOT / "examples" / "sessions"
TRANSCRIPTS: Final = ROOT.parent / "shared" / "transcripts"
PAGE: Final = ROOT / "docs" / "replay.md"
BEGIN, END = "<!-- figures:replay -->\n", "<!-- /figures:replay -->"

POLICY: Final = "std/standard"
DAY: Final = date(2026, 12, 1)
OWN: Final = ("incident-response", "build", "research")
OTHERS: Final = (
    "claude-code/rust-port.jsonl",
    "swe-agent/marshmallow-1867-fc.traj",
    "anthropic/cline-session.messages.json",
)


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime that is replayed, and the title of its table."""

    compactor: str
    index: IndexMode
    title: str


DOCUMENTS: Final = Runtime("similarity", "rebuilt", "The document's runtime: `--compactor similarity --index rebuilt`")
SOUND: Final = Runtime("structural", "pre", "A sound one: `--compactor structural --index pre`")
RUNTIMES: Final = (
    DOCUMENTS,
    Runtime("similarity", "pre", "The heuristic over a sound index"),
    Runtime("structural", "rebuilt", "The structural score over a rebuilt index"),
    SOUND,
)

SHOWN: Final = (DOCUMENTS, SOUND)

Found = Mapping[tuple[str, str, IndexMode], ReplayReport]


def sessions() -> Iterator[tuple[str, Path]]:
    """Name and file of every session."""
    for name in OWN:
        yield name, BUNDLED / f"{name}.jsonl"
    for name in OTHERS:
        yield Path(name).name.split(".")[0], TRANSCRIPTS / name


def measure() -> Found:
    """Every session under every runtime."""
    policy = load(POLICY)
    out: dict[tuple[str, str, IndexMode], ReplayReport] = {}
    for name, path in sessions():
        with open_transcript(path) as transcript:
            spans = list(transcript)
        for runtime in RUNTIMES:
            options = ReplayOptions(compactor=runtime.compactor, index=runtime.index)
            out[name, runtime.compactor, runtime.index] = replay(
                policy, spans, options, name=name, format=transcript.format, as_of=DAY
            )
    return out


# --- tables ------------------------------------------------------------------------------------------------------


def page(found: Found) -> str:
    """All tables as Markdown."""
    names = tuple(name for name, _ in sessions())
    by_runtime = tuple(f"{runtime.compactor}, {runtime.index}" for runtime in RUNTIMES)
    sections = [
        ("Six sessions, three of them bundled.", _SIZE_HEAD, _sizes(found)),
        *((f"{runtime.title}. Without the gate → with it.", _RUN_HEAD, _runs(found, runtime)) for runtime in SHOWN),
        ("Epochs refused, by rule: the document's runtime / the sound one.", ("rule", *names), _rules(found)),
        ("Divergence at the end, without the gate → with it.", ("session", *by_runtime), _divergence(found)),
    ]
    return "\n".join(f"{title}\n\n{_table(head, rows)}" for title, head, rows in sections)


_SIZE_HEAD: Final = ("session", "format", "spans", "tokens", "epochs", "facts")
_RUN_HEAD: Final = (
    "session",
    "epochs refused",
    "tokens compacted",
    "less",
    "tokens spilled",
    "tokens at the end",
    "facts lost",
    "needs after the span had gone",
    "of them lost",
)


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in head[1:])]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *rows))


def _sizes(found: Found) -> Iterator[Sequence[str]]:
    for name, _ in sessions():
        report = _report(found, name, SOUND)
        sizes = (report.spans, report.tokens, len(report.ungated.epochs), report.facts)
        yield (f"`{name}`", report.format, *(f"{size:,}" for size in sizes))


def _runs(found: Found, runtime: Runtime) -> Iterator[Sequence[str]]:
    for name, _ in sessions():
        report = _report(found, name, runtime)
        without, gate = report.ungated.totals(), _gated(report).totals()
        yield (
            f"`{name}`",
            f"{gate['refused']} of {gate['epochs']}",
            _pair(without["compacted_tokens"], gate["compacted_tokens"]),
            _less(without["compacted_tokens"], gate["compacted_tokens"]),
            f"{gate['spilled_tokens']:,}",
            *(_pair(without[key], gate[key]) for key in ("final_tokens", "lost", "asked", "asked_lost")),
        )


def _rules(found: Found) -> Iterator[Sequence[str]]:
    counts = {
        (name, runtime): Counter(rule for epoch in _gated(_report(found, name, runtime)).epochs for rule in epoch.rules)
        for name, _ in sessions()
        for runtime in SHOWN
    }
    for rule in sorted({rule for count in counts.values() for rule in count}):
        cells = (f"{counts[name, DOCUMENTS][rule]} / {counts[name, SOUND][rule]}" for name, _ in sessions())
        yield (f"`{rule}`", *cells)


def _divergence(found: Found) -> Iterator[Sequence[str]]:
    for name, _ in sessions():
        reports = [_report(found, name, runtime) for runtime in RUNTIMES]
        yield (f"`{name}`", *(f"{_last(report.ungated)} → {_last(_gated(report))}" for report in reports))


def _last(run: RunReport) -> str:
    return f"{run.epochs[-1].divergence:.3f}" if run.epochs else "-"


def _pair(without: int, gate: int) -> str:
    return f"{without:,} → {gate:,}"


def _less(without: int, gate: int) -> str:
    return f"{100 * (without - gate) / without:.0f} %" if without else "-"


def _report(found: Found, name: str, runtime: Runtime) -> ReplayReport:
    return found[name, runtime.compactor, runtime.index]


def _gated(report: ReplayReport) -> RunReport:
    assert report.gated is not None
    return report.gated


# --- the page ----------------------------------------------------------------------------------------------------


def written_into(text: str, figures: str) -> str:
    """The page with the figures between its marks."""
    before, rest = text.split(BEGIN, 1)
    return f"{before}{BEGIN}{figures}{END}{rest.split(END, 1)[1]}"


def main() -> int:
    """Measures, and prints, writes or checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/replay.md")
    parser.add_argument("--check", action="store_true", help="fail where docs/replay.md says something else")
    chosen = parser.parse_args()
    missing = [str(path.relative_to(ROOT.parent)) for _, path in sessions() if not path.is_file()]
    if missing:
        print(f"skipped: the page needs all six sessions, and these are not here: {', '.join(missing)}")
        return 0
    figures = page(measure())
    text = PAGE.read_text(encoding="utf-8")
    if chosen.write:
        PAGE.write_text(written_into(text, figures), encoding="utf-8")
    elif chosen.check:
        if written_into(text, figures) != text:
            print("docs/replay.md says something else: python -m benchmarks.replay_figures --write", file=sys.stderr)
            return 1
    else:
        print(figures, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
