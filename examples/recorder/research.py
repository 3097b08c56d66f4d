"""The 9-day research agent: reads a corpus of gauge sheets, records findings, meets a correction, derives figures.

The corpus is generated from a seed and speaks of a river that does not exist; the figures are the corpus's own. The
reading, the notes and the arithmetic are real.
"""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, field

from .prose import RESEARCH_REMARKS, RESEARCH_THOUGHTS, Musing, Pool
from .scripted import Operator
from .workbench import FIXTURES, Workbench

TITLE = "Research on flood records of an invented river, 9 days."
SESSION_ID = "6f0b1c52-1d0e-4c7a-9a51-2f6f3b0a4003"
START = "2026-03-16T06:00:00+00:00"
SEED = 5412
STATIONS = tuple(f"ST{number:02d}" for number in range(1, 19))
EVENTS = ("EV-1954-07", "EV-1981-03", "EV-2002-08")
NOTES = "python3 tools/notes.py"

# The first wording uses the sheets' own words; the others ask as a person would who has not read them lately.
QUESTIONS = (
    (
        "Which finding holds the peak discharge of {station} now?",
        "What is the peak discharge of {station}, after any correction?",
        "Which finding holds the catchment area of {station}?",
        "And how large is the catchment area of {station}?",
    ),
    (
        "Under which finding did we file the flood peak of {station}?",
        "How much water came down at {station} at the height of the flood?",
        "And the finding for the area above {station}?",
        "How big is the area that drains to {station}?",
    ),
    (
        "Where in the notes is the maximum of {station}, by finding id?",
        "Which maximum do we have on record for {station}?",
        "Which finding did the catchment sheet of {station} become?",
        "What did that sheet say about the size of the catchment?",
    ),
)

NARRATIVE = (
    "The valley is narrow in this reach and the flood plain is used as pasture.",
    "Residents remember the water standing in the mill for days, though no mark was kept.",
    "The gauge was read by an observer in the morning and in the evening, weather permitting.",
    "Debris collected at the bridge and may have raised the stage above what the flow alone would explain.",
    "The report of the county is careful to say that its figures are estimates and were not measured.",
    "Snow was still lying in the upper catchment when the rain set in, which is typical of the spring floods.",
    "A weir was rebuilt in the years after, and the rating of the station was revised more than once.",
    "The photographs in the annex show the extent of the flooding but not its depth.",
    "Nothing in the narrative contradicts the sheets, and nothing in it could replace them.",
    "The observer's book is complete for the season, with few gaps on holidays.",
)


