"""The seats that a learner does not play: who sits there, and scripted partners that act in all worlds of a batch at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.core.encoding import derive
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.scenario import Scenario
from otherminds.gridworlds.grid.learner import GridBatch, LearnerBatch, copy_arrays, put_back
from otherminds.gridworlds.grid.rules import player_of, seat_of


class Others(Protocol):
    """Plays seats that the learner does not play, in the worlds of one shard: scripted partners, or a policy."""

    def begin(self) -> None:
        """Called after each reset of all worlds. Worlds whose episode ends begin anew without a call."""
        ...

    def act(self) -> NDArray[np.integer]:
        """Called before each step: the actions of all seats, int[B, P]. Those of the learner's seats are not read."""
        ...


MakeOthers = Callable[[GridBatch], Others]
"""Makes the other players of a shard."""


class LearnerSeats:
    """A batch of which a learner plays the first ``learners`` seats: all of them, or one if there are others."""

    def __init__(self, batch: LearnerBatch, others: MakeOthers | None) -> None:
        self.batch = batch
        self.learners = batch.players if others is None else 1
        self._others: list[Any] = [] if others is None else [others(shard) for shard in batch.shards]
        self._actions = np.zeros((batch.worlds, batch.players), np.int64)
        self._bind_fills()

    def reset(self, seeds: int | Sequence[int]) -> None:
        """As :meth:`~.learner.LearnerBatch.reset`."""
        self.batch.reset(seeds)
        for partner in self._others:
            partner.begin()

    def step(self, actions: NDArray[np.integer], again: NDArray[np.bool_] | None = None) -> None:
        """One step of all worlds by the learners' ``actions``, int[B · learners], and those of the others.

        ``again`` as for :meth:`~.learner.LearnerBatch.step`.
        """
        batch = self.batch
        self._actions[:] = 0
        if self._fills is None:
            self._ask_others()
        self._actions[:, : self.learners] = actions.reshape(batch.worlds, self.learners)
        if not batch.going:
            raise WorldError("no episode is going on: call reset before step")
        batch.take(self._actions)
        batch.advance(again, self._fills)

    def advance(self) -> None:
        """As :meth:`step` with the learners' actions in ``batch.actions``, which are not checked; those of others are."""
        actions = self.batch.actions
        if self._fills is not None:
            actions[:, self.learners :] = 0
        elif self._others:
            own = actions[:, : self.learners].copy()
            self._ask_others()
            self.batch.take(self._actions)
            actions[:, : self.learners] = own
        self.batch.advance(None, self._fills)

    def _ask_others(self) -> None:
        """Writes the actions of others that are not compiled into the own array."""
        for partner, part in zip(self._others, self.batch.parts, strict=False):
            self._actions[part] = partner.act()

    def _bind_fills(self) -> None:
        """What asks compiled partners, for each shard; None if there are none, or others."""
        self._fills: list[Callable[[], None]] | None = None
        if self._others and all(isinstance(partner, BatchedPartners) for partner in self._others):
            pairs = zip(self._others, self.batch.parts, strict=True)
            self._fills = [partial(partner.fill, self.batch.actions[part]) for partner, part in pairs]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_fills"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind_fills()


Seats: TypeAlias = Mapping[int, str | None] | Sequence[str | None]
"""The partners of one world by seat number, 0 for ``ego``; ``None`` or left out where none sits."""
Draw: TypeAlias = Callable[[int, int], Seats]
"""The partners of a world in one episode: ``draw(world, seed)``."""
Cast: TypeAlias = Sequence[Seats] | Draw | Scenario
"""One entry a world; or a function; or a scenario, whose population fills all seats but those under test, with the
partners that a study meets in the episode of that seed."""


