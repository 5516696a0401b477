"""The project's gridworlds on the real Melting Pot: the same observations, encounters and truths, another engine.

Every mind, skill, bot and verbalizer works here as it does in the native worlds. Needs the extra ``meltingpot``
(docs/melting_pot.md) and no TensorFlow, which only Melting Pot's neural bots do. Nothing is imported from the
engine until a :class:`Lab` is made: dmlab2d plays Melting Pot's own rules there.

The engine plays from a copy of its Lua rules in a temporary folder, with two
additions that change no rule. It offers the sprites of the whole map, with their
names; and one module walks its tables in the order of their keys, not in that of
their hashes, which differ from start to start: otherwise equal seeds deal the
starting places to the players in different orders.

The state is read from what the engine shows: the sprites of the whole map, each
player's observations, its events. Only three things are derived: how long a duel is
pending and, in the kitchen, whether a beam cools and what it did, which follows from
what its avatar holds. Windows are cut from that state as in the native worlds,
because the engine's own LAYER is not turned with the player; ``pixels`` are the
engine's own. Columns of the state that no observer reads stay 0."""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.gridworlds.cooking import rules as cooking
from otherminds.gridworlds.cooking import rules as kitchen
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.cooking.world import engine as cooking_engine
from otherminds.gridworlds.grid.rules import DX, DY, INTERACT
from otherminds.gridworlds.grid.world import GridEngine, GridWorld, Sights
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix import rules as matrix
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.gridworlds.in_the_matrix.world import engine as matrix_engine

GAMES = {
    "rws": "running_with_scissors",
    "pd": "prisoners_dilemma",
    "stag-hunt": "stag_hunt",
    "chicken": "chicken",
    "pure-coordination": "pure_coordination",
    "rationalizable-coordination": "rationalizable_coordination",
    "bach-or-stravinsky": "bach_or_stravinsky",
}
SUBSTRATES = {
    **{
        f"{game}-{form}-v1": f"{name}_in_the_matrix__{form}"
        for game, name in GAMES.items()
        for form in ("repeated", "arena")
    },
    "rws-one-shot-v1": "running_with_scissors_in_the_matrix__one_shot",
    "cooking-asymmetric-v1": "collaborative_cooking__asymmetric",
    "cooking-circuit-v1": "collaborative_cooking__circuit",
    "cooking-cramped-v1": "collaborative_cooking__cramped",
    "cooking-crowded-v1": "collaborative_cooking__crowded",
    "cooking-figure-eight-v1": "collaborative_cooking__figure_eight",
    "cooking-forced-v1": "collaborative_cooking__forced",
    "cooking-ring-v1": "collaborative_cooking__ring",
}
"""Our names of the substrates, and Melting Pot's."""
NEEDED = ("dmlab2d", "meltingpot", "ml_collections")
MISSING = "the real Melting Pot needs the extra 'meltingpot', which docs/melting_pot.md says how to install"
DEBUG = "_ENABLE_DEBUG_OBSERVATIONS"

SCRIPT = Path("meltingpot/lua/modules/base_simulation.lua")
ANCHOR = "  observations[#observations + 1] = spec\n"
ORDERED = """
local function pairs(source)
  local keys = {}
  for key in next, source do keys[#keys + 1] = key end
  table.sort(keys, function(one, other)
    if type(one) == type(other) and type(one) ~= 'table' then return one < other end
    return type(one) < type(other)
  end)
  local n = 0
  return function()
    n = n + 1
    if keys[n] ~= nil then return keys[n], source[keys[n]] end
  end
end
"""
SEEN = """
  local everything = worldLayerView:observationSpec('WORLD.LAYER')
  everything.func = function(grid) return worldLayerView:observation{grid = grid} end
  observations[#observations + 1] = everything
  observations[#observations + 1] = {
      name = 'WORLD.SPRITES', type = 'String', shape = {0},
      func = function() return table.concat(world:spriteNames(), ' ') end
  }
"""
SCENE = {
    "name": "scene",
    "components": [
        {
            "component": "StateManager",
            "kwargs": {"initialState": "scene", "stateConfigs": [{"state": "scene"}]},
        },
        {"component": "Transform"},
    ],
}
"""What the engine takes for a scene where none is given; but then it says so on the output at every reset."""


