"""Axelrod-Python's strategies as partners in the iterated Prisoner's Dilemma: ``axelrod-ipd-v1``.

Partners of another project (Knight et al. 2016), for held-out evaluation. Requires the extra
``axelrod`` (docs/axelrod.md). The library is imported when the scenario is made, which takes about
ten seconds.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

from otherminds.core.contracts import Mind
from otherminds.core.data import Answer, Game, Invalid, Partner, Question, Seat
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Scenario
from otherminds.core.worlds import scenarios
from otherminds.games.named.ipd import ipd
from otherminds.games.player import Player
from otherminds.matrix.axelrod_automata import against, check_strategies, table, without_params
from otherminds.matrix.scenarios import build

NAME = "axelrod-ipd-v1"
UNKNOWN = -1
"""Axelrod-Python's value for an unknown match length."""
FAULTS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Exceptions of strategies that meet an unexpected value."""


@cache
def available() -> bool:
    """Whether Axelrod-Python is installed."""
    return find_spec("axelrod") is not None


def library() -> Any:
    """Axelrod-Python itself.

    Raises:
        StudyError: it is not installed.
    """
    if not available():
        raise StudyError("Axelrod-Python's strategies need the extra 'axelrod': docs/axelrod.md")
    return importlib.import_module("axelrod")


def length_blind() -> dict[str, Callable[[], Any]]:
    """Axelrod-Python's strategies that do not use the length of a match, by the name of their class.

    Only those that obey the rules of Axelrod's tournaments (no reading or changing of the opponent)
    and that the library does not classify as slow: 215 in version 4.14.0.

    Raises:
        StudyError: Axelrod-Python is not installed.
    """
    return dict(_length_blind(library()))


@cache
def _length_blind(axelrod: Any) -> dict[str, Callable[[], Any]]:
    makes_use_of = axelrod.Classifiers["makes_use_of"]
    strategies = sorted(axelrod.short_run_time_strategies, key=lambda strategy: strategy.__name__)
    return {
        strategy.__name__: strategy for strategy in strategies if "length" not in makes_use_of(strategy())
    }


class AxelrodPlayer(Player):
    """Plays the strategy ``name``, made by ``make``, in a Prisoner's Dilemma.

    The strategy observes both histories and nothing else of its opponent, nor the length of the
    match. It draws from its seat's own stream, so that episodes can be replayed. It knows the
    payoffs of the game; where its formula has no solution under them, it uses Axelrod-Python's own
    (3, 0, 5, 1). A note says which. Behaviour 0 is its C, behaviour 1 its D.

    Raises:
        StudyError: the payoffs are not granted.
        WorldError: the strategy fails, or plays something else than C or D.
    """

    answers = False
    grants = frozenset({"payoffs"})

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self.name = name
        self._make = make

    def start(self, own: int, others: int) -> None:
        if self.brief.game is None:
            raise StudyError(f"Axelrod-Python's {self.name} needs the payoffs granted")
        axelrod = library()
        self._moves = (axelrod.Action.C, axelrod.Action.D)
        self._strategy = for_game(self._make, self.brief.game)
        self._strategy.set_seed(self.context.rng.getrandbits(32))
        self._opponent = axelrod.Player()
        payoffs = [float(pay) for pay in self._strategy.match_attributes["game"].RPST()]
        self.context.note("axelrod", {"version": axelrod.__version__, "rpst": payoffs})

    def learn(self, own: int, other: int, reward: float) -> None:
        mine, theirs = self._moves[own], self._moves[other]
        self._strategy.update_history(mine, theirs)
        self._opponent.update_history(theirs, mine)

    def choose(self) -> int:
        now = f"Axelrod-Python's {self.name} in round {self.context.step + 1}"
        try:
            move = self._strategy.strategy(self._opponent)
        except FAULTS as error:
            raise WorldError(f"{now} failed: {type(error).__name__}: {error}") from error
        for behaviour, own_move in enumerate(self._moves):
            if move is own_move:
                return behaviour
        raise WorldError(f"{now} played {move!r}, which is neither C nor D")

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a partner is not asked")


def for_game(make: Callable[[], Any], game: Game) -> Any:
    """A fresh strategy that knows the payoffs of ``game``, or keeps the library's own if it is undefined for them."""
    strategy = make()
    (r, s), (t, p) = ([mine for mine, _ in row] for row in game.payoffs)
    try:
        strategy.set_match_attributes(length=UNKNOWN, game=library().Game(r=r, s=s, t=t, p=p), noise=0)
    except ValueError:
        return make()
    return strategy


def every_strategy(
    rounds: int = 100,
    names: str | list[str] = "neutral",
    literal: str = "after",
    strategies: list[str] | None = None,
) -> Scenario:
    """The iterated Prisoner's Dilemma against ``strategies`` with equal weights (default: all length-blind ones).

    Their order is that of ``strategies``, or alphabetical. Every length-blind strategy may also
    play in the seat under test. The references of F are known if the table of automata is of this
    version of the library and has all ``strategies``.

    Raises:
        StudyError: an option has a bad value, or Axelrod-Python is not installed.
    """
    factories = length_blind()
    met = list(factories) if strategies is None else check_strategies(strategies, factories, "length-blind")
    automata = table().automata if library().__version__ == table().version else {}

    def partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        name = without_params(spec)
        return AxelrodPlayer(name, factories[name]), Partner(spec.title, automata.get(name))

    return replace(
        against(build(ipd(), "mixed", rounds, names, literal), rounds, met, automata),
        id=NAME,
        partner=partner,
        minds={name: partial(AxelrodPlayer, name, make) for name, make in factories.items()},
        description=f"ipd for {rounds} rounds against {len(met)} strategies of Axelrod-Python",
    )


@scenarios.family
def scenarios_of_axelrod() -> Mapping[str, Callable[..., Scenario]]:
    """``axelrod-ipd-v1``; nothing where Axelrod-Python is not installed."""
    return {NAME: every_strategy} if available() else {}
