"""The acts of avatars as behaviours: what a seat can know of another's, and labels of a batch for learners.

The acts are those of Hypothetical Minds (Cross et al. 2025, appendix D.3). Each
changes what its avatar holds, so an observer that sees an avatar before and after a
step sees its act. Putting a tomato or a soup on a counter is not an act. Every player is
paid for a soup, so who delivered it is known if only one player can have done it.

Learners read acts, and the events of Melting Pot's shaping, off the codes that a batch notes in each step,
``batch.did`` (int8[B, P], codes of ``DID`` in :mod:`.state`), which outlive the end of an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Behaviour
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.rules import DISH, SOUP, TOMATO, Rules, State
from otherminds.gridworlds.grid.rules import View

TOOK_TOMATO = "picked up a tomato"
FILLED_POT = "put a tomato into a pot"
TOOK_DISH = "picked up a dish"
PUT_DISH = "put down a dish"
TOOK_SOUP = "picked up soup"
DELIVERED = "delivered soup"
STOOD = "stood around"
BEHAVIOURS = (TOOK_TOMATO, FILLED_POT, TOOK_DISH, PUT_DISH, TOOK_SOUP, DELIVERED, STOOD)

ACTS: dict[int, Behaviour] = {
    columns.TOOK + TOMATO: TOOK_TOMATO,
    columns.TOOK + DISH: TOOK_DISH,
    columns.TOOK + SOUP: TOOK_SOUP,
    columns.PUT + DISH: PUT_DISH,
    columns.FILLED: FILLED_POT,
    columns.SERVED: TOOK_SOUP,
    columns.DELIVERED: DELIVERED,
}
"""The act of each code of ``DID``; codes that are no acts are left out."""

PATIENCE = 40
"""Steps without an act after which a seat has stood around: longer than a pot cooks and its soup is fetched."""


@dataclass(frozen=True)
class KitchenAct:
    """What player ``player`` did in world step ``step`` (0 for the first)."""

    step: int
    player: int
    behaviour: Behaviour


class DeliveryTally:
    """What happened since the last delivery, as each player knows it.

    What another did counts only where this player's window showed it both
    before and after the step, and a delivery also where the reward gives it away.
    """

    def __init__(self, rules: Rules, state: State) -> None:
        self.view = rules.view
        self.pay = rules.pay
        self._shown = find_visible(self.view, state.avatars[0].tolist())
        self._start()

    def _start(self) -> None:
        players = range(len(self._shown))
        self.known: list[list[dict[Behaviour, None]]] = [[{} for _ in players] for _ in players]
        """[observer][player]: the acts known, in order."""
        self.watched = [[True for _ in players] for _ in players]
        """Whether the observer's window showed the player all the time."""

    def note(self, state: State) -> list[Behaviour | None]:
        """Takes in the step that was just played. Returns the act of each player in it."""
        avatars = state.avatars.tolist()[0]
        acts = [ACTS.get(avatar[columns.DID]) for avatar in avatars]
        before, self._shown = self._shown, find_visible(self.view, avatars)
        for i, (earlier, now) in enumerate(zip(before, self._shown, strict=True)):
            for j, act in enumerate(acts):
                if not (earlier[j] and now[j]):
                    self.watched[i][j] = False
                elif act is not None:
                    self.known[i][j][act] = None
        return acts

    def settle(self, reward: float) -> list[list[tuple[Behaviour, ...]]]:
        """The acts of each player (second index) as each knows them (first index), in a step that paid ``reward``.

        Own acts in order, ``stood around`` if there was none. Of others the known acts; if
        none are known, all that cannot be excluded. The tally starts again.
        """
        dishes = round(reward / self.pay)
        accounts: list[list[tuple[Behaviour, ...]]] = []
        for tallies, watched in zip(self.known, self.watched, strict=True):
            missing = dishes - sum(DELIVERED in acts for acts in tallies)
            unseen = [
                DELIVERED not in acts and not in_sight
                for acts, in_sight in zip(tallies, watched, strict=True)
            ]
            if missing == sum(unseen):
                for acts in compress(tallies, unseen):
                    acts[DELIVERED] = None
                missing = 0
            possible = BEHAVIOURS if missing else tuple(b for b in BEHAVIOURS if b != DELIVERED)
            each = zip(tallies, watched, strict=True)
            accounts.append([tuple(acts) or ((STOOD,) if in_sight else possible) for acts, in_sight in each])
        self._start()
        return accounts


def find_visible(view: View, avatars: Sequence[Sequence[int]]) -> list[list[bool]]:
    """Whether the window of each avatar (first index) shows each; their rows begin with x, y, orientation."""
    reach = view.reaches
    return [
        [(facing, other[columns.X] - x, other[columns.Y] - y) in reach for other in avatars]
        for x, y, facing, *_ in avatars
    ]


def next_act(acts: Sequence[KitchenAct], player: int, step: int, steps: int) -> Behaviour | None:
    """The first act of ``player`` in world step ``step`` or later, of an episode that had ``steps`` steps.

    ``stood around`` if none comes for ``PATIENCE`` steps; ``None`` if the episode ended before either.

    >>> acts = [KitchenAct(3, 0, "picked up a dish"), KitchenAct(90, 0, "picked up soup")]
    >>> next_act(acts, 0, 0, 100), next_act(acts, 0, 4, 100), next_act(acts, 0, 91, 100)
    ('picked up a dish', 'stood around', None)
    """
    for act in acts:
        if act.player == player and step <= act.step < step + PATIENCE:
            return act.behaviour
    return STOOD if step + PATIENCE <= steps else None


NO_ACT = -1
_ACT = np.full(columns.DELIVERED + 1, NO_ACT, np.int8)
for _code, _behaviour in ACTS.items():
    _ACT[_code] = BEHAVIOURS.index(_behaviour)


def label_acts(did: NDArray[np.int8]) -> NDArray[np.int8]:
    """The act that each code of ``did`` is, as an index of ``BEHAVIOURS``, -1 for none; of the same shape.

    >>> label_acts(np.array([[0, columns.FILLED]], np.int8)).tolist()
    [[-1, 1]]
    """
    return _ACT[did]


def pot_events(did: NDArray[np.int8]) -> NDArray[np.float32]:
    """1 where a tomato was put into a pot or soup taken from one, else 0; of the same shape.

    For both Melting Pot pays its actor, and nobody else, the ``cooking_pot_pseudoreward`` of the substrate's
    configuration: 0 in the published substrate, for training more (component ``CookingPot`` of Melting Pot 2.4.1).
    Soup from a counter pays nothing, though it is the same act.

    >>> pot_events(np.array([columns.FILLED, columns.SERVED, columns.TOOK + 3], np.int8)).tolist()
    [1.0, 1.0, 0.0]
    """
    return ((did == columns.FILLED) | (did == columns.SERVED)).astype(np.float32)
