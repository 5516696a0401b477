"""Luck: who says nothing and tries handles and places at random solves no shipped task often."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from otherminds.testing.elsewhere import load
from otherminds.worlds.household.tasks.load import shipped_tasks

guessing = load(Path(__file__).parent / "guessing.py")

TABLE = files("otherminds.worlds.household.tasks") / "shipped" / "README.md"
MOST = guessing.SEEDS // 4


@pytest.mark.parametrize("guessers", guessing.TEAMS)
@pytest.mark.parametrize("name", shipped_tasks())
def test_luck_solves_a_task_in_at_most_a_quarter_of_episodes(name: str, guessers: str) -> None:
    assert guessing.share(name, guessers, 1) <= MOST


def test_the_guessers_do_try_their_luck() -> None:
    team = guessing.team
    house = team.shipped("cabinet_confirmation")
    for made in guessing.TEAMS.values():
        played = team.play(house, {seat: made(house) for seat in house.agents}, 10)
        assert not played.said
        assert any(
            entry["ok"] and entry["call"].startswith(("Open", "PowerOn")) for entry in played.world.log
        )


def test_the_guessers_find_what_flipping_everything_is_enough_for() -> None:
    team = guessing.team
    others = [team.barred(seat, "store_1") for seat in ("agent_0", "agent_1")]
    house = team.house(*others, goal="(is_open cabinet_12)", secrets={})
    for guessers in ("flips", "room by room"):
        made = guessing.TEAMS[guessers]
        assert team.play(house, {seat: made(house) for seat in house.agents}, 60).solved


def test_the_table_gives_the_shares_that_are_measured() -> None:
    found = dict(
        re.findall(r"^\| `(\w+)` \| ([\d/ ]+) \| [\d/ ]+ \|$", TABLE.read_text("utf-8"), re.MULTILINE)
    )
    assert found == {name: guessing.row(name, 1) for name in shipped_tasks()}
