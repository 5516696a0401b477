"""Luck: teams that say nothing and try handles and places solve no shipped task more often than ``no_message``.

The blind level of a task is what the team ``no_message`` gets, which ignores all that others were told: 0 in
every shipped task. What any silent policy reaches is bounded by proof (``proofs/test_guessing.py``).
"""

from __future__ import annotations

from importlib.resources import files

import pytest

from otherminds.household.house import House
from otherminds.household.task import Binding
from otherminds.household.tasks.load import shipped_tasks
from tests.cases import thinned
from tests.household import hidden_bindings as pairs
from tests.household.tasks import guessing

TABLE = files("otherminds.household.tasks") / "shipped" / "README.md"
EPISODES = 50
"""Episodes of each team in each task and limit, in the table of the shipped tasks."""


@pytest.mark.parametrize(
    ("name", "times"), thinned([(name, times) for times in (1, 2) for name in shipped_tasks()], 8)
)
def test_no_knocking_team_does_better_than_the_blind_level(name: str, times: int) -> None:
    assert {style: guessing.share(name, style, times) for style in guessing.STYLES} == dict.fromkeys(
        guessing.STYLES, 0
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_tasks())
def test_the_table_gives_what_is_measured(name: str) -> None:
    assert guessing.row(name, EPISODES) in TABLE.read_text("utf-8").splitlines()


# That the teams do try


def test_the_guessers_do_try_their_luck() -> None:
    team = guessing.team
    house = team.shipped("cabinet_confirmation")
    for style in set(guessing.STYLES) - {"odd"}:
        played = team.play(
            house, {seat: guessing.Guesser(house, guessing.STYLES[style]) for seat in house.agents}, 24
        )
        assert not played.said
        turned = [e for e in played.world.log if e.ok and e.call.startswith(("Open", "PowerOn", "Close"))]
        assert turned, style


def locked(goal: str, *bindings: Binding) -> House:
    """A task in the small house in which nobody may enter the store, and nobody is told anything."""
    team = guessing.team
    others = [team.barred(seat, "store_1") for seat in ("agent_0", "agent_1")]
    return team.house(*others, *bindings, goal=goal, secrets={})


def test_the_guessers_find_what_flipping_everything_is_enough_for() -> None:
    house = locked("(is_open cabinet_12)")
    for style in ("flips", "room by room", "public"):
        minds = {seat: guessing.Guesser(house, guessing.STYLES[style]) for seat in house.agents}
        assert guessing.team.play(house, minds, 60).solved


def test_a_team_that_listens_finds_bound_furniture_that_answers_in_its_own_words() -> None:
    mirror = Binding("state_mirroring", trigger_object="cabinet_2", target_object="cabinet_12")
    goal = "(and (is_open cabinet_12) (is_closed fridge_3) (is_closed cabinet_6) (is_closed cabinet_10))"
    found = {}
    for leaks in (True, False):
        house = locked(goal, mirror)
        if leaks:
            pairs.said_otherwise(house, "is already", "does not move: it is already")
        minds = {seat: guessing.Guesser(house, guessing.STYLES["odd"]) for seat in house.agents}
        found[leaks] = guessing.team.play(house, minds, 60).solved
    assert found == {True: True, False: False}
