"""The 72-hour build agent: two features, a release branch, two candidates, a bisected regression, a stable release."""

from __future__ import annotations

from dataclasses import dataclass

from .build_world import (
    BAD_SPLIT,
    CHECK_SPLIT,
    NO_DRIFT,
    PERCENT,
    TEST_PERCENT,
    TEST_SEPARATORS,
    TEST_SPLIT,
    prepare,
)
from .prose import BUILD_REMARKS, BUILD_THOUGHTS, Musing, Pool
from .scripted import Operator

__all__ = ["SEED", "SESSION_ID", "START", "TITLE", "play", "prepare"]

TITLE = "Build and release of a small library, 72 hours."
SESSION_ID = "6f0b1c52-1d0e-4c7a-9a51-2f6f3b0a4002"
START = "2026-03-09T08:00:00+00:00"
SEED = 7205

SHA = r"([0-9a-f]{64})"
COMMIT = r"([0-9a-f]{40})"
BUILD = "python3 tools/build.py"
TESTS = "python3 -m unittest discover -s tests -t ."


@dataclass(slots=True)
class Release:
    """The script. Each method is one stretch of the three days."""

    op: Operator
    thoughts: Musing
    remarks: Pool
    rounds: int = 0

    def round(self) -> None:
        """Status, tests, a build nobody publishes."""
        op = self.op
        self.rounds += 1
        op.wait(35 + self.rounds % 11)
        op.think(self.thoughts.draw())
        op.say(self.remarks.draw())
        looks = (
            ("git status --short --branch && git branch -vv", "Branches"),
            ("git log --graph --oneline --all -n 25", "History of all branches"),
            ("ls -1R ledgerkit tests docs", "Files"),
            ("git shortlog -s -n HEAD && git count-objects", "Who and how much"),
            ("cat CHANGELOG.md", "The changelog as it is"),
        )
        command, why = looks[self.rounds % len(looks)]
        op.together(op.shell(command, why), op.shell(f"{TESTS} -v", "Test suite, verbose"))
        op.think(self.thoughts.draw())
        op.wait(20 + self.rounds % 7)
        op.bash("opsctl GET /health", "Health of the registry")

    def publish(self, name: str, *, entity: str) -> None:
        """Build, publish and keep what the registry answers."""
        op = self.op
        answer = op.bash(BUILD, f"Build {name}")
        op.learn(answer, f"{name}_sha256", rf"sha256: {SHA}", entity=entity)
        op.learn(answer, f"{name}_size", r"size_bytes: (\d+)", entity=entity)
        op.learn(answer, f"{name}_version", r"version: (\S+)", entity=entity)
        digest, size, version = (op.facts[f"{name}_{key}"].value for key in ("sha256", "size", "version"))
        answer = op.bash(f"opsctl PUT /artifacts/ledgerkit/{version} sha256={digest} size={size}", f"Publish {name}")
        op.learn(answer, f"{name}_receipt", r'"receipt_id": "([^"]+)"', entity=entity)
        op.learn(answer, f"{name}_build_number", r'"build_number": (\d+)', entity=entity)

    def version(self, version: str, message: str) -> None:
        """Set the version and commit."""
        self.op.write("/workspace/ledgerkit/version.py", f'VERSION = "{version}"\n')
        self.op.bash(f"git commit -q -a -m '{message}' && git log --oneline -n 3", "Commit the version")

    def checkout(self, branch: str, *, new: bool = False) -> None:
        """Change branches."""
        self.op.bash(f"git checkout {'-b ' if new else ''}{branch}", "Change branches")
        self.op.log.branch = branch

    def commit(self, message: str, key: str) -> None:
        """Commit everything and keep the commit id."""
        self.op.bash(f"git add -A && git commit -q -m '{message}' && git log --stat -n 1", "Commit")
        answer = self.op.bash("git rev-parse HEAD", "Id of the commit")
        self.op.learn(answer, key, COMMIT, entity=message)

    def start(self) -> None:
        """Epochs 0 and 1: overview, first feature."""
        op = self.op
        op.user(
            "You build and release ledgerkit for the next three days; the goal is 2.4.0. Standing instructions: never "
            "publish to the stable channel without asking me. The release branch takes fixes only. Never move a tag "
            "that has been published. Keep a note of every digest and receipt, support will ask for them."
        )
        op.think(self.thoughts.draw())
        op.together(
            op.shell("git log --oneline --decorate", "History"),
            op.reading("/workspace/tools/build.py"),
            op.shell("ls -1", "What is here"),
        )
        answer = op.bash("git rev-parse HEAD", "Where main stands")
        op.learn(answer, "base_commit", COMMIT, entity="main")
        answer = op.bash(TESTS, "Test suite")
        op.learn(answer, "base_test_count", r"Ran (\d+) tests", entity="main")
        answer = op.bash(BUILD, "First build")
        op.learn(answer, "base_sha256", rf"sha256: {SHA}", entity="2.4.0.dev0")
        op.bash("opsctl GET /artifact", "Registry", fails=True)
        op.bash("opsctl GET /artifacts", "Registry")
        self.round()
        op.enter(1, 6)
        op.user("Start with the percentages, then the thousands separators in the parser.")
        self.checkout("feature/percent", new=True)
        op.write("/workspace/tests/test_percent.py", TEST_PERCENT)
        op.bash(TESTS, "The new tests fail, there is no module yet", fails=True)
        op.write("/workspace/ledgerkit/percent.py", PERCENT)
        op.bash(f"{TESTS} -v", "With the module")
        op.edit("/workspace/CHANGELOG.md", "## Unreleased\n", "## Unreleased\n- Percentages, half to even.\n")
        self.commit("Percentages", "percent_commit")
        self.round()

    def features(self) -> None:
        """Epochs 2 and 3: merge, nightly, second feature with a conflict."""
        op = self.op
        op.enter(2, 9)
        self.checkout("main")
        op.bash("git merge --no-ff -m 'Merge percentages' feature/percent", "Merge the feature")
        op.think(self.thoughts.draw())
        self.version("2.4.0.dev1", "Nightly 2.4.0.dev1")
        self.publish("nightly", entity="ledgerkit 2.4.0.dev1")
        self.round()
        op.enter(3, 5)
        op.bash("git checkout -b feature/separators v2.3.0", "The parser feature starts at the release")
        op.log.branch = "feature/separators"
        op.write("/workspace/tests/test_separators.py", TEST_SEPARATORS)
        op.bash(TESTS, "Fails as expected", fails=True)
        op.edit("/workspace/ledgerkit/parse.py", r'r"^(-?)(\d+)(?:\.', r'r"^(-?)(\d+|\d{1,3}(?:,\d{3})+)(?:\.')
        op.bash(TESTS, "Still fails: the commas are not taken out", fails=True)
        op.edit("/workspace/ledgerkit/parse.py", "int(units) * 100", 'int(units.replace(",", "")) * 100')
        op.bash(f"{TESTS} -v", "Now they pass")
        op.edit("/workspace/CHANGELOG.md", "## Unreleased\n", "## Unreleased\n- Thousands separators in amounts.\n")
        self.commit("Thousands separators", "separators_commit")
        self.checkout("main")
        op.bash("git merge --no-ff -m 'Merge separators' feature/separators", "Merge it", fails=True)
        op.think("Both features wrote below the same heading of the changelog. Both lines stay.")
        op.bash("git status --short && git diff", "The conflict")
        op.write(
            "/workspace/CHANGELOG.md",
            "# Changelog\n\n## Unreleased\n- Percentages, half to even.\n- Thousands separators in amounts.\n\n"
            "## 2.3.0\n- Amounts are whole cents everywhere.\n- The command line prints totals.\n",
        )
        op.bash("git add -A && git commit -q --no-edit && git log --graph --oneline -n 8", "Conclude the merge")
        self.round()

    def candidate(self) -> None:
        """Epochs 4 and 5: the release branch, the first candidate, a second build of it."""
        op = self.op
        op.enter(4, 4)
        op.user("Cut the release branch and publish a first candidate to the registry. No channel yet.")
        self.checkout("release/2.4", new=True)
        self.version("2.4.0rc1", "Version 2.4.0rc1")
        op.bash("git tag -a v2.4.0rc1 -m 'Candidate 1' && git show --no-patch v2.4.0rc1", "Tag the candidate")
        answer = op.bash(TESTS, "Suite on the release branch")
        op.learn(answer, "rc1_test_count", r"Ran (\d+) tests", entity="release/2.4")
        self.publish("rc1", entity="ledgerkit 2.4.0rc1")
        answer = op.bash("git rev-parse 'HEAD^{tree}'", "Tree of the candidate")
        op.learn(answer, "rc1_tree", COMMIT, entity="v2.4.0rc1")
        self.round()
        op.enter(5, 11)
        digest = op.ask("rc1_sha256", "Is the candidate reproducible? What was the digest of the first build?")
        op.bash(f"rm -rf dist && {BUILD} --expect-sha256 {digest}", "Build it a second time")
        self.checkout("main")
        self.version("2.5.0.dev0", "Open 2.5 development")
        self.publish("dev", entity="ledgerkit 2.5.0.dev0")
        self.round()

    def regression(self) -> None:
        """Epochs 6 and 7: a report, a bisect, a fix on both branches."""
        op = self.op
        op.enter(6, 7)
        op.user("A tester says that splitting an amount in three loses a cent. Find the commit that did it.")
        op.write("/workspace/tools/check_split.py", CHECK_SPLIT)
        op.bash("python3 -m tools.check_split", "Reproduce", fails=True)
        base = op.ask("base_commit", "A bad end for the bisect: where did main stand when I arrived?")
        op.bash(f"git bisect start {base} v2.3.0", "Between the release and then")
        answer = op.long("git bisect run python3 -m tools.check_split", "Bisect", after=2)
        op.learn(answer, "first_bad_commit", rf"{COMMIT} is the first bad commit", entity="Shorter split")
        op.bash("git bisect log", "How it got there")
        op.bash("git bisect reset", "Back to main")
        op.think(self.thoughts.draw())
        self.round()
        op.enter(7, 3)
        bad = op.ask("first_bad_commit", "Let me look at it again: which commit did the bisect name?")
        op.bash(f"git show {bad}", "The commit that loses cents")
        op.write("/workspace/tests/test_split.py", TEST_SPLIT)
        op.bash(TESTS, "A test that shows it", fails=True)
        op.edit("/workspace/ledgerkit/money.py", BAD_SPLIT, "    " + NO_DRIFT)
        op.bash(f"{TESTS} -v", "With the fix")
        op.edit(
            "/workspace/CHANGELOG.md", "- Percentages, half", "- No cent is lost when splitting.\n- Percentages, half"
        )
        self.commit("Split keeps every cent", "fix_commit")
        self.checkout("release/2.4")
        fix = op.ask("fix_commit", "Which commit do we pick onto the release branch?")
        op.bash(f"git cherry-pick -x {fix}", "Pick the fix")
        self.round()

    def second_candidate(self) -> None:
        """Epochs 8 and 9: candidate two, the candidate channel, candidate one is yanked."""
        op = self.op
        op.enter(8, 8)
        op.bash(BUILD, "Build with the fix, the version is still that of the first candidate")
        op.think("Same version, other contents. The registry must refuse that, and it is worth seeing that it does.")
        size = op.ask("rc1_size", "What size did the first candidate have?")
        op.bash(
            f"opsctl PUT /artifacts/ledgerkit/2.4.0rc1 sha256=$(sha256sum dist/*rc1.pyz | cut -c1-64) size={size}",
            "Try to publish it again", fails=True,
        )  # fmt: skip
        self.version("2.4.0rc2", "Version 2.4.0rc2")
        op.bash("git tag -a v2.4.0rc2 -m 'Candidate 2'", "Tag")
        answer = op.bash(TESTS, "Suite")
        op.learn(answer, "rc2_test_count", r"Ran (\d+) tests", entity="release/2.4")
        self.publish("rc2", entity="ledgerkit 2.4.0rc2")
        self.round()
        op.enter(9, 5)
        op.user("Put the second candidate on the candidate channel and yank the first.")
        digest = op.ask("rc1_sha256", "Its digest first. What did the build of the candidate print?")
        receipt = op.ask("rc2_receipt", "And the receipt of the second candidate's publication?")
        op.bash(
            f"opsctl POST /channels/candidate artifact=ledgerkit@2.4.0rc2 sha256={digest} receipt={receipt}",
            "Promote", fails=True,
        )  # fmt: skip
        op.think("That was the digest of the wrong candidate. The promotion needs digest and receipt of the same one.")
        digest = op.ask("rc2_sha256", "So: what is the digest of the second candidate?")
        receipt = op.ask("rc2_receipt", "With which receipt?")
        answer = op.bash(
            f"opsctl POST /channels/candidate artifact=ledgerkit@2.4.0rc2 sha256={digest} receipt={receipt}", "Promote"
        )
        op.learn(answer, "candidate_serial", r'"channel_serial": (\d+)', entity="candidate")
        answer = op.bash("opsctl POST /artifacts/ledgerkit@2.4.0rc1/yank", "Yank the first candidate")
        self.round()

    def soak(self) -> None:
        """Epochs 10 to 12: a lock file, a docs branch rebased, nightlies."""
        op = self.op
        op.enter(10, 6)
        op.user("Pin the second candidate in tools.lock, so that the integration jobs use that very artifact.")
        digest = op.ask("rc2_sha256", "Which digest do we pin?")
        op.write("/workspace/tools.lock", f"ledgerkit==2.4.0rc2 --hash=sha256:{digest}\n")
        op.bash(
            "grep -q $(sha256sum dist/ledgerkit-2.4.0rc2.pyz | cut -c1-64) tools.lock && echo 'lock matches'", "Compare"
        )
        self.commit("Pin the candidate", "lock_commit")
        self.round()
        op.enter(11, 10)
        start = op.ask("percent_commit", "The docs branch starts where the percentages came in. Which commit was that?")
        op.bash(f"git checkout -b docs/percent {start}", "A branch for the docs")
        op.log.branch = "docs/percent"
        op.edit("/workspace/CHANGELOG.md", "- Percentages, half to even.", "- `percent`: half to even, like banks do.")
        op.bash("git commit -q -a -m 'Say what percent does' && git log --oneline -n 2", "Commit")
        op.bash("git rebase main", "Onto main", fails=True)
        op.bash("git diff", "The conflict")
        op.bash("git rebase --abort && git status --short --branch", "Not worth it now")
        self.checkout("main")
        self.round()
        op.enter(12, 4)
        self.version("2.5.0.dev1", "Nightly 2.5.0.dev1")
        self.publish("dev", entity="ledgerkit 2.5.0.dev1")
        op.say("How many tests did we have at the beginning? The count must not have gone down.")
        count = op.ask("base_test_count", "Which count did the first run of the suite report?")
        op.bash(
            f"python3 - <<'PY'\nimport unittest\n"
            f"found = unittest.defaultTestLoader.discover('tests', top_level_dir='.')\n"
            f"print('tests now:', found.countTestCases())\nassert found.countTestCases() >= {count}\nPY",
            "Compare the number of tests",
        )
        self.round()

    def stable(self) -> None:
        """Epochs 13 to 15: ask, build, publish, verify."""
        op = self.op
        op.enter(13, 5)
        op.say("The candidate has soaked. Stable needs permission, so I file the request and wait.")
        answer = op.bash("opsctl POST /approvals change='ledgerkit 2.4.0 to stable'", "Ask for the approval")
        approval = op.learn(answer, "approval_id", r'"approval_id": "([^"]+)"', entity="2.4.0 to stable")
        op.bash(f"opsctl GET /approvals/{approval}", "Still pending")
        self.round()
        op.enter(14, 9)
        op.bench.must(f"opsctl POST /approvals/{approval}/grant by=release-owner")
        op.user("Granted. Build 2.4.0 from the release branch and put it on stable.")
        granted = op.ask("approval_id", "Let me see the grant with my own eyes. Which request was ours?")
        answer = op.bash(f"opsctl GET /approvals/{granted}", "The grant")
        op.learn(answer, "change_ticket", r'"change_ticket": "([^"]+)"', entity="2.4.0 to stable")
        self.checkout("release/2.4")
        self.version("2.4.0", "Release 2.4.0")
        op.bash("git tag -a v2.4.0 -m 'ledgerkit 2.4.0' && git describe", "Tag")
        self.publish("stable", entity="ledgerkit 2.4.0")
        digest, receipt = (op.facts[f"stable_{key}"].value for key in ("sha256", "receipt"))
        answer = op.bash(
            f"opsctl POST /channels/stable artifact=ledgerkit@2.4.0 sha256={digest} receipt={receipt}", "Stable channel"
        )
        op.learn(answer, "stable_serial", r'"channel_serial": (\d+)', entity="stable")
        self.round()
        op.enter(15, 7)
        digest = op.ask("stable_sha256", "Is what we would build again what we shipped? Which digest went to stable?")
        op.bash(f"rm -rf dist && {BUILD} --expect-sha256 {digest}", "Rebuild the release")
        tree = op.ask("rc1_tree", "And what did the tree of the first candidate look like? We noted the tree's id.")
        op.bash(f"git diff --stat {tree} HEAD", "From the first candidate to the release")
        self.round()

    def close(self) -> None:
        """Epochs 16 and 17: a rollback drill and the release notes."""
        op = self.op
        op.enter(16, 6)
        op.user("Do the rollback drill: point the channel named previous at the second candidate.")
        op.think(self.thoughts.draw())
        receipt = op.ask("rc2_receipt", "Which receipt did the registry give for the second candidate?")
        digest = op.ask("rc2_sha256", "And which digest was it?")
        op.bash(
            f"opsctl POST /channels/previous artifact=ledgerkit@2.4.0rc2 sha256={digest} receipt={receipt}", "Drill"
        )
        number = op.ask("nightly_build_number", "Support asks for the build number of the first nightly.", by="user")
        op.bash(
            f"echo 'first nightly: build {number}' >> docs/reports.md && tail -n 2 docs/reports.md", "Write it down"
        )
        self.round()
        op.enter(17, 5)
        op.user("Close it with release notes. Every id and digest as it was established, please.")
        asked = (
            ("first_bad_commit", "Which commit lost the cents?"),
            ("fix_commit", "Which commit on main fixed it?"),
            ("stable_sha256", "What is the digest of the release?"),
            ("stable_receipt", "Which receipt did the registry give for the release?"),
            ("stable_build_number", "And which build number?"),
            ("rc2_test_count", "How many tests passed on the second candidate?"),
            ("change_ticket", "Under which change ticket was it granted?"),
            ("base_sha256", "What was the digest of the very first build?"),
        )
        lines = ["# Release 2.4.0", ""]
        lines += [f"- {key.replace('_', ' ')}: {op.ask(key, question, by='user')}" for key, question in asked]
        op.write("/workspace/docs/release-2.4.0.md", "\n".join(lines) + "\n")
        self.commit("Release notes 2.4.0", "notes_commit")
        self.round()
        op.say("Released. Digests, receipts and commits are in the notes as the tools gave them.")


def play(op: Operator) -> None:
    """All stretches in order."""
    rng = op.log.ids.rng
    script = Release(op, Musing.of(rng, BUILD_THOUGHTS), Pool(rng, BUILD_REMARKS))
    script.start()
    script.features()
    script.candidate()
    script.regression()
    script.second_candidate()
    script.soak()
    script.stable()
    script.close()
