"""Episodes of a world without minds: random or given actions, and everything that each seat receives."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import msgspec
import numpy as np
from gymnasium.spaces import Space

from otherminds.core.data import Action, Brief, Moment, Seat
from otherminds.core.seeds import derive
from otherminds.core.world import World
from otherminds.testing.compare import form, promise

Actions = dict[Seat, Action]


class SteppedEpisode:
    """One episode of ``world``, played step by step.

    Without a ``script``, actions are sampled from copies of the action spaces, seeded by ``acting``
    (default: ``seed``) and the seat. ``grants`` are passed to the world.
    """

    def __init__(
        self,
        world: World,
        seed: int,
        script: Sequence[Actions] | None = None,
        grants: dict[Seat, dict[str, Any]] | None = None,
        acting: int | None = None,
    ) -> None:
        self.world = world
        self.seats = tuple(world.possible_agents)
        self._script = script
        self._spaces = {seat: sampler(world, seat, seed if acting is None else acting) for seat in self.seats}
        observations, infos = world.reset(
            seed=derive(seed, "world") % 2**31, options={"grants": grants or {}}
        )
        self.briefs = {seat: world.brief(seat) for seat in self.seats}
        self.horizon = min(brief.horizon for brief in self.briefs.values())
        self.moments: dict[Seat, list[Moment]] = {seat: [] for seat in self.seats}
        self.heard: dict[Seat, list[bytes]] = {seat: [encode_brief(self.briefs[seat])] for seat in self.seats}
        self.actions: list[Actions] = []
        self.flags: list[tuple[dict[Seat, bool], dict[Seat, bool]]] = []
        self.present: list[tuple[Seat, ...]] = [tuple(world.agents)]
        self._hear(observations, dict.fromkeys(self.seats, 0.0), infos)

    @property
    def going(self) -> bool:
        """Whether the episode continues."""
        return bool(self.world.agents)

    def next_actions(self) -> Actions:
        """The next actions of all seats."""
        if self._script is not None:
            promise(
                len(self.actions) < len(self._script),
                "the same actions lead to the same end",
                f"the episode went on after its {len(self._script)} steps",
            )
            return dict(self._script[len(self.actions)])
        return {seat: self._spaces[seat].sample() for seat in self.seats}

    def step(self, actions: Actions | None = None) -> None:
        """Plays one step."""
        promise(
            len(self.actions) < self.horizon,
            f"the episode ends within its horizon of {self.horizon} steps",
            f"seats {self.world.agents} are still there after {len(self.actions)}",
        )
        choices = self.next_actions() if actions is None else actions
        observations, rewards, terminations, truncations, infos = self.world.step(dict(choices))
        self.actions.append(choices)
        self.flags.append((dict(terminations), dict(truncations)))
        self.present.append(tuple(self.world.agents))
        self._hear(observations, rewards, infos)

    def play(self) -> SteppedEpisode:
        """Plays to the end."""
        while self.going:
            self.step()
        return self

    @property
    def lines(self) -> list[bytes]:
        """Everything that any seat received, the flags and the facts."""
        lines = [line for seat in self.seats for line in self.heard[seat]]
        return [*lines, *map(form, self.flags), form(self.present), form(self.world.facts())]

    @property
    def hash(self) -> str:
        """SHA-256 of :attr:`lines`."""
        return hashlib.sha256(b"\n".join(self.lines)).hexdigest()

    def _hear(
        self, observations: dict[Seat, Any], rewards: dict[Seat, float], infos: dict[Seat, dict[str, Any]]
    ) -> None:
        for by_seat, name in ((observations, "an observation"), (rewards, "a reward"), (infos, "an info")):
            promise(
                set(self.seats) <= set(by_seat),
                f"a seat that has finished keeps its place: each of {self.seats} is given {name}",
                f"at step {len(self.actions)} only {sorted(by_seat)} were",
            )
        for seat in self.seats:
            met, messages = (infos[seat].get(key, ()) for key in ("encounters", "told"))
            step, last = len(self.actions), not self.going
            moment = Moment(step, observations[seat], rewards[seat], met, None, messages, last)
            self.moments[seat].append(moment)
            self.heard[seat].append(form(moment))


def encode_brief(brief: Brief) -> bytes:
    """A brief as bytes; its action space by name."""
    return form(msgspec.structs.replace(brief, action_space=repr(brief.action_space)))


def sampler(world: World, seat: Seat, seed: int) -> Space[Any]:
    """A seeded copy of a seat's action space."""
    space = deepcopy(world.action_space(seat))
    space.seed(derive(seed, "actions", seat) % 2**31)
    return space


def member(space: Space[Any], action: Action) -> bool:
    """Whether ``action`` is in ``space``; false if ``contains`` raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(space.contains(action))
        except (TypeError, ValueError, AttributeError):
            return False


def outside(space: Space[Any]) -> list[Action]:
    """Actions that are not in ``space``: of a wrong type, range or shape."""
    sample = deepcopy(space).sample()
    candidates: list[Any] = [None, "no such action", [], {}, -1, 10**9, 1.5, np.array([0, 0])]
    if isinstance(sample, int | np.integer):
        candidates += [-1 - int(sample), float(sample), str(sample), [int(sample)]]
    if isinstance(sample, np.ndarray):
        candidates += [sample - 10**6, sample + 10**6, np.append(sample, sample)]
    return [action for action in candidates if not member(space, action)]
