"""The vocabulary of appendix H, and what keeps a formula from being a goal."""

from hypothesis import given

from otherminds.household.epistemic.formula import And, Atom, Formula, Know, Not
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.predicates import PREDICATES, check_goal, opposite, positive
from tests.cases import for_each
from tests.household.epistemic import kit

OF_GOALS = {
    "is_on_top", "is_inside", "is_in_room", "is_on_floor", "is_next_to", "is_open", "is_closed", "is_clean", "is_dirty",
    "is_filled", "is_empty", "is_powered_on", "is_held_by", "agent_in_room",
}  # fmt: skip
OF_THE_HOUSE = {
    "is_inverse", "mirrors", "mirrors_closed", "controls", "controls_closed", "is_restricted", "can_communicate",
}  # fmt: skip
OF_NEITHER = {
    "has_item", "has_at_least", "has_most", "item_in_container", "is_locked", "is_locked_permanent", "requires_item",
    "unlocks", "controls_unlocked", "controls_locks", "irreversible_enabled", "interaction_locked",
}  # fmt: skip


def test_the_vocabulary_is_appendix_h_and_one_of_ours() -> None:
    assert set(PREDICATES) == {*OF_GOALS, *OF_THE_HOUSE, *OF_NEITHER, "is_powered_off"}


@for_each("name", PREDICATES)
def test_every_predicate_says_each_of_its_arguments(name: str) -> None:
    found = PREDICATES[name]
    said = found.words.format(*(f"<{slot}>" for slot in range(len(found.kinds))))
    assert all(said.count(f"<{slot}>") == 1 for slot in range(len(found.kinds)))
    assert bool(found.why) == (found.use != "goal")


@given(kit.literals())
def test_the_opposite_of_the_opposite_is_the_same(literal: Atom | Not) -> None:
    if isinstance(literal, Atom) and (other := opposite(literal)):
        assert other != literal
        assert opposite(other) == literal
    assert positive(positive(literal)) == positive(literal)


def test_a_denied_state_means_its_opposite() -> None:
    assert positive(parse("(not (is_open c_1))")) == parse("(is_closed c_1)")
    assert positive(parse("(not (is_powered_off c_1))")) == parse("(is_powered_on c_1)")
    assert positive(parse("(not (is_on_floor c_1))")) == parse("(not (is_on_floor c_1))")
    assert opposite(Atom("is_on_floor", ("c_1",))) is None


def test_a_goal_of_the_paper_has_no_fault() -> None:
    goal = "(and (is_on_top bowl_1 table_22) (K agent_0 (K agent_1 (is_on_top bowl_1 table_22))) (is_open cabinet_34))"
    assert check_goal(parse(goal)) == []


@for_each(
    ("text", "faults"),
    [
        ("(has_item agent_0 key_1)", ["the goal: has_item is not allowed in a goal: nobody carries items"]),
        ("(and (is_open c_1) (is_locked c_1))", ["conjunct 2: is_locked is not allowed in a goal: nothing is locked"]),
        (
            "(and (is_open c_1) (K agent_0 (and (is_open c_1) (mirrors c_1 c_2))))",
            ["conjunct 2, what agent_0 knows, conjunct 2: mirrors is not allowed in a goal: it says how the house works"],
        ),
        ("(K bob (is_open c_1))", ["the goal: `bob` is no agent"]),
        ("(is_held_by bowl_0 table_1)", ["the goal: `table_1` is no agent"]),
        ("(is_open agent_0)", ["the goal: `agent_0` is no furniture in (is_open furniture)"]),
        ("(is_on_top bowl Table_1)", ["the goal: `bowl` is no object", "the goal: `Table_1` is no furniture"]),
        ("(and (is_open c_1) (is_clean b_1) (is_closed c_1))", ["conjunct 3: it contradicts conjunct 1"]),
        ("(and (not (is_open c_1)) (not (is_closed c_1)))", ["conjunct 2: it contradicts conjunct 1"]),
        ("(and (is_on_floor b_1) (and (not (is_on_floor b_1))))", ["conjunct 2, conjunct 1: it contradicts conjunct 1"]),
        ("(and (is_closed c_1) (not (is_open c_1)))", []),
        ("(and (is_closed c_1) (is_open c_2))", []),
    ],
)  # fmt: skip
def test_every_fault_with_its_place(text: str, faults: list[str]) -> None:
    found = check_goal(parse(text))
    assert len(found) == len(faults)
    assert all(fault.startswith(expected) for fault, expected in zip(found, faults, strict=True))


def test_whether_a_chain_can_be_established_is_not_asked_here() -> None:
    assert check_goal(parse("(and (is_closed c_1) (K agent_0 (is_open c_1)))")) == []


@for_each(
    ("formula", "words"),
    [
        (And(()), "the goal: it is empty"),
        (And((Know("agent_0", And(())),)), "conjunct 1, what agent_0 knows: it is empty"),
        (Atom("is_opne", ("c_1",)), "did you mean is_open"),
        (Not(Atom("is_open", ())), "here it has 0"),
    ],
)
def test_formulas_that_were_never_parsed_are_checked_too(formula: Formula, words: str) -> None:
    (fault,) = check_goal(formula)
    assert words in fault


def stands(name: str) -> bool:
    kinds = PREDICATES[name].kinds
    fact = Atom(name, tuple(f"{'agent' if kind == 'agent' else kind}_{at}" for at, kind in enumerate(kinds)))
    return check_goal(fact) == []


def test_exactly_the_predicates_of_goals_stand_in_goals() -> None:
    assert {name for name in PREDICATES if stands(name)} == {*OF_GOALS, "is_powered_off"}
