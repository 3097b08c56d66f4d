"""Text functions on columns: each distinct text, or pair of texts, is read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from policylang.compiler.columns_data import Array, Bools, Column, Pool, at, either, judged, numbers
from policylang.regex import compile_pattern
from policylang.rules_ir import expr as ir

Function = Callable[..., Any]


def matches(subject: Column, pattern: str, flags: str, pool: Pool) -> Bools:
    """`matches`: an RE2 search."""
    search = compile_pattern(pattern, flags).search
    values, places = _apply(lambda text: search(text) is not None, (subject,), pool)
    return judged(at(np.array(values, dtype=np.bool_), places), subject.unknown)


def builtin(name: ir.BuiltinName, args: Sequence[Column], pool: Pool) -> Bools | Column:
    """`lower`, `length`, `starts_with` and `contains` of texts."""
    values, places = _apply(_FUNCTIONS[name], args, pool)
    unknown = either(*(arg.unknown for arg in args))
    match name:
        case "lower":
            codes = pool.encode(values)
            return Column("text", codes.data[places], unknown)
        case "length":
            lengths = numbers(values)
            return Column(lengths.kind, lengths.data[places], unknown, lengths.bound)
        case _:
            return judged(np.asarray(np.array(values, dtype=np.bool_)[places]), unknown)


_FUNCTIONS: dict[ir.BuiltinName, Function] = {
    "lower": str.lower,
    "length": len,
    "starts_with": str.startswith,
    "contains": str.__contains__,
}


def _apply(function: Function, args: Sequence[Column], pool: Pool) -> tuple[list[Any], Array]:
    """(results for the distinct arguments, which of them is each row's). Rows that are unknown count as any text."""
    datas = np.broadcast_arrays(*(arg.data for arg in args))
    if len(datas) == 1:
        distinct, places = _distinct(datas[0], len(pool))
        return [function(pool.text(code)) for code in distinct.tolist()], places
    pairs = datas[0].astype(np.int64) * len(pool) + datas[1]
    distinct, inverse = np.unique(pairs, return_inverse=True)
    size = len(pool)
    texts = ((pool.text(pair // size), pool.text(pair % size)) for pair in distinct.tolist())
    return [function(*both) for both in texts], inverse.reshape(pairs.shape)


def _distinct(codes: Array, size: int) -> tuple[Array, Array]:
    """`np.unique` with its inverse, in time linear in rows and pool."""
    used = np.zeros(max(size, 1), np.bool_)
    used[codes] = True
    distinct = np.flatnonzero(used)
    place = np.zeros(len(used), np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, np.asarray(place[codes])
