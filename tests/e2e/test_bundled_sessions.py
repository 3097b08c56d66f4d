"""The bundled sessions: well formed, neutral, true to their ground truth, and recorded by the recorder beside them."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from policylang.transcript.importers import open_transcript
from policylang.transcript.vocabulary import KNOWN_KINDS

ROOT = Path(__file__).resolve().parents[2]
SESSIONS = ROOT / "examples" / "sessions"
NAMES = ("incident-response", "build", "research")
SCALE = {"incident-response": 10, "build": 18, "research": 54}
"""Epochs of four hours in 40 hours, 72 hours and nine days: the document's three deployments."""

MACHINE = re.compile(
    r"/tmp/|/root\b|/var/folders|/Users/|/home/(?!operator\b)|site-packages|\.pyenv|recorder-[a-z0-9_]{8}"
)
MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
VOLATILE = re.compile(r"\b[0-9a-f]{7,64}\b|\d+")

Record = dict[str, Any]


def records_of(folder: Path, name: str) -> list[Record]:
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def facts_of(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "FACTS.json").read_text(encoding="utf-8"))["sessions"][name]
    return found


def blocks(records: list[Record], kind: str) -> list[tuple[int, Record]]:
    """(line, block) of every content block of a kind."""
    found = []
    for line, record in enumerate(records):
        content = record.get("message", {}).get("content")
        if isinstance(content, list):
            found += [(line, block) for block in content if block["type"] == kind]
    return found


def results(records: list[Record]) -> dict[str, str]:
    return {block["tool_use_id"]: block["content"] for _, block in blocks(records, "tool_result")}


def calls(records: list[Record]) -> dict[str, Record]:
    return {block["id"]: block for _, block in blocks(records, "tool_use")}


def when(record: Record) -> datetime:
    return datetime.fromisoformat(record["timestamp"])


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def records(name: str) -> list[Record]:
    return records_of(SESSIONS, name)


@pytest.fixture(scope="module")
def truth(name: str) -> dict[str, Any]:
    return facts_of(SESSIONS, name)


