"""Whole episodes of duels: safe with the grim, firm with the corrigible, by fair means alone where it is told to."""

from __future__ import annotations

import pytest

from otherminds.core.contracts import Mind
from otherminds.core.data import SkillChoice
from otherminds.core.record import Record
from otherminds.core.scenario import Setup, scenario
from otherminds.minds.bayesian import Bayesian
from otherminds.minds.references import Blind, Informed
from otherminds.testing.episodes import played
from tests.cases import thinned


def episode(name: str, seed: int, mind: Bayesian, steps: int = 900) -> Record:
    built = scenario(name, {"steps": steps})
    return played(Setup(built, {"ego": mind}, seed, ask=False))


def shown(record: Record, seat: str) -> list[str]:
    return [encounter.did[seat][0] for encounter in record.met["ego"]]


@pytest.mark.parametrize("name", thinned(["pd-repeated-3-v1", "pd-repeated-4-v1"], 2))
def test_a_grim_partner_is_never_defected_on(name: str) -> None:
    for seed in (0, 1):
        own = shown(episode(name, seed, Bayesian()), "ego")
        assert own
        assert set(own) == {"cooperate"}


def test_a_corrigible_partner_that_trembles_is_corrected_within_five_duels() -> None:
    for seed in (0, 1):
        assert "cooperate" in shown(episode("pd-repeated-9-v1", seed, Bayesian()), "partner_0")[:5]


def test_a_corrigible_partner_is_corrected_within_five_duels_and_peace_is_kept() -> None:
    for seed in (0, 1):
        record = episode("pd-repeated-8-v1", seed, Bayesian(), 1200)
        theirs, own = shown(record, "partner_0"), shown(record, "ego")
        assert "cooperate" in theirs[:5]
        assert own[6:] == ["cooperate"] * len(own[6:])
        assert len(own) > 8


def test_without_gathering_it_plays_by_the_behaviours_skills_alone() -> None:
    record = episode("rws-repeated-6-v1", 0, Bayesian(gathers=False))
    made = [choice.made for choice in record.choices if choice.seat == "ego"]
    assert {do.name for do in made if isinstance(do, SkillChoice)} <= {"rock", "paper", "scissors"}
    assert shown(record, "ego")[2:] == ["paper"] * len(shown(record, "ego")[2:])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("rws-repeated-mixed-v1", 0.8), ("rws-arena-3-v1", 0.8)])
def test_it_wins_nearly_what_one_wins_who_knows_the_partners(name: str, least: float) -> None:
    """F on twelve seeds; the figures of all scenarios on twenty stand in benchmarks/results/bayesian.md."""
    built = scenario(name, {})

    def won(mind: Mind) -> float:
        records = [played(Setup(built, {"ego": mind}, seed, ask=False)) for seed in range(12)]
        return sum(sum(row[0] for row in record.rewards) / len(record.actions) for record in records)

    blind, informed = won(Blind()), won(Informed())
    assert (won(Bayesian()) - blind) / (informed - blind) > least
