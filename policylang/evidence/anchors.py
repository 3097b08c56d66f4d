"""What makes a span an anchor under a policy, and what an `exempt` frees (SPEC §3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from policylang.compiler.interpret import evaluate_expression
from policylang.evidence.model import Assertion, Extraction
from policylang.evidence.values import classify
from policylang.regex import compile_pattern
from policylang.rules_ir.facts import SpanFacts, World
from policylang.rules_ir.policy import Anchors, CheckedPolicy, Exempt


def named_assertions(anchors: Anchors | None, text: str) -> tuple[Assertion, ...]:
    """The assertions NAME = value that the `value` groups of named anchors give a text."""
    if anchors is None:
        return ()
    found: list[Assertion] = []
    for anchor in anchors.named:
        for pattern, flags in anchor.patterns:
            compiled = compile_pattern(pattern, flags)
            number = compiled.groupindex["value"]
            for match in compiled.finditer(text):
                start, end = match.span(number)
                if start < end:
                    found.append(_named(anchor.name, text[start:end], start, end))
    return tuple(found)


def _named(name: str, raw: str, start: int, end: int) -> Assertion:
    kind, value = classify(raw, name) or ("enum", raw.casefold())
    return Assertion(None, name, value, kind, start, end, raw, key_start=start)


def with_named(anchors: Anchors | None, text: str, extraction: Extraction) -> Extraction:
    """The extraction of a text with the named assertions added; one already found at its place is not doubled."""
    if anchors is None or not any(anchor.patterns for anchor in anchors.named):
        return extraction
    taken = {(item.key, item.start, item.end) for item in extraction.assertions}
    extra = [item for item in named_assertions(anchors, text) if (item.key, item.start, item.end) not in taken]
    if not extra:
        return extraction
    merged = sorted([*extraction.assertions, *extra], key=lambda item: (item.start, item.end, item.key))
    return Extraction(tuple(merged), extraction.truncated, extraction.bulk, extraction.regions)


def anchored_by(policy: CheckedPolicy, span: SpanFacts, world: World, freed: Sequence[str]) -> tuple[str, ...]:
    """Why a span is an anchor: `kind`, `detect`, names of anchors, `carrier`; empty if it is none.

    ``freed`` are the exempts that free it; they take away anchoring by kind alone.
    """
    anchors = policy.anchors
    if anchors is None:
        return ()
    why: list[str] = []
    if by_kind(policy, span.kind) and not freed:
        why.append("kind")
    if any(item.type in anchors.detect for item in span.assertions):
        why.append("detect")
    # An `anchor when` that is unknown makes an anchor: precision is bought on the other side.
    why += [
        anchor.name for anchor in anchors.named if evaluate_expression(anchor.condition, world, {0: span}) is not False
    ]
    if span.evicted and (span.kind == "pointer" or (span.kind == "summary" and span.assertions)):
        why.append("carrier")
    return tuple(why)


def by_kind(policy: CheckedPolicy, kind: str) -> bool:
    """Whether a kind anchors: named in `anchor kind`, or declared by no policy."""
    anchors = policy.anchors
    return anchors is not None and anchors.kinds is not None and (kind in anchors.kinds or kind not in policy.kinds)


def freed_by(exempts: Iterable[Exempt], span: SpanFacts, world: World, *, reading: bool) -> tuple[str, ...]:
    """Names of the exempts that free a span: true of it, and every assertion lies inside what they match."""
    return tuple(exempt.name for exempt in exempts if _frees(exempt, span, world, reading))


def _frees(exempt: Exempt, span: SpanFacts, world: World, reading: bool) -> bool:
    if span.assertions_truncated or evaluate_expression(exempt.condition, world, {0: span}) is not True:
        return False
    ranges: list[tuple[int, int]] = [
        match.span()
        for pattern, flags in exempt.patterns
        for match in compile_pattern(pattern, flags).finditer(span.text)
    ]
    return all((reading and item.type == "exit_code") or _inside(item.data, ranges) for item in span.assertions)


def _inside(item: Any, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= item.start and item.end <= end for start, end in ranges)