def draws(cast: Cast, names: Sequence[str], worlds: int) -> Draw:
    """``cast`` as what is called at the start of each episode of ``worlds`` worlds.

    Raises:
        StudyError: there is not one entry a world, or a scenario has partners that are none of ``names``, or have options.
    """
    if isinstance(cast, Scenario):
        return _make_draw(cast, names)
    if callable(cast):
        return cast
    if len(cast) != worlds:
        raise StudyError(f"the cast of {worlds} worlds has {len(cast)} entries; give one a world")
    return lambda world, seed: cast[world]


def number_seats(seats: Seats, names: Sequence[str], players: int) -> list[int]:
    """The number of the partner in each of ``players`` seats, by its place in ``names``; -1 for none.

    Raises:
        StudyError: no such partner, or no such seat.
    """
    by_seat = dict(seats) if isinstance(seats, Mapping) else dict(enumerate(seats))
    if unknown := set(by_seat) - set(range(players)):
        raise StudyError(f"a cast names seat {min(unknown)}; there are seats 0 to {players - 1}")
    for name in by_seat.values():
        if name is not None and name not in names:
            raise StudyError(f"there is no batched partner {name!r}; there are {', '.join(names) or 'none'}")
    partners = [by_seat.get(seat) for seat in range(players)]
    return [-1 if name is None else names.index(name) for name in partners]


def _make_draw(scenario: Scenario, names: Sequence[str]) -> Draw:
    for _, specs in scenario.population.members:
        for spec in specs:
            if spec.mind not in names:
                raise StudyError(f"partner {spec.mind!r} of {scenario.id} is none of {', '.join(names)}")
            if spec.params:
                raise StudyError(
                    f"{scenario.id} gives partner {spec.mind!r} the options {spec.params}; make it without, and "
                    "give noise to the partners of the batch instead"
                )
    players = [player_of(seat) for seat in scenario.others]

    def draw(world: int, seed: int) -> Seats:
        return dict(zip(players, (spec.mind for spec in scenario.population.met(seed)), strict=True))

    return draw


STEP = 0  # The column of ``clock`` that every substrate has


