"""Tables, goals and the page that they are written into."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import text
from benchmarks.machine import machine
from benchmarks.model import Goal, Report, Table, Unit, scaled
from benchmarks.render import BEGIN, END, figure, markdown, written_into
from benchmarks.timing import TRIES, medians

PAGE = Path(__file__).resolve().parents[3] / "docs" / "performance.md"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (0.00123456, "0.00123"),
        (0.0864, "0.0864"),
        (1.0, "1.00"),
        (9.999, "10.0"),
        (17.64, "17.6"),
        (276.0, "276"),
        (1234.5, "1 230"),
        (98066.0, "98 100"),
    ],
)
def test_figure_has_three_digits_that_count(value: float, shown: str) -> None:
    assert figure(value) == shown


@pytest.mark.parametrize(("unit", "value"), [("ns", 1.5e6), ("µs", 1500.0), ("ms", 1.5), ("s", 0.0015)])
def test_seconds_in_another_unit(unit: Unit, value: float) -> None:
    assert scaled(0.0015, unit) == pytest.approx(value)


def test_goal_is_met_up_to_its_bound() -> None:
    assert Goal("", 1.5, 1.5, "×").is_met
    assert not Goal("", 1.51, 1.5, "×").is_met
    assert Goal("", 20.0, 20.0, "×", at_most=False).is_met
    assert not Goal("", 19.9, 20.0, "×", at_most=False).is_met


def test_report_as_markdown() -> None:
    table = Table("By size", ("µs", "N = 1"), (("ours", 2.0), ("a | b", None)), ("a note",))
    goals = (Goal("fast", 2.0, 3.0, "µs"), Goal("faster", 2.0, 1.0, "µs"))
    found = markdown({"x": ("A theme", Report((table,), goals))}, {"cores": "2"})
    assert found == (
        "Measured on: cores 2.\n\n## Goals\n\n"
        "| goal | bound | measured |  |\n| --- | ---: | ---: | ---: |\n"
        "| fast | at most 3 µs | 2.00 µs | met |\n| faster | at most 1 µs | 2.00 µs | **missed** |\n"
        "\n## A theme\n\n### By size\n\n"
        "| µs | N = 1 |\n| --- | ---: |\n| ours | 2.00 |\n| a \\| b | – |\n\n- a note\n"
    )


def test_page_keeps_all_but_what_is_between_the_markers() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = written_into(page, "new\n")
    assert once == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert written_into(once, "new\n") == once


@pytest.mark.parametrize("page", ["", BEGIN, f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}", f"{BEGIN}{END}{END}"])
def test_page_without_one_pair_of_markers_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="each once"):
        written_into(page, "new")


def test_command_refuses_a_page_before_it_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("no place here\n", "utf-8")
    monkeypatch.setattr("sys.argv", ["benchmarks", "--write", str(page)])
    assert command.main() == 2
    assert "each once" in capsys.readouterr().err
    assert page.read_text("utf-8") == "no place here\n"


def test_documentation_has_a_place_for_the_figures() -> None:
    page = PAGE.read_text("utf-8")
    assert written_into(page, "x").count(BEGIN) == 1


def test_themes_have_names_of_their_own() -> None:
    assert list(command.names()) == ["decide", "columns", "frontend", "standard", "extraction"]


def test_extraction_figures_become_tables_and_goals() -> None:
    rows = {"fine": (0.1, 0.8), "bad": (0.1, 1.6)}
    found = {
        "corpus": "sessions",
        "results": 3,
        "megabytes": 1.0,
        "mb_per_s": {"all": 30.0},
        "scan_mb_per_s": {"re2": 90.0, "re": 4.5},
        "adversarial": {
            name: {"seconds_1.25MB": one, "seconds_10MB": ten, "ratio": ten / one} for name, (one, ten) in rows.items()
        },
    }
    report = text.report(found)
    assert [(goal.is_met, goal.measured) for goal in report.goals] == [(False, 16.0), (True, 20.0)]
    assert ("extraction: all", 30.0) in report.tables[0].rows
    assert [row[0] for row in report.tables[1].rows] == ["`fine`", "`bad`"]


def test_machine_names_what_figures_depend_on() -> None:
    found = machine()
    assert {"date", "processor", "cores", "python", "policylang", "numpy", "cel-expr-python", "cedarpy"} <= set(found)
    assert all(found.values())


def test_an_interrupted_trial_does_not_shorten_the_samples() -> None:
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            time.sleep(0.01)

    medians({"quick": work}, 0.0, least=1)
    assert calls > 1 + TRIES + 100


def test_contestants_take_turns() -> None:
    calls: list[str] = []

    def work(name: str) -> None:
        calls.append(name)
        time.sleep(0.002)

    found = medians({name: partial(work, name) for name in "abc"}, 0.0, least=8)
    before = 3 * (1 + TRIES)
    rounds = ["".join(calls[start : start + 6]) for start in range(before, len(calls), 6)]
    assert "".join(calls[:before]) == "".join(name * (1 + TRIES) for name in "abc")
    assert [sorted(one) for one in rounds] == [["a", "a", "b", "b", "c", "c"]] * 8
    assert len(set(rounds)) > 1
    assert list(found) == ["a", "b", "c"]
    assert all(taken >= 0.002 for taken in found.values())
