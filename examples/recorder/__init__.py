"""Records the bundled sessions: a scripted operator that runs real tools (see ``examples/README.md``)."""
