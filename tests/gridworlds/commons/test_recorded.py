"""The plain rules explain every step that was recorded from the real substrates, pictures too, and no other rules do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tools.melting_pot.commons.follow import Followed, Follower, shape
from tools.melting_pot.commons.recording import Recording, load, save

from otherminds.gridworlds.commons.rules import SUBSTRATES, Beam, Rules
from tests.cases import for_each

DATA = Path(__file__).parents[2] / "data" / "melting_pot" / "commons"
NAMES = tuple(SUBSTRATES)


@cache
def recorded(name: str) -> list[Recording]:
    return load(DATA / f"{name}.xz")


def follow(name: str, recording: Recording, steps: int | None = None, **changes: Any) -> Followed:
    rules: Rules = replace(shape(name, recording), **changes)
    return Follower(rules, recording).follow(steps)


@for_each("name", NAMES)
def test_the_beginning_of_an_episode_on_every_map_is_explained(name: str) -> None:
    for recording in {recording.variant: recording for recording in reversed(recorded(name))}.values():
        result = follow(name, recording, 60)
        assert result.mismatches == []
        assert result.steps == 60


@pytest.mark.slow
@for_each("name", NAMES)
def test_every_recorded_step_is_explained_and_every_rule_is_met(name: str) -> None:
    results = [follow(name, recording) for recording in recorded(name)]
    assert [fault for result in results for fault in result.mismatches] == []
    assert sum(result.steps for result in results) >= 6000
    events = sum((result.events for result in results), Counter[str]())
    wanted = {"taken"}
    if SUBSTRATES[name].zap:
        wanted |= {"hit another", "removed", "appeared again"}
    if SUBSTRATES[name].law == "cleanness":
        wanted |= {"cleaned", "two taken in one step"}
    if SUBSTRATES[name].harm:
        wanted |= {"coin of the other's colour taken"}
    assert {kind: events[kind] for kind in wanted if events[kind] < 30} == {}


@for_each("name", NAMES)
def test_recordings_have_the_official_map_and_number_of_players_among_others(name: str) -> None:
    official = [recording for recording in recorded(name) if recording.variant == 0]
    assert sum(recording.steps for recording in official) >= 3000
    assert {recording.actions.shape[1] for recording in official} == {SUBSTRATES[name].players}


CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "harm": ("coins-v1", {"harm": -1.0}),
    "respawn": ("harvest-open-v1", {"respawn": 5}),
    "length of the beam": ("harvest-open-v1", {"zap": Beam(4, 2)}),
    "cooldown": ("harvest-closed-v1", {"zap": Beam(4, 2)}),
    "cooldown of cleaning": ("clean-up-v1", {"cleaner": Beam(3, 1)}),
    "first two players": ("harvest-open-v1", {"inside": ""}),
    "end": ("coins-v1", {"minimum": 900}),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_number_in_the_rules_is_noticed(change: str) -> None:
    name, changes = CHANGES[change]
    if change == "first two players":
        starts = {tuple(pose[:2]) for recording in recorded(name) for pose in recording.poses[0, :2].tolist()}
        assert starts.isdisjoint(SUBSTRATES[name].spawns)
        return
    assert any(follow(name, recording, **changes).mismatches for recording in recorded(name))


def test_a_changed_observation_is_a_mismatch_that_says_where() -> None:
    (recording, *_) = recorded("coins-v1")
    rewards = recording.rewards.copy()
    rewards[20, 1] += 3  # One more may be a coin that came and was taken unseen
    (fault,) = follow("coins-v1", replace(recording, rewards=rewards), 40).mismatches
    assert fault.startswith("step 20: rewards[1]")


def test_a_changed_pixel_is_a_mismatch() -> None:
    (recording, *_) = recorded("coins-v1")
    pictures = recording.pictures.copy()
    pictures[10] ^= 1
    assert follow("coins-v1", replace(recording, pictures=pictures), 40).mismatches == ["step 10: pictures"]


def test_recordings_survive_being_saved(tmp_path: Path) -> None:
    episodes = recorded("coins-v1")[:1]
    save(episodes, tmp_path / "coins.xz")
    (again,) = load(tmp_path / "coins.xz")
    for name, value in vars(episodes[0]).items():
        assert (
            (getattr(again, name) == value)
            if isinstance(value, bool | int)
            else (getattr(again, name) == value).all()
        )
