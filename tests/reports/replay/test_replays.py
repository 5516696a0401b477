"""A package shows the episodes of its own worlds; all others are shown in the form that worlds share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.table import Table

from otherminds import Record
from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry
from otherminds.core.scenario import Setup, World
from otherminds.games.registry import games
from otherminds.reports.replay import replays as module
from otherminds.reports.replay.general import choose_page, choose_text
from otherminds.reports.replay.replays import Again, Playback, Replay, find_replay
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played
from otherminds.testing.partners import StageWorld, stage
from tests.reports.replay import reading

PACKAGE = '''
"""A world of its own, and how its episodes are shown."""

from dataclasses import replace

from otherminds.core.scenario import scenarios
from otherminds.games.registry import games
from otherminds.reports.replay.replays import Again
from otherminds.reports.replay.replays import Playback, replays
from otherminds.testing import RandomMind
from otherminds.testing.partners import StageWorld, stage


class Table(StageWorld):
    def facts(self):
        return {"cards": [did["ego"][0] for did in self.history]}


@scenarios.register("cards-v1")
def cards(rounds: int = 5):
    game = games.get("rps")()
    return replace(stage(game, rounds, RandomMind), world=lambda: Table(game, rounds))


class CardReplay:
    def shows(self, record, world):
        return "cards" in record.facts

    def text(self, record):
        yield f"cards: {len(record.facts['cards'])}"

    def play(self, record):
        again = Again(record)
        turns = [0, *again.steps()]
        return self.showing(turns, again.fault)

    def showing(self, turns, fault):
        return Playback(
            page=lambda speed: f"page of {turns} at {speed}",
            fault=fault,
            film=lambda path, speed: path.write_text(f"film of {turns} at {speed}"),
            cut=lambda first, last: self.showing([t for t in turns if (first or 0) <= t <= (last or 99)], fault),
        )


replays.add("cards", CardReplay())
'''
STUDY = """
name = "cards"
episodes = 1
[[cells]]
scenarios = ["cards-v1", "rps-single-v1"]
rounds = 5
minds = ["random"]
"""
COMMANDS = """
import json, sys
from pathlib import Path
from tests.cli.running import otherminds
folder = Path(sys.argv[1])
page, film = folder / "page.html", folder / "film.txt"
done = [
    otherminds("run", folder / "cards.toml", "--out", folder / "out"),
    otherminds("replay", folder / "out", 0),
    otherminds("replay", folder / "out", 0, "--page", page, "--film", film, "--steps", "1:3", "--speed", 2),
    otherminds("replay", folder / "out", 1, "--page", folder / "rps.html"),
]
print(json.dumps([list(one) for one in done]))
"""


def test_an_installed_package_shows_its_own_episodes(tmp_path: Path) -> None:
    """In a process of its own: nothing of the package is known here but its entry points."""
    info = tmp_path / "cards-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cards\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[otherminds.scenarios]\ncards = cards\n[otherminds.replays]\ncards = cards\nwrong = cards:CardReplay\n"
    )
    (tmp_path / "cards.py").write_text(PACKAGE)
    (tmp_path / "cards.toml").write_text(STUDY)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), *filter(None, sys.path)))}
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    ran, text, written, other = json.loads(done.stdout)
    assert [one[0] for one in (ran, text, written, other)] == [0, 0, 0, 0], (ran, text, written, other)
    assert text[1].splitlines()[1] == "cards: 5"
    assert (tmp_path / "page.html").read_text() == "page of [1, 2, 3] at 2.0"
    assert (tmp_path / "film.txt").read_text() == "film of [1, 2, 3] at 2.0"
    assert "Payoffs of a round" in (tmp_path / "rps.html").read_text()
    assert (
        "plugin 'wrong' (of cards, cards:CardReplay) is left out: it is of the wrong type"
        in text[2] + done.stderr
    )


def episode() -> Record:
    """An episode of a world that nothing is registered for."""
    return played(Setup(stage(games.get("rps")(), 4, RandomMind), {"ego": RandomMind()}, 1))


class OwnReplay:
    """Shows the worlds of a class, or the records with a fact."""

    def __init__(self, world: type[World], fact: str = "none") -> None:
        self.world, self.fact = world, fact

    def shows(self, record: Record, world: World | None) -> bool:
        return self.fact in record.facts or isinstance(world, self.world)

    def text(self, record: Record) -> Iterable[str | Table]:
        return ["its own"]

    def play(self, record: Record) -> Playback:
        return Playback(lambda speed: "its own")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Registry[Replay]:
    """In place of all that is registered: what a test adds."""
    registry: Registry[Replay] = Registry("replay", plural="no such group")
    monkeypatch.setattr(module, "replays", registry)
    return registry


def test_a_world_is_shown_by_its_class_or_by_its_record(registered: Registry[Replay], rounds: Record) -> None:
    own = OwnReplay(StageWorld, "cards")
    registered.add("own", own)
    record = episode()
    world = StageWorld(games.get("rps")(), 4)
    assert find_replay(record) is None
    assert find_replay(record, world) is own
    assert find_replay(replace(record, facts={"cards": []})) is own
    assert choose_page(replace(record, facts={"cards": []})) is own, "its scenario need not be installed"
    assert choose_page(rounds) is not own


def test_a_world_without_a_replay_has_a_table_and_a_page_of_rounds(
    registered: Registry[Replay], rounds: Record
) -> None:
    head, table = choose_text(rounds).text(rounds)
    assert isinstance(head, str)
    assert head.startswith("ego: ")
    assert isinstance(table, Table)
    playback = choose_page(rounds).play(rounds)
    assert len(reading.told(playback.page(None))["rounds"]) == 5
    assert (playback.fault, playback.film, playback.cut) == ("", None, None)


def test_a_replay_that_fails_to_decide_is_named(registered: Registry[Replay]) -> None:
    class Broken(OwnReplay):
        def shows(self, record: Record, world: World | None) -> bool:
            raise KeyError("no such fact")

    registered.add("broken", Broken(StageWorld))
    with pytest.raises(StudyError, match="replay 'broken': KeyError"):
        find_replay(episode())


def test_actions_in_words_have_a_row_each(registered: Registry[Replay]) -> None:
    record = episode()
    said = replace(record, actions=[("Ask[all]", "Wait[]")] * 4)
    _, table = choose_text(said).text(said)
    assert isinstance(table, Table)
    assert [*table.columns[2].cells][:8] == ["Ask[all]", "Wait[]"] * 4


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_record_plays_again_without_a_map(count: int) -> None:
    scenario = stage(games.get("rps")(), 4, RandomMind)
    record = episode()
    part = replace(record, actions=record.actions[:count], rewards=record.rewards[:count])
    again = Again(part, scenario)
    assert list(again.steps()) == [*range(1, count + 1)]
    assert again.fault == ("" if count == 4 else f"the replay goes on after the {count} recorded steps")


def test_another_action_than_was_recorded_is_a_fault_of_its_step() -> None:
    scenario = stage(games.get("rps")(), 4, RandomMind)
    record = episode()
    rewards = [*record.rewards[:2], (9.0, -9.0), *record.rewards[3:]]
    again = Again(replace(record, rewards=rewards), scenario)
    assert list(again.steps()) == [1, 2, 3, 4]
    assert again.fault.startswith("from step 3 on the replay is not what was recorded")
