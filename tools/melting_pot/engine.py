"""The real substrates, built without TensorFlow, stepped and looked into.

Runs in the engine's own Python (see README.md) and imports nothing of the library.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dmlab2d  # pyright: ignore[reportMissingImports] only in the engine's own Python
import numpy as np
from dmlab2d import runfiles_helper  # pyright: ignore[reportMissingImports] only in the engine's own Python

GAMES = {
    "rws": "running_with_scissors",
    "pd": "prisoners_dilemma",
    "stag-hunt": "stag_hunt",
    "chicken": "chicken",
    "pure-coordination": "pure_coordination",
    "rationalizable-coordination": "rationalizable_coordination",
    "bach-or-stravinsky": "bach_or_stravinsky",
}
MATRIX = {
    f"{ours}-{form}-v1": f"{theirs}_in_the_matrix__{form}"
    for ours, theirs in GAMES.items()
    for form in ("repeated", "arena")
} | {"rws-one-shot-v1": "running_with_scissors_in_the_matrix__one_shot"}
CONFIGS = MATRIX | {
    "cooking-asymmetric-v1": "collaborative_cooking__asymmetric",
    "cooking-circuit-v1": "collaborative_cooking__circuit",
    "cooking-cramped-v1": "collaborative_cooking__cramped",
    "cooking-crowded-v1": "collaborative_cooking__crowded",
    "cooking-figure-eight-v1": "collaborative_cooking__figure_eight",
    "cooking-forced-v1": "collaborative_cooking__forced",
    "cooking-ring-v1": "collaborative_cooking__ring",
}
"""Our names of the substrates, and the engine's."""


def bare_package() -> None:
    """Registers ``meltingpot`` without running its ``__init__``, which imports the neural bots."""
    if "meltingpot" in sys.modules:
        return
    spec = importlib.util.find_spec("meltingpot")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("dm-meltingpot is not installed here: see tools/melting_pot/README.md")
    package = types.ModuleType("meltingpot")
    package.__path__ = [str(Path(spec.origin).parent)]
    sys.modules["meltingpot"] = package


class Engine:
    """One substrate of the real Melting Pot, with POSITION and ORIENTATION of every player.

    ``drawing`` is another map in the substrate's own characters, ``players`` another
    number of players. ``wide`` widens each player's view to the whole map, so that
    ``LAYER`` (north up, the player in the middle) shows all there is; ``RGB`` is then
    as wide and no longer the official one. ``longest`` is another limit of steps.
    Every episode has its own seed, counted up from ``seed``.

    Observations are worked out only when asked for: nothing is rendered otherwise.
    """

    def __init__(
        self,
        name: str,
        seed: int,
        drawing: str | None = None,
        players: int | None = None,
        wide: bool = False,
        longest: int | None = None,
    ) -> None:
        bare_package()
        self.builder = importlib.import_module("meltingpot.utils.substrates.builder")
        config_dict = importlib.import_module("ml_collections.config_dict")
        module: Any = importlib.import_module("meltingpot.configs.substrates." + CONFIGS[name])
        base: Any = getattr(module, "base_config", None)
        for part in (module, base):
            if hasattr(part, "_ENABLE_DEBUG_OBSERVATIONS"):
                part._ENABLE_DEBUG_OBSERVATIONS = True
        config = module.get_config()
        shipped = module.ASCII_MAP
        self.drawing = (drawing or shipped).strip("\n")
        self.players = players or len(config.default_player_roles)
        self.actions: tuple[dict[str, int], ...] = tuple(dict(action) for action in config.action_set)
        text = f"\n{self.drawing}\n"  # some configurations count on the empty first line
        if "layout" in config:
            config.layout.ascii_map = text
        try:
            module.ASCII_MAP = text
            roles = config.default_player_roles
            roles = roles if len(roles) == self.players else ("default",) * self.players
            definition = module.build(roles, config)
        finally:
            module.ASCII_MAP = shipped
        self.settings = config_dict.ConfigDict(definition).unlock()
        self.builder.maybe_build_and_add_avatar_objects(self.settings)
        self.builder.locate_and_overwrite_level_directory(self.settings)
        if longest is not None:
            self.settings.maxEpisodeLengthFrames = longest
        if wide:
            self._widen()
        self.plain: dict[str, str] = self.builder.parse_python_settings_for_dmlab2d(self.settings)
        self.seeds = itertools.count(seed)
        self.lab: Any = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the map."""
        lines = self.drawing.split("\n")
        return max(map(len, lines)), len(lines)

    def _widen(self) -> None:
        width, height = self.size
        for thing in self.settings.simulation.gameObjects:
            for part in thing["components"]:
                if part["component"] == "Avatar":
                    reach = max(width, height)
                    part["kwargs"]["view"] = {
                        "left": reach,
                        "right": reach,
                        "forward": reach,
                        "backward": reach,
                        "centered": False,
                    }

    def reset(self) -> None:
        """A new episode; the engine is built anew, as Melting Pot does, so that chance draws the map again."""
        seed = next(self.seeds)
        self.plain["env_seed"] = str(seed)
        self.lab = dmlab2d.Lab2d(runfiles_helper.find(), self.plain)
        self.order = [entry.split(".") for entry in self.lab.action_discrete_names()]
        self.lab.start(0, seed=int(np.random.RandomState(seed).randint(0, 2**31)))

    def step(self, actions: Sequence[int]) -> bool:
        """Everybody acts once, by the numbers of the official action set. Whether the episode goes on."""
        chosen = [self.actions[action] for action in actions]
        wire = [chosen[int(player) - 1][part] for player, part in self.order]
        self.lab.act_discrete(np.array(wire, np.int32))
        status, _ = self.lab.advance()
        return status == dmlab2d.RUNNING

    def see(self, name: str, player: int | None = None) -> np.ndarray:
        """An observation: ``see("WORLD.RGB")``, or of a player counted from 0, ``see("POSITION", 0)``."""
        full = name if player is None else f"{player + 1}.{name}"
        return np.array(self.lab.observation(full))

    def see_all(self, name: str) -> np.ndarray:
        """The same observation of every player, stacked."""
        return np.stack([self.see(name, player) for player in range(self.players)])

    @property
    def names(self) -> list[str]:
        """What can be seen."""
        return list(self.lab.observation_names())

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """What the engine itself reports of the last step, with the entries of each event by name."""
        return [(name, _entries(parts)) for name, parts in self.lab.events()]


def _entries(parts: Sequence[Any]) -> dict[str, Any]:
    """The engine sends ``b"dict", key, value, key, value, ...``."""
    if not parts or parts[0] != b"dict":
        return {}
    return {key.decode(): value for key, value in zip(parts[1::2], parts[2::2], strict=True)}
