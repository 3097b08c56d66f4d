"""The first half of the incident: triage, mitigation, the fix, and two attempts at a migration."""

from __future__ import annotations

from dataclasses import dataclass

from .incident_world import MIGRATE, NEW_TEST, NOISE, UNIQUE_KEY
from .prose import Musing, Pool
from .scripted import Operator


@dataclass(slots=True)
class Opening:
    """The first twenty hours, one method an epoch."""

    op: Operator
    thoughts: Musing
    remarks: Pool

    def round(self, seed: int, orders: int = 60) -> None:
        """The operator's regular look at everything: long listings, little news."""
        op = self.op
        op.wait(24 + seed % 9)
        op.think(self.thoughts.draw())
        op.say(self.remarks.draw())
        command, why = NOISE[seed % len(NOISE)]
        op.together(op.shell("opsctl GET /health", "Health of the control plane"), op.shell(command, why))
        op.think(self.thoughts.draw())
        op.bash(f"python3 tools/traffic.py --db staging --orders {orders} --seed {seed} --verbose", "Synthetic traffic")

    def human_grants(self, approval: str) -> None:
        """The service owner's click, made outside of the session."""
        self.op.bench.must(f"opsctl POST /approvals/{approval}/grant by=payments-owner")

    def epoch_0(self) -> None:
        """Triage: what runs, what is broken, take the lease."""
        op = self.op
        op.user(
            "Customers report that they were charged twice since this morning's release. You are on call for payments "
            "for the next two days. Standing instructions: never run migrations on production without asking me. "
            "Never delete rows from charges without a quarantine. Post a note on the incident whenever the state of "
            "production changes. Do not touch ledger-export."
        )
        op.think(
            "Two days of on-call with clear limits. First the runbook, then the state: which deployment runs, which "
            "flags are on, what schema version the databases have. Nothing is to be changed before that is known."
        )
        op.say("I will read the runbook and get an overview first.")
        op.together(
            op.reading("/workspace/docs/RUNBOOK.md"),
            op.shell("git log --oneline --decorate", "History"),
            op.shell("git status --short --branch", "Working tree"),
        )
        answer = op.bash(
            "opsctl POST /incidents severity=2 title='Orders charged twice since 1.8.3'", "Open the incident"
        )
        op.learn(answer, "incident_id", r'"incident_id": "([^"]+)"')
        op.say("Now the deployments and the flags, side by side.")
        listed, flags = op.together(
            op.shell("opsctl GET '/deployments?service=payments'", "List deployments"),
            op.shell("opsctl GET /flags", "List feature flags"),
        )
        op.learn(
            listed, "deployment_id", r'"deployment_id": "([^"]+)",\s+"service": "payments",\s+"version": "1\.8\.3"',
            entity="payments 1.8.3",
        )  # fmt: skip
        op.learn(flags, "flag_revision", r'"retry_v2",[^}]*?"flag_revision": (\d+)', entity="retry_v2")
        op.think(
            "The release from this morning reads the retry flag, and the flag is on. That fits the reports. Next is "
            "the schema: whether a unique index on the orders is there decides how the second charge got in."
        )
        _, production = op.together(
            op.shell(f"{MIGRATE} status --db staging", "Migration status of staging"),
            op.shell(f"{MIGRATE} status --db production", "Migration status of production"),
        )
        op.learn(production, "schema_version", r"schema_version = (\d+)", entity="production")
        op.bash("opsctl GET /config", "Config and its version")
        op.say("Taking the lease on the payments database, as the runbook asks.")
        op.bash("opsctl POST /lease resource=payments-db holder=operator", "Take the lease", fails=True)
        op.think("The route was wrong, the collection is called leases.")
        answer = op.bash("opsctl POST /leases resource=payments-db holder=operator", "Take the lease")
        op.learn(answer, "lease_id", r'"lease_id": "([^"]+)"', entity="payments-db")
        op.learn(answer, "fencing_token", r'"fencing_token": (\d+)', entity="payments-db")
        op.read("/workspace/app/charges.py")
        op.bash("grep -rn 'retry_v2' app tools tests", "Who reads the flag")
        op.bash("git show --stat v1.8.3", "What the release changed")
        answer = op.bash("python3 tools/dedupe.py --db production --dry-run", "Count duplicates, change nothing")
        op.learn(answer, "duplicate_rows", r"duplicate_rows: (\d+)", entity="production")
        op.say(
            "The picture is clear: every retry uses a new key, so a late answer of the gateway leads to a second "
            "charge. I have the count of the duplicates and hold the lease. Next I will stop the damage."
        )
        self.round(101)

    def epoch_1(self) -> None:
        """Mitigation: flag off, rollback, backup, config."""
        op = self.op
        op.user("Go ahead with the mitigation. Rollback and flag are fine without further questions.")
        op.think(self.thoughts.draw())
        revision = op.ask("flag_revision", "The flag first. Which revision of the retry flag did the list show?")
        answer = op.bash(
            f"opsctl PUT /flags/retry_v2 enabled=false rollout=0 if_revision={revision}", "Turn the retry flag off"
        )
        op.learn(answer, "flag_revision", r'"flag_revision": (\d+)', entity="retry_v2")
        bad = op.ask(
            "deployment_id", "And the deployment that brought the new retry path: its id is in the list above."
        )
        answer = op.bash(f"opsctl POST /deployments/{bad}/rollback to=1.8.2", "Roll the release back")
        op.learn(answer, "rolled_back", r'"rolled_back": "([^"]+)"', entity="payments 1.8.3")
        op.learn(answer, "rollback_deployment_id", r'"deployment_id": "([^"]+)"', entity="payments 1.8.2")
        incident = op.ask(
            "incident_id", "A note on the incident is due, as production changed. Which incident is ours?"
        )
        op.bash(
            f"opsctl POST /incidents/{incident}/notes text='Rolled back to 1.8.2, retry_v2 off'", "Note on the incident"
        )
        op.think(
            "With the rollback done no new duplicates should appear. Before anybody works on the rows I want a backup "
            "of production, with the digest of its rows, so that a restore can be checked later."
        )
        answer = op.bash(f"{MIGRATE} backup --db production", "Back production up")
        op.learn(answer, "backup_path", r"backup written: (\S+)", entity="production")
        op.learn(answer, "backup_rows_sha256", r"rows_sha256: ([0-9a-f]{64})", entity="production")
        op.bash("ls -1 db db/backups db/migrations", "What is there now")
        self.round(102)
        answer = op.bash("opsctl GET /config", "Read the config again")
        version = op.learn(answer, "config_version", r'"config_version": (\d+)')
        op.think("The gateway timeout is too tight and makes retries likely. Raising it is a config change, guarded.")
        answer = op.bash(f"opsctl PUT /config gateway_timeout_ms=1500 if_version={version}", "Raise the timeout")
        op.learn(answer, "config_version", r'"config_version": (\d+)')
        op.fetch("/log", "What has happened on the control plane so far?")
        self.round(103)
        op.say("Mitigated: the flag is off, the old release runs, and there is a backup with a digest. Now the fix.")

    def epoch_2(self) -> None:
        """The fix on a branch; a test that fails, then passes; the migration on staging."""
        op = self.op
        op.user("Good. Fix the cause on a branch, with a test that shows it. Staging is yours.")
        op.bash("git checkout -q -b fix/stable-idempotency-key && git branch", "A branch for the fix")
        op.log.branch = "fix/stable-idempotency-key"
        op.read("/workspace/tests/test_charges.py")
        op.say("First the test that shows the problem.")
        op.edit(
            "/workspace/tests/test_charges.py",
            "\n    def test_key_depends_on_order",
            NEW_TEST + "    def test_key_depends_on_order",
        )
        op.bash("python3 -m unittest tests.test_charges", "Run the tests; the new one should fail", fails=True)
        op.think(
            "It fails for the right reason: more rows than orders. The key must depend on the order alone, whatever "
            "the attempt and whatever the flag says."
        )
        op.edit("/workspace/app/charges.py", 'f"{order}:{attempt}" if retry_v2 else order', "order", fails=False)
        op.bash("python3 -m unittest -v tests.test_charges", "Run the tests again")
        op.bash("git diff", "What changed")
        op.bash(
            "git add -A && git commit -q -m 'Idempotency key depends on the order alone' && git log --oneline -n 3",
            "Commit the fix",
        )
        answer = op.bash("git rev-parse HEAD", "Full id of the fix")
        op.learn(answer, "fix_commit", r"([0-9a-f]{40})", entity="fix/stable-idempotency-key")
        op.think(self.thoughts.draw())
        op.write("/workspace/db/migrations/0042_one_charge_per_order.sql", UNIQUE_KEY)
        answer = op.bash("sha256sum db/migrations/0042_one_charge_per_order.sql", "Checksum of the migration")
        op.learn(answer, "migration_checksum", r"([0-9a-f]{64})", entity="0042")
        answer = op.bash(f"{MIGRATE} up --db staging", "Apply it on staging")
        op.learn(answer, "schema_version", r"migration 0042 applied, schema version = (\d+)", entity="staging")
        op.bash(f"{MIGRATE} check --db staging", "Compare the checksums of what is applied")
        self.round(104)
        op.bash(
            "git add -A && git commit -q -m 'Migration 0042: one charge per order' && git log --oneline -n 4", "Commit"
        )
        op.say(
            "Staging carries the migration, and the tests are green with it. Production is next, and for that I ask."
        )
        self.round(105)

    def epoch_3(self) -> None:
        """Ask, be granted, fail on production and be rolled back."""
        op = self.op
        op.think("The standing instruction: never run migrations on production without asking. So I file the request.")
        answer = op.bash("opsctl POST /approvals change='0042 on production'", "Ask for an approval")
        approval = op.learn(answer, "approval_id", r'"approval_id": "([^"]+)"', entity="0042 on production")
        op.say("May I run the unique-index migration on production? The request is filed, staging has it already.")
        op.bash(
            f"{MIGRATE} up --db production --approval {approval}", "Not yet granted: the runner refuses", fails=True
        )
        self.round(106)
        self.human_grants(approval)
        op.user("Granted in the console. This one migration only; anything else, ask again.")
        answer = op.bash(f"opsctl GET /approvals/{approval}", "Look at the grant")
        op.learn(answer, "change_ticket", r'"change_ticket": "([^"]+)"', entity="0042 on production")
        op.think(self.thoughts.draw())
        op.bash(f"{MIGRATE} up --db production --approval {approval}", "Apply on production", fails=True)
        op.think(
            "As feared: the index cannot be built over the duplicates. The runner has rolled the transaction back. I "
            "want to see with my own eyes that production is where it was."
        )
        answer = op.bash(f"{MIGRATE} status --db production", "State of production after the rollback")
        op.learn(answer, "schema_version", r"schema_version = (\d+)", entity="production")
        op.bash(f"{MIGRATE} check --db production", "Checksums on production")
        op.read("/workspace/tools/dedupe.py")
        answer = op.bash("python3 tools/dedupe.py --db production --dry-run", "Count again")
        op.learn(answer, "refund_total_cents", r"refund_total_cents: (\d+)", entity="production")
        self.round(107)
        op.say("The duplicates must go into quarantine before the index can be built. I will prepare that run.")

    def epoch_4(self) -> None:
        """Quarantine in the background, then the migration on production."""
        op = self.op
        op.user("Quarantine is fine, you have the backup. Then try the migration again under the same approval.")
        op.think(self.thoughts.draw())
        token = op.ask("fencing_token", "The lease runs out soon. Which fencing token came with it?")
        lease = op.ask("lease_id", "And which lease id did we take on the payments database?")
        op.bash(f"opsctl POST /leases/{lease}/renew fencing_token={token}", "Renew the lease")
        job = op.background("python3 tools/dedupe.py --db production --batch 12", "Quarantine the duplicates")
        answer = op.poll(job, 3)
        op.learn(answer, "quarantine_run", r"quarantine_run: (\S+)", entity="production")
        op.think("It is moving in batches. While it runs I will look at the log rather than wait.")
        op.fetch("/log", "Is anybody else changing things at the moment?")
        answer = op.poll(job, None)
        op.learn(answer, "rows_moved", r"rows_moved: (\d+)", entity="production")
        op.bash("python3 tools/dedupe.py --db production --dry-run", "Is anything left?")
        self.round(108)
        approval = op.ask("approval_id", "Now the migration. Under which approval were we granted this change?")
        answer = op.bash(f"{MIGRATE} up --db production --approval {approval}", "Apply on production")
        op.learn(answer, "schema_version", r"migration 0042 applied, schema version = (\d+)", entity="production")
        incident = op.ask("incident_id", "Production changed, so the incident gets a note. Which one is it again?")
        op.bash(
            f"opsctl POST /incidents/{incident}/notes text='Duplicates in quarantine, unique index in place'",
            "Note on the incident",
        )
        op.bash(f"{MIGRATE} check --db production", "Checksums on production")
        self.round(109)
