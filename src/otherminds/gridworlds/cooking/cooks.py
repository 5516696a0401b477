"""Scripted cooks: the background of all kitchens, and the reference minds for the seat under test.

``chef_0``, ``chef_1``, ``apprentice_0`` and ``apprentice_1`` of Melting Pot are networks without a published
policy. The scripted stand-ins are our judgement, so scores with them are not comparable with published ones.
The kitchens' files say who they are (:mod:`.form`). A cook knows the drawn map and what its window has shown it (:mod:`.kitchen`). It is the mind of one seat, or, as
:class:`BatchedCooks`, plays chosen seats of all worlds of a batch in one call, by the same compiled code: an episode
under seed s is the same as that of :class:`~.world.CookingWorld` under s whose minds have the contexts
``SeatContext(seat, s, ...)``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Behaviour, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.gridworlds.cooking.acts import DELIVERED, FILLED_POT, STOOD, TOOK_DISH, TOOK_SOUP, TOOK_TOMATO
from otherminds.gridworlds.cooking.form import BLIND, ROLES
from otherminds.gridworlds.cooking.kitchen import Kitchen
from otherminds.gridworlds.cooking.routes import routes
from otherminds.gridworlds.cooking.rules import (
    COOKING_ASYMMETRIC,
    DISH,
    EMPTY,
    SOUP,
    TOMATO,
    CookPolicy,
    Rules,
)
from otherminds.gridworlds.grid.learner import GridBatch
from otherminds.gridworlds.grid.partners import BatchedPartners, Cast
from otherminds.gridworlds.grid.rules import player_of
from otherminds.gridworlds.grid.scenarios import Noop, check_noise

OPTIMUM = 59
"""The soups that the best team delivers in 1,000 steps, exactly (``benchmarks/kitchen_ceiling.py``).

A round of both pots takes it 33 steps, of which a pot cooks 21. It divides the labour: one room serves, the
other supplies; the other way round it is 25. The best alone: 22 in the left room, 35 in the right one.
"""
LEAST_SKILLED = 44
"""What a skilled cook must deliver in 1,000 steps with a competent one: three quarters of the optimum."""
LEAST_SEMI_SKILLED = 30
"""The same for a semi-skilled one: half of the optimum. Less than 28.5, the best alone (mean of the rooms), is no help."""
STILL = 20  # Steps without news after which a teammate is expected to stand around


NOOP_BOT = "noop_bot"
COOKS: Mapping[str, CookPolicy] = {n: policy for n, policy in COOKING_ASYMMETRIC.cooks if n != NOOP_BOT}
"""The stand-ins of ``cooking-asymmetric-v1`` by Melting Pot's names."""
NAMES = (*COOKS, NOOP_BOT)  # All partners there, in alphabetical order
BEST: Mapping[str, CookPolicy] = dict(COOKING_ASYMMETRIC.best)
"""The best roles there with each of them, as measured (``benchmarks/results/cooks.md``)."""
FIXED = BEST[BLIND]
"""The best role in each room there against all three scenarios with equal shares, as measured."""
ALL = CookPolicy("share", "share")
"""A competent cook that adapts to what it sees."""


class Cook(Mind):
    """Follows ``policy`` with primitive actions, in every step.

    In a share of ``idle`` steps it stands still. With probability ``noise`` a step
    is a random movement, as of the bots of the other substrates.

    Raises:
        StudyError: ``noise`` is no probability.
    """

    answers = False

    def __init__(self, rules: Rules, policy: CookPolicy, noise: float = 0.0) -> None:
        check_noise(noise, "cook")
        self.rules = rules
        self.policy = policy
        self.noise = noise

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._kitchen = Kitchen(self.rules, player_of(brief.seat))
        self._kitchen.follow(*self.policy, noise=self.noise)
        self._kitchen.set_stream(context.rng)

    async def perceive(self, moment: Moment) -> None:
        self._kitchen.see(moment.observation, moment.step, moment.reward)

    async def act(self) -> Action | SkillChoice | Invalid:
        return self._kitchen.act()

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a scripted cook is not asked")


class SharingCook(Cook):
    """A competent cook that adapts to what it sees its teammate do, and predicts its next act.

    It predicts the act that is due with what the teammate was last seen to hold, and
    standing around if nothing new is seen.
    """

    answers = True

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, ALL)

    def begin(self, brief: Brief, context: MindContext) -> None:
        super().begin(brief, context)
        self._held = EMPTY
        self._news = 0

    async def perceive(self, moment: Moment) -> None:
        await super().perceive(moment)
        hand = next(iter(self._kitchen.hands), self._held)
        if moment.encounters or hand != self._held:
            self._news = moment.step
        self._held = hand

    async def answer(self, question: Question) -> Answer | Invalid:
        return self.expected()

    def expected(self) -> Behaviour:
        """The predicted next act of the teammate."""
        kitchen = self._kitchen
        if kitchen.step - self._news > STILL:
            return STOOD
        # The teammate's room is for what the own one is not.
        fetches = TOOK_TOMATO if kitchen.serves else TOOK_DISH
        return {EMPTY: fetches, TOMATO: FILLED_POT, DISH: TOOK_SOUP, SOUP: DELIVERED}[self._held]


