"""Every command by every outcome: the exit code, and one valid document on standard output (SPEC §7)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from policylang.schemas import schema_text
from tests.e2e.cli_runner import Runner

GOOD = 'policy "good" version "1.0.0"\nrefuse "r" { when any s in evicted: s.tokens > 3 because "{epoch}" }\n'
BAD = 'policy "bad" version "1.0.0"\nindex { quarentine 2 epochs }\n'
UGLY = 'policy "ugly"   version "1.0.0"\nrefuse "r" {when false because "x"}\n'
PASSES = GOOD + 'test "t" {\n  span "a" reasoning "x" epoch 1 evicted\n  expect compact\n}\n'
FAILS = GOOD + 'test "t" {\n  span "a" reasoning "x" epoch 1 evicted\n  expect refuse "r"\n}\n'
SPANS = '{"id": "a", "kind": "reasoning", "text": "thinking about it", "epoch": 0}\n'


def request(tokens: int) -> str:
    span = {"id": "a", "kind": "reasoning", "text": "x", "epoch": 1, "disposition": "evict", "tokens": tokens}
    return json.dumps({"epoch": 7, "spans": [span]})


FILES = {
    "good.policy": GOOD,
    "bad.policy": BAD,
    "ugly.policy": UGLY,
    "passes.policy": PASSES,
    "fails.policy": FAILS,
    "latin.policy": 'policy "l\u00e4tin"',
    "compact.json": request(1),
    "refuse.json": request(9),
    "broken.json": "{",
    "future.json": '{"epoch": 7, "spans": [], "index": {"rebuilt": 9}}',
    "spans.jsonl": SPANS,
    "torn.jsonl": SPANS + "{\n" + SPANS.replace('"a"', '"b"'),
    "nothing.jsonl": "",
    "case.cases.yaml": 'policy_text: \'refuse "r" { when true because "x" }\'\ncases:\n'
    "- {name: one, given: {spans: []}, expect: {rules: [r]}}\n",
    "yaml.cases.yaml": "cases:\n- {name: one, policy_yaml: 'x', given: {spans: []}, expect: {decision: compact}}\n",
    "typo.cases.yaml": "policy: std/standard\ncases:\n- {name: one, expct: {rules: [r]}}\n",
}


@dataclass(frozen=True, slots=True)
class Row:
    """Arguments, the exit code, and what standard output is."""

    argv: str
    code: int
    out: str = "text"
    stdin: str = ""

    def __str__(self) -> str:
        return f"{self.argv} -> {self.code}"


ROWS = [
    # the group
    Row("--version", 0),
    Row("--help", 0),
    Row("frobnicate", 2, "empty"),
    Row("frobnicate --format json", 2, "diagnostics"),
    Row("--frobnicate", 2, "empty"),
    # check
    Row("check good.policy", 0, "empty"),
    Row("check good.policy --format json", 0, "diagnostics"),
    Row("check std/standard", 0, "empty"),
    Row("check bad.policy", 1),
    Row("check bad.policy good.policy", 1),
    Row("check --format=json bad.policy", 1, "diagnostics"),
    Row("check bad.policy --fail-level never", 0),
    Row("check bad.policy --fail-level info", 1),
    Row("check latin.policy", 1),
    Row("check -", 0, "empty", GOOD),
    Row("check - --stdin-filename x.policy", 1, "text", BAD),
    Row("check missing.policy", 2, "empty"),
    Row("check missing.policy bad.policy --format json", 2, "diagnostics"),
    Row("check", 2, "empty"),
    Row("check -f json", 2, "diagnostics"),
    Row("check empty --format json", 2, "diagnostics"),
    Row("check empty --allow-empty", 0, "empty"),
    Row("check good.policy --format yaml", 2, "empty"),
    *(Row(f"check bad.policy good.policy --format {name}", 1, name) for name in ("sarif", "junit", "github")),
    *(Row(f"check missing.policy --format {name}", 2, name) for name in ("sarif", "junit", "github")),
    # eval
    Row("eval -p good.policy -r compact.json", 0),
    Row("eval -p good.policy -r compact.json --format sarif", 2, "diagnostics"),
    Row("explain -p good.policy --format=junit", 2, "diagnostics"),
    Row("replay -p good.policy spans.jsonl -f github", 2, "diagnostics"),
    Row("eval -p good.policy -r compact.json --format json", 0, "verdict"),
    Row("eval -p good.policy -r refuse.json", 1),
    Row("eval -p good.policy -r refuse.json --format json", 1, "verdict"),
    Row("eval -p good.policy -r -", 1, "text", request(9)),
    Row("eval -p good.policy -r - -f json", 0, "verdict", request(1)),
    Row("eval -p good.policy -r broken.json", 2, "empty"),
    Row("eval -p good.policy -r broken.json --format json", 2, "diagnostics"),
    Row("eval -p good.policy -r future.json --format json", 2, "diagnostics"),
    Row("eval -p good.policy -r missing.json --format json", 2, "diagnostics"),
    Row("eval -p good.policy -r latin.policy --format json", 2, "diagnostics"),
    Row("eval -p bad.policy -r compact.json --format json", 2, "diagnostics"),
    Row("eval -p missing.policy -r compact.json --format json", 2, "diagnostics"),
    Row("eval -r compact.json --format json", 2, "diagnostics"),
    Row("eval -p good.policy --format json", 2, "diagnostics"),
    Row("eval -p good.policy -r compact.json --timeout 0 --format json", 2, "diagnostics"),
    Row("eval -p good.policy -r compact.json --timeout 0.000000001 --format json", 1, "verdict"),
    Row("eval -p good.policy -r compact.json --as-of 2026-13-01", 2, "empty"),
    # fmt
    Row("fmt good.policy", 0, "empty"),
    Row("fmt ugly.policy", 0),
    Row("fmt --check good.policy", 0, "empty"),
    Row("fmt --check ugly.policy", 1),
    Row("fmt --diff ugly.policy", 1),
    Row("fmt --check --diff ugly.policy", 1),
    Row("fmt -", 0, "text", UGLY),
    Row("fmt - --check", 1, "text", UGLY),
    Row("fmt broken.json", 2, "empty"),
    Row("fmt missing.policy", 2, "empty"),
    Row("fmt empty", 2, "empty"),
    Row("fmt empty --allow-empty", 0, "empty"),
    Row("fmt", 2, "empty"),
    # test
    Row("test passes.policy", 0),
    Row("test passes.policy --format json", 0, "policylang.test/v1"),
    Row("test fails.policy", 1),
    Row("test fails.policy --format json", 1, "policylang.test/v1"),
    Row("test case.cases.yaml passes.policy", 0),
    Row("test passes.policy -k nothing-like-it", 2, "empty"),
    Row("test passes.policy -k nothing-like-it --format json", 2, "diagnostics"),
    Row("test good.policy", 2, "empty"),
    Row("test good.policy --allow-empty", 0),
    Row("test yaml.cases.yaml", 2),
    Row("test yaml.cases.yaml --format json", 2, "policylang.test/v1"),
    Row("test typo.cases.yaml --format json", 2, "diagnostics"),
    Row("test bad.policy --format json", 2, "diagnostics"),
    Row("test missing.policy --format json", 2, "diagnostics"),
    Row("test passes.policy --list", 0),
    Row("test passes.policy --list --format json", 0, "policylang.test-list/v1"),
    Row("test good.policy --list", 2, "empty"),
    Row("test", 2, "empty"),
    *(Row(f"test fails.policy passes.policy --format {name}", 1, name) for name in ("sarif", "junit", "github")),
    *(Row(f"test typo.cases.yaml --format={name}", 2, name) for name in ("sarif", "junit", "github")),
    Row("test passes.policy --list --format junit", 2, "junit"),
    # explain
    Row("explain -p good.policy", 0),
    Row("explain -p good.policy --format json", 0, "policylang.explain/v1"),
    Row("explain -p good.policy --cost --format json", 0, "policylang.explain/v1"),
    Row("explain -p good.policy -r refuse.json", 0),
    Row("explain -p good.policy -r refuse.json --span a --format json", 0, "policylang.explain/v1"),
    Row("explain -p good.policy -r refuse.json --rule r --format json", 0, "policylang.explain/v1"),
    Row("explain -p good.policy -r refuse.json --chain derived:a --format json", 0, "policylang.explain/v1"),
    Row("explain -p good.policy -r refuse.json --span b --format json", 2, "diagnostics"),
    Row("explain -p good.policy -r refuse.json --rule rr --format json", 2, "diagnostics"),
    Row("explain -p good.policy -r refuse.json --chain b --format json", 2, "diagnostics"),
    Row("explain -p good.policy --span a --format json", 2, "diagnostics"),
    Row("explain -p good.policy -r refuse.json --span a --rule r --format json", 2, "diagnostics"),
    Row("explain -p good.policy -r refuse.json --cost --format json", 2, "diagnostics"),
    Row("explain -p bad.policy --format json", 2, "diagnostics"),
    Row("explain -p good.policy -r broken.json --format json", 2, "diagnostics"),
    # import
    Row("import spans.jsonl", 0, "lines"),
    Row("import - --from spans", 0, "lines", SPANS),
    Row("import spans.jsonl -o out.jsonl", 0, "empty"),
    Row("import --list-formats", 0),
    Row("import torn.jsonl", 2, "lines"),
    Row("import torn.jsonl --lenient", 0, "lines"),
    Row("import nothing.jsonl", 2, "empty"),
    Row("import nothing.jsonl --allow-empty", 0, "empty"),
    Row("import missing.jsonl", 2, "empty"),
    Row("import spans.jsonl --from no-such-format", 2, "empty"),
    Row("import", 2, "empty"),
    # replay
    Row("replay -p good.policy spans.jsonl", 0),
    Row("replay -p good.policy spans.jsonl --format json", 0, "policylang.replay/v1"),
    Row("replay -p good.policy torn.jsonl --format json", 2, "diagnostics"),
    Row("replay -p good.policy torn.jsonl --lenient --format json", 0, "policylang.replay/v1"),
    Row("replay -p good.policy nothing.jsonl --format json", 2, "diagnostics"),
    Row("replay -p bad.policy spans.jsonl --format json", 2, "diagnostics"),
    Row("replay -p good.policy missing.jsonl --format json", 2, "diagnostics"),
    Row("replay -p good.policy spans.jsonl --epoch-tokens 0 --format json", 2, "diagnostics"),
    Row("replay -p good.policy --format json", 2, "diagnostics"),
    # schema
    Row("schema", 0),
    *(Row(f"schema {name}", 0, "json") for name in ("request", "verdict", "diagnostics", "cases")),
    Row("schema requst", 2, "empty"),
    # new
    Row("new acme", 0),
    Row("new acme --lacks scoring,monitor,index", 0),
    Row("new acme --lacks scorng", 2, "empty"),
    Row("new good.policy", 2, "empty"),
    Row("new no/such/folder/acme", 2, "empty"),
]


@pytest.fixture
def files(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode("latin-1" if name.startswith("latin") else "utf-8"))
    (tmp_path / "empty").mkdir()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_exit_code_and_standard_output(row: Row, run: Runner) -> None:
    found = run(*row.argv.split(), stdin=row.stdin.encode())
    assert found.code == row.code, found.err
    match row.out:
        case "empty":
            assert found.out == ""
            assert row.code == 0 or found.err
        case "text":
            assert found.out
        case "lines":
            assert all(json.loads(text)["id"] for text in found.out.splitlines())
        case "json":
            assert json.loads(found.out)
        case "sarif":
            [invoked] = found.document["runs"][0]["invocations"]
            assert invoked["executionSuccessful"] is (row.code != 2)
        case "junit":
            assert ElementTree.fromstring(found.out).find(".//error" if row.code == 2 else ".//failure") is not None
        case "github":
            assert all(text.startswith("::error ") for text in found.out.splitlines())
        case "verdict" | "diagnostics":
            jsonschema.Draft7Validator(json.loads(schema_text(row.out))).validate(found.document)
            assert row.out == "verdict" or row.code == 0 or found.document["diagnostics"]
        case schema:
            assert found.document["schema"] == schema


@pytest.mark.usefixtures("files")
def test_every_command_is_in_the_table_and_has_an_example(run: Runner) -> None:
    commands = {line.split()[0] for line in run("--help").out.split("Commands:")[1].splitlines() if line.strip()}
    assert commands == {row.argv.split()[0] for row in ROWS if not row.argv.startswith("-")} - {"frobnicate"}
    for name in sorted(commands):
        found = run(name, "--help")
        assert found.code == 0
        assert f"policylang {name}" in found.out.split("Example", 1)[1]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("format_", ["text", "json"])
def test_the_order_of_paths_never_changes_the_bytes(format_: str, run: Runner) -> None:
    one = run("check", "bad.policy", "good.policy", "latin.policy", "--format", format_)
    assert one == run("check", "latin.policy", "good.policy", "bad.policy", "bad.policy", "--format", format_)
    assert one.code == 1


@pytest.mark.usefixtures("files")
def test_only_compact_is_zero(run: Runner) -> None:
    for row in ROWS:
        if row.argv.startswith("eval") and row.out == "verdict":
            found = run(*row.argv.split(), stdin=row.stdin.encode())
            assert (found.code == 0) == (found.document["decision"] == "compact")


@pytest.mark.usefixtures("files")
def test_a_bug_of_ours_is_three_and_keeps_its_traceback_for_debug(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def boom(*_args: object, **_more: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("policylang.runtime.policy.load", boom)
    quiet = run("eval", "-p", "good.policy", "-r", "compact.json", "--format", "json")
    assert (quiet.code, quiet.document["diagnostics"][0]["code"]) == (3, "internal-error")
    assert "Traceback" not in quiet.err
    loud = run("eval", "--debug", "-p", "good.policy", "-r", "compact.json")
    assert (loud.code, loud.out) == (3, "")
    assert "Traceback" in loud.err and "boom" in loud.err


@pytest.mark.usefixtures("files")
def test_an_interrupt_is_130(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_args: object, **_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("policylang.runtime.policy.load", interrupt)
    found = run("eval", "-p", "good.policy", "-r", "compact.json")
    assert (found.code, found.out, found.err) == (130, "", "")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("explain -p good.policy -r compact.json --span a --span b", "--span is given 2 times"),
        ("explain -p good.policy -r compact.json -r refuse.json", "--request is given 2 times"),
        ("eval -p good.policy -r compact.json -r refuse.json", "--request is given 2 times"),
        ("explain -p good.policy -r compact.json --span zzz", "there are: a"),
        ("explain -p good.policy -r compact.json --rule zzz", "there are: r"),
        ("explain -p std/standard -r compact.json --rule index-rebuild", "did you mean `index-rebuilt`?"),
        ("explain -p good.policy -r compact.json --chain zzzzz", "there are: derived:a"),
        ("eval -p good.policy -r compact.json --timeout abc", "`abc` is not a number of seconds like 0.5"),
        ("eval -p good.policy -r compact.json --timeout 0", "above 0"),
        ("replay -p good.policy nosuch", "bundled sessions: build, incident-response, research"),
        ("replay -p good.policy incident-respons", "did you mean `incident-response`?"),
        ("import nosuch", "bundled sessions: build, incident-response, research"),
        ("replay -p good.policy build --epsilon 2", "--epsilon"),
        ("new --lacks scorign,foo", "`foo`: known: index, monitor, scoring; `scorign`: did you mean `scoring`?"),
        ("new sub/dir/x.policy", "there is no folder `sub/dir`"),
        ("eval -p good.policy -r compact.json --timeout nan", "above 0"),
    ],
)
def test_usage_errors_say_what_there_is(command: str, says: str, run: Runner, tmp_path: Path) -> None:
    for name in ("good.policy", "compact.json", "refuse.json"):
        (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    found = run(*command.split())
    assert (found.code, found.out) == (2, "")
    assert says in " ".join(found.err.split())


def test_a_stricter_bound_of_the_compactor_evicts_less(run: Runner) -> None:
    command = "replay -p std/standard build --as-of 2026-12-01 --compactor similarity --format json"
    loose, strict = (run(*command.split(), "--epsilon", bound).document for bound in ("0.5", "0.01"))
    assert (loose["epsilon"], strict["epsilon"]) == (0.5, 0.01)
    assert strict["ungated"]["totals"]["proposed"] < loose["ungated"]["totals"]["proposed"]


def test_what_to_do_next_with_a_new_policy_can_be_pasted(run: Runner) -> None:
    found = run("new", "my policy.policy")
    assert found.code == 0
    assert "next: policylang check 'my policy.policy'; policylang test 'my policy.policy'" in found.err


_INPUTS = Path(__file__).parents[1] / "golden" / "cli" / "inputs"


@pytest.mark.parametrize(
    "subject",
    [
        "-r request.json",
        "-r quiet.json",
        "-r request.json --span d1",
        "-r request.json --span r2",
        "-r request.json --chain queue",
        "-r request.json --rule dangling-reference",
        "-r request.json --rule many-evicted",
        "",
        "--cost",
    ],
)
@pytest.mark.parametrize("policy", ["own.policy", "relaxed.policy", "std/standard"])
def test_explanations_follow_their_schema(subject: str, policy: str, run: Runner, tmp_path: Path) -> None:
    for file in _INPUTS.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    found = run(*f"explain -p {policy} {subject} --as-of 2026-12-01 --format json".split())
    if policy == "std/standard" and "many-evicted" in subject:
        assert found.code == 2
        return
    validator = jsonschema.Draft7Validator(json.loads(schema_text("explain")))
    validator.validate(found.document)
    assert not validator.is_valid({**found.document, "extra": 1})
    assert not validator.is_valid({**found.document, "as_of": "today"})


@pytest.mark.parametrize("options", ["", "--index rebuilt", "--compactor structural --epsilon 0.2"])
def test_replays_follow_their_schema(options: str, run: Runner) -> None:
    found = run(*f"replay -p std/standard build --as-of 2026-12-01 --format json {options}".split()).document
    validator = jsonschema.Draft7Validator(json.loads(schema_text("replay")))
    validator.validate(found)
    assert not validator.is_valid({**found, "extra": 1})
    assert not validator.is_valid({**found, "ungated": None})
