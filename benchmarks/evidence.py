"""Scores assertion extraction against hand labels: precision, recall, F1 and key agreement, per type and half.

Run from the project's root: ``python -m benchmarks.evidence``. Labels are in ``tests/evidence_labels`` (see GUIDE.md
there); the texts stay in the transcript collection and are found by locator and checked by SHA-256.

A prediction is right if its value's range overlaps a label's and the types agree, or are one of `EQUIVALENT`; each
label and each prediction counts once. A prediction that touches only optional labels is neither right nor wrong. The
development half is for tuning, so its errors can be listed; the held-out half is read for its figures alone.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from policylang.evidence.model import Assertion, Extraction
from policylang.transcript.vocabulary import ASSERTION_TYPES

ROOT: Final = Path(__file__).resolve().parents[1]
LABELS: Final = ROOT / "tests" / "evidence_labels"
TRANSCRIPTS: Final = ROOT.parent / "shared" / "transcripts"
HALVES: Final = ("dev", "dev2", "heldout")
EXTRACTOR: Final = "policylang.evidence.extract:extract"

EQUIVALENT: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("number", "count"),  # "29 tests" and "tests: 29" are one fact
        ("number", "size"),  # the unit may stand in the key: size=4534
        ("number", "duration"),  # the same: duration_seconds: 0.1
        ("number", "timestamp"),  # epoch seconds
        ("duration", "timestamp"),  # 14:00:00 is either, by its key
        ("state", "enum"),  # status: available
        ("state", "boolean"),  # debug mode: on
        ("id", "checksum"),  # BuildID[sha1]=…
    )
)
"""Pairs of types between which a rater could choose; a match between them is a match."""

KEPT: Final = 64
"""Assertions that a span keeps at most; a row with as many labels has its other values among the optional ones."""

STRICT_TYPES: Final = ("write", "exit_code", "id", "checksum", "version")
TARGETS: Final = {"precision": 0.90, "recall": 0.85, "strict": 0.95}

Extract = Callable[..., Extraction]


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled value: half-open range in code points of the span, type, accepted keys (empty: not judged)."""

    start: int
    end: int
    type: str
    keys: frozenset[str]
    value: str
    polarity: bool

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Label:
        keys = frozenset(canonical(key) for key in (row["key"], *row.get("alt", ())))
        judged = keys if "" not in keys and row["type"] != "write" else frozenset[str]()
        return cls(row["start"], row["end"], row["type"], judged, row["value"], row.get("polarity", True))


@dataclass(slots=True)
class Tally:
    """Counts of one group of spans; `right` and `missed` go by the label's type, `false` by the predicted one."""

    right: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    keys_right: int = 0
    keys_judged: int = 0
    polarity_wrong: int = 0
    spans: int = 0
    empty_spans: int = 0
    empty_clean: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the predictions for one span compare with its labels."""

    matched: tuple[tuple[Assertion, Label], ...]
    missed: tuple[Label, ...]
    false: tuple[Assertion, ...]


def canonical(key: str) -> str:
    """A key in the form in which two raters' keys are equal: words split, lower case, every final `s` off."""
    words = "".join(f"_{c}" if c.isupper() else c for c in key) if not key.isupper() else key
    parts = "".join(c if c.isalnum() else "_" for c in words).lower().split("_")
    return "_".join(part.rstrip("s") or part for part in parts if part)


def agree(predicted: str, labelled: str) -> bool:
    """Whether two assertion types are the same or interchangeable."""
    return predicted == labelled or frozenset((predicted, labelled)) in EQUIVALENT


def _overlap(a: Assertion | Label, b: Assertion | Label) -> int:
    return min(a.end, b.end) - max(a.start, b.start)


def compare(found: Iterable[Assertion], labels: list[Label], optional: list[Label]) -> Verdict:
    """Match predictions to labels one to one, the closest ranges first; sort out what is left."""
    predictions = list(found)
    pairs = [
        (p.type != x.type, (p.end - p.start) + (x.end - x.start) - 2 * _overlap(p, x), i, j)
        for i, p in enumerate(predictions)
        for j, x in enumerate(labels)
        if _overlap(p, x) > 0 and agree(p.type, x.type)
    ]
    taken: dict[int, int] = {}
    used: set[int] = set()
    for _, _, i, j in sorted(pairs):
        if i not in taken and j not in used:
            taken[i] = j
            used.add(j)
    false = [p for i, p in enumerate(predictions) if i not in taken and not any(_overlap(p, x) > 0 for x in optional)]
    return Verdict(
        tuple((predictions[i], labels[j]) for i, j in sorted(taken.items())),
        tuple(x for j, x in enumerate(labels) if j not in used),
        tuple(false),
    )


