"""What an evaluator says of a world: which rules hold, of what. Shared by all three evaluators."""

from __future__ import annotations

from dataclasses import dataclass

from policylang.rules_ir.policy import Rule


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule whose condition is true, or unknown (``undetermined``), for one subject.

    ``subject`` is the index into the rule's list (`evicted`, `anchors` or `chains`) or -1 for a rule evaluated once.
    """

    rule: Rule
    subject: int
    undetermined: bool
