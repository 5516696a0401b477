"""One player hides a coin in a place, the other looks in a place: a find wins the coin's worth there, else the hider keeps it.

The hider sees where the seeker looks. A seeker who looks in the wrong place does not see where the coin was.
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, Space

from otherminds.core.data import Action, Answer, Brief, Encounter, Game, Question, Seat
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.scenario import World, worlds

HIDER, SEEKER = SEATS = ("hider", "seeker")
WORTH = {"attic": 3.0, "cellar": 2.0, "garden": 1.0}
PLACES = tuple(WORTH)
PAYOFFS = tuple(tuple((0.0, w) if p == looked else (w, 0.0) for looked in PLACES) for p, w in WORTH.items())
GAME = Game("hide_and_seek", (PLACES, PLACES), PAYOFFS)


@worlds.register("hide_and_seek")
class HideAndSeek(World):
    """An action is the number of a place, an observation that of the round; encounters say what a seat knows of the other."""

    def __init__(self, rounds: int = 20) -> None:
        if rounds < 1:
            raise StudyError(f"hide and seek needs at least 1 round, not {rounds}")
        self.rounds, self.possible_agents, self.metadata = rounds, [*SEATS], {"name": "hide_and_seek_v1"}
        self._actions = {seat: Discrete(len(PLACES)) for seat in SEATS}
        self._observations = {seat: Discrete(rounds + 1) for seat in SEATS}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents = [*SEATS]
        self._looks: list[str] = []
        self._grants = (options or {}).get("grants", {})
        return dict.fromkeys(SEATS, np.int64(0)), {seat: {} for seat in SEATS}

    def step(self, actions: dict[Seat, Action]) -> Any:
        if not all(self._actions[seat].contains(actions[seat]) for seat in SEATS):
            raise WorldError(f"an action is the number of a place, and these are not: {actions}")
        coin, look = (PLACES[actions[seat]] for seat in SEATS)
        rewards = dict(zip(SEATS, PAYOFFS[actions[HIDER]][actions[SEEKER]], strict=True))
        seen = (coin,) if coin == look else tuple(place for place in PLACES if place != look)
        infos: dict[Seat, Any] = {}
        for seat, possible in ((HIDER, (coin,)), (SEEKER, seen)):
            met = Encounter(len(self._looks), {HIDER: possible, SEEKER: (look,)}, rewards[seat])
            infos[seat] = {"encounters": (met,)}
        self._looks.append(look)
        over = len(self._looks) == self.rounds
        self.agents = [] if over else [*SEATS]
        observed, ends, cut = (dict.fromkeys(SEATS, x) for x in (np.int64(len(self._looks)), over, False))
        return observed, rewards, ends, cut, infos

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self._observations[agent]

    def action_space(self, agent: Seat) -> Space[Any]:
        return self._actions[agent]

    def brief(self, seat: Seat) -> Brief:
        others, known = tuple({*SEATS} - {seat}), dict.fromkeys(SEATS, PLACES)
        rewards, granted = (0.0, max(WORTH.values())), self._grants.get(seat, {})
        return Brief(seat, others, self._actions[seat], known, rewards, self.rounds, **granted)

    def fallback(self, seat: Seat) -> Action | None:
        return None

    def truth(self, question: Question, step: int) -> Answer | None:
        return self._looks[step] if step < len(self._looks) else None
