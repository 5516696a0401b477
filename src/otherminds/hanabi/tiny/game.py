"""Tiny Hanabi of Foerster et al. (2019), "Bayesian action decoder for deep multi-agent reinforcement learning", ICML, figure 2.

Two players get one of two cards each and see only their own. The first chooses one of three actions; the second sees it and chooses
one too. Both earn the same. The payoffs are those of OpenSpiel's ``tiny_hanabi``. Nothing but the first player's action
can tell the second one which card it holds, so that the two need a convention; the best teams earn 10.

Here the second player is the one under test. The convention of the first one, the *speaker*, has an action for each card."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from typing import NamedTuple

CARDS = ("moon", "sun")
ACTIONS = ("red", "green", "blue")
PAYOFFS = (
    (((10, 0, 0), (4, 8, 4), (10, 0, 0)), ((0, 0, 10), (4, 8, 4), (0, 0, 10))),
    (((0, 0, 10), (4, 8, 4), (0, 0, 0)), ((10, 0, 0), (4, 8, 4), (10, 0, 0))),
)
"""Indexed by the speaker's card, the other card, the speaker's action and the other action."""
LEAST, MOST = 0, 10
Convention = tuple[int, int]
"""The speaker's action for each card."""


class Deal(NamedTuple):
    """The cards of a game: the speaker's and the own one."""

    theirs: int
    own: int


DEALS = tuple(Deal(*cards) for cards in product(range(2), repeat=2))


def name_convention(convention: Convention) -> str:
    """The name of a convention in records.

    >>> name_convention((0, 2))
    'moon-red-sun-blue'
    """
    return "-".join(f"{card}-{ACTIONS[action]}" for card, action in zip(CARDS, convention, strict=True))


SPEAKERS: dict[str, Convention] = {name_convention(pair): pair for pair in permutations(range(3), 2)}
"""The conventions that tell the card: an action of its own for each."""


def list_worths(own: int, signal: int, chances: Sequence[float]) -> list[float]:
    """The expected payoff of each action, with an own card and a signal, for ``chances`` of the speaker's card."""
    return [
        sum(chance * PAYOFFS[card][own][signal][action] for card, chance in enumerate(chances))
        for action in range(3)
    ]


def list_best(worths: Sequence[float]) -> list[int]:
    """The actions of the largest worth."""
    return [action for action, worth in enumerate(worths) if worth > max(worths) - 1e-9]


class Ends(NamedTuple):
    """Mean payoffs of a game with one speaker: of who knows the convention, and of who never learns it."""

    informed: float
    floor: float


def find_ends(convention: Convention) -> Ends:
    """The ends with a speaker. Who never learns its convention takes both of its cards for equally likely, whatever it does."""
    informed = floor = 0.0
    for deal in DEALS:
        signal = convention[deal.theirs]
        informed += max(PAYOFFS[deal.theirs][deal.own][signal]) / 4
        floor += pay_blindly(deal, signal) / 4
    return Ends(informed, floor)


def list_blind(own: int, signal: int) -> list[int]:
    """The actions of one who never learns the convention, to whom both cards of the speaker are equally likely."""
    return list_best(list_worths(own, signal, (0.5, 0.5)))


def pay_blindly(deal: Deal, signal: int) -> float:
    """What one who never learns the convention earns in a game; equally good actions are averaged."""
    best = list_blind(deal.own, signal)
    return sum(PAYOFFS[deal.theirs][deal.own][signal][action] for action in best) / len(best)


class Posterior:
    """The probabilities of all speakers, by Bayes from the cards that they showed; at first all are equally likely."""

    def __init__(self, weights: Sequence[float] | None = None) -> None:
        self.weights = list(weights or [1 / len(SPEAKERS)] * len(SPEAKERS))

    def read(self, signal: int) -> list[float]:
        """The probabilities of the speaker's card after its action; equal ones where no speaker would have chosen it."""
        chances = [0.0, 0.0]
        for weight, convention in zip(self.weights, SPEAKERS.values(), strict=True):
            for card, action in enumerate(convention):
                chances[card] += weight * (action == signal)
        total = sum(chances)
        return [chance / total for chance in chances] if total else [0.5, 0.5]

    def learn(self, card: int, signal: int) -> None:
        """Takes into account that the speaker chose ``signal`` with ``card``; what no speaker does changes nothing."""
        kept = [
            weight * (convention[card] == signal)
            for weight, convention in zip(self.weights, SPEAKERS.values(), strict=True)
        ]
        if total := sum(kept):
            self.weights = [weight / total for weight in kept]
