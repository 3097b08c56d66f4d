"""SARIF 2.1.0, for code scanning. Columns are code points, and the document says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

from policylang.report.findings import Finding
from policylang.version import __version__

LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


def sarif_document(findings: Sequence[Finding], rules: Mapping[str, str], *, ran: bool = True) -> dict[str, Any]:
    """One run with its results.

    Args:
        findings: What was found. If the command could not ``run``, they are what stopped it.
        rules: What every code means; only those that are used are listed.
        ran: False where the command could not run; findings are then notifications about the tool itself.
    """
    codes = sorted({item.code for item in findings})
    driver = {
        "name": "policylang",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [{"id": code, "shortDescription": {"text": rules.get(code, code)}} for code in codes],
    }
    invocation: dict[str, Any] = {"executionSuccessful": ran}
    if not ran:
        invocation["toolExecutionNotifications"] = [_notification(item) for item in findings]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "invocations": [invocation],
                "results": [_result(item, codes) for item in findings] if ran else [],
            }
        ],
    }


def _result(item: Finding, codes: Sequence[str]) -> dict[str, Any]:
    return {
        "ruleId": item.code,
        "ruleIndex": codes.index(item.code),
        "level": LEVELS[item.severity],
        "message": {"text": _message(item)},
        "locations": _locations(item),
        # Without line numbers: a finding that only moved is the same finding.
        "partialFingerprints": {"policylang/v1": _fingerprint(item)},
    }


def _notification(item: Finding) -> dict[str, Any]:
    return {
        "descriptor": {"id": item.code},
        "level": LEVELS[item.severity],
        "message": {"text": _message(item)},
        "locations": _locations(item),
    }


def _message(item: Finding) -> str:
    return item.message if item.help is None else f"{item.message}\n{item.help}"


def _fingerprint(item: Finding) -> str:
    return sha256("\0".join([item.code, item.file or "", item.message]).encode("utf-8", "surrogatepass")).hexdigest()


def _locations(item: Finding) -> list[dict[str, Any]]:
    if item.file is None:
        return []
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(item.file, safe="/", errors="surrogateescape")}}
    places = {
        "startLine": item.line,
        "startColumn": item.column,
        "endLine": item.end_line,
        "endColumn": item.end_column,
    }
    region = {name: place for name, place in places.items() if place is not None}
    if region:
        physical["region"] = region
    return [{"physicalLocation": physical}]
