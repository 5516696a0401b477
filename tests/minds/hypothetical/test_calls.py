"""How many calls a round takes, as published: 3 + top_k before validation, 2 after (section 3.2)."""

from __future__ import annotations

from itertools import count
from typing import Any

from tests.cases import for_each
from tests.minds.hypothetical import fakes


def fresh() -> Any:
    """A new sentence every time."""
    numbers = count()
    return lambda prompt: f"idea {next(numbers)}"


def rounds(seat: Any, n: int, **how: Any) -> list[list[str]]:
    """The calls of each of ``n`` encounters."""
    found = []
    for _ in range(n):
        made = len(seat.purposes)
        seat.meet(**how)
        found.append(seat.calls(made))
    return found


@for_each("top_k", [0, 1, 3, 5])
def test_before_validation_a_round_takes_3_plus_top_k_calls(top_k: int) -> None:
    model = fakes.Model(strategy=fresh(), they_played="ROCK", they_play="PAPER")
    seat = fakes.Seat("hm", fakes.HIDDEN, model, top_k=top_k)
    seat.step()
    assert seat.calls() == ["open"]
    taken = rounds(seat, 9)
    assert [len(calls) for calls in taken] == [3 + min(n, top_k) for n in range(9)]
    assert all(calls[:2] == ["infer", "hypothesise"] and {*calls[2:]} == {"predict"} for calls in taken)


def test_after_validation_a_round_takes_2_calls() -> None:
    model = fakes.Model(strategy="They always play rock.", they_played="ROCK", they_play="ROCK")
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    taken = rounds(seat, 7)
    assert taken[:4] == [["infer", "hypothesise", "predict"]] * 4
    assert taken[4:] == [["infer", "predict"]] * 3


def test_after_a_validated_hypothesis_fails_new_ones_are_asked_for() -> None:
    model = fakes.Model(strategy=fresh(), they_played="ROCK", they_play="ROCK")
    seat = fakes.Seat("hm", fakes.HIDDEN, model)
    seat.step()
    while seat.purposes.count("infer") < 8:
        seat.meet()
    assert rounds(seat, 1) == [["infer", "predict"]]
    model.said["they_played"] = "PAPER"
    (calls,) = rounds(seat, 1)
    assert calls[:2] == ["infer", "hypothesise"]


def test_told_encounters_need_no_inference() -> None:
    seat = fakes.Seat("hm", fakes.TOLD, fakes.Model(strategy=fresh(), they_play="PAPER"), top_k=1)
    seat.step()
    assert rounds(seat, 2) == [["hypothesise", "predict"], ["hypothesise", "predict", "predict"]]


def test_a_choice_apart_takes_one_call_more() -> None:
    """The prisoner's dilemma and the arena, appendix D.3."""
    model = fakes.Model(strategy="They always play rock.", they_played="ROCK", they_play="ROCK")
    seat = fakes.Seat("hm", fakes.APART, model)
    seat.step()
    taken = rounds(seat, 6)
    assert taken[0] == ["infer", "hypothesise", "predict", "choose"]
    assert taken[5] == ["infer", "predict", "choose"]


def test_in_cooking_every_prediction_is_judged_once() -> None:
    numbers = count()
    model = fakes.Model(strategy=fresh(), they_play=lambda prompt: f"act {next(numbers)}", match=False)
    seat = fakes.Seat("hm", fakes.COOKING, model, top_k=1)
    seat.step()
    taken = [
        [call for call in calls if call not in ("plan", "reflect")]
        for calls in rounds(seat, 3, theirs=("rock", "paper"))
    ]
    assert taken == [
        ["hypothesise", "predict", "choose"],
        ["judge", "hypothesise", "predict", "predict", "choose"],
        ["judge", "judge", "hypothesise", "predict", "predict", "choose"],
    ]


@for_each(
    ("mind", "opening", "a_round"),
    [
        ("vmp", ["open"], ["think"]),
        ("mmp", ["open"], ["infer", "hypothesise", "predict"]),
        ("plan_react", ["strategise"], ["strategise"]),
        ("react", ["decide"], ["decide"]),
        ("reflexion_agent", ["decide"], ["reflect", "decide"]),
    ],
)
def test_ablations_and_baselines(mind: str, opening: list[str], a_round: list[str]) -> None:
    seat = fakes.Seat(mind, fakes.HIDDEN, fakes.Model(strategy=fresh()))
    seat.step()
    assert seat.calls() == opening
    assert rounds(seat, 4) == [a_round] * 4


def test_he_hr_asks_what_other_strategies_would_have_brought() -> None:
    seat = fakes.Seat("he_hr", fakes.HIDDEN, fakes.Model(my_strategy=fresh()), top_k=2)
    seat.step()
    assert seat.calls() == ["devise"]
    assert rounds(seat, 4) == [
        ["devise", "play"],
        ["counterfactual", "devise", "play", "play"],
        ["counterfactual"] * 2 + ["devise", "play", "play"],
        ["counterfactual"] * 2 + ["devise", "play", "play"],
    ]


def test_nothing_is_asked_when_the_episode_is_over() -> None:
    seat = fakes.Seat("hm", fakes.HIDDEN, fakes.Model())
    seat.step()
    made = len(seat.purposes)
    seat.hear(last=True)
    assert len(seat.purposes) == made


@for_each("manner", ["hidden", "cooking", "mapped apart"])
def test_no_two_calls_of_a_step_share_a_seed(manner: str) -> None:
    model = fakes.Model(strategy=fresh(), they_play="PAPER" if manner != "cooking" else fresh())
    seat = fakes.Seat("hm", fakes.MANNERS[manner], model)
    seat.step()
    rounds(seat, 5)
    seeds = [call.decoding.seed for call in seat.context.calls]
    assert len({*seeds}) == len(seeds)
