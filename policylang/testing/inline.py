"""Inline `test` blocks become the same cases as those of a file (SPEC §3, §8)."""

from __future__ import annotations

from typing import Any

from policylang.syntax.ast import Ident, InlineExpect, InlineGiven, InlineSpan, InlineTest, NumberLit, Setting, TextLit
from policylang.testing.base import complete
from policylang.testing.model import Case

_LISTS = frozenset({"parents", "represented_by"})
_WORDS: dict[str, Any] = {"true": True, "false": False, "unknown": None}


def inline_case(test: InlineTest) -> Case:
    """The case that an inline test stands for.

    A test without `expect` has an empty expectation; the runner reports it, as it could not fail.
    """
    given: dict[str, Any] = {}
    expect: dict[str, Any] = {}
    spans: list[dict[str, Any]] = []
    verified: dict[str, bool] = {}
    for item in test.items:
        match item:
            case InlineSpan():
                spans.append(_span(item, verified))
            case InlineGiven():
                _give(item, given)
            case InlineExpect():
                _expect(item, expect)
    given["spans"] = spans
    if verified:
        # What the test says of its spans lies over what the base says of every evicted one.
        base = complete({"spans": spans})["index"]["verified"]
        given["index"] = {**(given.get("index") or {}), "verified": {**base, **verified}}
    return Case(test.name.value, str(test.loc), None, given, expect)


def _span(item: InlineSpan, verified: dict[str, bool]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "id": item.id.name,
        "kind": item.kind.name,
        "text": item.text.value,
        "epoch": item.epoch.value,
        "disposition": {"evicted": "evict", "retained": "retain"}[item.disposition.name],
    }
    for name, value in item.extras:
        if name.name in ("verified", "unverified"):
            verified[item.id.name] = name.name == "verified"
        elif name.name == "interim":
            out["interim"] = True
        elif name.name in _LISTS:
            out.setdefault(name.name, []).append(_value(value))
        else:
            out[name.name] = _value(value)
    return out


def _value(value: TextLit | NumberLit | None) -> Any:
    return None if value is None else value.value


def _give(item: InlineGiven, given: dict[str, Any]) -> None:
    if item.target.name == "epoch":
        given["epoch"] = _setting(item.settings[0])
        return
    group = given.setdefault(item.target.name, {})
    values = {setting.name.name: _setting(setting) for setting in item.settings}
    if item.target.name == "scoring" and "terms" not in values:
        # Terms are named one by one; what the test does not name is as in the base.
        terms = {**complete({})["scoring"]["terms"], **values}
        values = {"terms": {name: weight for name, weight in terms.items() if weight is not None}}
    group.update(values)


def _setting(setting: Setting) -> Any:
    values = [_word(value) for value in setting.values]
    return values[0] if len(values) == 1 else values


def _word(value: Ident | NumberLit) -> Any:
    if isinstance(value, NumberLit):
        return value.value
    return _WORDS.get(value.name, value.name)


def _expect(item: InlineExpect, expect: dict[str, Any]) -> None:
    rule = item.rule.name if item.rule is not None else None
    outcome = item.outcome.name
    if outcome == "compact":
        expect["decision"] = "compact"
    elif outcome in ("refuse", "undetermined"):
        expect["decision"] = "spill_lossless"
        if rule is not None:
            expect.setdefault("includes", []).append(rule)
        if item.spans:
            expect.setdefault("on", []).append((rule, tuple(span.name for span in item.spans)))
        if outcome == "undetermined":
            expect.setdefault("undetermined_includes", []).append(rule)
    elif outcome == "no":
        expect.setdefault("excludes", []).append(rule)
    elif outcome == "warn":
        expect.setdefault("warnings_include", []).append(rule)
