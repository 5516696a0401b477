"""Axelrod-Python's strategies as partners: with a stand-in for the library everywhere, with itself where it is."""

from __future__ import annotations

import random
import sys
import types
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from importlib.machinery import ModuleSpec
from typing import Any

import pytest

from otherminds.core.contracts import Mind
from otherminds.core.encoding import stream
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario, scenarios
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton, ipd
from otherminds.matrix import axelrod as bridge
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from otherminds.testing import ScenarioConformance
from otherminds.testing.episodes import ScriptedMind
from tests.cases import for_each

installed = pytest.mark.skipif(
    not bridge.available(), reason="Axelrod-Python is not installed (docs/axelrod.md)"
)
LETTERS = {"cooperate": "C", "defect": "D"}


class Action(Enum):
    C = 0
    D = 1


class Game:
    def __init__(self, r: float = 3, s: float = 0, t: float = 5, p: float = 1) -> None:
        self._pays = (r, p, s, t)

    def RPST(self) -> tuple[float, ...]:  # noqa: N802 - the library's name
        return self._pays


class Base:
    """The library's ``Player``: two histories, and what is told of the match."""

    uses: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.history: list[Action] = []
        self.set_match_attributes()

    def set_match_attributes(self, length: float = -1, game: Any = None, noise: float = 0) -> None:
        self.match_attributes = {"length": length, "game": game or Game(), "noise": noise}

    def set_seed(self, seed: int) -> None:
        self._random = random.Random(seed)

    def update_history(self, play: Action, coplay: Action) -> None:
        self.history.append(play)

    def strategy(self, opponent: Any) -> Any:
        raise NotImplementedError


class TitForTat(Base):
    def strategy(self, opponent: Any) -> Any:
        return opponent.history[-1] if opponent.history else Action.C


class Coin(Base):
    def strategy(self, opponent: Any) -> Any:
        return self._random.choice(list(Action))


class Looker(Base):
    """Keeps what it can see."""

    seen: list[tuple[Any, ...]]

    def strategy(self, opponent: Any) -> Any:
        shared = (len(self.history), len(opponent.history), opponent.match_attributes["length"])
        self.seen.append((type(opponent), self.match_attributes, *shared))
        return Action.D


class Particular(Base):
    """Its formula has no solution but under the library's own payoffs."""

    def set_match_attributes(self, length: float = -1, game: Any = None, noise: float = 0) -> None:
        super().set_match_attributes(length, game, noise)
        if self.match_attributes["game"].RPST() != (3, 1, 0, 5):
            raise ValueError

    def strategy(self, opponent: Any) -> Any:
        return Action.C


class Faulty(Base):
    def strategy(self, opponent: Any) -> Any:
        return opponent.history[-1] if len(self.history) != 2 else opponent.state


class Odd(Base):
    def strategy(self, opponent: Any) -> Any:
        return 0


class Counter(Base):
    uses = frozenset({"game", "length"})


HONEST = (TitForTat, Coin, Looker, Particular, Faulty, Odd, Counter)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = types.ModuleType("axelrod")
    module.__spec__ = ModuleSpec("axelrod", None)
    contents = {"Action": Action, "Game": Game, "Player": Base, "short_run_time_strategies": list(HONEST)}
    for name, value in contents.items():
        setattr(module, name, value)
    module.__dict__["Classifiers"] = {"makes_use_of": lambda player: player.uses}
    module.__dict__["__version__"] = "0.0"
    monkeypatch.setitem(sys.modules, "axelrod", module)
    bridge.available.cache_clear()
    Looker.seen = []
    yield
    bridge.available.cache_clear()


def meet(name: str, ego: Mind, rounds: int = 6, seed: int = 0) -> Record:
    built = scenario(bridge.NAME, {"rounds": rounds, "strategies": [name]})
    return play_now(Setup(built, {"ego": ego}, seed))[0]


def shown(record: Record, seat: str = "partner_0") -> str:
    """What ``seat`` did, in the library's letters."""
    return "".join(LETTERS[encounter.did[seat][0]] for encounter in record.met["ego"])


