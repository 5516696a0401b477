"""No change of the code changes an episode, unless the change of ``episodes.json`` says so."""

from __future__ import annotations

import json

import pytest

import otherminds as om
from otherminds.core.scenario import scenario, worlds
from tests.golden.episodes import FILE, Golden, digest, golden_episodes, play

GOLDEN = list(enumerate(golden_episodes(), 1))
PINNED: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("seed", "golden"),
    [pytest.param(*pair, id=pair[1].name, marks=[pytest.mark.slow] * (pair[0] % 3 > 0)) for pair in GOLDEN],
)
def test_an_episode_is_as_it_was(seed: int, golden: Golden) -> None:
    record = play(golden, seed)
    assert record.outcome.status == "scored"
    assert digest(record) == PINNED[golden.name]


def test_all_worlds_and_minds_are_pinned() -> None:
    assert len(PINNED) == len(GOLDEN) >= 200
    made = {type(scenario(golden.scenario, golden.options).world()) for _, golden in GOLDEN}
    assert made == {worlds.get(name) for name in worlds}
    assert {golden.mind.mind for _, golden in GOLDEN} >= {*om.minds, *om.strategies}
