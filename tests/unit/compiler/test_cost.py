"""The bound on the work of a rule: never below what the interpreter does, and it says where it comes from."""

from __future__ import annotations

from policylang.compiler.cost import SIZES, cost_bound, world_sizes
from policylang.compiler.interpret import count_steps
from policylang.rules_ir import expr as ir
from policylang.rules_ir import types as ty
from policylang.rules_ir.policy import Rule
from tests.unit.compiler.ir import (
    EVICTED,
    SUBJECT,
    TRUE,
    assertion,
    cmp,
    field,
    listed,
    num,
    quant,
    rule,
    span,
    var,
    word,
    world,
)

SPANS = ir.Global("spans", ty.SPANS)


def bound(condition: ir.Expr, each: str | None = None) -> str:
    return str(cost_bound([rule(condition, each)])[0])


def test_a_constant_is_one_step_and_one_for_the_rule() -> None:
    assert bound(TRUE) == "2"


def test_for_each_multiplies() -> None:
    assert bound(field(SUBJECT, "bulk"), "evicted") == "E·3"


def test_a_quantifier_names_the_list_that_multiplies() -> None:
    inner = quant("any", 1, field(SUBJECT, "assertions"), TRUE)
    assert bound(inner, "evicted") == "E·(4 + A·2)"


def test_comparing_words_reads_them() -> None:
    assert bound(cmp(field(SUBJECT, "kind"), "==", word("tool_result")), "evicted") == "E·(5 + 11 + V)"


def test_text_functions_cost_their_texts() -> None:
    contains = ir.Builtin("contains", (field(var(1), "text"), field(var(2), "text")), ty.BOOL)
    condition = cmp(quant("count", 1, SPANS, quant("any", 2, SPANS, contains)), ">", num(3))
    (cost,) = cost_bound([rule(condition)])
    assert cost.total()["S", "S", "T"] == 2
    assert list(cost.lines())[-1].strip() == "contains(v1.text, v2.text): 2·T"


def test_long_texts_are_in_the_bound() -> None:
    contains = ir.Builtin("contains", (field(var(1), "text"), field(var(2), "text")), ty.BOOL)
    condition = cmp(quant("count", 1, SPANS, quant("any", 2, SPANS, contains)), ">", num(3))
    facts = world(*[span(str(n), text="x" * 100_000 + str(n)) for n in range(6)])
    work = count_steps(rule(condition), facts)
    assert 6 * 2 * 100_000 < work <= cost_bound([rule(condition)])[0].steps(world_sizes(facts))


def test_a_match_costs_its_text_and_membership_its_list() -> None:
    found = ir.Matches(field(SUBJECT, "text"), "a+b", "i", ty.BOOL)
    (cost,) = cost_bound([rule(found, "evicted")])
    assert list(cost.lines()) == ["r: for each in evicted: E·(4 + T)", "  s.text matches /a+b/i: T"]
    kinds = ir.In(field(SUBJECT, "kind"), listed(ty.KIND, word("ab"), word("c")), False, ty.BOOL)
    assert cost_bound([rule(kinds, "evicted")])[0].total() == {("E",): 7 + 2 * (1 + 2), ("E", "V"): 2}


def test_if_is_bounded_by_its_branches() -> None:
    condition = ir.If(TRUE, cmp(num(1), "<", num(2)), TRUE, ty.BOOL)
    assert cost_bound([rule(condition)])[0].total() == {(): 1 + 1 + 1 + 3}


def test_every_size_has_a_name_and_a_measure() -> None:
    facts = world(span(text="abc", assertions=[assertion("key", "value")], anchor_by=["kind"]), chains=[])
    sizes = world_sizes(facts)
    assert set(sizes) == set(SIZES)
    assert (sizes["E"], sizes["S"], sizes["A"], sizes["B"], sizes["T"], sizes["V"]) == (1, 1, 1, 1, 3, 9)


def test_every_list_of_the_language_has_a_size() -> None:
    def over(collection: ir.Expr) -> Rule:
        return rule(quant("any", 9, collection, TRUE))

    rules = [over(ir.Global(name, of)) for name, of in ty.GLOBALS.items() if of.element is not None]
    for record, fields in ty.FIELDS.items():
        rules += [over(ir.Field(var(1, record), name, one.type)) for name, one in fields.items() if one.type.element]
    assert all(set(size) <= set(SIZES) for cost in cost_bound(rules) for size in cost.total())


def test_a_bound_reads_as_its_total() -> None:
    inner = quant("any", 1, field(SUBJECT, "assertions"), quant("all", 2, EVICTED, TRUE))
    (cost,) = cost_bound([rule(inner, "evicted")])
    assert eval(str(cost).replace("·", "*"), {"E": 3, "A": 5}) == cost.steps({"E": 3, "A": 5})
