"""What is wrong with a session has its place; a lenient reading gets past it, and counts it."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from policylang.diagnostics import RequestError
from policylang.transcript.importers import detect_format, formats, open_transcript
from policylang.transcript.session import MAX_ISSUES

USER = b'{"type":"user","uuid":"u%d","sessionId":"s","message":{"role":"user","content":"%s"}}\n'


def lines(*texts: bytes) -> bytes:
    return b"".join(USER % (number, text) for number, text in enumerate(texts))


def test_first_malformed_line_ends_a_strict_reading() -> None:
    data = lines(b"one") + b'{"type": "user", oops}\n' + lines(b"two")
    transcript = open_transcript(io.BytesIO(data))
    assert next(iter(transcript)).text == "one"
    with pytest.raises(RequestError) as caught:
        list(transcript)
    (found,) = caught.value.diagnostics
    assert (found.code, found.to_json()["line"], found.to_json()["column"]) == ("syntax-error", 2, 18)
    assert found.loc is not None and found.loc.source.line(2).startswith('{"type": "user", oops')


def test_lenient_reading_collects_and_counts() -> None:
    data = lines(b"one") + b"{broken\n\n" + lines(b"two") + b'also not json\n{"type":"user"'
    transcript = open_transcript(io.BytesIO(data), lenient=True)
    assert [span.text for span in transcript] == ["one", "two"]
    assert transcript.malformed == 3
    assert [issue.to_json()["line"] for issue in transcript.issues if issue.severity == "error"] == [2, 5, 6]


@pytest.mark.parametrize(
    ("text", "read", "code", "severity"),
    [
        (b'a","content":"b', "b", "duplicate-key", "warning"),
        (b"lone \\ud83d end", "lone \ufffd end", "bad-encoding", "warning"),
        (b"pair \\ud83d\\ude00", "pair \U0001f600", None, None),
        (b"raw \xff byte", "raw \ufffd byte", "bad-encoding", "error"),
    ],
)
def test_what_is_tolerated_is_reported_by_line(text: bytes, read: str, code: str | None, severity: str | None) -> None:
    transcript = open_transcript(io.BytesIO(lines(b"first", text)), lenient=True)
    assert [span.text for span in transcript] == ["first", read]
    found = [(issue.code, issue.severity, issue.to_json()["line"]) for issue in transcript.issues]
    assert found == ([(code, severity, 2)] if code else [])
    "".join(span.text for span in transcript).encode("utf-8")


def test_nan_is_null_and_reported() -> None:
    data = b'{"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": {"x": NaN}}]}\n'
    transcript = open_transcript(io.BytesIO(data), "anthropic-messages")
    assert [span.text for span in transcript] == ["f\nx: null"]
    assert [(issue.code, issue.severity) for issue in transcript.issues] == [("bad-encoding", "warning")]


@pytest.mark.parametrize("form", ["openai-chat", "anthropic-messages"])
@pytest.mark.parametrize("indent", [None, 2])
def test_one_message_alone_is_read(form: str, indent: int | None) -> None:
    data = json.dumps({"role": "assistant", "content": [{"type": "text", "text": "alone"}]}, indent=indent)
    assert [span.text for span in open_transcript(io.BytesIO(data.encode()), form)] == ["alone"]


@pytest.mark.parametrize("data", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_empty_session_is_empty(data: bytes) -> None:
    transcript = open_transcript(io.BytesIO(data))
    assert list(transcript) == []
    assert transcript.format == "empty"


def test_byte_order_mark_crlf_and_gzip_are_seen_through(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + lines(b"one", b"two").replace(b"\n", b"\r\n")
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(gzip.compress(data))
    with open_transcript(path) as transcript:
        assert [span.text for span in transcript] == ["one", "two"]


def test_unknown_file_and_unknown_format_are_named() -> None:
    with pytest.raises(RequestError, match="no format that is known"):
        open_transcript(io.BytesIO(b"dear diary\n"))
    with pytest.raises(RequestError) as caught:
        open_transcript(io.BytesIO(b""), "claude_code")
    assert caught.value.diagnostics[0].help == "did you mean `claude-code`?"


def test_detection_prefers_no_guess() -> None:
    assert detect_format(b'{"a": 1}\n{"a": 2}\n', "x.jsonl") is None
    assert set(formats()) == {"anthropic-messages", "claude-code", "openai-chat", "spans", "swe-agent"}


@pytest.mark.parametrize("cut", [1, 40, 80, 110])
def test_document_that_ends_early_gives_what_it_held(cut: int) -> None:
    whole = b'[{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"},'
    whole += b' {"role": "user", "content": "three"}]'
    transcript = open_transcript(io.BytesIO(whole[:-cut]), "openai-chat", lenient=True)
    complete = whole[:-cut].count(b"}")
    assert len(list(transcript)) == complete
    assert transcript.malformed == 1


def test_broken_element_does_not_spoil_its_neighbours() -> None:
    data = b'[{"role": "user", "content": "one"},\n {"role": tru},\n {"role": "user", "content": "three"}]'
    transcript = open_transcript(io.BytesIO(data), "openai-chat", lenient=True)
    assert [span.text for span in transcript] == ["one", "three"]
    (found,) = transcript.issues
    assert (found.code, found.to_json()["line"], found.to_json()["column"]) == ("syntax-error", 2, 11)


def test_deep_nesting_and_long_numbers_are_malformed_not_a_crash() -> None:
    data = lines(b"one") + b'{"type":"user","x":' + b"[" * 100_000 + b"\n" + b'{"n":' + b"9" * 5000 + b"}\n"
    transcript = open_transcript(io.BytesIO(data), lenient=True)
    assert [span.text for span in transcript] == ["one"]
    assert transcript.malformed == 2


def test_issues_are_bounded_but_counted() -> None:
    data = lines(b"one") + b"{nope\n" * (MAX_ISSUES + 50)
    transcript = open_transcript(io.BytesIO(data), "claude-code", lenient=True)
    assert len(list(transcript)) == 1
    assert transcript.malformed == MAX_ISSUES + 50
    assert len(transcript.issues) == MAX_ISSUES + 1
    assert "50 more" in transcript.issues[-1].message


def test_repeated_ids_stay_apart() -> None:
    again = b'{"type":"user","uuid":"u0","message":{"role":"user","content":"same"}}\n'
    spans = list(open_transcript(io.BytesIO(again * 3), "claude-code"))
    assert [span.id for span in spans] == ["u0#0", "u0#0@2", "u0#0@3"]
    forged = again + again.replace(b'"u0"', b'"u0#0@3"') + again
    assert len({span.id for span in open_transcript(io.BytesIO(forged), "claude-code")}) == 3


class Endless(io.RawIOBase):
    """A stream that is made while it is read; nothing of it is kept."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest, self._head, self._at = pieces, b"", b"", 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        assert (offset, whence) == (0, 0) and self._at <= 1 << 19, "only the head can be read twice"
        self._rest, self._at = self._head + self._rest, 0
        self._head = b""
        return 0

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        if not self._rest:
            self._rest = next(self._pieces, b"")
        taken, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        if self._at <= 1 << 19:
            self._head += taken
        self._at += len(taken)
        buffer[: len(taken)] = taken
        return len(taken)


