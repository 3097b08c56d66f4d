"""`evaluate_many`: one policy, many requests, decided together over columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import partial
from typing import Any

from policylang.compiler.columns import ColumnPlan
from policylang.runtime.decide import evaluate, make_verdict, world_of
from policylang.runtime.policy import Policy, decides, today
from policylang.runtime.verdict import Verdict
from policylang.transcript.request import Request


def evaluate_many(
    policy: Policy,
    requests: Iterable[Request | Mapping[str, Any] | str | bytes],
    *,
    as_of: date | None = None,
) -> list[Verdict]:
    """Decide many epochs at once: the verdicts that `evaluate` would give, in the order of the requests.

    Worth it where many spans are decided together (replay over a fleet, a policy change tried on a year of requests).

    Raises:
        RequestError: if a request is not valid; nothing is decided then.
    """
    day = as_of or today()
    asked = [Request.from_json(request) for request in requests]
    plan = ColumnPlan(policy.on(day).rules)
    try:
        worlds = [world_of(policy, request, day) for request in asked]
        found = plan.run(plan.encode(worlds)).by_world(len(worlds))
    except Exception:
        # Evidence that fails for one request must not decide the others: each is decided, and refused, alone.
        return [evaluate(policy, request, as_of=day) for request in asked]
    return [
        make_verdict(policy, request, day, any(decides(hit.rule) for hit in hits), partial(list, hits))
        for request, hits in zip(asked, found, strict=True)
    ]
