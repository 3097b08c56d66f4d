"""Configuration is found upwards, read strictly, and ignored when asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from policylang.cli import main
from policylang.cli.config import Config, find_config
from policylang.cli.failures import CannotRunError

POLICY = 'policy "p" version "1.0.0"\n\nrefuse "r" { when true because "x" }\n'


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_nearest_file_counts_and_none_is_merged(tmp_path: Path) -> None:
    write(tmp_path / "policylang.toml", 'format = "json"\nfail-level = "info"\n')
    near = write(tmp_path / "a" / "pyproject.toml", '[tool.policylang]\nfail-level = "never"\n')
    write(tmp_path / "a" / "b" / "pyproject.toml", "[tool.other]\nx = 1\n")
    assert find_config(tmp_path / "a" / "b") == Config(near, (), None, "never")


def test_policylang_toml_goes_before_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.policylang]\nformat = "text"\n')
    write(tmp_path / "policylang.toml", 'format = "json"\n')
    assert find_config(tmp_path).format == "json"


def test_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    write(tmp_path / "policylang.toml", 'format = "json"\n')
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    (tmp_path / "repository" / "deep").mkdir()
    assert find_config(tmp_path / "repository" / "deep") == Config()


def test_policy_paths_start_at_the_file_and_shipped_names_stay(tmp_path: Path) -> None:
    write(tmp_path / "rules" / "p.policy", POLICY)
    write(tmp_path / "policylang.toml", 'policy = ["rules", "std/standard"]\n')
    (tmp_path / "deep").mkdir()
    assert find_config(tmp_path / "deep").policy == (str(tmp_path / "rules"), "std/standard")
    write(tmp_path / "policylang.toml", 'policy = "std/standard"\n')
    assert find_config(tmp_path / "deep").policy == ("std/standard",)


@pytest.mark.parametrize(
    ("text", "code", "line", "help_"),
    [
        ('formt = "json"\n', "unknown-key", 1, "did you mean `format`?"),
        ('format = "json"\nfail_level = "error"\n', "unknown-key", 2, "did you mean `fail-level`?"),
        ('format = "yaml"\n', "type-mismatch", 1, None),
        ("policy = 3\n", "type-mismatch", 1, None),
        ('policy = ["a", 3]\n', "type-mismatch", 1, None),
        ("format = \n", "syntax-error", 1, None),
    ],
)
def test_what_is_wrong_with_it_has_a_code_a_place_and_stops_the_run(
    text: str, code: str, line: int, help_: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "policylang.toml", text)
    with pytest.raises(CannotRunError) as caught:
        find_config(tmp_path)
    [found] = caught.value.diagnostics
    assert found.loc is not None
    assert (found.code, found.loc.begin.line, found.help) == (code, line, help_)
    monkeypatch.chdir(tmp_path)
    assert main(["check", "std/standard"]) == 2
    assert main(["check", "std/standard", "--isolated"]) == 0
    assert main(["--isolated", "check", "std/standard"]) == 0


def test_it_gives_policy_format_and_fail_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "p.policy", POLICY)
    write(tmp_path / "bad.policy", "polcy")
    write(tmp_path / "r.json", '{"epoch": 7, "spans": []}')
    write(tmp_path / "policylang.toml", 'policy = "p.policy"\nformat = "json"\nfail-level = "never"\n')
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "-r", "r.json"]) == 1
    assert capsys.readouterr().out.startswith("{")
    assert main(["eval", "-r", "r.json", "--format", "text"]) == 1
    assert capsys.readouterr().out.startswith("SPILL LOSSLESS")
    assert main(["check", "bad.policy"]) == 0
    assert main(["check", "bad.policy", "--fail-level", "error"]) == 1
    assert main(["eval", "-r", "r.json", "--isolated"]) == 2
