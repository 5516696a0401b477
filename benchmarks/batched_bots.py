"""Environment steps a second with background bots in the other seats, compiled and readable, side by side.

All seats but that of player 0, which does nothing, are filled with partners of the substrate's mixture. *compiled*:
``BatchedBots.act`` and ``LearnerBatch.step``. *readable*: the same bots as minds, in the first worlds of the same batch,
which is enough since their time per world does not depend on the number of worlds. *no bots*: ``LearnerBatch.step`` alone.
All are measured in turn within each step, in processor time on one core; rates and ratios are medians over blocks of
steps. The benchmark stops if compiled and readable bots act differently.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

sys.path.insert(
    0, str(Path(__file__).parent.parent)
)  # for the batches of one shard, which the tests have too

import numpy as np
from common import arguments, finish, show
from tests.gridworlds.grid.one_shard import OneShard
from tests.gridworlds.in_the_matrix.bots.readable import observation

from otherminds.core.data import Moment
from otherminds.core.scenario import scenario
from otherminds.gridworlds.grid.rules import seat_of
from otherminds.gridworlds.in_the_matrix.bots import BatchedBots, Bot, bot, bot_names
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.play.loop import finish as done
from otherminds.play.seat_context import Now, SeatContext


class Compared:
    """One batch with compiled bots in all worlds; readable ones beside them in the first ``few``."""

    def __init__(self, substrate: str, worlds: int, few: int, seed: int) -> None:
        rules = SUBSTRATES[f"{substrate}-v1"]
        self.few = few
        self.batch = OneShard(rules, worlds)
        self.bots = BatchedBots(self.batch, scenario(f"{substrate}-mixed-v1", {}))
        self.batch.reset(seed)
        self.bots.begin()
        world = InTheMatrixWorld(rules)
        world.reset(0)
        self.minds: dict[tuple[int, int], Bot] = {}
        names = bot_names(rules)
        for b in range(few):
            for i in range(1, rules.players):
                mind = self.minds[b, i] = bot(rules, names[self.bots.cast[b, i]])
                mind.begin(world.brief(seat_of(i)), SeatContext(seat_of(i), seed + b, Now()))
        self.step = 0

    def run(self, steps: int) -> tuple[float, float, float]:
        """Processor seconds of ``steps`` steps: compiled bots, readable bots, and the batch itself."""
        compiled = readable = alone = 0.0
        for _ in range(steps):
            actions, spent = timed(self.bots.act)
            compiled += spent
            expected, spent = timed(self._act)
            readable += spent
            if not np.array_equal(actions[: self.few], expected):
                raise SystemExit(f"step {self.step}: compiled and readable bots act differently")
            _, spent = timed(lambda actions=actions: self.batch.step(actions))
            alone += spent
            self.step += 1
        return compiled, readable, alone

    def _act(self) -> np.ndarray:
        actions = np.zeros((self.few, self.batch.players), np.int64)
        for (b, i), mind in self.minds.items():
            done(mind.perceive(Moment(self.step, observation(self.batch, b, i))))
            actions[b, i] = done(mind.act())
        return actions


def timed(call: Callable[[], np.ndarray]) -> tuple[np.ndarray, float]:
    """What ``call`` returns, and the processor seconds that it took."""
    begun = process_time()
    made = call()
    return made, process_time() - begun


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--worlds", type=int, default=256, help="worlds of the batch (default 256)")
    parser.add_argument("--few", type=int, default=4, help="worlds with readable bots too (default 4)")
    parser.add_argument("--rounds", type=int, default=5, help="blocks (default 5)")
    parser.add_argument("--steps", type=int, default=150, help="steps of a block (default 150)")
    options = parser.parse_args()
    if options.rounds * options.steps >= 900:
        raise SystemExit("episodes may end after 1,000 steps; the readable bots here play one: make fewer")
    rows, figures = [], {}
    for substrate in ("rws-repeated", "rws-arena", "pd-repeated"):
        compared = Compared(substrate, options.worlds, options.few, options.seed)
        compared.run(20)  # Compiles
        ratios, rates = [], []
        for _ in range(options.rounds):
            compiled, readable, alone = compared.run(options.steps)
            steps = options.worlds * options.steps
            few = alone / options.worlds * options.few
            rates.append(
                (steps / (compiled + alone), options.few * options.steps / (readable + few), steps / alone)
            )
            ratios.append(rates[-1][0] / rates[-1][1])
        bots, minds, none = (median(rate[k] for rate in rates) for k in range(3))
        ratio = median(ratios)
        seats = compared.batch.players - 1
        rows.append([substrate, seats, f"{bots:,.0f}", f"{minds:,.0f}", f"{ratio:.0f} x", f"{none:,.0f}"])
        figures[substrate] = {"compiled": bots, "readable": minds, "ratio": ratio, "no bots": none}
    show(
        f"one core, {options.worlds} worlds, {options.rounds} blocks of {options.steps} steps; environment steps/s",
        ["", "bots a world", "compiled", "readable", "ratio", "no bots"],
        rows,
    )
    finish(options, figures, ["numba"])


if __name__ == "__main__":
    main()
