"""Batched cooks beside minds of one seat, by the same compiled code: decisions and environment steps a second on one core, in one run.

The cook sits in the second seat, beside ``cook`` in the first one, whose actions come from episodes that were played
beforehand; so both kinds decide in the same situations. *decisions*: the cook alone, in Python ``perceive`` and
``act``, in a batch ``act``. *steps*: the world and the cook, in Python the PettingZoo world, in a batch
``step`` with all windows, rewards and new episodes. The two kinds take turns in blocks; time is that of the
processor; ratios are medians over the rounds. A decision of a batch is that of one cook in one world.
"""

from __future__ import annotations

from statistics import median
from time import process_time

import numpy as np
from common import arguments, finish, show

from otherminds.core.data import Moment
from otherminds.gridworlds.cooking.cooks import NAMES, BatchedCooks, scripted
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.cooking.world import CookingWorld, make_substrate
from otherminds.play.loop import finish as finished
from otherminds.play.seat_context import Now, SeatContext

EGO, SEAT = 0, "partner_0"


class Python:
    """One world after the other with a cook of Python."""

    def __init__(self, name: str, seed: int, egos: list[int]) -> None:
        self.name, self.seed, self.egos = name, seed, egos
        self.world = CookingWorld(COOKING_ASYMMETRIC)

    def run(self) -> tuple[float, float, list[int]]:
        """The seconds of decisions and in all, and the actions of one episode."""
        began, deciding, made = process_time(), 0.0, list[int]()
        observations, infos = self.world.reset(self.seed)
        mind = scripted(COOKING_ASYMMETRIC, self.name)
        mind.begin(self.world.brief(SEAT), SeatContext(SEAT, self.seed, Now()))
        reward = 0.0
        for step, ego in enumerate(self.egos):
            moment = Moment(step, observations[SEAT], reward, infos[SEAT].get("encounters", ()))
            before = process_time()
            finished(mind.perceive(moment))
            action = finished(mind.act())
            deciding += process_time() - before
            assert isinstance(action, int)
            made.append(action)
            observations, rewards, _, _, infos = self.world.step({"ego": ego, SEAT: action})
            reward = rewards[SEAT]
        return deciding, process_time() - began, made


class Batched:
    """Many worlds with a batched cook in each."""

    def __init__(self, name: str, seed: int, egos: np.ndarray) -> None:
        self.seed, self.egos = seed, egos
        self.batch = make_substrate(COOKING_ASYMMETRIC).batch(egos.shape[1])
        self.cooks = BatchedCooks(self.batch.shards[0], [(None, name)] * egos.shape[1])

    def run(self) -> tuple[float, float, list[int]]:
        """The seconds of decisions and in all, and the actions in the first world."""
        began, deciding, made = process_time(), 0.0, list[int]()
        self.batch.reset(self.seed)
        self.cooks.begin()
        for ego in self.egos:
            before = process_time()
            actions = self.cooks.act()
            deciding += process_time() - before
            actions[:, EGO] = ego
            made.append(int(actions[0, 1]))
            self.batch.step(actions)
        return deciding, process_time() - began, made


def egos(name: str, seed: int, worlds: int) -> np.ndarray:
    """The actions of ``cook`` beside ``name``, int64[steps, worlds], in the first episode of each world."""
    batch = make_substrate(COOKING_ASYMMETRIC).batch(worlds)
    cooks = BatchedCooks(batch.shards[0], [("cook", name)] * worlds)
    batch.reset(seed)
    cooks.begin()
    made = []
    for _ in range(COOKING_ASYMMETRIC.maximum):
        made.append(cooks.act())
        batch.step(made[-1])
    return np.array(made)[..., EGO]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--worlds", type=int, default=512, help="worlds of the batch (default 512)")
    parser.add_argument(
        "--rounds", type=int, default=5, help="blocks of each kind, one episode each (default 5)"
    )
    options = parser.parse_args()
    rows, figures = [], {}
    for name in NAMES:
        given = egos(name, options.seed, options.worlds)
        python = Python(name, options.seed, given[:, 0].tolist())
        batched = Batched(name, options.seed, given)
        steps = len(given)
        rates: dict[str, list[float]] = {"python": [], "python steps": [], "batched": [], "batched steps": []}
        batched.run()  # Loads the kernels
        for _ in range(options.rounds):
            deciding, total, made = python.run()
            rates["python"].append(steps / deciding)
            rates["python steps"].append(steps / total)
            deciding, total, same = batched.run()
            rates["batched"].append(steps * options.worlds / deciding)
            rates["batched steps"].append(steps * options.worlds / total)
            if made != same:
                raise SystemExit(f"{name} acts otherwise in the batch than in Python")
        times = {
            kind: median(b / p for b, p in zip(rates["batched" + kind], rates["python" + kind], strict=True))
            for kind in ("", " steps")
        }
        mean = {kind: median(found) for kind, found in rates.items()}
        rows.append(
            (
                name,
                *(f"{mean[kind]:,.0f}" for kind in ("python", "batched")),
                f"{times['']:,.0f} x",
                *(f"{mean[kind]:,.0f}" for kind in ("python steps", "batched steps")),
                f"{times[' steps']:,.0f} x",
            )
        )
        figures[name] = {**mean, "times": times[""], "times steps": times[" steps"]}
    columns = ("", "decisions/s, Python", "batched", "ratio", "steps/s, Python", "batched", "ratio")
    show(f"one core, {options.worlds} worlds a batch, {options.rounds} rounds", columns, rows)
    finish(options, figures, ("numba",))


if __name__ == "__main__":
    main()
