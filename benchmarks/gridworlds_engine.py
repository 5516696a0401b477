"""How fast the real engine steps: run by ``gridworlds.py`` under a Python that has it.

Needs dmlab2d 1.0.2 and dm-meltingpot 2.4.1, and nothing of this project. Reads one
order a line, JSON with ``substrate`` (Melting Pot's name), ``face`` and ``seconds``;
answers with the steps made, the processor seconds they took with all resets among
them, and the milliseconds of resets (first one from before, then these). A reset
makes a new dmlab2d from settings that are worked out once, as Melting Pot's own does.
Actions are random, drawn beforehand.

The faces: ``substrate`` is what ``meltingpot.substrate.build`` gives to its users, for
whom the whole map is painted beside the players' pictures. ``pictures`` is dmlab2d
below it, asked for all but the map and the windows in symbols (``LAYER``). ``blind``
is dmlab2d asked for those, and for no pictures.
"""

from __future__ import annotations

import copy
import importlib
import itertools
import json
import sys
import types
from importlib.util import find_spec
from time import process_time

import dmlab2d
import numpy as np
from dmlab2d import runfiles_helper

# The package's own __init__ imports TensorFlow for the official bots, which are not needed here.
found = find_spec("meltingpot")
assert found is not None
assert found.submodule_search_locations is not None
package = types.ModuleType("meltingpot")
package.__path__ = list(found.submodule_search_locations)
sys.modules["meltingpot"] = package
builder = importlib.import_module("meltingpot.utils.substrates.builder")
reset_wrapper = importlib.import_module("meltingpot.utils.substrates.wrappers.reset_wrapper")
substrates = importlib.import_module("meltingpot.utils.substrates.substrate")
config_dict = importlib.import_module("ml_collections.config_dict")


UNASKED = {"pictures": ("WORLD.RGB", "LAYER"), "blind": ("RGB",)}
"""The observations that a face leaves out, by the ends of their names."""


class Engine:
    """One substrate through one face."""

    def __init__(self, substrate: str, face: str) -> None:
        module = importlib.import_module(f"meltingpot.configs.substrates.{substrate}")
        config = module.get_config()
        table, roles = config.action_set, config.default_player_roles
        drawn = np.random.default_rng(0).integers(len(table), size=(10_000, len(roles))).tolist()
        self.at = 0
        settings = module.build(roles, config)
        if face == "substrate":
            self.actions = drawn
            self.env = substrates.build_substrate(
                lab2d_settings=settings,
                individual_observations=config.individual_observation_names,
                global_observations=config.global_observation_names,
                action_table=table,
            )
        else:
            self.actions = [
                {f"{i + 1}.{name}": value for i, a in enumerate(row) for name, value in table[a].items()}
                for row in drawn
            ]
            settings = config_dict.ConfigDict(copy.deepcopy(dict(settings))).unlock()
            builder.maybe_build_and_add_avatar_objects(settings)
            builder.locate_and_overwrite_level_directory(settings)
            flat = builder.parse_python_settings_for_dmlab2d(settings)
            seeds = itertools.count(1)
            self.env = reset_wrapper.ResetWrapper(lambda: below(flat, next(seeds), UNASKED[face]))
        self.env.reset()  # the first one makes nothing anew
        self.reset()

    def reset(self) -> None:
        started = process_time()
        self.env.reset()
        self.took = 1000 * (process_time() - started)

    def run(self, seconds: float) -> dict[str, object]:
        steps, resets = 0, [self.took]
        started = process_time()
        while (spent := process_time() - started) < seconds:
            for _ in range(50):
                last = self.env.step(self.actions[self.at]).last()
                self.at = (self.at + 1) % len(self.actions)
                steps += 1
                if last:
                    self.reset()
                    resets.append(self.took)
                    break
        return {"steps": steps, "seconds": spent, "resets": resets}


def below(flat: dict[str, object], seed: int, unasked: tuple[str, ...]) -> dmlab2d.Environment:
    """A new dmlab2d, asked for all that it can observe but what ends in one of ``unasked``."""
    raw = dmlab2d.Lab2d(runfiles_helper.find(), {**flat, "env_seed": str(seed)})
    names = [name for name in raw.observation_names() if not name.endswith(unasked)]
    return dmlab2d.Environment(env=raw, observation_names=names, seed=seed)


def main() -> None:
    engines: dict[tuple[str, str], Engine] = {}
    for line in sys.stdin:
        order = json.loads(line)
        key = (order["substrate"], order["face"])
        if key not in engines:
            engines[key] = Engine(*key)
        print(json.dumps(engines[key].run(order["seconds"])), flush=True)


if __name__ == "__main__":
    main()
