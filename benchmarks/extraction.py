"""How fast extraction reads tool results, and that no text makes it slower than linear.

Run from the project's root: ``python -m benchmarks.extraction``. Tool results come from the transcript collection
beside the project and from its own sessions; without either, a made corpus of logs, acknowledgements and documents
stands in and is named as such. The baseline scans the same texts for the same superset of candidate lines with the
standard library's `re`. All results are read `PASSES` times; every memory (lines, values, keys) is emptied before each
pass, so that only what repeats inside the results themselves is met again. The best pass is the figure; the very first
one, in which RE2 builds its automata, is told apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from policylang.evidence import keys, values
from policylang.evidence.calls import is_reading
from policylang.evidence.extract import extract
from policylang.evidence.extraction import found, lines, scan

ROOT: Final = Path(__file__).resolve().parents[1]
TRANSCRIPTS: Final = ROOT.parent / "shared" / "transcripts"
FILES: Final = (
    "claude-code/rust-port.jsonl",
    "claude-code/bhavana.jsonl",
    "claude-code/coverage-fix.jsonl",
    "codex/*.jsonl",
    "codex/*.jsonl.gz",
    "pi/large-session*",
    "openai-chat/litellm-claude-sonnet-4.json",
    "openai-chat/fncall-messages.json",
    "anthropic/cline-session.messages.json",
    "tau-bench/*.json",
)
"""Transcripts that extraction was developed on; the others are held out for its accuracy."""
LIMIT: Final = 20_000_000
"""Bytes of tool results that are read at most."""


@dataclass(frozen=True, slots=True)
class Result:
    """One tool result: its text and whether its call only read."""

    text: str
    reading: bool


def _documents(path: Path) -> Iterator[Any]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = raw.decode("utf-8", "replace")
    parts = text.split("\n") if ".jsonl" in path.name else [text]
    for line in parts:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def _walk(value: Any, calls: dict[str, tuple[str, str]]) -> Iterator[Result]:
    """Tool results wherever they stand in a document: blocks, messages, response items, spans of our own."""
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, calls)
        return
    if not isinstance(value, dict):
        return
    kind, role = value.get("type"), value.get("role")
    for call in value.get("tool_calls") or []:
        if isinstance(call, dict) and isinstance(call.get("function"), dict):
            calls[str(call.get("id"))] = (str(call["function"].get("name")), str(call["function"].get("arguments")))
    if kind in ("tool_use", "toolCall"):
        calls[str(value.get("id"))] = (str(value.get("name")), json.dumps(value.get("input") or value.get("arguments")))
    if kind in ("function_call", "custom_tool_call"):
        calls[str(value.get("call_id"))] = (str(value.get("name")), str(value.get("arguments") or value.get("input")))
    ref = value.get("tool_use_id") or value.get("tool_call_id") or value.get("toolCallId") or value.get("call_id")
    holds = kind in ("tool_result", "function_call_output", "custom_tool_call_output") or role in ("tool", "toolResult")
    if holds or value.get("kind") in ("tool_result", "api_response", "file_write_ack"):
        text = _text(value.get("content", value.get("output", value.get("text"))))
        if text:
            tool, call = calls.get(str(ref), (value.get("tool"), None))
            yield Result(text, is_reading(tool, call))
        return
    for item in value.values():
        yield from _walk(item, calls)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(str(block.get("text", "")) for block in value if isinstance(block, dict))
    return value if isinstance(value, str) else ""


def corpus() -> tuple[str, list[Result]]:
    """The tool results and where they are from."""
    results: list[Result] = []
    size = 0
    paths = [path for pattern in FILES for path in sorted(TRANSCRIPTS.glob(pattern))]
    for path in [*paths, *sorted((ROOT / "examples" / "sessions").glob("*.jsonl"))]:
        calls: dict[str, tuple[str, str]] = {}
        for document in _documents(path):
            for result in _walk(document, calls):
                results.append(result)
                size += len(result.text)
        if size > LIMIT:
            break
    if results:
        return "transcripts and sessions", results
    log = "".join(f"2026-12-01T10:00:{n % 60:02}Z INFO step {n} ready port=80{n % 90:02}\n" for n in range(2_000))
    made = [
        log,
        "The file /srv/app/main.py has been updated\n",
        json.dumps([{"id": f"x{n}", "n": n} for n in range(500)]),
    ]
    return "a made corpus", [Result(text, False) for text in made * 20]


ADVERSARIAL: Final[dict[str, Callable[[int], str]]] = {
    "a=": lambda size: "a=" * (size // 2),
    "((((": lambda size: "(" * size,
    "k: k: k:": lambda size: "k: " * (size // 3),
    "spaces": lambda size: "x" + " " * size + "y",
    "digits": lambda size: "7" * size,
    "a=1 a line": lambda size: "a=1\n" * (size // 4),
    "2 000-character lines": lambda size: ("k is 7 created x y z " * 95 + "\n") * (size // 1_996),
    "combining marks": lambda size: "\u0301\u0316" * (size // 4),
    "[[[[ nested": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "{ nested": lambda size: '{"a":' * (size // 6) + "1" + "}" * (size // 6),
    "one line of JSON": lambda size: (
        "[" + ",".join(f'{{"id":"x{n}","ok":true,"n":{n}}}' for n in range(size // 32)) + "]"
    ),
}


def forget() -> None:
    """Empty every memory that would let a text be read faster because another one was read before."""
    lines.forget()
    found.tell.cache_clear()
    values.classify.cache_clear()
    keys.words.cache_clear()
    keys.normalise.cache_clear()


def _seconds(work: Callable[[], object], repeat: int) -> float:
    best = float("inf")
    for _ in range(repeat):
        forget()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


PASSES: Final = 12
"""Passes over the results, for figures that do not hang on one moment of the machine."""


def _megabytes(results: list[Result]) -> float:
    return sum(len(result.text.encode("utf-8", "replace")) for result in results) / 1e6


def _facts(result: Result) -> int:
    return len(extract(result.text, kind="tool_result", reading=result.reading).assertions)


def _rate(results: list[Result], repeat: int) -> float:
    size = _megabytes(results)
    if not size:
        return 0.0
    taken = _seconds(lambda: [extract(r.text, kind="tool_result", reading=r.reading) for r in results], repeat)
    return size / taken


def measure(repeat: int) -> dict[str, Any]:
    """All figures: MB/s by kind of result, the baseline's, and seconds of each adversarial text at two sizes."""
    origin, results = corpus()
    first = _seconds(lambda: [_facts(result) for result in results], 1)
    passes = repeat if repeat == 1 else max(repeat, PASSES)
    reading = [result for result in results if result.reading]
    documents = [r for r in results if not r.reading and r.text.lstrip()[:1] in ("{", "[")]
    plain = [r for r in results if not r.reading and r.text.lstrip()[:1] not in ("{", "[")]
    counts = {number: _facts(result) for number, result in enumerate(plain)}
    silent = [result for number, result in enumerate(plain) if not counts[number]]
    telling = [result for number, result in enumerate(plain) if counts[number]]
    facts = sum(counts.values())
    data = [result.text.encode("utf-8", "replace") for result in plain]
    texts = [chunk.decode("utf-8") for chunk in data]
    size = sum(map(len, data)) / 1e6
    baseline = re.compile("|".join(scan.PARTS), re.I | re.M)
    ours = _seconds(lambda: [sum(1 for _ in scan.candidates(chunk, 0, len(chunk))) for chunk in data], repeat)
    theirs = _seconds(lambda: [sum(1 for _ in baseline.finditer(text)) for text in texts], 1)
    adversarial = {}
    for name, make in ADVERSARIAL.items():
        small, large = make(1_250_000), make(10_000_000)
        one = _seconds(partial(extract, small, kind="tool_result"), 1)
        two = _seconds(partial(extract, make(2_500_000), kind="tool_result"), 1)
        ten = _seconds(partial(extract, large, kind="tool_result"), 1)
        adversarial[name] = {"seconds_1.25MB": one, "seconds_10MB": ten, "ratio": ten / one, "doubled": two / one}
    return {
        "corpus": origin,
        "results": len(results),
        "megabytes": _megabytes(results),
        "mb_per_s": {
            "all": _rate(results, passes),
            "of reading calls": _rate(reading, passes),
            "JSON documents": _rate(documents, passes),
            "other text": _rate(plain, passes),
            "of it without a fact": _rate(silent, passes),
            "of it with facts": _rate(telling, passes),
        },
        "first_pass_mb_per_s": _megabytes(results) / first,
        "facts_per_kb": {
            "JSON documents": sum(map(_facts, documents)) / 1e3 / _megabytes(documents) if documents else 0.0,
            "of it with facts": facts / 1e3 / _megabytes(telling) if telling else 0.0,
        },
        "scan_mb_per_s": {"re2": size / ours if ours else 0.0, "re": size / theirs if theirs else 0.0},
        "adversarial": adversarial,
    }


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure assertion extraction.")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--repeat", type=int, default=3, help="best of so many runs")
    options = parser.parse_args()
    figures = measure(options.repeat)
    if options.json:
        print(json.dumps(figures, indent=2))
        return 0
    print(f"{figures['results']} results, {figures['megabytes']:.2f} MB, from {figures['corpus']}")
    for name, rate in figures["mb_per_s"].items():
        print(f"  extract, {name:<18}{rate:>9.1f} MB/s")
    print(f"  the first pass, all{figures['first_pass_mb_per_s']:>21.1f} MB/s")
    for name, rate in figures["facts_per_kb"].items():
        print(f"  facts a kB, {name:<18}{rate:>9.1f}")
    for name, rate in figures["scan_mb_per_s"].items():
        print(f"  superset scan by {name:<10}{rate:>9.1f} MB/s")
    print("  adversarial, seconds for 1.25 MB and 10 MB (8 is linear), ratio of 2.5 MB to 1.25 MB:")
    for name, row in figures["adversarial"].items():
        taken = f"{row['seconds_1.25MB']:>8.2f}{row['seconds_10MB']:>9.2f}"
        print(f"    {name:<24}{taken}   x {row['ratio']:.1f}   x {row['doubled']:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
