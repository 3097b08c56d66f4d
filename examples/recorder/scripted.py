"""`Operator`: the words and moves of a script, each move carried out by a real tool before it is written down.

The operator remembers. `learn` reads a value out of a real result and keeps it; `ask` puts the question in words
that hold no value and hands the kept value back, and the next commands must carry it. Both are noted as ground
truth, so that a replay can tell what a compactor lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .session import Clock, Record, RecordingError, SessionWriter, span_text
from .workbench import SHOWN_ADDRESS, Ran, Workbench

MAX_CALLS_UNTIL_USED = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's result as it stands in the session."""

    call_id: str
    text: str
    error: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that has not run yet. ``run`` gives text, the structured copy and whether it is an error."""

    tool: str
    arguments: Mapping[str, Any]
    run: Callable[[], tuple[str, Any, bool]]
    fails: bool = False


@dataclass(slots=True)
class Question:
    """Where a fact was asked for, and the call that then used it."""

    epoch: int
    uuid: str
    text: str
    by: str
    used_by: str | None = None


@dataclass(slots=True)
class Fact:
    """One value that a real result established."""

    key: str
    entity: str | None
    value: str
    epoch: int
    uuid: str
    call_id: str
    asked: list[Question] = field(default_factory=list)


@dataclass(slots=True)
class Operator:
    """Runs a script against a workbench and keeps the ground truth."""

    log: SessionWriter
    bench: Workbench
    facts: dict[str, Fact] = field(default_factory=dict)
    _open: list[tuple[Fact, Question, int]] = field(default_factory=list)
    _job: int = 0

    # -- words ---------------------------------------------------------------------------------------------------
    def enter(self, epoch: int, minutes: float = 2.0) -> None:
        """Go on to an epoch of the scripted clock."""
        self.log.turn_over(int((self.log.ids.rng.random() * 40 + 5) * 1000))
        self.bench.clock.enter(epoch, minutes)

    def wait(self, minutes: float) -> None:
        """Let scripted time pass within the epoch."""
        self.bench.clock.advance(minutes * 60)

    def user(self, text: str) -> None:
        """The human speaks."""
        self._pause(20, 200)
        self.log.user(text)

    def think(self, text: str) -> None:
        """A thinking block."""
        self._pause(3, 15)
        self.log.assistant({"type": "thinking", "thinking": text, "signature": ""})

    def say(self, text: str) -> None:
        """A text block."""
        self._pause(2, 20)
        self.log.assistant({"type": "text", "text": text})

    def ask(self, key: str, question: str, *, by: str = "assistant") -> str:
        """Ask for a fact without stating it; the value comes back for the next command."""
        fact = self.facts[key]
        if fact.value in question:
            raise RecordingError(f"the question for {key} gives the answer away")
        self._pause(5, 30)
        if by == "user":
            uuid = self.log.user(question)
        else:
            uuid = self.log.assistant({"type": "text", "text": question})
        asked = Question(self.bench.clock.epoch, uuid, question, by)
        fact.asked.append(asked)
        self._open.append((fact, asked, 0))
        return fact.value

    def learn(self, answer: Answer, key: str, pattern: str, *, entity: str | None = None) -> str:
        """Keep the first group of ``pattern`` in a real result as the fact ``key``. A later value takes over."""
        found = re.search(pattern, answer.text)
        if found is None:
            raise RecordingError(f"{key}: no {pattern!r} in:\n{answer.text[:800]}")
        value = found.group(1)
        name = key
        while name in self.facts:
            name = f"{name}+"
        if name != key:
            self.facts[name] = self.facts[key]
        uuid = next(r["uuid"] for r in reversed(self.log.records) if _answers(r, answer.call_id))
        self.facts[key] = Fact(key, entity, value, self.bench.clock.epoch, uuid, answer.call_id)
        return value

    # -- tools ---------------------------------------------------------------------------------------------------
    def bash(self, command: str, why: str, *, fails: bool = False) -> Answer:
        """Run a shell command. ``fails`` says what the script expects; the other outcome stops the recording."""
        return self.together(self.shell(command, why, fails=fails))[0]

    def shell(self, command: str, why: str, *, fails: bool = False) -> Call:
        """A shell command for `together`."""

        def run() -> tuple[str, Any, bool]:
            return _shown(self.bench.run(command))

        return Call("Bash", {"command": command, "description": why}, run, fails)

    def long(self, command: str, why: str, *, after: int) -> Answer:
        """A command whose first ``after`` lines are shown as progress before its result closes the call."""
        name = self._start(command)

        def run() -> tuple[str, Any, bool]:
            done = self.bench.finish(name)
            return _shown(Ran(done.code, f"{head}\n{done.out}", done.err))

        call_id, uuid = self._announce(Call("Bash", {"command": command, "description": why, "timeout": 600000}, run))
        head = self.bench.peek(name, after)
        self._pause(60, 240)
        self.log.progress(call_id, head, after)
        return self._settle(Call("Bash", {}, run), call_id, uuid)

    def background(self, command: str, why: str) -> str:
        """Start a command in the background and return its shell id."""
        name = self._start(command)
        text = f"Command running in background with ID: {name}"
        structured = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False, "backgroundTaskId": name}
        arguments = {"command": command, "description": why, "run_in_background": True}
        self.together(Call("Bash", arguments, lambda: (text, structured, False)))
        return name

    def poll(self, name: str, lines: int | None) -> Answer:
        """Look at a background command: its next ``lines`` lines, or its end with None."""

        def run() -> tuple[str, Any, bool]:
            if lines is not None:
                body = self.bench.peek(name, lines)
                return f"<status>running</status>\n\n<stdout>\n{body}\n</stdout>", {"status": "running"}, False
            done = self.bench.finish(name)
            code = f"<status>completed</status>\n\n<exit_code>{done.code}</exit_code>"
            structured = {"status": "completed", "exitCode": done.code}
            return f"{code}\n\n<stdout>\n{done.out.rstrip()}\n</stdout>", structured, done.code != 0

        return self.together(Call("BashOutput", {"bash_id": name}, run))[0]

    def write(self, path: str, content: str) -> Answer:
        """Write a whole file."""

        def run() -> tuple[str, Any, bool]:
            target = self.bench.file(path)
            existed = target.exists()
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
            structured = {"type": "update" if existed else "create", "filePath": path, "content": content}
            if existed:
                return f"The file {path} has been updated successfully.", structured, False
            return f"File created successfully at: {path}", structured, False

        return self.together(Call("Write", {"file_path": path, "content": content}, run))[0]

    def edit(self, path: str, old: str, new: str, *, fails: bool = False) -> Answer:
        """Replace the one occurrence of ``old``."""

        def run() -> tuple[str, Any, bool]:
            target = self.bench.file(path)
            text = target.read_text(encoding="utf-8")
            if text.count(old) != 1:
                reason = f"String to replace found {text.count(old)} times in {path}; it must be there exactly once."
                return reason, f"Error: {reason}", True
            target.write_text(text.replace(old, new), encoding="utf-8")
            structured = {"filePath": path, "oldString": old, "newString": new, "replaceAll": False}
            return f"The file {path} has been updated successfully.", structured, False

        arguments = {"replace_all": False, "file_path": path, "old_string": old, "new_string": new}
        return self.together(Call("Edit", arguments, run, fails))[0]

    def read(self, path: str, *, fails: bool = False) -> Answer:
        """Read a file with line numbers."""
        return self.together(self.reading(path, fails=fails))[0]

    def reading(self, path: str, *, fails: bool = False) -> Call:
        """A file to read, for `together`."""

        def run() -> tuple[str, Any, bool]:
            target = self.bench.file(path)
            if not target.is_file():
                return "File does not exist.", "Error: File does not exist.", True
            lines = self.bench.clean(target.read_text(encoding="utf-8")).splitlines()
            body = "\n".join(f"{number:6d}→{line}" for number, line in enumerate(lines, 1))
            return body, {"type": "text", "file": {"filePath": path, "numLines": len(lines)}}, False

        return Call("Read", {"file_path": path}, run, fails)

    def fetch(self, path: str, prompt: str, *, fails: bool = False) -> Answer:
        """GET a page of the local service."""
        return self.together(self.fetching(path, prompt, fails=fails))[0]

    def fetching(self, path: str, prompt: str, *, fails: bool = False) -> Call:
        """A page to fetch, for `together`."""
        url = f"http://{SHOWN_ADDRESS}{path}"

        def run() -> tuple[str, Any, bool]:
            code, body = self.bench.fetch(path)
            structured = {"url": url, "code": code, "bytes": len(body.encode("utf-8"))}
            return body if code < 400 else f"Request failed with status code {code}\n{body}", structured, code >= 400

        return Call("WebFetch", {"url": url, "prompt": prompt}, run, fails)

    def together(self, *calls: Call) -> list[Answer]:
        """Make the calls in one message, run them, and file the results in the order of the calls."""
        announced = [(call, *self._announce(call)) for call in calls]
        return [self._settle(call, call_id, uuid) for call, call_id, uuid in announced]

    # -- inner ---------------------------------------------------------------------------------------------------
    def _start(self, command: str) -> str:
        self._job += 1
        name = f"bash_{self._job}"
        self.bench.start(name, command)
        return name

    def _announce(self, call: Call) -> tuple[str, str]:
        self._pause(2, 25)
        call_id = self.log.ids.token("toolu_01")
        block = {"type": "tool_use", "id": call_id, "name": call.tool, "input": dict(call.arguments)}
        uuid = self.log.assistant(block)
        self._use(call_id, span_text(self.log.records[-1]))
        return call_id, uuid

    def _settle(self, call: Call, call_id: str, uuid: str) -> Answer:
        text, structured, error = call.run()
        if error != call.fails:
            raise RecordingError(f"the script expected error={call.fails}:\n{text}")
        self._pause(1, 40)
        self.log.result(call_id, uuid, text, f"Error: {text}" if error else structured, error=error)
        return Answer(call_id, text, error)

    def _use(self, call_id: str, text: str) -> None:
        still: list[tuple[Fact, Question, int]] = []
        for fact, question, waited in self._open:
            if fact.value in text:
                question.used_by = call_id
            elif waited + 1 >= MAX_CALLS_UNTIL_USED:
                raise RecordingError(f"{fact.key} was asked for and then not used")
            else:
                still.append((fact, question, waited + 1))
        self._open = still

    def _pause(self, low: float, high: float) -> None:
        self.bench.clock.advance(self.log.ids.rng.uniform(low, high))

    def ground_truth(self) -> list[dict[str, Any]]:
        """Facts in the order in which they were established, with the epochs in which the value was seen again."""
        if self._open:
            raise RecordingError(f"never used: {[fact.key for fact, _, _ in self._open]}")
        order = {record["uuid"]: position for position, record in enumerate(self.log.records)}
        facts = sorted(self.facts.values(), key=lambda fact: (order[fact.uuid], fact.key))
        records = self.log.records
        return [
            _told(fact, facts[place + 1 :], records[order[fact.uuid] + 1 :], self.log.clock)
            for place, fact in enumerate(facts)
        ]


def _shown(ran: Ran) -> tuple[str, Any, bool]:
    structured = {"stdout": ran.out, "stderr": ran.err, "interrupted": False, "isImage": False}
    return ran.text, structured, ran.code != 0


def _answers(record: Record, call_id: str) -> bool:
    content = record.get("message", {}).get("content")
    return isinstance(content, list) and content[0].get("tool_use_id") == call_id


def _told(fact: Fact, later: Sequence[Fact], records: Sequence[Record], clock: Clock) -> dict[str, Any]:
    """One fact for FACTS.json. ``records`` are those after the one that established it."""
    whole = re.compile(rf"(?<![\w.]){re.escape(fact.value)}(?![\w.]*\w)")
    again = {clock.epoch_of(record["timestamp"]) for record in records if whole.search(span_text(record))}
    followers = (one.epoch for one in later if (one.key, one.entity) == (fact.key, fact.entity))
    return {
        "key": fact.key,
        "entity": fact.entity,
        "value": fact.value,
        "epoch": fact.epoch,
        "uuid": fact.uuid,
        "tool_use_id": fact.call_id,
        "superseded_in_epoch": next(followers, None),
        "seen_again_in_epochs": sorted(again),
        "asked": [
            {"epoch": q.epoch, "uuid": q.uuid, "by": q.by, "question": q.text, "used_by": q.used_by} for q in fact.asked
        ],
    }
