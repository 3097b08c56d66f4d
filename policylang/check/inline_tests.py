"""Inline tests name kinds, rules, spans and settings too; a misspelt one would test nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from policylang.check.blockrules import BLOCK_IDS
from policylang.check.layer import Layer
from policylang.check.sink import Sink
from policylang.source import Loc
from policylang.syntax import ast

EXTRAS: Final[dict[str, str]] = {
    "chain": "text",
    "tool": "text",
    "tool_call_id": "text",
    "batch": "text",
    "parents": "text",
    "represented_by": "text",
    "tokens": "number",
    "loss": "number",
    "score": "number",
    "verified": "nothing",
    "unverified": "nothing",
    "interim": "nothing",
}
"""What may stand after a span's disposition, and what follows it."""

GIVEN: Final[dict[str, tuple[str, ...]]] = {
    "epoch": ("epoch",),
    "index": ("source", "rebuilt", "size", "coverage"),
    "scoring": ("similarity", "structural", "anchor_auc"),
    "monitor": ("enabled", "queries", "divergence"),
}
"""What `given` may say of the base of SPEC §8. A scoring term may have any name, so these are not checked."""


def check_tests(
    tests: Iterable[ast.InlineTest], layer: Layer, broken_rules: frozenset[str], has_gap: bool, sink: Sink
) -> None:
    """Reports words of inline tests that name nothing."""
    tests = list(tests)
    if not tests:
        return
    rules = layer.rule_ids()
    for test in tests:
        spans = [item for item in test.items if isinstance(item, ast.InlineSpan)]
        seen: dict[str, Loc] = {}
        for span in spans:
            first = seen.get(span.id.name)
            if first is None:
                seen[span.id.name] = span.id.loc
            else:
                related = ((first, "first here"),)
                sink.error("duplicate-id", f"two spans are called `{span.id.name}`", span.id.loc, None, related)
            _check_span(span, layer, has_gap, sink)
        for item in test.items:
            if isinstance(item, ast.InlineGiven):
                _check_given(item, sink)
            elif isinstance(item, ast.InlineExpect):
                _check_expect(item, rules, broken_rules, seen, has_gap, sink)


def _check_span(span: ast.InlineSpan, layer: Layer, has_gap: bool, sink: Sink) -> None:
    if span.kind.name not in layer.kinds and not has_gap:
        sink.unknown("unknown-kind", "kind", span.kind.name, span.kind.loc, layer.kinds)
    for name, value in span.extras:
        wanted = EXTRAS.get(name.name)
        if wanted is None:
            sink.unknown("unknown-field", "field of a test span:", name.name, name.loc, EXTRAS)
            continue
        given = "nothing" if value is None else "text" if isinstance(value, ast.TextLit) else "number"
        if given != wanted:
            loc = value.loc if value is not None else name.loc
            sink.error("type-mismatch", f"`{name.name}` takes {wanted}, not {given}", loc)


def _check_given(given: ast.InlineGiven, sink: Sink) -> None:
    target = given.target.name
    known = GIVEN.get(target)
    if known is None:
        sink.unknown("unknown-name", "evidence", target, given.target.loc, GIVEN)
        return
    if target == "scoring":
        return
    for setting in given.settings:
        if setting.name.name not in known:
            sink.unknown("unknown-setting", f"{target} evidence", setting.name.name, setting.name.loc, known)


def _check_expect(
    expect: ast.InlineExpect,
    rules: frozenset[str],
    broken: frozenset[str],
    spans: dict[str, Loc],
    has_gap: bool,
    sink: Sink,
) -> None:
    rule = expect.rule
    if rule is not None and rule.name not in rules and rule.name not in broken:
        # A block's id may be expected not to refuse where its block is not there.
        harmless = expect.outcome.name == "no" and rule.name in BLOCK_IDS
        if not has_gap and not harmless:
            sink.unknown("unknown-name", "rule", rule.name, rule.loc, rules)
    for span in expect.spans:
        if span.name not in spans:
            sink.unknown("unknown-name", "span of this test:", span.name, span.loc, spans)
