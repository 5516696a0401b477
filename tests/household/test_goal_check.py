"""What holds of a goal, and who sees what settles it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.household.commands import Command
from otherminds.household.commands import parse as call
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import Atom, Literal, Not
from otherminds.household.epistemic.parse import parse as goal
from otherminds.household.goal_check import glimpsed, holds, visible, watch
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.choosing import Chooser

WAIT = Command("Wait")


def literal(text: str) -> Literal:
    made = goal(text)
    assert isinstance(made, Atom | Not)
    return made


def after(*calls: str, **fields: object) -> HouseEngine:
    """The engine after calls of ``agent_0``."""
    engine = HouseEngine(small.house(**fields))
    for text in calls:
        command = call(text)
        assert isinstance(command, Command)
        assert engine.step([command, WAIT, WAIT])[0][0], text
    return engine


HOLDS = {
    (): (
        "(is_on_top bowl_0 counter_0)",
        "(is_in_room bowl_0 kitchen_1)",
        "(not (is_in_room bowl_0 study_1))",
        "(is_inside cup_0 cabinet_2)",
        "(is_in_room cup_0 kitchen_1)",
        "(is_on_floor ball_0)",
        "(is_in_room ball_0 bedroom_1)",
        "(not (is_on_floor bowl_0))",
        "(is_closed cabinet_2)",
        "(not (is_open cabinet_2))",
        "(is_clean bowl_0)",
        "(is_empty jug_0)",
        "(is_powered_off stove_4)",
        "(is_powered_off lamp_0)",
        "(agent_in_room agent_0 kitchen_1)",
        "(not (is_held_by bowl_0 agent_0))",
        "(is_next_to bowl_0 plate_0)",
        "(not (is_next_to bowl_0 book_0))",
    ),
    ("Pick[bowl_0]",): (
        "(is_held_by bowl_0 agent_0)",
        "(not (is_in_room bowl_0 kitchen_1))",
        "(not (is_on_top bowl_0 counter_0))",
        "(not (is_next_to bowl_0 plate_0))",
    ),
    ("Pick[bowl_0]", "Place[bowl_0, on, floor_kitchen_1]"): (
        "(is_on_floor bowl_0)",
        "(is_in_room bowl_0 kitchen_1)",
        "(is_on_top bowl_0 floor_kitchen_1)",
        "(not (is_on_top bowl_0 floor_study_1))",
    ),
    ("Open[cabinet_2]", "Pick[cup_0]", "Fill[cup_0]", "PowerOn[stove_4]"): (
        "(is_open cabinet_2)",
        "(is_filled cup_0)",
        "(not (is_empty cup_0))",
        "(is_powered_on stove_4)",
    ),
}


@for_each("calls", HOLDS, ids="; ".join)
def test_what_holds_holds_and_its_denial_does_not(calls: tuple[str, ...]) -> None:
    engine = after(*calls)
    for text in HOLDS[calls]:
        made = literal(text)
        assert holds(engine, made), text
        assert not holds(engine, made.inside if isinstance(made, Not) else Not(made)), text


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_the_room_of_an_object_is_that_of_what_it_rests_on_and_of_no_other(seed: int) -> None:
    engine = HouseEngine(small.house())
    chooser = Chooser(engine, seed)
    for _ in range(30):
        engine.step([chooser.choose(i) for i in range(3)])
        for o in engine.house.objects:
            how, where = engine.current.place_of(o)
            rooms = [room for room in engine.house.rooms if holds(engine, Atom("is_in_room", (o, room)))]
            assert rooms == ([] if how == "is_held_by" else [engine.house.room_of[where]])
            assert holds(engine, Atom("is_on_floor", (o,))) == (how == "lies_on")


class TestVisible:
    def test_a_thing_is_seen_where_it_is_and_not_elsewhere(self) -> None:
        engine = after()
        for text, sees in (
            ("(is_closed cabinet_2)", [True, False, False]),
            ("(not (is_open cabinet_2))", [True, False, False]),
            ("(is_on_top book_0 table_5)", [False, True, False]),
            ("(is_in_room ball_0 bedroom_1)", [False, False, True]),
            ("(not (is_on_top bowl_0 table_5))", [True, False, False]),
            ("(is_inside cup_0 cabinet_2)", [False, False, False]),
            ("(agent_in_room agent_1 study_1)", [False, True, False]),
        ):
            assert [visible(engine, i, literal(text)) for i in range(3)] == sees, text

    def test_what_is_inside_is_seen_while_it_is_open(self) -> None:
        fact = literal("(is_inside cup_0 cabinet_2)")
        assert visible(after("Open[cabinet_2]"), 0, fact)
        assert not visible(after("Open[cabinet_2]", "Close[cabinet_2]"), 0, fact)

    def test_next_to_is_seen_by_who_sees_both(self) -> None:
        fact = literal("(is_next_to bowl_0 plate_0)")
        assert visible(after(), 0, fact)
        assert not visible(after(), 1, fact)
        apart = literal("(is_next_to bowl_0 book_0)")
        assert not visible(after(), 0, apart)
        assert not visible(after(), 1, apart)

    def test_how_an_object_is_turned_is_seen_by_who_sees_it(self) -> None:
        """Though nobody has handled it."""
        engine = after(initial_states={"bowl_0": {"is_dirty": True, "is_filled": True}})
        for text in (
            "(is_dirty bowl_0)",
            "(is_clean plate_0)",
            "(is_filled bowl_0)",
            "(is_powered_off kettle_0)",
        ):
            assert holds(engine, literal(text))
            assert [visible(engine, i, literal(text)) for i in range(3)] == [True, False, False], text

    def test_the_affected_thing_counts_and_not_its_trigger(self) -> None:
        engine = HouseEngine(small.house(*small.ALL_SIX))
        engine.step([WAIT, WAIT, Command("Open", ("cabinet_10",))])
        fact = literal("(is_open fridge_3)")
        assert holds(engine, fact)
        assert [visible(engine, i, fact) for i in range(3)] == [True, False, False]


class TestInTheLastStep:
    def test_what_did_not_hold_for_a_moment_has_lapsed(self) -> None:
        engine = after("Open[cabinet_2]", "Wait[]")
        fact, door = literal("(is_open cabinet_2)"), ("cabinet_2",)
        assert not watch(engine.house, fact).failed(engine)
        assert not holds(engine, literal("(is_closed cabinet_2)"))
        engine.step([WAIT, Command("Navigate", door), WAIT])
        engine.step([Command("Close", door), Command("Open", door), WAIT])
        assert holds(engine, fact)
        assert watch(engine.house, fact).failed(engine)
        assert not watch(engine.house, literal("(not (is_on_top bowl_0 table_5))")).failed(engine)
        engine.step([WAIT] * 3)
        assert not watch(engine.house, fact).failed(engine)

    def test_what_was_seen_on_the_way_counts_until_the_next(self) -> None:
        # The agent looks from all over the study, and ends in its middle.
        texts = ("(is_on_top book_0 table_5)", "(is_clean cup_1)", "(is_next_to cup_1 book_0)")
        engine = after("Explore[study_1]")
        for text in texts:
            assert [glimpsed(engine, i, literal(text)) for i in range(3)] == [True, False, False], text
        assert not glimpsed(engine, 0, literal("(is_inside cup_0 cabinet_2)"))
        engine.step([WAIT] * 3)
        assert not any(glimpsed(engine, 0, literal(text)) for text in texts)

    def test_what_was_seen_on_the_way_and_changed_after_does_not_count(self) -> None:
        engine = after("Explore[study_1]")
        engine.step([WAIT, Command("Navigate", ("cabinet_6",)), WAIT])
        engine.step([Command("Explore", ("study_1",)), Command("Open", ("cabinet_6",)), WAIT])
        assert not glimpsed(engine, 0, literal("(is_open cabinet_6)"))
        assert not glimpsed(engine, 0, literal("(is_closed cabinet_6)"))
