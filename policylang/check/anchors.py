"""`anchor …` and `exempt`: kinds, detectors, named conditions, and which exempts free too much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from policylang.check.context import ANCHOR_FREE, Names, Typing
from policylang.check.expressions import type_as
from policylang.check.queue_depth import frees_queue_depth
from policylang.check.sink import Sink
from policylang.diagnostics import nearest
from policylang.regex import compile_pattern
from policylang.rules_ir import expr as ir
from policylang.rules_ir.policy import Exempt, NamedAnchor
from policylang.rules_ir.types import BOOL, SPAN
from policylang.source import Loc
from policylang.syntax import ast
from policylang.syntax.walk import walk
from policylang.transcript.vocabulary import ASSERTION_TYPES, CLASSES

RESERVED = ("kind", "detect", "carrier")
"""What `anchor_by` says of its own accord; no named anchor may be called so."""

_SUBJECT = ir.Var(0, "span", SPAN)
_ENV = {"span": _SUBJECT}


@dataclass(frozen=True, slots=True)
class OwnAnchors:
    """What one file says of anchors; ``first`` is its first `anchor`."""

    first: Loc | None
    kinds: tuple[ast.Ident, ...] | None
    detect: frozenset[str]
    named: tuple[NamedAnchor, ...]
    exempts: tuple[Exempt, ...]


def read_anchors(decls: Iterable[ast.Decl], names: Names, used: set[str], sink: Sink) -> OwnAnchors:
    """The file's anchors and exempts; what is wrong with them is reported. ``used`` takes the `let`s they call."""
    kinds: list[ast.Ident] | None = None
    detect: set[str] = set()
    named: list[NamedAnchor] = []
    exempts: list[Exempt] = []
    places: list[Loc] = []
    for decl in decls:
        if isinstance(decl, ast.AnchorKind | ast.AnchorDetect | ast.AnchorWhen):
            places.append(decl.loc)
        if isinstance(decl, ast.AnchorKind):
            kinds = kinds or []
            kinds += [kind for kind in decl.kinds if _is_kind(kind, names, sink)]
        elif isinstance(decl, ast.AnchorDetect):
            for word in decl.types:
                if word.name in ASSERTION_TYPES:
                    detect.add(word.name)
                else:
                    sink.unknown("unknown-name", "assertion type", word.name, word.loc, ASSERTION_TYPES)
        elif isinstance(decl, ast.AnchorWhen):
            named.append(_named(decl, names, used, sink))
        elif isinstance(decl, ast.Exempt):
            exempt = _exempt(decl, names, used, sink)
            if exempt is not None:
                exempts.append(exempt)
    first = min(places, key=lambda loc: loc.start, default=None)
    return OwnAnchors(
        first, tuple(kinds) if kinds is not None else None, frozenset(detect), tuple(named), tuple(exempts)
    )


def _is_kind(kind: ast.Ident, names: Names, sink: Sink) -> bool:
    if kind.name in names.kinds:
        return True
    if not names.open_kinds:
        if kind.name in CLASSES:
            hint = f"`{kind.name}` is a class; name its kinds"
            sink.error("unknown-kind", f"unknown kind `{kind.name}`", kind.loc, hint)
        else:
            declare = f"declare it: `kind {kind.name} : state`"
            sink.unknown("unknown-kind", "kind", kind.name, kind.loc, names.kinds, declare)
    return False


def _condition(t: Typing, condition: ast.Expr, who: str) -> ir.Expr:
    return type_as(t, condition, _ENV, BOOL, who)


def _named(decl: ast.AnchorWhen, names: Names, used: set[str], sink: Sink) -> NamedAnchor:
    name = decl.name.name
    if name in RESERVED:
        sink.error("duplicate-id", f"`{name}` is a word of `anchor_by`", decl.name.loc, "choose another name")
    t = Typing(names, sink, ANCHOR_FREE)
    condition = _condition(t, decl.condition, "`anchor … when` takes")
    used |= t.used
    found = tuple(_patterns(condition))
    for pattern in found:
        _check_groups(pattern, decl, sink)
    patterns = tuple(pattern for pattern in found if "value" in _groups(*pattern))
    return NamedAnchor(name, condition, patterns, decl.loc)


def _check_groups(pattern: tuple[str, str], decl: ast.AnchorWhen, sink: Sink) -> None:
    """Nothing but `value` is read of a named anchor's pattern: another name would be ignored, most likely a typo."""
    regexes = (node for node in walk(decl.condition) if isinstance(node, ast.RegexLit))
    loc = next((node.loc for node in regexes if (node.pattern, node.flags) == pattern), decl.condition.loc)
    for group in _groups(*pattern):
        if group != "value":
            near = "did you mean `value`?" if nearest(group, ("value",)) is not None else None
            hint = f"the group `value` asserts `{decl.name.name}` = what it found; write `(…)` for one without a name"
            message = f"the group `{group}` asserts nothing: only one called `value` does"
            sink.error("bad-regex", message, loc, near or hint)


def _groups(pattern: str, flags: str) -> Iterable[str]:
    groups: Iterable[str] = compile_pattern(pattern, flags).groupindex
    return groups


def _exempt(decl: ast.Exempt, names: Names, used: set[str], sink: Sink) -> Exempt | None:
    name = decl.name.name
    before = len(sink.found)
    gaps = [] if decl.because is not None and decl.because.value.strip() else ["reason"]
    if decl.until is None:
        gaps.append("date")
    if gaps:
        hint = 'write `because "…" until 2027-01-31`'
        sink.error("exempt-without-expiry", f"the exempt `{name}` has no {' and no '.join(gaps)}", decl.name.loc, hint)
    t = Typing(names, sink, ANCHOR_FREE)
    condition = _condition(t, decl.condition, "`exempt … when` takes")
    used |= t.used
    patterns = tuple(_patterns(condition))
    typed = all(item.code in ("exempt-without-expiry",) for item in sink.found[before:])
    if typed and frees_queue_depth(condition, patterns):
        message = f"the exempt `{name}` frees any span, also a tool_result `queue depth = 42`"
        hint = "match the text that can be made again, from its beginning: `span.text matches /^total \\d+/`"
        sink.error("exempt-too-wide", message, decl.condition.loc, hint)
    if decl.because is None or decl.until is None:
        return None
    return Exempt(name, condition, patterns, decl.because.value, decl.until.value, decl.loc)


def _patterns(condition: ir.Expr) -> Iterator[tuple[str, str]]:
    """Each `span.text matches` that stands un-negated: under `and` and `or` alone."""
    match condition:
        case ir.And(operands) | ir.Or(operands):
            for operand in operands:
                yield from _patterns(operand)
        case ir.Matches(ir.Field(ir.Var(0), "text"), pattern, flags):
            yield pattern, flags
        case _:
            return


def with_declared(kinds: Iterable[str], declared: Iterable[tuple[str, str | None]]) -> frozenset[str]:
    """Anchor kinds with every declared kind of class state: it counts as named wherever `anchor kind` stands."""
    return frozenset(kinds) | {kind for kind, klass in declared if klass == "state"}
