"""Each format by example: a small session of ours, and the spans that it must give."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from policylang.transcript.importers import open_transcript
from policylang.transcript.importers.spans import read_spans_jsonl, write_spans_jsonl

GOLDEN = Path(__file__).parents[2] / "golden" / "importers"
CASES = sorted(GOLDEN.glob("*.expect.json"))


def session_of(expect: Path) -> Path:
    stem = expect.name.removesuffix(".expect.json")
    return next(path for path in sorted(GOLDEN.glob(f"{stem}.*")) if path != expect)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name.removesuffix(".expect.json"))
def test_session_gives_these_spans(case: Path) -> None:
    expected: dict[str, Any] = json.loads(case.read_text(encoding="utf-8"))
    with open_transcript(session_of(case)) as transcript:
        spans = [span.to_json() for span in transcript]
        assert transcript.format == expected["format"]
        assert [span["id"] for span in spans] == [span["id"] for span in expected["spans"]]
        for span, wanted in zip(spans, expected["spans"], strict=True):
            assert {name: span.get(name) for name in wanted} == wanted
            assert span["epoch"] == 0 and "tokens" not in span
        assert transcript.counts == expected["counts"]
        assert transcript.malformed == 0


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name.removesuffix(".expect.json"))
def test_spans_survive_our_own_format(case: Path) -> None:
    spans = list(open_transcript(session_of(case)))
    text = "".join(write_spans_jsonl(spans)).encode()
    assert list(read_spans_jsonl(io.BytesIO(text))) == spans
    with open_transcript(io.BytesIO(text)) as again:
        assert again.format == "spans"
        assert list(again) == spans
