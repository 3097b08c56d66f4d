"""policylang: may this epoch's spans be compacted away, or must they be spilled losslessly?

The names of SPEC §6, imported when they are first used, so that ``import policylang`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from policylang.version import __version__

if TYPE_CHECKING:
    from policylang.diagnostics import Diagnostic, PolicyError, RequestError
    from policylang.runtime import (
        ANCHOR_KINDS,
        CompactionRefusedError,
        Policy,
        Verdict,
        assert_compaction_safe,
        evaluate,
        evaluate_many,
        load,
        load_text,
        maybe_compact,
    )
    from policylang.transcript.request import Request
    from policylang.transcript.span import Span

__all__ = [
    "ANCHOR_KINDS",
    "CompactionRefusedError",
    "Diagnostic",
    "Policy",
    "PolicyError",
    "Request",
    "RequestError",
    "Span",
    "Verdict",
    "__version__",
    "assert_compaction_safe",
    "evaluate",
    "evaluate_many",
    "load",
    "load_text",
    "maybe_compact",
]

_HOMES = {
    "ANCHOR_KINDS": "policylang.runtime.document",
    "CompactionRefusedError": "policylang.runtime.document",
    "Diagnostic": "policylang.diagnostics",
    "Policy": "policylang.runtime.policy",
    "PolicyError": "policylang.diagnostics",
    "Request": "policylang.transcript.request",
    "RequestError": "policylang.diagnostics",
    "Span": "policylang.transcript.span",
    "Verdict": "policylang.runtime.verdict",
    "assert_compaction_safe": "policylang.runtime.document",
    "evaluate": "policylang.runtime.decide",
    "evaluate_many": "policylang.runtime.batch",
    "load": "policylang.runtime.policy",
    "load_text": "policylang.runtime.policy",
    "maybe_compact": "policylang.runtime.document",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
