"""A small deterministic embedder: hashed words and character trigrams, cosine between sparse vectors.

It stands for the embedding in the document's heuristic, so that a replay needs no model and gives the same bytes
everywhere. Identifiers are split into their words. Hashing into few buckets lifts the similarity of any two long
texts, as sentence embeddings do.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from zlib import crc32

BUCKETS = 512

Vector = Mapping[int, float]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_STOP_WORDS = """
a an and are as at be but by can did do for from has have i if in into is it its let me my not now of on or our so that
the then there this to up was we were what when which will with you your
"""
_STOP = frozenset(_STOP_WORDS.split())


def words(text: str) -> list[str]:
    """The words of a text in lower case, identifiers split, stop words left out."""
    return [word for found in _WORD.findall(text) if (word := found.lower()) not in _STOP]


@lru_cache(maxsize=1 << 16)
def _buckets(word: str) -> tuple[int, ...]:
    padded = f"<{word}>"
    grams = [padded[at : at + 3] for at in range(len(padded) - 2)] if len(word) > 3 else []
    return tuple(crc32(part.encode()) % BUCKETS for part in (word, *grams))


def embed(text: str) -> Vector:
    """The vector of a text, of length 1; empty for a text without words."""
    counts: dict[int, float] = {}
    for word, times in Counter(words(text)).items():
        weight = 1.0 + math.log(times)
        for bucket in _buckets(word):
            counts[bucket] = counts.get(bucket, 0.0) + weight
    return scaled(counts)


def scaled(vector: Mapping[int, float]) -> Vector:
    """The vector brought to length 1."""
    norm = math.sqrt(math.fsum(value * value for value in vector.values()))
    return {bucket: vector[bucket] / norm for bucket in sorted(vector)} if norm else {}


def cosine(one: Vector, other: Vector) -> float:
    """Similarity of two vectors of length 1, in [0, 1]; 0 where either is empty."""
    if len(other) < len(one):
        one, other = other, one
    total = math.fsum(value * other[bucket] for bucket, value in one.items() if bucket in other)
    return min(1.0, max(0.0, total))


def centroid(vectors: Iterable[Vector]) -> Vector:
    """The direction that a set of vectors has in common."""
    total: dict[int, float] = {}
    for vector in vectors:
        for bucket, value in vector.items():
            total[bucket] = total.get(bucket, 0.0) + value
    return scaled(total)
