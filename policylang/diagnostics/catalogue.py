"""The catalogue of diagnostic codes (SPEC §5); each has a page in ``docs/diagnostics/`` with tested examples."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "syntax-error": "The text is not policy syntax at this place.",
    "unknown-name": "No declaration or name in scope has this name.",
    "unknown-field": "The value has no field of this name.",
    "unknown-kind": "No kind of this name is known or declared.",
    "unknown-setting": "The block has no setting of this name.",
    "unknown-key": "The YAML spelling has no key of this name here.",
    "unknown-parent": "No policy of this id can be found to extend.",
    "duplicate-key": "A key is given twice; neither wins.",
    "duplicate-id": "An id is declared twice.",
    "type-mismatch": "The operand has another type than its place asks for.",
    "wrong-arity": "A function is called with the wrong number of arguments.",
    "chained-comparison": "Comparisons do not chain; join them with `and`.",
    "bad-regex": "The regular expression is not RE2 syntax.",
    "bad-template": "A message template names something that is not there.",
    "recursive-let": "A `let` uses itself, directly or through others.",
    "cyclic-extends": "A policy extends itself, directly or through others.",
    "too-deep": "The text nests deeper than the engine reads.",
    "epsilon-on-state": "ε is a budget for reasoning, never for state, instructions or anchors.",
    "epsilon-out-of-range": "ε lies outside (0, 1].",
    "epsilon-per-epoch": "ε is bounded per causal chain; an epoch aggregate hides chains (condition 3).",
    "quarantine-too-short": "The quarantine is below the document's N >= 2.",
    "exempt-too-wide": "The exempt frees spans that hold state.",
    "exempt-without-expiry": "An exempt needs a reason and a date.",
    "loosens-parent": "A policy may only tighten what it extends.",
    "relax-unknown-rule": "No rule of this id is there to relax.",
    "relax-without-expiry": "A relax needs a reason and a date.",
    "bidi-control": "The text holds a bidirectional control character.",
    "confusable-identifier": "An identifier holds characters that only look like ASCII letters.",
    "no-rules": "The policy has no rule of any mode.",
    "engine-too-old": "The policy requires a newer policylang.",
    "yaml-boolean-id": "YAML 1.1 reads this word as a boolean.",
    "alias-bomb": "YAML aliases expand to too much.",
    "bad-encoding": "The file is not UTF-8.",
    "invalid-request": "The request does not follow policylang.request/v1.",
    "expired": "A relax or exempt is past its date.",
}
