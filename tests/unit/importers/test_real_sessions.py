"""Real public sessions, read where they lie: structure only, as their contents are evidence for other things."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from policylang.diagnostics import RequestError
from policylang.transcript.importers import open_transcript
from policylang.transcript.span import Span
from policylang.transcript.vocabulary import KNOWN_KINDS

SHARED = Path(__file__).parents[3] / ".." / "shared"
FORMATS = {
    "claude-code": "claude-code",
    "openai-chat": "openai-chat",
    "anthropic": "anthropic-messages",
    "swe-agent": "swe-agent",
}
FILES = [
    (path, form) for folder, form in FORMATS.items() for path in sorted((SHARED / "transcripts" / folder).glob("*"))
]
RESULTS = ("tool_result", "file_write_ack", "api_response")
# Tool calls by the collection's manifest; a log's own answer counted too.
CALLS = {
    "tokenforge.jsonl": 21, "bastion.jsonl": 5, "rust-port.jsonl": 39, "coverage-fix.jsonl": 13, "bhavana.jsonl": 96,
    "soulpass.jsonl": 2, "octora.jsonl": 0, "litellm-claude-sonnet-4.json": 6, "fncall-messages.json": 6,
    "litellm-deepseek-nonfncall.json": 4, "invariant-sample.jsonl": 6, "cline-session.messages.json": 11,
# Tool calls by the collection's manifest; a log's own answer counted too.
    "marshmallow-1867-default.traj": 14, "pydicom-1458.traj": 12, "ctf-i-got-id.traj": 21, "ctf-katy.traj": 18,
    "function-calling-simple.traj": 5,
}  # fmt: skip

pytestmark = pytest.mark.skipif(not (SHARED / "transcripts").is_dir(), reason="the shared sessions are not here")


@pytest.mark.parametrize(("path", "form"), FILES, ids=[path.name for path, _ in FILES])
def test_structure(path: Path, form: str) -> None:
    with open_transcript(path) as transcript:
        spans = list(transcript)
        assert transcript.format == form
        assert transcript.malformed == 0
    assert spans
    ids = {span.id: number for number, span in enumerate(spans)}
    assert len(ids) == len(spans)
    assert {span.kind for span in spans} <= set(KNOWN_KINDS)
    calls: dict[str | None, Span] = {}
    if path.name in CALLS:
        assert sum(span.kind == "tool_call" for span in spans) == CALLS[path.name]
    for number, span in enumerate(spans):
        assert span.kind != "tool_call" or span.tool_call_id
        assert all(ids[parent] < number for parent in span.parents)
        if span.kind == "tool_call":
            # Real sessions use an id again: a result belongs to the call before it.
            calls[span.tool_call_id] = span
        elif span.kind in RESULTS and span.tool_call_id is not None:
            call = calls[span.tool_call_id]
            assert (span.parents, span.tool) == ((call.id,), call.tool)
        span.text.encode("utf-8")


@pytest.mark.parametrize(("path", "form"), FILES, ids=[path.name for path, _ in FILES])
def test_results_answer_calls(path: Path, form: str) -> None:
    spans = list(open_transcript(path, form))
    answered = Counter(str(span.tool_call_id) for span in spans if span.kind in RESULTS and span.tool_call_id)
    called = Counter(str(span.tool_call_id) for span in spans if span.kind == "tool_call")
    # The last call of a log of one completion has no result yet.
    assert sum((called - answered).values()) <= 1
    assert not answered - called


def test_peer_cases_are_survived() -> None:
    folder = SHARED / "peer-cases" / "cc-compact"
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        with open_transcript(path, lenient=True) as transcript:
            kinds = Counter(span.kind for span in transcript)
            found[path.stem.removeprefix("transcript_")] = (dict(kinds), transcript.malformed)
    assert found["empty"] == ({}, 0)
    assert found["corrupt_lines"] == ({"user_message": 2, "assistant_message": 1}, 2)
    assert found["no_user"] == ({"assistant_message": 1, "system": 1}, 0)
    assert found["single_turn"] == ({"user_message": 1, "assistant_message": 1}, 0)
    assert found["with_todos"] == ({"user_message": 1, "tool_call": 2, "assistant_message": 1}, 0)
    assert found["real_cli_format"] == ({"user_message": 2, "assistant_message": 2, "tool_call": 2}, 0)


# Formats that are near enough to be read: their messages are in OpenAI's layout, with keys of their own around them.
NEAR = {"mini-swe-agent", "wasa-transcript.jsonl", "sample-telemetry.jsonl"}


def test_sessions_of_other_formats_are_not_taken_for_one_of_ours() -> None:
    taken = []
    for path in sorted((SHARED / "transcripts").glob("*/*")):
        if path.parent.name in FORMATS or {path.parent.name, path.name} & NEAR:
            continue
        try:
            open_transcript(path).close()
        except RequestError as error:
            assert error.diagnostics[0].code == "invalid-request"
        else:
            taken.append(f"{path.parent.name}/{path.name}")
    assert taken == []