class TestLayout:
    def test_head_says_what_is_scripted_and_what_is_real(self, records: list[Record]) -> None:
        head = records[0]
        assert head["type"] == "system"
        assert "operator" in head["content"] and "scripted" in head["content"]
        assert "tool outputs are real" in head["content"]

    def test_records_are_linked_in_time_order(self, records: list[Record], truth: dict[str, Any]) -> None:
        assert records[0]["parentUuid"] is None
        for before, after in pairwise(records):
            assert after["parentUuid"] == before["uuid"]
            assert when(after) >= when(before)
        assert len({record["uuid"] for record in records}) == len(records)
        assert {record["sessionId"] for record in records} == {truth["session_id"]}
        assert {record["cwd"] for record in records} == {"/workspace"}

    def test_every_call_has_one_result_after_it(self, records: list[Record]) -> None:
        asked = {block["id"]: line for line, block in blocks(records, "tool_use")}
        answered = [(block["tool_use_id"], line) for line, block in blocks(records, "tool_result")]
        assert len(asked) == len(blocks(records, "tool_use"))
        assert sorted(asked) == sorted(call for call, _ in answered)
        assert all(line > asked[call] for call, line in answered)

    def test_one_content_block_a_line(self, records: list[Record]) -> None:
        sizes = {len(r["message"]["content"]) for r in records if isinstance(r.get("message", {}).get("content"), list)}
        assert sizes == {1}

    def test_size_and_epochs(self, name: str, records: list[Record], truth: dict[str, Any]) -> None:
        assert 300 <= len(records) <= 600
        assert (SESSIONS / f"{name}.jsonl").stat().st_size <= 600_000
        start = when(records[0])
        epochs = {(when(record) - start) // timedelta(hours=4) for record in records}
        assert max(epochs) + 1 == truth["epochs"] == SCALE[name]
        assert len(epochs) >= 10

    def test_noise_is_there(self, records: list[Record]) -> None:
        errors = [block for _, block in blocks(records, "tool_result") if block["is_error"]]
        assert len(errors) >= 3
        by_message: dict[str, int] = {}
        for line, _ in blocks(records, "tool_use"):
            by_message[records[line]["message"]["id"]] = by_message.get(records[line]["message"]["id"], 0) + 1
        assert max(by_message.values()) >= 2, "no parallel calls"
        assert "tanding instructions: " in next(r["message"]["content"] for r in records if r["type"] == "user")


def test_interim_results_precede_the_end_of_their_call() -> None:
    for name in ("incident-response", "build"):
        records = records_of(SESSIONS, name)
        ends = {block["tool_use_id"]: (line, block["content"]) for line, block in blocks(records, "tool_result")}
        interim = [(line, record) for line, record in enumerate(records) if record["type"] == "progress"]
        assert interim
        for line, record in interim:
            end, text = ends[record["toolUseID"]]
            assert line < end
            assert text.startswith(record["data"]["output"]) and len(text) > len(record["data"]["output"])
    polls = [text for text in results(records_of(SESSIONS, "incident-response")).values() if "<status>" in text]
    assert "<status>running</status>" in polls[0] and "<status>completed</status>" in polls[-1]


class TestNeutral:
    @pytest.mark.parametrize("file", [*(f"{name}.jsonl" for name in NAMES), "FACTS.json"])
    def test_no_trace_of_a_machine_or_a_person(self, file: str) -> None:
        text = (SESSIONS / file).read_text(encoding="utf-8")
        assert MACHINE.findall(text) == []
        # ledgerkit@2.4.0 is an artifact, not an address.
        addresses = [found for found in MAIL.findall(text) if not re.search(r"@\d", found)]
        assert [address for address in addresses if not address.endswith("@example.com")] == []
        host = socket.gethostname()
        assert len(host) < 5 or not re.search(rf"\b{re.escape(host)}\b", text)


class TestFacts:
    def test_policylang_reads_each_fact_as_state(self, name: str, truth: dict[str, Any]) -> None:
        with open_transcript(SESSIONS / f"{name}.jsonl") as transcript:
            assert transcript.format == "claude-code"
            spans = list(transcript)
        state = {span.tool_call_id: span for span in spans if KNOWN_KINDS[span.kind] == "state"}
        for fact in truth["facts"]:
            assert fact["value"] in state[fact["tool_use_id"]].text
        assert sum(span.kind == "reasoning" for span in spans) >= 40

    def test_the_result_holds_the_value(self, records: list[Record], truth: dict[str, Any]) -> None:
        texts, lines = results(records), {record["uuid"]: record for record in records}
        assert len(truth["facts"]) >= 20
        for fact in truth["facts"]:
            assert fact["value"] in texts[fact["tool_use_id"]], fact["key"]
            content = lines[fact["uuid"]]["message"]["content"]
            assert content[0]["tool_use_id"] == fact["tool_use_id"]
            assert (when(lines[fact["uuid"]]) - when(records[0])) // timedelta(hours=4) == fact["epoch"]

    def test_questions_withhold_and_commands_carry(self, records: list[Record], truth: dict[str, Any]) -> None:
        made, place = calls(records), {record["uuid"]: line for line, record in enumerate(records)}
        asked_at = {block["id"]: line for line, block in blocks(records, "tool_use")}
        for fact in truth["facts"]:
            for question in fact["asked"]:
                assert fact["value"] not in question["question"]
                assert fact["value"] in json.dumps(made[question["used_by"]]["input"], ensure_ascii=False)
                assert place[fact["uuid"]] < place[question["uuid"]] < asked_at[question["used_by"]]

    def test_late_epochs_depend_on_early_ones(self, name: str, truth: dict[str, Any]) -> None:
        late = [
            (fact["key"], question["epoch"] - fact["epoch"])
            for fact in truth["facts"]
            for question in fact["asked"]
            if question["epoch"] >= 6
        ]
        assert len({key for key, _ in late}) >= 8
        assert sum(distance >= 3 for _, distance in late) >= 6

    def test_thoughts_state_no_values(self, records: list[Record], truth: dict[str, Any]) -> None:
        values = {fact["value"] for fact in truth["facts"] if len(fact["value"]) >= 5}
        for _, block in blocks(records, "thinking"):
            assert not [value for value in values if value in block["thinking"]]


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh recording of all three sessions."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed, and the recorder runs real git")
    out = tmp_path_factory.mktemp("recording")
    command = [sys.executable, "-m", "examples.recorder", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return out


def shape(record: Record) -> tuple[object, ...]:
    """What may not change from one recording to the next, whatever the versions of git and Python."""
    content = record.get("message", {}).get("content")
    if not isinstance(content, list):
        return record["type"], record.get("subtype"), record["timestamp"], content
    block = content[0]
    match block["type"]:
        case "tool_use":
            said = VOLATILE.sub("#", json.dumps(block["input"], sort_keys=True, ensure_ascii=False))
            return record["type"], block["type"], block["name"], said
        case "tool_result":
            return record["type"], block["type"], block["tool_use_id"], block["is_error"]
        case kind:
            return record["type"], kind, block[kind]


class TestRecordedAgain:
    def test_same_structure(self, again: Path, name: str, records: list[Record]) -> None:
        fresh = records_of(again, name)
        assert [shape(record) for record in fresh] == [shape(record) for record in records]

    def test_same_answers_of_the_service_and_of_files(self, again: Path, name: str, records: list[Record]) -> None:
        fresh, kept = results(records_of(again, name)), results(records)
        own = ("opsctl ", "python3 tools/migrate.py", "python3 tools/notes.py", "python3 tools/dedupe.py")
        compared = 0
        for call_id, call in calls(records).items():
            if call["name"] in ("Write", "Edit", "WebFetch") or call["input"].get("command", "").startswith(own):
                assert VOLATILE.sub("#", fresh[call_id]) == VOLATILE.sub("#", kept[call_id])
                compared += 1
        assert compared >= 50

    def test_same_ground_truth(self, again: Path, name: str, truth: dict[str, Any]) -> None:
        # Another version of Python words a traceback with other line numbers, so a bare number may turn up by chance.
        def settled(told: dict[str, Any]) -> dict[str, Any]:
            facts = [{key: fact[key] for key in fact if key != "seen_again_in_epochs"} for fact in told["facts"]]
            return {**told, "facts": facts}

        assert settled(facts_of(again, name)) == settled(truth)


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.recorder", str(tmp_path / "out")]
    empty = {"PATH": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=empty, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "missing on this machine: git, bash" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_embedding_example_spills_the_dangling_anchor() -> None:
    command = [sys.executable, str(ROOT / "examples" / "embed.py")]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "spill_lossless"
    assert lines[1].startswith("  dangling-reference: ")
    assert lines[2:] == ["  m42 -> spill", "  r8 -> compact"]