def available() -> bool:
    """Whether the engine and Melting Pot are installed."""
    return all(find_spec(name) is not None for name in NEEDED)


def require() -> None:
    """Makes Melting Pot's modules importable without TensorFlow.

    Melting Pot's ``__init__`` imports its neural bots. A bare package replaces
    it, unless it was imported before; its modules are imported one by one.

    Raises:
        StudyError: the extra is not installed.
    """
    if not available():
        raise StudyError(MISSING)
    spec = find_spec("meltingpot")
    if "meltingpot" in sys.modules:
        return
    assert spec is not None  # it is installed
    package = types.ModuleType("meltingpot")
    package.__path__ = list(spec.submodule_search_locations or ())
    package.__spec__ = spec
    sys.modules["meltingpot"] = package


def versions() -> str:
    """The versions of the engine, for records."""
    return f"dmlab2d {version('dmlab2d')}, dm-meltingpot {version('dm-meltingpot')}"


@cache
def _rules(shipped: str) -> str:
    """The folder with the copy of the rules; it goes when the process ends."""
    folder = tempfile.mkdtemp(prefix="otherminds-")
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)  # in workers, too, where atexit is not run
    shutil.copytree(Path(shipped, "meltingpot", "lua"), Path(folder, "meltingpot", "lua"))
    script = Path(folder, SCRIPT)
    before, anchor, after = script.read_text(encoding="utf-8").partition(ANCHOR)
    if not anchor:
        raise StudyError(f"{SCRIPT} is not that of Melting Pot 2.4.1, which this bridge knows")
    script.write_text(ORDERED + before + anchor + SEEN + after, encoding="utf-8")
    return folder


class Lab:
    """One substrate on the engine, for ``longest`` steps at most. Observations are worked out when asked for.

    Raises:
        StudyError: the extra is not installed, or is of another version.
    """

    def __init__(self, name: str, longest: int) -> None:
        require()
        builder = importlib.import_module("meltingpot.utils.substrates.builder")
        settings = (
            importlib.import_module("ml_collections.config_dict").ConfigDict(_definition(name)).unlock()
        )
        builder.maybe_build_and_add_avatar_objects(settings)
        builder.locate_and_overwrite_level_directory(settings)
        if "scene" not in settings.simulation:
            settings.simulation.scene = SCENE
        settings.maxEpisodeLengthFrames = longest
        settings.levelDirectory = _rules(settings.levelDirectory)
        self._engine = importlib.import_module("dmlab2d")
        self._files = importlib.import_module("dmlab2d.runfiles_helper").find()
        self._settings: dict[str, str] = builder.parse_python_settings_for_dmlab2d(settings)
        self._actions = [dict(action) for action in _module(name).get_config().action_set]
        self.players = int(settings.numPlayers)
        self.sprites: list[tuple[str, int]] = []
        """The sprites by their numbers in layers: name and orientation (0 N, 1 E, 2 S, 3 W); 0 is none."""

    def reset(self, seed: int) -> None:
        """A new episode under ``seed``, 0 to 2**64 - 1; the engine is made anew, as Melting Pot does."""
        seeds = np.random.SeedSequence(seed).generate_state(2) % 2**31
        self._lab = self._engine.Lab2d(self._files, {**self._settings, "env_seed": str(seeds[0])})
        self._lab.start(0, seed=int(seeds[1]))
        self._wires = [entry.split(".") for entry in self._lab.action_discrete_names()]
        names = bytes(self._lab.observation("WORLD.SPRITES")).decode().split(" ")
        self.sprites = [(name.rpartition(".")[0], max("NESW".find(name[-1:]), 0)) for name in names]

    def step(self, actions: Sequence[int]) -> bool:
        """One action for each player, by the official numbers; True while the episode continues."""
        wire = [self._actions[actions[int(player) - 1]][part] for player, part in self._wires]
        self._lab.act_discrete(np.array(wire, np.int32))
        status, _ = self._lab.advance()
        return status == self._engine.RUNNING

    def see(self, name: str, player: int | None = None) -> NDArray[Any]:
        """A copy of an observation: ``see("WORLD.RGB")``, or of a player counted from 0, ``see("RGB", 0)``."""
        return np.array(self._lab.observation(name if player is None else f"{player + 1}.{name}"))

    def see_all(self, name: str) -> NDArray[Any]:
        """The same observation of every player, stacked."""
        return np.stack([self.see(name, player) for player in range(self.players)])

    def events(self, kind: str) -> list[dict[str, NDArray[Any]]]:
        """What the engine reports of the last step under ``kind``, the entries of each event by name."""
        # An event is sent as b"dict", key, value, key, value, ...
        return [
            {key.decode(): np.array(value) for key, value in zip(parts[1::2], parts[2::2], strict=True)}
            for name, parts in self._lab.events()
            if name == kind
        ]

    def codes(self, code: Callable[[str, int], int]) -> NDArray[np.uint8]:
        """``code(name, orientation)`` of every sprite, to be indexed with layers."""
        return np.array([code(*sprite) for sprite in self.sprites], np.uint8)


