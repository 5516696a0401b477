"""A replay is the episode that was recorded, or says where it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as changed

import numpy as np
import pytest
from msgspec.structs import replace

from otherminds import Record
from otherminds.core.data import SkillChoice
from otherminds.core.errors import StudyError
from otherminds.core.record import Choice
from otherminds.core.scenario import Setup, scenario
from otherminds.gridworlds.replay.scenes import GridReplay, again, skills
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played


@pytest.mark.parametrize("name", ["rws-repeated-3-v1", "pd-repeated-5-v1", "rws-arena-0-v1"])
def test_an_episode_plays_again_as_it_was(name: str, of: Callable[[str], Record]) -> None:
    record = of(name)
    grid_replay = again(record)
    assert grid_replay.fault == ""
    assert len(grid_replay.frames.codes) == len(record.actions) + 1
    assert grid_replay.totals[-1].tolist() == pytest.approx([record.total(seat) for seat in record.seats])


def test_every_recorded_duel_happens(record: Record, grid_replay: GridReplay) -> None:
    told = [happening for happening in grid_replay.happenings if happening.kind == "duel"]
    duels = record.facts["duels"]
    assert len(duels) > 1
    assert [happening.step - 1 for happening in told] == [duel["step"] for duel in duels]
    assert [[record.seats[i] for i in happening.seats] for happening in told] == [
        duel["seats"] for duel in duels
    ]
    assert [list(happening.rewards) for happening in told] == [duel["rewards"] for duel in duels]


def test_a_duel_lasts_until_it_is_paid_and_those_in_it_leave(grid_replay: GridReplay) -> None:
    duel = next(happening for happening in grid_replay.happenings if happening.stop)
    over = duel.step + duel.steps
    for seat in duel.seats:
        assert grid_replay.stage.states[grid_replay.frames.states[over - 1, seat]] == "frozen in a duel"
        assert grid_replay.stage.states[grid_replay.frames.states[over, seat]] == "removed"
        assert grid_replay.frames.stands[over, seat, 0] == -1
        assert (
            grid_replay.totals[over, seat] - grid_replay.totals[over - 1, seat]
            == duel.rewards[duel.seats.index(seat)]
        )


def test_other_rewards_than_recorded_are_said_with_their_step(record: Record) -> None:
    rewards = list(record.rewards)
    rewards[6] = (1.0, -1.0)
    assert again(replace(record, rewards=rewards)).fault.startswith("from step 7 on")


def test_other_actions_than_were_played_are_noticed(record: Record) -> None:
    idle = [(0, 0)] * len(record.actions)
    assert again(replace(record, actions=idle)).fault


def test_a_record_that_goes_on_after_the_end_is_noticed(record: Record) -> None:
    longer = replace(record, actions=[*record.actions, (0, 0)], rewards=[*record.rewards, (0.0, 0.0)])
    assert (
        again(longer).fault
        == f"the replay ends after {len(record.actions)} of {len(record.actions) + 1} recorded steps"
    )


def test_a_record_that_stops_before_the_end_is_noticed(record: Record) -> None:
    shorter = replace(record, actions=record.actions[:50], rewards=record.rewards[:50])
    assert again(shorter).fault == "the replay goes on after the 50 recorded steps"


def test_a_part_keeps_its_steps_and_totals(grid_replay: GridReplay) -> None:
    part = grid_replay.cut(100, 180)
    assert (part.first, part.last, len(part.frames.codes)) == (100, 180, 81)
    assert np.array_equal(part.totals, grid_replay.totals[100:181])
    assert np.array_equal(part.frames.stands[5], grid_replay.frames.stands[105])


def test_a_part_that_is_not_there_is_an_error(grid_replay: GridReplay) -> None:
    for first, last in ((-1, 5), (5, 4), (0, grid_replay.last + 1)):
        with pytest.raises(StudyError, match="are not within 0:300"):
            grid_replay.cut(first, last)


def test_a_world_without_a_map_has_no_pictures() -> None:
    made = scenario("rps-single-v1", {})
    record = played(Setup(made, {"ego": RandomMind()}, 0))
    with pytest.raises(StudyError, match=r"for worlds with a map, and 'rps-single-v1' has none"):
        again(record)


def test_a_skill_holds_until_the_next_is_chosen(grid_replay: GridReplay) -> None:
    choices = (
        Choice(0, "ego", SkillChoice("rock")),
        Choice(40, "ego", SkillChoice("paper")),
        Choice(9, "partner_0", SkillChoice("rock")),
    )
    whole = changed(grid_replay, record=replace(grid_replay.record, choices=choices))
    assert list(skills(whole)) == [
        (0, 0, 40, "rock()"),
        (0, 40, 300, "paper()"),
        (1, 9, 300, "rock()"),
    ]
    assert list(skills(whole.cut(50, 60))) == [(0, 40, 300, "paper()"), (1, 9, 300, "rock()")]
