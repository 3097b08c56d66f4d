"""Laws of representation on real sessions: what is injected must be seen, what is not there must not.

Run from the project's root: ``python -m benchmarks.evidence_laws [--show LAW] FILE…``; without files, the development
sessions of the transcript collection. For every material assertion of the oldest 60 % of a session's state spans one
summary is injected, and the span is asked for again:

- mutation: the fact with another value, as a restatement. It must never come out restated.
- restatement: the fact in one of several spellings. It must come out restated.
- contradiction: another value for a non-generic key that has one value in the session, or, where it has several, said
  of what the fact is of by name. It must come out contradicted.
- question: a question that withholds the value. It must come out referenced.

The texts of all other spans take part in rarity only: the law is about the injected text. The session as it stands
(reasoning and the newest 40 % kept) is counted apart; nobody has labelled it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from policylang.evidence import keys, values
from policylang.evidence.extract import extract
from policylang.evidence.ingest import ingest
from policylang.evidence.model import Assertion
from policylang.evidence.representation.calls import is_per_call
from policylang.evidence.representation.subjects import Subjects, of
from policylang.evidence.session import Session, SessionSpan
from policylang.transcript.importers import open_transcript
from policylang.transcript.request import Request
from policylang.transcript.vocabulary import KNOWN_KINDS

TRANSCRIPTS: Final = Path(__file__).resolve().parents[1].parent / "shared" / "transcripts"
DEVELOPMENT: Final = (
    "claude-code/rust-port.jsonl",
    "claude-code/bhavana.jsonl",
    "claude-code/coverage-fix.jsonl",
    "openai-chat/litellm-claude-sonnet-4.json",
    "openai-chat/fncall-messages.json",
    "anthropic/cline-session.messages.json",
    "swe-agent/marshmallow-1867-default.traj",
    "swe-agent/marshmallow-1867-fc.traj",
    "swe-agent/ctf-katy.traj",
)
"""The sessions that the rules were tuned on; all others are held out."""

TARGETS: Final = {"mutation": 0.99, "restatement": 0.95, "contradiction": 0.90, "question": 0.0}
OLDEST: Final = 0.6

RESTATEMENTS: Final = (
    "{key} = {value}",
    "The {words} is {value}.",
    "We confirmed that the {words} is now {value}.",
    "{words}: {value}",
    '{{"{key}": "{value}"}}',
    "Facts so far:\n- {words}: {value}\n- nothing else",
)
QUESTIONS: Final = ("What is the {words}?", "We should verify the {words}.")


@dataclass(frozen=True, slots=True)
class Trial:
    """One injection: the law it is for, the fact, the text, and what came out."""

    law: str
    fact: Assertion
    text: str
    status: str

    @property
    def holds(self) -> bool:
        """True if the law holds here."""
        match self.law:
            case "mutation":
                return self.status != "restated"
            case "restatement":
                return self.status == "restated"
            case "contradiction":
                return self.status == "contradicted"
        return self.status == "referenced"


def session_of(path: Path) -> list[SessionSpan]:
    """A session file with its oldest state spans (and all calls among them) evicted."""
    with open_transcript(path, lenient=True) as transcript:
        read = list(transcript)
    last = int(len(read) * OLDEST)
    spans = []
    for number, span in enumerate(read):
        state = KNOWN_KINDS.get(span.kind, "state") == "state" or span.kind == "tool_call"
        spans.append(
            replace(
                span,
                epoch=number * 6 // max(1, len(read)),
                disposition="evict" if state and number < last else "retain",
            )
        )
    facts = ingest(Request(epoch=7, spans=tuple(spans)))
    return [
        SessionSpan(
            id=span.span_id,
            kind=span.kind,
            klass=KNOWN_KINDS.get(span.kind, "state"),
            text=span.text,
            epoch=span.epoch,
            position=number,
            chain=facts.chains[number],
            tool=facts.tool(number),
            tool_call_id=span.tool_call_id,
            retained=span.disposition == "retain",
            extraction=facts.extraction(number),
        )
        for number, span in enumerate(spans)
    ]


def other_value(fact: Assertion) -> str | None:
    """Another value of the fact's type, as it would be written; None where none can be told for sure."""
    raw = fact.raw
    if fact.type in ("boolean", "state"):
        swaps = {"true": "false", "yes": "no", "on": "off", "enabled": "disabled"}
        swaps |= {second: first for first, second in swaps.items()}
        return swaps.get(raw.lower()) or next(iter(sorted(values.opposite(fact.value))), None)
    if fact.type == "enum":
        return "sideways"
    for number in range(len(raw)):
        at = number if fact.type in ("id", "checksum") else len(raw) - 1 - number
        if raw[at].isdigit():
            mutated = raw[:at] + str((int(raw[at]) + 1) % 9 + 1) + raw[at + 1 :]
            typed = values.classify(mutated, fact.key)
            if typed is not None and values.same_type(typed[0], fact.type) and typed[1] != fact.value:
                return mutated
    if fact.type in ("path", "write", "url"):
        return raw.rstrip("/") + "x"
    return None


