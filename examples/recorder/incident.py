"""The 40-hour incident: customers are charged twice after a release, and a migration must make that impossible.

This is its second half: the release, the refunds, the review. `incident_opening` has the first, `incident_world` the
workspace as the operator finds it.
"""

from __future__ import annotations

from .incident_opening import Opening
from .incident_world import LEDGER_VIEW, MIGRATE, prepare
from .prose import INCIDENT_REMARKS, INCIDENT_THOUGHTS, Musing, Pool
from .scripted import Operator

__all__ = ["SEED", "SESSION_ID", "START", "TITLE", "play", "prepare"]

TITLE = "Incident response on a payments service, 40 hours."
SESSION_ID = "6f0b1c52-1d0e-4c7a-9a51-2f6f3b0a4001"
START = "2026-03-02T06:00:00+00:00"
SEED = 4201


class Incident(Opening):
    """The whole script."""

    def epoch_5(self) -> None:
        """A rebase with a conflict, a tag, the canary."""
        op = self.op
        op.user(
            "Release the fix as a canary when main is merged. Somebody bumped VERSION on main meanwhile, be careful."
        )
        op.bench.author = "colleague"
        op.bench.must(
            "git checkout -q main && echo 1.8.4-dev > VERSION && git commit -q -a -m 'Open 1.8.4 development'"
            " && git checkout -q fix/stable-idempotency-key"
        )
        op.bench.author = "operator"
        op.write("/workspace/VERSION", "1.8.4\n")
        op.bash("git commit -q -a -m 'Version 1.8.4' && git log --oneline --all --graph", "Version for the release")
        op.think("Main has a version bump of its own. A rebase will conflict in that one file, and ours wins.")
        op.bash("git rebase main", "Rebase onto main", fails=True)
        op.bash("git status --short && git diff", "Where it conflicts", fails=False)
        op.write("/workspace/VERSION", "1.8.4\n")
        op.bash("git add VERSION && git rebase --continue", "Resolve and go on")
        op.bash("python3 -m unittest tests.test_charges", "Tests after the rebase")
        op.bash(
            "git checkout -q main && git merge --no-ff -m 'Merge the idempotency fix' fix/stable-idempotency-key",
            "Merge into main",
        )
        op.log.branch = "main"
        answer = op.bash("git log -n 1 --format=%H --grep='Idempotency key' main", "The fix as it is on main")
        op.learn(answer, "fix_commit", r"([0-9a-f]{40})", entity="main")
        op.bash("git tag -a v1.8.4 -m 'Payments 1.8.4' && git tag -n", "Tag the release")
        op.think(self.thoughts.draw())
        op.bash(
            "opsctl POST /deployments service=payments version=1.8.4 percent=10 database=production expected_schema=6",
            "Deploy a canary with the schema noted at the beginning", fails=True,
        )  # fmt: skip
        op.think(
            "A schema mismatch. I used the figure from the very first look at production, and production has moved on "
            "since. The runner's own output is what counts, not what I remember."
        )
        schema = op.ask("schema_version", "What schema version are we on, after the migration went through?")
        answer = op.bash(
            "opsctl POST /deployments service=payments version=1.8.4 percent=10 database=production "
            f"expected_schema={schema}",
            "Deploy the canary",
        )
        op.learn(answer, "canary_deployment_id", r'"deployment_id": "([^"]+)"', entity="payments 1.8.4")
        self.round(110)
        op.long(
            "python3 tools/traffic.py --db production --orders 220 --seed 14 --verbose",
            "Synthetic traffic through the canary", after=6,
        )  # fmt: skip
        self.round(111)

    def epoch_6(self) -> None:
        """Promotion, against a config that somebody else has changed."""
        op = self.op
        op.user("Canary looks fine from here. Promote to half when you are satisfied.")
        op.think(self.thoughts.draw())
        op.bench.must("opsctl PUT /config batch_size=40")
        config = op.ask(
            "config_version", "Promotion is guarded by the config version. Which one did our last write give?"
        )
        canary = op.ask("canary_deployment_id", "And which deployment is the canary?")
        op.bash(
            f"opsctl POST /deployments/{canary}/promote percent=50 if_config_version={config}",
            "Promote to half", fails=True,
        )  # fmt: skip
        op.think("Refused: the config has moved on. Somebody changed it, so I read it before anything else.")
        answer = op.bash("opsctl GET /config", "What changed in the config")
        version = op.learn(answer, "config_version", r'"config_version": (\d+)')
        op.say(
            "Only the batch size changed, which does not concern the charge path. I promote against the new version."
        )
        op.bash(f"opsctl POST /deployments/{canary}/promote percent=50 if_config_version={version}", "Promote to half")
        self.round(112)
        lease = op.ask("lease_id", "The lease is due again. Which lease is it that we hold on the database?")
        token = op.ask("fencing_token", "With which fencing token?")
        op.bash(f"opsctl POST /leases/{lease}/renew fencing_token={token}", "Renew the lease")
        old = op.ask("rolled_back", "Is the release that we rolled back still stopped? Which deployment was that?")
        op.bash(f"opsctl GET /deployments/{old}", "State of the stopped release")
        self.round(113)
        op.bash("python3 tools/traffic.py --db production --orders 150 --seed 15", "Traffic totals on production")
        op.fetch("/deploymentz", "Deployments as a page", fails=True)
        op.fetch("/deployments", "Deployments as a page")
        self.round(114)

    def epoch_7(self) -> None:
        """Full traffic, refunds, restore drill."""
        op = self.op
        op.user("Refunds wants a file for the quarantined charges today. And do the restore drill on the backup.")
        op.think(self.thoughts.draw())
        run = op.ask("quarantine_run", "Under which run id did the quarantine file those rows?")
        answer = op.bash(
            "python3 - <<'PY'\nimport csv, sqlite3\ndb = sqlite3.connect('db/production.db')\n"
            f"found = db.execute(\"SELECT id, order_id, cents FROM charges_quarantine WHERE run = '{run}'\")\n"
            "rows = found.fetchall()\n"
            "with open('docs/refunds.csv', 'w', newline='') as sink:\n    csv.writer(sink).writerows(rows)\n"
            "print(f'refund file written: docs/refunds.csv rows={len(rows)}')\nPY\nsha256sum docs/refunds.csv",
            "Write the refund file",
        )
        op.learn(answer, "refund_file_sha256", r"([0-9a-f]{64})", entity="docs/refunds.csv")
        moved = op.ask("rows_moved", "Does that agree with what the quarantine run reported as moved?", by="user")
        op.bash(
            f"test $(wc -l < docs/refunds.csv) -eq {moved} && echo 'row count agrees'",
            "Compare with the report of the quarantine run",
        )
        op.bash("head -n 40 docs/refunds.csv", "A look at the file")
        self.round(115)
        digest = op.ask(
            "backup_rows_sha256", "The restore drill: what was the digest of the rows when we took the backup?"
        )
        path = op.ask("backup_path", "And where did the backup go?")
        op.bash(f"{MIGRATE} verify {path} --digest {digest}", "Verify the backup")
        self.round(116)
        canary = op.ask("canary_deployment_id", "Full traffic now. Which deployment do we promote?")
        config = op.ask("config_version", "Against which config version, the last one that was read?")
        op.bash(
            f"opsctl POST /deployments/{canary}/promote percent=100 if_config_version={config}", "Promote to everything"
        )
        self.round(117)

    def epoch_8(self) -> None:
        """Hardening on staging, and the flag back on in a small step."""
        op = self.op
        op.user("Prepare the ledger view as a migration, on staging only. And turn the retry flag on for five percent.")
        op.write("/workspace/db/migrations/0043_charge_ledger.sql", LEDGER_VIEW)
        op.think(
            "Staging only. The earlier approval was for one change on production and does not cover this one, so "
            "production stays where it is."
        )
        answer = op.bash(f"{MIGRATE} up --db staging", "Apply the view on staging")
        op.learn(answer, "schema_version_staging", r"migration 0043 applied, schema version = (\d+)", entity="staging")
        op.bash(
            "git add -A && git commit -q -m 'Migration 0043: charge ledger view' && git log --oneline -n 5", "Commit"
        )
        self.round(118)
        revision = op.ask("flag_revision", "Which revision did the retry flag get when we switched it off?")
        answer = op.bash(
            f"opsctl PUT /flags/retry_v2 enabled=true rollout=5 if_revision={revision}",
            "Five percent of the retry flag",
        )
        op.learn(answer, "flag_revision", r'"flag_revision": (\d+)', entity="retry_v2")
        incident = op.ask("incident_id", "That changes production, so there has to be a note. On which incident?")
        op.bash(f"opsctl POST /incidents/{incident}/notes text='1.8.4 everywhere, retry_v2 at 5'", "Note")
        op.bash(
            "python3 tools/traffic.py --db production --orders 180 --seed 16 --retry-v2", "Retry path on production"
        )
        check = op.ask(
            "migration_checksum", "Is the index migration still the file that we applied? We noted its checksum."
        )
        op.bash(
            f"echo '{check}  db/migrations/0042_one_charge_per_order.sql' | sha256sum --check", "Compare the checksum"
        )
        self.round(119)
        self.round(120)

    def epoch_9(self) -> None:
        """Close: release the lease, resolve, write the review."""
        op = self.op
        op.user("Wrap it up, please: lease, incident, review. I need the exact ids in the review.")
        op.think(self.thoughts.draw())
        lease = op.ask("lease_id", "Which lease do we have to give back?")
        token = op.ask("fencing_token", "And its fencing token?")
        op.bash(f"opsctl POST /leases/{lease}/release fencing_token={token}", "Release the lease")
        incident = op.ask("incident_id", "Which incident do we resolve?")
        commit = op.ask("fix_commit", "And which commit on main carries the fix?")
        op.bash(f"opsctl POST /incidents/{incident}/resolve commit={commit}", "Resolve the incident")
        self.round(121)
        op.user("For the review I need the figures as they were established, not from memory.")
        asked = (
            ("rolled_back", "Which deployment did we roll back?"),
            ("rollback_deployment_id", "Which deployment took its place?"),
            ("duplicate_rows", "How many duplicate rows did the first count find on production?"),
            ("refund_total_cents", "What was the refund total of the second count?"),
            ("change_ticket", "Which change ticket came with the grant?"),
            ("schema_version", "What schema version is production on?"),
            ("refund_file_sha256", "What is the digest of the refund file?"),
        )
        lines = ["# Review: orders charged twice", ""]
        lines += [f"- {key.replace('_', ' ')}: {op.ask(key, question, by='user')}" for key, question in asked]
        op.write("/workspace/docs/REVIEW.md", "\n".join(lines) + "\n")
        op.bash("git add -A docs && git commit -q -m 'Review of the incident' && git log --oneline -n 8", "Commit")
        op.bash(f"{MIGRATE} status --db production", "Last look at production")
        self.round(122)
        op.say("Closed. The lease is given back, the incident is resolved, and the review names every id it relies on.")


def play(op: Operator) -> None:
    """All epochs in order."""
    rng = op.log.ids.rng
    script = Incident(op, Musing.of(rng, INCIDENT_THOUGHTS), Pool(rng, INCIDENT_REMARKS))
    chapters = (
        script.epoch_0, script.epoch_1, script.epoch_2, script.epoch_3, script.epoch_4,
        script.epoch_5, script.epoch_6, script.epoch_7, script.epoch_8, script.epoch_9,
    )  # fmt: skip
    for number, chapter in enumerate(chapters):
        if number:
            op.enter(number, 4 + 3 * (number % 3))
        chapter()
