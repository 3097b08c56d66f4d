"""Facts of many worlds as tables of columns: only the fields that the rules read.

Spans, chains and assertions are rows of one table each, found by identity wherever a list or field that is read leads
to them; a record such as `index` has one row per world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, Final

import numpy as np

from policylang.compiler.columns_data import Array, Column, Lists, Pool, Value, bools, numbers
from policylang.compiler.shape import operands
from policylang.rules_ir import expr as ir
from policylang.rules_ir.facts import ATTRIBUTE, World
from policylang.rules_ir.policy import Rule
from policylang.rules_ir.types import (
    ASSERTION,
    BOOL,
    CHAIN,
    FIELDS,
    GLOBALS,
    INDEX,
    INT,
    INTEGRITY,
    MONITOR,
    NUMBER,
    SCORING,
    SPAN,
    Type,
)

ENTITIES: Final = (SPAN, CHAIN, ASSERTION)
Key = tuple[str, ...]
"""What a column holds: (record type, field), (`span`, `meta`, key), (`chain`, `epsilon`, kind, by, excluded kinds…)."""


@dataclass(frozen=True, slots=True)
class Read:
    """One column that the rules need: of which record, of which type, and how a fact yields it."""

    record: Type
    type: Type
    key: Key


@dataclass(frozen=True, slots=True)
class Tables:
    """Encoded worlds.

    Attributes:
        worlds: How many.
        columns: One row per entity, or per world for records and globals.
        pool: All texts.
    """

    worlds: int
    columns: dict[Key, Value]
    pool: Pool


WORLD: Final = Type("world")
RECORDS: Final = frozenset((INDEX, SCORING, MONITOR, INTEGRITY))
"""Records that a world has one of."""


def reads_of(rules: Iterable[Rule]) -> dict[Key, Read]:
    """Every column that evaluating these rules needs."""
    found: dict[Key, Read] = {}
    for rule in rules:
        if rule.each is not None:
            _note(found, WORLD, GLOBALS[rule.each], (rule.each,))
        open_nodes: list[ir.Expr] = [rule.condition]
        while open_nodes:
            node = open_nodes.pop()
            open_nodes.extend(operands(node))
            match node:
                case ir.Global() if node.name in GLOBALS:
                    _note(found, WORLD, node.type, (node.name,))
                case ir.Field():
                    _note(found, node.base.type, FIELDS[node.base.type][node.name].type, (node.name,))
                case ir.Meta():
                    _note(found, SPAN, node.type, ("meta", node.key))
                case ir.Epsilon():
                    _note(found, CHAIN, NUMBER, epsilon_key(node)[1:])
                case _:
                    pass
    return found


def epsilon_key(node: ir.Epsilon) -> Key:
    """The key of the column that one `epsilon(…)` reads."""
    return (CHAIN.name, "epsilon of", node.kind, node.by, *node.excluded)


def _note(found: dict[Key, Read], record: Type, of: Type, name: Key) -> None:
    if of in ENTITIES or of.element is not None or of.name in _SCALARS:
        key = (record.name, *name)
        found.setdefault(key, Read(record, of, key))


_SCALARS: Final = frozenset(
    {"bool", "int", "number", "text", "kind", "class", "representation", "source", "assertion type", "status"}
)


def encode_tables(worlds: Sequence[World], reads: dict[Key, Read]) -> Tables:
    """Encode what ``reads`` names."""
    return _Encoder(worlds, reads).tables()


class _Encoder:
    """Entities found so far, and the columns made of them."""

    __slots__ = ("_columns", "_objects", "_pool", "_reads", "_rows", "_worlds")

    def __init__(self, worlds: Sequence[World], reads: dict[Key, Read]) -> None:
        self._worlds = worlds
        self._reads = reads
        self._objects: dict[Type, list[Any]] = {entity: [] for entity in ENTITIES}
        self._rows: dict[Type, dict[int, int]] = {entity: {} for entity in ENTITIES}
        self._columns: dict[Key, Value] = {}
        self._pool = Pool()

    def tables(self) -> Tables:
        """Follow what leads to entities until no new one is met, then encode the rest."""
        links = [read for read in self._reads.values() if read.type in ENTITIES or read.type.element in ENTITIES]
        met: dict[Key, list[Any]] = {read.key: [] for read in links}
        grew = True
        while grew:
            grew = False
            for read in links:
                values = met[read.key]
                fresh = list(map(_getter(read), self._owners(read.record)[len(values) :]))
                if fresh:
                    grew = True
                    values += fresh
                    self._meet(read.type, fresh)
        for read in self._reads.values():
            if read.key in met:
                self._columns[read.key] = self._links(read.type, met[read.key])
            else:
                values = list(map(_getter(read), self._owners(read.record)))
                self._columns[read.key] = self._values(read.type, values)
        return Tables(len(self._worlds), self._columns, self._pool)

    def _owners(self, record: Type) -> Sequence[Any]:
        if record in ENTITIES:
            return self._objects[record]
        if record == WORLD:
            return self._worlds
        return [getattr(world, record.name) for world in self._worlds]

    def _meet(self, of: Type, values: list[Any]) -> None:
        """Give a row to every entity that has none yet."""
        entity = of if of.element is None else of.element
        rows, objects = self._rows[entity], self._objects[entity]
        items = values if of.element is None else list(chain.from_iterable(values))
        met = dict(zip(map(id, items), items, strict=True))
        if rows:
            met = {key: item for key, item in met.items() if key not in rows}
        rows.update(zip(met, range(len(objects), len(objects) + len(met)), strict=True))
        objects.extend(met.values())

    def _links(self, of: Type, values: list[Any]) -> Value:
        if of.element is None:
            return Column("row", self._row_array(of, values))
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        stop: Array = np.cumsum(lengths)
        rows = self._row_array(of.element, list(chain.from_iterable(values)))
        whole = len(rows) == len(self._objects[of.element]) and bool((rows == np.arange(len(rows))).all())
        return Lists(stop - lengths, stop, Column("row", rows, whole=whole))

    def _row_array(self, of: Type, items: list[Any]) -> Array:
        return np.fromiter(map(self._rows[of].__getitem__, map(id, items)), np.int64, len(items))

    def _values(self, of: Type, values: list[Any]) -> Value:
        if of.element is not None:
            flat = list(chain.from_iterable(value for value in values if value is not None))
            lengths = np.fromiter((0 if value is None else len(value) for value in values), np.int64, len(values))
            unknown = np.fromiter((value is None for value in values), np.bool_, len(values))
            column = self._values(of.element, flat)
            if isinstance(column, Lists):
                raise TypeError(f"a list of lists cannot be encoded: {of}")
            stop = np.cumsum(lengths)
            return Lists(stop - lengths, stop, column, unknown if unknown.any() else None)
        if of == BOOL:
            return bools(values)
        if of in (INT, NUMBER):
            return numbers(values)
        return self._pool.encode(values)


def _getter(read: Read) -> Callable[[Any], Any]:
    """What reads one column's value from its fact."""
    match read.key[1:]:
        case ("meta", key):
            return lambda span: span.meta.get(key)
        case ("epsilon of", kind, by, *excluded):
            budget = (kind, by, tuple(excluded))
            return lambda chain: chain.epsilon_of(*budget)
        case (name,):
            return attrgetter(ATTRIBUTE.get(name, name))
        case _:
            raise TypeError(f"no fact is called {read.key}")
