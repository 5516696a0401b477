"""What the published code gets wrong, and this one must not."""

from __future__ import annotations

from itertools import count
from typing import Any

from otherminds.core.data import Invalid, Question
from otherminds.play.loop import finish
from tests.minds.hypothetical import fakes

ASKED = Question(
    "next:partner_0", "ego", "before", "", ("rock", "paper", "scissors"), 1 / 3, about="partner_0"
)


def thoughts(seat: Any) -> dict[str, Any]:
    """The hypotheses by text, as noted last."""
    return {thought["text"]: thought for thought in seat.notes("thinking")[-1]["thoughts"]}


def test_a_prediction_is_scored_once_for_its_own_encounter() -> None:
    """There, a stale prediction is scored again and again: V rises from 0.2 to 0.81 on one prediction."""
    numbers = count()

    def says(prompt: str) -> str:
        return "ROCK" if "idea 0" in prompt else "PAPER"

    model = fakes.Model(strategy=lambda prompt: f"idea {next(numbers)}", they_played="ROCK", they_play=says)
    seat = fakes.Seat("hm", fakes.HIDDEN, model, top_k=1)
    seat.step()
    stream = seat.mind._work.others["partner_0"].stream
    for _ in range(12):
        seat.meet()
    for held in stream.hypotheses:
        assert set(held.hits) <= set(held.predictions)
        value = 0.0
        for encounter in sorted(held.hits):
            value += 0.3 * ((1 if held.hits[encounter] else -1) - value)
        assert held.value == value


def test_an_unanswered_prediction_leaves_the_value_where_it_is() -> None:
    model = fakes.Model(strategy="They always play rock.", they_played="ROCK", they_play="ROCK")
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    for _ in range(3):
        seat.meet()
    before = thoughts(seat)["They always play rock."]["value"]
    model.raw = {"they_play": "no idea"}
    seat.meet()
    scored = thoughts(seat)["They always play rock."]["value"]
    seat.meet()
    assert before < scored == thoughts(seat)["They always play rock."]["value"]


def test_a_garbled_judgement_never_moves_a_value() -> None:
    """There, it moves it twice."""
    model = fakes.Model(raw={"match": "True! or not"}, strategy="They wait.", they_play="stones")
    seat = fakes.Seat("hm", fakes.COOKING, model, tries=2)
    seat.step()
    for _ in range(3):
        seat.meet(("rock",))
        assert thoughts(seat)["They wait."]["value"] == 0.0
    assert seat.calls().count("judge") == 4
    assert [note["kept"] for note in seat.notes("fallback")] == ["the prediction is not scored"] * 2


def test_an_older_hypothesis_may_validate_and_is_used() -> None:
    """There, only the newest can."""
    numbers = count()
    model = fakes.Model(
        strategy=lambda prompt: f"idea {next(numbers)}",
        they_played="ROCK",
        they_play=lambda prompt: "ROCK" if "\nidea 0\n" in prompt else "PAPER",
    )
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    for _ in range(5):
        seat.meet()
    thinking = seat.notes("thinking")[-1]
    assert thinking["validated"] == thinking["used"] == 0
    assert next(numbers) == 4
    assert seat.calls()[-2:] == ["infer", "predict"]


def test_validation_is_worked_out_anew_after_every_encounter() -> None:
    model = fakes.Model(strategy="They always play rock.", they_played="ROCK", they_play="ROCK")
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    validated = []
    for came in ["ROCK"] * 6 + ["PAPER"] + ["ROCK"] * 4:
        model.said["they_played"] = came
        seat.meet()
        validated.append(seat.notes("thinking")[-1]["validated"])
    assert validated == [None] * 4 + [0, 0, None, None, None, 0, 0]


def test_the_choice_is_made_by_the_prediction_and_not_by_what_came_last() -> None:
    """There, in the prisoner's dilemma, the plan uses last round's inference."""
    model = fakes.Model(they_played="ROCK", they_play="SCISSORS", i_play="ROCK")
    seat = fakes.Seat("hm", fakes.APART, model)
    seat.step()
    made = seat.meet()
    prompt = model.prompts[-1]
    assert "Your prediction of what player 2 will do:\n'SCISSORS'\n" in prompt
    assert made == 0
    assert finish(seat.mind.answer(ASKED)) == "scissors"


def test_an_unknown_encounter_moves_no_value() -> None:
    model = fakes.Model(raw={"they_played": "hm"}, strategy="They wait.", they_play="ROCK")
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    for _ in range(3):
        seat.meet()
    thinking = seat.notes("thinking")[-1]
    assert thinking["came"] is None
    assert [thought["value"] for thought in thinking["thoughts"]] == [0.0]
    assert "they played: unknown" in model.prompts[-1]


def test_without_a_usable_prediction_there_is_no_answer() -> None:
    model = fakes.Model(they_played="ROCK")
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    assert finish(seat.mind.answer(ASKED)) == "rock"
    model.raw = {"they_play": "what?"}
    seat.meet()
    said = finish(seat.mind.answer(ASKED))
    assert isinstance(said, Invalid)
    assert said.reason == "it made no usable prediction"
