"""One world at a time: the engine that plays it by compiled rules, and the PettingZoo environment around it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray

from otherminds.core.data import Action, Behaviour, Brief, Encounter, Seat
from otherminds.core.encoding import check_seed
from otherminds.core.errors import WorldError
from otherminds.core.scenario import World
from otherminds.gridworlds.grid.pixels import TILE, words
from otherminds.gridworlds.grid.rules import MASK, NOOP, GridRules, following, seat_of


class Sights(NamedTuple):
    """What P avatars observe, beside pictures.

    ``windows`` uint8[P, rows, columns, layers]. ``vectors`` float64[P, V]: what is observed beside windows, in
    the order of the substrate's ``vector``. ``poses`` int32[P, 3]: x, y, orientation; -1, -1, 0 while removed.
    """

    windows: NDArray[np.uint8]
    vectors: NDArray[np.float64]
    poses: NDArray[np.int32]


class GridEngine(Protocol):
    """Plays one world. ``state`` has one row (B = 1) and is current after each call."""

    state: Any

    def reset(self, seed: int) -> None:
        """A new episode under ``seed``, 0 to 2**64 - 1."""
        ...

    def step(self, actions: Sequence[int]) -> None:
        """One action for each avatar, in their order."""
        ...

    def observe(self) -> Sights:
        """What all avatars observe now; new arrays."""
        ...

    def play(self, actions: Sequence[int]) -> Sights:
        """:meth:`step` and :meth:`observe` in one call."""
        ...

    def pixels(self) -> NDArray[np.uint8]:
        """The windows as Melting Pot draws them, uint8[P, rows · 8, columns · 8, 3]; a new array."""
        ...


class Table(NamedTuple):
    """What a kernel plays one world with, held: what it looks up, the state, and what it reads and fills.

    ``actions`` int64[1, P]; ``windows`` as ``Kernel.cells`` gives them, the rest as in :class:`Sights`, with an
    axis of one world before.
    """

    tables: Any
    state: Any
    actions: NDArray[np.int64]
    windows: NDArray[Any]
    vectors: NDArray[np.float64]
    poses: NDArray[np.int32]


class Kernel(NamedTuple):
    """The compiled functions of a substrate, and what makes the arrays that they work on.

    ``empty(rules, worlds)`` makes the state, ``tables(rules)`` what kernels look up, ``scene(rules)`` what
    pictures are made of. ``cells`` gives windows uint8[B, P, rows, columns, ``layers``] in the form that ``look``
    fills, and :func:`~.pixels.words` pictures in that of ``draw``. The module of ``step`` names its kernel ``KERNEL``.

    Kernels run on all worlds: ``reset(tables, state, seeds)``, ``step(tables, state, actions)``;
    ``look(tables, state, cells)`` for windows, ``feel(tables, state, vectors)`` for what is observed beside them,
    ``draw(scene, state, words)`` for pictures. The others take arguments that ``hold`` has taken apart
    (:mod:`._kernel`): ``observe`` and ``play``, which also steps, a :class:`Table`; ``learn(held, actions)`` tables,
    state, :class:`~.learner.Episodes`, :class:`~.learner.Seen` and scene. ``learn`` steps, observes the ends of
    episodes, begins them anew and observes all.
    """

    layers: int
    empty: Callable[[Any, int], Any]
    tables: Callable[[Any], Any]
    reset: Callable[..., None]
    step: Callable[..., None]
    look: Callable[..., None]
    feel: Callable[..., None]
    scene: Callable[[Any], Any]
    draw: Callable[..., None]
    hold: Callable[[Any], Any]
    observe: Callable[[Any], None]
    play: Callable[[Any], None]
    learn: Callable[..., None]
    cells: Callable[[NDArray[np.uint8]], NDArray[Any]]

    def __reduce__(self) -> tuple[Callable[[str], Kernel], tuple[str]]:
        # Compiled functions are not pickled; a copy would be compiled again.
        return _import_kernel, (self.step.__module__,)


def _import_kernel(module: str) -> Kernel:
    return import_module(module).KERNEL


class KernelEngine:
    """Plays one world by compiled kernels. ``size``: how much each avatar observes beside its window."""

    def __init__(self, rules: Any, kernel: Kernel, size: int) -> None:
        players = rules.players
        self.rules = rules
        self.state = kernel.empty(rules, 1)
        self._kernel = kernel
        self._seeds = np.zeros(1, np.uint64)
        self._tables = kernel.tables(rules)
        self._actions = np.zeros((1, players), np.int64)
        self._sights = Sights(
            windows=np.zeros((1, players, *rules.view.shape, kernel.layers), np.uint8),
            vectors=np.zeros((1, players, size)),
            poses=np.zeros((1, players, 3), np.int32),
        )
        self._hold()

    def _hold(self) -> None:
        windows, vectors, poses = self._sights
        cells = self._kernel.cells(windows)
        table = Table(self._tables, self.state, self._actions, cells, vectors, poses)
        self._held = self._kernel.hold(table)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_held"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._hold()

    def reset(self, seed: int) -> None:
        self._seeds[0] = seed & MASK
        self._kernel.reset(self._tables, self.state, self._seeds)

    def step(self, actions: Sequence[int]) -> None:
        self._actions[0] = actions
        self._kernel.step(self._tables, self.state, self._actions)

    def observe(self) -> Sights:
        self._kernel.observe(self._held)
        return self._copy_sights()

    def play(self, actions: Sequence[int]) -> Sights:
        self._actions[0] = actions
        self._kernel.play(self._held)
        return self._copy_sights()

    def pixels(self) -> NDArray[np.uint8]:
        rows, columns = self.rules.view.shape
        canvas = np.empty((1, self.rules.players, rows * TILE, columns * TILE, 3), np.uint8)
        self._kernel.draw(self._scene, self.state, words(canvas))
        return canvas[0]

    def _copy_sights(self) -> Sights:
        windows, vectors, poses = self._sights
        return Sights(windows[0].copy(), vectors[0].copy(), poses[0].copy())

    @cached_property
    def _scene(self) -> Any:
        return self._kernel.scene(self.rules)


PICTURES = "uint8[rows * 8, columns * 8, 3]: the window in Melting Pot's pixels"
OVER = 1  # The column of ``clock`` that says whether the episode is over

Met = dict[Seat, tuple[Encounter, ...]]
Infos = dict[Seat, dict[str, Any]]
Heard = tuple[dict[Seat, Any], Infos]
Steps = tuple[dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], Infos]


class GridWorld(World):
    """A substrate played by an engine: ``ego`` (Melting Pot's player 0), ``partner_0``, ``partner_1``, ...

    The actions are Melting Pot's. ``rgb`` adds ``RGB`` uint8[rows · 8, columns · 8, 3] to observations,
    the window in the engine's pixels.
    ``skills`` and ``rounds`` are for the brief: the names of the scenario's skills, and for how many
    encounters minds plan.

    :meth:`reset` without a seed starts the episode that follows the last one, or any
    if there was none. The first columns of the state are ``x``, ``y``, ``facing`` for an
    avatar, and ``step``, ``over`` for the clock. Subclasses add what is particular to
    their substrate: what happened (``_settle``), what is seen (``_seen``), the map.
    """

    _about: Mapping[str, str]
    """What a seat without grants observes, by key."""
    _text: Callable[[Any, Any, int], str]
    _picture: Callable[[Any, Any, int], NDArray[np.uint8]]

    def __init__(
        self,
        rules: GridRules,
        engine: GridEngine,
        layers: int,
        skills: tuple[str, ...],
        rounds: int,
        rgb: bool,
        render_mode: str | None,
    ) -> None:
        self.metadata: dict[str, Any] = {
            "name": rules.name.replace("-", "_"),
            "render_modes": ["ansi", "rgb_array"],
            "observations": dict(self._about) | ({"RGB": PICTURES} if rgb else {}),
        }
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise WorldError(f"render_mode {render_mode!r} is none of {modes}")
        self.engine = engine
        self.layers = layers
        self.skills = skills
        self.rounds = rounds
        self.rgb = rgb
        self.render_mode = render_mode
        self.possible_agents = [seat_of(player) for player in range(rules.players)]
        self.agents: list[Seat] = []
        self._rules = rules
        self._action = {seat: Discrete(len(rules.actions)) for seat in self.possible_agents}
        self._space: dict[Seat, Dict | None] = dict.fromkeys(self.possible_agents)
        self._grants: dict[Seat, dict[str, Any]] = {}
        self._seed: int | None = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Heard:
        seed = following(self._seed) if seed is None else check_seed(seed, 64)
        grants = (options or {}).get("grants", {})
        if unknown := set(grants) - set(self.possible_agents):
            raise WorldError(f"grants for {', '.join(sorted(unknown))}, who have no seat here")
        for seat in self.possible_agents:
            if set(grants.get(seat, ())) != set(self._grants.get(seat, ())):
                self._space[seat] = None
        self.agents = list(self.possible_agents)
        self._grants = grants
        self._seed = seed
        self.engine.reset(self._seed)
        self._begin()
        return self._heard({})

    def step(self, actions: dict[Seat, Action]) -> Steps:
        if not self.agents:
            raise WorldError("no episode is going on: call reset before step")
        seats = self.possible_agents
        try:
            numbers = [actions[seat] for seat in seats]
        except KeyError:
            missing = ", ".join(seat for seat in seats if seat not in actions)
            raise WorldError(f"no action for {missing}") from None
        for i, action in enumerate(numbers):
            if type(action) is not int or not 0 <= action < len(self._rules.actions):
                numbers[i] = self._number(seats[i], action)
        sights = self.engine.play(numbers)
        state = self.engine.state
        encounters = self._settle()
        over: int = state.clock.item(OVER)
        rewards = dict(zip(seats, state.rewards.tolist()[0], strict=True))
        if over:
            self.agents = []
        observations, infos = self._heard(encounters, sights)
        ended, cut = dict.fromkeys(seats, over == 1), dict.fromkeys(seats, over == 2)
        return observations, rewards, ended, cut, infos

    def observation_space(self, agent: Seat) -> Space[Any]:
        space = self._space[agent]
        if space is None:
            space = self._space[agent] = self._build_space(self._grants.get(agent, {}))
        return space

    def action_space(self, agent: Seat) -> Space[Any]:
        return self._action[agent]

    def brief(self, seat: Seat) -> Brief:
        grants = self._grants.get(seat, {})
        return Brief(
            seat=seat,
            others=tuple(other for other in self.possible_agents if other != seat),
            action_space=self._action[seat],
            behaviours=dict.fromkeys(self.possible_agents, self.behaviours),
            reward_range=self.reward_range,
            horizon=self._rules.maximum,
            skills=self.skills,
            game=grants.get("game"),
            partners=grants.get("partners", ()),
            secrets=grants.get("secrets", ()),
            rounds=self.rounds,
        )

    def fallback(self, seat: Seat) -> Action | None:
        return NOOP

    def render(self) -> str | NDArray[np.uint8]:
        """The map in characters (``ansi``), or as Melting Pot draws it, uint8[height · 8, width · 8, 3]."""
        draw = self._picture if self.render_mode == "rgb_array" else self._text
        return draw(self._rules, self.engine.state, 0)

    def close(self) -> None:
        """There is nothing to close."""

    @property
    @abstractmethod
    def behaviours(self) -> tuple[Behaviour, ...]:
        """The behaviours that an encounter can show."""

    @property
    @abstractmethod
    def reward_range(self) -> tuple[float, float]:
        """The minimum and maximum reward of an encounter."""

    @abstractmethod
    def _begin(self) -> None:
        """Called after a reset: clears what happened in the last episode."""

    @abstractmethod
    def _settle(self) -> Met:
        """The encounters of this step that seats observe; a seat without any may be left out."""

    @abstractmethod
    def _observe_seat(
        self, window: NDArray[np.uint8], vector: NDArray[np.float64], pose: NDArray[np.int32]
    ) -> dict[str, Any]:
        """What a seat observes, from its rows of :class:`~.engine.Sights`."""

    @abstractmethod
    def _map(self) -> NDArray[np.int8]:
        """The whole map, for seats with the grant ``map``; a new array."""

    @abstractmethod
    def _spaces(self) -> dict[str, Space[Any]]:
        """The spaces of :meth:`_observe_seat` beside ``WINDOW``, and that of ``WORLD.MAP``, which is there only if granted."""

    def _observe_grants(self, player: int, grants: Collection[str]) -> dict[str, Any]:
        """What ``player`` observes by its ``grants``, beside the map."""
        return {}

    def _number(self, seat: Seat, action: Action) -> int:
        """An ``action`` that is not simply an int from 0 on, as one."""
        if not self._action[seat].contains(action):
            names = self._rules.actions
            listing = f"0 to {len(names) - 1} ({', '.join(names)})"
            raise WorldError(f"action {action!r} of seat {seat!r} is not one of {listing}")
        return int(action)

    def _heard(self, encounters: Met, sights: Sights | None = None) -> Heard:
        seats = self.possible_agents
        windows, vectors, poses = sights or self.engine.observe()
        views = zip(seats, map(self._observe_seat, windows, vectors, poses), strict=True)
        observations: dict[Seat, Any] = dict(views)
        for seat, grants in self._grants.items():
            observations[seat].update(self._observe_grants(seats.index(seat), grants))
        if self.rgb:
            for seat, picture in zip(seats, self.engine.pixels(), strict=True):
                observations[seat]["RGB"] = picture
        for seat, grants in self._grants.items():
            if "map" in grants:
                observations[seat]["WORLD.MAP"] = self._map()
        infos: Infos = {seat: {} for seat in seats}
        for seat, met in encounters.items():
            if met:
                infos[seat]["encounters"] = met
        return observations, infos

    def _build_space(self, grants: Collection[str]) -> Dict:
        """The observation space of a seat with ``grants``."""
        rows, columns = self._rules.view.shape
        spaces: dict[str, Space[Any]] = {"WINDOW": Box(0, 255, (rows, columns, self.layers), np.uint8)}
        spaces |= self._spaces()
        if self.rgb:
            spaces["RGB"] = Box(0, 255, (rows * TILE, columns * TILE, 3), np.uint8)
        for name, grant in (("WORLD.MAP", "map"), ("INTERACTION_INVENTORIES", "inventories")):
            if grant not in grants:
                spaces.pop(name, None)
        return Dict(spaces)
