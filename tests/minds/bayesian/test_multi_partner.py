"""Several partners: a shared prior, and whom to seek."""

from __future__ import annotations

import numpy as np
import pytest

from otherminds.games.automata import Setting
from otherminds.games.filtering import Filter
from otherminds.games.registry import games, library
from otherminds.minds.bayesian import PartnerBelief, amounts, hunt, mixture_payoff, share, stake

RPS = games.get("rps")()
LIBRARY = library(Setting(3, 3, RPS))
PRIOR = np.array([2.0**-p.bits for p in LIBRARY]) / sum(2.0**-p.bits for p in LIBRARY)
PAYS = np.array([[cell[0] for cell in row] for row in RPS.payoffs])
NEAR = np.ones(3)
ROCK, PAPER, SCISSORS = range(3)


def crowd(*shown: list[int]) -> dict[str, PartnerBelief]:
    """Partners that have shown these behaviours, against rock each time."""
    found: dict[str, PartnerBelief] = {}
    for i, behaviours in enumerate(shown):
        found[f"partner_{i}"] = PartnerBelief(Filter(LIBRARY, 3, 0.03, 0.005, PRIOR), RPS.behaviours[1])
        for behaviour in behaviours:
            found[f"partner_{i}"].meet([behaviour], ROCK)
    return found


def test_what_is_learnt_of_some_makes_the_prior_of_others() -> None:
    alike = crowd([PAPER, PAPER], [PAPER, PAPER], [PAPER], [])
    alone = alike["partner_3"].chances()[PAPER]
    share(list(alike.values()), PRIOR)
    assert alone == pytest.approx(1 / 3)
    assert alike["partner_3"].chances()[PAPER] > 0.6
    mixture = crowd([PAPER, PAPER], [ROCK, ROCK], [SCISSORS, SCISSORS], [])
    share(list(mixture.values()), PRIOR)
    assert mixture["partner_3"].chances() == pytest.approx([1 / 3] * 3, abs=0.1)


def test_sharing_again_without_news_changes_nothing_and_strangers_share_nothing() -> None:
    alike = crowd([PAPER, PAPER], [PAPER], [])
    share(list(alike.values()), PRIOR)
    once = [b.filter.weights.copy() for b in alike.values()]
    share(list(alike.values()), PRIOR)
    assert [b.filter.weights == pytest.approx(w) for b, w in zip(alike.values(), once, strict=True)] == [
        True
    ] * 3
    strangers = crowd([], [])
    share(list(strangers.values()), PRIOR)
    assert strangers["partner_0"].filter.weights == pytest.approx(PRIOR)


def test_it_seeks_those_whom_its_behaviour_beats() -> None:
    """Two who show rock and one who shows paper: with paper it seeks the first two."""
    known = crowd([ROCK] * 4, [PAPER] * 4, [ROCK] * 4)
    found = hunt(known, NEAR, PAYS, None, 0.0)
    assert (found.behaviour, found.more, found.seats) == (PAPER, 0, ("partner_0", "partner_2"))


def test_what_is_held_already_turns_the_choice() -> None:
    """With five scissors in hand it seeks who shows paper; with clean hands the two who show rock."""
    known = crowd([ROCK] * 4, [PAPER] * 4, [ROCK] * 4)
    ready = hunt(known, NEAR, PAYS, np.array([1.0, 1.0, 6.0]), 0.05)
    assert (ready.behaviour, ready.seats) == (SCISSORS, ("partner_1",))
    clean = hunt(known, NEAR, PAYS, np.array([1.0, 1.0, 1.0]), 0.01)
    assert clean.behaviour == PAPER
    assert clean.more > 1


def test_a_mixture_wins_its_shares() -> None:
    held, pays = np.array([2.0, 1.0, 1.0]), np.array([10.0, 0.0, -10.0])
    assert mixture_payoff(held, 0, 4, pays) == pytest.approx(10 * 6 / 8 - 10 / 8)
    assert (min(amounts(held, 1)), min(amounts(held, 0))) == (2, 0)


def test_the_surer_the_higher_the_stake() -> None:
    held, price = np.ones(3), 0.1
    sure = stake(held, np.array([0.0, 10.0, -10.0]), np.array([0.0, 10.0, -10.0]), price)
    unsure = stake(held, np.array([0.0, 1.0, -1.0]), np.array([0.0, 1.0, -1.0]), price)
    lost = stake(held, np.zeros(3), np.zeros(3), price)
    assert sure.behaviour == unsure.behaviour == PAPER
    assert sure.more > unsure.more >= lost.more == 1


def test_who_is_met_all_the_time_counts_though_others_are_sought() -> None:
    """One shows rock and comes by itself, two show paper and are far: paper is shown, not scissors."""
    known = crowd([ROCK] * 4, [PAPER] * 4, [PAPER] * 4)
    assert hunt(known, NEAR, PAYS, None, 0.0).behaviour == SCISSORS
    found = hunt(known, np.array([20.0, 1.0, 1.0]), PAYS, None, 0.0)
    assert (found.behaviour, found.seats) == (PAPER, ("partner_0",))
