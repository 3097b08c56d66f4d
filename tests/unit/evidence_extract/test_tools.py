"""What tools print, by tool: every assertion of each text. Expected values follow SPEC §4.

An expectation is `key=value:type`, in the order of the text.
"""

from __future__ import annotations

import pytest

from policylang.evidence.extract import extract
from policylang.evidence.extraction import lines, scan

SHA1 = "3f9ac1d07b2e5c8a9d4410f6be77a2c5d8e90b13"
SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
MD5 = "9e107d9d372bb6826bd81d3542a419d6"
UUID = "0b9e3a52-77c1-4f0e-9d6e-2f1a8c4b7d10"

TOOLS: dict[str, list[tuple[str, str]]] = {
    "python objects": [
        ("{'schema_version': 7, 'ok': True, 'id': 'dep-9f31'}",
         "schema_version=7:version ok=true:boolean id=dep-9f31:id"),
        ("result: {'rows': 12, 'name': 'Ann Lee'}", "row=12:count"),
        ("[{'id': 'a-17', 'qty': 2}, {'id': 'a-18', 'qty': 3}]", "id=a-17:id qty=2:number id=a-18:id qty=3:number"),
        ("Foo(a=1, b='x', ok=False)", "a=1:number ok=false:boolean"),
        ("namespace(port=8080, debug=True)", "port=8080:port debug=true:boolean"),
        ("got Point(x=1.5, y=-2)", "x=1.5:number y=-2:number"),
        ("Order(id='ord-17', total=Decimal('12.50'))", "id=ord-17:id total=12.5:number"),
        ("Counter({'a_b': 3, 'b': 1})", "a_b=3:number b=1:number"),
        ("OrderedDict([('depth', 3), ('width', 4)])", "depth=3:number width=4:number"),
        ("{'created': datetime.datetime(2026, 12, 1, 10, 0)}", "created=2026-12-01T10:00:\
00:timestamp"),
        ("{'job': {'id': 'job-7', 'status': 'done', 'retries': 2}}", "id=job-7:id status=done:enum retry=2:count"),
        ("{'a': 1,\n 'b': {'depth': 2},\n 'ok': True}", "a=1:number depth=2:number ok=true:boolean"),
        ("{'path': PosixPath('/srv/app'), 'size': 10}", "path=/srv/app:path size=10:number"),
        ("<Response [200]>", "response=200:http_status"),
        ("{'state': <State.RUNNING: 'running'>}", "state=running:enum"),
    ],
    "objects of other languages": [
        ("{ depth: 3, ok: true, id: 'job-17' }", "depth=3:number ok=true:boolean id=job-17:id"),
        ('Config { port: 8080, debug: false, name: "x y" }', "port=8080:port debug=false:boolean"),
        ("{:depth=>3, :ok=>true}", "depth=3:number ok=true:boolean"),
        ("map[depth:3 width:4]", "depth=3:number width=4:number"),
        ('Some(Config { retries: 3 })', "retry=3:count"),
    ],
    "pairs": [
        ("peak_discharge: 472.7 m3/s", "peak_discharge=472.7:number"),
        ("speed: 12 km/h", "speed=12:number"),
        ("max temperature: 21.5 °C, min temperature: 3 °C", "max_temperature=21.5:number min_temperature=3:number"),
        ("Max queue depth: 42 items", "max_queue_depth=42:number"),
        ("Loss: 0.1234 | Accuracy: 98.2%", "loss=0.1234:number accuracy=98.2%:number"),
        ("epoch 3: loss=0.12, acc=0.98", "loss=0.12:number acc=0.98:number"),
        ("queue_depth=42 lag=1.5s ok=true", "queue_depth=42:number lag=1.5:duration ok=true:boolean"),
        ("  port ........ 8080", ""),
        ("* retries: 3", "retry=3:count"),
        ("Total rows: 1,234", "total_row=1234:count"),
        ("PORT=8080", "port=8080:port"),
        ("HOME=/root", "home=/root:path"),
        ("the region is eu-west-1", "region=eu-west-1:enum"),
        ("Environment: staging", "environment=staging:enum"),
        ("deploy_env=prod", "deploy_env=prod:enum"),
        ("build result: SUCCESS", "build_result=success:enum"),
        ("mean = 3.5 ± 0.1", "mean=3.5:number"),
        ("RMSE = 0.0123", "rmse=0.0123:number"),
        ("Elapsed time: 3.2 seconds", "elapsed_time=3.2:duration"),
        ("size: 4.5 MB", "size=4500000:size"),
        ("started at: 2026-12-01 10:00:00", "started_at=2026-12-01T10:00:\
00:timestamp"),
    ],
    "http": [
        ("HTTP/2 204", "http_status=204:http_status"),
        ("< HTTP/1.1 404 Not Found", "http_status=404:http_status"),
        ("Content-Length: 1234", "content_length=1234:number"),
        ("Server: nginx/1.22.1", "version=1.22.1:version"),
        ("Date: Tue, 01 Dec 2026 10:00:00 GMT", "date=Tue,_01_Dec_2026_10:00:\
00_GMT:timestamp"),
        ("http_code=200 time_total=0.123", "http_code=200:http_status time_total=0.123:number"),
        ("HTTP status: 503", "http_status=503:http_status"),
        ('127.0.0.1 - - [01/Dec/2026 10:00:00] "GET / HTTP/1.1" 200 -', "http_status=200:http_status"),
        ("Response code: 201", "response_code=201:http_status"),
    ],
    "test runners": [
        ("======= 12 passed, 1 failed, 2 skipped in 0.34s =======",
         "passed=12:count failed=1:count skipped=2:count duration=0.34:duration"),
        ("collected 14 items", "item=14:count"),
        ("collected 14 items / 2 deselected / 12 selected", "item=14:count deselected=2:count selected=12:count"),
        ("1 failed, 3 passed, 2 warnings, 1 error in 1.20s",
         "failed=1:count passed=3:count warning=2:count error=1:count duration=1.2:duration"),
        ("Ran 42 tests in 0.123s\n\nFAILED (failures=1, errors=2)",
         "test=42:count duration=0.123:duration failure=1:count error=2:count"),
        ("OK (skipped=3)", "skipped=3:count"),
        ("Tests:       1 failed, 11 passed, 12 total", "failed=1:count passed=11:count total=12:count"),
        ("Test Suites: 2 passed, 2 total\nTime:        1.234 s",
         "passed=2:count total=2:count time=1.234:duration"),
        ("Snapshots:   0 total", "total=0:count"),
        ("  12 passing (34ms)\n  1 failing", "passing=12:count failing=1:count"),
        (" Test Files  2 passed (2)\n      Tests  12 passed (12)", "passed=2:count passed=12:count"),
        ("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
         "test_result=ok:enum passed=12:count failed=0:count ignored=1:count measured=0:count filtered_out=0:count "
         "duration=0.01:duration"),
        ("Tests run: 12, Failures: 0, Errors: 1, Skipped: 2",
         "test_run=12:count failure=0:count error=1:count skipped=2:count"),
        ("12 examples, 0 failures, 1 pending", "example=12:count failure=0:count pending=1:count"),
        ("100% tests passed, 0 tests failed out of 12", "failed=0:count"),
        ("OK (12 tests, 24 assertions)", "test=12:count assertion=24:count"),
        ("Tests: 5, Assertions: 9, Failures: 1.", "test=5:count assertion=9:count failure=1:count"),
        ("# tests 12\n# pass 11\n# fail 1", "test=12:count pass=11:count fail=1:count"),
        ("coverage: 85.7% of statements", "coverage=85.7%:number"),
        ("Failed:     0, Passed:    12, Skipped:     0, Total:    12",
         "failed=0:count passed=12:count skipped=0:count total=12:count"),
        (" 12 pass\n 0 fail\n 24 expect() calls", "pass=12:count fail=0:count"),
        ("ok | 12 passed | 0 failed (34ms)", "passed=12:count failed=0:count"),
    ],
    "package managers": [
        ("flask==3.0.0", "version=3.0.0:version"),
        ("Package    Version\n---------- -------\nflask      3.0.0\njinja2     3.1.2",
         "flask=3.0.0:version jinja2=3.1.2:version"),
        ("Collecting flask==3.0.0", "version=3.0.0:version"),
        ("added 12 packages, and audited 13 packages in 3s", "package=12:count package=13:count duration=3:duration"),
        ("+ left-pad@1.3.0", "version=1.3.0:version"),
        ("found 0 vulnerabilities", "vulnerability=0:count"),
        ("yarn install v1.22.19", "version=1.22.19:version"),
        ("    Adding serde v1.0.193 to dependencies", "version=1.0.193:version"),
        ("0 upgraded, 3 newly installed, 0 to remove and 12 not upgraded.",
         "upgraded=0:count installed=3:count"),
        ("go: downloading github.com/x/y v1.2.3", "version=1.2.3:version"),
        ("go: added github.com/x/y v1.2.3", "version=1.2.3:version"),
        ("Using rake 13.0.6", "version=13.0.6:version"),
        ("  - Installing acme/tool (v1.2.3): Extracting archive", "version=1.2.3:version"),
        (" + flask==3.0.0", "version=3.0.0:version"),
        ("Installed 12 packages in 34ms", "package=12:count duration=0.034:duration"),
        ("Python 3.12.3", "version=3.12.3:version"),
        ("git version 2.39.2", "git_version=2.39.2:version"),
        ("Docker version 24.0.7, build afdd53b", "docker_version=24.0.7:version build=afdd53b:id"),
        ("psql (PostgreSQL) 15.4", "version=15.4:version"),
        ("nginx version: nginx/1.22.1", "nginx_version=1.22.1:version"),
        ("gcc (Debian 12.2.0-14) 12.2.0", "version=12.2.0-14:version version=12.2.0:version"),
        ("rustc 1.74.0 (79e9716c9 2023-11-13)", "version=1.74.0:version"),
        ("go version go1.21.3 linux/amd64", "version=1.21.3:version"),
        ('openjdk version "17.0.9" 2023-10-17', "openjdk_version=17.0.9:version"),
        ("Name: flask\nVersion: 3.0.0\nLocation: /usr/lib/python3",
         "version=3.0.0:version location=/usr/lib/python3:path"),
    ],
    "git": [
        (SHA1, f"commit={SHA1}:id"),
        ("3f9ac1d", "commit=3f9ac1d:id"),
        ("[main (root-commit) 3f9ac1d] first", "commit=3f9ac1d:id"),
        ("[detached HEAD 3f9ac1d] fix", "commit=3f9ac1d:id"),
        ("## main...origin/main [ahead 1, behind 2]", "branch=main:enum ahead=1:count behind=2:count"),
        ("Your branch is ahead of 'origin/main' by 1 commit.", "commit=1:count"),
        ("* main 3f9ac1d fix the build", "commit=3f9ac1d:id"),
        ("branch 'fix/a' set up to track 'origin/fix/a'.", "branch=fix/a:enum"),
        ("Saved working directory and index state WIP on main: 3f9ac1d fix", "commit=3f9ac1d:id"),
        ("Deleted branch old (was 3f9ac1d).", "commit=3f9ac1d:id"),
        (" * [new branch]      fix -> fix", ""),
        (" * [new tag]         v1.2.3 -> v1.2.3", "tag=1.2.3:version"),
        (f"{SHA1}\trefs/heads/main", f"commit={SHA1}:id"),
        ("origin\thttps://example.org/a.git (fetch)", "remote=https://example.org/a.git:url"),
        ("commit " + SHA1, f"commit={SHA1}:id"),
        ("v1.2.3-4-g3f9ac1d", "version=1.2.3-4-g3f9ac1d:version"),
        ("/srv/app  3f9ac1d [main]", "commit=3f9ac1d:id"),
        ("Merge made by the 'ort' strategy.", ""),
        ("HEAD detached at 3f9ac1d", "commit=3f9ac1d:id"),
        ("Updating 3f9ac1d..a1b2c3d", ""),
    ],
    "checksums and ids": [
        (f"{SHA256}  dist/app.tar.gz", f"sha256={SHA256}:checksum"),
        (f"{MD5}  -", f"md5={MD5}:checksum"),
        (f"SHA256 (dist/app.tar.gz) = {SHA256}", f"sha256={SHA256}:checksum"),
        (f"MD5(app.tar)= {MD5}", f"md5={MD5}:checksum"),
        (f"Digest: sha256:{SHA256}", f"digest={SHA256}:checksum"),
        (SHA256, f"sha256={SHA256}:checksum"),
        (UUID, f"uuid={UUID}:id"),
        ("arn:aws:s3:::bucket/key", "arn=arn:aws:s3:::bucket/key:id"),
        ("finding F-0001 recorded", "finding=F-0001:id"),
        ("Build #123 started", "build=#123:id build=started:state"),
        ("Created issue OPS-41 (high)", "issue=OPS-41:id"),
        ("request_id=req_8a7f3 trace_id=4bf92f3577b34da6", "request_id=req_8a7f3:id trace_id=4bf92f3577b34da6:id"),
        ("Successfully built 3f9ac1d07b2e", "image=3f9ac1d07b2e:id"),
    ],
    "exits": [
        ("make: *** [Makefile:3: all] Error 2", "exit_code=2:exit_code"),
        ("exit=0", "exit_code=0:exit_code"),
        ("EXIT: 1", "exit_code=1:exit_code"),
        ("rc=3", "exit_code=3:exit_code"),
        ("[exit 1]", "exit_code=1:exit_code"),
        ("Command 'x' returned non-zero exit status 1.", "exit_code=1:exit_code"),
        ("Process finished with exit code 0", "exit_code=0:exit_code"),
        ("npm ERR! errno 1", ""),
        ("ExitCode: 137", "exit_code=137:exit_code"),
        ("exit status: 2", "exit_code=2:exit_code"),
    ],
    "databases": [
        (" id | status | depth \n----+--------+-------\n  1 | ok     |    42\n(1 row)",
         "id=1:id status=ok:enum depth=42:number row=1:count"),
        ("+----+--------+-------+\n| id | status | depth |\n+----+--------+-------+\n|  1 | ok     |    42 |\n"
         "+----+--------+-------+\n1 row in set (0.00 sec)",
         "id=1:id status=ok:enum depth=42:number row=1:count"),
        ("┌────┬────────┬───────┐\n│ id │ status │ depth │\n├────┼────────┼───────┤\n│ 1  │ ok     │ 42    │\n"
         "└────┴────────┴───────┘", "id=1:id status=ok:enum depth=42:number"),
        ("id|status|depth\n1|ok|42\n2|bad|43",
         "id=1:id status=ok:enum depth=42:number id=2:id status=bad:enum depth=43:number"),
        ("name,depth,ok\nweb,3,true\napi,4,false",
         "depth=3:number ok=true:boolean depth=4:number ok=false:boolean"),
        ("Query OK, 3 rows affected (0.01 sec)", "query=ok:state row=3:count"),
        ("INSERT 0 3", "row=3:count"),
        ("UPDATE 12", "row=12:count"),
    ],
    "migrations": [
        ("  Applying auth.0001_initial... OK", "migration=ok:state"),
        (" [X] 0001_initial", "migration=applied:state"),
        ('Successfully applied 3 migrations to schema "public", now at version v7',
         "migration=3:count version=7:version"),
        ('Current version of schema "public": 7', "version=7:version"),
        ("INFO  [alembic.runtime.migration] Running upgrade 1975ea83b712 -> ae1027a6acf3, add col",
         "revision=ae1027a6acf3:id"),
        ("ae1027a6acf3 (head)", "revision=ae1027a6acf3:id"),
        ("== 20261201101010 CreateUsers: migrated (0.0123s) ====", "migration=migrated:state"),
    ],
    "services": [
        ("deployment.apps/web created", "deployment=created:state"),
        ("service/web unchanged", "service=unchanged:state"),
        ("   Active: active (running) since Tue 2026-12-01 10:00:00 UTC", "active=active:state"),
        (" Main PID: 1234 (nginx)", "main_pid=1234:number"),
        ("Apply complete! Resources: 3 added, 1 changed, 0 destroyed.",
         "added=3:count changed=1:count destroyed=0:count"),
        ("aws_instance.web: Creation complete after 32s [id=i-0abc1234]", "duration=32:duration id=i-0abc1234:id"),
        ('public_ip = "10.1.2.3"', "public_ip=10.1.2.3:ip"),
        ("Status: Downloaded newer image for app:latest", ""),
    ],
    "compilers": [
        ("2 errors generated.", "error=2:count"),
        ("Found 3 errors in 2 files (checked 12 source files)", "error=3:count file=2:count file=12:count"),
        ("Success: no issues found in 12 source files", "file=12:count"),
        ("✖ 3 problems (1 error, 2 warnings)", "problem=3:count error=1:count warning=2:count"),
        ("✓ 34 modules transformed.", "module=34:count"),
        ("✓ built in 1.23s", "duration=1.23:duration"),
        ("error: aborting due to 3 previous errors", "error=3:count"),
        ("2 files reformatted, 3 files left unchanged.", "file=2:count file=3:count"),
    ],
    "log lines": [
        ("2026-12-01 10:00:00,123 - app - INFO - queue_depth: 42", "queue_depth=42:number"),
        ("[10:00:00] INFO retries: 3", "retry=3:count"),
        ("INFO:root:schema_version=7", "schema_version=7:version"),
        ("Dec  1 10:00:00 box app[123]: queue depth: 42", "queue_depth=42:number"),
        ('time=2026-12-01T10:00:00Z level=info msg="done" rows=3', "time=2026-12-01T10:00:\
00Z:timestamp msg=done:state row=3:count"),
        ("[2026-12-01T10:00:00Z INFO  app::db] schema version: 7", "schema_version=7:version"),
        ("[INFO] Processed 120 records", "record=120:count"),
    ],
    "labels": [
        ("Test passed: True", "test_passed=true:boolean"),
        ("Is connected: False, retries: 3", "connected=false:boolean retry=3:count"),
        ("Build succeeded: yes", "build_succeeded=true:boolean"),
        ("settings.json exists: True", "exist=true:boolean"),
        ("Errors found: 0", "error_found=0:number"),
        ("Overall: PASS", "overall=pass:state"),
        ("Total: $1,234.50", "total=1234.5:number"),
        ("Balance: -$5.00", "balance=-5:number"),
        ("### 0-ReviewPR47 — running", "state=running:state"),
        ("UNIQUE constraint failed: orders.id", "unique_constraint=failed:state"),
        ("ids: ['a-17', 'a-18']", "id=a-17:id id=a-18:id"),
    ],
    "releases": [
        ("A new release of pip: 23.0.1 -> 23.2.1", "pip_new_release=23.2.1:version"),
        ("Requirement already satisfied: six<2 in /usr/lib (from -r reqs.txt (line 1)) (1.16.0)",
         "version=1.16.0:version"),
        ("ruby 3.0.2p107 (2021-07-07)", "version=3.0.2p107:version"),
        ("├── left-pad@1.3.0", "version=1.3.0:version"),
        ("docutils: 0.16", "docutil=0.16:version"),
        ("Bumping version 0.1.0 → 0.2.0", "version=0.2.0:version"),
        ("Successfully tagged app:1.2.3", "version=1.2.3:version"),
        ('{"artifact": "ledgerkit@2.4.0rc1"}', "artifact=2.4.0rc1:version"),
    ],
    "names that stand alone": [
        ("session 3f2a9c1d is open", "session=3f2a9c1d:id session=open:state"),
        ("Pushed 3f9ac1d to origin/main", "commit=3f9ac1d:id"),
        ("agentId: a1b2c3d (for later)", "agent_id=a1b2c3d:id"),
        ("ee85fdf Merge the fix", "commit=ee85fdf:id"),
        ("0036  sha256:d10b486c9aa2f3f4  ok", "sha256=d10b486c9aa2f3f4:checksum"),
    ],
    "writes": [
        ("Wrote 3 files to out/report", "file=3:count write=out/report:write"),
        ("saved model to /tmp/model.pt", "write=/tmp/model.pt:write"),
        ("Saved figure: plots/a.png", "write=plots/a.png:write"),
        ("Results written to results.json", "write=results.json:write"),
        ("Output saved in '/tmp/out.csv'", "write=/tmp/out.csv:write"),
        ("Creating /etc/app.conf", ""),
    ],
}  # fmt: skip

