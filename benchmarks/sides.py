"""The document's decision, asked of policylang, of plain Python and of other policy engines.

A side takes a case in its own form. ``ready`` gets it outside the timed part: policy compiled, input in the engine's
own objects where its API has such. ``plain`` starts from the plain data that a runtime has, so reading it is timed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, Final

import policylang
from policylang.runtime.decide import world_of
from policylang.runtime.policy import today

Decide = Callable[[], str]

ANCHORS: Final = ("tool_result", "state_assertion", "file_write_ack")
ANCHOR_SET: Final = frozenset(ANCHORS)
WINDOW: Final = 2
"""Epochs for which an index that was rebuilt from post-compaction text is not trusted."""

PEERS: Final = {
    "cel_expr_python": "cel-expr-python",
    "cedarpy": "cedarpy",
    "regopy": "regopy",
    "hobofan_regorus": "hobofan-regorus",
}
"""Module -> distribution of the engines that are compared."""


@dataclass(frozen=True, slots=True)
class Case:
    """One decision: the kinds of the evicted spans, the current epoch, the epoch of the index's last rebuild."""

    kinds: tuple[str, ...]
    epoch: int = 9
    rebuilt: int = 1

    def spans(self) -> list[dict[str, Any]]:
        """The evicted spans as plain data, each value an object of its own as if it came from a parser."""
        return [
            {
                "id": f"s{number}",
                "kind": "".join(list(kind)),
                "text": f"step {number} of the run",
                "epoch": 3,
                "disposition": "evict",
            }
            for number, kind in enumerate(self.kinds)
        ]

    def request(self) -> dict[str, Any]:
        """The case as ``policylang.request/v1``."""
        return {
            "epoch": self.epoch,
            "spans": self.spans(),
            "index": {"source": "pre_compaction", "rebuilt": self.rebuilt},
        }


@dataclass(frozen=True, slots=True)
class Side:
    """One way to decide; ``plain`` is None where it would measure nothing else than ``ready``."""

    name: str
    ready: Callable[[Case], Decide]
    plain: Callable[[Case], Decide] | None
    included: str


def _word(ok: bool) -> str:
    return "compact" if ok else "spill_lossless"


# --- plain Python ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Span:
    """The document's own class, as it stands there."""

    span_id: str
    kind: str
    text: str
    epoch: int


def _hand(evicted: list[_Span], rebuilt: int, epoch: int) -> str:
    if epoch - rebuilt <= WINDOW:
        return "spill_lossless"
    anchors = [s for s in evicted if s.kind in ANCHOR_SET]
    return "spill_lossless" if anchors else "compact"


def _hand_plain(data: dict[str, Any]) -> str:
    if data["epoch"] - data["index"]["rebuilt"] <= WINDOW:
        return "spill_lossless"
    anchors = [s for s in data["spans"] if s["kind"] in ANCHOR_SET]
    return "spill_lossless" if anchors else "compact"


def _hand_ready(case: Case) -> Decide:
    evicted = [_Span(row["id"], row["kind"], row["text"], row["epoch"]) for row in case.spans()]
    return partial(_hand, evicted, case.rebuilt, case.epoch)


# --- policylang ------------------------------------------------------------------------------------------------------


def _policylang() -> Iterator[Side]:
    policy = policylang.load("std/reference-code")

    def ready(case: Case) -> Decide:
        request = policylang.Request.from_json(case.request())
        return lambda: policylang.evaluate(policy, request).decision

    def plain(case: Case) -> Decide:
        data = case.request()
        return lambda: policylang.evaluate(policy, data).decision

    def fused(case: Case) -> Decide:
        day = today()
        world = world_of(policy, policylang.Request.from_json(case.request()), day)
        effective = policy.on(day)
        run, deciding = effective.fused.run, effective.deciding
        return lambda: _word(not any(deciding[hit[0]] for hit in run(world)))

    def whole(case: Case) -> Decide:
        request = policylang.Request.from_json(case.request())
        return lambda: str(policylang.evaluate(policy, request).to_json()["decision"])

    yield Side("policylang", ready, plain, "`evaluate` on a `Request`; the decision, reasons left unread")
    yield Side("policylang, fused function", fused, None, "the compiled function alone, without `evaluate` around it")
    yield Side("policylang, whole verdict", whole, None, "`evaluate` and `to_json`: every reason, salvage and plan")


