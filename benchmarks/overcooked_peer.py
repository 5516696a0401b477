"""How fast Overcooked-AI steps on one core: run it under a Python that has overcooked-ai 1.1.0.

Needs nothing of this project. Its kitchen (Carroll et al. 2020) is another than Melting Pot's, so a ratio to
``gridworlds.py`` compares two simulators of one family, not two of one game. Uniformly random actions, drawn beforehand;
a new episode after 400 steps. *encoded* also makes the observations of both players (``lossless_state_encoding``), as
ours does. Time is that of the processor.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from statistics import median
from time import process_time

import numpy as np
from overcooked_ai_py.mdp.actions import Action
from overcooked_ai_py.mdp.overcooked_env import OvercookedEnv
from overcooked_ai_py.mdp.overcooked_mdp import OvercookedGridworld

LAYOUT = "asymmetric_advantages"
HORIZON = 400
ROUNDS = 5
SECONDS = 1.0


def measure(encoded: bool) -> float:
    """Steps a second, the median of blocks."""
    mdp = OvercookedGridworld.from_layout_name(LAYOUT)
    env = OvercookedEnv.from_mdp(mdp, horizon=HORIZON, info_level=0)
    actions = np.random.default_rng(0).integers(len(Action.ALL_ACTIONS), size=(4096, 2)).tolist()
    rates, at = [], 0
    env.reset()
    for _ in range(ROUNDS):
        steps, started = 0, process_time()
        while (spent := process_time() - started) < SECONDS:
            at = (at + 1) % len(actions)
            state, _, done, _ = env.step(tuple(Action.ALL_ACTIONS[k] for k in actions[at]))
            if done:
                env.reset()
                state = env.state
            if encoded:
                mdp.lossless_state_encoding(state)
            steps += 1
        rates.append(steps / spent)
    return median(rates)


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    print(f"overcooked-ai {version('overcooked-ai')}, {LAYOUT}, one core")
    for encoded in (False, True):
        print(f"{'encoded' if encoded else 'steps alone'}: {measure(encoded):,.0f} steps/s", flush=True)


if __name__ == "__main__":
    main()
