"""Minds in behaviours: from moments to behaviours, from behaviours to actions or skills."""

import asyncio
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete

from otherminds.core.data import (
    Automaton,
    Brief,
    Encounter,
    Invalid,
    Moment,
    Question,
    SkillChoice,
)
from otherminds.core.errors import StudyError
from otherminds.games.player import AutomatonPlayer, Player
from otherminds.games.registry import automaton, games
from otherminds.play.seat_context import Now, SeatContext

MOVES = ("rock", "paper", "scissors")
QUESTION = Question("next", "ego", "after", "?", MOVES, 1 / 3, "partner_0")


class Notes(Player):
    """Writes down what it learns; always shows ``show`` and predicts behaviour 2."""

    def __init__(self, show: int = 1) -> None:
        self.show = show

    def start(self, own: int, others: int) -> None:
        self.sizes = (own, others)
        self.learnt: list[tuple[int, int, float]] = []

    def learn(self, own: int, other: int, reward: float) -> None:
        self.learnt.append((own, other, reward))

    def choose(self) -> int:
        return self.show

    def predict(self) -> int:
        return 2


def seated(mind: Player, others: tuple[str, ...] = ("partner_0",), skills: tuple[str, ...] = ()) -> Player:
    behaviours = dict.fromkeys(("ego", *others), MOVES)
    brief = Brief("ego", others, Discrete(3), behaviours, (-1, 1), 10, skills)
    mind.begin(brief, SeatContext("ego", 1, Now()))
    return mind


def meet(mind: Player, *did: Any, reward: float = 1.0) -> None:
    met = tuple(Encounter(0, one, reward) for one in did)
    asyncio.run(mind.perceive(Moment(1, None, reward, met)))


def test_behaviours_become_numbers() -> None:
    mind = seated(Notes())
    assert mind.sizes == (3, 3)
    meet(mind, {"ego": ("paper",), "partner_0": ("rock",)}, {"ego": ("rock",), "partner_0": ("scissors",)})
    assert mind.learnt == [(1, 0, 1.0), (0, 2, 1.0)]


def test_of_several_possible_behaviours_the_first_is_learnt() -> None:
    mind = seated(Notes())
    meet(mind, {"ego": ("paper",), "partner_0": ("scissors", "rock")})
    assert mind.learnt == [(1, 2, 1.0)]


class AmongMany(Notes):
    """It says that it can."""

    several = True


def test_among_several_partners_only_who_can_plays() -> None:
    mind = seated(AmongMany(), ("partner_0", "partner_1"))
    assert mind.suits(mind.brief, mind.context) is None
    assert "it plays with one partner, and there are 2" in str(Notes().suits(mind.brief, mind.context))


def test_encounters_with_others_are_left_alone() -> None:
    mind = seated(AmongMany(), ("partner_0", "partner_1"))
    meet(mind, {"ego": ("paper",), "partner_1": ("rock",)}, {"ego": ("rock",), "partner_0": ("rock",)})
    assert mind.learnt == [(0, 0, 1.0)]


def test_a_behaviour_is_an_action_unless_it_is_a_skill() -> None:
    assert asyncio.run(seated(Notes(1)).act()) == 1
    assert asyncio.run(seated(Notes(1), skills=("rock", "paper")).act()) == SkillChoice("paper")
    assert asyncio.run(seated(Notes(2), skills=("rock", "paper")).act()) == 2


def test_predictions_are_told_by_name() -> None:
    assert asyncio.run(seated(Notes()).answer(QUESTION)) == "scissors"


def test_a_new_episode_forgets_the_last() -> None:
    mind = seated(Notes())
    meet(mind, {"ego": ("paper",), "partner_0": ("rock",)})
    seated(mind)
    assert mind.learnt == []


class TestAutomatonPlayer:
    def test_follows_its_table(self) -> None:
        rps = games.get("rps")()
        mind = seated(AutomatonPlayer(automaton("tit_for_tat", rps, 9, {})))
        shown = [asyncio.run(mind.act())]
        for other in ("scissors", "scissors", "paper", "rock"):
            meet(mind, {"ego": (MOVES[shown[-1]],), "partner_0": (other,)})
            shown.append(asyncio.run(mind.act()))
        assert [MOVES[b] for b in shown] == ["paper", "rock", "rock", "scissors", "paper"]

    def test_asked_twice_it_decides_the_same(self) -> None:
        """A skill may fail and be chosen again; only an encounter moves the automaton on."""
        mind = seated(AutomatonPlayer(automaton("cycler", games.get("rps")(), 9, {})))
        assert asyncio.run(mind.act()) == asyncio.run(mind.act()) == 0

    def test_draws_what_is_not_sure(self) -> None:
        loaded = Automaton(0, ((0.5, 0.0, 0.5),), (((0,) * 3,) * 3,))
        mind = seated(AutomatonPlayer(loaded))
        drawn = [asyncio.run(mind.act()) for _ in range(400)]
        assert set(drawn) == {0, 2}
        assert 150 < drawn.count(0) < 250
        again = seated(AutomatonPlayer(loaded))
        assert [asyncio.run(again.act()) for _ in range(400)] == drawn

    def test_rounding_never_draws_the_impossible(self) -> None:
        """Probabilities that sum to a hair less than 1 must still give a possible behaviour."""
        short = Automaton(0, ((0.0, 1 - 1e-9, 0.0),), (((0,) * 3,) * 3,))
        mind = seated(AutomatonPlayer(short))

        class Last:
            def random(self) -> float:
                return 1 - 2**-53

        mind.context._rng = Last()
        assert asyncio.run(mind.act()) == 1

    def test_starts_anew(self) -> None:
        mind = seated(AutomatonPlayer(automaton("cycler", games.get("rps")(), 9, {})))
        meet(mind, {"ego": ("rock",), "partner_0": ("rock",)})
        assert asyncio.run(mind.act()) == 1
        assert asyncio.run(seated(mind).act()) == 0

    def test_is_not_asked(self) -> None:
        mind = seated(AutomatonPlayer(automaton("single", games.get("rps")(), 9, {})))
        assert isinstance(asyncio.run(mind.answer(QUESTION)), Invalid)


def test_an_unfinished_player_says_so() -> None:
    with pytest.raises(NotImplementedError):
        seated(Player())


class Reckless(Notes):
    """Chooses and predicts whatever it is made with."""

    def __init__(self, index: Any) -> None:
        self.index = index

    def choose(self) -> int:
        return self.index

    def predict(self) -> int:
        return self.index


@pytest.mark.parametrize(
    "index", [-1, 3, 7, 1.0, "1", None, True, np.int64(-1), np.float64(1), 10**30, "a\nb"]
)
def test_an_index_that_is_none_ends_in_one_line_with_the_class_its_file_and_the_range(index: Any) -> None:
    mind = seated(Reckless(index))
    for method, call in (("choose", mind.act()), ("predict", mind.answer(QUESTION))):
        with pytest.raises(StudyError) as caught:
            asyncio.run(call)
        text = str(caught.value)
        assert "\n" not in text
        shown = " ".join(repr(index).split())
        assert f"{__file__}: Reckless.{method}() returned {shown}; " in text
        assert "from 0 to 2, an index into rock, paper, scissors" in text


def test_an_index_of_numpy_is_a_whole_number() -> None:
    mind = seated(Reckless(np.int64(2)))
    assert asyncio.run(mind.act()) == 2
    assert asyncio.run(mind.answer(QUESTION)) == "scissors"
