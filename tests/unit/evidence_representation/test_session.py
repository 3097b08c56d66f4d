"""Rules that need more than two spans: supersession, calls, entities, rarity, pointers, claims (SPEC §4, §9)."""

from __future__ import annotations

import pytest

from policylang.evidence.session import Session
from tests.unit.evidence_representation.sessions import span


def _of(session: Session, position: int = 0) -> str:
    return session.represent(position).representation


class TestSupersession:
    def test_a_later_result_of_the_same_tool(self) -> None:
        spans = [
            span(0, "schema_version: 7", retained=False, tool="psql"),
            span(1, "schema_version: 8", tool="psql", epoch=4),
        ]
        assert _of(Session(spans)) == "superseded"

    def test_unknown_tools_are_never_the_same(self) -> None:
        spans = [span(0, "schema_version: 7", retained=False), span(1, "schema_version: 8", epoch=4)]
        assert _of(Session(spans)) == "contradicted"

    @pytest.mark.parametrize("kind", ["state_assertion", "file_write_ack"])
    def test_an_assertion_of_state_retires_from_anywhere(self, kind: str) -> None:
        spans = [span(0, "schema_version: 7", retained=False), span(1, "schema_version: 8", kind, epoch=4)]
        assert _of(Session(spans)) == "superseded"

    def test_position_decides_within_an_epoch(self) -> None:
        spans = [
            span(0, "schema_version: 8", chain="c"),
            span(1, "schema_version: 7", chain="c", retained=False),
        ]
        assert _of(Session(spans), 1) == "contradicted"

    def test_a_message_never_supersedes(self) -> None:
        spans = [
            span(0, "schema_version: 7", retained=False, chain="c"),
            span(1, "schema_version: 8", "assistant_message", chain="c", epoch=5),
        ]
        assert _of(Session(spans)) == "contradicted"

    def test_an_evicted_span_says_nothing(self) -> None:
        spans = [
            span(0, "schema_version: 7", retained=False, chain="c"),
            span(1, "schema_version: 8", chain="c", epoch=5, retained=False),
        ]
        assert _of(Session(spans)) == "absent"


class TestCalls:
    def test_another_calls_exit_code_is_its_own(self) -> None:
        spans = [
            span(0, "exit code: 1", retained=False, chain="c", tool="Bash", tool_call_id="t1"),
            span(1, "exit code: 0", chain="c", tool="Bash", tool_call_id="t2", epoch=5),
        ]
        assert _of(Session(spans)) == "absent"
        assert _of(Session([spans[0], span(1, "exit code: 1", tool_call_id="t2")])) == "absent"

    def test_prose_that_names_the_call_can_contradict(self) -> None:
        spans = [
            span(0, "exit code: 1", retained=False, tool_call_id="toolu_01A"),
            span(1, "toolu_01A ended with exit code 0", "reasoning", epoch=5),
        ]
        assert _of(Session(spans)) == "contradicted"

    def test_prose_of_its_chain_speaks_of_the_call_just_before(self) -> None:
        spans = [
            span(0, "exit code: 1", retained=False, chain="c", tool_call_id="t1"),
            span(1, "exit code: 0", retained=False, chain="c", tool_call_id="t2"),
            span(2, "so what was the exit code?", "reasoning", chain="c", epoch=5),
        ]
        session = Session(spans)
        assert (_of(session, 0), _of(session, 1)) == ("absent", "referenced")


class TestEntities:
    ROWS = '[{"id": "web-1", "replicas": 3}, {"id": "web-2", "replicas": 5}]'

    def test_a_key_with_several_values_needs_its_entity(self) -> None:
        spans = [span(0, self.ROWS, "api_response", retained=False), span(1, "replicas: 4", "summary", epoch=7)]
        session = Session(spans)
        assert "contradicted" not in session.represent(0).statuses
        assert "referenced" not in session.represent(0).statuses

    def test_a_record_restates_its_own_entity_only(self) -> None:
        spans = [
            span(0, self.ROWS, "api_response", retained=False),
            span(1, '{"id": "web-2", "replicas": 3}', "api_response", epoch=5),
        ]
        session = Session(spans)
        status = {
            (one.entity, one.key): found
            for one, found in zip(session.spans[0].extraction.assertions, session.represent(0).statuses, strict=True)
        }
        replicas = {entity: found for (entity, key), found in status.items() if key == "replica"}
        assert len(replicas) == 2
        assert replicas.get("web-1") == "absent"


