"""An explanation for a person, rendered from its document, ending with what would make it `compact`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from policylang.report.blocks import Block, Column, Gap, Heading, Line, Node, Piece, Style, Table, Text, line, tree
from policylang.report.explain.policy_text import policy_report, rule_head
from policylang.report.width import counted, number, shorten, visible

Document = Mapping[str, Any]

STATUS_STYLE: Final[Mapping[str, Style]] = {
    "restated": "good",
    "superseded": "good",
    "contradicted": "bad",
    "referenced": "warn",
    "partial": "warn",
    "absent": "muted",
}
TRUTH_STYLE: Final[Mapping[str, Style]] = {"true": "strong", "false": "muted", "unknown": "warn"}
SHOWN: Final = 20


def explain_report(document: Document) -> Iterator[Block]:
    """Any ``policylang.explain/v1`` document."""
    if "policy" in document["of"]:
        yield from policy_report(document)
        return
    yield _decision(document)
    if "span" in document["of"]:
        yield from _span(document)
    elif "rule" in document["of"]:
        yield from _rule(document)
    elif "chain" in document["of"]:
        yield from _chain(document)
    else:
        yield from _overview(document)
    yield from _to_compact(document)


def _decision(document: Document) -> Block:
    policy = document["policy"]
    style: Style = "good" if document["decision"] == "compact" else "bad"
    return Text(
        line(
            f"epoch {document['epoch']}: ",
            Piece(document["decision"], style),
            Piece(visible(f" under {policy['id']} {policy['version']} as of {document['as_of']}"), "muted"),
        )
    )


# --- a span ------------------------------------------------------------------------------------------------------


def _span(document: Document) -> Iterator[Block]:
    span = document["span"]
    yield Heading(line("Span ", Piece(visible(span["id"]), "name")))
    facts = [
        f"{span['kind']} (class {span['class']})",
        f"epoch {span['epoch']}, {counted(span['age'], 'epoch')} old",
        span["disposition"],
        counted(span["tokens"], "token"),
        *([f"tool {span['tool']}"] if span["tool"] else []),
    ]
    yield Text(line(visible(", ".join(facts))), indent=2)
    yield Text(line(Piece(f"“{shorten(visible(' '.join(span['text'].split())), 200)}”", "value")), indent=2, hang=0)
    anchor = document["anchor"]
    yield Heading(line("Anchor: ", Piece("yes" if anchor["is"] else "no", "warn" if anchor["is"] else "muted")))
    for why in anchor["why"]:
        yield Text(line(visible(why)), indent=2)
    yield from _assertions(document)
    yield from _evidence(document)
    yield from _rules(document["rules"], "Rules that ranged over it")
    yield from _epoch_rules(document["epoch_rules"])
    if document["plan"] is not None:
        plan = document["plan"]
        because = f" because of {', '.join(plan['rules'])}" if plan["rules"] else ""
        yield Heading(line("Plan: ", Piece(plan["action"], "title"), visible(because)))


def _assertions(document: Document) -> Iterator[Block]:
    found: Sequence[Document] = document["assertions"]
    more = "; there are more than are kept" if document["assertions_truncated"] else ""
    bulk = "; the span is bulk" if document["bulk"] else ""
    yield Heading(line(f"Assertions: {len(found)}{more}{bulk}"))
    rows = tuple(_assertion_row(item) for item in found[:SHOWN])
    if rows:
        columns = (Column("key"), Column("value", grows=True), Column("type"), Column("status"), Column("survived in"))
        yield Table(columns, rows, indent=2)
    if len(found) > SHOWN:
        yield Text(line(Piece(f"and {len(found) - SHOWN} more", "muted")), indent=2)


def _assertion_row(item: Document) -> tuple[Line, ...]:
    entity = f"{shorten(visible(item['entity']), 24)} " if item["entity"] else ""
    status = item["status"] or "unknown"
    return (
        line(Piece(entity, "muted"), visible(item["key"])),
        line(Piece(visible(item["as_written"]), "value")),
        line(item["type"]),
        line(Piece(status, STATUS_STYLE.get(status, "warn"))),
        line(item["survived"] or ""),
    )


def _evidence(document: Document) -> Iterator[Block]:
    found = document["representation"]
    value = found["value"] or "unknown"
    yield Heading(line("Representation: ", Piece(value, STATUS_STYLE.get(value, "warn"))))
    yield Text(line(visible(found["why"])), indent=2)
    index = document["index"]
    yield Heading(line("Index"))
    yield Text(line("indexed: ", _known(index["indexed"]), ", verified: ", _known(index["verified"])), indent=2)
    yield from _epsilons(document["chain"])


def _known(value: bool | None) -> Piece:
    if value is None:
        return Piece("unknown", "warn")
    return Piece("yes", "good") if value else Piece("no", "bad")


def _epsilons(chain: Document) -> Iterator[Block]:
    yield Heading(line("Chain ", Piece(visible(chain["id"]), "name")))
    for item in chain["epsilon"]:
        bound = "no ε licenses losing it" if item["bound"] is None else f"bound {item['bound']:g}"
        value = "unknown" if item["epsilon"] is None else f"{item['epsilon']:.4g}"
        over = item["epsilon"] is None or (item["bound"] is not None and item["epsilon"] > item["bound"])
        head = f"ε of {item['kind']} by {item['by']} = {item['sum']} = "
        yield Text(line(visible(head), Piece(value, "bad" if over else "good"), f", {bound}"), indent=2)


# --- rules -------------------------------------------------------------------------------------------------------


def _outcome_style(outcome: str) -> Style:
    if outcome == "passes":
        return "good"
    return "bad" if outcome.startswith("refuses") else "warn"


def outcomes(count: int, outcome: str) -> str:
    """How many came to an outcome, the verb agreeing: `1 refuses`, `2 refuse`."""
    if count == 1:
        return f"1 {outcome}"
    verb, *rest = outcome.split(" ", 1)
    if verb in ("passes", "refuses", "holds", "warns"):
        verb = verb.removesuffix("es") if verb == "passes" else verb.removesuffix("s")
    elif rest == ["warning"]:
        rest = ["warnings"]
    return f"{number(count)} {' '.join([verb, *rest])}"


def _rules(rules: Sequence[Document], title: str) -> Iterator[Block]:
    yield Heading(line(f"{title}: {len(rules)}"))
    order = sorted(rules, key=lambda rule: rule["outcome"] == "passes")
    for rule in order:
        yield from _ruling(rule)


def _ruling(rule: Document) -> Iterator[Block]:
    outcome = Piece(rule["outcome"], _outcome_style(rule["outcome"]))
    subject = f" on {rule['subject']}" if rule.get("subject") else ""
    place = Piece(f"  {visible(rule['source'])}", "muted")
    yield Text(line(Piece(visible(rule["rule"]), "strong"), visible(subject), " ", outcome, place), indent=2)
    if rule["message"] is not None:
        # A message says that the rule holds, which is not known here.
        says = Piece("if it holds: ", "muted") if rule["missing"] else Piece("")
        yield Text(line(says, visible(rule["message"])), indent=4)
    if rule["missing"]:
        yield Text(line(Piece("not known: ", "warn"), visible(", ".join(rule["missing"]))), indent=4)
    yield from tree(_node(rule["condition"]), indent=4)


def _node(part: Document) -> Node:
    """A truth stands before what it is the truth of, any other value after."""
    value = part["value"]
    note = Piece(f"  ({visible(part['note'])})" if part.get("note") else "", "muted")
    text = shorten(visible(part["text"]), 160)
    if value in TRUTH_STYLE:
        found = line(Piece(f"{value:8}", TRUTH_STYLE[value]), text, note)
    else:
        found = line(text, Piece(" = ", "muted"), Piece(shorten(visible(value), 60), "value"), note)
    return Node(found, tuple(_node(child) for child in part["parts"]))


def _epoch_rules(rules: Sequence[Document]) -> Iterator[Block]:
    if not rules:
        return
    yield Heading(line(f"Rules of the whole epoch: {len(rules)}"))
    for rule in sorted(rules, key=lambda rule: rule["outcome"] == "passes"):
        outcome = Piece(rule["outcome"], _outcome_style(rule["outcome"]))
        says = f": {visible(rule['message'])}" if rule["message"] is not None else ""
        if rule["missing"]:
            says = f": not known: {visible(', '.join(rule['missing']))}"
        yield Text(line(Piece(visible(rule["rule"]), "strong"), " ", outcome, says), indent=2)


def _rule(document: Document) -> Iterator[Block]:
    rule = document["rule"]
    yield from rule_head(rule)
    counts = ", ".join(outcomes(number, outcome) for outcome, number in document["counts"].items())
    if rule["vacuous"]:
        says = f"vacuous: {rule['each']} is empty, so the rule was asked of nothing (skipped is not passed)"
        yield Heading(line(Piece(says, "warn")))
    elif rule["each"] is not None:
        yield Heading(line(f"Asked of {len(document['subjects'])} in {rule['each']}: {counts}"))
        for item in [one for one in document["subjects"] if one["outcome"] != "passes"][:SHOWN]:
            outcome = Piece(item["outcome"], _outcome_style(item["outcome"]))
            yield Text(line(Piece(visible(item["subject"]), "name"), " ", outcome), indent=2)
    if document["traced"]:
        yield from _rules(document["traced"], "Its condition, part by part")


def _chain(document: Document) -> Iterator[Block]:
    yield from _epsilons(document["chain"])
    yield Gap()
    columns = (
        Column("span"), Column("kind"), Column("epoch", right=True), Column("where"), Column("anchor"),
        Column("tokens", right=True), Column("loss", right=True),
    )  # fmt: skip
    spans: Sequence[Document] = document["spans"]
    yield Table(columns, tuple(_chain_row(span) for span in spans[:SHOWN]), indent=2)
    if len(spans) > SHOWN:
        yield Text(line(Piece(f"and {len(spans) - SHOWN} more", "muted")), indent=2)
    yield from _rules(document["rules"], "Rules over chains")


def _chain_row(span: Document) -> tuple[Line, ...]:
    evicted = span["disposition"] == "evicted"
    loss = "unknown" if span["loss"] is None else f"{span['loss']:g}"
    return (
        line(Piece(visible(span["id"]), "name")),
        line(visible(span["kind"])),
        line(str(span["epoch"])),
        line(Piece(span["disposition"], "warn" if evicted else "plain")),
        line("yes" if span["anchor"] else ""),
        line(str(span["tokens"])),
        line(loss if evicted else ""),
    )


def _overview(document: Document) -> Iterator[Block]:
    yield Heading(line("Rules"))
    columns = (Column("rule"), Column("mode"), Column("asked of"), Column("outcome", grows=True))
    yield Table(columns, tuple(_overview_row(rule) for rule in document["rules"]), indent=2)


def _overview_row(rule: Document) -> tuple[Line, ...]:
    if rule["vacuous"]:
        outcome = line(Piece("vacuous: it ranged over nothing", "warn"))
    else:
        parts: list[Piece] = []
        for name, number in rule["outcomes"].items():
            parts += [Piece(", ")] * bool(parts)
            parts.append(Piece(name if rule["each"] is None else outcomes(number, name), _outcome_style(name)))
        outcome = tuple(parts)
    asked = "the epoch" if rule["each"] is None else _asked_of(rule["asked"], rule["each"])
    return (line(Piece(visible(rule["rule"]), "strong")), line(rule["mode"]), line(asked), outcome)


def _asked_of(count: int, each: str) -> str:
    return f"{number(count)} {each.removesuffix('s') if count == 1 else each}"


# --- what to do --------------------------------------------------------------------------------------------------


def _to_compact(document: Document) -> Iterator[Block]:
    entries: Sequence[Document] = document["to_compact"]
    if document["decision"] == "compact":
        yield Heading(line(Piece("It is `compact` already.", "good")))
        return
    yield Heading(line("To get ", Piece("compact", "good")))
    for entry in entries:
        yield from _entry(entry)
    if not entries:
        says = "nothing of this stands in the way; what does is elsewhere (`explain` without a subject)"
        yield Text(line(says), indent=2)
    instead = document["instead"]
    if instead is not None:
        left = "nothing is compacted in this epoch"
        if instead["evict"]:
            left = f"the other {counted(instead['evict'], 'evicted span')} may be compacted right away"
        says = f"or carry out the plan: spill {counted(instead['spill'], 'span')} losslessly; {left}"
        yield _bullet(line(says))


def _bullet(found: Line) -> Text:
    return Text((Piece("·  ", "muted"), *found), indent=2, hang=3)


def _entry(entry: Document) -> Iterator[Block]:
    names = [*entry["chains"]] or [*entry["spans"]]
    shown = ", ".join(names[:4]) + (f", and {len(names) - 4} more" if len(names) > 4 else "")
    about = Piece(f" ({visible(shown)})" if names else "", "muted")
    rule = Piece(visible(entry["rule"]), "strong")
    if entry["supply"]:
        what = ", ".join(entry["supply"])
        yield _bullet(line("supply ", Piece(visible(what), "warn"), " for ", rule, about))
    if entry["do"] is not None:
        yield _bullet(line(rule, about, ": ", visible(entry["do"])))
