"""Minds that know nothing reach no score above 0 and no headline, in any game."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from otherminds import SeatSpec
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.measures.cells import Cell, cells, verdicts
from otherminds.measures.episode import Episode, summarise
from otherminds.measures.verdict import KNOWLEDGE
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from tests.cases import depth

GAMES = ("rps", "ibs", "ipd")
POPULATIONS = ("single", "mixed", "tit_for_tat", "grim", "win_stay_lose_shift")
ROUNDS, A_PARTNER = 30, 6


def null_minds(game: str) -> list[SeatSpec]:
    own, theirs = scenario(f"{game}-single-v1", {}).game.behaviours
    pairs = [
        SeatSpec("constant", {"behaviour": a, "prediction": b}, label=f"{a}, says {b}")
        for a, b in product(own, theirs)
    ]
    return [*pairs, SeatSpec("uniform"), SeatSpec("echo"), SeatSpec("mirror")]


def bank(game: str) -> list[Episode]:
    """Every null mind against every member of every population."""
    found: list[Episode] = []
    for name in (f"{game}-{population}-v1" for population in POPULATIONS):
        built = scenario(name, {"rounds": ROUNDS})
        for seat, (m, (_, members)) in product(null_minds(game), enumerate(built.population.members)):
            for k in range(A_PARTNER):
                met = dict(zip(built.others, members, strict=True))
                ego = Participant(make_mind(seat), label=seat.label)
                found.append(summarise(play_now(Setup(built, {"ego": ego}, 100 * m + k, met))[0]))
    return found


def reported(episodes: list[Episode]) -> list[Cell]:
    planned: dict[tuple[str, str], int] = {}
    for episode in episodes:
        key = (episode.scenario, episode.mind)
        planned[key] = planned.get(key, 0) + 1
    return cells(planned, episodes)


@pytest.fixture(scope="module", params=GAMES)
def episodes(request: pytest.FixtureRequest) -> list[Episode]:
    return bank(request.param)


def test_no_score_of_ignorance_lies_above_zero(episodes: list[Episode]) -> None:
    found = reported(episodes)
    assert any(cell.literal.mean is not None for cell in found)
    for cell in found:
        for estimate in (cell.literal, cell.functional):
            assert estimate.mean is None or estimate.low <= 1e-9, (cell.scenario, cell.mind, estimate)


def test_no_verdict_says_that_ignorance_knows(episodes: list[Episode]) -> None:
    """Reports of these minds opened with "says more than it does: L = 0.98, F = 0.00, gap 0.98; sure in 11 of 15 cells"."""
    found = reported(episodes)
    assert not [one for one in (*verdicts(found), *(cell.verdict for cell in found)) if one.kind in KNOWLEDGE]


@pytest.mark.parametrize("studies", depth(5, 40))
def test_simulated_studies_of_ignorance_seldom_find_anything(episodes: list[Episode], studies: int) -> None:
    """At most 5 % of studies; ``benchmarks/verdicts.py`` plays a thousand a world."""
    by_cell: dict[tuple[str, str, str], list[Episode]] = {}
    for episode in episodes:
        if "mixed" in episode.scenario or "single" in episode.scenario:
            by_cell.setdefault((episode.scenario, episode.mind, episode.stratum), []).append(episode)
    rng = Random(1)
    findings = 0
    for _ in range(studies):
        drawn = [one for played in by_cell.values() for one in rng.choices(played, k=3)]
        findings += any(cell.verdict.kind in KNOWLEDGE for cell in reported(drawn))
    assert findings <= 0.05 * studies
