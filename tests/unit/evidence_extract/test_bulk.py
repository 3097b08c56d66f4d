"""Bulk regions and frame keys (SPEC §4): windows of ± 4 non-blank lines, fences, and what is never bulk."""

from __future__ import annotations

import pytest

from policylang.evidence.bulk import frame_keys, regions
from policylang.evidence.extract import extract

PYTHON = "import os\n\n\ndef main():\n    return os.getcwd()\n\n\nclass App:\n    def run(self):\n        return 1\n"
HTML = "<html>\n<body>\n<div class='a'>\n<p>version: 7</p>\n</div>\n</body>\n</html>\n"
DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-version: 6\n+version: 7\n"
NUMBERED = "".join(f"{n:6}\tversion: {n}\n" for n in range(1, 9))
ARROWED = "".join(f"{n:6}→version = {n}\n" for n in range(1, 9))
HITS = "".join(f"src/a{n}.py:{n}: version = {n}\n" for n in range(1, 7))
LISTING = "total 8\n" + "".join(f"-rw-r--r-- 1 u u {n} Dec  1 10:0{n} f{n}.txt\n" for n in range(6))


@pytest.mark.parametrize("text", [PYTHON, HTML, DIFF, NUMBERED, ARROWED, HITS, LISTING])
def test_whole_texts_that_are_bulk(text: str) -> None:
    found = extract(text, kind="tool_result")
    assert found.bulk and found.assertions == ()


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "name": "api",\n  "version": "1.2.3",\n  "port": 8080\n}\n',
        "name: api\nversion: 1.2.3\nreplicas: 3\nenabled: true\n",
        "| a | b |\n|---|---|\n| port | 8080 |\n",
        "2026-12-01T10:00:00Z INFO ready port=8080\n2026-12-01T10:00:01Z INFO ready port=8081\n",
        "12:30:00 port: 8080\n12:30:01 port: 8081\n",
    ],
)
def test_documents_tables_and_logs_are_not(text: str) -> None:
    assert regions(text.encode()) == [] or not extract(text, kind="tool_result").bulk
    assert extract(text, kind="tool_result").assertions


def test_an_acknowledgement_before_numbered_lines_stays() -> None:
    found = extract("The file /a/b.py has been updated. Here is a snippet:\n" + NUMBERED, kind="tool_result")
    assert [(a.key, a.value) for a in found.assertions] == [("write", "/a/b.py")]
    assert not found.bulk and len(found.regions) == 1


def test_prose_inside_a_block_is_bulk_and_far_from_it_is_not() -> None:
    text = PYTHON + "schema version = 7\n" + PYTHON + "\n".join(["fine"] * 9) + "\nport: 8080\n"
    assert [a.key for a in extract(text, kind="tool_result").assertions] == ["port"]


def test_a_fence_is_judged_as_one() -> None:
    text = "port: 8080\n```python\nversion = 7\n```\nand\n```\nbuild id: bd-4410\n```\n"
    assert [a.key for a in extract(text, kind="tool_result").assertions] == ["port", "build_id"]


def test_an_exit_code_inside_a_block_still_counts() -> None:
    found = extract("<returncode>2</returncode>\n" + HTML, kind="tool_result")
    assert [(a.key, a.value) for a in found.assertions] == [("exit_code", "2")]


def test_frame_keys_need_eight_spans_and_a_quarter() -> None:
    framed = "Chunk ID: c633a5\nExit code: 0\nOutput:\nport: 8080\n"
    filler = "\n".join(["fine"] * 12)
    inside = filler + "\nlease: zx-77\n" + filler
    texts = [framed] * 8 + [inside] * 24
    found = [extract(text, kind="tool_result") for text in texts]
    assert frame_keys(found, texts) == {"chunk_id", "port"}
    assert frame_keys(found[1:], texts[1:]) == frozenset()
    assert frame_keys([*found, found[-1]], [*texts, texts[-1]]) == frozenset()


def test_write_confirmations_and_exit_codes_are_no_frame() -> None:
    """A harness words them alike in every result; each says what its own span is for."""
    texts = [f"File created successfully at: /srv/app/f{n}.py\nChunk ID: c{n}\nExit code: 0" for n in range(9)]
    found = [extract(text, kind="tool_result") for text in texts]
    assert frame_keys(found, texts) == {"chunk_id"}
    kept = extract(texts[0], kind="tool_result", frame_keys=frozenset({"write", "chunk_id"}))
    assert [fact.type for fact in kept.assertions] == ["write", "exit_code"]


def test_leaves_of_json_documents_are_no_frame() -> None:
    texts = [f'{{"status": "ok", "depth": {n}}}' for n in range(9)]
    assert frame_keys([extract(text, kind="tool_result") for text in texts], texts) == frozenset()
