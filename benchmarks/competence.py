"""Whether the scripted background bots do what their policies say, before any score is built on them.

Each bot plays every class of opponent in turn, in half of the episodes one that
only gathers, in the other half one that also duels as soon as its class leads by
one. Counted are the bot's duels, those in which its inventory plays what its
policy prescribes at that moment, and those in which it has the prescribed margin.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from time import perf_counter

from common import arguments, finish, show

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, Seat, SkillChoice
from otherminds.core.encoding import derive
from otherminds.gridworlds.in_the_matrix.bots import Bot, Reach, bot, bot_names
from otherminds.gridworlds.in_the_matrix.charts import leader
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, BotPolicy, Rules
from otherminds.gridworlds.in_the_matrix.sight import Collect, Puppet, Sight
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld, leading
from otherminds.play.loop import finish as run
from otherminds.play.seat_context import Now, SeatContext

SETTINGS: tuple[tuple[Reach, float], ...] = (("window", 0.0), ("window", 0.1), ("map", 0.0), ("map", 0.1))


@dataclass
class Count:
    """The duels of one bot in one setting."""

    steps: int = 0
    duels: int = 0
    right: int = 0
    full: int = 0

    @property
    def share(self) -> float:
        return self.right / self.duels if self.duels else 0.0

    @property
    def rate(self) -> float:
        """Duels in a thousand steps."""
        return 1000 * self.duels / self.steps

    def __str__(self) -> str:
        full = self.full / self.duels if self.duels else 0.0
        return f"{self.share:6.1%} {full:4.0%} {self.rate:5.1f}"


class Gatherer(Mind):
    """Collects one class for ever."""

    answers = False

    def __init__(self, rules: Rules, kind: int) -> None:
        self.rules = rules
        self.kind = kind

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.sight = Sight(self.rules)
        self.puppet = Puppet(self.sight, Random(context.rng.getrandbits(64)))

    async def perceive(self, moment: Moment) -> None:
        self.sight.see(moment.observation, moment.step)

    async def act(self) -> Action | SkillChoice | Invalid:
        return self.puppet.act(Collect(self.kind))

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a partner is not asked")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=24, help="episodes a bot and setting (default 24)")
    parser.add_argument("--steps", type=int, default=500, help="steps an episode (default 500)")
    parser.add_argument("--substrate", choices=list(SUBSTRATES), action="append", help="only this one")
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    for name in options.substrate or SUBSTRATES:
        rules = replace(SUBSTRATES[name], minimum=options.steps, maximum=options.steps)
        rows: list[list[str]] = []
        for which in bot_names(rules):
            started = perf_counter()
            counts = [measure(rules, which, *setting, options.episodes, options.seed) for setting in SETTINGS]
            rows.append([which.removeprefix("puppet_"), *map(str, counts)])
            for (reach, noise), count in zip(SETTINGS, counts, strict=True):
                label = f"{name}, {which}, {reach}, noise {noise}"
                figures[label] = {"duels": count.duels, "right": count.right, "full": count.full}
            print(f"{name} {which}: {perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
        columns = ("bot", *(f"{reach}, noise {noise:g}" for reach, noise in SETTINGS))
        title = f"{name}: duels as prescribed, with full margin, duels in 1,000 steps"
        show(title, columns, rows)
    finish(options, figures)


def measure(rules: Rules, name: str, reach: Reach, noise: float, episodes: int, seed: int) -> Count:
    """All episodes of one bot in one setting."""
    count = Count()
    kinds = len(rules.classes)
    for episode in range(episodes):
        hunts = bool(episode // kinds % 2)
        kind = episode % kinds
        others = [opponent(rules, (kind + i) % kinds, hunts) for i in range(rules.players - 1)]
        play(rules, bot(rules, name, noise, reach), others, derive(seed, name, episode) % 2**31, count)
    return count


def opponent(rules: Rules, kind: int, hunts: bool) -> Mind:
    return (
        Bot(rules, BotPolicy("single", (("behaviour", kind),), (1,) * len(rules.classes)))
        if hunts
        else Gatherer(rules, kind)
    )


def play(rules: Rules, measured: Bot, others: Sequence[Mind], seed: int, count: Count) -> None:
    """One episode, with the measured bot in the first seat."""
    world = InTheMatrixWorld(rules)
    seats = world.possible_agents
    minds: dict[Seat, Mind] = dict(zip(seats, (measured, *others), strict=True))
    grants = {seat: dict.fromkeys(mind.grants, True) for seat, mind in minds.items()}
    observations, _ = world.reset(seed, {"grants": grants})
    now = Now()
    for seat, mind in minds.items():
        mind.begin(world.brief(seat), SeatContext(seat, seed, now))
    while world.agents:
        actions: dict[Seat, Action] = {}
        for seat, mind in minds.items():
            run(mind.perceive(Moment(now.step, observations[seat])))
            actions[seat] = run(mind.act())
        aim, before = measured.aim, len(world.duels)
        observations, *_ = world.step(actions)
        now.step += 1
        for duel in world.duels[before:]:
            if seats[0] in duel.seats:
                own = duel.inventories[duel.seats.index(seats[0])]
                count.duels += 1
                count.right += leading(own) == (aim.kind,)
                count.full += leading(own) == (aim.kind,) and leader(own).margin >= aim.margin
    count.steps += now.step


if __name__ == "__main__":
    main()
