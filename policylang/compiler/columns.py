"""Typed rules over millions of spans at once: facts as columns, one numpy pass per node.

For replay, simulation and mutation, where the same rules meet many worlds. `interpret` says what is right; a property
test holds all three evaluators to the same hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policylang.compiler.columns_data import Array, Lists, Pool, full
from policylang.compiler.columns_encode import WORLD, Tables, encode_tables, reads_of
from policylang.compiler.columns_eval import Evaluator
from policylang.compiler.columns_frame import Frame
from policylang.compiler.shape import Shapes
from policylang.rules_ir.facts import World
from policylang.rules_ir.outcome import Hit
from policylang.rules_ir.policy import Rule


@dataclass(frozen=True, slots=True)
class Columns:
    """Encoded worlds, good for the rules that they were encoded for."""

    tables: Tables


@dataclass(frozen=True, slots=True)
class ColumnHits:
    """All hits of a run, as four arrays of one length; sorted by rule, then world, then subject.

    Attributes:
        rules: The rules that ``rule`` indexes.
        rule: Index of the rule, int64.
        world: Index of the world, int64.
        subject: Index into the rule's list in that world, or -1 for a rule evaluated once; int64.
        undetermined: True where the condition is unknown, bool.
    """

    rules: tuple[Rule, ...]
    rule: Array
    world: Array
    subject: Array
    undetermined: Array

    def by_world(self, worlds: int) -> list[list[Hit]]:
        """For each of ``worlds`` worlds the same hits, in the same order, as the interpreter's."""
        found: list[list[Hit]] = [[] for _ in range(worlds)]
        arrays = (self.rule, self.world, self.subject, self.undetermined)
        for rule, world, subject, undetermined in zip(*(array.tolist() for array in arrays), strict=True):
            found[world].append(Hit(self.rules[rule], subject, undetermined))
        return found


class ColumnPlan:
    """Rules made ready for columns. Holds no state of a run, so threads may share it.

    Example:
        ``plan = ColumnPlan(policy.rules); hits = plan.run(plan.encode(worlds))``
    """

    __slots__ = ("_reads", "rules")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._reads = reads_of(self.rules)

    def encode(self, worlds: Sequence[World]) -> Columns:
        """Read from the facts what the rules need."""
        return Columns(encode_tables(worlds, self._reads))

    def run(self, columns: Columns) -> ColumnHits:
        """Evaluate every rule in every world."""
        tables = columns.tables
        worlds = Frame(tables.worlds)
        pool = Pool(tables.pool)
        frames: dict[str | None, Frame] = {None: worlds}
        parts: list[tuple[Array, Array, Array, Array]] = []
        for index, rule in enumerate(self.rules):
            if rule.each not in frames:
                frames[rule.each] = worlds.expand(0, _subjects(tables, rule.each))
            frame = frames[rule.each]
            verdict = Evaluator(tables, pool, Shapes()).truth(rule.condition, frame)
            rows = np.flatnonzero(full(verdict.maybe, frame.count))
            unknown = ~full(verdict.true, frame.count)[rows]
            world, subject = rows, np.full(len(rows), -1)
            if rule.each is not None and frame.rows is not None:
                world = frame.rows[rows]
                lengths = _subjects(tables, rule.each).lengths()
                subject = rows - (np.cumsum(lengths) - lengths)[world]
            parts.append((np.full(len(rows), index), world, subject, unknown))
        if not parts:
            empty = np.zeros(0, np.int64)
            return ColumnHits(self.rules, empty, empty, empty, empty.astype(np.bool_))
        rule_index, world, subject, unknown = (np.concatenate(column) for column in zip(*parts, strict=True))
        return ColumnHits(self.rules, rule_index, world, subject, unknown)


def _subjects(tables: Tables, each: str | None) -> Lists:
    """The lists that a rule ranges over, one per world."""
    lists = tables.columns[WORLD.name, str(each)]
    if not isinstance(lists, Lists):
        raise TypeError(f"{each} is no list")
    return lists
