"""Executors: what plays the episodes of a study, here or elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from otherminds.core.errors import InternalError
from otherminds.core.record import EpisodeSpec
from otherminds.studies.chunks import play_lines
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.store import Store

if TYPE_CHECKING:
    from conftest import Heard


class Inline:
    """Plays in this process, ``room`` episodes between two answers, and ``most`` in all."""

    def __init__(self, room: int = 5, most: int = 1000) -> None:
        self.taken: list[EpisodeSpec] = []
        self.room = room
        self.most = most
        self.closed = 0
        self._waiting: list[EpisodeSpec] = []

    def submit(self, spec: EpisodeSpec) -> bool:
        if len(self._waiting) == self.room or len(self.taken) == self.most:
            return False
        self._waiting.append(spec)
        self.taken.append(spec)
        return True

    async def results(self) -> AsyncIterator[Sequence[bytes]]:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            yield self.play(batch)

    async def close(self) -> None:
        self.closed += 1

    def play(self, batch: Sequence[EpisodeSpec]) -> list[bytes]:
        return play_lines(batch)


class Damaging(Inline):
    def play(self, batch: Sequence[EpisodeSpec]) -> list[bytes]:
        return [line.replace(b'"seed":', b'"sead":') for line in super().play(batch)]


class Stray(Inline):
    """Plays other episodes than those it was given."""

    def play(self, batch: Sequence[EpisodeSpec]) -> list[bytes]:
        return play_lines([EpisodeSpec(one.scenario, one.seats, one.seed + 1000) for one in batch])


class Doubling(Inline):
    """Sends every line twice, and those before once more."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def play(self, batch: Sequence[EpisodeSpec]) -> list[bytes]:
        now = super().play(batch)
        before, self.sent = self.sent, now
        return [*now, *before, *now]


def hashes(folder: Path) -> dict[str, str]:
    return {line.episode: line.hash for line in Store(folder).lines()}


def test_another_executor_gives_the_same_records(small: Path, tmp_path: Path, heard: Heard) -> None:
    plan = plan_file(small)
    run(plan, tmp_path / "pool", heard)
    inline = Inline()
    assert run(plan, tmp_path / "inline", heard, executor=inline) == {"scored": 24}
    assert hashes(tmp_path / "inline") == hashes(tmp_path / "pool")
    assert inline.taken == list(plan.episodes)
    assert inline.closed == 1


def test_what_an_executor_does_not_take_stays_planned(small: Path, tmp_path: Path, heard: Heard) -> None:
    plan = plan_file(small)
    assert run(plan, tmp_path / "out", heard, executor=Inline(most=7)) == {"scored": 7, "planned": 17}
    assert run(plan, tmp_path / "out", heard, executor=Inline()) == {"scored": 24}


@pytest.mark.parametrize("kind", [Damaging, Stray])
def test_a_line_that_is_damaged_or_of_another_episode_is_not_recorded(
    kind: type[Inline], small: Path, tmp_path: Path, heard: Heard
) -> None:
    inline = kind()
    with pytest.raises(InternalError, match=r"is damaged|was not asked for"):
        run(plan_file(small), tmp_path / "out", heard, executor=inline)
    assert hashes(tmp_path / "out") == {}
    assert inline.closed == 1


def test_further_lines_of_an_episode_are_dropped(small: Path, tmp_path: Path, heard: Heard) -> None:
    plan = plan_file(small)
    assert run(plan, tmp_path / "out", heard, executor=Doubling()) == {"scored": 24}
    assert len(list(Store(tmp_path / "out").lines())) == len(heard.outcomes) == 24
