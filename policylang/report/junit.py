"""JUnit XML, as continuous integration reads it. What XML 1.0 cannot hold is escaped, never written as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from policylang.report.findings import Outcome

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS: Final = {"failed": "failure", "error": "error", "skipped": "skipped"}


def junit_text(suite: str, outcomes: Sequence[Outcome]) -> str:
    """One test suite, one test case an outcome."""
    root = ElementTree.Element("testsuites")
    attributes = {"name": suite, **_counts(outcomes)}
    element = ElementTree.SubElement(root, "testsuite", attributes)
    for item in outcomes:
        case = ElementTree.SubElement(
            element, "testcase", {"classname": _clean(item.group), "name": _clean(item.name), "time": "0"}
        )
        text = _clean("\n".join(item.details))
        if item.status != "passed":
            found = ElementTree.SubElement(case, _ELEMENTS[item.status], {"message": text.split("\n", 1)[0]})
            found.text = text
        elif text:
            ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _counts(outcomes: Sequence[Outcome]) -> dict[str, str]:
    def count(status: str) -> str:
        return str(sum(item.status == status for item in outcomes))

    return {
        "tests": str(len(outcomes)),
        "failures": count("failed"),
        "errors": count("error"),
        "skipped": count("skipped"),
    }


def _clean(text: str) -> str:
    return _FORBIDDEN.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", text)
