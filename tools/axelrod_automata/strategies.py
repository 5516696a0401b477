"""Strategies of Axelrod-Python whose draws are listed: the subjects of the learner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any
from unittest import mock

from axelrod import Action, Player
from axelrod.random_ import RandomGenerator
from tools.axelrod_automata.learning import CLOSE, Chances, NoAutomatonError, Word

from otherminds.core.data import Automaton

MOST = 200_000
"""The most histories that a strategy is asked about."""
Step = tuple[int, int, tuple[int, ...]]
"""A round: the strategy's move, the other's, and the outcomes of the strategy's draws."""
ACTIONS = (Action.C, Action.D)


class Draw:
    """A uniform number in [0, 1) that is known only by what it was compared with."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._low, self._high = 0.0, 1.0

    def __lt__(self, bound: float) -> bool:
        cut = min(max(float(bound), self._low), self._high)
        share = (cut - self._low) / (self._high - self._low)
        below = self._tape.fork((share, 1 - share)) == 0
        self._low, self._high = (self._low, cut) if below else (cut, self._high)
        return below

    __le__ = __lt__

    def __gt__(self, bound: float) -> bool:
        return not self < bound

    __ge__ = __gt__


class Tape:
    """The outcomes of the draws of one round, shared by a strategy and the strategies that it consults."""

    def __init__(self) -> None:
        self.playing = False

    def start(self, chosen: Sequence[int], rng: Random | None) -> None:
        """The draws of the next round have the outcomes ``chosen``; later ones are ``rng``'s, or the first possible."""
        self.playing, self._chosen, self._rng = True, chosen, rng
        self.taken: list[tuple[int, tuple[float, ...]]] = []

    def fork(self, shares: tuple[float, ...]) -> int:
        """The outcome of a draw with probabilities ``shares``."""
        possible = [i for i, share in enumerate(shares) if share > 0]
        if len(possible) == 1:
            return possible[0]
        if not self.playing:
            raise NoAutomatonError("draws before the first round")
        at = len(self.taken)
        if at < len(self._chosen):
            outcome = self._chosen[at]
        else:
            outcome = self._rng.choice(possible) if self._rng else possible[0]
        self.taken.append((outcome, shares))
        return outcome


class Dice(RandomGenerator):
    """Stands in for the library's random numbers, and lists the outcomes of every draw on ``tape``."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def random(self, *size: Any) -> Draw:
        if size:
            raise NoAutomatonError("draws a vector")
        return Draw(self._tape)

    def choice(self, a: Any, size: int | None = None, p: Any = None) -> Any:
        if size is not None:
            raise NoAutomatonError("draws a vector")
        items = list(a) if hasattr(a, "__iter__") else list(range(a))
        shares = tuple(map(float, p)) if p is not None else (1 / len(items),) * len(items)
        return items[self._tape.fork(shares)]

    def randint(self, low: int, high: int | None = None) -> Any:
        low, high = (0, low) if high is None else (low, high)
        return low + self._tape.fork((1 / (high - low),) * (high - low))

    def random_seed_int(self) -> int:
        if self._tape.playing:
            raise NoAutomatonError("makes new random numbers while it plays")
        return 0

    def uniform(self, *bounds: Any) -> Any:
        raise NoAutomatonError("draws a real number")


@dataclass
class Node:
    """What is known of one history: each move's probability and draws, and the histories one round longer."""

    chances: Chances
    tapes: dict[int, tuple[int, ...]]
    after: dict[tuple[int, int], Node] = field(default_factory=dict["tuple[int, int]", "Node"])

    def step(self, own: int, other: int) -> Step:
        """The round in which the strategy plays ``own``, or its likeliest move if that is impossible."""
        own = own if own in self.tapes else self.chances.index(max(self.chances))
        return own, other, self.tapes[own]


