"""Environment steps a second on one core, side by side in one run with the real Melting Pot.

Ours: the compiled worlds, random actions drawn beforehand. *kernel*: many worlds,
no observations. *symbolic*: a batch for learners, with all windows, float32 vectors,
rewards and new episodes. *RGB*: the same with the pictures of all players. *one call a
step*: one world, stepped and observed from Python. *World*: the PettingZoo world.

Theirs: the same substrates through three faces (see ``gridworlds_engine.py``).
*substrate* is the one that Melting Pot gives to its users; its step always paints the
players' pictures and the whole map. *pictures* is the engine below it, asked for the
players' pictures and not the map: the even opponent of RGB. *blind* is asked for
windows in symbols and no pictures: the even opponent of symbolic. Rates count the
resets between episodes, on both sides (not in *kernel* and *one call a step*, whose
worlds run on); the second of two ratios leaves out those of Melting Pot.

The table of faces compares a batch with what ``otherminds.make`` builds on it: vector environments of the same worlds
with ``codes`` and with ``symbolic`` observations, with scripted partners in all seats but one, and one world at a time.

All kinds take turns in short blocks on the same core, so that they meet the same
noise; time is that of the processor (a busy machine takes it away from either);
ratios are medians over the rounds. Only the table of threads is by the clock on the
wall: more threads spend more processor time by design.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from common import arguments, finish, show

import otherminds as om
from otherminds.gridworlds.grid.learner import substrate as named
from otherminds.gridworlds.grid.pixels import TILE
from otherminds.gridworlds.grid.world import KernelEngine

FACES = ("substrate", "pictures", "blind")
SIZES = (1, 4, 16, 64, 256, 1024, 4096)
PAINTED = 32
"""Worlds that are painted together: the pictures of more do not fit into the processor's cache."""
MOST = 1 << 29
"""Bytes of pictures of a batch in the tables of sizes; larger ones are left out."""
RESET_MS = 0.1
WORLD = 12
"""How many times Melting Pot's speed a PettingZoo world is to reach."""


@dataclass(frozen=True)
class Substrate:
    """``wanted``: how many times Melting Pot's speed symbolic windows and RGB are to reach."""

    package: str
    rules: str
    world: str
    theirs: str
    wanted: tuple[float, float]


SUBSTRATES = {
    "rws-repeated": Substrate(
        "in_the_matrix",
        "RWS_REPEATED",
        "InTheMatrixWorld",
        "running_with_scissors_in_the_matrix__repeated",
        (150, 5),
    ),
    "rws-arena": Substrate(
        "in_the_matrix",
        "RWS_ARENA",
        "InTheMatrixWorld",
        "running_with_scissors_in_the_matrix__arena",
        (120, 5),
    ),
    "pd-repeated": Substrate(
        "in_the_matrix",
        "PD_REPEATED",
        "InTheMatrixWorld",
        "prisoners_dilemma_in_the_matrix__repeated",
        (150, 5),
    ),
    "cooking": Substrate(
        "cooking", "COOKING_ASYMMETRIC", "CookingWorld", "collaborative_cooking__asymmetric", (100, 5)
    ),
    "coins": Substrate("commons", "COINS", "CommonsWorld", "coins", (100, 5)),
    "harvest-open": Substrate("commons", "HARVEST", "CommonsWorld", "commons_harvest__open", (100, 5)),
    "clean-up": Substrate("commons", "CLEAN_UP", "CommonsWorld", "clean_up", (100, 5)),
}


