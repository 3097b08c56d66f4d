"""The world of the incident: a payments repository, two databases, a release that charges twice."""

from __future__ import annotations

import shutil

from .workbench import FIXTURES, Workbench

MIGRATE = "python3 tools/migrate.py"

UNIQUE_KEY = """CREATE UNIQUE INDEX charges_one_per_order ON charges (order_id);
INSERT INTO audit VALUES (:now, 'one charge per order');
"""
LEDGER_VIEW = """CREATE VIEW charge_ledger AS SELECT order_id, SUM(cents) AS cents FROM charges GROUP BY order_id;
INSERT INTO audit VALUES (:now, 'charge ledger view');
"""
NOISE = (
    ("opsctl GET '/deployments?service=ledger-export'", "The neighbour service, look only"),
    ("git log --stat -n 6", "Recent history with files"),
    ("find . -path ./.git -prune -o -type f -print | sort | xargs wc -l", "Sizes of the files"),
    ("opsctl GET '/flags?enabled=false'", "Flags that are off"),
    ("python3 -m unittest -v tests.test_charges", "Tests of the charge path"),
    ("git ls-files -s", "Tracked files"),
    ("cat db/migrations/*.sql", "The migrations as text"),
)
NEW_TEST = """
    def test_retry_v2_charges_once(self) -> None:
        self.assertEqual(self.rows(True, 1), 60)

"""


def prepare(bench: Workbench) -> None:
    """The workspace as the operator finds it: a repository with history, two databases, a running release."""
    source, root = FIXTURES / "payments", bench.workspace
    for folder in ("app", "tools", "tests", "db/migrations", "docs"):
        (root / folder).mkdir(parents=True)
    places = {
        "migrate.py": "tools", "traffic.py": "tools", "dedupe.py": "tools",
        "charges.py": "app", "test_charges.py": "tests",
    }  # fmt: skip
    for name, folder in places.items():
        shutil.copyfile(source / f"{name}.txt", root / folder / name)
    shutil.copyfile(source / "RUNBOOK.md", root / "docs" / "RUNBOOK.md")
    for name in ("app", "tests"):
        (root / name / "__init__.py").write_text("", encoding="utf-8")
    (root / ".gitignore").write_text("db/*.db\ndb/backups/\n__pycache__/\n", encoding="utf-8")
    (root / "VERSION").write_text("1.8.2\n", encoding="utf-8")
    quiet = [
        "git init -q . && git add app tests docs VERSION .gitignore && git commit -q -m 'Payments service 1.8.2'",
        "git add tools && git commit -q -m 'Tools for migrations and synthetic traffic'",
    ]
    for path in sorted((source / "migrations").glob("*.sql")):
        shutil.copyfile(path, root / "db" / "migrations" / path.name)
        quiet.append(f"git add db/migrations/{path.name} && git commit -q -m 'Migration {path.stem}'")
    quiet += [
        "git tag v1.8.2 && echo 1.8.3 > VERSION && git commit -q -a -m 'Retry v2: a key per attempt' && git tag v1.8.3",
        f"{MIGRATE} up --db staging --quiet && {MIGRATE} up --db production --quiet",
        "python3 tools/traffic.py --db production --orders 400 --seed 11",
        "python3 tools/traffic.py --db production --orders 600 --seed 12 --retry-v2",
        "python3 tools/traffic.py --db staging --orders 120 --seed 13",
        "opsctl POST /deployments service=payments version=1.8.2",
        "opsctl POST /deployments service=ledger-export version=0.9.7",
        "opsctl POST /deployments service=payments version=1.8.3",
        "opsctl PUT /flags/retry_v2 enabled=true && opsctl PUT /flags/async_receipts enabled=false",
        "opsctl PUT /flags/strict_currency enabled=true rollout=50",
    ]
    for command in quiet:
        bench.must(command)
