"""``cooking-asymmetric-strangers-v1``: teammates whose habits are none of the kinds that ``bayesian`` knows.

Each kind of :mod:`.bayesian` has one role and one share of idle steps for a whole episode. A stranger changes them with
the step, or with what it has delivered, or strays, or is idle in another share of steps. All have the same weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Behaviour, Brief, Invalid, Moment, Partner, Seat, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario, scenarios
from otherminds.gridworlds.cooking import scenarios as listed
from otherminds.gridworlds.cooking.acts import STOOD
from otherminds.gridworlds.cooking.cooks import COOKS, FIXED, NAMES, Cook, CookPolicy, SharingCook
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SOUP, Rules
from otherminds.gridworlds.grid import scenarios as grid
from otherminds.gridworlds.grid.rules import NOOP

KITCHEN, WHICH = "cooking-asymmetric", "strangers"
RESTING = CookPolicy("alone", "alone", 1.0)
"""Stands still."""


class Habit(NamedTuple):
    """What a teammate does from step to step.

    ``phases``: for how many steps it follows which policy, over and over; the last phase never ends with ``once``.
    After a soup that it has delivered it stands still for ``rest`` steps. ``noise``: the probability of a random movement.
    ``beside``: the best roles beside it while it works, as measured.
    """

    phases: tuple[tuple[int, CookPolicy], ...]
    once: bool = False
    rest: int = 0
    noise: float = 0.0
    beside: CookPolicy = FIXED

    def policy(self, step: int) -> CookPolicy:
        """What it follows in ``step``, without its rests.

        >>> Habit(((2, COOKS["chef_0"]), (1, RESTING))).policy(5) == RESTING
        True
        """
        span = sum(steps for steps, _ in self.phases)
        remaining = min(step, span - 1) if self.once else step % span
        for steps, policy in self.phases:
            if remaining < steps:
                return policy
            remaining -= steps
        raise AssertionError("the steps of a span lie within its phases")


HABITS: Mapping[str, Habit] = {
    "arrives": Habit(((300, RESTING), (1, COOKS["chef_1"])), once=True),
    "changes_role": Habit(((100, CookPolicy("supply", "supply")), (100, CookPolicy("serve", "serve")))),
    "leaves": Habit(((300, COOKS["chef_0"]), (1, RESTING)), once=True),
    "loner": Habit(((1, CookPolicy("alone", "alone", 0.25)),)),
    "naps": Habit(((120, COOKS["chef_1"]), (80, RESTING))),
    "rests": Habit(((1, COOKS["chef_1"]),), rest=50, beside=CookPolicy("alone", "alone")),
    "wanders": Habit(((1, COOKS["chef_0"]),), noise=0.5),
}
"""The strangers by name."""


BESIDE: Mapping[CookPolicy, CookPolicy] = {
    RESTING: CookPolicy("alone", "alone"),
    CookPolicy("supply", "supply"): CookPolicy("serve", "serve"),
    CookPolicy("serve", "serve"): CookPolicy("supply", "supply"),
}
"""The best roles beside what a teammate does now, where they are not those of the habit."""


class HabitualCook(Cook):
    """A cook with a :class:`Habit`; its own ``noise`` is added to the habit's.

    Raises:
        StudyError: ``noise`` is no probability.
    """

    def __init__(self, rules: Rules, habit: Habit, noise: float = 0.0) -> None:
        super().__init__(rules, habit.policy(0), noise)
        self.habit = habit
        self.noise = max(self.noise, habit.noise)

    def begin(self, brief: Brief, context: MindContext) -> None:
        super().begin(brief, context)
        self._rests_until = 0

    async def perceive(self, moment: Moment) -> None:
        held = self._kitchen.held
        await super().perceive(moment)
        if moment.reward > 0 and held == SOUP and self._kitchen.held != SOUP:
            self._rests_until = moment.step + self.habit.rest

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._kitchen.step < self._rests_until:
            return NOOP
        self._kitchen.follow(*self.habit.policy(self._kitchen.step), noise=self.noise)
        return await super().act()


class InformedOfHabit(SharingCook):
    """Knows the habit of its teammate: plays the roles that are best beside what the habit says for this step.

    Raises:
        StudyError: its secrets do not name one stranger.
    """

    grants = frozenset({"policy"})

    def begin(self, brief: Brief, context: MindContext) -> None:
        met = [name for secret in brief.secrets if (name := secret.rsplit(" is ", 1)[-1]) in HABITS]
        if len(met) != 1:
            raise StudyError(f"it needs a secret that names its teammate, one of {', '.join(HABITS)}")
        self._habit = HABITS[met[0]]
        super().begin(brief, context)

    async def act(self) -> Action | SkillChoice | Invalid:
        beside = self._habit.policy(self._kitchen.step)
        self._kitchen.follow(*BESIDE.get(beside, self._habit.beside))
        return await super().act()

    def expected(self) -> Behaviour:
        return STOOD if self._habit.policy(self._kitchen.step) == RESTING else super().expected()


def build(steps: int | None = None, noise: float = 0.0) -> Scenario:
    """The scenario with strangers; the options are those of the kitchen's other scenarios.

    Raises:
        StudyError: an option has a bad value.
    """
    mixture = listed.build(COOKING_ASYMMETRIC, grid.MIXTURE, steps, noise)
    rules = grid.shorten_episodes(COOKING_ASYMMETRIC, steps)
    share = Fraction(1, len(HABITS))
    population = tuple(Member(float(share), name) for name in HABITS)
    bounds = Bounds(None, None, None, f"{KITCHEN}-{WHICH}", population, grid.BY_REFERENCE_MINDS)

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return HabitualCook(rules, HABITS[met.mind], noise), Partner(met.mind)

    return replace(
        mixture,
        id=f"{KITCHEN}-{WHICH}-v1",
        population=Population(tuple((share, (SeatSpec(name),)) for name in HABITS)),
        partner=partner,
        minds={
            **{name: mind for name, mind in mixture.minds.items() if name not in NAMES},
            **{name: partial(HabitualCook, rules, habit) for name, habit in HABITS.items()},
            "informed": partial(InformedOfHabit, rules),
        },
        bounds=lambda met: bounds,
        description=f"{rules.name}: teammates whose habits stand in no mind's library; scripted stand-ins",
    )


@scenarios.register(f"{KITCHEN}-{WHICH}-v1")
def make_scenario(steps: int | None = None, noise: float = 0.0) -> Scenario:
    """The kitchen with strangers."""
    return build(steps, noise)
