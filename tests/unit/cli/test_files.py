"""A file is written whole or not at all, and `fmt` leaves of it what is not layout."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from policylang.cli import main
from policylang.cli.failures import CannotRunError
from policylang.cli.files import write_atomically

UGLY = 'policy   "x" version "1.0.0"\nrefuse "r" {when true because "x"}\n'
PRETTY = 'policy "x" version "1.0.0"\nrefuse "r" { when true because "x" }\n'


def test_mode_and_link_are_kept(tmp_path: Path) -> None:
    target = tmp_path / "real" / "x.policy"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link = tmp_path / "x.policy"
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in target.parent.iterdir()] == ["x.policy"]


def test_a_failure_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x.policy"
    target.write_text("old", encoding="utf-8")

    def fail(_descriptor: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(CannotRunError, match="full"):
        write_atomically(target, b"new")
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.policy"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (UGLY.encode(), PRETTY.encode()),
        (UGLY.replace("\n", "\r\n").encode(), PRETTY.replace("\n", "\r\n").encode()),
        (b"\xef\xbb\xbf" + UGLY.encode(), b"\xef\xbb\xbf" + PRETTY.encode()),
    ],
    ids=["plain", "CRLF", "byte order mark"],
)
def test_line_ends_and_byte_order_mark_are_the_files_own(before: bytes, after: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.policy"
    path.write_bytes(before)
    assert main(["fmt", str(path)]) == 0
    assert path.read_bytes() == after
    assert main(["fmt", "--check", str(path)]) == 0


@pytest.mark.parametrize("flags", [["--check"], ["--diff"], ["--check", "--diff"]])
def test_check_and_diff_never_write(flags: list[str], tmp_path: Path) -> None:
    path = tmp_path / "x.policy"
    path.write_text(UGLY, encoding="utf-8")
    before = path.stat()
    assert main(["fmt", *flags, str(path)]) == 1
    assert path.read_text(encoding="utf-8") == UGLY
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_a_file_that_is_laid_out_already_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "x.policy"
    path.write_text(PRETTY, encoding="utf-8")
    before = path.stat()
    assert main(["fmt", str(path)]) == 0
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_file_with_errors_is_left_alone_and_the_others_are_written(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.policy", tmp_path / "bad.policy"
    good.write_text(UGLY, encoding="utf-8")
    bad.write_text('policy  "x" {', encoding="utf-8")
    assert main(["fmt", str(tmp_path)]) == 2
    assert bad.read_text(encoding="utf-8") == 'policy  "x" {'
    assert good.read_text(encoding="utf-8") == PRETTY


def test_the_diff_turns_one_text_into_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.policy"
    path.write_text(UGLY.rstrip("\n"), encoding="utf-8")
    assert main(["fmt", "--diff", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [text[1:] for text in lines if text.startswith("+") and not text.startswith("+++")] == PRETTY.splitlines()
    assert "\\ No newline at end of file" in lines