def test_without_the_library_there_is_no_scenario_and_one_line_says_what_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bridge, "find_spec", lambda name: None)
    assert bridge.NAME not in scenarios
    with pytest.raises(StudyError, match="'axelrod'") as caught:
        bridge.length_blind()
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("stand_in")
def test_who_uses_the_length_is_not_met_and_the_rest_are_met_alike_in_alphabetical_order() -> None:
    built = scenario(bridge.NAME, {})
    names = ["Coin", "Faulty", "Looker", "Odd", "Particular", "TitForTat"]
    assert [members[0].mind for _, members in built.population.members] == names
    assert len({weight for weight, _ in built.population.members}) == 1
    assert list(built.minds) == names


@pytest.mark.usefixtures("stand_in")
@for_each(
    ("strategies", "reason"),
    [
        (["TitForTwo"], "did you mean TitForTat"),
        (["Counter"], "no length-blind strategy 'Counter'"),
        ([], "at least one"),
        (["Coin", "Coin"], "different names"),
    ],
)
def test_strategies_that_cannot_be_met_are_refused(strategies: list[str], reason: str) -> None:
    with pytest.raises(StudyError, match=reason):
        scenario(bridge.NAME, {"strategies": strategies})


@pytest.mark.usefixtures("stand_in")
def test_behaviour_0_is_c_and_behaviour_1_is_d_for_both_seats() -> None:
    script = ("defect", "cooperate", "cooperate", "defect", "defect", "cooperate")
    record = meet("TitForTat", ScriptedMind(script))
    assert (shown(record, "ego"), shown(record)) == ("DCCDDC", "CDCCDD")
    assert [reward for reward, _ in record.rewards] == [10, 0, 8, 10, 5, 0]


@pytest.mark.usefixtures("stand_in")
def test_a_strategy_sees_the_past_and_nothing_else() -> None:
    meet("Looker", ScriptedMind(["defect"]), rounds=3)
    for played, (kind, told, own, others, others_length) in enumerate(Looker.seen):
        assert kind is Base
        assert (own, others) == (played, played)
        assert (told["length"], told["noise"], others_length) == (-1, 0, -1)
        assert told["game"].RPST() == (8, 5, 0, 10)
    assert len(Looker.seen) == 3


@pytest.mark.usefixtures("stand_in")
def test_draws_hang_on_the_seed_and_the_seat() -> None:
    first, again, other = (shown(meet("Coin", ScriptedMind(["defect"]), 40, seed)) for seed in (1, 1, 2))
    assert first == again != other
    both = meet("Coin", scenario(bridge.NAME, {}).minds["Coin"](), 40, 1)
    assert shown(both) == first != shown(both, "ego")


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(("name", "told"), [("TitForTat", [8, 5, 0, 10]), ("Particular", [3, 1, 0, 5])])
def test_a_note_says_which_payoffs_a_strategy_plays_for(name: str, told: list[float]) -> None:
    record = meet(name, ScriptedMind(["defect"]))
    assert record.outcome.status == "scored"
    assert [note.data for note in record.notes] == [{"version": "0.0", "rpst": told}]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Faulty", "Faulty in round 1 failed: IndexError"),
        ("Odd", "Odd in round 1 played 0, which is neither C nor D"),
    ],
)
def test_a_strategy_that_fails_ends_the_episode_and_bears_the_blame(name: str, reason: str) -> None:
    outcome = meet(name, ScriptedMind(["defect"])).outcome
    assert (outcome.status, outcome.blame) == ("failed", "world")
    assert reason in outcome.reason


@pytest.mark.usefixtures("stand_in")
def test_its_payoffs_are_a_declared_grant_and_its_references_have_a_reason() -> None:
    built = scenario(bridge.NAME, {"strategies": ["TitForTat"]})
    assert Setup(built, {"ego": make_mind(SeatSpec("uniform"))}).spec.grants["partner_0"] == ("payoffs",)
    bounds = meet("TitForTat", ScriptedMind(["defect"])).bounds
    assert bounds is not None
    assert bounds.informed is None
    assert bounds.reason
    with pytest.raises(StudyError, match="no grant 'family'"):
        play_now(
            Setup(built, {"ego": make_mind(SeatSpec("bayes"))}, 0, grants={"ego": ("payoffs", "family")})
        )


