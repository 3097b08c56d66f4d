"""The DSL spelling (`*.policy`): text to syntax, and its formatter."""

from policylang.frontend.dsl.parse import (
    parse,
    parse_each,
    parse_expression,
    parse_let_head,
    parse_quantity,
    read_source,
)

__all__ = ["parse", "parse_each", "parse_expression", "parse_let_head", "parse_quantity", "read_source"]
