"""Measured episodes that lie in a temporary database are those that were put there."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

from otherminds.core.record import Record
from otherminds.measures.episode import Episode, summarise
from otherminds.measures.registry import Unknown
from otherminds.reports.episodes import KeptEpisodes

ARRAYS = ("regrets", "hits")
LEFT_OUT = ("details", "said", "predictions")


def plain(episode: Episode, without: tuple[str, ...] = ()) -> dict[str, object]:
    found = {name: value for name, value in structs.asdict(episode).items() if name not in without}
    for name in ARRAYS:
        if isinstance(value := found.get(name), np.ndarray):
            found[name] = value.tolist()
    return found


def kept(episodes: list[Episode], *, with_rounds: bool) -> list[Episode]:
    store = KeptEpisodes(with_rounds=with_rounds)
    for episode in episodes:
        store.add(episode)
    found = [episode for scenario in store.scenarios() for episode in store.of(scenario)]
    store.close()
    return found


@pytest.fixture
def episodes(records: list[Record]) -> list[Episode]:
    return sorted(map(summarise, records), key=lambda episode: episode.scenario)


def test_nothing_of_an_episode_is_lost(episodes: list[Episode]) -> None:
    again = kept(episodes, with_rounds=True)
    assert [plain(one, LEFT_OUT) for one in again] == [plain(one, LEFT_OUT) for one in episodes]


def test_rounds_are_kept_only_where_they_are_wanted(episodes: list[Episode]) -> None:
    again = kept(episodes, with_rounds=False)
    without = (*LEFT_OUT, *ARRAYS)
    assert [plain(one, without) for one in again] == [plain(one, without) for one in episodes]
    assert all(isinstance(one.regrets, Unknown) and isinstance(one.hits, Unknown) for one in again)


def test_equal_parts_are_held_once(episodes: list[Episode]) -> None:
    first, second = kept([episodes[0]] * 2, with_rounds=False)
    assert first.about is second.about
    assert first.values is second.values
    assert first.basis.population is second.basis.population


def test_scenarios_come_in_order_of_name(episodes: list[Episode]) -> None:
    store = KeptEpisodes(with_rounds=False)
    for episode in reversed(episodes):
        store.add(episode)
    assert store.scenarios() == sorted({episode.scenario for episode in episodes})
    assert store.of("none such") == []
