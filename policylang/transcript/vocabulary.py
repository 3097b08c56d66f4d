"""The fixed words of SPEC §1-§4: kinds, classes, representations, assertion types. One home, used everywhere."""

from __future__ import annotations

from typing import Final

CLASSES: Final = ("state", "reasoning", "instruction", "control")

KNOWN_KINDS: Final[dict[str, str]] = {
    "reasoning": "reasoning",
    "assistant_message": "reasoning",
    "tool_result": "state",
    "state_assertion": "state",
    "file_write_ack": "state",
    "api_response": "state",
    "system": "instruction",
    "user_message": "instruction",
    "tool_call": "control",
    "summary": "control",
    "pointer": "control",
}
"""Kind -> class, for the kinds that every policy knows from the start (SPEC §3)."""

REPRESENTATIONS: Final = ("restated", "superseded", "contradicted", "referenced", "partial", "absent")
STATUSES: Final = ("restated", "superseded", "contradicted", "referenced", "absent")
SOURCES: Final = ("pre_compaction", "post_compaction", "mixed")
PROBE_FAMILIES: Final = ("value", "key", "question", "text", "call")
COLD_START: Final = ("refuse", "probes", "allow")
MODES: Final = ("shadow", "warn", "enforce")
DISPOSITIONS: Final = ("evict", "retain")

ASSERTION_TYPES: Final = (
    "version",
    "id",
    "checksum",
    "boolean",
    "state",
    "count",
    "number",
    "exit_code",
    "http_status",
    "port",
    "path",
    "write",
    "url",
    "timestamp",
    "migration",
    "ip",
    "duration",
    "size",
    "enum",
)
"""Assertion types of SPEC §4, spelt as policies spell them (`exit_code`, `http_status`, `state` for a state word)."""
