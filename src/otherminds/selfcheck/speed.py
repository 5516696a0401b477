"""What importing and running cost."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, Seat
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario
from otherminds.core.seeds import derive
from otherminds.core.setup import Setup
from otherminds.core.worlds import scenario
from otherminds.minds.making import make_mind
from otherminds.play.loop import play_now
from otherminds.selfcheck.programs import call_program
from otherminds.testing.compare import promise

IMPORTS = 7
MOST_MS = 150
TIMED = "from time import process_time as t; a = t(); import otherminds; print(1000 * (t() - a))"


def time_the_import(folder: Path) -> str:
    """Times the import in fresh processes."""
    times: list[float] = []
    for _ in range(IMPORTS):
        done = call_program([sys.executable, "-c", TIMED])
        promise(done.returncode == 0, "it is imported", done.stderr[-300:])
        times.append(float(done.stdout))
    promise(min(times) <= MOST_MS, f"at most {MOST_MS} ms", f"{min(times):.0f} ms")
    return f"{min(times):.0f} ms (of {IMPORTS}: {', '.join(f'{time:.0f}' for time in sorted(times))})"


BATCHES = 7
WORLDS = {
    "ipd-tit_for_tat-v1": (40, 5.0),
    "rws-repeated-0-v1": (1, 2.0),
    "household-remote_lights-v1": (4, 4.0),
}
"""Scenarios, the episodes of a batch, and the largest ratio that is promised."""


@dataclass
class _Script(Mind):
    """Plays given actions, so that an episode costs what its world and the loop around it cost."""

    actions: list[Action]

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._left = iter(self.actions)

    async def perceive(self, moment: Moment) -> None:
        """Ignores the moment."""

    async def act(self) -> Action:
        return next(self._left)

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("it is not asked")


def time_the_runner(folder: Path) -> str:
    """Times episodes and the bare stepping of their worlds, in turns."""
    words: list[str] = []
    for name, (episodes, most) in WORLDS.items():
        built = scenario(name, {})
        played = [_first(built, seed) for seed in range(episodes)]
        steps = sum(len(record.actions) for record in played)
        for run in (_run_again, _step_again):
            _time_runs(run, built, played)
        ratios: list[float] = []
        costs: list[float] = []
        for _ in range(BATCHES):
            ours, bare = _time_runs(_run_again, built, played), _time_runs(_step_again, built, played)
            ratios.append(ours / bare)
            costs.append(1e6 * (ours - bare) / steps)
        ratio = median(ratios)
        promise(ratio <= most, f"in {name} at most {most:g} times the bare world", f"{ratio:.2f} times")
        words.append(f"{name.split('-')[0]} {ratio:.2f} ({max(0.0, median(costs)):.0f} µs a step)")
    return f"ratio to the bare world: {', '.join(words)}"


def _first(built: Scenario, seed: int) -> Record:
    """An episode whose actions are played again."""
    return play_now(
        Setup(built, {seat: make_mind(SeatSpec("random")) for seat in built.focal}, seed, ask=False)
    )[0]


def _acts(record: Record) -> dict[Seat, list[Action]]:
    return {seat: [row[place] for row in record.actions] for place, seat in enumerate(record.seats)}


def _run_again(built: Scenario, record: Record) -> int:
    """The episode by the loop; the number of its steps."""
    minds = {seat: _Script(actions) for seat, actions in _acts(record).items()}
    return len(play_now(Setup(built, minds, record.spec.seed, ask=False))[0].actions)


def _step_again(built: Scenario, record: Record) -> int:
    """The episode without the loop; the number of its steps."""
    world, steps = built.world(), 0
    world.reset(seed=derive(record.spec.seed, "world") % 2**31, options={"grants": {}})
    while world.agents:
        world.step(dict(zip(record.seats, record.actions[steps], strict=True)))
        steps += 1
    world.facts()
    return steps


def _time_runs(run: Callable[[Scenario, Record], int], built: Scenario, played: list[Record]) -> float:
    """Seconds of processor time for all episodes."""
    gc.collect()
    began = process_time()
    lengths = [run(built, record) for record in played]
    seconds = process_time() - began
    promise(
        lengths == [len(record.actions) for record in played],
        "equal actions lead to equal ends",
        f"{lengths}",
    )
    return seconds
