"""The update of PPO in JAX and in PyTorch: the same network, the same batch, the same arithmetic.

    PYTHONPATH=src python benchmarks/learning_backends.py jax --threads 1
    python benchmarks/learning_backends.py torch --threads 1       # in an environment with PyTorch

Measured are agent steps in a processor second and in a wall-clock second: of acting (a step of 128 seats) and of learning (a
pass over 128 sequences of 64 steps in 8 minibatches, with Adam). Both compute one member; the network is that of
rws-repeated-v1. PyTorch unrolls the GRU in Python, or as TorchScript.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import numpy as np

SEATS, LENGTH, MINIBATCHES = 128, 64, 8
CODES = (5, 3, 5, 8)
ROWS = COLUMNS = 5
VECTOR, ACTIONS, EMBEDDING, WIDTH = 4, 8, 8, 64


def batch() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    size = (LENGTH, SEATS)
    layers = [rng.integers(0, codes, (*size, ROWS, COLUMNS)) for codes in CODES]
    return {
        "window": np.stack(layers, -1).astype(np.uint8),
        "vector": rng.random((*size, VECTOR), np.float32),
        "before": rng.integers(0, ACTIONS, size).astype(np.int32),
        "reward": rng.random(size, np.float32),
        "first": rng.random(size) < 0.01,
        "action": rng.integers(0, ACTIONS, size).astype(np.int32),
        "chosen": np.full(size, -np.log(ACTIONS), np.float32),
        "advantage": rng.normal(size=size).astype(np.float32),
        "target": rng.normal(size=size).astype(np.float32),
    }


def of_jax(data: dict[str, Any]) -> tuple[Callable[[], None], Callable[[], None]]:
    import jax
    import jax.numpy as jnp

    from otherminds.gridworlds.learning.network import HIDDEN, LearnerView, Shape
    from otherminds.gridworlds.learning.ppo import (
        PPO,
        Learnt,
        Rollout,
        Settings,
        choose_actions,
        loss,
        of_seats,
        optimiser,
    )

    shape, settings, algorithm = Shape((ROWS, COLUMNS, 4), CODES, (1.0,) * VECTOR, 0.1), Settings(), PPO()
    parameters = algorithm.initial(jax.random.key(0), shape)
    adam = optimiser(settings)
    state = adam.init(parameters)
    seen = LearnerView(data["window"], data["vector"], data["before"], data["reward"], data["first"])
    longer = LearnerView(*(np.concatenate([part, part[:1]]) for part in seen))
    h = np.zeros((SEATS, HIDDEN), np.float32)
    ended = np.zeros((LENGTH, SEATS), np.bool_)
    last, cut = LearnerView(*(part[0] for part in seen)), np.full(SEATS, -1, np.int32)
    rollout = Rollout(longer, None, h, data["action"], data["reward"], ended, last, cut)
    learnt = Learnt(data["chosen"], np.ones_like(data["chosen"]), data["advantage"], data["target"])
    order = jnp.arange(SEATS, dtype=jnp.int32).reshape(MINIBATCHES, -1)

    @jax.jit
    def passed(parameters: Any, state: Any, rollout: Any, learnt: Any) -> Any:
        def step(now: Any, seats: Any) -> Any:
            parameters, state = now
            some = Learnt(*(part[:, seats] for part in learnt))
            gradient, _ = jax.grad(loss, has_aux=True)(
                parameters, algorithm, shape, settings, of_seats(rollout, seats), some, jnp.float32(0.01)
            )
            change, state = adam.update(gradient, state)
            return (jax.tree.map(lambda old, by: old - 1e-3 * by, parameters, change), state), None

        return jax.lax.scan(step, (parameters, state), order)[0]

    rollout, learnt = jax.tree.map(jnp.asarray, (rollout, learnt))
    act = jax.jit(lambda *given: choose_actions(algorithm, shape, *given))
    luck = np.full(SEATS, 0.5, np.float32)
    return (
        lambda: jax.block_until_ready(passed(parameters, state, rollout, learnt)),
        lambda: jax.block_until_ready(act(parameters, last, h, luck)),
    )


def of_torch(
    data: dict[str, Any], threads: int, scripted: bool
) -> tuple[Callable[[], None], Callable[[], None]]:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    torch.manual_seed(0)

    def unrolled(gates: Tensor, first: Tensor, h: Tensor, w: Tensor, b: Tensor) -> Tensor:
        found: list[Tensor] = []
        for t in range(gates.shape[0]):
            h = torch.where(first[t].unsqueeze(1), torch.zeros_like(h), h)
            gi, gh = gates[t].chunk(3, 1), torch.addmm(b, h, w).chunk(3, 1)
            r, z = torch.sigmoid(gi[0] + gh[0]), torch.sigmoid(gi[1] + gh[1])
            n = torch.tanh(gi[2] + r * gh[2])
            h = (1 - z) * n + z * h
            found.append(h)
        return torch.stack(found)

    unroll = torch.jit.script(unrolled) if scripted else unrolled
    starts = torch.tensor(np.cumsum((0, *CODES[:-1])))

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(0.5 * torch.randn(sum(CODES), EMBEDDING))
            self.bias = nn.Parameter(torch.zeros(EMBEDDING))
            self.dense = nn.Linear(ROWS * COLUMNS * EMBEDDING + VECTOR + ACTIONS + 1, WIDTH)
            self.inputs = nn.Linear(WIDTH, 3 * WIDTH)
            self.w = nn.Parameter(torch.randn(WIDTH, 3 * WIDTH) / 8)
            self.b = nn.Parameter(torch.zeros(3 * WIDTH))
            self.policy, self.value = nn.Linear(WIDTH, ACTIONS), nn.Linear(WIDTH, 1)

        def forward(self, some: dict[str, Tensor], h: Tensor) -> tuple[Tensor, Tensor]:
            codes = some["window"].long() + starts
            cells = torch.relu(functional.embedding(codes, self.table).sum(-2) + self.bias)
            before = functional.one_hot(some["before"].long(), ACTIONS).float()
            parts = [cells.flatten(2), some["vector"], before, some["reward"].unsqueeze(-1)]
            gates = self.inputs(torch.relu(self.dense(torch.cat(parts, -1))))
            hs = unroll(gates, some["first"], h, self.w, self.b)
            return torch.log_softmax(self.policy(hs), -1), self.value(hs)[..., 0]

    network = Network()
    adam = torch.optim.Adam(network.parameters(), 1e-3, eps=1e-5)
    tensors = {name: torch.from_numpy(value) for name, value in data.items()}
    zeros = torch.zeros(SEATS, WIDTH)

    def learn() -> None:
        for seats in torch.arange(SEATS).reshape(MINIBATCHES, -1):
            some = {name: value[:, seats] for name, value in tensors.items()}
            logits, value = network(some, zeros[seats])
            chosen = logits.gather(-1, some["action"].long().unsqueeze(-1))[..., 0]
            ratio = torch.exp(chosen - some["chosen"])
            kept = ratio.clamp(0.8, 1.2)
            objective = torch.minimum(ratio * some["advantage"], kept * some["advantage"]).mean()
            error = 0.5 * (value - some["target"]).square().mean()
            entropy = -(logits.exp() * logits).sum(-1).mean()
            adam.zero_grad()
            (-objective + 0.5 * error - 0.01 * entropy).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            adam.step()

    def act() -> None:
        with torch.inference_mode():
            logits, _ = network({name: value[:1] for name, value in tensors.items()}, zeros)
            torch.multinomial(logits[0].exp(), 1)

    return learn, act


def timed(call: Callable[[], None], steps: int, repeats: int) -> str:
    for _ in range(2):
        call()
    clock, processor = perf_counter(), process_time()
    for _ in range(repeats):
        call()
    clock, processor = perf_counter() - clock, process_time() - processor
    return f"{repeats * steps / processor:,.0f} a processor second, {repeats * steps / clock:,.0f} a second"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("backend", choices=("jax", "torch", "torchscript"))
    parser.add_argument("--threads", type=int, default=1, choices=(1, 2))
    given = parser.parse_args()
    os.sched_setaffinity(0, range(given.threads))
    if given.backend == "jax":
        os.environ["XLA_FLAGS"] = (
            f"--xla_cpu_multi_thread_eigen={str(given.threads > 1).lower()} "
            f"intra_op_parallelism_threads={given.threads}"
        )
        learn, act = of_jax(batch())
    else:
        learn, act = of_torch(batch(), given.threads, given.backend == "torchscript")
    print(f"{given.backend}, threads {given.threads}, learning: {timed(learn, SEATS * LENGTH, 10)}")
    print(f"{given.backend}, threads {given.threads}, acting: {timed(act, SEATS, 300)}")


if __name__ == "__main__":
    main()
