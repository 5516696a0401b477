"""Scripted partners: a cooperator, a defector and a reciprocator for each law of growth.

Melting Pot's own are networks, so what these do is our judgement, and scores with them are not comparable with published
ones. Each knows the rules and what its window has shown it (:mod:`.forager`).

| | takes | reciprocates |
|---|---|---|
| Coins | cooperator: coins of its own colour; defector: all | takes one coin of the other's colour for each of its own that the other took |
| Commons Harvest | cooperator: apples with at least two others near; defector: all | after it was removed by a beam, takes all for 200 steps and fires at whoever is in reach |
| Clean Up | cooperator: cleans while more than a fifth of the river that it knows is dirty, else eats; defector: eats | cleans while another did so in the last 50 steps, and in the first 100 |
"""

from __future__ import annotations

from random import Random

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.gridworlds.commons.acts import OTHERS
from otherminds.gridworlds.commons.forager import SPARED, Cell, Forager
from otherminds.gridworlds.commons.rules import CLEAN, COIN, DIRT, NOTHING, ZAP, Rules
from otherminds.gridworlds.grid.rules import NOOP, TURN_RIGHT
from otherminds.gridworlds.grid.scenarios import check_noise

MANNERS = ("cooperator", "defector", "reciprocator")
DIRTY = 0.2
"""The share of dirty cells among those of the river up to which a cooperator eats."""
ANGER = 200
"""Steps for which a reciprocator is angry after it was hit."""
TRUST, MEMORY = 100, 50
"""Steps for which a reciprocator cleans at first, and after it learned that another did."""


class Partner(Mind):
    """Plays one seat under ``rules`` in a ``manner``, with random movements in a share of ``noise`` steps.

    Raises:
        StudyError: there is no such manner, or ``noise`` is no probability.
    """

    answers = False

    def __init__(self, rules: Rules, manner: str, noise: float = 0.0) -> None:
        check_noise(noise, "partner")
        if manner not in MANNERS:
            raise StudyError(f"there is no partner {manner!r}; there are {', '.join(MANNERS)}")
        self.rules = rules
        self.manner = manner
        self.noise = noise

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng: Random = context.rng
        self._seat = brief.seat
        self._forager = Forager(self.rules, self._rng)
        self._step = 0
        self._debt = 0
        self._until = TRUST if self.rules.law == "cleanness" else -1

    async def perceive(self, moment: Moment) -> None:
        was_alive = self._forager.alive
        self._forager.see(moment.observation)
        self._step = moment.step
        if self.rules.law == "chance":
            self._debt += int(moment.observation["MISMATCHED_COIN_COLLECTED_BY_PARTNER"])
            harmed = any(OTHERS in encounter.did.get(self._seat, ()) for encounter in moment.encounters)
            self._debt = max(0, self._debt - harmed)
        elif self.rules.law == "density":
            if was_alive and not self._forager.alive:
                self._until = moment.step + ANGER
        elif moment.observation["NUM_OTHERS_WHO_CLEANED_THIS_STEP"] > 0:
            self._until = max(self._until, moment.step + MEMORY)

    @property
    def cooperates(self) -> bool:
        """Whether it cooperates in this step."""
        if self.manner != "reciprocator":
            return self.manner == "cooperator"
        if self.rules.law == "chance":
            return not self._debt
        before = self._step < self._until
        return not before if self.rules.law == "density" else before

    async def act(self) -> Action | SkillChoice | Invalid:
        if not self._forager.alive:
            return NOOP
        if self._rng.random() < self.noise:
            return self._rng.randrange(1, ZAP)
        return self._choose()

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a scripted partner is not asked")

    def _choose(self) -> int:
        forager, rules = self._forager, self.rules
        if rules.law == "cleanness" and self.cooperates and self._is_dirty():
            return self._clean()
        if rules.law == "density" and self.manner == "reciprocator" and not self.cooperates and rules.zap:
            aimed = forager.aim(forager.others, rules.zap.length, NOTHING)
            if aimed is not None:
                return aimed or ZAP
        food = forager.list_food(self._accepts)
        spared = set(forager.list_food()).difference(food)
        action = forager.approach(food, spared)
        return forager.wander(spared) if action is None else action

    def _accepts(self, cell: Cell, thing: int) -> bool:
        if self.rules.law == "cleanness" or not self.cooperates:
            return True
        if self.rules.law == "chance":
            return thing == COIN + self._forager.colour
        return self._forager.count_near(cell) >= SPARED

    def _is_dirty(self) -> bool:
        return len(self._forager.list_dirt()) > DIRTY * sum(
            char in self.rules.banks for line in self.rules.drawn for char in line
        )

    def _clean(self) -> int:
        """Goes to the nearest dirt, and fires at what is in reach."""
        forager, beam = self._forager, self.rules.cleaner
        aimed = forager.aim(forager.list_dirt(), beam.length if beam else 1, DIRT)
        if aimed is not None:
            return aimed or CLEAN
        action = forager.approach(forager.list_dirt())
        return TURN_RIGHT if action is None else action
