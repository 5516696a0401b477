"""Expected trajectories of the minds that are simple rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Setup, scenario
from otherminds.games.automata import best_reply
from otherminds.games.registry import rps
from otherminds.measures.literal import tom_percent
from otherminds.measures.regret import best_response_rate
from otherminds.minds.registry import make_mind
from otherminds.minds.tabular import LevelK, Simulated
from otherminds.play.loop import play_now
from tests.cases import for_each

Cell = Callable[..., list[Record]]
Moves = Callable[[Record], str]


def test_fictitious_play_answers_what_it_met_most(cell: Cell, moves: Moves) -> None:
    always = cell("rps-single-v1", SeatSpec("fictitious_play"), 3, rounds=6)
    assert [moves(record) for record in always] == ["rppppp", "rsssss", "rrrrrr"]
    assert [tom_percent(record) for record in always] == [
        100.0,
        pytest.approx(500 / 6),
        pytest.approx(500 / 6),
    ]


def test_fictitious_play_is_led_by_the_nose_by_tit_for_tat(cell: Cell) -> None:
    (record,) = cell("rps-tit_for_tat-v1", SeatSpec("fictitious_play"), 1, rounds=100)
    assert record.total("ego") == -32


def test_level_two_beats_tit_for_tat_in_rps_and_knows_why(cell: Cell, moves: Moves) -> None:
    (record,) = cell("rps-tit_for_tat-v1", SeatSpec("level_k"), 1, rounds=6)
    assert moves(record) == "sprspr"
    assert record.total("ego") == 6
    assert tom_percent(record) == 100.0


def test_level_one_answers_the_last_behaviour(cell: Cell, moves: Moves) -> None:
    (record,) = cell("rps-cycler-v1", SeatSpec("level_k", {"level": 1}), 1, rounds=7)
    assert moves(record) == "ppsrpsr"


def test_nash_plays_the_equilibrium(cell: Cell, moves: Moves) -> None:
    played = Counter("".join(moves(r) for r in cell("rps-single-v1", SeatSpec("nash"), 30)))
    assert all(900 < played[move] < 1100 for move in "rps")
    assert set("".join(moves(r) for r in cell("ipd-single-v1", SeatSpec("nash"), 2))) == {"d"}
    fights = Counter("".join(moves(r) for r in cell("ibs-single-v1", SeatSpec("nash"), 30)))["f"]
    assert fights / 3000 == pytest.approx(10 / 17, abs=0.03)


def test_uniform_plays_everything_alike(cell: Cell, moves: Moves) -> None:
    played = Counter("".join(moves(r) for r in cell("ipd-single-v1", SeatSpec("uniform"), 30)))
    assert played["c"] / 3000 == pytest.approx(0.5, abs=0.04)


@for_each("accuracy", [0.0, 0.4, 1.0])
@for_each("rationality", [0.0, 0.7, 1.0])
def test_simulated_ability_is_what_is_measured(cell: Cell, accuracy: float, rationality: float) -> None:
    mind = SeatSpec("simulated", {"accuracy": accuracy, "rationality": rationality})
    records = cell("rps-single-v1", mind, 15)
    said = sum(float(x) for r in records if isinstance(x := tom_percent(r), float)) / 1500
    done = sum(float(x) for r in records if isinstance(x := best_response_rate(r), float)) / 15
    exact = 0.0 if accuracy in (0.0, 1.0) else 0.04
    assert said == pytest.approx(accuracy, abs=exact)
    assert done == pytest.approx(rationality, abs=0.0 if rationality in (0.0, 1.0) else 0.04)


def test_values_that_make_no_sense_are_refused() -> None:
    with pytest.raises(StudyError, match=r"0\.\.1"):
        Simulated(accuracy=1.5)
    with pytest.raises(StudyError, match="at least 1"):
        LevelK(0)


@pytest.mark.parametrize("heeds", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("arm", ["grant_type", "grant_prediction", "remind", "inject_own", "inject_advice"])
def test_a_simulated_mind_heeds_what_it_is_shown_as_often_as_it_should(arm: str, heeds: float) -> None:
    """Its prediction is always wrong, and it plays at random where it does not heed what it is shown."""
    game, built = rps(), scenario("rps-mixed-v1", {"rounds": 300})
    params = {"accuracy": 0.0, "rationality": 1 / 3, "heeds": heeds}
    followed = rounds = 0
    for seed in range(4):
        mind = make_mind(SeatSpec("simulated", params))
        record = play_now(Setup(built, {"ego": mind}, seed, intervention=arm))[0]
        for (own, theirs), note in zip(record.actions, record.notes, strict=True):
            behaviour = note.data.get("behaviour")
            shown = theirs if behaviour is None else game.behaviours[1].index(behaviour)
            followed += own == best_reply(game, shown)
            rounds += 1
    assert followed / rounds == pytest.approx(heeds + (1 - heeds) / 3, abs=0.05)
