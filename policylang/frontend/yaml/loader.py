"""Strict YAML for case files: the safe loader, duplicate keys are errors, every finding has its place."""

from __future__ import annotations

from typing import Any

import yaml

from policylang.diagnostics import Diagnostic, DiagnosticError
from policylang.source import Loc, Source


class _DuplicateKeyError(Exception):
    def __init__(self, key: Any, mark: Any) -> None:
        super().__init__(str(key))
        self.key, self.mark = key, mark


class _StrictLoader(yaml.CSafeLoader):
    """`CSafeLoader` that refuses a key given twice in one mapping; YAML alone lets the last one win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, (str, int, float, bool)) and key in seen:
                raise _DuplicateKeyError(key, key_node.start_mark)
            if isinstance(key, (str, int, float, bool)):
                seen.add(key)
        return super().construct_mapping(node, deep=deep)


def load_yaml(source: Source) -> Any:
    """The value of a YAML document.

    Raises:
        DiagnosticError: `syntax-error` or `duplicate-key`, with the place.
    """
    try:
        return yaml.load(source.text, _StrictLoader)
    except _DuplicateKeyError as error:
        at = _offset(source, error.mark)
        loc = Loc(source, at, at + len(str(error.key)))
        raise DiagnosticError([Diagnostic("duplicate-key", f"key `{error.key}` is given twice", loc)]) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = _offset(source, mark) if mark else 0
        reason = error.problem or error.context or "not YAML"
        raise DiagnosticError([Diagnostic("syntax-error", f"not YAML: {reason}", Loc(source, at, at + 1))]) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise DiagnosticError([Diagnostic("syntax-error", f"not YAML: {error}", Loc(source, 0, 1))]) from None


def _offset(source: Source, mark: Any) -> int:
    lines = source.text.split("\n")
    return sum(len(line) + 1 for line in lines[: mark.line]) + int(mark.column)
