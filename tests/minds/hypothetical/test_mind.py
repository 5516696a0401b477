"""Own strategies, valued by rewards as they came and as the model says they would have (appendix F)."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from tests.minds.hypothetical import fakes


@pytest.fixture
def seat() -> Any:
    numbers = count()
    model = fakes.Model(my_strategy=lambda prompt: f"way {next(numbers)}", outcome="positive")
    return fakes.Seat("he_hr", fakes.HIDDEN, model)


def values(seat: Any) -> list[float]:
    stream = seat.mind._work.others["partner_0"].stream
    return [round(h.value, 4) for h in stream.hypotheses]


def test_the_strategy_used_earns_the_reward_itself(seat: Any) -> None:
    seat.step()
    seat.meet(reward=5.0)
    assert values(seat) == [1.5, 0.0]


@pytest.mark.parametrize(("outcome", "moved"), [("positive", 0.9), ("neutral", 0.0), ("negative", -0.9)])
def test_the_others_earn_what_the_model_says(seat: Any, outcome: str, moved: float) -> None:
    seat.model.said["outcome"] = outcome
    seat.step()
    seat.meet(reward=0.0)
    seat.meet(reward=2.0)
    assert values(seat) == [moved, 0.6, 0.0]


def test_a_strategy_above_the_threshold_is_followed_and_no_other_asked_for(seat: Any) -> None:
    seat.step()
    seat.meet(reward=11.0)
    assert values(seat) == [3.3]
    made = len(seat.purposes)
    seat.meet(reward=11.0)
    assert seat.calls(made) == ["play"]
    thinking = seat.notes("thinking")[-1]
    assert (thinking["validated"], thinking["used"], thinking["threshold"]) == (0, 0, 3.0)


def test_no_question_is_asked_about_the_other_mind(seat: Any) -> None:
    seat.step()
    for _ in range(3):
        seat.meet(reward=1.0)
    assert not {"infer", "hypothesise", "predict"} & {*seat.calls()}
    assert "they played: unknown" in seat.model.prompts[-1]
    assert seat.notes("thinking")[-1]["came"] is None


def test_earlier_strategies_are_shown_with_their_values(seat: Any) -> None:
    seat.step()
    seat.meet(reward=5.0)
    devised = [prompt for prompt in seat.model.prompts if "What strategy" in prompt]
    assert "Your earlier strategies:\n- [1.50] way 0\n" in devised[-1]
    assert "earlier strategies" not in devised[0]


def test_plan_react_plays_what_its_plan_says() -> None:
    model = fakes.Model(my_strategy="I answer rock with paper.", i_play="PAPER")
    seat = fakes.Seat("plan_react", fakes.TOLD, model)
    assert [seat.step(), seat.meet()] == [1, 1]
    assert seat.notes("thinking")[-1]["target"] == "paper"
    mapped = fakes.Seat("plan_react", fakes.MAPPED, model)
    mapped.step()
    assert "Your strategy: I answer rock with paper.\nYour next behaviour: 'PAPER'\n" in model.prompts[-1]