def trials(spans: Sequence[SessionSpan]) -> Iterator[Trial]:
    """All injections into one session."""
    base = [replace(span, retained=False) for span in spans]
    about = Subjects(spans)
    told: dict[str, set[str]] = {}
    for span in spans:
        if span.state:
            for fact in span.extraction.assertions:
                told.setdefault(fact.key, set()).add(fact.value)
    count = 0
    for span in spans:
        if span.retained or not span.state:
            continue
        found = span.extraction.assertions
        several = Counter(fact.key for fact in found)
        for number, fact in enumerate(found):
            count += 1
            name = (
                None
                if about.own(span.position, fact)
                else next(iter(of(fact, about.at(span.position, fact.start))), None)
            )
            for law, text in _injections(fact, several[fact.key] > 1, len(told[fact.key]) > 1, name, count):
                yield Trial(law, fact, text, _status(base, span.position, number, text))


def _injections(fact: Assertion, several: bool, many: bool, name: str | None, count: int) -> Iterator[tuple[str, str]]:
    other = other_value(fact)
    if fact.type == "write":
        yield "restatement", f"Created {fact.raw}."
        yield "question", f"Let me look at {fact.raw} again."
        if other is not None:
            yield "mutation", f"Created {other}."
        return
    words = fact.key.replace("_", " ")
    # A line of an access log is of its request, not of the call that printed the log.
    if fact.entity is not None and (several or not fact.per_call):
        words = f"{words} of {fact.entity}" if keys.is_generic(fact.key) or several else words
    form = RESTATEMENTS[count % len(RESTATEMENTS)]
    key = fact.key if " of " not in words else words
    yield "restatement", form.format(key=key, words=words, value=fact.raw)
    if other is not None:
        text = form.format(key=key, words=words, value=other)
        yield "mutation", text
        if not (several or is_per_call(fact) or keys.is_generic(fact.key) or fact.type == "enum"):
            if not many:
                yield "contradiction", text
            elif name is not None:
                told = f"{words} of {name}"
                yield "contradiction", form.format(key=told, words=told, value=other)
    if not (is_per_call(fact) or ((several or keys.is_generic(fact.key)) and fact.entity is None)):
        yield "question", QUESTIONS[count % len(QUESTIONS)].format(words=words)


def _status(base: Sequence[SessionSpan], position: int, number: int, text: str) -> str:
    summary = SessionSpan(
        id="injected summary", kind="summary", klass="control", text=text, epoch=7, position=len(base),
        chain="injected", tool=None, tool_call_id=None, retained=True, extraction=extract(text, kind="summary"),
    )  # fmt: skip
    status = Session([*base, summary]).represent(position).statuses[number]
    return status or "none"


def main() -> int:
    """Prints the rates; 1 if a target is missed, 2 if there is nothing to read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--show", choices=sorted(TARGETS), help="list the trials where this law does not hold")
    given = parser.parse_args()
    files = given.files or [TRANSCRIPTS / name for name in DEVELOPMENT]
    missing = [path for path in files if not path.exists()]
    if missing:
        print(f"not there: {missing[0]}", file=sys.stderr)
        return 2
    held: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for path in files:
        spans = session_of(path)
        whole = Session(spans)
        for span in spans:
            if span.state and not span.retained:
                some = "with" if span.extraction.assertions else "without"
                left[f"{some} assertions: {whole.represent(span.position).representation}"] += 1
        for trial in trials(spans):
            tried[trial.law] += 1
            held[trial.law] += trial.holds
            if trial.law == given.show and not trial.holds:
                print(f"{path.name}: {trial.fact.entity} {trial.fact.key} = {trial.fact.raw} ({trial.fact.type})")
                print(f"    {trial.status} by {trial.text!r}")
    print(f"{sum(left.values())} evicted state spans")
    for name, number in sorted(left.items()):
        print(f"  {name:40} {number:6}")
    for law, target in TARGETS.items():
        rate = held[law] / tried[law] if tried[law] else 0.0
        print(f"{law:14} {held[law]:5} of {tried[law]:5}  {rate:.3f}  (target {target:.2f})")
    return 0 if all(held[law] >= target * tried[law] for law, target in TARGETS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