def _peak(stream: io.RawIOBase, form: str, name: str) -> int:
    tracemalloc.start()
    count = 0
    for _ in formats()[form].read(io.BufferedReader(stream), name, open_transcript(io.BytesIO(b""))._issues):
        count += 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count > 1000
    return peak


def test_memory_does_not_grow_with_json_lines() -> None:
    def many(count: int) -> Iterator[bytes]:
        return (USER % (number, b"x" * 2000) for number in range(count))

    small, large = (
        _peak(Endless(many(1500)), "claude-code", "a.jsonl"),
        _peak(Endless(many(9000)), "claude-code", "a.jsonl"),
    )
    assert large < small * 1.3


def test_memory_does_not_grow_with_one_big_array() -> None:
    def many(count: int) -> Iterator[bytes]:
        yield b"["
        for number in range(count):
            yield b'{"role": "user", "content": "%d %s"},' % (number, b"x" * 2000)
        yield b'{"role": "user", "content": "end"}]'

    small, large = (
        _peak(Endless(many(1500)), "openai-chat", "a.json"),
        _peak(Endless(many(9000)), "openai-chat", "a.json"),
    )
    assert large < small * 1.3


def test_our_own_format_is_checked() -> None:
    good = {"id": "a", "kind": "reasoning", "text": "t", "epoch": 0}
    bad = [
        {**good, "spam": 1},
        {**good, "epoch": -1},
        {**good, "epoch": True},
        {**good, "text": None},
        {**good, "parents": "x"},
        {**good, "meta": {"k": 1}},
        {**good, "loss": "0.5"},
        {**good, "interim": "yes"},
        [good],
    ]
    data = "\n".join(json.dumps(item) for item in [good, *bad]).encode()
    transcript = open_transcript(io.BytesIO(data), lenient=True)
    assert len(list(transcript)) == 1
    assert transcript.malformed == len(bad)
    assert {issue.code for issue in transcript.issues} == {"invalid-request"}
