"""What minds answer to policy questions: what the partner does in the next round after an own behaviour in this one."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.games.blind import response_of
from otherminds.games.partners.best_responding import level_k_reply
from otherminds.measures.evidence import policy_answers
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from tests.cases import for_each

ROUNDS = 20


def played(name: str, params: dict[str, Any], seed: int, world: str = "ipd-mixed-v1") -> Record:
    built = scenario(world, {"rounds": ROUNDS, "policy_questions": True})
    return play_now(Setup(built, {"ego": Participant(make_mind(SeatSpec(name, params)))}, seed))[0]


def shares_right(name: str, params: dict[str, Any], seeds: int) -> list[float]:
    """The share of right answers by episode."""
    shares: list[float] = []
    for seed in range(seeds):
        record = played(name, params, seed)
        automaton = record.partners["partner_0"].automaton
        assert automaton is not None
        truth = response_of(automaton)
        assert truth is not None
        said = list(policy_answers(record).values())
        assert len(said) == 4
        shares.append(sum(a == b for one in said for a, b in zip(one, truth, strict=True)) / (4 * len(truth)))
    return shares


@for_each("name", ["informed", "simulated"])
def test_minds_that_know_the_partner_are_right(name: str) -> None:
    assert shares_right(name, {}, 8) == [1.0] * 8


@for_each(("name", "params"), [("bayes", {}), ("bayesian", {"prior": "family"})])
def test_minds_that_know_the_population_are_right_once_the_partner_is_known(
    name: str, params: dict[str, Any]
) -> None:
    """Cooperation with tit-for-tat leaves only "cooperates whatever I do" open."""
    assert shares_right(name, params, 8) == [1.0] * 8


@for_each("accuracy", [0.0, 0.25, 0.75])
def test_simulated_minds_are_right_as_often_as_they_should_be(accuracy: float) -> None:
    shares = shares_right("simulated", {"accuracy": accuracy}, 200)
    assert sum(shares) / len(shares) == pytest.approx(accuracy, abs=0.07)


@for_each("game", ["rps", "ipd"])
@for_each("level", [1, 2, 3])
def test_level_k_answers_as_the_level_below_would(game: str, level: int) -> None:
    record = played("level_k", {"level": level}, 1, f"{game}-mixed-v1")
    assert record.game is not None
    own, others = record.game.behaviours
    view = record.game.flipped()
    for step, said in policy_answers(record).items():
        before = record.actions[step - 1]
        now = level_k_reply(view, level - 1, before[1], before[0])
        assert said == tuple(level_k_reply(view, level - 1, now, a) for a in range(len(own)))
    assert len(others) == len(own)


@for_each("name", ["uniform", "nash", "echo", "mirror", "fictitious_play", "blind"])
def test_minds_that_see_no_answers_say_the_same_whatever_they_do(name: str) -> None:
    said = policy_answers(played(name, {}, 3))
    assert len(said) == 4
    assert all(len(set(one)) == 1 and None not in one for one in said.values())