class BatchedPartners(ABC):
    """Partners in seats of ``batch``, some of ``names`` as ``cast`` says (:mod:`.partners`).

    Call :meth:`begin` after each reset of the batch, then :meth:`act` once for each step. A world that begins anew
    within a step is noticed, one whose episode begins again too; its partners then take its seed as theirs. Each seat
    derives its random stream from the seed as minds do (:class:`~otherminds.play.seat_context.SeatContext`), so every
    episode can be played again alone, by the minds of one seat. A copy, by pickle or ``copy``, goes on from the same state;
    a ``cast`` that is a function or a scenario of no registry has to allow it. Subclasses are made from ``batch``, ``cast``
    and ``noise``.

    ``cast`` int64[B, P] is the partner in each seat in the episodes going on, by number in ``names``; -1 for none.
    """

    def __init__(self, batch: GridBatch, cast: Cast, names: Sequence[str], noise: float = 0.0) -> None:
        from otherminds.gridworlds.grid import _kernel

        self.batch = batch
        self.names = tuple(names)
        self.noise = float(noise)
        self._cast_of_all = cast
        self.cast: NDArray[np.int64] = np.full((batch.worlds, batch.players), -1, np.int64)
        self._draw = draws(cast, self.names, batch.worlds)
        self._clock: NDArray[np.integer] = batch.state.clock[:, STEP]
        self._seeds = np.zeros(batch.worlds, np.uint64)  # Of the worlds' episodes in which the partners are
        self._steps = np.full(batch.worlds, -1, np.int64)  # The last step in which they acted
        self._fresh = np.zeros(batch.worlds, np.bool_)
        self._notice = _kernel.notice
        self._turns = _kernel.hold(
            (batch.state.clock, batch.seeds, batch.again, self._seeds, self._steps, self._fresh)
        )
        self._begun = False

    def __reduce__(self) -> tuple[type[BatchedPartners], tuple[GridBatch, Cast, float], dict[str, Any]]:
        made_with = (self.batch, self._cast_of_all, self.noise)
        return type(self), made_with, {"begun": self._begun, "arrays": self.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.restore(state["arrays"])
        self._begun = state["begun"]

    def begin(self, seeds: int | Sequence[int] | NDArray[np.integer] | None = None) -> None:
        """New episodes everywhere, under B seeds, or s, s + 1, ... for one s, or those of the worlds.

        To repeat the episode of seed s of a study, reset the world under ``derive(s, "world") % 2**31`` and give s here.

        Raises:
            WorldError: there is not one seed a world.
            StudyError: the cast names a partner or a seat that there is not.
        """
        worlds = self.batch.worlds
        if seeds is None:
            episode_seeds = self.batch.seeds.tolist()
        elif isinstance(seeds, int | np.integer):
            episode_seeds = [int(seeds) + b for b in range(worlds)]
        else:
            episode_seeds = [int(seed) for seed in seeds]
        if len(episode_seeds) != worlds:
            raise WorldError(f"{len(episode_seeds)} seeds for the partners of {worlds} worlds")
        self._enter(np.ones(worlds, np.bool_), episode_seeds)
        self._begun = True

    def act(self) -> NDArray[np.int64]:
        """The partners' actions after the present observations, int64[B, P]; 0 in other seats. A new array.

        Raises:
            WorldError: :meth:`begin` was not called, or not one step was made since the last call.
            StudyError: the cast names a partner or a seat that there is not.
        """
        actions = np.zeros(self.cast.shape, np.int64)
        self.fill(actions)
        return actions

    def fill(self, actions: NDArray[np.int64]) -> None:
        """As :meth:`act`, into ``actions`` int64[B, P]; other seats keep theirs."""
        if not self._begun:
            raise WorldError("the partners have not begun: call begin after the reset of the batch")
        number, wrong = self._notice(self._turns)
        if wrong >= 0:
            raise WorldError(
                f"partners act once in each step; world {wrong} is at step {self._clock[wrong]} and its partners acted "
                f"last in step {self._steps[wrong]}: call act before each step, and begin after each reset"
            )
        if number:
            self._enter(self._fresh, self.batch.seeds.tolist())
        self._decide(actions)
        self._steps[:] = self._clock

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of all that their next actions depend on beside the batch, by name."""
        return copy_arrays(self._list_arrays())

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Continues from a :meth:`snapshot` of partners of such a batch, which was restored too.

        Raises:
            WorldError: it is of other partners.
        """
        put_back(self._list_arrays(), snapshot, "set of partners")
        self._begun = True

    def _list_arrays(self) -> dict[str, NDArray[Any]]:
        arrays = {"cast": self.cast, "seeds": self._seeds, "steps": self._steps}
        return arrays | {f"memory.{name}": array for name, array in self._list_memory().items()}

    @abstractmethod
    def _list_memory(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that the partners' memory consists of, by name."""

    @abstractmethod
    def _start(self, fresh: NDArray[np.bool_], streams: NDArray[np.uint64]) -> None:
        """Forgets the last episode in the worlds that are ``fresh`` (bool[B]); :attr:`cast` says who plays the next.

        ``streams`` uint64[B, P]: the seeds of the partners' generators.
        """

    @abstractmethod
    def _decide(self, actions: NDArray[np.int64]) -> None:
        """Writes the partners' actions into ``actions``, int64[B, P]."""

    def _enter(self, fresh: NDArray[np.bool_], seeds: Sequence[int]) -> None:
        streams = np.zeros(self.cast.shape, np.uint64)
        for b in np.flatnonzero(fresh).tolist():
            self.cast[b] = number_seats(self._draw(b, seeds[b]), self.names, self.batch.players)
            for i in np.flatnonzero(self.cast[b] >= 0).tolist():
                streams[b, i] = derive(seeds[b], "mind", seat_of(i))
        self._start(fresh, streams)
        self._seeds[fresh] = self.batch.seeds[fresh]
        self._steps[fresh] = -1
