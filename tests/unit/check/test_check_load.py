"""Finding policies: files, folders, shipped names, parents; one root or several."""

from __future__ import annotations

from pathlib import Path

import pytest

from policylang.check import check, load, load_text
from policylang.diagnostics import PolicyError
from policylang.frontend.dsl import parse
from policylang.rules_ir.policy import CheckedPolicy
from policylang.shipped import shipped_ids, shipped_name, shipped_path
from policylang.source import Source

RULE = 'refuse "{0}" {{ when false because "x" }}\n'


def codes(error: PolicyError) -> list[str]:
    return [item.code for item in error.diagnostics]


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.policy").write_text(text, "utf-8")


def ids(policy: CheckedPolicy) -> list[str]:
    return [rule.id for rule in policy.rules]


def test_a_file_without_a_header_is_named_like_its_file(tmp_path: Path) -> None:
    write(tmp_path, mine=RULE.format("r"))
    policy = load([tmp_path / "mine.policy"])
    assert (policy.id, policy.version, policy.layers) == ("mine", "0.0.0", ("mine",))


def test_a_folder_is_read_with_all_below_it_and_without_cases(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    write(tmp_path, a=RULE.format("a"))
    write(tmp_path / "deep", b=RULE.format("b"))
    (tmp_path / "a.cases.yaml").write_text("cases: [", "utf-8")
    (tmp_path / "notes.txt").write_text("no policy", "utf-8")
    policy = load([tmp_path])
    assert policy.id == "a + b"
    assert policy.version == "0.0.0 + 0.0.0"
    assert ids(policy) == ["a", "b"]


def test_a_shipped_policy_by_name() -> None:
    policy = load(["std/standard"])
    assert policy.id == "std/standard"
    assert str(policy.rules[0].loc).startswith("std/standard.policy:")


def test_every_shipped_policy_loads_and_says_what_it_is() -> None:
    assert set(shipped_ids()) >= {
        "std/reference-code",
        "std/decision-boundary",
        "std/standard",
        "examples/incident-response",
        "examples/research",
        "examples/build",
    }
    for name in shipped_ids():
        policy = load([name])
        path = shipped_path(name)
        assert policy.id == name
        assert path is not None and path.read_text("utf-8").startswith("## ")
        assert shipped_name(name) == f"{name}.policy"


def test_parents_in_the_set_beside_the_child_then_shipped(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    write(
        tmp_path,
        child='policy "c"\nextends "acme/base"\nextends "std/reference-code"\n',
        base='policy "acme/base"\n' + RULE.format("beside"),
    )
    write(tmp_path / "other", base='policy "acme/base"\n' + RULE.format("in-set"))
    beside = load([tmp_path / "child.policy"])
    assert ids(beside) == ["anchor-evicted", "beside", "index-rebuilt"]
    in_set = load([tmp_path / "child.policy", tmp_path / "other" / "base.policy"])
    assert ids(in_set) == ["anchor-evicted", "in-set", "index-rebuilt"]


def test_a_parent_under_another_file_name(tmp_path: Path) -> None:
    write(tmp_path, child='extends "acme/base"\n', zzz='policy "acme/base"\n' + RULE.format("r"))
    assert ids(load([tmp_path / "child.policy"])) == ["r"]


def test_a_broken_sibling_is_not_this_policys_business(tmp_path: Path) -> None:
    write(tmp_path, child='extends "acme/base"\n', aaa="refuse {", zzz='policy "acme/base"\n' + RULE.format("r"))
    assert ids(load([tmp_path / "child.policy"])) == ["r"]


def test_a_broken_parent_is(tmp_path: Path) -> None:
    write(tmp_path, child='extends "base"\n' + RULE.format("r"), base="refuse {")
    with pytest.raises(PolicyError) as caught:
        load([tmp_path / "child.policy"])
    assert codes(caught.value) == ["syntax-error"]
    assert caught.value.diagnostics[0].loc is not None
    assert caught.value.diagnostics[0].loc.source.name == str(tmp_path / "base.policy")


def test_order_and_repetition_of_paths_change_nothing(tmp_path: Path) -> None:
    write(
        tmp_path,
        a=RULE.format("a"),
        b=RULE.format("b") + "index { quarantine 3 epochs }\n",
        c="index { quarantine 2 epochs }\n",
    )
    paths = [tmp_path / f"{name}.policy" for name in "abc"]
    first = load(paths)
    assert load(paths[::-1]) == first == load([*paths, tmp_path, paths[0]])
    assert first.index.quarantine == 3
    assert first.digest == load(paths[::-1]).digest


def test_a_set_with_a_child_has_the_child_as_its_root(tmp_path: Path) -> None:
    write(tmp_path, a=RULE.format("a"), b='extends "a"\n' + RULE.format("b"))
    policy = load([tmp_path])
    assert (policy.id, policy.layers, ids(policy)) == ("b", ("a", "b"), ["a", "b"])


@pytest.mark.parametrize(
    ("paths", "code", "hint"),
    [
        (["std/standrd"], "unknown-name", "std/standard"),
        (["no/such/file.policy"], "unknown-name", None),
        ([], "no-rules", None),
    ],
)
def test_nothing_to_load(paths: list[str], code: str, hint: str | None) -> None:
    with pytest.raises(PolicyError) as caught:
        load(paths)
    assert codes(caught.value) == [code]
    assert hint is None or hint in (caught.value.diagnostics[0].help or "")


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as caught:
        load([tmp_path])
    assert codes(caught.value) == ["no-rules"]


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.policy").write_bytes(b'refuse "r" { when true because "\xff" }')
    with pytest.raises(PolicyError) as caught:
        load([tmp_path])
    assert codes(caught.value) == ["bad-encoding"]


def test_errors_of_all_files_in_one_run(tmp_path: Path) -> None:
    write(tmp_path, a="anchor kind nope\n", b='index { quarantine 1 epochs }\nrefuse "r" {\n')
    with pytest.raises(PolicyError) as caught:
        load([tmp_path])
    assert codes(caught.value) == ["unknown-kind", "quarantine-too-short", "syntax-error"]


def test_check_is_pure_and_resolves_by_what_it_is_given() -> None:
    base, _ = parse(Source("base", RULE.format("base")))
    child, _ = parse(Source("child", 'extends "base"\n'))
    policy, found = check(child, resolve={"base": base}.get, known_parents=["base"], name_stem="child")
    assert not found and policy is not None and ids(policy) == ["base"]
    policy, found = check(child, known_parents=["bass"], name_stem="child")
    assert policy is None and [item.code for item in found] == ["unknown-parent"] and "bass" in (found[0].help or "")


def test_a_long_line_of_parents(tmp_path: Path) -> None:
    write(tmp_path, p0=RULE.format("r"))
    for number in range(1, 120):
        write(tmp_path, **{f"p{number}": f'extends "p{number - 1}"\n'})
    with pytest.raises(PolicyError) as caught:
        load([tmp_path / "p119.policy"])
    assert codes(caught.value) == ["too-deep"]


def test_digest_is_of_what_is_said() -> None:
    text = 'policy "a" version "1.0.0"\nbudget reasoning epsilon 8% per chain\n'
    same = '# a comment\npolicy "a"\n  version "1.0.0"\n\n## a doc comment\nbudget reasoning epsilon 0.08 per chain\n'
    tested = text + 'test "t" { expect compact }\n'
    assert load_text(text).digest == load_text(same).digest == load_text(tested).digest
    assert load_text(text).digest != load_text(text.replace("8%", "7%")).digest
    assert load_text(text).digest != load_text(text.replace("1.0.0", "1.0.1")).digest
    assert load_text(text).digest != load_text(text.replace("chain", "chain by spans")).digest


def test_digest_covers_the_parents(tmp_path: Path) -> None:
    write(tmp_path, child='extends "base"\n', base=RULE.format("r"))
    before = load([tmp_path]).digest
    write(tmp_path, base=RULE.format("r").replace("false", "true"))
    assert load([tmp_path]).digest != before