class Play:
    """One play of a strategy, round by round."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.strategy, self.opponent = make(), Player()
        self.tape = Tape()
        with mock.patch("axelrod.player.RandomGenerator", return_value=Dice(self.tape)):
            self.strategy.set_seed(0)

    def move(self, tape: Sequence[int], rng: Random | None = None) -> int:
        """The next move with the draws ``tape``."""
        self.tape.start(tape, rng)
        return ACTIONS.index(self.strategy.strategy(self.opponent))

    def round(self, own: int, other: int) -> None:
        self.strategy.update_history(ACTIONS[own], ACTIONS[other])
        self.opponent.update_history(ACTIONS[other], ACTIONS[own])


class Listed:
    """The learner's subject for the strategy that ``make`` makes; keeps what it has answered.

    Raises:
        NoAutomatonError: it was asked about too many histories, or draws in a way that cannot be listed.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._draws = False
        self._asked = 0
        self._root, _ = self._listed([], Play(make))

    def chances(self, word: Word) -> list[Chances]:
        """See :meth:`tools.axelrod_automata.learning.Subject.chances`."""
        node, path, found = self._root, [], [self._root.chances]
        plays: dict[int, Play] = {}
        for own, other in word:
            last = node.step(own, other)
            path.append(last)
            if last[:2] not in node.after:
                play = plays.get(last[0]) or self._moved(path)
                play.round(*last[:2])
                node.after[last[:2]], plays = self._listed(path, play)
            node = node.after[last[:2]]
            found.append(node.chances)
        return found

    def _moved(self, path: Sequence[Step]) -> Play:
        """A play of ``path`` up to the strategy's move in its last round."""
        *before, (_, _, tape) = path
        play = self._replayed(before)
        play.move(tape)
        return play

    def _replayed(self, path: Sequence[Step]) -> Play:
        play = Play(self._make)
        for own, other, tape in path:
            play.move(tape)
            play.round(own, other)
        return play

    def _listed(self, path: Sequence[Step], play: Play) -> tuple[Node, dict[int, Play]]:
        """All outcomes of the round after ``path``, and a play of each move. ``play`` is used up."""
        self._asked += 1
        if self._asked > MOST:
            raise NoAutomatonError(f"undecided after {MOST} histories")
        if not self._draws:
            move = play.move(())
            if not play.tape.taken:
                return Node(_sure(move), {move: ()}), {move: play}
            self._draws = True
            play = self._replayed(path)
        chances = [0.0, 0.0]
        tapes: dict[int, tuple[int, ...]] = {}
        plays: dict[int, Play] = {}
        waiting: list[tuple[int, ...]] = [()]
        while waiting:
            tape, branch = waiting.pop(), deepcopy(play)
            move = branch.move(tape)
            taken = branch.tape.taken
            outcomes = tuple(outcome for outcome, _ in taken)
            for at in range(len(tape), len(taken)):
                outcome, shares = taken[at]
                waiting += [(*outcomes[:at], i) for i, s in enumerate(shares) if s > 0 and i != outcome]
            chances[move] += prod(shares[outcome] for outcome, shares in taken)
            if move in tapes:
                raise NoAutomatonError("draws lots that its moves do not show")
            tapes[move], plays[move] = outcomes, branch
        return Node(tuple(chances), tapes), plays


def _sure(move: int) -> Chances:
    return tuple(float(move == known) for known in (0, 1))


def random_opponent(rng: Random, rounds: int) -> list[int]:
    """The moves of an opponent: now and then a new draw, with a chance of defection between 0.02 and 0.98."""
    defects, keeps = rng.choice((0.02, 0.1, 0.5, 0.5, 0.9, 0.98)), rng.choice((0.0, 0.0, 0.8, 0.95))
    moves = [int(rng.random() < defects)]
    while len(moves) < rounds:
        moves.append(moves[-1] if rng.random() < keeps else int(rng.random() < defects))
    return moves


def first_difference(
    make: Callable[[], Any], automaton: Automaton, others: Sequence[int], rng: Random
) -> Word | None:
    """The history that ends with the first move not as in ``automaton`` when the other plays ``others``.

    Wherever the strategy draws lots, ``rng`` chooses among the possible outcomes with equal chances, and their
    probability must be the one that the automaton gives to the move.
    """
    play, state = Play(make), automaton.start
    word: list[tuple[int, int]] = []
    for other in others:
        own = play.move((), rng)
        word.append((own, other))
        chance = prod(shares[outcome] for outcome, shares in play.tape.taken)
        if abs(chance - automaton.output[state][own]) > CLOSE:
            return tuple(word)
        play.round(own, other)
        state = automaton.next[state][own][other]
    return None
