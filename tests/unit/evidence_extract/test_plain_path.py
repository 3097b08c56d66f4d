"""The fast way through a text finds what the plain way finds, on random texts, real results and adversarial ones."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from policylang.evidence import extract as extraction
from policylang.evidence.extract import extract
from policylang.evidence.extraction import jsondoc
from tests.evidence_labels import spans
from tests.unit.evidence_extract import plain

ROOT = Path(__file__).resolve().parents[3]
TRANSCRIPTS = ROOT.parent / "shared" / "transcripts"
PIECES = (
    "schema version = 7", "migration 0042 applied", "wrote 812 bytes to deploy/app.yaml", "exit code: 1",
    '{"id": "x1", ', '"n": [1, true, "v1.2.3"]}', "commit 3f9ac1d", "https://example.org", "12 passed", "…", "７",
    "\u202e", "\x00", "\r\n", "\n", "\n", "\n", "if ", "not ", " is ", "= ", ": ", "; ", "`", '"', "\\", "\x1b[1m",
    "| a | b |\n|---|---|\n", "```\n", "+x\n", "@@ -1 +1 @@\n", "    1\tx\n", "def f():\n", "é", "e\u0301", "{", "}",
    "flight HAT290", "took 3.5 s", "pkg@1.2.3", "state: ok", "A  B\n", "[", "]", ",", "created ticket OPS-41",
    "was enabled", "from 6 to 7", "10.0.0.1", "2026-12-01T10:00:00Z INFO ", "port 8080", " but ", "WHILE", "ı",
    "\u2028", "it is not true that ",
    "we should ", "return x;\n", "src/a.py:12: x\n", "\xad", "\x0b", "a=1\n", "diff --git a b\n",
)  # fmt: skip
JSON = (
    "{", "}", "[", "]", ",", ":", '"a"', '"id"', '"x1"', '"status"', '"ok"', "1", "-2.5", "true", "null", " ", "\n",
    '"result"', '"exit code 3\\nwrote a/b.py"', '"name"', '"\\u0041"', '"a\\"b"', "x", "1e5", '"order_number"',
    '"AB12"', '"n": 4', '"id": "q7",', '{"id":"z9","ok":true}', '{"a": [1, 2]}', '"', "\\", "é", "[[", "]]", "}}",
)  # fmt: skip
ADVERSARIAL = (
    "a=", "k: k: k:", "((((", "7", "1.", '{"', "[", '{"a":', "k is 7 ", "created x y z ", "`", "\u0301", "then, ",
    "....", "/a", "1,000,", "x\n", "a=1\n", "| a", "A  B  ", "not ", "é…", '{"a":1},', "[1,", '"a":', "x.\n", "}\n",
)  # fmt: skip


def _random(pieces: tuple[str, ...], count: int, longest: int) -> Iterator[str]:
    choose = random.Random(7)
    for _ in range(count):
        yield "".join(choose.choice(pieces) for _ in range(choose.randint(1, longest)))


def _labelled() -> Iterator[str]:
    """Texts of the half of the labels that extraction is tuned on."""
    labels = (ROOT / "tests" / "evidence_labels" / "dev.jsonl").read_text("utf-8").splitlines()
    for label in map(json.loads, labels):
        file = spans.where(TRANSCRIPTS, label["file"])
        documents = dict(spans.documents(file)) if file.exists() else {}
        text = spans.follow(documents.get(label["locator"]["line"]), label["locator"]["path"])
        if text:
            yield text


def _agree(patch: pytest.MonkeyPatch, texts: Iterator[str] | list[str]) -> int:
    """How many texts were compared; each as a result and as one of a call that reads."""
    cases = [(text, reading) for text in texts for reading in (False, True)]
    fast = [extract(text, kind="tool_result", reading=reading) for text, reading in cases]
    slow = plain.use(patch)
    for (text, reading), found in zip(cases, fast, strict=True):
        assert found == slow(text, kind="tool_result", reading=reading), text[:400]
    return len(cases)


@pytest.mark.parametrize(("pieces", "longest"), [(PIECES, 24), (JSON, 40)], ids=["text", "json"])
def test_on_random_texts(monkeypatch: pytest.MonkeyPatch, pieces: tuple[str, ...], longest: int) -> None:
    assert _agree(monkeypatch, _random(pieces, 3_000, longest))


def test_on_labelled_results(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = list(_labelled())
    if not texts:
        pytest.skip("the transcript collection is not beside the project")
    assert _agree(monkeypatch, texts)


def test_on_the_projects_own_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted((ROOT / "examples" / "sessions").glob("*.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    texts = [text for row in rows for text in _results(row)]
    assert _agree(monkeypatch, texts[::2]) > 100


def _results(row: dict[str, Any]) -> Iterator[str]:
    content = row.get("message", {}).get("content")
    for block in content if isinstance(content, list) else []:
        if block["type"] == "tool_result":
            yield block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]


@pytest.mark.parametrize("unit", ADVERSARIAL)
def test_on_adversarial_texts(monkeypatch: pytest.MonkeyPatch, unit: str) -> None:
    assert _agree(monkeypatch, [(unit * 3_000)[:3_000], (unit * 900)[:900] + "\nexit code: 3\n" + unit * 5])


def test_on_a_document_with_more_leaves_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": f"x{n}", "n": n, "in": {"ok": True}} for n in range(jsondoc.MAX_LEAVES // 3 + 50)]
    whole = json.dumps(rows)
    assert _agree(monkeypatch, [whole, whole[:-9], whole + " trailing words", whole.replace('"n"', "n", 1)])


def test_a_text_with_more_lines_than_readers_see_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "MAX_READ", 4_000)
    line = "the size of part x1 is now 7 or so, in any case\n"
    assert not extract(line * 20 + "n = 4\n", kind="tool_result").truncated
    found = extract("n = 4\n" + line * 200 + "m = 5\n", kind="tool_result")
    assert found.truncated
    assert "n" in [fact.key for fact in found.assertions]
    assert "m" not in [fact.key for fact in found.assertions]


@pytest.mark.parametrize("depth", [2_000, 20_000])
def test_depth_costs_no_more_than_length(depth: int) -> None:
    """A leaf at each level, each with the chain of records around it: no walk to the top for each of them."""
    text = '{"n":1,"in":' * depth + '{"id":"z9"}' + "}" * depth
    document = jsondoc.read(text, 0, len(text))
    assert document.closed
    assert len(document.found) == min(depth + 1, jsondoc.MAX_LEAVES)