# --- peers -----------------------------------------------------------------------------------------------------------


def _cel() -> Iterator[Side]:
    from cel_expr_python import cel

    numbers = {"epoch": cel.Type.INT, "rebuilt": cel.Type.INT}
    words = json.dumps(list(ANCHORS))
    fresh = f"epoch - rebuilt > {WINDOW}"

    spans_env = cel.NewEnv(variables={**numbers, "evicted": cel.Type.DYN})
    spans_rule = spans_env.compile(f"{fresh} && !evicted.exists(s, s.kind in {words})")
    named_rule = spans_env.compile(f'{fresh} ? evicted.filter(s, s.kind in {words}).map(s, s.id) : ["index"]')
    kinds_env = cel.NewEnv(variables={**numbers, "kinds": cel.Type.List(cel.Type.STRING)})
    # Three comparisons are quicker here than `in` on a list.
    any_of = " || ".join(f'k == "{kind}"' for kind in ANCHORS)
    kinds_rule = kinds_env.compile(f"{fresh} && !kinds.exists(k, {any_of})")

    def bind(case: Case, rows: list[dict[str, Any]]) -> dict[str, Any]:
        return {"epoch": case.epoch, "rebuilt": case.rebuilt, "evicted": rows}

    def ready(case: Case) -> Decide:
        activation = spans_env.Activation(bind(case, case.spans()))
        return lambda: _word(spans_rule.eval(activation).value())

    def named(case: Case) -> Decide:
        activation = spans_env.Activation(bind(case, case.spans()))
        return lambda: _word(not named_rule.eval(activation).value())

    def plain(case: Case) -> Decide:
        data = bind(case, case.spans())
        return lambda: _word(spans_rule.eval(data=data).value())

    def kinds_ready(case: Case) -> Decide:
        kinds = [row["kind"] for row in case.spans()]
        activation = kinds_env.Activation({"epoch": case.epoch, "rebuilt": case.rebuilt, "kinds": kinds})
        return lambda: _word(kinds_rule.eval(activation).value())

    def kinds_plain(case: Case) -> Decide:
        rows, epoch, rebuilt = case.spans(), case.epoch, case.rebuilt

        def decide() -> str:
            kinds = [row["kind"] for row in rows]
            return _word(kinds_rule.eval(data={"epoch": epoch, "rebuilt": rebuilt, "kinds": kinds}).value())

        return decide

    yield Side("CEL (C++), spans", ready, plain, "`exists` over the spans, which stops at the first anchor")
    yield Side(
        "CEL (C++), spans, anchors named",
        named,
        None,
        "`filter` over the spans: finds every anchor, as policylang does",
    )
    yield Side(
        "CEL (C++), kinds only",
        kinds_ready,
        kinds_plain,
        "the same over a list of strings that the caller drew from the spans: the rule cannot name a span",
    )


