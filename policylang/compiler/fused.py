"""Typed rules to one fused Python function per policy: what `evaluate` runs.

The cost of a decision is the reading of fields, so rules over one list share one loop and read a cheap field once;
a rule alone over its list is one list comprehension. Fields that evidence must establish are read only where the
operands before them leave the matter open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from policylang.compiler import values
from policylang.compiler.fused_scope import Scope
from policylang.compiler.fused_source import Writer
from policylang.compiler.shape import demanded_kinds
from policylang.regex import compile_pattern
from policylang.rules_ir import expr as ir
from policylang.rules_ir.facts import World
from policylang.rules_ir.outcome import Hit
from policylang.rules_ir.policy import Rule

FusedHit = tuple[int, Sequence[Any], Sequence[Any]]
"""(rule index, subjects for which the rule holds, subjects for which it is undetermined). Subjects are the facts
themselves, in list order; ``(None,)`` for a rule evaluated once. Rules without a hit are left out."""

_GROUP: Final = 64
"""Rules in one function: CPython compiles a function in more than linear time, and each loop has a fixed cost."""

_ALONE: Final = 2
"""Up to so many rules over one list each keep a comprehension of their own."""

_first = itemgetter(0)


class Fused:
    """The compiled rules of a policy. Holds no state between runs, so threads may share it; pickles as its source.

    Attributes:
        run: From a world to its hits in rule order.
        rules: The rules that the indices of hits mean.
        source: The generated module, for the curious.
    """

    __slots__ = ("_constants", "_patterns", "rules", "run", "source")

    def __init__(
        self,
        rules: tuple[Rule, ...],
        source: str,
        patterns: tuple[tuple[str, str], ...],
        constants: tuple[object, ...],
    ) -> None:
        self.rules = rules
        self.source = source
        self._patterns = patterns
        self._constants = constants
        namespace: dict[str, Any] = {
            "UNSET": object(),
            "gather": _gather,
            "of_kinds": _of_kinds,
            "first": _first,
            "equal": values.equal,
            "member": values.member,
            "negation": values.negation,
            "add": values.add,
            "subtract": values.subtract,
            "multiply": values.multiply,
            "divide": values.divide,
        }
        namespace.update((f"v{index}", value) for index, value in enumerate(constants))
        for index, (pattern, flags) in enumerate(patterns):
            namespace[f"r{index}"] = compile_pattern(pattern, flags).search
        exec(compile(source, "<fused policy>", "exec", dont_inherit=True), namespace)
        self.run: Callable[[World], list[FusedHit]] = namespace["run"]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Fused, (self.rules, self.source, self._patterns, self._constants))

    def hits(self, world: World) -> list[Hit]:
        """The same hits as the interpreter's."""
        return [hit for found in self.run(world) for hit in _as_hits(self.rules[found[0]], found, world)]


def fuse(rules: Sequence[Rule]) -> Fused:
    """Compile rules; the indices in hits are those of ``rules``."""
    writer = Writer()
    blocks: dict[tuple[int, ...], list[str]] = {}
    for each, indices in _by_list(rules).items():
        if each is not None and len(indices) > _ALONE:
            for start in range(0, len(indices), _GROUP):
                part = tuple(indices[start : start + _GROUP])
                blocks[part] = _together(writer, part, [rules[index] for index in part], each)
        else:
            for index in indices:
                rule = rules[index]
                one = _once(writer, index, rule) if each is None else _alone(writer, index, rule, each)
                blocks[(index,)] = one
    source = "\n".join((*writer.functions, *_main(blocks, writer.cached)))
    return Fused(tuple(rules), source, tuple(writer.patterns), tuple(writer.constants))


def _by_list(rules: Sequence[Rule]) -> dict[str | None, list[int]]:
    found: dict[str | None, list[int]] = {}
    for index, rule in enumerate(rules):
        found.setdefault(rule.each, []).append(index)
    return found


def _main(blocks: dict[tuple[int, ...], list[str]], cached: int) -> Iterator[str]:
    """`run`, and where there are many statements the functions that it calls one after the other."""
    parts: list[list[str]] = [[]]
    written: list[int] = []
    for indices in sorted(blocks):
        written += indices
        if len(parts[-1]) > _GROUP:
            parts.append([])
        parts[-1].extend(blocks[indices])
    calls = parts[0]
    if len(parts) > 1:
        for number, part in enumerate(parts):
            yield "\n ".join((f"def part{number}(w, k, out):", *part))
        calls = [f"part{number}(w, k, out)" for number in range(len(parts))]
    memory = [f"k = [UNSET] * {cached}" if cached else "k = None"]
    order = ["out.sort(key=first)"] if written != sorted(written) else []
    yield "\n ".join(("def run(w):", "out = []", *memory, *calls, *order, "return out", ""))


# --- statements ------------------------------------------------------------------------------------------------------


def _once(writer: Writer, index: int, rule: Rule) -> list[str]:
    """A rule that is evaluated once."""
    writer.shapes.enter_rule()
    scope = Scope({})
    if not writer.shapes.of(rule.condition).unknown:
        return [f"if {writer.value(rule.condition, scope)}: out.append(({index}, (None,), ()))"]
    possible, certain = _both_rails(writer, rule.condition, scope)
    return [f"if {possible}: out.append(({index}, (None,), ()) if {certain} else ({index}, (), (None,)))"]


