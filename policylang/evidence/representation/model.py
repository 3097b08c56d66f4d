"""What a session is made of for representation, and what is answered (SPEC §4, "Representation")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from policylang.evidence.model import Extraction

SUMMARY: Final = "summary"
TAIL: Final = "retained tail"


@dataclass(frozen=True, slots=True)
class SessionSpan:
    """One span of the session.

    Attributes:
        id: Its id.
        kind: Its kind.
        klass: Its class: state, reasoning, instruction or control.
        text: Its whole text.
        epoch: Epoch in which it was created.
        position: Its index in the session.
        chain: Its causal chain.
        tool: The tool that produced it, None if unknown; unknown tools are never the same.
        tool_call_id: Pairs a call with its results.
        retained: True if it is in the post-compaction transcript; evicted and spilled spans are not.
        extraction: What was found in its text.
    """

    id: str
    kind: str
    klass: str
    text: str
    epoch: int
    position: int
    chain: str
    tool: str | None
    tool_call_id: str | None
    retained: bool
    extraction: Extraction

    @property
    def represents(self) -> bool:
        """True if its text can stand for another span's: the text of a call or pointer represents nothing."""
        return self.retained and self.kind not in ("tool_call", "pointer")

    @property
    def prose(self) -> bool:
        """True for reasoning, messages and summaries: only they reference."""
        return self.kind == "summary" or self.klass in ("reasoning", "instruction")

    @property
    def state(self) -> bool:
        """True for a state span: only one of these supersedes."""
        return self.klass == "state"


@dataclass(frozen=True, slots=True)
class Represented:
    """What is left of one span.

    Attributes:
        representation: One of `vocabulary.REPRESENTATIONS`.
        statuses: For each assertion one of `vocabulary.STATUSES`.
        survived: For each restated assertion where: `"summary"` or `"retained tail"`; else None.
    """

    representation: str
    statuses: tuple[str | None, ...]
    survived: tuple[str | None, ...]
