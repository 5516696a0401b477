"""Plans: examples are valid on their map, calls are read strictly, and garbage is no plan."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Invalid, SkillChoice
from otherminds.gridworlds.in_the_matrix.naming import SeatVocabulary
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.scaffold import plan, plans, skills
from otherminds.gridworlds.in_the_matrix.skills import LOOKOUT
from tests.cases import for_each

SUBSTRATES = [RWS_REPEATED, RWS_ARENA, PD_REPEATED]


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
@for_each("turned", [False, True])
def test_worked_plans_go_from_where_one_is_to_places_of_this_map(rules: Rules, turned: bool) -> None:
    order = range(len(rules.classes))
    worked = plans(SeatVocabulary(rules, "ego"), [*order][::-1] if turned else [*order])
    assert len(worked) == 3
    for thoughts, calls in worked:
        made = plan(rules, calls)
        assert isinstance(made, tuple)
        assert [do.name for do in made] == ["move_to"] * (len(made) - 1) + ["fire_at"]
        places = [[(int(x), int(y)) for x, y in re.findall(r"\((\d+), (\d+)\)", call)] for call in calls]
        for before, after in pairwise(places):
            assert before[-1] == after[0]
        assert thoughts.startswith(f"I am at {places[0][0]} and hold ")
        for place in (place for call in places for place in call):
            assert str(place) in thoughts
            assert place not in rules.places, "where boxes really grow is for the mind to find out"
    assert {name for thoughts, _ in worked for name in rules.classes if f"boxes of {name}" in thoughts}


def test_skills_are_named_as_plans_call_them() -> None:
    told = skills(SeatVocabulary(RWS_ARENA, "partner_2"))
    assert "\n- move_to((x, y), (x2, y2)): " in told
    assert "\n- fire_at((x, y)): you stay around that place and turn until you see another player" in told
    assert f"looked round for {LOOKOUT} steps" in told


@for_each(
    ("calls", "due"),
    [
        (["move_to((1, 1), (2, 1))"], (SkillChoice("move_to", (2, 1)),)),
        (["move_to((99, 0),(2,1))"], (SkillChoice("move_to", (2, 1)),)),
        (["move_to((2, 1))"], (SkillChoice("move_to", (2, 1)),)),
        ([" fire_at( ( 2 , 1 ) ) "], (SkillChoice("fire_at", (2, 1)),)),
        (
            ["move_to((1, 1), (2, 1))", "fire_at((2, 1))"],
            (SkillChoice("move_to", (2, 1)), SkillChoice("fire_at", (2, 1))),
        ),
        ([], "at least one call"),
        (["fire_at((2, 1))", "dance((2, 1))"], "there is no skill dance"),
        (["fire_at((2, 1), (2, 1))"], "fire_at cannot be called with 2 places"),
        (["move_to()"], "move_to cannot be called with 0 places"),
        (["move_to((1, 1), (2, 1), (3, 1))"], "move_to cannot be called with 3 places"),
        (["move_to(2, 1)"], "no call of a skill with places"),
        (["move_to((2, 1)) # and so on"], "no call of a skill with places"),
        (["move_to((-1, 1))"], "no call of a skill with places"),
        (["move_to((23, 1))"], "(23, 1) is not on the map of 23 by 15"),
        (["move_to((0, 0))"], "(0, 0) is a wall"),
        (["fire_at((4, 2))"], "(4, 2) is a wall"),
        (["__import__('os').system('true')"], "no call of a skill with places"),
        (["move_to((1, 1), (2, 1))" + " " * 10**6], "no call of a skill with places"),
        (["(" * 10**6], "no call of a skill with places"),
        ([("move_to", 2, 1)], "a call is a text"),
        ([None], "a call is a text"),
    ],
)
def test_calls_are_read_strictly_and_refused_with_help(calls: Any, due: Any) -> None:
    made = plan(RWS_REPEATED, calls)
    if isinstance(made, Invalid):
        assert due in made.reason
        assert len(made.raw) <= 200
    else:
        assert made == due


CALLS = st.text("moverta_fi(), 0123456789", max_size=60) | st.text(max_size=60)
NEARLY = st.from_regex(
    r"\s*(move_to|fire_at)\(\((-?\d{1,3}), ?(\d{1,3})\)(, \((\d+),\d\))?\)?\s*", fullmatch=True
)


@given(st.lists(CALLS | NEARLY | st.integers() | st.none(), max_size=4))
def test_garbage_never_raises_and_what_is_read_is_valid(calls: list[Any]) -> None:
    made = plan(PD_REPEATED, calls)
    if isinstance(made, Invalid):
        assert made.reason
        return
    assert len(made) == len(calls)
    width, height = PD_REPEATED.size
    for do in made:
        assert do.name in ("move_to", "fire_at")
        assert do.args not in PD_REPEATED.walls
        assert 0 < do.args[0] < width
        assert 0 < do.args[1] < height
