from random import Random

from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Message, SkillChoice
from otherminds.gridworlds.in_the_matrix.rules import RWS_REPEATED
from otherminds.gridworlds.in_the_matrix.scaffold import InTheMatrixScaffold
from otherminds.models.competent.parsing import Prompt
from otherminds.models.competent.planning import distances, plan_on_map, scene, unexplored_place

WIDTH, HEIGHT = RWS_REPEATED.size
GROUND = [(x, y) for y in range(HEIGHT) for x in range(WIDTH) if (x, y) not in RWS_REPEATED.walls]
TOLD = InTheMatrixScaffold(RWS_REPEATED, "ego", (0, 1, 2))


def words(**changed) -> list[str]:
    about = {
        "at": "(8, 6), facing N",
        "held": {"rock": 1, "paper": 1, "scissors": 1},
        "rock": [],
        "earlier": [],
        "players": [],
        "seen": [],
    } | changed
    return [
        "It is step 143.",
        "Map: 23 by 15",
        f"Valid places for move_to: {GROUND}",
        f"You are at: {about['at']}",
        f"You hold: {about['held']}",
        f"Boxes of rock in view: {about['rock']}",
        "Boxes of paper in view: [((13, 4), 7)]",
        f"Other players in view: {about['players']}",
        f"Boxes of rock seen earlier: {about['earlier']}",
        f"Other players seen earlier: {about['seen']}",
    ]


def planned(wanted: str = "rock", sought: tuple[str, ...] = (), seed: int = 0, **changed) -> list[str]:
    at = scene(Prompt([Message("user", "\n".join(words(**changed)))]))
    assert at is not None
    calls, _ = plan_on_map(at, wanted, sought, Random(seed))
    skills = TOLD.plan(calls)
    assert isinstance(skills, tuple)
    assert all(isinstance(skill, SkillChoice) for skill in skills)
    return calls


STRONG = {"rock": 6, "paper": 1, "scissors": 1}


def test_boxes_are_collected_nearest_first_and_no_more_than_needed():
    rock = [((7, 4), 3), ((8, 5), 1), ((8, 4), 2)]
    assert planned(rock=rock) == [
        "move_to((8, 6), (8, 5))",
        "move_to((8, 5), (8, 4))",
        "move_to((8, 4), (7, 4))",
    ]
    assert planned(rock=rock, held={"rock": 5, "paper": 1, "scissors": 1}) == ["move_to((8, 6), (8, 5))"]


def test_boxes_seen_earlier_count():
    assert planned(earlier=[((6, 3), 120)])[0].endswith("(6, 3))")


def test_what_is_unknown_is_explored_and_the_seed_says_where():
    goals = {planned(seed=seed)[0] for seed in range(8)}
    assert len(goals) > 2
    assert all(goal.startswith("move_to((8, 6), ") for goal in goals)


def test_with_enough_in_hand_a_duel_is_sought_where_another_is():
    there = [("the other player", (9, 7))]
    assert planned(held=STRONG, players=there) == ["fire_at((9, 7))"]
    assert planned(held=STRONG, seen=[("the other player", (20, 2), 130)]) == ["fire_at((20, 2))"]
    # What was seen long ago is no sign: the middle of the map is.
    assert planned(held=STRONG, seen=[("the other player", (20, 2), 3)], at="(2, 2), facing E") == [
        "fire_at((11, 7))"
    ]


def test_only_those_sought_are_gone_to():
    there = [("player 2", (9, 7)), ("player 4", (7, 6))]
    assert planned(held=STRONG, players=there, sought=("player 2",)) == ["fire_at((9, 7))"]


def test_off_the_map_there_is_a_plan_too():
    assert planned(at="nowhere, off the map until you come back at a random place")


def test_another_scene_is_none():
    assert scene(Prompt([Message("user", "You hold: 'dish'")])) is None


@given(st.sampled_from(GROUND), st.integers(0, 99))
def test_exploring_leads_to_a_place_that_can_be_reached(here, seed):
    at = scene(Prompt([Message("user", "\n".join(words(at=f"{here}, facing N")))]))
    assert at is not None
    goal = unexplored_place(at, Random(seed))
    assert distances(at.ground, here)[goal] >= 8
