"""Presets, parameters, and that an ablation is the agent with steps left out."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds import SeatSpec
from otherminds.core.errors import StudyError
from otherminds.minds.hypothetical.mind import RewardedMind
from otherminds.minds.hypothetical.working import PREDICTING, Credit, Numbers
from otherminds.minds.registry import make_mind, minds
from tests.cases import for_each
from tests.minds.hypothetical import fakes

ALL = ("hm", "vmp", "mmp", "mmp_he", "he_hr", "react", "reflexion_agent", "plan_react")


@for_each(
    ("numbers", "several", "judged", "credit", "top_k"),
    [
        (Numbers(), False, False, Credit(0.3, 1.0, 0.7), 5),
        (Numbers(), True, False, Credit(0.3, 1.0, 0.7), 5),
        (Numbers("published_code"), False, False, Credit(0.3, 1.0, 0.7), 5),
        (Numbers("published_code"), True, False, Credit(0.3, 1.0, 0.6), 3),
        (Numbers("published_code"), False, True, Credit(0.3, 1.0, 0.7), 3),
        (Numbers("published_code", 0.1, 2, 0.9, 1), True, False, Credit(0.1, 2, 0.9), 1),
    ],
)
def test_presets_are_the_papers_and_what_is_given_wins(
    numbers: Numbers, several: bool, judged: bool, credit: Credit, top_k: int
) -> None:
    assert numbers.credit(PREDICTING, several) == credit
    assert numbers.considered(several, judged) == top_k


def test_he_hr_has_numbers_of_its_own() -> None:
    assert Numbers().credit(RewardedMind.steps.usual, several=False) == Credit(0.3, 3.0, 3.0)
    assert fakes.Seat("he_hr", fakes.TOLD, fakes.Model()).mind._work.settings.credit == Credit(0.3, 3.0, 3.0)


@for_each(
    "params",
    [
        {"preset": "mine"},
        {"condition": "worst"},
        {"alpha": 0},
        {"alpha": 1.1},
        {"alpha": "a"},
        {"alpha": float("nan")},
        {"c": 0},
        {"c": -1},
        {"v_thr": float("inf")},
        {"v_thr": True},
        {"top_k": -1},
        {"top_k": 1.5},
        {"top_k": True},
        {"tries": 0},
        {"temperature": -1},
        {"max_tokens": 0},
        {"colour": "red"},
    ],
)
@for_each("mind", ["hm", "mmp_he", "he_hr"])
def test_what_cannot_be_is_refused(mind: str, params: dict[str, Any]) -> None:
    with pytest.raises(StudyError):
        minds.make(mind, params)


@for_each("mind", ALL)
def test_each_needs_a_model_and_the_payoffs(mind: str) -> None:
    with pytest.raises(StudyError, match="needs a language model"):
        make_mind(SeatSpec(mind))
    made = make_mind(SeatSpec(mind, model="fake"))
    assert made.suspends
    assert made.grants == {"payoffs"}


def test_a_world_without_scaffold_is_refused() -> None:
    seat = fakes.Seat("hm", fakes.TOLD, fakes.Model())
    seat.context.verbalizer = None
    assert "no scaffold" in seat.mind.suits(seat.brief, seat.context)
    seat.context.model = None
    assert "needs a language model" in seat.mind.suits(seat.brief, seat.context)


@for_each("manner", ["hidden", "apart", "cooking"])
def test_the_agent_with_top_k_0_is_mmp(manner: str) -> None:
    """Section 4.5: both ask the same, do the same and note the same."""

    def life(mind: str, **params: Any) -> Any:
        numbers = iter(range(100))
        model = fakes.Model(strategy=lambda prompt: f"idea {next(numbers) // 3}")
        seat = fakes.Seat(mind, fakes.MANNERS[manner], model, **params)
        made = [seat.step()]
        made += [seat.meet(("rock",) if manner == "cooking" else "rock", reward=1.0) for _ in range(8)]
        return made, model.prompts, seat.context.notes

    assert life("hm", top_k=0) == life("mmp")


def test_without_refinement_nothing_earlier_is_shown() -> None:
    shown = {}
    for mind in ("hm", "mmp_he"):
        model = fakes.Model(strategy="They wait.", they_play="ROCK", they_played="ROCK")
        seat = fakes.Seat(mind, fakes.HIDDEN, model)
        seat.step()
        for _ in range(4):
            seat.meet()
        asked = [prompt for prompt in model.prompts if "strategy" in fakes.shape(prompt)]
        shown[mind] = "Your earlier hypotheses about player 2:\n- [0.66] They wait." in asked[-1]
        assert "earlier hypotheses" not in asked[0]
        assert seat.calls()[-3:] == ["infer", "hypothesise", "predict"]
    assert shown == {"hm": True, "mmp_he": False}


def test_hypotheses_without_value_are_not_shown() -> None:
    model = fakes.Model(strategy="They wait.", they_play="PAPER", they_played="ROCK")
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    for _ in range(3):
        seat.meet()
    assert not any("earlier hypotheses" in prompt for prompt in model.prompts)


def test_each_reply_has_the_tokens_asked_for() -> None:
    model = fakes.Model()
    seat = fakes.Seat("hm", fakes.HIDDEN, model, max_tokens=4000, temperature=0.2)
    seat.step()
    drawn = model.decodings[0]
    assert (drawn.max_tokens, drawn.temperature, drawn.top_p) == (4000, 0.2, 1.0)
