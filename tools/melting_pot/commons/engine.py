"""The real Coins, Commons Harvest and Clean Up, on the official maps and where more happens.

Runs in the engine's own Python (see the README.md above) and imports nothing of the library.
"""

from __future__ import annotations

import importlib
import itertools
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from tools.melting_pot.commons.engine_variants import Variant
from tools.melting_pot.engine import Engine, bare_package
from tools.melting_pot.frames import AFTER, LAYERS

CONFIGS = {
    "coins-v1": "coins",
    "harvest-open-v1": "commons_harvest__open",
    "harvest-closed-v1": "commons_harvest__closed",
    "harvest-partnership-v1": "commons_harvest__partnership",
    "clean-up-v1": "clean_up",
}
"""Our names of the substrates, and the engine's."""


class CommonsEngine(Engine):
    """One of these substrates, with POSITION and ORIENTATION of all, and WORLD.LAYER with the names of its sprites."""

    def __init__(self, name: str, seed: int, variant: Variant) -> None:
        bare_package()
        self.builder = importlib.import_module("meltingpot.utils.substrates.builder")
        self._config_dict = importlib.import_module("ml_collections.config_dict")
        self._module: Any = importlib.import_module("meltingpot.configs.substrates." + CONFIGS[name])
        self._module._ENABLE_DEBUG_OBSERVATIONS = True
        self._variant = variant
        self._config = self._module.get_config()
        self.players = variant.players or len(self._config.default_player_roles)
        self.actions = tuple(dict(action) for action in self._config.action_set)
        self.seeds = itertools.count(seed)
        self._folder = tempfile.TemporaryDirectory()
        self._change()
        self._build()

    def _change(self) -> None:
        variant, module = self._variant, self._module
        if variant.sizes[0]:
            low, high = variant.sizes
            self._config.min_width = self._config.min_height = low
            self._config.max_width = self._config.max_height = high
        if variant.drawing:
            module.ASCII_MAP = variant.drawing
        if variant.rates and hasattr(module, "REGROWTH_PROBABILITIES"):
            module.REGROWTH_PROBABILITIES = list(variant.rates)
        elif variant.rates and hasattr(module, "POTENTIAL_APPLE"):
            for part in module.POTENTIAL_APPLE["components"]:
                if part["component"] == "AppleGrow":
                    part["kwargs"]["maxAppleGrowthRate"] = variant.rates[0]

    def _build(self) -> None:
        """Coins draws map and colours in Python, when its definition is built."""
        definition = self._module.build(("default",) * self.players, self._config)
        self.settings = self._config_dict.ConfigDict(definition).unlock()
        simulation = self.settings.simulation
        if self._variant.rates and "coin" in simulation.prefabs:
            for part in simulation.prefabs["coin"]["components"]:
                if part["component"] == "ChoiceCoinRegrow":
                    part["kwargs"]["regrowRate"] = self._variant.rates[0]
        if self._variant.fouling:
            for part in simulation.scene["components"]:
                if part["component"] == "DirtSpawner":
                    part["kwargs"]["dirtSpawnProbability"] = self._variant.fouling
        self.drawing = simulation.map.strip("\n")
        self.builder.maybe_build_and_add_avatar_objects(self.settings)
        self.builder.locate_and_overwrite_level_directory(self.settings)
        self.settings.maxEpisodeLengthFrames = self._variant.longest
        self.plain = self.builder.parse_python_settings_for_dmlab2d(self.settings)
        self.plain["levelDirectory"] = self._reveal(Path(self.plain["levelDirectory"]))

    def _reveal(self, root: Path) -> str:
        """The folder of a copy of the engine's rules that shows the sprites of the whole map."""
        folder = Path(self._folder.name)
        if not (folder / "meltingpot").exists():
            shutil.copytree(root / "meltingpot" / "lua", folder / "meltingpot" / "lua")
            script = folder / "meltingpot" / "lua" / "modules" / "base_simulation.lua"
            before, there, rest = script.read_text().partition(AFTER)
            if not there:
                raise ValueError(f"{script.name} is not that of Melting Pot 2.4.1")
            script.write_text(before + there + LAYERS + rest)
        return str(folder)

    def reset(self) -> None:
        """A new episode; the map is drawn anew, as Melting Pot does."""
        seed = next(self.seeds)
        random.seed(seed)
        self._build()
        self.seeds = itertools.chain((seed,), self.seeds)
        super().reset()

    def names_of_sprites(self) -> list[str]:
        """The names of the sprites by number, each with its orientation after a dot."""
        return bytes(self.lab.observation("WORLD.SPRITES")).decode().split(" ")

    def poses(self) -> np.ndarray:
        """uint8[P, 3]: x, y and orientation."""
        both = self.see_all("POSITION"), self.see_all("ORIENTATION").reshape(-1, 1)
        return np.concatenate(both, axis=1).astype(np.uint8)