def _module(name: str) -> Any:
    return importlib.import_module(f"meltingpot.configs.substrates.{SUBSTRATES[name]}")


def _definition(name: str) -> Any:
    """The substrate as Melting Pot's configuration builds it, with POSITION and ORIENTATION."""
    module = _module(name)
    parts = [part for part in (module, getattr(module, "base_config", None)) if hasattr(part, DEBUG)]
    before = [getattr(part, DEBUG) for part in parts]
    try:
        for part in parts:
            setattr(part, DEBUG, True)
        config = module.get_config()
        return module.build(config.default_player_roles, config)
    finally:
        for part, value in zip(parts, before, strict=True):
            setattr(part, DEBUG, value)


CHANCE, LIMIT = 1, 2
"""How an episode ended, in ``clock``."""
MARKS = ("Ready", *(f"ResultIndicatorColor{n}" for n in range(1, 6)))
"""The sprites above avatars, in the order of the codes of MARK."""


class RealEngine(ABC):
    """What both engines share; ``native`` is the project's own engine, which cuts windows from the state.

    Raises:
        StudyError: ``rules`` differ from those of ``shipped`` in more than ``maximum``,
            or the extra is not installed.
    """

    def __init__(self, rules: Any, shipped: Mapping[str, Any], native: GridEngine) -> None:
        own_rules = shipped.get(rules.name)
        if own_rules is None or replace(own_rules, maximum=rules.maximum) != rules:
            raise StudyError(f"the real engine plays {rules.name} by its own rules alone")
        self.rules = rules
        self.lab = Lab(rules.name, rules.maximum)
        self.state = native.state
        self.observe = native.observe

    def reset(self, seed: int) -> None:
        self.lab.reset(seed)
        for array in self.state:
            array.fill(0)

    @abstractmethod
    def step(self, actions: Sequence[int]) -> None:
        """Plays a step and takes in what is seen then."""

    def play(self, actions: Sequence[int]) -> Sights:
        self.step(actions)
        return self.observe()

    def tick(self, going: bool) -> None:
        """Counts a step, and says how the episode ended."""
        clock = self.state.clock[0]
        clock[columns.STEP] += 1
        if not going:
            clock[columns.OVER] = LIMIT if clock[columns.STEP] >= self.rules.maximum else CHANCE

    def see_common(self, alive: NDArray[Any], beams: NDArray[np.uint8]) -> None:
        """Takes in what both engines show alike; their states have the same columns for it."""
        state, avatars = self.state, self.state.avatars[0]
        avatars[:, : columns.FACING] = self.lab.see_all("POSITION") * alive[:, None]
        avatars[:, columns.FACING] = self.lab.see_all("ORIENTATION").ravel() * alive
        state.rewards[0] = self.lab.see_all("REWARD").ravel()
        state.here[0].fill(0)
        for i in np.flatnonzero(alive).tolist():
            state.here[0][avatars[i, columns.Y] * self.rules.size[0] + avatars[i, columns.X]] = i + 1
        state.beam[0] = beams.ravel()
        state.clock[0, columns.BEAMS] = beams.any()

    def pixels(self) -> NDArray[np.uint8]:
        return self.lab.see_all("RGB")


