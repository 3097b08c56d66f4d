"""The command line (SPEC §7). `main` is the console script; it imports what the named command needs and no more."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The arguments after the program's name; those of the process by default.

    Returns:
        0 fine or `compact`; 1 it ran and the answer is no; 2 it could not run; 3 a bug of ours; 130 interrupted;
        141 nobody reads the output any more.
    """
    from policylang.cli.run import run

    return run(list(sys.argv[1:] if argv is None else argv))
