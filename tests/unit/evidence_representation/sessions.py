"""Sessions for tests: from conformance cases, or from a few texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from policylang.evidence.extract import extract
from policylang.evidence.session import Session, SessionSpan
from policylang.transcript.vocabulary import KNOWN_KINDS

CASES = Path(__file__).parents[2] / "conformance"


def span(position: int, text: str, kind: str = "tool_result", **given: Any) -> SessionSpan:
    """A span at a position; a span is its own chain unless one is given."""
    name = given.get("id", f"s{position}")
    return SessionSpan(
        id=name,
        kind=kind,
        klass=KNOWN_KINDS.get(kind, "state"),
        text=text,
        epoch=given.get("epoch", 3),
        position=position,
        chain=given.get("chain", f"chain of {name}"),
        tool=given.get("tool"),
        tool_call_id=given.get("tool_call_id"),
        retained=given.get("retained", True),
        extraction=extract(text, kind=kind, reading=given.get("reading", False)),
    )


def pair(anchor: str, retained: str, kind: str = "reasoning", **given: Any) -> Session:
    """The shorthand of SPEC §8: an evicted tool result `a` and a retained span `r`."""
    return Session(
        [
            span(0, anchor, id="a", epoch=3, retained=False, **given),
            span(1, retained, kind, id="r", epoch=6),
        ]
    )


def left(anchor: str, retained: str, kind: str = "reasoning", **given: Any) -> str:
    """The representation of the anchor in one retained span."""
    return pair(anchor, retained, kind, **given).represent(0).representation


def from_spans(spans: Sequence[Mapping[str, Any]]) -> Session:
    """A session of spans as a request spells them."""
    return Session(
        [
            span(
                number,
                one["text"],
                one["kind"],
                id=one["id"],
                epoch=one["epoch"],
                retained=one.get("disposition") == "retain",
                **{name: one[name] for name in ("chain", "tool", "tool_call_id") if name in one},
            )
            for number, one in enumerate(spans)
        ]
    )


def load(name: str) -> list[dict[str, Any]]:
    """The cases of a conformance file."""
    cases: list[dict[str, Any]] = yaml.safe_load((CASES / name).read_text(encoding="utf-8"))["cases"]
    return cases
