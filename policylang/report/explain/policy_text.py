"""A policy, its rules and their cost for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from policylang.report.blocks import Block, Column, Heading, Line, Piece, Table, Text, line
from policylang.report.width import counted, shorten, visible

Document = Mapping[str, Any]


def policy_report(document: Document) -> Iterator[Block]:
    """A policy's explanation, or what its rules can cost."""
    policy = document["policy"]
    name = Piece(visible(f"{policy['id']} {policy['version']}"), "title")
    yield Text(line(name, Piece(f" as of {document['as_of']}", "muted")))
    yield Text(line(Piece(policy["digest"], "muted")))
    if "costs" in document:
        yield from _costs(document)
        return
    yield Text(line("made of: ", visible(", ".join(document["layers"]))))
    yield from _anchors(document["anchors"])
    yield from _settings(document)
    yield from _rules(document["rules"])


def _anchors(anchors: Document | None) -> Iterator[Block]:
    yield Heading(line("Anchors"))
    if anchors is None:
        yield Text(line("none: the policy has no `anchor`"), indent=2)
        return
    if anchors["kinds"] is not None:
        yield Text(line("by kind: ", visible(", ".join(anchors["kinds"])), ", and every undeclared kind"), indent=2)
    if anchors["detect"]:
        yield Text(line("by what they assert: ", ", ".join(anchors["detect"])), indent=2)
    for item in anchors["named"]:
        yield Text(line(Piece(visible(item["name"]), "name"), ": when ", visible(item["when"])), indent=2)
    for item in anchors["exempts"]:
        until = Piece(f" until {item['until']}{' (expired)' if item['expired'] else ''}", "warn")
        says = f": when {item['when']}; {item['because']}"
        yield Text(line("exempt ", Piece(visible(item["name"]), "name"), visible(says), until), indent=2)


def _settings(document: Document) -> Iterator[Block]:
    yield Heading(line("Settings"))
    for kind, klass in document["kinds"].items():
        yield Text(line("kind ", Piece(visible(kind), "name"), f" is {klass}"), indent=2)
    for budget in document["budgets"]:
        bound = "never" if budget["epsilon"] is None else f"ε ≤ {budget['epsilon']:g} per chain, by {budget['by']}"
        yield Text(line("budget ", Piece(visible(budget["kind"]), "name"), f" {bound}"), indent=2)
    index, monitor = document["index"], document["monitor"]
    source = "pre-compaction only" if index["source_pre_compaction"] else "any source"
    quarantine = (
        "no quarantine" if index["quarantine"] is None else f"quarantine {counted(index['quarantine'], 'epoch')}"
    )
    yield Text(line(f"index: {source}, {quarantine}"), indent=2)
    if index["probe"]:
        probes = f"{index['require']} of {', '.join(index['probe'])} in the top {index['top_k']}"
        yield Text(line(f"probes: {probes}"), indent=2)
    if monitor["declared"]:
        bound = "unbounded" if monitor["divergence"] is None else f"at most {monitor['divergence']:g}"
        window = f"over {monitor['window']} queries, from {monitor['minimum']} on; before that {monitor['cold_start']}"
        yield Text(line(f"monitor: divergence {bound} {window}"), indent=2)


def _rules(rules: Sequence[Document]) -> Iterator[Block]:
    yield Heading(line(f"Rules: {len(rules)}"))
    columns = (Column("rule"), Column("level"), Column("mode"), Column("over"), Column("written at", grows=True))
    yield Table(columns, tuple(_row(rule) for rule in rules), indent=2)
    for rule in rules:
        for item in rule["relaxations"]:
            yield Text(_relaxation(rule["id"], item), indent=2)


def _row(rule: Document) -> tuple[Line, ...]:
    return (
        line(Piece(visible(rule["id"]), "name")),
        line(rule["level"]),
        line(Piece(rule["mode_then"], "plain" if rule["mode_then"] == "enforce" else "warn")),
        line(rule["each"] or "the epoch"),
        line(Piece(visible(rule["source"]), "muted")),
    )


def _relaxation(rule: str, item: Document) -> Line:
    owner = f" (owner {item['owner']})" if item["owner"] else ""
    to = "to shadow" if item["to"] == "shadow" else f"to: {shorten(item['to'], 60)}"
    over = " (expired: no longer in force)" if item["expired"] else ""
    says = f" relaxed {to} until {item['until']}{over}: {item['because']}{owner}"
    return line(Piece(visible(rule), "name"), Piece(visible(says), "muted" if item["expired"] else "warn"))


def rule_head(rule: Document) -> Iterator[Block]:
    """One rule: what it is, why it is there, and its text."""
    yield Heading(line("Rule ", Piece(visible(rule["id"]), "name")))
    made = ", made by a block" if rule["builtin"] else ""
    mode = rule["mode_then"] if rule["mode_then"] == rule["mode"] else f"{rule['mode']}, now {rule['mode_then']}"
    over = rule["each"] or "the epoch, once"
    facts = f"{rule['level']}, mode {mode}, over {over}{made}"
    yield Text(line(facts, Piece(f"  {visible(rule['source'])}", "muted")), indent=2)
    if rule["doc"]:
        for text in rule["doc"].splitlines():
            yield Text(line(Piece(visible(text), "muted")), indent=2)
    for text in rule["text"].splitlines():
        yield Text(line(Piece("| ", "muted"), visible(text)), indent=2, wraps=False)
    yield Text(line("when ", visible(rule["when"])), indent=2, hang=4)
    for item in rule["relaxations"]:
        yield Text(_relaxation(rule["id"], item), indent=2)


def _costs(document: Document) -> Iterator[Block]:
    yield Heading(line("Bound on the steps of each rule"))
    for item in document["costs"]:
        yield Text(line(Piece(visible(item["rule"]), "name"), ": ", visible(item["bound"])), indent=2, hang=4)
        for text in item["parts"][1:]:
            depth = len(text) - len(text.lstrip(" "))
            yield Text(line(Piece(visible(text.strip()), "muted")), indent=4 + depth)
    used = "".join(item["bound"] for item in document["costs"])
    yield Heading(line("where"))
    for size, meaning in document["sizes"].items():
        if size in used:
            yield Text(line(Piece(size, "value"), f" = {meaning}"), indent=2)
