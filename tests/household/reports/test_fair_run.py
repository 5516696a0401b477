"""The run of level 3: taken from a certificate and confirmed, or played; its map shows what the task is about."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest
from msgspec.structs import replace

from otherminds.household.epistemic.certificate import TeamEpisode
from otherminds.household.epistemic.formula import physical
from otherminds.household.house import House
from otherminds.household.proofs.episodes import team_episode
from otherminds.household.reports.chart import Chart
from otherminds.household.reports.marks import Outline, TextLine
from otherminds.household.reports.pool_page import FairRun, RunMap, fair_run, highlights
from otherminds.household.tasks.load import playable

NAME = "remote_lights"


@pytest.fixture(scope="module")
def house() -> House:
    return playable(NAME)


@pytest.fixture(scope="module")
def episode(house: House) -> TeamEpisode:
    return team_episode(house, "level 3")


@pytest.fixture(scope="module")
def run(house: House, episode: TeamEpisode) -> FairRun:
    return fair_run(house, (team_episode(house, "no_message"), episode))


def test_it_has_every_call_of_the_episode_and_solves_the_task(run: FairRun, episode: TeamEpisode) -> None:
    calls = [tuple(did.call for did in frame.did.values()) for frame in run.frames[1:]]
    assert calls == [*episode.turns]
    assert run.solved
    assert not run.fault
    assert run.frames[0].did == {}


def test_messages_are_those_of_the_calls(run: FairRun, episode: TeamEpisode) -> None:
    sent = sum(call.startswith("Communicate") for calls in episode.turns for call in calls)
    assert len(run.messages) == sent > 0


def test_what_holds_of_the_goal_changes_from_the_start_to_the_end(run: FairRun, house: House) -> None:
    parts = len(physical(house.goal))
    assert not all(run.frames[0].holding[:parts])
    assert all(run.frames[-1].holding[:parts])


def test_without_an_episode_the_team_plays(run: FairRun, house: House) -> None:
    played = fair_run(house)
    assert [frame.did for frame in played.frames] == [frame.did for frame in run.frames]
    assert (run.certified, played.certified) == (True, False)


@pytest.mark.parametrize(
    ("changes", "why", "frames"),
    [
        ({"solved": False}, "it solves the task", 11),
        ({"turns": ()}, "goes on after 0 turns", 1),
        ({"turns": (("Wait[]",),)}, "does not have a call of each agent", 1),
        ({"turns": (("</script>", "", ""),) * 11}, "is over after 10 turns", 11),
    ],
)
def test_an_episode_that_the_simulator_rejects_has_a_fault_and_what_was_played(
    house: House, episode: TeamEpisode, changes: dict[str, object], why: str, frames: int
) -> None:
    found = fair_run(house, (replace(episode, **changes),))
    assert why in found.fault
    assert len(found.frames) == frames


def test_the_map_has_agents_and_things_of_the_task_alone(run: FairRun, house: House) -> None:
    drawn = RunMap(Chart(house.scene), run.frames, frozenset({"book_0"}))
    shown = [" ".join(drawn.marks[n] for n in turn) for turn in drawn.turns]
    assert len(shown) == len(run.frames)
    for markup in shown:
        fromstring(f"<svg>{markup}</svg>")
        assert all(agent in markup for agent in house.agents)
    # The toy moves in the run; of the other objects nothing is said and nothing changes.
    assert "book_0" in shown[0]
    assert "toy_figure_1" in shown[0]
    assert not [o for o in house.objects if o not in ("book_0", "toy_figure_1") and f">{o}<" in shown[0]]
    assert "stand_47 is open" not in shown[0]
    assert "stand_47 is open" in shown[-1]
    assert len(drawn.marks) < sum(map(len, drawn.turns)) / 2, "marks that stay are there once"


def test_no_mark_covers_a_name(run: FairRun, house: House) -> None:
    drawn = RunMap(Chart(house.scene), run.frames, frozenset())
    for turn in drawn.turns:
        texts = [drawn.marks[n].startswith("<text") for n in turn]
        assert texts == sorted(texts)


def test_furniture_of_the_goal_and_of_mechanics_is_outlined_and_named(house: House) -> None:
    marks = highlights(Chart(house.scene), frozenset({"bed_45", "book_0"}), frozenset({"bed_45", "stand_47"}))
    assert {mark.kind: mark.title for mark in marks if isinstance(mark, Outline)} == {
        "wanted": "bed_45: in the goal",
        "bound": "stand_47: bound by a mechanic",
    }
    assert {mark.text for mark in marks if isinstance(mark, TextLine)} == {"bed_45", "stand_47"}