def _alone(writer: Writer, index: int, rule: Rule, each: str) -> list[str]:
    """A rule that has its loop to itself."""
    writer.shapes.enter_rule()
    scope = Scope({0: "x0"})
    subjects = _subjects(each, [rule])
    if not writer.shapes.of(rule.condition).unknown:
        if each == "evicted" and _is_kind_test(rule.condition):
            return [f"s = {subjects}", f"if s: out.append(({index}, s, ()))"]
        condition = writer.value(rule.condition, scope)
        if not scope.temporaries:
            return [f"s = [x0 for x0 in {subjects} if {condition}]", f"if s: out.append(({index}, s, ()))"]
        action = f"if {condition}: s.append(x0)"
    else:
        possible, certain = _both_rails(writer, rule.condition, scope)
        action = f"if {possible}: (s if {certain} else u).append(x0)"
    return ["s = []; u = []", f"for x0 in {subjects}:", f" {action}", f"if s or u: out.append(({index}, s, u))"]


def _subjects(each: str, rules: Sequence[Rule]) -> str:
    """Source for what rules range over: of a world's evicted spans only the kinds that some rule can hold for."""
    demanded = [demanded_kinds(rule.condition) for rule in rules] if each == "evicted" else [None]
    known = [kinds for kinds in demanded if kinds is not None]
    if len(known) < len(demanded):
        return f"w.{each}"
    return f"of_kinds(w, {sorted(frozenset().union(*known))!r})"


def _is_kind_test(condition: ir.Expr) -> bool:
    """Whether a condition asks for nothing but the kind."""
    return isinstance(condition, ir.Compare | ir.In) and demanded_kinds(condition) is not None


def _together(writer: Writer, indices: Sequence[int], rules: Sequence[Rule], each: str) -> list[str]:
    """Rules that share one loop, its reads of cheap fields and of what the subject does not change."""
    scope = Scope({0: "x0"}, hoisting=True)
    body: list[str] = []
    for index, rule in zip(indices, rules, strict=True):
        writer.shapes.enter_rule()
        scope.temporaries = 0
        if writer.shapes.of(rule.condition).unknown:
            possible, certain = _both_rails(writer, rule.condition, scope)
            body.append(f" if {possible}: (s if {certain} else u).append(({index}, x0))")
        else:
            body.append(f" if {writer.value(rule.condition, scope)}: s.append(({index}, x0))")
    reads = [f" x0_{name} = {first}" for name, first in scope.reads.items()]
    hoisted = [f"{name} = {read}" for read, name in (scope.hoisted or {}).items()]
    return [
        *hoisted,
        "s = []; u = []",
        f"for x0 in {_subjects(each, rules)}:",
        *reads,
        *body,
        "if s or u: gather(out, s, u)",
    ]


def _both_rails(writer: Writer, condition: ir.Expr, scope: Scope) -> tuple[str, str]:
    """Source for "true or unknown", and for "true" where that is so already."""
    possible = writer.rail(condition, True, scope)
    if isinstance(condition, ir.And):
        # What cannot be unknown is true by then, and a field that is compared with a literal was read.
        certain = []
        for part in condition.operands:
            if writer.shapes.of(part).unknown:
                scope.settled = isinstance(part, ir.Compare) and isinstance(part.right, ir.Const)
                certain.append(writer.rail(part, False, scope))
                scope.settled = False
        return possible, " and ".join(certain)
    return possible, writer.rail(condition, False, scope)


# --- results ---------------------------------------------------------------------------------------------------------


def _of_kinds(world: World, kinds: Sequence[str]) -> Sequence[Any]:
    """The evicted spans of some kinds, in list order."""
    groups = world.evicted_by_kind
    found = [kind for kind in kinds if kind in groups]
    if len(found) == 1:
        return groups[found[0]]
    # Of several kinds the order of the list would have to be restored; one pass over it is cheaper.
    return [span for span in world.evicted if span.kind in found] if found else ()


def _gather(out: list[FusedHit], certain: list[tuple[int, Any]], unknown: list[tuple[int, Any]]) -> None:
    """Turn the hits of a shared loop, in subject order, into one entry per rule."""
    found: dict[int, tuple[list[Any], list[Any]]] = {}
    for which, hits in enumerate((certain, unknown)):
        for index, group in groupby(sorted(hits, key=_first), key=_first):
            found.setdefault(index, ([], []))[which].extend(subject for _, subject in group)
    out.extend((index, *found[index]) for index in sorted(found))


def _as_hits(rule: Rule, found: FusedHit, world: World) -> Iterator[Hit]:
    _, certain, unknown = found
    if rule.each is None:
        yield Hit(rule, -1, not certain)
        return
    undetermined = {id(subject): False for subject in certain}
    undetermined.update((id(subject), True) for subject in unknown)
    for index, subject in enumerate(getattr(world, rule.each)):
        if id(subject) in undetermined:
            yield Hit(rule, index, undetermined[id(subject)])
