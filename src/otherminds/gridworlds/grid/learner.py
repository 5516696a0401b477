"""The batched interface for learning that all gridworlds share: B worlds a call, in arrays, by several threads.

Beside what players observe, learners can ask in recorded steps what each player shows next, as literal questions do
(:func:`hindsight`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from otherminds.core.encoding import check_seed
from otherminds.core.errors import WorldError
from otherminds.core.registry import Registry
from otherminds.gridworlds.grid.crew import Crew
from otherminds.gridworlds.grid.pixels import TILE, Pixels, words
from otherminds.gridworlds.grid.rules import GridRules
from otherminds.gridworlds.grid.world import Kernel


class Seen(NamedTuple):
    """What B worlds of P avatars are observed to be, in the arrays that a batch hands out.

    ``windows`` uint8[B, P, rows, columns, layers]. ``vectors`` float32[B, P, V]. ``rgb`` uint8[B, P, rows · 8,
    columns · 8, 3], or None. The ``final`` ones are of the same shapes: their rows are filled where an episode
    ended in the last step, with its last observation.
    """

    windows: NDArray[Any]
    vectors: NDArray[np.float32]
    rgb: NDArray[Any] | None
    final_windows: NDArray[Any]
    final_vectors: NDArray[np.float32]
    final_rgb: NDArray[Any] | None

    @classmethod
    def empty(cls, window: tuple[int, ...], vector: tuple[int, ...], picture: tuple[int, ...] | None) -> Seen:
        """Arrays of these shapes, all zero; without pictures if ``picture`` is None."""
        windows, final_windows = np.zeros(window, np.uint8), np.zeros(window, np.uint8)
        vectors, final_vectors = np.zeros(vector, np.float32), np.zeros(vector, np.float32)
        rgb, final_rgb = (None if picture is None else np.zeros(picture, np.uint8) for _ in range(2))
        return cls(windows, vectors, rgb, final_windows, final_vectors, final_rgb)


class Episodes(NamedTuple):
    """What a batch keeps beside the state of B worlds of P avatars, for it outlives their episodes.

    ``seeds`` uint64[B]: of the episodes going on. ``rewards`` float32[B, P], ``over`` int32[B]: of the last
    step; 1 where it ended an episode by chance, 2 at the maximum length. ``returns`` float64[B, P]: summed
    rewards of the episodes going on. ``last_returns`` float64[B, P] and ``last_lengths`` int32[B]: of the
    episodes that ended last, 0 before. ``met`` int32[B, P, 2, K]: the own and the other's inventory where a duel
    was resolved in the last step, else -1; 0 at the reset, and K = 0 where there are no duels.
    ``did`` int8[B, P]: what each avatar did in the last step, in the codes of a kitchen; 0 for nothing, and in other
    substrates.
    """

    seeds: NDArray[np.uint64]
    rewards: NDArray[np.float32]
    over: NDArray[np.int32]
    returns: NDArray[np.float64]
    last_returns: NDArray[np.float64]
    last_lengths: NDArray[np.int32]
    met: NDArray[np.int32]
    did: NDArray[np.int8]

    @classmethod
    def empty(cls, worlds: int, players: int, kinds: int) -> Episodes:
        """Arrays for ``worlds`` worlds, all zero; ``kinds`` is K."""
        return cls(
            seeds=np.zeros(worlds, np.uint64),
            rewards=np.zeros((worlds, players), np.float32),
            over=np.zeros(worlds, np.int32),
            returns=np.zeros((worlds, players)),
            last_returns=np.zeros((worlds, players)),
            last_lengths=np.zeros(worlds, np.int32),
            met=np.zeros((worlds, players, 2, kinds), np.int32),
            did=np.zeros((worlds, players), np.int8),
        )


class GridBatch:
    """Worlds of a substrate under ``rules``, stepped together by its compiled ``kernel``.

    ``state`` is their complete state; ``seen`` and ``episodes`` are arrays, or parts of arrays, that it fills. Of
    these, ``windows``, ``vectors``, ``seeds``, ``did`` and ``again`` (bool[B]: worlds whose episode began again in the last
    step) are for partners, who play in the worlds of one shard.
    After an episode under seed s a world goes on under ``Luck(s).next()`` (see
    :mod:`otherminds.gridworlds.grid.rules`), so every episode can be played again alone. Kernels use one thread and
    release the interpreter lock: several threads can step several batches.

    Raises:
        ValueError: the map is not enclosed, or has fewer spawn points than avatars.
    """

    def __init__(
        self, rules: Any, kernel: Kernel, observations: Seen, episodes: Episodes, again: NDArray[np.bool_]
    ) -> None:
        self.rules = rules
        self.worlds = len(episodes.seeds)
        self.players: int = rules.players
        self.state = kernel.empty(rules, self.worlds)
        self.windows: NDArray[np.uint8] = observations.windows
        self.vectors = observations.vectors
        self.seeds = view_read_only(episodes.seeds)
        self.did = view_read_only(episodes.did)
        self.again = view_read_only(again)
        self._episodes = episodes
        self._kernel = kernel
        self._tables = kernel.tables(rules)
        self._scene = None if observations.rgb is None else kernel.scene(rules)
        self._seen = Seen(
            windows=kernel.cells(observations.windows),
            vectors=observations.vectors,
            rgb=_view_words(observations.rgb),
            final_windows=kernel.cells(observations.final_windows),
            final_vectors=observations.final_vectors,
            final_rgb=_view_words(observations.final_rgb),
        )
        self._held = kernel.hold((self._tables, self.state, episodes, self._seen, self._scene))
        self._batch: tuple[ReferenceType[LearnerBatch], int] | None = None

    def join(self, batch: LearnerBatch, number: int) -> None:
        """It is shard ``number`` of ``batch``, with which it is copied and pickled."""
        self._batch = (ref(batch), number)

    def __reduce__(self) -> tuple[Callable[..., GridBatch], tuple[LearnerBatch, int]]:
        batch = self._batch[0]() if self._batch else None
        if self._batch is None or batch is None:
            raise TypeError("a shard is copied with its batch, and the batch is gone: make it again")
        return _pick_shard, (batch, self._batch[1])

    def reset(self, seeds: NDArray[np.uint64]) -> None:
        """New episodes everywhere, under ``seeds`` uint64[B]."""
        for array in self._episodes:
            array[:] = 0
        self._episodes.seeds[:] = seeds
        self._begin(slice(None))

    def step(self, actions: NDArray[np.int64]) -> None:
        """One step of all worlds. ``actions`` int64[B, P], 0 to 7, which is not checked."""
        self._kernel.learn(self._held, actions)

    def step_others(self, actions: NDArray[np.int64], again: NDArray[np.bool_]) -> None:
        """As :meth:`step`, but worlds ``again`` (bool[B]) are back at the beginning of the episode that they were in."""
        episodes, worlds = self._episodes, np.flatnonzero(again)
        seeds = episodes.seeds[worlds]
        returns, lengths = episodes.last_returns[worlds], episodes.last_lengths[worlds]
        self._kernel.learn(self._held, actions)
        for array in episodes:
            array[worlds] = 0
        episodes.seeds[worlds] = seeds
        episodes.last_returns[worlds], episodes.last_lengths[worlds] = returns, lengths
        for b in worlds.tolist():
            self._begin(slice(b, b + 1))

    def _begin(self, part: slice) -> None:
        """The first states of the episodes of some worlds, and what is seen then."""
        state = type(self.state)._make(array[part] for array in self.state)
        self._kernel.reset(self._tables, state, self._episodes.seeds[part])
        self._kernel.look(self._tables, state, self._seen.windows[part])
        self._kernel.feel(self._tables, state, self._seen.vectors[part])
        if self._scene is not None and self._seen.rgb is not None:
            self._kernel.draw(self._scene, state, self._seen.rgb[part])


def _call_both(first: Callable[[], None], second: Callable[[], None]) -> None:
    first()
    second()


def _pick_shard(batch: LearnerBatch, number: int) -> GridBatch:
    return batch.shards[number]


def _view_words(pictures: Pixels | None) -> NDArray[np.uint64] | None:
    return None if pictures is None else words(pictures)


def view_read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of ``array``."""
    view = array.view()
    view.flags.writeable = False
    return view


