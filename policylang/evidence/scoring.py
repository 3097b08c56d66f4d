"""The scoring audit: does the eviction score protect anchors? (SPEC §3 `scoring`, condition 2 of the document)"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence


def structural_share(terms: Mapping[str, float]) -> float:
    """Weight of the structural term as a share of all weights, in [0, 1]; 0 where it is missing or not positive."""
    weight = terms.get("structural", 0.0)
    total = sum(abs(value) for value in terms.values())
    return weight / total if weight > 0 and total > 0 else 0.0


def anchor_auc(anchors: Sequence[float], others: Sequence[float]) -> float | None:
    """Probability that an anchor scores lower (is evicted later) than another span; ties count half.

    1.0 means that every anchor is evicted last, 0.5 that the score does not see anchors. None without both groups.
    """
    if not anchors or not others:
        return None
    ordered = sorted(others)
    above = sum(2 * len(ordered) - bisect_left(ordered, score) - bisect_right(ordered, score) for score in anchors)
    return above / (2 * len(anchors) * len(ordered))