NOTHING = [
    "Set `use_cache=True` to silence this warning.",
    "The default value of regex will change from True to False in a future version.",
    "  --verbose    print more (default: False)",
    "connect(host, retries=3)",
    "E       assert {'a': 1} == {'a': 2}",
    ">>> foo(a=True)",
    "do you want to go on? [y/N]: y",
    "there is no such file or directory",
    "x is not callable",
    "if enabled: true then go on",
    "this is available on all platforms",
    "the server is running on your machine",
    "usage: app [--depth=3] file",
]


def _expected(spec: str) -> list[tuple[str, str, str]]:
    rows = []
    for part in spec.split():
        key, rest = part.split("=", 1)
        value, type_ = rest.rsplit(":", 1)
        rows.append((key, value.replace("_", " ") if type_ == "timestamp" else value, type_))
    return rows


CASES = [(text, expected) for rows in TOOLS.values() for text, expected in rows]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_what_a_tool_prints(text: str, expected: str) -> None:
    found = [(a.key, a.value, a.type) for a in extract(text, kind="tool_result").assertions]
    assert found == _expected(expected)


@pytest.mark.parametrize("text", NOTHING)
def test_code_help_and_questions_assert_nothing(text: str) -> None:
    assert [(a.key, a.value) for a in extract(text, kind="tool_result").assertions] == []


@pytest.mark.parametrize("text", [*(text for text, _ in CASES), *NOTHING])
def test_the_scan_lets_through_every_line_that_holds_a_fact(text: str) -> None:
    for line in text.split("\n"):
        assert not line.strip() or not lines.read(line, 0) or scan.may_hold(line)
