"""Axelrod-Python's strategies as partners in the iterated Prisoner's Dilemma, played by the library or as automata.

Partners of another project (Knight et al. 2016), for held-out evaluation (docs/axelrod.md). ``axelrod-ipd-v1`` requires
the extra ``axelrod``; the library is imported when the scenario is made, which takes about ten seconds.

``axelrod-ipd-automata-v1`` does not need the library. Its table (``axelrod_automata.json``) holds the least automaton of
every length-blind strategy that has one of at most 64 states, learnt from the strategies themselves in the project's
IPD (``tools/axelrod_automata``)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.contracts import Mind
from otherminds.core.data import Answer, Automaton, Game, Invalid, Partner, Question, Seat
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario, scenarios
from otherminds.games.automata import always
from otherminds.games.blind import bound_by_partner, compute_bounds, weigh_policies
from otherminds.games.player import AutomatonPlayer, Player
from otherminds.games.registry import ipd
from otherminds.matrix.scenarios import build, constant
from otherminds.matrix.world import PARTNER

AUTOMATA = "axelrod-ipd-automata-v1"
STATES = 64
"""The most states of an automaton in the table: as many as a record lists for one partner."""
TABLE = Path(__file__).with_name("axelrod_automata.json")


class AutomatonTable(Struct, frozen=True):
    """The version of Axelrod-Python, the automata of its strategies, and why the other strategies have none."""

    version: str
    automata: dict[str, Automaton]
    others: dict[str, str]


@cache
def table() -> AutomatonTable:
    """The table of automata."""
    return msgspec.json.decode(TABLE.read_bytes(), type=AutomatonTable)


def against(
    native: Scenario, rounds: int, strategies: Sequence[str], automata: Mapping[str, Automaton]
) -> Scenario:
    """``native``, of the IPD, against ``strategies`` with equal weights; with exact references if ``automata`` has all of them.

    F and L refer to the strategies, or for a single one to its mixture with the constant partners.
    """
    met = Population(tuple((Fraction(1, len(strategies)), (SeatSpec(name),)) for name in strategies))
    unknown = [name for name in strategies if name not in automata]
    if unknown:
        reason = (
            f"{len(unknown)} of {len(strategies)} strategies have no known automaton, such as {unknown[0]}"
        )
        return replace(
            native,
            population=met,
            priors={"mixed": native.priors["mixed"]},
            bounds=lambda met: Bounds(None, None, None, reason=reason),
        )
    family = tuple(Member(1 / len(strategies), name, automata[name]) for name in strategies)
    title, reference = f"{len(family)} strategies of Axelrod-Python", family
    if len(family) == 1:
        title, reference = f"half single, half {strategies[0]}", _mixture(strategies[0], automata)

    @cache
    def ends(name: str) -> Bounds:
        return compute_bounds(ipd(), rounds, title, reference, automata[name])

    return replace(
        native,
        population=met,
        priors={
            "family": lambda: weigh_policies(family),
            "reference": lambda: weigh_policies(reference),
            "mixed": native.priors["mixed"],
        },
        bounds=bound_by_partner(PARTNER, lambda spec: ends(spec.mind)),
    )


def _mixture(strategy: str, automata: Mapping[str, Automaton]) -> tuple[Member, ...]:
    """Half constant partners, half ``strategy``."""
    columns = len(ipd().behaviours[1])
    constants = (
        Member(float(weight) / 2, spec.title, Automaton(0, (always(b, columns),), (((0, 0),) * columns,)))
        for b, (weight, spec) in enumerate(constant(ipd()))
    )
    return (*constants, Member(0.5, strategy, automata[strategy]))


def check_strategies(strategies: Sequence[str], catalogue: Mapping[str, object], kind: str) -> Sequence[str]:
    """``strategies``, which must be names in ``catalogue``, the strategies of this ``kind``.

    Raises:
        StudyError: they are not, or not different, or none.
    """
    if not strategies or len(set(strategies)) < len(strategies):
        raise StudyError(f"strategies must be different names, at least one, not {strategies!r}")
    for name in strategies:
        if name not in catalogue:
            near = " or ".join(get_close_matches(name, catalogue, 3))
            hint = f"did you mean {near}?" if near else "they are called as their classes, such as TitForTat"
            raise StudyError(f"Axelrod-Python has no {kind} strategy {name!r}; {hint}")
    return strategies


def without_params(spec: SeatSpec) -> str:
    """The strategy of a partner.

    Raises:
        StudyError: it has parameters.
    """
    if spec.params:
        raise StudyError(f"partner {spec.mind!r} has no parameters; leave out {', '.join(spec.params)}")
    return spec.mind


def every_automaton(
    rounds: int = 100,
    names: str | list[str] = "neutral",
    literal: str = "after",
    strategies: list[str] | None = None,
) -> Scenario:
    """The iterated Prisoner's Dilemma against automata of Axelrod-Python's strategies with equal weights.

    They are ``strategies``, in this order, or all in the table. Each may also play in the seat under test.

    Raises:
        StudyError: an option has a bad value.
    """
    automata = table().automata
    met = list(automata) if strategies is None else check_strategies(strategies, automata, "finite")

    def partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        automaton = automata[without_params(spec)]
        return AutomatonPlayer(automaton), Partner(spec.title, automaton)

    return replace(
        against(build(ipd(), "mixed", rounds, names, literal), rounds, met, automata),
        id=AUTOMATA,
        partner=partner,
        minds={name: partial(AutomatonPlayer, automaton) for name, automaton in automata.items()},
        description=f"ipd for {rounds} rounds against {len(met)} automata of Axelrod-Python's strategies",
    )


@scenarios.family
def scenarios_of_automata() -> Mapping[str, Callable[..., Scenario]]:
    """``axelrod-ipd-automata-v1``."""
    return {AUTOMATA: every_automaton}


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
