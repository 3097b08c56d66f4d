"""Running cases: the policy of the case over its completed request, and each expectation against what came out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from policylang.check.blockrules import BLOCK_IDS
from policylang.diagnostics import Diagnostic, DiagnosticError, PolicyError, RequestError, nearest
from policylang.runtime.decide import evaluate, vacuous_rules
from policylang.runtime.policy import Policy, load, load_text, today
from policylang.testing.base import complete
from policylang.testing.model import Case, CaseResult, Mismatch, PolicyChoice
from policylang.transcript.request import Request

YAML_NOTE = "the YAML spelling of policies is not in this version"

Loader = dict[PolicyChoice, Policy | DiagnosticError]


def run_case(case: Case, policies: Loader, as_of: date | None = None, own: Policy | None = None) -> CaseResult:
    """Run one case.

    Args:
        case: What to run.
        policies: Policies loaded so far; the caller keeps it between cases so that each is loaded once.
        as_of: The day that settles expiries.
        own: The policy of an inline test, which names none itself.
    """
    if not case.expect:
        finding = Diagnostic("syntax-error", f"test `{case.name}` expects nothing, so it cannot fail")
        return CaseResult(case, "failed", diagnostics=(finding,))
    if case.policy is not None and case.policy.form == "yaml":
        return CaseResult(case, "not-run", note=YAML_NOTE)
    try:
        policy = own if own is not None else _load(case, policies)
        request = Request.from_json(complete(case.given))
    except (PolicyError, RequestError) as error:
        return _compare_errors(case, error.diagnostics)
    unknown = _unknown_rules(case, policy)
    if unknown is not None:
        return CaseResult(case, "failed", diagnostics=(unknown,))
    verdict = evaluate(policy, request, as_of=as_of)
    document = verdict.to_json()
    mismatches = tuple(_compare(case, document))
    vacuous = vacuous_rules(policy, request, as_of=as_of or today())
    return CaseResult(case, "failed" if mismatches else "passed", mismatches, verdict=document, vacuous=vacuous)


def _load(case: Case, policies: Loader) -> Policy:
    choice = case.policy
    if choice is None:
        raise PolicyError([Diagnostic("syntax-error", f"case `{case.name}` has no policy")])
    if choice not in policies:
        try:
            policies[choice] = _load_choice(choice, case.folder)
        except PolicyError as error:
            policies[choice] = error
    found = policies[choice]
    if isinstance(found, DiagnosticError):
        raise found
    return found


def _load_choice(choice: PolicyChoice, folder: str) -> Policy:
    if choice.form == "text":
        return load_text(choice.value, "<policy_text>")
    beside = Path(folder) / choice.value
    return load(beside if beside.exists() else choice.value)


def _unknown_rules(case: Case, policy: Policy) -> Diagnostic | None:
    """An expectation that names a rule which the policy does not have can never mean what its author thinks."""
    known = {rule.id for rule in policy.checked.rules} | {"unknown-kind"}
    if case.only is not None:
        # A file that limits what it compares holds cases of several policies; a block's rule may be in another one.
        known |= BLOCK_IDS
    fields = ("includes", "excludes", "rules", "undetermined", "undetermined_includes", "warnings", "warnings_include",
              "shadow")  # fmt: skip
    listed = [("only", sorted(case.only or ())), *((field, case.expect.get(field) or ()) for field in fields)]
    for _, rules in listed:
        for rule in rules:
            if rule not in known:
                near = nearest(str(rule), known)
                help_ = f"did you mean `{near}`?" if near else None
                return Diagnostic("unknown-name", f"{case.place}: the policy has no rule `{rule}`", None, help_)
    return None


def _compare_errors(case: Case, diagnostics: Sequence[Diagnostic]) -> CaseResult:
    expect = case.expect
    errors = [item for item in diagnostics if item.severity == "error"]
    codes = [item.code for item in errors]
    mismatches = []
    if "error" in expect:
        if codes != [expect["error"]]:
            mismatches.append(Mismatch("error", expect["error"], codes))
    elif "errors" in expect:
        if codes != list(expect["errors"]):
            mismatches.append(Mismatch("errors", expect["errors"], codes))
    elif "errors_include" in expect:
        if not set(expect["errors_include"]) <= set(codes):
            mismatches.append(Mismatch("errors_include", expect["errors_include"], codes))
    else:
        mismatches.append(Mismatch("error", None, codes))
    first = errors[0] if errors else None
    if "at" in expect and first is not None:
        place = f"{first.loc.begin.line}:{first.loc.begin.column}" if first.loc else None
        if place != str(expect["at"]):
            mismatches.append(Mismatch("at", expect["at"], place))
    if "help" in expect and first is not None and str(expect["help"]) not in (first.help or ""):
        mismatches.append(Mismatch("help", expect["help"], first.help))
    return CaseResult(case, "failed" if mismatches else "passed", tuple(mismatches), tuple(diagnostics))


def _compare(case: Case, verdict: Mapping[str, Any]) -> list[Mismatch]:
    expect = case.expect
    reasons = [item for item in verdict["reasons"] if case.only is None or item["rule"] in case.only]
    rules = sorted({item["rule"] for item in reasons})
    out: list[Mismatch] = [
        Mismatch(field, expect[field], []) for field in ("error", "errors", "errors_include") if field in expect
    ]

    def same(field: str, actual: Any) -> None:
        wanted = expect[field]
        if isinstance(actual, list):
            wanted = sorted(wanted)
        if wanted != actual:
            out.append(Mismatch(field, wanted, actual))

    checks: dict[str, Any] = {
        "decision": lambda: verdict["decision"],
        "rules": lambda: rules,
        "undetermined": lambda: sorted({item["rule"] for item in reasons if item["undetermined"]}),
        "spans": lambda: sorted({span for item in reasons if item["scope"] == "span" for span in item["spans"]}),
        "warnings": lambda: sorted({item["rule"] for item in verdict["warnings"]}),
        "shadow": lambda: sorted({item["rule"] for item in verdict["shadow"]}),
    }
    for field, actual in checks.items():
        if field in expect:
            same(field, actual())
    if not set(expect.get("includes") or ()) <= set(rules):
        out.append(Mismatch("includes", expect["includes"], rules))
    if set(expect.get("excludes") or ()) & set(rules):
        out.append(Mismatch("excludes", expect["excludes"], rules))
    out.extend(_compare_inline(expect, verdict, reasons))
    out.extend(_compare_figures(expect, verdict, reasons))
    return out


def _compare_inline(
    expect: Mapping[str, Any], verdict: Mapping[str, Any], reasons: Sequence[Mapping[str, Any]]
) -> list[Mismatch]:
    """What only inline tests can say: a rule on some spans, a rule undetermined, a warning among others."""
    out = []
    for rule, spans in expect.get("on", ()):
        named = sorted({span for item in reasons if rule in (None, item["rule"]) for span in item["spans"]})
        if not set(spans) <= set(named):
            out.append(Mismatch(f"refuse {rule} on", list(spans), named))
    undetermined = sorted({item["rule"] for item in reasons if item["undetermined"]})
    if not set(expect.get("undetermined_includes", ())) <= set(undetermined):
        out.append(Mismatch("undetermined", expect["undetermined_includes"], undetermined))
    warned = sorted({item["rule"] for item in verdict["warnings"]})
    if not set(expect.get("warnings_include", ())) <= set(warned):
        out.append(Mismatch("warn", expect["warnings_include"], warned))
    return out


def _compare_figures(
    expect: Mapping[str, Any], verdict: Mapping[str, Any], reasons: Sequence[Mapping[str, Any]]
) -> list[Mismatch]:
    out = []
    if "salvage" in expect:
        actual = {key: sorted(value) for key, value in verdict["salvage"].items()}
        wanted = {key: sorted(value) for key, value in expect["salvage"].items()}
        if wanted != {key: actual.get(key) for key in wanted}:
            out.append(Mismatch("salvage", expect["salvage"], verdict["salvage"]))
    if "plan" in expect:
        actions = {item["span"]: item["action"] for item in verdict["plan"]}
        named = {span: actions.get(span) for span in expect["plan"]}
        if named != expect["plan"]:
            out.append(Mismatch("plan", expect["plan"], named))
    if "chains" in expect:
        epsilons = {item["chain"]: item["evidence"].get("epsilon") for item in reasons if item.get("chain") is not None}
        if not _close(expect["chains"], epsilons):
            out.append(Mismatch("chains", expect["chains"], epsilons))
    return out


def _close(wanted: Mapping[str, float], actual: Mapping[str, Any]) -> bool:
    return wanted.keys() == actual.keys() and all(
        actual[chain] is not None and math.isclose(wanted[chain], actual[chain], rel_tol=0, abs_tol=1e-9)
        for chain in wanted
    )
