"""The hand labels are whole: each text is the one that was labelled, each value stands where its label says.

The scorer is held to them too: an extractor that returns the labels scores 1, one that errs loses what it erred.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from policylang.evidence.model import Assertion, Extraction
from policylang.transcript.vocabulary import ASSERTION_TYPES

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"tool_result", "file_write_ack", "api_response"}


def _scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("evidence_benchmark", ROOT / "benchmarks" / "evidence.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SCORER = _scorer()
ROWS: dict[str, list[dict[str, Any]]] = {half: SCORER.read_rows(half) for half in SCORER.HALVES}

needs_texts = pytest.mark.skipif(
    not SCORER.TRANSCRIPTS.is_dir(), reason="the transcript collection is not beside the project"
)


@pytest.mark.parametrize("half", SCORER.HALVES)
def test_rows_have_the_shape_of_the_guide(half: str) -> None:
    for row in ROWS[half]:
        assert row["kind"] in KINDS
        for label in row["labels"] + row["optional"]:
            assert label["type"] in ASSERTION_TYPES
            assert 0 <= label["start"] <= label["end"]
        if row["reading"]:
            assert {label["type"] for label in row["labels"]} <= {"exit_code"}
        assert len(row["labels"]) <= 64
        ranges = sorted((label["start"], label["end"]) for label in row["labels"])
        assert all(a[1] <= b[0] for a, b in pairwise(ranges)), "labels of one span overlap"


@pytest.mark.parametrize(("one", "other"), list(combinations(SCORER.HALVES, 2)))
def test_no_text_is_in_two_halves(one: str, other: str) -> None:
    assert not {row["sha256"] for row in ROWS[one]} & {row["sha256"] for row in ROWS[other]}


def test_no_file_of_the_second_development_half_is_in_another() -> None:
    files = {half: {row["file"] for row in ROWS[half]} for half in SCORER.HALVES}
    assert not files["dev2"] & (files["dev"] | files["heldout"])


def test_there_is_enough_of_everything() -> None:
    for half in SCORER.HALVES:
        assert len(ROWS[half]) >= 160
        assert sum(bool(row["labels"]) for row in ROWS[half]) >= 60
        assert sum(not row["labels"] for row in ROWS[half]) >= 40
        for kind in ("write", "exit_code", "id", "version"):
            assert sum(x["type"] == kind for row in ROWS[half] for x in row["labels"]) >= 20


@needs_texts
@pytest.mark.parametrize("half", SCORER.HALVES)
def test_every_value_stands_where_its_label_says(half: str) -> None:
    texts = SCORER.Texts(SCORER.TRANSCRIPTS)
    for row in ROWS[half]:
        text = texts.get(row)
        if text is None:
            continue
        for label in row["labels"] + row["optional"]:
            assert text[label["start"] : label["end"]] == label["value"]


def _oracle(half: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Callable[..., Extraction]:
    texts = SCORER.Texts(SCORER.TRANSCRIPTS)
    rows = {text: row for row in ROWS[half] if (text := texts.get(row)) is not None}

    def extract(text: str, **_: object) -> Extraction:
        found = tuple(
            Assertion(None, x["key"], x["value"], x["type"], x["start"], x["end"], x["value"], x.get("polarity", True))
            for x in change(rows[text]["labels"])
        )
        return Extraction(found, False, False, ())

    return extract


def _overall(half: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> dict[str, Any]:
    tallies, _ = SCORER.score(half, _oracle(half, change), SCORER.Texts(SCORER.TRANSCRIPTS), errors=False)
    data: dict[str, Any] = SCORER.summary(tallies["all"])
    return data


@needs_texts
@pytest.mark.parametrize("half", SCORER.HALVES)
def test_the_labels_themselves_score_one(half: str) -> None:
    data = _overall(half, lambda labels: labels)
    assert (data["overall"]["precision"], data["overall"]["recall"], data["key_agreement"]) == (1.0, 1.0, 1.0)
    assert data["polarity_wrong"] == 0
    assert data["of_which_clean"] == data["spans_without_labels"]


@needs_texts
def test_what_is_left_out_is_missed_and_what_is_wrong_is_false() -> None:
    every = sum(len(row["labels"]) for row in ROWS["dev"])
    spans = sum(bool(row["labels"]) for row in ROWS["dev"])
    shorter = _overall("dev", lambda labels: labels[1:])["overall"]
    assert (shorter["missed"], shorter["false"], shorter["right"]) == (spans, 0, every - spans)
    wrong = _overall("dev", lambda labels: [{**labels[0], "type": "ip"}, *labels[1:]] if labels else [])["overall"]
    ips = sum(bool(row["labels"]) and row["labels"][0]["type"] == "ip" for row in ROWS["dev"])
    assert (wrong["missed"], wrong["false"]) == (spans - ips, spans - ips)
    twice = _overall("dev", lambda labels: [*labels, *labels[:1]])["overall"]
    assert (twice["missed"], twice["false"]) == (0, spans)


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3 (Wilson).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_wilson_s(hits: int, total: int, low: float, high: float) -> None:
    assert SCORER.wilson(hits, total) == pytest.approx((low, high), abs=5e-5)
