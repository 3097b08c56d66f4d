"""What typing an expression needs to know and keeps count of: one `Typing` for each declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from policylang.check.sink import Related, Sink
from policylang.rules_ir import expr as ir
from policylang.rules_ir.types import CHAIN, GLOBALS, SPAN, Type
from policylang.source import Loc
from policylang.syntax import ast

ERROR: Final = Type("error")
"""The type of what could not be typed. It fits everywhere, so that one mistake is reported once."""

FAILED: Final = ir.Const(False, ERROR)

MAX_NODES: Final = 10_000
"""Nodes of one declaration after its `let`s are expanded."""

MAX_DEPTH: Final = 160
"""Nesting of one declaration after its `let`s are expanded; the recursion of every reader stays far from Python's."""

MAX_PROBES: Final = 10 * MAX_NODES
"""Looks at what a bare word may mean: `let`s that call one another twice would be looked into 2^depth times."""

GLOBAL_NODES: Final[dict[str, ir.Global]] = {name: ir.Global(name, type_) for name, type_ in GLOBALS.items()}


@dataclass(slots=True)
class Argument:
    """What a `let` was called with: its expression where it stands, typed when first used.

    ``node`` is the typed form if it holds no quantifier and so may stand in several places; a quantifier is typed
    anew each time, to get a slot of its own.
    """

    expr: ast.Expr
    env: Env
    node: ir.Expr | None = None
    size: int = 0


Binding = ir.Var | Argument
Env = Mapping[str, Binding]
NO_NAMES: Final[Env] = {}


@dataclass(frozen=True, slots=True)
class Names:
    """What the expressions of one file can name.

    Attributes:
        kinds: Kind -> class, None where its declaration is broken.
        open_kinds: True if a parent is missing or broken, so that a kind may be declared out of sight.
        lets: The file's `let`s by name.
        broken: `let`s that are known to be wrong, or could not be read: calls of them say nothing more.
        parent_lets: `let`s of the parents, which a child does not see.
        mass: Kind with a budget -> what its ε weighs by.
        excluded: Reasoning kinds that have a budget of their own and so leave the pool.
    """

    kinds: Mapping[str, str | None]
    open_kinds: bool
    lets: Mapping[str, ast.Let]
    broken: frozenset[str]
    parent_lets: frozenset[str]
    mass: Mapping[str, Literal["tokens", "spans"]]
    excluded: tuple[str, ...]


@dataclass(slots=True)
class Typing:
    """The state of typing one declaration.

    ``hidden`` maps a global's name, or a (type, field), to the reason why it cannot be read here; ``opaque`` types a
    `let` on its own, without looking into the others.
    """

    names: Names
    sink: Sink
    hidden: Mapping[str | tuple[Type, str], str] = field(default_factory=dict)
    opaque: bool = False
    slots: int = 0
    size: int = 0
    depth: int = 0
    probes: int = 0
    calls: list[Loc] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def error(self, code: str, message: str, loc: Loc, hint: str | None = None) -> ir.Expr:
        """Reports an error, with the call that led to it, and gives the node that fits everywhere."""
        related: Related = ((self.calls[0], "called from here"),) if self.calls else ()
        self.sink.error(code, message, loc, hint, related)
        return FAILED

    def overflow(self, loc: Loc) -> ir.Expr:
        """Reports once that the declaration is too large; from then on every part of it fails at once."""
        if self.size < 2 * MAX_NODES:
            self.size = 2 * MAX_NODES
            place = self.calls[0] if self.calls else loc
            what = f"expands to more than {MAX_NODES} parts" if self.depth <= MAX_DEPTH else "nests too deep"
            self.sink.error("too-deep", f"this expression {what}", place, "split it into several rules")
        return FAILED


CIRCULAR: Final = "it depends on which spans are anchors"

ANCHOR_FREE: Final[dict[str | tuple[Type, str], str]] = {
    "anchors": CIRCULAR,
    (SPAN, "anchor"): CIRCULAR,
    (SPAN, "anchor_by"): CIRCULAR,
    (CHAIN, "anchors"): CIRCULAR,
    (CHAIN, "evicted_anchors"): CIRCULAR,
}
"""What `anchor … when` and `exempt` cannot read: they settle it."""
