"""The literal answer is the very prediction that the mind acts on, and nothing else."""

from __future__ import annotations

from typing import Any

import msgspec

from otherminds.core.data import Invalid, Question
from otherminds.minds.registry import minds
from otherminds.play.loop import finish
from tests.cases import for_each
from tests.minds.hypothetical import fakes

ASKED = Question(
    "next:partner_0", "ego", "before", "", ("rock", "paper", "scissors"), 1 / 3, about="partner_0"
)


def answer(seat: Any, **changed: Any) -> Any:
    return finish(seat.mind.answer(msgspec.structs.replace(ASKED, **changed)))


@for_each("mind", ["hm", "mmp", "mmp_he", "vmp"])
@for_each("manner", ["hidden", "apart", "told"])
def test_it_is_the_prediction_and_costs_no_call(mind: str, manner: str) -> None:
    model = fakes.Model(they_play="SCISSORS")
    seat = fakes.Seat(mind, fakes.MANNERS[manner], model)
    seat.step()
    assert answer(seat) == "scissors"
    model.said["they_play"] = "PAPER"
    seat.meet()
    made = len(model.prompts)
    assert [answer(seat), answer(seat)] == ["paper", "paper"]
    assert len(model.prompts) == made


def test_of_several_hypotheses_the_one_used_answers() -> None:
    ideas = iter(["They play rock.", "They play paper."])
    model = fakes.Model(
        strategy=lambda prompt: next(ideas),
        they_play=lambda prompt: "ROCK" if "\nThey play rock.\n" in prompt else "PAPER",
        they_played="ROCK",
    )
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    seat.meet()
    assert answer(seat) == "rock"
    seat.meet()
    assert answer(seat) == "paper"


def test_by_a_switch_the_best_one_is_used() -> None:
    ideas = iter(["They play rock.", "They play paper.", "They play scissors."])
    model = fakes.Model(
        strategy=lambda prompt: next(ideas),
        they_play=lambda prompt: "ROCK" if "\nThey play rock.\n" in prompt else "PAPER",
        they_played="ROCK",
    )
    seat = fakes.Seat("hm", fakes.HIDDEN, model, condition="best")
    seat.step()
    for _ in range(3):
        seat.meet()
        assert answer(seat) == "rock"


def test_free_text_answers_only_if_it_is_an_option() -> None:
    model = fakes.Model(they_play="rock")
    seat = fakes.Seat("hm", fakes.COOKING, model)
    seat.step()
    assert answer(seat) == "rock"
    model.said["they_play"] = "They will play rock."
    seat.meet(("rock",))
    said = answer(seat)
    assert isinstance(said, Invalid)
    assert said.reason == "its prediction is none of the options"


@for_each("changed", [{"about": ""}, {"about": "ego"}, {"truth_is": "next:ego"}])
def test_other_questions_are_not_answered(changed: dict[str, str]) -> None:
    seat = fakes.Seat("hm", fakes.HIDDEN, fakes.Model())
    seat.step()
    assert isinstance(answer(seat, **changed), Invalid)


def test_minds_that_predict_nothing_have_no_literal_form() -> None:
    silent = {"he_hr", "react", "reflexion_agent", "plan_react"}
    assert {name: minds.make(name, {}).answers for name in silent} == dict.fromkeys(silent, False)
