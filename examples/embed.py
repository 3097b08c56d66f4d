"""The evaluator inside a runtime: ask before evicting, and spill whatever the policy does not let go."""

from __future__ import annotations

import policylang

POLICY = """
policy "example/embed" version "1.0.0"
anchor kind tool_result, state_assertion, file_write_ack, api_response
index { source pre_compaction  quarantine 2 epochs  probe key, question  require 1  top_k 10 }
"""

REQUEST = {
    "epoch": 7,
    "spans": [
        {"id": "m42", "kind": "tool_result", "text": "migration 0042 applied, schema version = 7", "epoch": 3,
         "disposition": "evict"},
        {"id": "r8", "kind": "reasoning", "text": "Nothing here is urgent.", "epoch": 4, "disposition": "evict"},
        {"id": "r9", "kind": "reasoning", "text": "We should verify the schema version.", "epoch": 4,
         "disposition": "retain"},
    ],
    "index": {"source": "pre_compaction", "rebuilt": "never", "covers": ["m42", "r8"], "verified": {"m42": True}},
}  # fmt: skip


def main() -> None:
    """Decide one epoch and say what happens to each evicted span."""
    policy = policylang.load_text(POLICY, "embed.policy")  # once, at start: frozen and thread-safe
    verdict = policylang.evaluate(policy, policylang.Request.from_json(REQUEST))
    print(verdict.decision)
    for reason in verdict.reasons:
        print(f"  {reason.rule}: {reason.message}")
    for step in verdict.plan:
        print(f"  {step.span} -> {step.action}")


if __name__ == "__main__":
    main()