class InformedCook(SharingCook):
    """Knows which stand-in its teammate is, and plays the best role with it."""

    grants = frozenset({"policy"})

    def begin(self, brief: Brief, context: MindContext) -> None:
        """Reads its secrets, ``partner_0 is chef_0``.

        Raises:
            StudyError: they do not say who the teammate is.
        """
        met = {secret.rsplit(" is ", 1)[-1] for secret in brief.secrets}
        candidates = [name for name, _ in self.rules.cooks if name in met]
        if len(candidates) != 1:
            names = ", ".join(name for name, _ in self.rules.cooks)
            raise StudyError(f"an informed cook needs a secret that names its teammate, one of {names}")
        self._met = candidates[0]
        self.policy = dict(self.rules.best)[self._met]
        super().begin(brief, context)

    def expected(self) -> Behaviour:
        return STOOD if self._met == NOOP_BOT else super().expected()


class BlindCook(SharingCook):
    """Plays the best roles that ignore the teammate; it predicts that the teammate fetches what its room is for."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.policy = dict(rules.best)[BLIND]

    def expected(self) -> Behaviour:
        return TOOK_TOMATO if self._kitchen.serves else TOOK_DISH


def scripted(rules: Rules, name: str, noise: float = 0.0) -> Mind:
    """The mind of the stand-in ``name``; ``noise`` as for :class:`Cook`.

    Raises:
        StudyError: there is no such stand-in, ``noise`` is no probability, or is for ``noop_bot``.
    """
    if name == NOOP_BOT:
        if noise:
            raise StudyError(f"{NOOP_BOT} always stands still: it takes no noise")
        return Noop()
    cooks = dict(rules.cooks)
    if name not in cooks:
        raise StudyError(f"there is no cook {name!r}; there are {', '.join(cooks)}")
    return Cook(rules, cooks[name], noise)


def in_role(rules: Rules, role: str, noise: float = 0.0) -> Cook:
    """A cook with the same role in both rooms.

    Raises:
        StudyError: there is no such role, or ``noise`` is no probability.
    """
    for name in ROLES:
        if name == role:
            return Cook(rules, CookPolicy(name, name), noise)
    raise StudyError(f"there is no role {role!r}; there are {', '.join(ROLES)}")


def list_batched(rules: Rules) -> Mapping[str, CookPolicy]:
    """All batched cooks of a kitchen: its own, the reference minds that ignore or watch their partner, and the roles.

    The one that is informed plays as the entry of its partner in ``rules.best``.
    """
    blind = {name: policy for name, policy in rules.best if name == BLIND}
    return {**dict(rules.cooks), **blind, "cook": ALL, **{role: CookPolicy(role, role) for role in ROLES}}


BATCHED = list_batched(COOKING_ASYMMETRIC)


class BatchedCooks(BatchedPartners):
    """Cooks in seats of ``batch``: see :class:`~otherminds.gridworlds.grid.partners.BatchedPartners`.

    ``cast`` names cooks of :func:`list_batched`. With probability ``noise`` a step of a cook is a random movement, but not
    of ``noop_bot``.

    Raises:
        StudyError: a bad cast, or ``noise`` is no probability.

    >>> from otherminds.gridworlds.grid.learner import substrate
    >>> batch = substrate("cooking-asymmetric-v1").batch(worlds=2)
    >>> cooks = BatchedCooks(batch.shards[0], [{1: "chef_0"}, {1: "noop_bot"}])
    >>> batch.reset(7)
    >>> cooks.begin()
    >>> actions = cooks.act()
    >>> actions.shape, actions[:, 0].tolist()
    ((2, 2), [0, 0])
    >>> batch.step(actions)
    """

    def __init__(self, batch: GridBatch, cast: Cast, noise: float = 0.0) -> None:
        from otherminds.gridworlds.cooking import _cooks, _manners
        from otherminds.gridworlds.grid._kernel import hold

        check_noise(noise, "cook")
        cooks = list_batched(batch.rules)
        super().__init__(batch, cast, tuple(cooks), noise)
        self._kernel, self._manners = _cooks, _manners
        self._routes = routes(batch.rules)
        self._memory = _cooks.empty(self._routes, batch.worlds, batch.players)
        state = batch.state
        news = _cooks.News(state.avatars, state.clock, state.rewards, batch.windows)
        self._held = hold((self._routes, self._memory, news))
        policies = cooks.values()
        roles = [(ROLES.index(policy.serving), ROLES.index(policy.supplying)) for policy in policies]
        # The last row is that of seats without a cook, number -1.
        self._roles = np.array([*roles, (-1, -1)], np.int8)
        self._idle = np.array([*(policy.idle for policy in policies), 0.0])
        self._patience = np.array([*(policy.patience for policy in policies), 0], np.int32)
        self._noise = np.array([*(0.0 if name == NOOP_BOT else noise for name in cooks), 0.0])

    def _list_memory(self) -> Mapping[str, NDArray[Any]]:
        return self._memory._asdict()

    def _start(self, fresh: NDArray[np.bool_], streams: NDArray[np.uint64]) -> None:
        memory, cast = self._memory, self.cast[fresh]
        memory.roles[fresh] = self._roles[cast]
        memory.idle[fresh], memory.noise[fresh] = self._idle[cast], self._noise[cast]
        memory.manners[fresh, :, self._manners.PATIENCE] = self._patience[cast]
        self._kernel.begin(self._routes, memory, fresh, streams)

    def _decide(self, actions: NDArray[np.int64]) -> None:
        self._kernel.run(self._held, True, True, True, actions)