ROUNDS = 30
OPPONENTS = ("Random", "Alternator", "Grudger", "WinStayLoseShift", "SecondByChampion")


@installed
@pytest.mark.slow
class TestItself:
    """With Axelrod-Python 4.14.0."""

    def test_215_strategies_are_length_blind(self) -> None:
        assert len(bridge.length_blind()) == 215

    @pytest.mark.parametrize("opponent", OPPONENTS)
    def test_every_strategy_plays_as_in_the_librarys_own_match(self, opponent: str) -> None:
        """Both seats, move by move, with the dice that the seats have here."""
        import axelrod

        known = bridge.length_blind()
        built = scenario(bridge.NAME, {"rounds": ROUNDS})
        for seed, name in enumerate(known):
            ego = built.minds[opponent]()
            setup = Setup(built, {"ego": ego}, seed, {"partner_0": SeatSpec(name)}, ask=False)
            record, _ = play_now(setup)
            rpst = {note.seat: note.data["rpst"] for note in record.notes}
            seats = [(opponent, rpst["ego"], "ego"), (name, rpst["partner_0"], "partner_0")]
            players = [_pinned(known[who], pays, seed, seat) for who, pays, seat in seats]
            attributes = {"length": -1, "game": axelrod.Game(), "noise": 0}
            match = axelrod.Match(players, turns=ROUNDS, match_attributes=attributes)
            theirs = ["".join(map(str, moves)) for moves in zip(*match.play(), strict=True)]
            assert [shown(record, "ego"), shown(record)] == theirs, name

    def test_a_strategy_leaves_nothing_behind_for_its_next_episode(self) -> None:
        built = scenario(bridge.NAME, {"rounds": ROUNDS})
        members = [members for _, members in built.population.members]

        def trace(seed: int, members: tuple[SeatSpec, ...]) -> str:
            ego = make_mind(SeatSpec("uniform"))
            return shown(play_now(Setup(built, {"ego": ego}, seed, {"partner_0": members[0]}, ask=False))[0])

        forth = [trace(seed, met) for seed, met in enumerate(members)]
        back = [trace(seed, met) for seed, met in reversed(list(enumerate(members)))]
        assert forth == back[::-1]

    @pytest.mark.parametrize(
        ("theirs", "family"), [("TitForTat", "tit_for_tat"), ("WinStayLoseShift", "win_stay_lose_shift")]
    )
    def test_our_partners_of_the_same_name_play_the_same(self, theirs: str, family: str) -> None:
        native = AutomatonPlayer(automaton(family, ipd().flipped(), ROUNDS, {}))
        built = scenario(bridge.NAME, {"rounds": ROUNDS})
        for seed in range(10):
            plays = [
                play_now(Setup(built, {"ego": ego}, seed, {"partner_0": SeatSpec("Random")}, ask=False))[0]
                for ego in (native, built.minds[theirs]())
            ]
            assert plays[0].actions == plays[1].actions


def _pinned(make: Callable[[], Any], rpst: list[float], seed: int, seat: str) -> Any:
    """A strategy of the library that hears of these payoffs and draws these dice, whatever the match gives it."""
    import axelrod

    player = make()
    r, p, s, t = rpst
    heard, seeded = player.set_match_attributes, player.set_seed
    dice = stream(seed, "mind", seat).getrandbits(32)

    def tell(length: float = -1, game: Any = None, noise: float = 0) -> None:
        heard(length, game and axelrod.Game(r=r, s=s, t=t, p=p), noise)

    player.set_match_attributes = tell
    player.set_seed = lambda given: seeded(dice)
    return player


@cache
def ten_rounds() -> Scenario:
    return scenario(bridge.NAME, {"rounds": 10})


@installed
@pytest.mark.slow
class TestScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return ten_rounds()
