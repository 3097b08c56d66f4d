"""Reading ``*.cases.yaml``: strictly, so that a misspelt expectation is an error and never a test that cannot fail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from policylang.diagnostics import Diagnostic, DiagnosticError, did_you_mean
from policylang.frontend.yaml.loader import load_yaml
from policylang.source import Loc, Source
from policylang.testing.model import Case, PolicyChoice
from policylang.testing.shape import CASE, EXPECT, Form, lonely, misshapen
from policylang.transcript.vocabulary import REPRESENTATIONS

POLICY_KEYS = ("policy", "policy_text", "policy_yaml", "policy_text_repeat")
FILE_KEYS = (*POLICY_KEYS, "cases", "only", "note")
CASE_KEYS = (
    *POLICY_KEYS, "name", "given", "expect", "note", "when", "result", "anchor", "retained", "expect_representation",
)  # fmt: skip
EXPECT_KEYS = tuple(EXPECT)
RESULTS = {
    "refuses": {"decision": "spill_lossless", "rules": ["r"], "undetermined": []},
    "compact": {"decision": "compact", "rules": []},
    "undetermined": {"decision": "spill_lossless", "rules": ["r"], "undetermined": ["r"]},
}


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.findings: list[Diagnostic] = []

    def find(self, code: str, message: str, word: str, help_: str | None = None, after: int = 0) -> None:
        at = self.source.text.find(word, after)
        loc = Loc(self.source, at, at + len(word)) if at >= 0 else Loc(self.source, 0, 1)
        self.findings.append(Diagnostic(code, message, loc, help_))

    def keys(self, value: Mapping[Any, Any], known: Iterable[str], what: str, after: int) -> None:
        for key in value:
            if key not in set(known):
                self.find("unknown-key", f"{what} has no key `{key}`", str(key), did_you_mean(str(key), known), after)

    def forms(self, value: Mapping[Any, Any], forms: Mapping[str, Form], what: str, after: int) -> bool:
        """Reports values of a wrong form; True if there is one."""
        before = len(self.findings)
        for key, message in misshapen(value, forms):
            self.find("type-mismatch", f"{what}: {message}", key, None, after)
        return len(self.findings) != before


def read_cases(source: Source) -> tuple[Case, ...]:
    """The cases of one file.

    Raises:
        DiagnosticError: if the file is not YAML, or has an unknown key, or a case without an expectation.
    """
    document = load_yaml(source)
    reader = _Reader(source)
    if not isinstance(document, Mapping) or not isinstance(document.get("cases"), list):
        raise DiagnosticError([Diagnostic("syntax-error", "a cases file needs a list `cases`", Loc(source, 0, 1))])
    reader.keys(document, FILE_KEYS, "a cases file", 0)
    if reader.forms(document, CASE, "a cases file", 0):
        raise DiagnosticError(reader.findings)
    only = document.get("only")
    cases = []
    after = 0
    for number, item in enumerate(document["cases"], 1):
        if not isinstance(item, Mapping):
            reader.find("syntax-error", f"case {number} is not a mapping", "cases:")
            continue
        name = str(item.get("name", f"case {number}"))
        after = max(source.text.find(name, after), after)
        if not reader.forms(item, CASE, f"case `{name}`", after):
            cases.append(_read_case(item, name, document, frozenset(only) if only else None, reader, after))
    if reader.findings:
        raise DiagnosticError(reader.findings)
    return tuple(cases)


def _read_case(
    item: Mapping[str, Any],
    name: str,
    document: Mapping[str, Any],
    only: frozenset[str] | None,
    reader: _Reader,
    after: int,
) -> Case:
    source = reader.source
    line = source.position(after).line
    reader.keys(item, CASE_KEYS, f"case `{name}`", after)
    for key, message in lonely(item):
        reader.find("syntax-error", f"case `{name}`: {message}", key, None, after)
    given = dict(item.get("given") or {})
    expect = dict(item.get("expect") or {})
    policy = _policy_of(item) or _policy_of(document)
    if "when" in item:
        result = item.get("result")
        if result not in RESULTS:
            reader.find("unknown-name", f"`result` is one of {', '.join(RESULTS)}", name, None, after)
        expect = {**RESULTS.get(str(result), {}), **expect}
        condition = str(item["when"]).lower() if isinstance(item["when"], bool) else item["when"]
        text = f'refuse "r" {{\n  when {condition}\n  because "r"\n  then spill epoch\n}}\n'
        policy = PolicyChoice("text", text)
    if "expect_representation" in item:
        given, expect = _representation_case(item, given, expect, reader, name, after)
    reader.keys(expect, EXPECT_KEYS, f"`expect` of case `{name}`", after)
    reader.forms(expect, EXPECT, f"`expect` of case `{name}`", after)
    if not expect:
        reader.find("syntax-error", f"case `{name}` expects nothing, so it cannot fail", name, "add `expect`", after)
    if policy is None:
        reader.find("syntax-error", f"case `{name}` has no policy", name, "add `policy` or `policy_text`", after)
    folder = str(Path(source.name).parent)
    return Case(name, f"{source.name}:{line}", policy, given, expect, only, folder)


def _policy_of(item: Mapping[str, Any]) -> PolicyChoice | None:
    if "policy_text" in item:
        return PolicyChoice("text", str(item["policy_text"]))
    if "policy_yaml" in item:
        return PolicyChoice("yaml", str(item["policy_yaml"]))
    if "policy_text_repeat" in item:
        part = item["policy_text_repeat"]
        times = int(part["times"])
        text = f"{part['prefix']}{part['open'] * times}{part['middle']}{part['close'] * times}{part['suffix']}"
        return PolicyChoice("text", text)
    if "policy" in item:
        return PolicyChoice("name", str(item["policy"]))
    return None


def _representation_case(
    item: Mapping[str, Any],
    given: dict[str, Any],
    expect: dict[str, Any],
    reader: _Reader,
    name: str,
    after: int,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """`anchor` + `retained` + `expect_representation`: an evicted tool result beside one retained reasoning span."""
    wanted = str(item["expect_representation"])
    plain = wanted.removeprefix("not-")
    if plain not in REPRESENTATIONS:
        help_ = did_you_mean(plain, REPRESENTATIONS)
        reader.find("unknown-name", f"`{plain}` is no representation", wanted, help_, after)
    spans = [
        {"id": "a", "kind": "tool_result", "text": item.get("anchor", ""), "epoch": 3, "disposition": "evict"},
        {"id": "r", "kind": "reasoning", "text": item.get("retained", ""), "epoch": 6, "disposition": "retain"},
    ]
    field = "excludes" if wanted != plain else "includes"
    return {"epoch": 7, "spans": spans, **given}, {field: [f"is-{plain}"], **expect}
