"""A checked policy: typed rules and settings, plain frozen data that pickles and hashes to a digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from policylang.rules_ir.expr import Expr
from policylang.source import Loc
from policylang.syntax import ast

Level = Literal["refuse", "warn"]
Mode = Literal["enforce", "shadow", "warn"]
Scope = Literal["span", "chain", "epoch"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One value that a rule's condition reads, for the reason's ``evidence`` and ``missing``.

    A plain entry is evaluated for the rule's subject: known goes to ``evidence[label]``, unknown puts ``label`` into
    ``missing``. With ``only_missing`` the expression is a bool (`any … is unknown`) and true puts ``label`` into
    ``missing``; this is how reads inside a quantifier are named.
    """

    label: str
    expr: Expr
    only_missing: bool = False


@dataclass(frozen=True, slots=True)
class Relaxation:
    """What a `relax` does to a rule until its date (inclusive).

    ``replacement`` is the rule at the looser setting that the policy gives, or None: then the rule runs in shadow.
    """

    until: date
    because: str
    owner: str | None
    replacement: Rule | None
    loc: Loc = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, of the policy's own or from a block.

    Attributes:
        id: Rule id, unique in the policy.
        level: `refuse` or `warn`.
        mode: `enforce`, `shadow` (logged, never decides) or `warn`. A `warn` rule in mode `enforce` warns.
        scope: What a reason names: spans, a chain, or the epoch.
        each: `evicted`, `anchors` or `chains`, or None for a rule evaluated once. Slot 0 is the element.
        condition: A bool; for `refuse` unknown refuses.
        message: The template: text pieces and expressions in turn; an unknown value prints as `unknown`.
        evidence: What the condition reads, in the order of the text, each label once.
        builtin: True for a rule that a block made.
        relaxations: What may weaken it, each until its date.
        loc: Where the rule, or the setting behind it, is written.
    """

    id: str
    level: Level
    mode: Mode
    scope: Scope
    each: Literal["evicted", "anchors", "chains"] | None
    condition: Expr
    message: tuple[str | Expr, ...]
    evidence: tuple[Evidence, ...]
    builtin: bool = False
    relaxations: tuple[Relaxation, ...] = ()
    doc: str | None = field(default=None, compare=False)
    loc: Loc = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class NamedAnchor:
    """`anchor NAME when EXPR`: slot 0 is the span; a regex group `value` asserts NAME = value.

    ``patterns`` are the (pattern, flags) of un-negated `span.text matches` with a group `value`.
    """

    name: str
    condition: Expr
    patterns: tuple[tuple[str, str], ...]
    loc: Loc = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exempt:
    """`exempt`: frees a span from anchoring by kind, while ``until`` has not passed.

    ``patterns`` are the (pattern, flags) of its un-negated `span.text matches`: every material assertion of a freed
    span lies inside text that one of them matched.
    """

    name: str
    condition: Expr
    patterns: tuple[tuple[str, str], ...]
    because: str
    until: date
    loc: Loc = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Anchors:
    """What makes a span an anchor; None on the policy if no `anchor` stands anywhere in it.

    ``kinds`` is None if no `anchor kind` stands anywhere (then undeclared kinds do not anchor either); a declared kind
    of class state is in it whenever it is not None.
    """

    kinds: frozenset[str] | None
    detect: frozenset[str]
    named: tuple[NamedAnchor, ...]
    exempts: tuple[Exempt, ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """An ε budget: ``kind`` as written (`reasoning` is the pooled class), ``epsilon`` None for `never`."""

    kind: str
    epsilon: float | None
    by: Literal["tokens", "spans"]
    loc: Loc = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """`index { … }` after the layers are merged; None where nothing was said."""

    source_pre_compaction: bool = False
    quarantine: int | None = None
    probe: tuple[str, ...] = ()
    require: int = 1
    top_k: int = 10


@dataclass(frozen=True, slots=True)
class MonitorSettings:
    """`monitor { … }` after the layers are merged; ``divergence`` None where not bounded."""

    declared: bool = False
    divergence: float | None = None
    window: int = 200
    minimum: int = 20
    cold_start: Literal["refuse", "probes", "allow"] = "probes"


@dataclass(frozen=True, slots=True)
class SettingRelaxation:
    """Looser settings of `index` and `monitor` read until a date; see `resolve.resolve_policy`.

    ``settings`` is empty where the rule runs in shadow: then evidence is read at the parent's settings.
    """

    rule: str
    until: date
    settings: tuple[tuple[tuple[str, str], int | float | str | tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class CheckedPolicy:
    """The effective policy: a file with all it extends, checked, typed, and ready for every evaluator.

    ``digest`` is ``sha256:…`` over the syntax of every layer, comments, positions and tests left out: the same for both
    spellings. ``kinds`` maps every known and declared kind to its class.
    """

    id: str
    version: str
    digest: str
    kinds: Mapping[str, str]
    anchors: Anchors | None
    budgets: tuple[Budget, ...]
    index: IndexSettings
    monitor: MonitorSettings
    rules: tuple[Rule, ...]
    tests: tuple[ast.InlineTest, ...]
    layers: tuple[str, ...]
    setting_relaxations: tuple[SettingRelaxation, ...] = ()
    loc: Loc = field(compare=False, repr=False, kw_only=True)
