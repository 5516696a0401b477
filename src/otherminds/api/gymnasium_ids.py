"""The ids of Gymnasium: ``gymnasium.make("otherminds/NAME")`` for each scenario with one seat under test, and each substrate.

``gymnasium.make_vec`` takes the same ids.

Importing this module registers them. ``import otherminds`` imports it where Gymnasium is imported already, and so does
whatever makes an environment. In any other case ``gymnasium.make("otherminds.api.gymnasium_ids:otherminds/SCENARIO")``
does. Gymnasium has had no entry points for environments since version 1.0.

The names are read from ``gymnasium_ids.txt``, since finding all scenarios takes a second; a test compares them. A scenario
of another package or of a plugin has no id: it is ``SeatEnv("NAME")`` of ``otherminds.api.environments``.
"""

from __future__ import annotations

from pathlib import Path

from gymnasium.envs.registration import register

for name in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split():
    register(
        id=f"otherminds/{name}",
        entry_point="otherminds.api.environments:SeatEnv",
        vector_entry_point="otherminds.api.environments:make_vector",
        kwargs={"scenario": name},
    )
