"""A made-up incident session: verbose reasoning, terse results, and facts that are asked for epochs later."""

from __future__ import annotations

from policylang.transcript.span import Span

SERVICES = ("billing", "ledger", "gateway", "search", "mailer", "auth", "quota", "export")
QUESTIONS = {5: "Before the rollback we should check which schema version the billing database is on.",
             6: "What is the replica lag limit that the ledger was configured with?"}  # fmt: skip


def incident(epochs: int = 8) -> list[Span]:
    """About 500 tokens an epoch: talk about the incident, one status call and one write each."""
    spans = [
        Span("sys", "system", "You are on call for the payments platform. Never restart the primary by hand.", 0),
        Span("u0", "user_message", "Checkout is failing since the last release. Find out why and fix it.", 0),
    ]
    for number in range(epochs):
        service = SERVICES[number % len(SERVICES)]
        talk = (
            f"The incident affects the payments platform, so I look at {service} next. The error rate of the "
            f"{service} service rose with the release, and the release changed how the {service} service reads its "
            "settings. If the settings of the release are wrong, the platform rejects requests and checkout fails. "
        ) * 2
        spans.append(Span(f"think{number}", "reasoning", talk + QUESTIONS.get(number, ""), 0))
        call = f"call{number}"
        spans.append(
            Span(f"c{number}", "tool_call", f"Bash show-state {service}", 0, tool="Bash", tool_call_id=call,
                 parents=(f"think{number}",))
        )  # fmt: skip
        spans.append(
            Span(f"r{number}", "tool_result", _state(number, service), 0, tool="Bash", tool_call_id=call,
                 parents=(f"c{number}",))
        )  # fmt: skip
        write = f"write{number}"
        spans.append(
            Span(f"w{number}", "tool_call", f"Write /etc/{service}/override.yaml", 0, tool="Write", tool_call_id=write)
        )
        spans.append(
            Span(f"k{number}", "file_write_ack", f"File created successfully at: /etc/{service}/override.yaml", 0,
                 tool="Write", tool_call_id=write, parents=(f"w{number}",))
        )  # fmt: skip
        spans.append(
            Span(f"say{number}", "assistant_message", f"The {service} service has its override; the incident goes on. "
                 "The payments platform still rejects some requests of the checkout, so the next service is due.", 0)
        )  # fmt: skip
    return spans


def _state(number: int, service: str) -> str:
    if number == 0:
        return "schema_version: 7\nmigration 0042 applied"
    if number == 1:
        return "replica_lag_limit = 340"
    return f"{service}_build_id: 9f{number}c2ab{number}d{number}"
