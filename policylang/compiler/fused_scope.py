"""Names while fused code is written: what the variables of an expression are called, and what is read once."""

from __future__ import annotations


class Scope:
    """Names of one function being written.

    Attributes:
        slots: Slot to variable.
        depth: Nesting of the line so far.
        temporaries: How many the statement has.
        hoisted: In a shared loop, reads of the world to locals set before the loop; else None.
        settled: Whether the fields read next were read before in the same turn.
        reads: In a shared loop, fields of the subject to what their local is at the start of each turn.
    """

    __slots__ = ("depth", "hoisted", "reads", "settled", "slots", "temporaries")

    def __init__(self, slots: dict[int, str], *, hoisting: bool = False) -> None:
        self.slots = slots
        self.depth = 0
        self.temporaries = 0
        self.hoisted: dict[str, str] | None = {} if hoisting else None
        self.settled = False
        self.reads: dict[str, str] = {}

    def temporary(self) -> str:
        """A fresh local; the counter is reset for each statement."""
        self.temporaries += 1
        return f"t{self.temporaries}"

    @property
    def parameters(self) -> str:
        """Parameters, and equally arguments, of a function that sees the same slots."""
        return ", ".join(("w", "k", *self.slots.values()))
