"""Blocks to rules with fixed ids (SPEC §3): their conditions are ordinary typed expressions, run by every evaluator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from policylang.check import budgets as budgets_
from policylang.check.epsilon import epsilon_rule
from policylang.check.settings import Given, Settings
from policylang.rules_ir import expr as ir
from policylang.rules_ir.policy import Evidence, Rule, Scope
from policylang.rules_ir.types import (
    BOOL,
    CLASS,
    FIELDS,
    GLOBALS,
    INT,
    INTEGRITY,
    KIND,
    NUMBER,
    REPRESENTATION,
    SOURCE,
    SPAN,
    TEXT,
)
from policylang.source import Loc

BLOCK_IDS: Final = frozenset(
    {
        "anchor-unverified",
        "dangling-reference",
        "anchor-contradicted",
        "epsilon-exceeded",
        "index-source",
        "index-rebuilt",
        "scoring-not-structural",
        "queries-not-logged",
        "divergence-exceeded",
        "pair-split",
        "call-open",
        "instruction-evicted",
        "claim-unsupported",
        "span-unaccounted",
        "gain-too-small",
    }
)
"""Ids that no own rule may take, whether or not the policy has the block."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """What all blocks of a policy say, after the layers are merged."""

    settings: Settings
    budgets: budgets_.Budgets
    kinds: Mapping[str, str | None]
    anchor: Loc | None
    monitor: Loc | None


def block_rules(blocks: Blocks) -> dict[str, Rule]:
    """The rules that the blocks make, by id."""
    rules = [*_anchor_rules(blocks), *_index_rules(blocks), *_monitor_rules(blocks), *_integrity_rules(blocks)]
    epsilon = epsilon_rule(blocks.budgets, blocks.kinds)
    if epsilon is not None:
        rules.append(epsilon)
    return {rule.id: rule for rule in rules}


_SPAN: Final = ir.Var(0, "span", SPAN)
_ID: Final = ir.Field(_SPAN, "id", TEXT)
_KIND: Final = ir.Field(_SPAN, "kind", KIND)
_EPOCH: Final = ir.Field(_SPAN, "epoch", INT)
_VERIFIED: Final = ir.Field(_SPAN, "verified", BOOL)
_REPRESENTATION: Final = ir.Field(_SPAN, "representation", REPRESENTATION)


def _global(name: str, field: str) -> ir.Field:
    record = INTEGRITY if name == "integrity" else GLOBALS[name]
    return ir.Field(ir.Global(name, record), field, FIELDS[record][field].type)


def _reads(*names: str) -> tuple[Evidence, ...]:
    pairs = [name.split(".") for name in names]
    return tuple(Evidence(f"{base}.{field}", _global(base, field)) for base, field in pairs)


def _bound(value: float | int) -> Evidence:
    return Evidence("bound", _number(value))


def _number(value: float | int) -> ir.Const:
    return ir.Const(value, INT if isinstance(value, int) else NUMBER)


def _represented(word: str) -> ir.Expr:
    return ir.Compare("==", _REPRESENTATION, ir.Const(word, REPRESENTATION), BOOL)


def _rule(
    rule_id: str,
    scope: Scope,
    condition: ir.Expr,
    message: tuple[str | ir.Expr, ...],
    evidence: tuple[Evidence, ...],
    loc: Loc,
    each: Literal["evicted", "anchors"] | None = None,
) -> Rule:
    return Rule(rule_id, "refuse", "enforce", scope, each, condition, message, evidence, builtin=True, loc=loc)


def _anchor_rules(blocks: Blocks) -> Iterator[Rule]:
    if blocks.anchor is None:
        return
    what = ("anchor ", _ID, " (", _KIND, ", epoch ", _EPOCH, ") ")
    representation = Evidence("representation", _REPRESENTATION)
    probe = blocks.settings.get(("index", "probe"))
    if probe is not None:
        yield _rule(
            "anchor-unverified",
            "span",
            ir.Not(ir.Or((_verified(), _represented("restated")), BOOL), BOOL),
            (*what, "is evicted, but no probe brings it back and nothing restates it: what it says would be lost"),
            (Evidence("verified", _VERIFIED), representation),
            probe.loc,
            "anchors",
        )
    yield _rule(
        "dangling-reference",
        "span",
        _represented("referenced"),
        (*what, "survives only as a reference: the kept text names it without saying what it says"),
        (representation,),
        blocks.anchor,
        "anchors",
    )
    yield _rule(
        "anchor-contradicted",
        "span",
        _represented("contradicted"),
        (*what, "is contradicted: the kept text gives one of its keys another value, which would then stand alone"),
        (representation,),
        blocks.anchor,
        "anchors",
    )


def _verified() -> ir.Expr:
    """A summary that carries assertions is no original: that an index returns it proves nothing (SPEC §3)."""
    carried = ir.In(
        ir.Const("carrier", TEXT), ir.Field(_SPAN, "anchor_by", FIELDS[SPAN]["anchor_by"].type), False, BOOL
    )
    summary = ir.And((ir.Compare("==", _KIND, ir.Const("summary", KIND), BOOL), carried), BOOL)
    return ir.And((_VERIFIED, ir.Not(summary, BOOL)), BOOL)


def _index_rules(blocks: Blocks) -> Iterator[Rule]:
    source = blocks.settings.get(("index", "source"))
    if source is not None:
        field = _global("index", "source")
        yield _rule(
            "index-source",
            "epoch",
            ir.Compare("!=", field, ir.Const("pre_compaction", SOURCE), BOOL),
            ("the index is built from ", field, " text, so evicted anchors are missing from it (condition 1)"),
            _reads("index.source"),
            source.loc,
        )
    quarantine = blocks.settings.get(("index", "quarantine"))
    if quarantine is not None:
        since = _global("index", "epochs_since_rebuild")
        epochs = _count(quarantine)
        yield _rule(
            "index-rebuilt",
            "epoch",
            ir.Compare("<=", since, _number(epochs), BOOL),
            (
                "the index was rebuilt from post-compaction text at epoch ",
                _global("index", "rebuilt"),
                ", epochs since then: ",
                since,
                f"; within {epochs} its anchors need not be a superset of what is evicted",
            ),
            _reads("index.rebuilt", "index.epochs_since_rebuild"),
            quarantine.loc,
        )
    structural = blocks.settings.get(("scoring", "structural"))
    if structural is not None:
        yield _rule(
            "scoring-not-structural",
            "epoch",
            ir.Not(_global("scoring", "structural"), BOOL),
            ("the eviction score has no structural term that protects state-establishing spans (condition 2)",),
            _reads("scoring.structural", "scoring.terms"),
            structural.loc,
        )


def _count(given: Given) -> int:
    assert isinstance(given.value, int)
    return given.value


def _monitor_rules(blocks: Blocks) -> Iterator[Rule]:
    if blocks.monitor is not None:
        yield _rule(
            "queries-not-logged",
            "epoch",
            ir.Not(_global("monitor", "enabled"), BOOL),
            ("retrieval queries are not logged, so nobody would see that anchors no longer come back (condition 4)",),
            _reads("monitor.enabled"),
            blocks.monitor,
        )
    divergence = blocks.settings.get(("monitor", "divergence"))
    if divergence is None:
        return
    assert isinstance(divergence.value, int | float)
    bound = divergence.value
    minimum = blocks.settings.get(("monitor", "minimum"))
    cold_start = blocks.settings.get(("monitor", "cold_start"))
    few = ir.Compare("<", _global("monitor", "queries"), _number(_count(minimum) if minimum else 20), BOOL)
    measured: ir.Expr = _global("monitor", "divergence")
    exceeded: ir.Expr = ir.Compare(">", measured, _number(bound), BOOL)
    match cold_start.value if cold_start else "probes":
        case "refuse":
            condition: ir.Expr = ir.If(few, ir.Const(True, BOOL), exceeded, BOOL)
        case "allow":
            condition = ir.If(few, ir.Const(False, BOOL), exceeded, BOOL)
        case _:
            measured = ir.If(few, _global("monitor", "probe_divergence"), measured, NUMBER)
            condition = ir.Compare(">", measured, _number(bound), BOOL)
    yield _rule(
        "divergence-exceeded",
        "epoch",
        condition,
        (
            "query-anchor divergence is ",
            measured,
            " over ",
            _global("monitor", "queries"),
            f" logged queries, above {bound:g}: retrieval no longer returns what was evicted (condition 4)",
        ),
        (*_reads("monitor.queries"), Evidence("monitor.divergence", measured), _bound(bound)),
        divergence.loc,
    )


def _integrity_rules(blocks: Blocks) -> Iterator[Rule]:
    settings = blocks.settings
    spans: tuple[tuple[str, str, str, str], ...] = (
        ("pairs", "pair-split", "pair_split", "parts from the call or result it belongs to"),
        ("calls", "call-open", "call_open", "is a call without a final result: its answer would come to nothing"),
    )
    for setting, rule_id, name, what in spans:
        given = settings.get(("integrity", setting))
        if given is not None:
            fact = ir.Field(_SPAN, name, BOOL)
            message = (_KIND, " ", _ID, f" {what}")
            yield _rule(rule_id, "span", fact, message, (Evidence(name, fact),), given.loc, "evicted")
    verbatim = settings.get(("integrity", "instructions"))
    if verbatim is not None:
        klass, kept = ir.Field(_SPAN, "class", CLASS), ir.Field(_SPAN, "kept_verbatim", BOOL)
        is_instruction = ir.Compare("==", klass, ir.Const("instruction", CLASS), BOOL)
        yield _rule(
            "instruction-evicted",
            "span",
            ir.And((is_instruction, ir.Not(kept, BOOL)), BOOL),
            ("instruction ", _ID, " (", _KIND, ", epoch ", _EPOCH, ") is evicted and not kept word for word"),
            (Evidence("class", klass), Evidence("kept_verbatim", kept)),
            verbatim.loc,
            "evicted",
        )
    yield from _epoch_integrity(settings)


def _epoch_integrity(settings: Settings) -> Iterator[Rule]:
    counts: tuple[tuple[str, str, str, str], ...] = (
        ("claims", "claim-unsupported", "unsupported_claims", "claims of summaries that no original span supports"),
        (
            "spans",
            "span-unaccounted",
            "unaccounted",
            "spans of the transcript that are not kept or evicted exactly once",
        ),
    )
    for setting, rule_id, name, what in counts:
        given = settings.get(("integrity", setting))
        if given is not None:
            fact = _global("integrity", name)
            condition = ir.Compare(">", fact, _number(0), BOOL)
            yield _rule(rule_id, "epoch", condition, (f"{what}: ", fact), _reads(f"integrity.{name}"), given.loc)
    gain = settings.get(("integrity", "gain"))
    if gain is not None:
        assert isinstance(gain.value, int | float)
        fact = _global("integrity", "gain")
        yield _rule(
            "gain-too-small",
            "epoch",
            ir.Compare("<", fact, _number(gain.value), BOOL),
            _gain_message(fact, gain.value),
            (*_reads("integrity.gain"), _bound(gain.value)),
            gain.loc,
        )


def _gain_message(gain: ir.Expr, bound: float) -> tuple[str | ir.Expr, ...]:
    """In percent, and of a result that has grown by how much: nobody frees a negative share."""
    larger = ir.Compare("<", gain, _number(0), BOOL)
    size = ir.If(larger, ir.Neg(gain, NUMBER), gain, NUMBER)

    def either(one: str, other: str) -> ir.Expr:
        return ir.If(larger, ir.Const(one, TEXT), ir.Const(other, TEXT), TEXT)

    return (
        either("the result is ", "compaction frees "),
        ir.Arith("*", size, _number(100), NUMBER),
        either(" % larger than what it replaces, and ", " % of the tokens, less than the "),
        f"{100 * bound:g} %",
        either(" smaller is asked for", " asked for"),
        ": a loop in the making",
    )
