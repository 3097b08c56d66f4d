"""The index of a replay: rows, ranks, and probes that withhold the value."""

from __future__ import annotations

from policylang.analysis.lexical import Entry, LexicalIndex, tokens
from policylang.evidence.extract import extract


def index(*texts: str) -> LexicalIndex:
    out = LexicalIndex()
    for position, text in enumerate(texts):
        out.add(
            Entry(position, position + 1, text, extract(text, kind="tool_result").assertions, f"Bash step{position}")
        )
    return out


NOISE = [f"We should verify the schema version again before step {number}." for number in range(30)]


def test_tokens_hold_the_whole_and_its_words() -> None:
    assert tokens("schemaVersion of db-7: v1.2") == [
        "schema",
        "version",
        "schemaversion",
        "db",
        "7",
        "db-7",
        *tokens("v1.2"),
    ]
    assert "0042" in tokens("migration 0042 applied")


def test_card_makes_the_state_span_answer_the_question() -> None:
    found = index("schema_version: 7", *NOISE)
    assert found.search(tokens("what is the current schema version"), 10)[0] == 0
    assert found.verified(0, ("key",), 1, 10)
    assert found.verified(0, ("question", "key"), 2, 10)


def test_probes_withhold_the_value() -> None:
    found = index("port = 8080\nqueue_depth: 17")
    entry = found.entries[0]
    for probe in found.probes(entry, ("key", "question", "call")):
        assert probe and not {"8080", "17"} & set(probe)
    assert any("8080" in probe for probe in found.probes(entry, ("value",)))


def test_key_with_several_values_is_told_by_its_epoch_or_not_at_all() -> None:
    two = index("replica_lag_limit = 340", "replica_lag_limit = 900")
    for position, epoch in ((0, 1), (1, 2)):
        (probe,) = two.probes(two.entries[position], ("key",))
        assert f"epoch={epoch}" in probe
        assert two.search(probe, 1) == [position]
    same_span = index("replica_lag_limit = 340\nreplica_lag_limit = 900")
    assert list(same_span.probes(same_span.entries[0], ("key",))) == []
    assert not same_span.verified(0, ("key", "question"), 1, 10)
    assert same_span.verified(0, ("text",), 1, 10)


def test_later_spans_can_be_left_out_and_unknown_ones_are_not_verified() -> None:
    found = index(*NOISE)
    assert all(position < 5 for position in found.search(tokens("schema version"), 10, before=5))
    assert not found.verified(99, ("text",), 1, 10)
    assert LexicalIndex().search(["x"], 5) == []


def test_long_text_is_found_by_its_best_chunk() -> None:
    long = "filler words without meaning here " * 200 + "the launch_window_id is LW-88213 today"
    found = index(*NOISE, long)
    assert found.search(tokens("launch window id"), 1) == [30]
