"""Among several others: a stream each, and a choice whom to seek (appendix D.3, the arena)."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds.core.data import Question
from otherminds.play.loop import finish
from tests.minds.hypothetical import fakes

ARENA = fakes.FakeManner(hidden=True, joint=False, plans=True)


@pytest.fixture
def seat() -> Any:
    model = fakes.Model(
        they_played="ROCK",
        strategy="They are steady.",
        seek=["player 3", "player 4"],
        they_play="SCISSORS",
        i_play="ROCK",
    )
    return fakes.Seat("hm", ARENA, model, others=3)


def said(seat: Any, about: str) -> Any:
    options = ("rock", "paper", "scissors")
    return finish(
        seat.mind.answer(Question(f"next:{about}", "ego", "before", "", options, 1 / 3, about=about))
    )


def test_each_partner_has_hypotheses_of_its_own(seat: Any) -> None:
    seat.step()
    seat.meet(seat="partner_1")
    seat.meet(seat="partner_2")
    seat.meet(seat="partner_1")
    others = seat.mind._work.others
    assert {name: about.stream.met for name, about in others.items()} == {
        "partner_0": 0,
        "partner_1": 2,
        "partner_2": 1,
    }
    assert [len(about.rows) for about in others.values()] == [0, 2, 1]
    noted = [(note["partner"], note["encounter"]) for note in seat.notes("thinking")]
    assert noted[3:] == [("partner_1", 1), ("partner_2", 1), ("partner_1", 2)]


def test_calls_are_named_after_whom_they_are_about(seat: Any) -> None:
    seat.step()
    made = len(seat.purposes)
    seat.meet(seat="partner_1")
    assert seat.purposes[made:] == [
        "infer:partner_1",
        "hypothesise:partner_1",
        "predict:partner_1:0",
        "choose:partner_1",
        "plan",
    ]


def test_the_choice_sees_everybody_met_and_the_plan_whom_to_seek(seat: Any) -> None:
    seat.step()
    seat.meet(seat="partner_1")
    seat.meet(seat="partner_2")
    chosen, planned = seat.model.prompts[-2:]
    assert "Your encounters with player 3:" in chosen
    assert "Your encounters with player 4:" in chosen
    assert "Your encounters with player 2:" not in chosen
    assert "The hypothesis about player 3:\nThey are steady.\n" in planned
    assert "Players to seek: ['player 3', 'player 4']\nYour next behaviour: 'ROCK'\n" in planned


def test_what_is_expected_of_those_sought_is_the_answer_about_them(seat: Any) -> None:
    model = seat.model
    model.said["they_play"] = lambda prompt: "PAPER" if "Whom of the others" in prompt else "SCISSORS"
    seat.step()
    seat.meet(seat="partner_0")
    assert [said(seat, about) for about in seat.others] == ["scissors", "paper", "paper"]


def test_strangers_cannot_be_sought(seat: Any) -> None:
    seat.step()
    seat.model.said["seek"] = ["player 3", "player 9"]
    seat.meet(seat="partner_1")
    assert seat.notes("fallback")[-1] == {"purpose": "choose:partner_1", "kept": "the last target stays"}


def test_own_strategies_are_valued_by_whom_they_were_for() -> None:
    """A duel with another than the one whose encounter gave the strategy is no reward for that."""
    ways = iter(f"way {n}" for n in range(9))
    seat = fakes.Seat("he_hr", ARENA, fakes.Model(my_strategy=lambda prompt: next(ways)), others=2)
    seat.step()
    seat.meet(seat="partner_0", reward=10.0)
    seat.meet(seat="partner_1", reward=10.0)
    seat.meet(seat="partner_0", reward=10.0)
    first = seat.mind._work.others["partner_0"].stream.hypotheses
    assert [round(h.value, 2) for h in first[:2]] == [3.0, 0.9]
    assert "The hypothesis about" not in seat.model.prompts[-1]
    assert "Your strategy: way " in seat.model.prompts[-1]