def add(tally: Tally, verdict: Verdict, labelled: bool) -> None:
    """Count one span's verdict into a tally."""
    tally.spans += 1
    tally.right.update(x.type for _, x in verdict.matched)
    tally.missed.update(x.type for x in verdict.missed)
    tally.false.update(p.type for p in verdict.false)
    judged = [(p, x) for p, x in verdict.matched if x.keys]
    tally.keys_judged += len(judged)
    tally.keys_right += sum(canonical(p.key) in x.keys for p, x in judged)
    tally.polarity_wrong += sum(p.polarity != x.polarity for p, x in verdict.matched)
    if not labelled:
        tally.empty_spans += 1
        tally.empty_clean += not verdict.false


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a share; (0, 1) without data."""
    if not total:
        return 0.0, 1.0
    z, share = 1.959964, hits / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def figures(right: int, missed: int, false: int) -> dict[str, Any]:
    """Precision, recall and F1 with intervals; None where nothing was predicted or labelled."""
    found, labelled = right + false, right + missed
    return {
        "labels": labelled,
        "right": right,
        "missed": missed,
        "false": false,
        "precision": right / found if found else None,
        "precision_95": wilson(right, found),
        "recall": right / labelled if labelled else None,
        "recall_95": wilson(right, labelled),
        "f1": 2 * right / (found + labelled) if found + labelled else None,
    }


def summary(tally: Tally) -> dict[str, Any]:
    """A tally as plain data: overall and per type."""
    types = [t for t in ASSERTION_TYPES if tally.right[t] or tally.missed[t] or tally.false[t]]
    return {
        "spans": tally.spans,
        "overall": figures(tally.right.total(), tally.missed.total(), tally.false.total()),
        "types": {t: figures(tally.right[t], tally.missed[t], tally.false[t]) for t in types},
        "key_agreement": tally.keys_right / tally.keys_judged if tally.keys_judged else None,
        "keys_judged": tally.keys_judged,
        "polarity_wrong": tally.polarity_wrong,
        "spans_without_labels": tally.empty_spans,
        "of_which_clean": tally.empty_clean,
    }


def load_extractor(name: str) -> Extract:
    """The function that ``module:function`` names."""
    module, _, function = name.partition(":")
    loaded: Extract = getattr(importlib.import_module(module), function or "extract")
    return loaded


def read_rows(half: str) -> list[dict[str, Any]]:
    """The label rows of one half."""
    lines = (LABELS / f"{half}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


class Texts:
    """The labelled texts, read from the collection file by file; a text that does not hash to its label is refused."""

    def __init__(self, root: Path) -> None:
        sys.path.insert(0, str(LABELS))
        self._spans = importlib.import_module("spans")
        self._root = root
        self._files: dict[str, dict[int | None, Any]] = {}

    def get(self, row: Mapping[str, Any]) -> str | None:
        """The text of a row, or None where the collection lacks the file.

        Raises:
            ValueError: the file is there, but the text is not the one that was labelled.
        """
        name = row["file"]
        place = self._spans.where(self._root, name)
        if not place.is_file():
            return None
        if name not in self._files:
            self._files[name] = dict(self._spans.documents(place))
        locator = row["locator"]
        text: str | None = self._spans.follow(self._files[name].get(locator["line"]), locator["path"])
        if text is None or hashlib.sha256(text.encode()).hexdigest() != row["sha256"]:
            raise ValueError(f"{name}: the text at {locator} is not the labelled one")
        return text


def _context(text: str, start: int, end: int) -> str:
    return f"{text[max(0, start - 40) : start]}⟦{text[start:end]}⟧{text[end : end + 30]}".replace("\n", "⏎")


def print_errors(row: Mapping[str, Any], text: str, verdict: Verdict) -> None:
    """Misses, false ones and wrong keys of one span, with context."""
    lines = [f"  miss  {x.type:<10} {_context(text, x.start, x.end)}" for x in verdict.missed]
    lines += [f"  false {p.type:<10} {p.key} = {_context(text, p.start, p.end)}" for p in verdict.false]
    lines += [
        f"  key   {p.key} not in {sorted(x.keys)}: {_context(text, p.start, p.end)}"
        for p, x in verdict.matched
        if x.keys and canonical(p.key) not in x.keys
    ]
    if lines:
        print(f"{row['file']} {row['locator']['line']} {row['locator']['path']} reading={row['reading']}")
        print("\n".join(lines))


def score(half: str, extract: Extract, texts: Texts, *, errors: bool) -> tuple[dict[str, Tally], int]:
    """Tallies of one half (`all`, by shape of the text, by file) and the number of rows whose file is absent."""
    tallies: dict[str, Tally] = {}
    absent = 0
    for row in read_rows(half):
        text = texts.get(row)
        if text is None:
            absent += 1
            continue
        frame = frozenset(row.get("frame", ()))
        extraction = extract(text, kind=row["kind"], reading=row["reading"], frame_keys=frame)
        labels = [Label.read(x) for x in row["labels"]]
        verdict = compare(extraction.assertions, labels, [Label.read(x) for x in row["optional"]])
        if extraction.truncated and len(labels) == KEPT:
            # Which of the last types are kept hangs on whether `status: available` is a state or an enum.
            verdict = replace(verdict, missed=())
        shape = "json" if text.lstrip()[:2] in ('{"', "[{", "[[") else "text"
        for group in ("all", shape, row["file"]):
            add(tallies.setdefault(group, Tally()), verdict, bool(labels))
        if errors:
            print_errors(row, text, verdict)
    return tallies, absent


def _cell(share: float | None, interval: tuple[float, float]) -> str:
    return "       –        " if share is None else f"{share:.3f} [{interval[0]:.2f}–{interval[1]:.2f}]"


def print_table(title: str, data: Mapping[str, Any]) -> None:
    """One half or group as a table."""
    print(f"\n{title}: {data['spans']} spans, {data['spans_without_labels']} without labels", end="")
    print(f" ({data['of_which_clean']} of these without a false assertion)")
    print(f"{'type':<12}{'labels':>7}{'right':>7}{'missed':>8}{'false':>7}  precision           recall              F1")
    for name, row in [*data["types"].items(), ("overall", data["overall"])]:
        f1 = "–" if row["f1"] is None else f"{row['f1']:.3f}"
        print(
            f"{name:<12}{row['labels']:>7}{row['right']:>7}{row['missed']:>8}{row['false']:>7}  "
            f"{_cell(row['precision'], row['precision_95']):<20}{_cell(row['recall'], row['recall_95']):<20}{f1}"
        )
    keys = "–" if data["key_agreement"] is None else f"{data['key_agreement']:.3f}"
    print(f"keys agree: {keys} of {data['keys_judged']}; wrong polarity: {data['polarity_wrong']}")


def below_target(data: Mapping[str, Any]) -> list[str]:
    """What of one half lies below the targets; a strict type without data is not judged."""
    out = []
    for name in ("precision", "recall"):
        value = data["overall"][name]
        if value is None or value < TARGETS[name]:
            out.append(f"overall {name} {value} < {TARGETS[name]}")
        for kind in STRICT_TYPES:
            value = data["types"].get(kind, {}).get(name)
            if value is not None and value < TARGETS["strict"]:
                out.append(f"{kind} {name} {value:.3f} < {TARGETS['strict']}")
    return out


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Score assertion extraction against hand labels.")
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all")
    parser.add_argument("--errors", action="store_true", help="list misses and false ones of the development halves")
    parser.add_argument("--heldout-errors", action="store_true", help="list those of the held-out half: spends it")
    parser.add_argument("--by-file", action="store_true", help="a table for each transcript file as well")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--check", action="store_true", help="exit 1 if a half is below the targets")
    parser.add_argument("--transcripts", type=Path, default=TRANSCRIPTS)
    parser.add_argument("--extractor", default=EXTRACTOR, metavar="MODULE:FUNCTION")
    return parser.parse_args()


def main() -> int:
    """Run the benchmark; 0, or 1 with ``--check`` below target, or 3 where the transcripts are absent."""
    options = arguments()
    if not options.transcripts.is_dir():
        print(f"skipped: no transcripts at {options.transcripts}", file=sys.stderr)
        return 3
    extract, texts = load_extractor(options.extractor), Texts(options.transcripts)
    report: dict[str, Any] = {}
    failures: list[str] = []
    for half in HALVES if options.half == "all" else (options.half,):
        errors = options.heldout_errors if half == "heldout" else options.errors
        tallies, absent = score(half, extract, texts, errors=errors)
        if absent:
            print(f"{half}: {absent} spans left out, their transcript files are absent", file=sys.stderr)
        groups = {name: summary(tally) for name, tally in tallies.items() if options.by_file or "/" not in name}
        report[half] = groups
        failures += [f"{half}: {line}" for line in below_target(groups["all"])] if "all" in groups else []
    if options.json:
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        for half, groups in report.items():
            for name, data in groups.items():
                print_table(f"{half} / {name}", data)
    for line in failures:
        print(line, file=sys.stderr)
    return 1 if options.check and failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
