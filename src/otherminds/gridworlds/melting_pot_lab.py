"""The real Melting Pot substrates, stepped and looked at: dmlab2d plays Melting Pot's own rules.

Needs the extra ``meltingpot`` (docs/melting_pot.md) and no TensorFlow, which only
Melting Pot's neural bots do. Nothing is imported from the engine until a
:class:`Lab` is made.

The engine plays from a copy of its Lua rules in a temporary folder, with two
additions that change no rule. It offers the sprites of the whole map, with their
names; and one module walks its tables in the order of their keys, not in that of
their hashes, which differ from start to start: otherwise equal seeds deal the
starting places to the players in different orders.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
import types
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import StudyError

SUBSTRATES = {
    "rws-repeated-v1": "running_with_scissors_in_the_matrix__repeated",
    "rws-arena-v1": "running_with_scissors_in_the_matrix__arena",
    "pd-repeated-v1": "prisoners_dilemma_in_the_matrix__repeated",
    "cooking-asymmetric-v1": "collaborative_cooking__asymmetric",
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