class MatrixEngine(RealEngine):
    """The engine of :class:`~otherminds.gridworlds.in_the_matrix.world.InTheMatrixWorld`, played by the real one."""

    rules: matrix.Rules
    state: columns.State

    def __init__(self, rules: matrix.Rules) -> None:
        super().__init__(rules, matrix.SUBSTRATES, matrix_engine(rules))

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.state.avatars[0, :, columns.PENDING] = -1
        codes = self.lab.codes
        self._resource = codes(lambda name, way: int(name[14]) if name.startswith("resource_class") else 0)
        self._mark = codes(lambda name, way: 1 + MARKS.index(name) if name in MARKS else 0)
        self._beam = codes(lambda name, way: name == "BeamInteraction")
        self._self = codes(lambda name, way: name == "Self" or name.startswith("Avatar"))
        grown = self._read()
        # All resources are there at the start, so their classes are seen.
        for n, (x, y) in enumerate(self.rules.places):
            self.state.resources[0, n, columns.KIND] = grown[y, x] - 1

    def step(self, actions: Sequence[int]) -> None:
        going = self.lab.step(actions)
        pending = self.state.avatars[0, :, columns.PENDING]
        pending[pending >= 0] -= 1
        self._read()
        for duel in self.lab.events("interaction"):
            row, column = int(duel["row_player_idx"]) - 1, int(duel["col_player_idx"]) - 1
            for i, other, zapper, pay in ((row, column, 1, "row_reward"), (column, row, 0, "col_reward")):
                self.state.avatars[0, i, [columns.FOE, columns.ROW]] = other, zapper
                pending[i] = self.rules.freeze
                self.state.pay[0, i] = float(duel[pay])
        self.tick(going)

    def _read(self) -> NDArray[np.uint8]:
        """Takes in what is seen now; returns the resources on the map, 1 + class [y, x]."""
        lab, state, rules = self.lab, self.state, self.rules
        layers = lab.see("WORLD.LAYER")
        grown, marks, beams = (
            codes[layers].max(axis=-1) for codes in (self._resource, self._mark, self._beam)
        )
        # A removed avatar sees nothing, not even itself.
        alive = self._self[lab.see_all("LAYER")[:, rules.view.forward, rules.view.left]].max(axis=-1)
        avatars = state.avatars[0]
        avatars[:, columns.ALIVE] = alive
        self.see_common(alive, beams)
        avatars[:, columns.MARK] = marks[avatars[:, columns.Y], avatars[:, columns.X]] * alive
        ready = lab.see_all("READY_TO_SHOOT").ravel()
        avatars[:, columns.COOLDOWN] = np.rint((1 - ready) * rules.cooldown)
        avatars[:, columns.COUNTS :] = lab.see_all("INVENTORY")
        state.met[0] = lab.see_all("INTERACTION_INVENTORIES")
        state.resources[0, :, columns.SHOWN] = [grown[y, x] > 0 for x, y in rules.places]
        return grown


