"""The background bots of Melting Pot's scenarios, scripted: a puppeteer with a puppet.

Policies and parameters, which the file of a substrate gives, are those of Melting Pot 2.4.1, whose thresholds are one higher
where they count the inventories of the reset, all zero, as a duel. The puppets are ours (the official ones are networks), so scores against these bots are not comparable with
published ones. ``free_0`` has no published policy: it is a stand-in. A bot is a mind of one seat, or, as
:class:`BatchedBots`, plays chosen seats of all worlds of a batch in one call: by the same compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import (
    Action,
    Answer,
    Behaviour,
    Brief,
    Invalid,
    Moment,
    Partner,
    Question,
    SkillChoice,
)
from otherminds.core.errors import StudyError
from otherminds.games.registry import automaton
from otherminds.gridworlds.grid.learner import GridBatch
from otherminds.gridworlds.grid.partners import BatchedPartners, Cast
from otherminds.gridworlds.grid.scenarios import check_noise
from otherminds.gridworlds.in_the_matrix import charts as columns
from otherminds.gridworlds.in_the_matrix.charts import (
    POLICY,
    Aim,
    News,
    Policies,
    Puppeteer,
    chart,
    desk,
    empty,
    policies,
)
from otherminds.gridworlds.in_the_matrix.rules import BotPolicy, Rules
from otherminds.gridworlds.in_the_matrix.sight import Puppet, Sight

ENDLESS = 100  # Duels after which no strategy of a bot has a new state

Reach = Literal["window", "map"]


def bot_names(rules: Rules) -> tuple[str, ...]:
    """The bots of a substrate, in alphabetical order."""
    return tuple(sorted(name for name, _ in rules.bots))


def policy(rules: Rules, name: str) -> BotPolicy:
    """What bot ``name`` does.

    Raises:
        StudyError: the substrate has no such bot.
    """
    policies = dict(rules.bots)
    if name not in policies:
        names = ", ".join(bot_names(rules)) or "none"
        raise StudyError(f"{rules.name} has no background bot {name!r}; it has {names}")
    return policies[name]


def bot(rules: Rules, name: str, noise: float = 0.0, reach: Reach = "window") -> Bot:
    """The mind of bot ``name``; see :class:`Bot`.

    Raises:
        StudyError: the substrate has no such bot, or ``noise`` or ``reach`` have a bad value.
    """
    return Bot(rules, policy(rules, name), noise, reach)


def describe_partner(rules: Rules, name: str, rounds: int) -> Partner:
    """Bot ``name`` as a record shows it: with the automaton over duels that it follows, over ``rounds`` of them.

    The automaton is in the column seat of ``rules.game``.

    Raises:
        StudyError: the substrate has no such bot.
    """
    followed = policy(rules, name)
    return Partner(name, automaton(followed.family, rules.game, rounds, dict(followed.params)))


def puppeteer(rules: Rules, followed: BotPolicy) -> Puppeteer:
    """The puppeteer that follows a policy."""
    endless = automaton(followed.family, rules.game, ENDLESS, dict(followed.params))
    return Puppeteer(endless, followed.margins, followed.gullible)


@lru_cache(maxsize=8)
def bot_policies(rules: Rules) -> Policies:
    """The policies of all bots of a substrate, in the order of :func:`bot_names`."""
    return policies(
        tuple(puppeteer(rules, policy(rules, name)) for name in bot_names(rules)), len(rules.classes)
    )


class Bot(Mind):
    """Follows a policy with a puppet. It acts in every step, with primitive actions.

    ``noise`` is the probability of a random movement in a step. ``reach``: it sees
    its window, as the official bots do, or the whole ``map``, which is stronger.
    """

    answers = False

    def __init__(
        self, rules: Rules, followed: BotPolicy | Puppeteer, noise: float = 0.0, reach: Reach = "window"
    ) -> None:
        check_noise(noise, "bot")
        if reach not in ("window", "map"):
            raise StudyError(f"a bot sees its 'window' or the 'map', not {reach!r}")
        self.rules = rules
        self.followed = followed if isinstance(followed, Puppeteer) else puppeteer(rules, followed)
        self.noise = noise
        self.grants = frozenset({"inventories"} if reach == "window" else {"inventories", "map"})

    @property
    def aim(self) -> Aim:
        """What it raises now."""
        kind = int(self._sight.mind.own[columns.CLASS])
        return Aim(kind, self.followed.margins[kind])

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._sight = Sight(
            self.rules, policies((self.followed,), len(self.rules.classes)), context.rng, brief.seat
        )
        self._puppet = Puppet(self._sight, None, self.noise)

    async def perceive(self, moment: Moment) -> None:
        self._sight.see(moment.observation, moment.step)

    async def act(self) -> Action | SkillChoice | Invalid:
        return self._puppet.act()

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a partner is not asked")

    def intends(self) -> Mapping[Behaviour, float]:
        return {self.rules.classes[self.aim.kind]: 1.0}


class BatchedBots(BatchedPartners):
    """Bots in seats of ``batch``: see :class:`~otherminds.gridworlds.grid.partners.BatchedPartners`.

    ``cast`` names bots of :func:`~.roster.bot_names`; each has the knowledge of its own seat. ``noise`` is the
    probability of a random movement in a step.

    Raises:
        StudyError: a bad cast, or ``noise`` is no probability.

    >>> from otherminds.gridworlds.grid.learner import substrate
    >>> batch = substrate("pd-repeated-v1").batch(worlds=2)
    >>> bots = BatchedBots(batch.shards[0], [{1: "puppet_tft_margin_0"}, [None, "puppet_flip_0"]])
    >>> batch.reset(7)
    >>> bots.begin()
    >>> actions = bots.act()
    >>> actions.shape, actions[:, 0].tolist()
    ((2, 2), [0, 0])
    >>> batch.step(actions)
    """

    def __init__(self, batch: GridBatch, cast: Cast, noise: float = 0.0) -> None:
        from otherminds.gridworlds.grid._kernel import hold
        from otherminds.gridworlds.in_the_matrix import _bots

        check_noise(noise, "bot")
        rules = batch.rules
        super().__init__(batch, cast, bot_names(rules), noise)
        self._kernel = _bots
        self._chart, self._policies = chart(rules), bot_policies(rules)
        self._memory = empty(rules, batch.worlds, batch.players)
        state, (rows, columns, layers) = batch.state, batch.windows.shape[2:]
        windows = batch.windows.reshape(batch.worlds, batch.players, rows * columns, layers)
        no_maps = np.zeros((0, self._chart.place.size, 2), np.int8)
        news = News(state.avatars, state.clock, state.met, windows, no_maps)
        self._held = hold((self._chart, self._policies, self._memory, desk(rules), news))

    def _list_memory(self) -> Mapping[str, NDArray[Any]]:
        return self._memory._asdict()

    def _start(self, fresh: NDArray[np.bool_], streams: NDArray[np.uint64]) -> None:
        from otherminds.gridworlds.grid import _mersenne as mersenne

        generators = np.zeros((streams[fresh].size, mersenne.SIZE), np.uint32)
        mersenne.seed_all(generators, streams[fresh].ravel())
        self._memory.streams[fresh, :, POLICY] = generators.reshape(-1, self.batch.players, mersenne.SIZE)
        self._kernel.begin_all(self._chart, self._policies, self._memory, fresh, self.cast)

    def _decide(self, actions: NDArray[np.int64]) -> None:
        self._kernel.run(self._held, True, True, self.noise, actions)