class Ours:
    """The compiled worlds of one substrate."""

    def __init__(self, substrate: Substrate, worlds: int) -> None:
        def part(name: str) -> Any:
            return importlib.import_module(f"otherminds.gridworlds.{substrate.package}.{name}")

        self.rules = getattr(part("rules"), substrate.rules)
        self.learned = named(self.rules.name)
        self.kernel = self.learned.kernel()
        self.world = getattr(part("world"), substrate.world)
        self.worlds = worlds
        self.rng = np.random.default_rng(0)

    def kinds(self) -> dict[str, tuple[Callable[[], object], int]]:
        """How each kind makes one step, and of how many worlds."""
        return {
            "kernel": (self.stepper(self.worlds), self.worlds),
            "symbolic": (self.batch(self.worlds), self.worlds),
            "RGB": (self.batch(PAINTED, rgb=True), PAINTED),
            "one call a step": (self.alone(), 1),
            "World": (self.played(), 1),
        }

    def engine(self) -> KernelEngine:
        return KernelEngine(self.rules, self.kernel, sum(size for _, size in self.learned.vector))

    def pictures(self, worlds: int) -> int:
        """Bytes of the pictures of a batch."""
        rows, columns = self.rules.view.shape
        return worlds * self.rules.players * rows * columns * TILE * TILE * 3

    def actions(self, worlds: int) -> Callable[[], np.ndarray]:
        size = max(64, 4096 // worlds), worlds, self.rules.players
        drawn = self.rng.integers(len(self.rules.actions), size=size)
        at = 0

        def following() -> np.ndarray:
            nonlocal at
            at = (at + 1) % len(drawn)
            return drawn[at]

        return following

    def stepper(self, worlds: int) -> Callable[[], object]:
        kernel, following = self.kernel, self.actions(worlds)
        state, tables = kernel.empty(self.rules, worlds), kernel.tables(self.rules)
        kernel.reset(tables, state, np.arange(worlds, dtype=np.uint64))
        return lambda: kernel.step(tables, state, following())

    def batch(self, worlds: int, threads: int = 1, rgb: bool = False) -> Callable[[], object]:
        batch, following = self.learned.batch(worlds, threads, rgb), self.actions(worlds)
        batch.reset(0)
        return lambda: batch.step(following())

    def alone(self) -> Callable[[], object]:
        engine, following = self.engine(), self.actions(1)
        engine.reset(0)
        return lambda: engine.play(following()[0])

    def played(self) -> Callable[[], object]:
        world = self.world(self.rules)
        seats, following = world.possible_agents, self.actions(1)
        world.reset(seed=0)

        def once() -> None:
            if not world.agents:
                world.reset(seed=0)
            world.step(dict(zip(seats, following()[0].tolist(), strict=True)))

        return once

    def reset_ms(self) -> float:
        """Milliseconds for a new episode, by one call for one world."""
        engine = self.engine()
        started = process_time()
        for seed in range(1000):
            engine.reset(seed)
        return process_time() - started


class Theirs:
    """The real engine in a process of its own, under the Python at ``path``."""

    def __init__(self, path: str) -> None:
        script = Path(__file__).with_name("gridworlds_engine.py")
        self.process = subprocess.Popen(
            [path, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, substrate: str, face: str, seconds: float) -> tuple[float, float, list[float]]:
        """Steps a second with resets and without, and the milliseconds of resets."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        order = {"substrate": substrate, "face": face, "seconds": seconds}
        print(json.dumps(order), file=self.process.stdin, flush=True)
        for line in self.process.stdout:  # the engine itself writes warnings there
            if line.startswith("{"):
                answer = json.loads(line)
                took = answer["resets"]
                stepping = answer["seconds"] - sum(took[1:]) / 1000
                return answer["steps"] / answer["seconds"], answer["steps"] / stepping, took
        raise SystemExit(f"{self.process.args} ended with {self.process.wait()}")


def rate(
    once: Callable[[], object], worlds: int, seconds: float, clock: Callable[[], float] = process_time
) -> float:
    """Environment steps a second of one block."""
    calls, started = 0, clock()
    while (spent := clock() - started) < seconds:
        for _ in range(max(1, 256 // worlds)):
            once()
            calls += 1
    return calls * worlds / spent


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return median(x / y for x, y in zip(ours, theirs, strict=True))


def digits(found: float) -> str:
    """A ratio to two digits or more."""
    return f"{found:,.0f}" if found >= 10 else f"{found:.1f}"


def compare(
    name: str, theirs: Theirs | None, options: argparse.Namespace
) -> tuple[list[list[str]], dict[str, Any], bool]:
    """The rows and figures of one substrate, and whether it is as fast as wanted."""
    substrate = SUBSTRATES[name]
    ours = Ours(substrate, options.worlds)
    kinds = ours.kinds()
    for once, _ in kinds.values():
        once()
    rates: dict[str, list[float]] = {kind: [] for kind in (*kinds, *(FACES if theirs else ()))}
    stepping: dict[str, list[float]] = {face: [] for face in FACES}
    mine, resets = [], []
    for _ in range(options.rounds):
        for n, (kind, (once, worlds)) in enumerate(kinds.items()):
            rates[kind].append(rate(once, worlds, options.seconds))
            if theirs and n < len(FACES):
                found, bare, took = theirs.run(substrate.theirs, FACES[n], 4 * options.seconds)
                rates[FACES[n]].append(found)
                stepping[FACES[n]].append(bare)
                resets += took
        mine.append(ours.reset_ms())
    rows = []
    figures: dict[str, Any] = {}
    for kind, found in rates.items():
        label = f"Melting Pot, {kind}" if kind in FACES else kind
        against = {face: ratio(found, rates[face]) for face in FACES if theirs}
        bare = {face: ratio(found, stepping[face]) for face in FACES if theirs}
        times = [f"{digits(against[face])} / {digits(bare[face])}" for face in against]
        both = [found, stepping[kind]] if kind in FACES else [found]
        rows.append([name, label, " / ".join(f"{median(x):,.0f}" for x in both), *times])
        figures[label] = {"steps_per_second": median(found), "times": against, "times_stepping": bare}
    if theirs:
        for face, found in stepping.items():
            figures[f"Melting Pot, {face}"]["steps_per_second_stepping"] = median(found)
    figures["reset_ms"] = median(mine)
    line = f"{name}: a reset takes {1000 * median(mine):.1f} µs"
    good = median(mine) <= RESET_MS
    if theirs:
        figures["reset_ms_melting_pot"] = median(resets)
        line += f", in Melting Pot {median(resets):.0f} ms"
        for kind, wanted in zip(("symbolic", "RGB", "World"), (*substrate.wanted, WORLD), strict=True):
            reached, bare = (figures[kind][basis]["substrate"] for basis in ("times", "times_stepping"))
            good = good and reached >= wanted
            line += f"; {kind} {reached:.0f} x ({bare:.0f} x without them), wanted {wanted:g} x"
    print(line, flush=True)
    return rows, figures, good


def by_worlds(options: argparse.Namespace, figures: dict[str, Any]) -> None:
    """Shows the rates of batches of all sizes, one thread."""
    for kind in ("symbolic", "RGB"):
        rows = []
        for name in options.substrates:
            ours = Ours(SUBSTRATES[name], options.worlds)
            found: dict[int, float] = {}
            for worlds in SIZES:
                if kind == "symbolic" or ours.pictures(worlds) <= MOST:
                    once = ours.batch(worlds, rgb=kind == "RGB")
                    found[worlds] = median(rate(once, worlds, options.seconds / 2) for _ in range(3))
            rows.append([name, *(f"{found[worlds]:,.0f}" if worlds in found else "" for worlds in SIZES)])
            figures[name][f"{kind}_by_worlds"] = {str(worlds): x for worlds, x in found.items()}
        show(f"{kind}, steps/s by the worlds of a batch", ["", *map(str, SIZES)], rows)


def partners_of(name: str) -> str:
    """The scenario whose partners play in a substrate."""
    return name.replace("-v1", "-mixed-v1")


def vector_stepper(envs: Any) -> Callable[[], object]:
    actions = np.random.default_rng(0).integers(envs.single_action_space.n, size=(64, envs.num_envs))
    at = 0

    def once() -> None:
        nonlocal at
        at = (at + 1) % len(actions)
        envs.step(actions[at])

    envs.reset(seed=0)
    return once


def single_stepper(env: Any) -> Callable[[], object]:
    seats = env.possible_agents
    size = env.action_space(seats[0]).n
    actions = np.random.default_rng(0).integers(size, size=(4096, len(seats))).tolist()
    at = 0

    def once() -> None:
        nonlocal at
        if not env.agents:
            env.reset()
        at = (at + 1) % len(actions)
        env.step(dict(zip(seats, actions[at], strict=True)))

    env.reset(seed=0)
    return once


def by_face(options: argparse.Namespace, figures: dict[str, Any]) -> None:
    """Shows the rates of the environments of ``otherminds.make`` and their ratios to the batch, in one run."""
    rows = []
    for name in options.substrates:
        ours = Ours(SUBSTRATES[name], options.worlds)
        full_name, players, worlds = ours.rules.name, ours.rules.players, options.worlds
        mixed = partners_of(full_name)
        kinds: dict[str, tuple[Callable[[], object], int]] = {"batch": (ours.batch(worlds), worlds)}
        for observe in ("codes", "symbolic"):
            envs = om.make(full_name, {"observe": observe}, num_envs=worlds * players)
            kinds[f"vector, {observe}"] = (vector_stepper(envs), worlds)
        kinds["one world, codes"] = (single_stepper(om.make(full_name, {"observe": "codes"})), 1)
        if named(full_name).partners is not None:
            beside = om.make(full_name, {"observe": "codes"}, partners=mixed, num_envs=worlds)
            kinds["vector, codes, partners"] = (vector_stepper(beside), worlds)
            alone = om.make(full_name, {"observe": "codes"}, partners=mixed)
            kinds["one world, codes, partners"] = (single_stepper(alone), 1)
        rates: dict[str, list[float]] = {kind: [] for kind in kinds}
        for once, size in kinds.values():
            rate(once, size, options.seconds / 5)
        for _ in range(options.rounds):
            for kind, (once, size) in kinds.items():
                rates[kind].append(rate(once, size, options.seconds))
        for kind, measured in rates.items():
            times = ratio(measured, rates["batch"])
            best = max(measured)
            rows.append([name, kind, f"{median(measured):,.0f}", f"{best:,.0f}", f"{times:.2f}"])
            figures[name][kind] = {"steps_per_second": median(measured), "best": best, "times_batch": times}
    show(f"environments of make, {options.worlds} worlds", ["", "", "steps/s", "best", "of the batch"], rows)


def by_threads(options: argparse.Namespace, figures: dict[str, Any], cores: list[int]) -> None:
    """Shows how many times as fast batches are with more threads, each on a core; by the clock on the wall."""
    if len(cores) < 2:
        print("one core: threads are not measured")
        return
    os.sched_setaffinity(0, cores)
    counts = range(1, len(cores) + 1)
    for kind, worlds in (("symbolic", max(SIZES)), ("RGB", 4 * PAINTED)):
        rows = []
        for name in options.substrates:
            ours = Ours(SUBSTRATES[name], options.worlds)
            steps = {n: ours.batch(worlds, n, kind == "RGB") for n in counts}
            rounds = [
                [rate(once, worlds, options.seconds, perf_counter) for once in steps.values()]
                for _ in range(options.rounds)
            ]
            found = [median(one[n - 1] / one[0] for one in rounds) for n in counts]
            rows.append([name, *(f"{x:.2f}" for x in found)])
            figures[name][f"{kind}_by_threads"] = dict(zip(map(str, counts), found, strict=True))
        show(f"{kind}, {worlds} worlds: times the speed of one thread", ["", *map(str, counts)], rows)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--engine", help="a Python with dmlab2d 1.0.2 and dm-meltingpot 2.4.1")
    parser.add_argument("--substrates", nargs="+", choices=SUBSTRATES, default=list(SUBSTRATES))
    parser.add_argument("--worlds", type=int, default=512, help="worlds of a batch (default 512)")
    parser.add_argument("--rounds", type=int, default=7, help="blocks of each kind (default 7)")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a block (default 0.5)")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if cores:
        os.sched_setaffinity(0, cores[-1:])
    theirs = Theirs(options.engine) if options.engine else None
    if theirs is None:
        print("without --engine only our own rates are measured")
    rows: list[list[str]] = []
    figures: dict[str, Any] = {}
    good = True
    for name in options.substrates:
        found, figures[name], fast = compare(name, theirs, options)
        rows += found
        good = good and fast
    title = f"one core, {options.rounds} blocks of {options.seconds} s each"
    if theirs:
        title += "; times Melting Pot's speed, its resets counted / left out"
    show(title, ["", "", "steps/s", *(FACES if theirs else ())], rows)
    by_worlds(options, figures)
    by_face(options, figures)
    by_threads(options, figures, cores)
    finish(options, figures, ("numba",))
    sys.exit(not good)


if __name__ == "__main__":
    main()
