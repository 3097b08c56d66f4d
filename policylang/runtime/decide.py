"""`evaluate`: policy and request in, verdict out. Pure; whatever goes wrong inside refuses."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from policylang.compiler.interpret import evaluate_rules
from policylang.evidence.world import build_world, freed_spans
from policylang.rules_ir.expr import Const
from policylang.rules_ir.facts import World
from policylang.rules_ir.outcome import Hit
from policylang.rules_ir.policy import Rule
from policylang.rules_ir.types import BOOL
from policylang.runtime.policy import Effective, Policy, decides, today
from policylang.runtime.reasons import INTERNAL_ERROR, Reason, reason_of, sort_hits, unknown_kinds
from policylang.runtime.salvage import plan_epoch, spill_all
from policylang.runtime.verdict import Details, Exempted, Head, Verdict
from policylang.source import nowhere
from policylang.transcript.request import Request

TIMEOUT_RULE = Rule(
    id="evaluation-timeout",
    level="refuse",
    mode="enforce",
    scope="epoch",
    each=None,
    condition=Const(True, BOOL),
    message=("the decision took longer than it was given",),
    evidence=(),
    builtin=True,
    loc=nowhere("<engine>"),
)


def evaluate(
    policy: Policy,
    request: Request | Mapping[str, Any] | str | bytes,
    *,
    as_of: date | None = None,
    timeout: float | None = None,
) -> Verdict:
    """Decide one epoch.

    Args:
        policy: A loaded policy.
        request: A `Request`, the JSON text of one, or the value that the text would give.
        as_of: The UTC day that settles expiries; today if not given.
        timeout: Seconds that establishing the decision may take; past them the epoch is refused.

    Returns:
        The verdict. It is `compact` only if no enforced `refuse` rule holds or is undetermined.

    Raises:
        RequestError: if the request is not valid.
        TypeError: if the policy is not loaded, or ``as_of`` is not a `datetime.date`.
    """
    started = time.monotonic()
    if not isinstance(policy, Policy):
        raise TypeError(f"policy is what policylang.load returns, not {type(policy).__name__}")
    asked = Request.from_json(request)
    day = _day(as_of)
    effective = policy.on(day)
    world = world_of(policy, asked, day)
    refused = _refuses(effective, world)
    late = timeout is not None and time.monotonic() - started > timeout
    extra = (Hit(TIMEOUT_RULE, -1, True),) if late else ()
    return make_verdict(policy, asked, day, refused or late, lambda: [*run_rules(effective, world), *extra])


def _day(as_of: date | None) -> date:
    if as_of is None:
        return today()
    if not isinstance(as_of, date) or isinstance(as_of, datetime):
        raise TypeError(f"as_of is a datetime.date, not {type(as_of).__name__}")
    return as_of


def make_verdict(
    policy: Policy, request: Request, day: date, refused: bool, hits: Callable[[], Sequence[Hit]]
) -> Verdict:
    """A verdict whose decision is settled; ``hits`` are asked for when its reasons are."""
    return Verdict(
        "spill_lossless" if refused else "compact",
        lambda: _head(policy, request, day),
        lambda: _details(policy, request, day, hits()),
    )


def _refuses(effective: Effective, world: World) -> bool:
    """The decision alone, from the fused function; reasons are for whoever asks."""
    deciding = effective.deciding
    try:
        return any(deciding[found[0]] for found in effective.fused.run(world))
    except Exception:
        return any(decides(hit.rule) for hit in run_rules(effective, world))


def world_of(policy: Policy, request: Request, day: date) -> World:
    """The facts of a request under a policy on a day, established once and kept with the request."""
    key = (policy.digest, day)
    world = request.ingested.get(key)
    if not isinstance(world, World):
        world = request.ingested[key] = build_world(policy.on(day).checked, request, as_of=day)
    return world


def run_rules(effective: Effective, world: World) -> list[Hit]:
    """The rules that hold or are unknown. Should the fused function fail, each rule stands alone."""
    try:
        return effective.fused.hits(world)
    except Exception:
        return [hit for rule in effective.rules for hit in _run_alone(rule, world)]


def vacuous_rules(policy: Policy, request: Request, *, as_of: date) -> tuple[str, ...]:
    """Ids of the rules that ranged over nothing: they did not pass, they were never asked."""
    world = world_of(policy, request, as_of)
    sizes = {"evicted": world.evicted, "anchors": world.anchors, "chains": world.chains}
    return tuple(sorted(rule.id for rule in policy.on(as_of).rules if rule.each is not None and not sizes[rule.each]))


def _run_alone(rule: Rule, world: World) -> Sequence[Hit]:
    try:
        return evaluate_rules([rule], world)
    except Exception:
        # It cannot be named for a span, since even listing them may be what fails.
        return [Hit(_failed(rule), -1, True)]


def _failed(rule: Rule) -> Rule:
    return Rule(
        id=rule.id,
        level=rule.level,
        mode=rule.mode,
        scope="epoch",
        each=None,
        condition=Const(True, BOOL),
        message=(f"{rule.id} could not be evaluated",),
        evidence=(),
        builtin=rule.builtin,
        loc=rule.loc,
    )


def _head(policy: Policy, request: Request, day: date) -> Head:
    return Head(
        epoch=request.epoch,
        generation=request.generation,
        request=request.digest(),
        policy_id=policy.id,
        policy_version=policy.version,
        policy_digest=policy.digest,
        as_of=day,
    )


def _reasons(policy: Policy, world: World, hits: Sequence[Hit]) -> tuple[Reason, ...]:
    return tuple(_with_failure(reason_of(hit, world, policy.checked), hit) for hit in sort_hits(hits))


def _with_failure(reason: Reason, hit: Hit) -> Reason:
    """A rule that failed has no evidence to show; it names the failure."""
    if hit.undetermined and hit.rule.each is None and isinstance(hit.rule.condition, Const) and not reason.missing:
        missing = "deadline" if hit.rule is TIMEOUT_RULE else INTERNAL_ERROR
        return Reason(
            rule=reason.rule,
            scope=reason.scope,
            spans=reason.spans,
            message=reason.message,
            undetermined=True,
            missing=(missing,),
            source=reason.source,
        )
    return reason


def _details(policy: Policy, request: Request, day: date, hits: Sequence[Hit]) -> Details:
    world, effective = world_of(policy, request, day), policy.on(day)
    reasons = _reasons(policy, world, [hit for hit in hits if decides(hit.rule)])
    warning = [hit for hit in hits if hit.rule.mode != "shadow" and not decides(hit.rule)]

    def again(spilled: frozenset[int], kept: frozenset[int], last: World) -> tuple[World, tuple[Reason, ...]]:
        then = build_world(effective.checked, request, as_of=day, spilled=spilled, kept=kept, before=last)
        found = [hit for hit in run_rules(effective, then) if decides(hit.rule)]
        return then, _reasons(policy, then, found)

    try:
        salvage, plan = plan_epoch(world, reasons, again)
    except Exception:
        # Without a plan there is still one that is safe.
        salvage, plan = spill_all(world, INTERNAL_ERROR)
    fired = _reasons(policy, world, [hit for hit in warning if not hit.undetermined])
    return Details(
        reasons=reasons,
        warnings=tuple(sorted((*fired, *unknown_kinds(world, effective.checked)), key=lambda item: item.rule)),
        undetermined_warnings=_reasons(policy, world, [hit for hit in warning if hit.undetermined]),
        shadow=_reasons(policy, world, [hit for hit in hits if hit.rule.mode == "shadow"]),
        exempted=_exempted(world),
        salvage=salvage,
        plan=plan,
        anchors=_count_anchors(world),
    )


def _exempted(world: World) -> tuple[Exempted, ...]:
    try:
        return tuple(Exempted(name, span) for name, span in freed_spans(world))
    except Exception:
        # Nothing was freed as far as anyone can tell, and the rules that read it have refused.
        return ()


def _count_anchors(world: World) -> int:
    try:
        return len(world.anchors)
    except Exception:
        # Any of them may be one.
        return len(world.evicted)
