"""How fast the nearest environments in JAX step on one core: run it under a Python that has jaxmarl 0.2.0.

Needs nothing of this project. STORM is JaxMARL's game after *in the matrix* (another map, window and set of
rules), Overcooked its kitchen after Carroll et al. 2020; neither is the substrate of Melting Pot, so a ratio to
``gridworlds.py`` compares two simulators of one family, not two of one game. Uniformly random actions, drawn
within the compiled program; ``step`` begins ended episodes anew, as ours does, and the observations of all players are used
(summed), so that none is left out. Compilation is not counted. Time is that of the processor.
"""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from statistics import median
from time import process_time

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import jaxmarl
from jaxmarl.environments.overcooked import overcooked_layouts

SIZES = (1, 4, 16, 64, 256, 1024, 4096)
STEPS = 64
"""Steps of one compiled call, so that its overhead does not count."""
ROUNDS = 5
SECONDS = 0.5
PEERS = {
    "STORM, 2 players": ("storm_2p", {}),
    "Overcooked, asymmetric": ("overcooked", {"layout": overcooked_layouts["asymm_advantages"]}),
}


def rollout(env, worlds: int):
    """A compiled function that makes ``STEPS`` steps of ``worlds`` worlds, and its first carry."""

    def step(carry, _):
        key, state, total = carry
        key, drawn, stepped = jax.random.split(key, 3)
        actions = {
            agent: jax.random.randint(jax.random.fold_in(drawn, i), (worlds,), 0, env.action_space(agent).n)
            for i, agent in enumerate(env.agents)
        }
        seen, state, rewards, _, _ = jax.vmap(env.step)(jax.random.split(stepped, worlds), state, actions)
        total += sum(x.astype(jnp.float32).sum() for x in jax.tree.leaves((seen, rewards)))
        return (key, state, total), None

    _, state = jax.vmap(env.reset)(jax.random.split(jax.random.key(0), worlds))
    run = jax.jit(lambda carry: jax.lax.scan(step, carry, None, STEPS)[0])
    return run, (jax.random.key(1), state, jnp.float32(0))


def main() -> None:
    print(f"jaxmarl {version('jaxmarl')}, jax {version('jax')}, one core")
    for name, (registered, options) in PEERS.items():
        env = jaxmarl.make(registered, **options)
        found = {}
        for worlds in SIZES:
            run, carry = rollout(env, worlds)
            carry = jax.block_until_ready(run(carry))
            rates = []
            for _ in range(ROUNDS):
                calls, started = 0, process_time()
                while process_time() - started < SECONDS:
                    carry = jax.block_until_ready(run(carry))
                    calls += 1
                rates.append(calls * STEPS * worlds / (process_time() - started))
            found[worlds] = round(median(rates))
        print(json.dumps({name: found}), flush=True)


if __name__ == "__main__":
    main()