def _cedar() -> Iterator[Side]:
    import cedarpy

    words = json.dumps(list(ANCHORS))
    each = cedarpy.PolicySet.from_str(
        "permit(principal, action, resource);"
        f"forbid(principal, action, resource) when {{ context.epoch - context.rebuilt <= {WINDOW} }};"
        f"forbid(principal, action, resource) when {{ {words}.contains(resource.kind) }};"
    )
    pooled = cedarpy.PolicySet.from_str(
        "permit(principal, action, resource) when "
        f"{{ context.epoch - context.rebuilt > {WINDOW} && !context.kinds.containsAny({words}) }};"
    )
    runtime, compact = {"type": "Runtime", "id": "r"}, {"type": "Action", "id": "compact"}
    none = cedarpy.Entities.from_json_str("[]")

    def entities(rows: list[dict[str, Any]]) -> Any:
        found = [
            {"uid": {"type": "Span", "id": row["id"]}, "attrs": {"kind": row["kind"]}, "parents": []} for row in rows
        ]
        return cedarpy.Entities.from_json_str(json.dumps(found))

    def requests(case: Case, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        context = json.dumps({"epoch": case.epoch, "rebuilt": case.rebuilt})
        return [
            {
                "principal": runtime,
                "action": compact,
                "resource": {"type": "Span", "id": row["id"]},
                "context": context,
            }
            for row in rows
        ]

    def ready(case: Case) -> Decide:
        rows = case.spans()
        asked, known = requests(case, rows), entities(rows)
        return lambda: _word(all(found.allowed for found in cedarpy.is_authorized_batch(asked, each, known)))

    def plain(case: Case) -> Decide:
        rows = case.spans()

        def decide() -> str:
            found = cedarpy.is_authorized_batch(requests(case, rows), each, entities(rows))
            return _word(all(one.allowed for one in found))

        return decide

    def pooled_decide(case: Case, kinds: set[str]) -> str:
        context = json.dumps({"epoch": case.epoch, "rebuilt": case.rebuilt, "kinds": sorted(kinds)})
        resource = {"type": "Epoch", "id": "e"}
        asked = {"principal": runtime, "action": compact, "resource": resource, "context": context}
        return _word(cedarpy.is_authorized(asked, pooled, none).allowed)

    def pooled_ready(case: Case) -> Decide:
        evicted = [_Span(row["id"], row["kind"], row["text"], row["epoch"]) for row in case.spans()]
        return lambda: pooled_decide(case, {span.kind for span in evicted})

    def pooled_plain(case: Case) -> Decide:
        rows = case.spans()
        return lambda: pooled_decide(case, {row["kind"] for row in rows})

    yield Side("Cedar, a request a span", ready, plain, "one batch call; entities and requests made beforehand")
    yield Side(
        "Cedar, a set of kinds",
        pooled_ready,
        pooled_plain,
        "Python reduces the spans to their kinds, which is timed; Cedar sees two words and cannot name a span",
    )


REGO: Final = f"""package epoch
import rego.v1
kinds := {{{", ".join(json.dumps(kind) for kind in ANCHORS)}}}
default compact := false
compact if {{
  input.epoch - input.rebuilt > {WINDOW}
  not anchored
}}
anchored if {{
  some span in input.evicted
  span.kind in kinds
}}
"""
"""The document's decision in OPA's language."""


def _rego_input(case: Case) -> dict[str, Any]:
    return {"epoch": case.epoch, "rebuilt": case.rebuilt, "evicted": case.spans()}


def _rego_cpp() -> Iterator[Side]:
    import regopy

    def ask(engine: Any) -> str:
        # A false answer comes back as a result without expressions.
        return _word(any(True in result.expressions for result in engine.query("data.epoch.compact").results))

    def ready(case: Case) -> Decide:
        engine = regopy.Interpreter()
        engine.add_module("epoch", REGO)
        engine.set_input(_rego_input(case))
        return lambda: ask(engine)

    def plain(case: Case) -> Decide:
        engine = regopy.Interpreter()
        engine.add_module("epoch", REGO)
        data = _rego_input(case)

        def decide() -> str:
            engine.set_input(data)
            return ask(engine)

        return decide

    yield Side("Rego (rego-cpp)", ready, plain, "one query; the input is handed over beforehand")


def _regorus() -> Iterator[Side]:
    from hobofan_regorus import Engine

    def ready(case: Case) -> Decide:
        engine = Engine()
        engine.add_policy("epoch", REGO)
        engine.set_input(_rego_input(case))
        return lambda: _word(bool(engine.eval_rule("data.epoch.compact")))

    def plain(case: Case) -> Decide:
        engine = Engine()
        engine.add_policy("epoch", REGO)
        data = _rego_input(case)

        def decide() -> str:
            engine.set_input(data)
            return _word(bool(engine.eval_rule("data.epoch.compact")))

        return decide

    yield Side("Rego (regorus)", ready, plain, "one rule; the input is handed over beforehand")


OPENERS: Final = {
    "cel_expr_python": _cel,
    "cedarpy": _cedar,
    "regopy": _rego_cpp,
    "hobofan_regorus": _regorus,
}


def missing() -> tuple[str, ...]:
    """Distributions of peers that are not installed here."""
    return tuple(PEERS[module] for module in OPENERS if find_spec(module) is None)


def sides() -> tuple[Side, ...]:
    """All sides that can run here; plain Python is the first, policylang the second."""
    hand = Side(
        "hand-written Python", _hand_ready, lambda case: partial(_hand_plain, case.request()), "a list comprehension"
    )
    found = [hand, *_policylang()]
    for module, opener in OPENERS.items():
        if find_spec(module) is not None:
            found += opener()
    return tuple(found)