def prepare(bench: Workbench) -> None:
    """The corpus behind the service, and a workspace with the notes tool."""
    documents = bench.root / "state" / "documents"
    documents.mkdir()
    rng = random.Random(SEED)
    for station in STATIONS:
        figures = _figures(rng)
        for name, lines in _sheets(station, figures, rng).items():
            (documents / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for station in STATIONS[3:15:4]:
        revised = f"{rng.uniform(300, 900):.1f}"
        notice = [
            f"CORRECTION NOTICE {station}",
            f"withdraws: peak_discharge of sheet {station}-peak.txt",
            f"peak_discharge: {revised} m3/s",
            f"rating_revision: R{rng.randrange(60, 99)}",
            "reason: the rating was extended beyond its gauged range",
        ]
        (documents / f"{station}-correction.txt").write_text("\n".join(notice) + "\n", encoding="utf-8")
    (bench.workspace / "tools").mkdir()
    shutil.copyfile(FIXTURES / "gauges" / "notes.py.txt", bench.workspace / "tools" / "notes.py")
    (bench.workspace / "README.md").write_text(
        "# Flood records\n\nSheets and reports are at /documents of the local service. Findings go through "
        "`tools/notes.py`; the draft is `draft.md`.\n",
        encoding="utf-8",
    )
    bench.must("git init -q . && printf 'notes.db\\n' > .gitignore && git add -A && git commit -q -m 'Notes tool'")


def _figures(rng: random.Random) -> dict[str, str]:
    return {
        "peak": f"{rng.uniform(200, 950):.1f}",
        "area": f"{rng.randrange(400, 9000)}",
        "rating": f"R{rng.randrange(10, 60)}",
        "datum": f"{rng.uniform(80, 400):.2f}",
        "event": rng.choice(EVENTS),
        "years": str(rng.randrange(24, 96)),
    }


def _sheets(station: str, figures: dict[str, str], rng: random.Random) -> dict[str, list[str]]:
    report = [f"Report on the reach at {station}", ""]
    for _ in range(5):
        report += [" ".join(rng.sample(NARRATIVE, 4)), ""]
    return {
        f"{station}-peak.txt": [
            f"STATION SHEET {station}",
            f"event: {figures['event']}",
            f"peak_discharge: {figures['peak']} m3/s",
            f"rating_revision: {figures['rating']}",
            "quality: B",
        ],
        f"{station}-area.txt": [
            f"CATCHMENT SHEET {station}",
            f"catchment_area: {figures['area']} km2",
            f"gauge_datum: {figures['datum']} m",
            f"record_years: {figures['years']}",
        ],
        f"{station}-report.txt": report,
    }


@dataclass(slots=True)
class Survey:
    """The script: three working epochs a day, nights off."""

    op: Operator
    thoughts: Musing
    remarks: Pool
    derived: list[str] = field(default_factory=list)

    def study(self, station: str, *, report: bool) -> None:
        """Read the sheets of a station and record what they establish."""
        op = self.op
        op.think(self.thoughts.draw())
        op.say(self.remarks.draw())
        calls = [
            op.fetching(f"/documents/{station}-peak.txt", f"Peak, event and rating of {station}"),
            op.fetching(f"/documents/{station}-area.txt", f"Area and datum of {station}"),
        ]
        if report:
            calls.append(op.fetching(f"/documents/{station}-report.txt", f"What does the report on {station} say?"))
        peak, area, *_ = op.together(*calls)
        op.learn(peak, f"{station}_rating_revision", r"rating_revision: (\S+)", entity=station)
        op.learn(peak, f"{station}_event", r"event: (\S+)", entity=station)
        op.learn(area, f"{station}_gauge_datum", r"gauge_datum: (\S+)", entity=station)
        op.learn(area, f"{station}_record_years", r"record_years: (\d+)", entity=station)
        for answer, name, key, unit, source in (
            (peak, "peak", "peak_discharge", "m3/s", "peak"),
            (area, "area", "catchment_area", "km2", "area"),
        ):
            value = op.learn(answer, f"{station}_{key}", rf"{key}: (\S+)", entity=station)
            made = op.bash(
                f"{NOTES} add --station {station} --key {key} --value {value} --unit {unit} "
                f"--source {station}-{source}.txt",
                f"Record the {name} of {station}",
            )
            op.learn(made, f"{station}_{name}_finding", r"finding (F-\d+) recorded", entity=station)
        op.wait(21)

    def derive(self, station: str) -> None:
        """Specific discharge from figures read days ago."""
        op = self.op
        op.think(self.thoughts.draw())
        words = QUESTIONS[len(self.derived) % len(QUESTIONS)]
        keys = ("peak_finding", "peak_discharge", "area_finding", "catchment_area")
        peak, value, area, size = (
            op.ask(f"{station}_{key}", question.format(station=station))
            for key, question in zip(keys, words, strict=True)
        )
        made = op.bash(
            f"{NOTES} derive --peak {peak} --peak-value {value} --area {area} --area-value {size}",
            f"Specific discharge of {station}",
        )
        op.learn(made, f"{station}_specific_discharge", r"specific_discharge = (\S+)", entity=station)
        self.derived.append(station)
        op.wait(17)

    def correct(self, station: str) -> None:
        """A notice withdraws a peak; the old finding is superseded."""
        op = self.op
        op.think(self.thoughts.draw())
        notice = op.fetch(f"/documents/{station}-correction.txt", f"What does the notice withdraw for {station}?")
        finding = op.ask(
            f"{station}_peak_finding", f"Which finding is withdrawn with it, the one on the peak of {station}?"
        )
        value = op.learn(notice, f"{station}_peak_discharge", r"peak_discharge: (\S+) m3/s", entity=station)
        op.learn(notice, f"{station}_rating_revision", r"rating_revision: (\S+)", entity=station)
        made = op.bash(
            f"{NOTES} supersede {finding} --value {value} --source {station}-correction.txt", "Supersede the finding"
        )
        op.learn(made, f"{station}_peak_finding", r"superseded by (F-\d+)", entity=station)
        op.wait(15)

    def housekeeping(self, message: str) -> None:
        """The day's end: index, draft, commit."""
        op = self.op
        op.think(self.thoughts.draw())
        op.bash(f"{NOTES} index", "All findings, without values")
        op.bash(
            f"printf '## %s\\n\\nSee the findings recorded today.\\n\\n' '{message}' >> draft.md && git add -A && "
            f"git commit -q -m '{message}' && git log --oneline | head -n 12",
            "Draft and commit",
        )

    def reading_days(self) -> None:
        """Days 1 to 4: eighteen stations, with a first derivation on day 4."""
        op = self.op
        op.user(
            "Nine days for the flood records of this river, please. Standing instructions: only figures from the "
            "sheets, never from the reports. Record each figure as a finding with its source. A corrected figure "
            "supersedes the old one, do not edit findings. Never publish anything, the draft stays here."
        )
        op.think(self.thoughts.draw())
        op.together(
            op.reading("/workspace/README.md"), op.reading("/workspace/tools/notes.py"), op.shell("ls -1", "Files")
        )
        op.fetch("/document/ST01-peak.txt", "First sheet", fails=True)
        queue = list(STATIONS)
        for day in range(4):
            for slot in range(3):
                if (day, slot) != (0, 0):
                    op.enter(6 * day + slot, 3 + slot)
                for _ in range(2 if slot < 2 else 1):
                    if queue:
                        self.study(queue.pop(0), report=slot == 0)
            self.housekeeping(f"Day {day + 1}: stations read")
            if day == 1:
                op.bash(f"{NOTES} add --station ST99 --key peak_discharge", "A finding without a value", fails=True)

    def correction_days(self) -> None:
        """Days 5 to 7: comparisons, correction notices, derived figures."""
        op = self.op
        op.enter(24, 6)
        op.user("Start deriving specific discharges. Correction notices may turn up, watch for them.")
        for station in STATIONS[:2]:
            self.derive(station)
        op.enter(25, 5)
        first = op.ask("ST01_event", "To which event does the sheet of the first station belong?")
        op.bash(f"printf 'Main event: {first}\\n' >> draft.md && tail -n 3 draft.md", "Into the draft")
        self.derive(STATIONS[2])
        self.housekeeping("Day 5: first derived figures")
        op.enter(30, 4)
        op.user("Three notices have come in: for the fourth, the eighth and the twelfth station.")
        for station in STATIONS[3:15:4]:
            self.correct(station)
        op.enter(31, 7)
        stale = op.ask(
            "ST04_peak_finding+", "Let me see what happens with the withdrawn finding of the fourth station."
        )
        value = op.ask("ST04_peak_discharge+", "Its peak as the sheet first had it?")
        area = op.ask("ST04_area_finding", "With which finding for the catchment?")
        size = op.ask("ST04_catchment_area", "And which area?")
        op.bash(
            f"{NOTES} derive --peak {stale} --peak-value {value} --area {area} --area-value {size}",
            "A withdrawn finding must not be used", fails=True,
        )  # fmt: skip
        op.think("Good: the tool refuses a superseded finding. Now with the corrected one.")
        self.derive("ST04")
        op.enter(32, 5)
        self.derive("ST08")
        self.derive("ST12")
        self.housekeeping("Day 6: corrections")
        for slot in range(3):
            op.enter(36 + slot, 4 + slot)
            for station in STATIONS[4 + slot * 4 :: 12]:
                if station not in self.derived:
                    self.derive(station)
            datum = op.ask(f"ST{5 + slot:02d}_gauge_datum", f"Which datum does station {5 + slot} of the list have?")
            op.bash(f"printf 'datum {slot}: {datum} m\\n' >> datums.txt && cat datums.txt", "Datums for the comparison")
        self.housekeeping("Day 7: more derived figures")

    def synthesis_days(self) -> None:
        """Days 8 and 9: the rest, and a table in which each figure names its finding."""
        op = self.op
        for number, station in enumerate(("ST06", "ST07", "ST10", "ST14", "ST15", "ST18")):
            if number % 2 == 0:
                op.enter(42 + number // 2, 5)
            if station not in self.derived:
                self.derive(station)
        self.housekeeping("Day 8: last derived figures")
        op.enter(48, 4)
        op.user("Now the synthesis: a table of the derived figures, and a note on ratings and record lengths.")
        table = ["# Synthesis", "", "| station | specific discharge |", "|---|---|"]
        for station in self.derived[:6]:
            value = op.ask(f"{station}_specific_discharge", f"What specific discharge did we derive for {station}?")
            table.append(f"| {station} | {value} |")
        op.write("/workspace/synthesis.md", "\n".join(table) + "\n")
        op.enter(49, 6)
        for station in ("ST03", "ST04", "ST09"):
            years = op.ask(f"{station}_record_years", f"How many years of record does {station} have?", by="user")
            rating = op.ask(
                f"{station}_rating_revision", f"Which revision of the rating holds for {station}?", by="user"
            )
            op.bash(
                f"printf '{station}: record {years} years, rating {rating}\\n' >> synthesis.md"
                " && tail -n 4 synthesis.md",
                f"Note on {station}",
            )
            op.wait(12)
        op.enter(50, 5)
        self.study_again("ST01")
        self.housekeeping("Day 9: synthesis")
        op.enter(53, 5)
        op.bash("git status --short && wc -l draft.md synthesis.md datums.txt", "Last look")
        op.say(
            "The synthesis is in place, each figure can be traced to its finding, and the withdrawn ones are marked."
        )

    def study_again(self, station: str) -> None:
        """A check against the source, as a reviewer would do it."""
        op = self.op
        value = op.ask(f"{station}_peak_discharge", f"A spot check on {station}: which peak discharge did we record?")
        op.bash(
            f"python3 - <<'PY'\nimport http.client, os\nc = http.client.HTTPConnection(os.environ['OPS_ADDRESS'])\n"
            f"c.request('GET', '/documents/{station}-peak.txt')\ntext = c.getresponse().read().decode()\n"
            f"print('sheet agrees:', 'peak_discharge: {value} m3/s' in text)\nPY",
            "Compare with the sheet",
        )


def play(op: Operator) -> None:
    """The nine days in order."""
    rng = op.log.ids.rng
    script = Survey(op, Musing.of(rng, RESEARCH_THOUGHTS), Pool(rng, RESEARCH_REMARKS))
    script.reading_days()
    script.correction_days()
    script.synthesis_days()
