"""A verdict for a person: the decision first, the reasons by rule, then what is to be done with every span."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from policylang.report.blocks import Banner, Block, Column, Heading, Line, Piece, Style, Table, Text, line
from policylang.report.explain.spelling import WORDS
from policylang.report.width import counted, shorten, visible
from policylang.runtime.reasons import Reason, spell
from policylang.runtime.verdict import Verdict
from policylang.transcript.request import Request
from policylang.transcript.span import Span

ACTION_STYLE: Mapping[str, Style] = {"compact": "good", "spill": "warn", "restate": "info"}
SHOWN = 12
"""Spans listed for a rule, and rows of the plan for one action, before the rest is only counted."""


def verdict_report(verdict: Verdict, request: Request) -> Iterator[Block]:
    """The whole verdict; ``request`` gives kind and epoch of the spans that it names."""
    spans = {span.span_id: span for span in request.spans}
    yield _banner(verdict)
    yield from _reasons("Refused because", verdict.reasons, spans, "bad")
    yield from _plan(verdict, spans)
    yield from _reasons("Warnings", verdict.warnings, spans, "warn")
    yield from _reasons("Warnings that could not be decided", verdict.undetermined_warnings, spans, "warn")
    yield from _reasons("In shadow (logged, never decides)", verdict.shadow, spans, "muted")
    yield from _exempted(verdict)


def excerpt(text: str, columns: int = 84) -> str:
    """The start of a span's text on one line."""
    return shorten(visible(" ".join(text[: columns * 4].split())), columns)


def short_digest(digest: str) -> str:
    """Enough of a digest to tell two apart on a screen; JSON has all of it."""
    return digest[: len("sha256:") + 12]


def _banner(verdict: Verdict) -> Banner:
    head = verdict.head
    policy = line(
        "policy ", Piece(visible(f"{head.policy_id} {head.policy_version}"), "strong"), f" as of {head.as_of}"
    )
    digest = line(Piece(f"policy {short_digest(head.policy_digest)}, request {short_digest(head.request)}", "muted"))
    generation = f", generation {head.generation}" if head.generation is not None else ""
    counts = f"epoch {head.epoch}{generation}: {len(verdict.plan)} evicted, {verdict.details.anchors} of them anchors"
    if not verdict.refused:
        return Banner("COMPACT", "good", (line(counts), policy, digest))
    rules = len({reason.rule for reason in verdict.reasons})
    says = f"; refused by {rules} rule{'s' * (rules != 1)}"
    return Banner("SPILL LOSSLESS", "bad", (line(counts + says), policy, digest))


def _reasons(title: str, reasons: Sequence[Reason], spans: Mapping[str, Span], style: Style) -> Iterator[Block]:
    if not reasons:
        return
    yield Heading(line(title))
    groups: dict[str, list[Reason]] = {}
    for reason in reasons:
        groups.setdefault(reason.rule, []).append(reason)
    for rule, group in groups.items():
        yield Text(_rule_line(rule, group, style), indent=2)
        for reason in group[:SHOWN]:
            yield from _reason(reason, spans)
        if len(group) > SHOWN:
            yield Text(line(Piece(f"and {len(group) - SHOWN} more", "muted")), indent=4)


def _rule_line(rule: str, group: Sequence[Reason], style: Style) -> Line:
    first = group[0]
    number = len(group)
    counted = "" if first.scope == "epoch" else f"  {number} {first.scope}{'s' * (number != 1)}"
    where = f"  {visible(first.source)}" if first.source is not None else ""
    return line(Piece(visible(rule), style), Piece(counted, "muted"), Piece(where, "muted"))


def _reason(reason: Reason, spans: Mapping[str, Span]) -> Iterator[Block]:
    yield Text(line(*_subject(reason, spans), visible(reason.message)), indent=4)
    if reason.scope == "span":
        for name in reason.spans[:SHOWN]:
            yield Text(line(Piece(f"“{excerpt(spans[name].text)}”", "value")), indent=6, wraps=False)
    if reason.undetermined:
        missing = ", ".join(map(visible, reason.missing)) or "nothing is named"
        yield Text(line(Piece("undetermined", "warn"), f": not known: {missing}"), indent=6)
    if reason.evidence:
        parts = "; ".join(
            f"{WORDS.get(name, visible(name))} = {visible(spell(value))}" for name, value in reason.evidence.items()
        )
        yield Text(line(Piece(parts, "muted")), indent=6)


def _subject(reason: Reason, spans: Mapping[str, Span]) -> Line:
    """Who it is about, unless the message says so."""
    names = [reason.chain] if reason.chain is not None else list(reason.spans)
    if all(name in reason.message for name in names):
        return ()
    if reason.chain is not None:
        return line("chain ", Piece(visible(reason.chain), "name"), ": ")
    if len(reason.spans) == 1 and (span := spans.get(reason.spans[0])) is not None:
        return line(
            Piece(visible(span.span_id), "name"), Piece(f" ({visible(span.kind)}, epoch {span.epoch})", "muted"), ": "
        )
    if reason.spans:
        return line(Piece(", ".join(map(visible, reason.spans)), "name"), ": ")
    return ()


def _plan(verdict: Verdict, spans: Mapping[str, Span]) -> Iterator[Block]:
    if not verdict.plan:
        return
    counts = {action: [item for item in verdict.plan if item.action == action] for action in ACTION_STYLE}
    parts: list[str | Piece] = ["Plan: "]
    for number, (action, items) in enumerate(counts.items()):
        tokens = sum(spans[item.span].mass for item in items)
        parts += [", "] * (number > 0)
        parts += [Piece(f"{len(items)} {action}", ACTION_STYLE[action] if items else "muted")]
        parts += [Piece(f" ({counted(tokens, 'token')})", "muted")] * bool(items)
    yield Heading(line(*parts))
    rows = []
    for action in ("restate", "spill", "compact"):
        items = counts[action]
        rows += [_row(item.span, action, item.rules, spans) for item in items[:SHOWN]]
        if len(items) > SHOWN:
            more = f"and {len(items) - SHOWN} more"
            rows.append((line(Piece(more, "muted")), line(), line(), line(Piece(action, "muted")), line()))
    columns = (
        Column("span"), Column("kind"), Column("tokens", right=True), Column("action"), Column("because", grows=True)
    )  # fmt: skip
    yield Table(columns, tuple(rows), indent=2)


def _row(name: str, action: str, rules: Sequence[str], spans: Mapping[str, Span]) -> tuple[Line, ...]:
    span = spans[name]
    return (
        line(Piece(visible(name), "name")),
        line(visible(span.kind)),
        line(str(span.mass)),
        line(Piece(action, ACTION_STYLE[action])),
        line(visible(", ".join(rules))),
    )


def _exempted(verdict: Verdict) -> Iterator[Block]:
    if not verdict.exempted:
        return
    yield Heading(line("Exempted from being anchors"))
    groups: dict[str, list[str]] = {}
    for item in verdict.exempted:
        groups.setdefault(item.exempt, []).append(item.span)
    for name, ids in groups.items():
        yield Text(line(Piece(visible(name), "name"), ": ", visible(", ".join(ids))), indent=2)
