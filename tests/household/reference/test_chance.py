"""The mind that acts at random."""

from otherminds.household.commands import Command, parse
from otherminds.household.reference.roster import Chance
from tests.household.reference import team


def test_it_tries_all_sorts_of_things_and_says_nothing() -> None:
    house = team.house(goal="(is_open fridge_3)", secrets={})
    played = team.play(house, {seat: Chance() for seat in house.agents}, 300)
    tools = {read.tool for e in played.world.log if isinstance(read := parse(e.call), Command)}
    assert {"Navigate", "Explore", "Open", "Close", "Pick", "Place", "PowerOn", "Wait"} <= tools
    assert played.said == []


def test_its_answers_are_spread_over_the_options() -> None:
    goal = "(and (is_open fridge_3) (K agent_0 (is_open fridge_3)))"
    house = team.house(goal=goal, secrets={})
    found = [
        str(team.play(house, {s: Chance() for s in house.agents}, 1, seed=seed).answers["k_probe_0"])
        for seed in range(30)
    ]
    assert len(set(found)) == 3