class KitchenEngine(RealEngine):
    """The engine of :class:`~otherminds.gridworlds.cooking.world.CookingWorld`, played by the real one."""

    rules: kitchen.Rules
    state: cooking.State

    def __init__(self, rules: kitchen.Rules) -> None:
        super().__init__(rules, kitchen.SUBSTRATES, cooking_engine(rules))

    def reset(self, seed: int) -> None:
        super().reset(seed)
        codes = self.lab.codes
        self._inside = codes(lambda name, way: _inside(name))
        self._cooked = codes(lambda name, way: name == "CookingPot_cooked")
        self._bar = codes(lambda name, way: int(name[12:]) if name.startswith("loading_bar_") else 0)
        self._lying = codes(lambda name, way: _item(name))
        self._held = codes(lambda name, way: _item(name.removesuffix("_offset")) * name.endswith("_offset"))
        self._beam = codes(lambda name, way: int(name[-1]) if name.startswith("interact_") else 0)
        self._read()

    def step(self, actions: Sequence[int]) -> None:
        going = self.lab.step(actions)
        hands = self.state.avatars[0, :, cooking.HELD].tolist()
        cooling = self.state.avatars[0, :, cooking.COOLDOWN]
        cooling[:] = (np.array(actions) == INTERACT) & (cooling == 0)
        self._read()
        for avatar, before in zip(self.state.avatars[0], hands, strict=True):
            x, y, facing = avatar[: cooking.COOLDOWN].tolist()
            ahead = self.rules.things[y + DY[facing]][x + DX[facing]]
            avatar[cooking.DID] = did(before, int(avatar[cooking.HELD]), ahead)
        self.tick(going)

    def _read(self) -> None:
        """Takes in what is seen now."""
        lab, state, rules = self.lab, self.state, self.rules
        layers = lab.see("WORLD.LAYER")
        inside, cooked, bars, lying, hands, beams = (
            codes[layers].max(axis=-1)
            for codes in (self._inside, self._cooked, self._bar, self._lying, self._held, self._beam)
        )
        avatars = state.avatars[0]
        self.see_common(np.ones(rules.players, np.uint8), beams)
        avatars[:, cooking.HELD] = hands[avatars[:, cooking.Y], avatars[:, cooking.X]]
        for n, ((x, y), stock) in enumerate(zip(rules.containers, rules.stock, strict=True)):
            state.items[0, n] = stock or lying[y, x]
        for n, (x, y) in enumerate(rules.pots):
            pot_state = inside[y, x], cooked[y, x], bars[y, x]
            state.pots[0, n, [cooking.INSIDE, cooking.COOKED, cooking.BAR]] = pot_state


class OnRealEngine(GridWorld):
    """What the worlds on the real engine share."""

    def _use(self, played: RealEngine) -> None:
        self.metadata["name"] = f"real_{self.metadata['name']}"
        self.engine = played
        self.lab = played.lab

    def facts(self) -> dict[str, Any]:
        """What the native world says, and what engine played."""
        return super().facts() | {"engine": versions()}

    def render(self) -> str | NDArray[np.uint8]:
        """The map in characters (``ansi``), or as the engine draws it, uint8[height·8, width·8, 3]."""
        return self.lab.see("WORLD.RGB") if self.render_mode == "rgb_array" else super().render()


class RealInTheMatrix(OnRealEngine, InTheMatrixWorld):
    """:class:`InTheMatrixWorld` on the real engine, which plays the shipped rules (``maximum`` may differ).

    Raises:
        StudyError: the extra is not installed, or ``rules`` are others than the shipped ones.
    """

    def __init__(
        self,
        rules: matrix.Rules,
        skills: tuple[str, ...] = (),
        rounds: int = 0,
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(rules, skills, rounds, rgb=rgb, render_mode=render_mode)
        self._use(MatrixEngine(rules))


class RealCooking(OnRealEngine, CookingWorld):
    """:class:`CookingWorld` on the real engine, which plays the shipped rules (``maximum`` may differ).

    Raises:
        StudyError: the extra is not installed, or ``rules`` are others than the shipped ones.
    """

    def __init__(
        self,
        rules: kitchen.Rules = kitchen.COOKING_ASYMMETRIC,
        skills: tuple[str, ...] = (),
        rounds: int = 0,
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(rules, skills, rounds, rgb=rgb, render_mode=render_mode)
        self._use(KitchenEngine(rules))


def did(before: int, after: int, ahead: int) -> int:
    """What a beam at a cell ``ahead`` did that left ``after`` in hands that held ``before``: a code of ``DID``.

    >>> did(kitchen.TOMATO, kitchen.EMPTY, kitchen.POT) == cooking.FILLED
    True
    >>> did(kitchen.DISH, kitchen.SOUP, kitchen.POT) == cooking.SERVED
    True
    """
    if before == after:
        return cooking.NOTHING
    if before == kitchen.EMPTY:
        return cooking.TOOK + after
    if after == kitchen.SOUP:
        return cooking.SERVED
    if ahead == kitchen.POT:
        return cooking.FILLED
    return cooking.DELIVERED if ahead == kitchen.HATCH else cooking.PUT + before


def _inside(name: str) -> int:
    """How many tomatoes a pot shows; cooked ones count."""
    if not name.startswith("CookingPot_"):
        return 0
    return 3 if name == "CookingPot_cooked" else name.count("tomato")


def _item(name: str) -> int:
    return kitchen.ITEMS.index(name) if name in kitchen.ITEMS else 0