class TestRarity:
    def test_a_common_word_is_not_named(self) -> None:
        chatter = [span(number, f"the timeout came up, {number}", "reasoning") for number in range(1, 8)]
        spans = [span(0, "timeout: 90 s", retained=False), *chatter]
        assert _of(Session(spans)) == "absent"
        assert _of(Session(spans[:3])) == "referenced"

    def test_backticks_name_a_common_word(self) -> None:
        chatter = [span(number, f"the timeout came up, {number}", "reasoning") for number in range(1, 8)]
        spans = [span(0, "timeout: 90 s", retained=False), *chatter, span(8, "see `timeout`", "reasoning")]
        assert _of(Session(spans)) == "referenced"

    def test_an_explicit_value_contradicts_all_the_same(self) -> None:
        chatter = [span(number, f"the timeout came up, {number}", "reasoning") for number in range(1, 8)]
        spans = [span(0, "timeout: 90 s", retained=False), *chatter, span(8, "timeout: 30 s", "reasoning")]
        assert _of(Session(spans)) == "contradicted"


class TestPointers:
    def _session(self, text: str, chain: str = "x") -> Session:
        return Session(
            [
                span(0, "migration 0042 applied", retained=False, id="m42", chain="x", tool_call_id="toolu_9Z"),
                span(1, "all good here now", retained=False, id="b2", chain="y"),
                span(2, text, "reasoning", id="r3", chain=chain, epoch=6),
                span(3, "port: 8080", retained=False, id="p4", chain="x"),
            ]
        )

    @pytest.mark.parametrize(
        ("text", "chain", "targets"),
        [
            ("as established earlier, we go on", "x", {0}),
            ("as established earlier, we go on", "y", {1}),
            ("as established earlier, we go on", "z", {1}),
            ("see the previous result", "z", {1}),
            ("the notes from earlier should have what is needed", "x", set()),
            ("the framework is already loaded from earlier", "x", set()),
            ("the migration from earlier went well", "y", {0}),
            ("the output from above says so", "y", {1}),
            ("the migration above went well", "y", {0}),
            ("the approach above went well", "y", set()),
            ("m42 has the details", "z", {0}),
            ("see toolu_9Z for the details", "z", {0}),
            ("M42 has the details", "z", set()),
            ("m421 has the details", "z", set()),
            ("p4 comes later and is named all the same", "z", {3}),
        ],
    )
    def test_targets(self, text: str, chain: str, targets: set[int]) -> None:
        session = self._session(text, chain)
        referenced = {number for number in (0, 1, 3) if _of(session, number) == "referenced"}
        # "migration" is a key of the first span: prose that says the word names it without any pointer.
        assert referenced - ({0} if "migration" in text else set()) == targets - ({0} if "migration" in text else set())
        assert targets <= referenced

    def test_a_short_word_is_an_id_only_where_it_is_called_one(self) -> None:
        spans = [span(0, "all good here now", retained=False, id="a"), span(1, "a good day", "reasoning", epoch=6)]
        assert _of(Session(spans)) == "absent"
        named = [spans[0], span(1, "see span a", "reasoning", epoch=6)]
        assert _of(Session(named)) == "referenced"


class TestClaims:
    def _unsupported(self, *spans: tuple[str, str]) -> list[str]:
        session = Session([span(number, text, kind) for number, (kind, text) in enumerate(spans)])
        return [one.key for one in session.unsupported(len(spans) - 1)]

    def test_an_evicted_original_supports(self) -> None:
        session = Session(
            [span(0, "schema_version: 7", retained=False), span(1, "The schema version is 7.", "summary")]
        )
        assert session.unsupported(1) == ()

    def test_another_value_does_not(self) -> None:
        assert self._unsupported(("tool_result", "schema_version: 6"), ("summary", "schema version = 7")) == [
            "schema_version"
        ]

    def test_a_call_or_an_older_summary_does_not(self) -> None:
        assert self._unsupported(
            ("tool_call", "set schema_version: 7"), ("summary", "schema version = 7"), ("summary", "schema version = 7")
        ) == ["schema_version"]

    def test_a_line_restated_beside_a_pointer_does(self) -> None:
        pointer = f"spill://{'0' * 64}?span=a&kind=tool_result&keys=schema_version\nschema_version = 7"
        assert self._unsupported(("pointer", pointer), ("summary", "schema version = 7")) == []
        assert self._unsupported(("pointer", pointer.split("\n")[0]), ("summary", "schema version = 7")) == [
            "schema_version"
        ]

    def test_what_was_read_from_a_file_does(self) -> None:
        session = Session(
            [
                span(0, "name: app\nschema_version: 7\n", reading=True, retained=False),
                span(1, "schema version = 7", "summary"),
            ]
        )
        assert session.unsupported(1) == ()

    def test_an_act_needs_its_file(self) -> None:
        acts = ("summary", "File created successfully at: /app/main.py")
        assert self._unsupported(("tool_result", "ok"), acts) == ["write"]
        assert self._unsupported(("tool_result", "The file /app/main.py has been updated."), acts) == []