def copy_arrays(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Copies of arrays by name: a snapshot."""
    return {name: array.copy() for name, array in arrays.items()}


def put_back(arrays: Mapping[str, NDArray[Any]], snapshot: Mapping[str, NDArray[Any]], kind: str) -> None:
    """Writes a snapshot (:func:`copy_arrays`) into ``arrays`` of the owner that ``kind`` names, such as a batch.

    Raises:
        WorldError: an array is missing, or has another shape or type.
    """
    for name, array in arrays.items():
        saved = snapshot.get(name)
        if saved is None or saved.shape != array.shape or saved.dtype != array.dtype:
            raise WorldError(f"the snapshot is of another {kind}: {name!r} does not fit")
        array[:] = saved


@dataclass(frozen=True)
class Substrate:
    """A gridworld as learners see it.

    ``codes``: how many codes each layer of a window has. ``vector``: name and size of the observations beside the
    window (``INVENTORY``, ...), in their order in a batch's ``vectors``. ``kernel`` gives the compiled rules.
    ``kinds``: the classes of resources in duels, 0 where there are no duels. ``partners(shard, cast)`` makes the scripted
    partners of a shard (:class:`~.partners.Others`), where the substrate has any.
    """

    rules: GridRules
    codes: tuple[int, ...]
    vector: tuple[tuple[str, int], ...]
    kernel: Callable[[], Kernel]
    kinds: int = 0
    partners: Callable[[GridBatch, Any], Any] | None = None

    @property
    def name(self) -> str:
        """The name of its rules."""
        return self.rules.name

    @property
    def players(self) -> int:
        """How many avatars it has."""
        return self.rules.players

    def batch(self, worlds: int, threads: int = 1, rgb: bool = False) -> LearnerBatch:
        """``worlds`` copies, stepped together by ``threads`` threads: see :class:`LearnerBatch`."""
        return LearnerBatch(self, worlds, threads, rgb)


class LearnerBatch:
    """``worlds`` copies of ``substrate``, stepped together; :meth:`Substrate.batch` makes one.

    Everything that a learner reads is an attribute: an array of B worlds and P players that is made once,
    C-contiguous, and that :meth:`reset` and :meth:`step` overwrite. Copy what you keep. The arrays may be handed to
    a deep-learning library without a copy; write nothing into them.

    - ``windows`` uint8[B, P, rows, columns, layers]: what each player sees, in codes. Layer l has
      ``substrate.codes[l]`` codes. No positions: window and vector are what Melting Pot's observations show.
    - ``vectors`` float32[B, P, V]: the parts of ``substrate.vector``, one after the other.
    - ``rgb`` uint8[B, P, rows · 8, columns · 8, 3]: the windows in Melting Pot's pixels, if asked for, else None.
    - ``rewards`` float32[B, P]: of the last step.
    - ``terminations`` bool[B]: worlds whose episode ended by chance in the last step. ``truncations`` bool[B]:
      those that reached the maximum length. Both have started their next episode already: the observations are
      its first ones, while rewards belong to the last step. ``over`` int32[B] is 1 for the first, 2 for the second.
    - ``final_windows``, ``final_vectors``, ``final_rgb``: the last observations of the episodes that ended in the
      last step, from which the value of a truncated one can be bootstrapped. Other rows hold older ones.
    - ``returns`` float64[B, P], ``lengths`` int32[B]: undiscounted return and steps of the episode that ended
      last in each world; 0 while none has.
    - ``seeds`` uint64[B], read-only: of the episodes to which the observations belong.
    - ``did`` int8[B, P], read-only: what each avatar did in the last step, in a kitchen: see its ``labels`` module.
    - ``shards``: the :class:`~.learner.GridBatch` of each thread, in the order of their worlds, which ``parts`` has.
    - ``going``: whether it was reset. ``actions`` int64[B, P]: of the last step. :meth:`advance` plays what is written there.

    Worlds are independent, so the number of ``threads`` changes no byte. They step at once only as long as that is faster
    (:class:`~.crew.Crew`). A copy, by pickle or ``copy``, goes on from
    the same state.

    Raises:
        WorldError: fewer than one world or thread, or more threads than worlds.
        ValueError: the map is not enclosed, or has fewer spawn points than avatars.
    """

    def __init__(self, substrate: Substrate, worlds: int, threads: int = 1, rgb: bool = False) -> None:
        from otherminds.gridworlds.grid import _kernel

        if worlds < 1:
            raise WorldError(f"a batch has at least 1 world, not {worlds}")
        if not 1 <= threads <= worlds:
            raise WorldError(f"{worlds} worlds are stepped by 1 to {worlds} threads, not {threads}")
        self.substrate = substrate
        self.worlds = worlds
        self.players = substrate.players
        rules, kernel = substrate.rules, substrate.kernel()
        rows, columns = rules.view.shape
        window = (worlds, self.players, rows, columns, kernel.layers)
        vector = (worlds, self.players, sum(size for _, size in substrate.vector))
        picture = (worlds, self.players, rows * TILE, columns * TILE, 3)
        observations = Seen.empty(window, vector, picture if rgb else None)
        self.windows, self.vectors, self.rgb = observations.windows, observations.vectors, observations.rgb
        self.final_windows, self.final_vectors = observations.final_windows, observations.final_vectors
        self.final_rgb = observations.final_rgb
        self._episodes = Episodes.empty(worlds, self.players, substrate.kinds)
        self.rewards = self._episodes.rewards
        self.returns = self._episodes.last_returns
        self.lengths = self._episodes.last_lengths
        self.over = self._episodes.over
        self.seeds = view_read_only(self._episodes.seeds)
        self.did = view_read_only(self._episodes.did)
        self.actions = np.zeros((worlds, self.players), np.int64)
        self._again = np.zeros(worlds, np.bool_)
        self.terminations: NDArray[np.bool_] = np.zeros(worlds, np.bool_)
        self.truncations: NDArray[np.bool_] = np.zeros(worlds, np.bool_)
        bounds = [worlds * n // threads for n in range(threads + 1)]
        self.parts = [slice(*pair) for pair in pairwise(bounds)]
        self.shards = tuple(
            GridBatch(
                rules,
                kernel,
                Seen._make(None if array is None else array[part] for array in observations),
                Episodes._make(array[part] for array in self._episodes),
                self._again[part],
            )
            for part in self.parts
        )
        for n, shard in enumerate(self.shards):
            shard.join(self, n)
        self._end, self._ends = _kernel.end, _kernel.hold((self.over, self.terminations, self.truncations))
        self._crew = Crew(threads) if threads > 1 else None
        # Jobs of the crew; each reads its part of ``actions``.
        rows = [self.actions[part] for part in self.parts]
        self._steps = [partial(shard.step, row) for shard, row in zip(self.shards, rows, strict=True)]
        self._next_again = np.zeros(worlds, np.bool_)
        masks = [self._next_again[part] for part in self.parts]
        self._steps_of_others = [
            partial(shard.step_others, *pair) for shard, *pair in zip(self.shards, rows, masks, strict=True)
        ]
        for n, shard in enumerate(self.shards):
            shard.join(self, n)
        self._end, self._ends = _kernel.end, _kernel.hold((self.over, self.terminations, self.truncations))
        self._crew = Crew(threads) if threads > 1 else None
        # Jobs of the crew; each reads its part of ``actions``.
        self._steps = [
            partial(shard.step, self.actions[part])
            for shard, part in zip(self.shards, self.parts, strict=True)
        ]
        self.going = False

    def __reduce__(self) -> tuple[Callable[..., LearnerBatch], tuple[int, int, bool], dict[str, Any]]:
        made_with = (self.worlds, len(self.shards), self.rgb is not None)
        return self.substrate.batch, made_with, {"going": self.going, "arrays": self._list_all_arrays()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        put_back(self._list_all_arrays(), state["arrays"], "batch")
        self.going = state["going"]

    def reset(self, seeds: int | np.integer | Sequence[int] | NDArray[np.integer]) -> None:
        """New episodes everywhere, under B seeds from 0 to 2**64 - 1, or under s, s + 1, ... for one s.

        Raises:
            WorldError: there is not one seed a world.
            StudyError: one is no whole number from 0 to 2**64 - 1.
        """
        if isinstance(seeds, Sequence | np.ndarray) and not isinstance(seeds, str | bytes):
            episode_seeds = [check_seed(seed, 64) for seed in seeds]
        else:
            episode_seeds = [check_seed(seeds, 64) + b for b in range(self.worlds)]
            check_seed(episode_seeds[-1], 64)
        if len(episode_seeds) != self.worlds:
            raise WorldError(f"{len(episode_seeds)} seeds for {self.worlds} worlds")
        self.terminations[:] = self.truncations[:] = self._again[:] = False
        seed_array = np.array(episode_seeds, np.uint64)
        for shard, part in zip(self.shards, self.parts, strict=True):
            shard.reset(seed_array[part])
        self.going = True

    def step(self, actions: NDArray[np.integer], again: NDArray[np.bool_] | None = None) -> None:
        """One step of all worlds. ``actions`` int[B, P], 0 to 7.

        Worlds ``again`` (bool[B]) make no step: the episode that they are in begins again, with rewards of 0.

        Raises:
            WorldError: the array has another shape or other numbers, or nothing was reset yet.
        """
        if not self.going:
            raise WorldError("no episode is going on: call reset before step")
        self.take(actions)
        self.advance(again)

    def take(self, actions: NDArray[np.integer]) -> None:
        """Checks ``actions`` int[B, P], and writes them into :attr:`actions`.

        Raises:
            WorldError: the array has another shape or other numbers.
        """
        action_array = np.asarray(actions)
        if action_array.shape != self.actions.shape or action_array.dtype.kind not in "iu":
            form = f"{action_array.dtype}{list(action_array.shape)}"
            raise WorldError(f"actions are int[{self.worlds}, {self.players}], not {form}")
        # A negative number is a large one without a sign
        np.copyto(self.actions, action_array, casting="unsafe")
        names = self.substrate.rules.actions
        if self.actions.view(np.uint64).max() >= len(names):
            raise WorldError(
                f"actions are 0 to {len(names) - 1} ({', '.join(names)}), "
                f"not {action_array.min()} to {action_array.max()}"
            )

    def advance(
        self, again: NDArray[np.bool_] | None = None, before: Sequence[Callable[[], None]] | None = None
    ) -> None:
        """One step of all worlds by :attr:`actions`. Nothing is checked, neither they nor whether an episode is going on.

        ``again`` as for :meth:`step`. ``before``: for each shard what its thread does before the step, such as asking partners.
        """
        some = again is not None and bool(again.any())
        self._next_again[:] = again if some else False
        jobs = self._steps_of_others if some else self._steps
        if before is not None:
            jobs = [partial(_call_both, *pair) for pair in zip(before, jobs, strict=True)]
        if self._crew is None:
            jobs[0]()
        else:
            self._crew.run(jobs)
        self._again[:] = self._next_again  # Until here partners read those of the last step
        self._end(self._ends)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of all that the following steps depend on, by name; the episodes go on from it by :meth:`restore`."""
        return copy_arrays(self._list_arrays())

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Continues from a :meth:`snapshot` of a batch of the same substrate, as many worlds and as many threads.

        Raises:
            WorldError: it is of another batch.
        """
        put_back(self._list_arrays(), snapshot, "batch")
        self.going = True

    def _list_arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {"windows": self.windows, "vectors": self.vectors}
        arrays |= {f"episodes.{name}": array for name, array in self._episodes._asdict().items()}
        for n, shard in enumerate(self.shards):
            arrays |= {f"state.{n}.{name}": array for name, array in shard.state._asdict().items()}
        return arrays

    def _list_all_arrays(self) -> dict[str, NDArray[Any]]:
        """Beside those of a snapshot, the arrays on which no following step depends."""
        arrays = self._list_arrays() | {
            "terminations": self.terminations,
            "truncations": self.truncations,
            "again": self._again,
            "final_windows": self.final_windows,
            "final_vectors": self.final_vectors,
        }
        pictures = {"rgb": self.rgb, "final_rgb": self.final_rgb}
        return arrays | {name: array for name, array in pictures.items() if array is not None}


substrates: Registry[Callable[[], Substrate]] = Registry("substrate")
"""Functions that make substrates. Worlds register theirs; other distributions use entry points."""


def substrate(name: str) -> Substrate:
    """The substrate ``name``.

    Raises:
        UnknownNameError: there is none; the text lists near matches.

    >>> import numpy as np
    >>> batch = substrate("rws-repeated-v1").batch(worlds=3)
    >>> batch.reset(7)
    >>> batch.windows.shape, batch.vectors.shape, batch.seeds.tolist()
    ((3, 2, 5, 5, 4), (3, 2, 4), [7, 8, 9])
    >>> batch.step(np.zeros((3, 2), int))
    >>> batch.rewards.shape
    (3, 2)
    """
    return substrates.get(name)()


UNKNOWN = -1


def hindsight(
    shown: NDArray[np.int8], ended: NDArray[np.bool_], patience: int, behaviours: int
) -> NDArray[np.int8]:
    """The next behaviour of each player from each step on, int8[T, B, P]; ``UNKNOWN`` if episode or recording end before.

    ``shown`` int8[T, B, P] is what was shown in each of T steps that follow one another, -1 if nothing; ``ended``
    bool[T, B] whether the step ended an episode. The answer of step t may be shown in that step itself. If ``patience`` is
    not 0, a player who shows nothing for that many steps shows the last of the ``behaviours`` by it.

    Raises:
        ValueError: the shapes do not fit each other.

    >>> shown = np.array([-1, 2, -1], np.int8).reshape(3, 1, 1)
    >>> hindsight(shown, np.array([[False], [False], [True]]), patience=0, behaviours=4).ravel().tolist()
    [2, 2, -1]
    """
    if shown.ndim != 3 or ended.shape != shown.shape[:2]:
        raise ValueError(f"shown is int8[T, B, P] and ended bool[T, B], not {shown.shape} and {ended.shape}")
    answers = np.full(shown.shape, UNKNOWN, np.int8)
    following = np.full(shown.shape[1:], UNKNOWN, np.int8)
    # Steps from here to the next behaviour, or to the end of what is known
    since = np.zeros(shown.shape[1:], np.int32)
    for t in reversed(range(len(shown))):
        over = ended[t][:, None]
        following = np.where(over, UNKNOWN, following)
        since = np.where(over, 0, since) + 1
        acts = shown[t] >= 0
        following = np.where(acts, shown[t], following)
        since = np.where(acts, 1, since)
        waits = (since >= patience + (following >= 0)) if patience else np.zeros_like(acts)
        answers[t] = np.where(waits, behaviours - 1, following)
    return answers
