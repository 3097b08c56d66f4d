"""The DSL spelling (`*.policy`): text to syntax, and its formatter."""

from policylang.frontend.dsl.format import format_source
from policylang.frontend.dsl.parse import (
    parse,
    parse_each,
    parse_expression,
    parse_let_head,
    parse_quantity,
    read_source,
)

__all__ = [
    "format_source",
    "parse",
    "parse_each",
    "parse_expression",
    "parse_let_head",
    "parse_quantity",
    "read_source",
]
