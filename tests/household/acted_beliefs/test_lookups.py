"""Minds that look up what the partner did before in a situation like this one, and know no rule of it."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product

import pytest
from msgspec.structs import replace

from otherminds.household.acted_beliefs.contexts import (
    COURSES,
    DESIGNS,
    Context,
    describe_look,
    list_movers,
)
from otherminds.household.acted_beliefs.exact import EncounterTables, tabulate
from otherminds.household.acted_beliefs.minds import EncounterPolicy, simulate_study
from otherminds.household.acted_beliefs.partner_types import DESIGN_OF, POPULATIONS
from otherminds.household.acted_beliefs.stage_games import Plan
from tests.cases import depth
from tests.household.acted_beliefs.test_verdicts import ORDERS, SHOWS, judge_order

Role = str
"""A place by its part in a context: where the thing was put, where it is, what a message named, or another."""


def find_role(context: Context, place: int) -> Role:
    """The part that ``place`` has in ``context``."""
    if place == context.start:
        return "start"
    if place == context.now:
        return "now"
    return "named" if place in [named for named, _ in context.sayings] else "other"


def find_place(context: Context, role: Role) -> int:
    """A place with this part; where the thing is, if none has it."""
    return next((place for place in range(context.size) if find_role(context, place) == role), context.now)


def look_from_outside(context: Context) -> Hashable:
    """What happened, without who saw or heard it."""
    sayings = tuple((find_role(context, place), about) for place, about in context.sayings)
    return context.start != context.now, sayings


def look_at_first_belief(context: Context) -> Hashable:
    """The same with where the partner thinks that the thing is, and nothing of what it thinks of ego."""
    return look_from_outside(context), find_role(context, context.view.thinks[0])


def look_at_course(context: Context) -> Hashable:
    """The very course of events."""
    return context.course


def pick_usual(roles: list[Role]) -> Role:
    return Counter(roles).most_common(1)[0][0]


def pick_last(roles: list[Role]) -> Role:
    return roles[-1]


def pick_other(roles: list[Role]) -> Role:
    """What was not done last time."""
    return next((role for role in reversed(roles) if role != roles[-1]), roles[-1])


def pick_rarest(roles: list[Role]) -> Role:
    """What is due."""
    return Counter(roles).most_common()[-1][0]


class LookUp:
    """Predicts from what was done at earlier looks that were alike, and replies to that."""

    def __init__(
        self,
        tables: EncounterTables,
        look: Callable[[Context], Hashable],
        pick: Callable[[list[Role]], Role],
    ) -> None:
        self._tables, self._look, self._pick = tables, look, pick
        self._kept: dict[Hashable, list[Role]] = {}

    def predict(self, context: Context) -> int:
        roles = self._kept.get(self._look(context))
        return find_place(context, self._pick(roles)) if roles else context.now

    def choose(self, context: Context) -> Plan:
        return self._tables.game.replies(context, self.predict(context))[0]

    def learn(self, context: Context, plan: Plan, place: int) -> None:
        self._kept.setdefault(self._look(context), []).append(find_role(context, place))


class BlindBayes:
    """Infers the partner's type exactly from what it did and what happened, never from who saw or heard what.

    It knows the design: which courses of the first half are left, and that those of the second half are drawn anew.
    """

    def __init__(self, tables: EncounterTables, population: str) -> None:
        self._tables, self._design = tables, DESIGNS[DESIGN_OF.get(population, population)]
        left = tuple(sorted(self._design.first))
        self._weights: list[dict[tuple[str, ...], float]] = [{left: weight} for weight in tables.weights]

    def predict(self, context: Context) -> int:
        chances = [0.0] * self._tables.size
        for number, weight, _, possible in self._imagine(context):
            chances[self._tables.read(possible).words[number]] += weight
        return chances.index(max(chances))

    def choose(self, context: Context) -> Plan:
        worths = [0.0] * len(self._tables.plans)
        for number, weight, _, possible in self._imagine(context):
            row = self._tables.read(possible).worths[number]
            worths = [total + weight * worth for total, worth in zip(worths, row, strict=True)]
        return self._tables.plans[worths.index(max(worths))]

    def learn(self, context: Context, plan: Plan, place: int) -> None:
        weights: list[dict[tuple[str, ...], float]] = [{} for _ in self._tables.types]
        for number, weight, left, possible in self._imagine(context):
            if self._tables.go_all(possible, plan)[number] == place:
                weights[number][left] = weights[number].get(left, 0.0) + weight
        total = sum(sum(kept.values()) for kept in weights)
        self._weights = [{left: weight / total for left, weight in kept.items()} for kept in weights]

    def _imagine(self, context: Context) -> Iterator[tuple[int, float, tuple[str, ...], Context]]:
        """A type, a weight, the courses that are then left, and a context that looks like ``context``."""
        look = describe_look(COURSES[context.course])
        for number, kept in enumerate(self._weights):
            for left, weight in kept.items():
                names = left if context.early else self._design.second
                alike = [name for name in names if describe_look(COURSES[name]) == look]
                for name in alike:
                    rest = list(left)
                    if context.early:
                        rest.remove(name)
                    mover = list_movers(COURSES[name])[0]
                    possible = replace(context, course=name, mover=mover)
                    yield number, weight / len(alike), tuple(rest), possible


def count_shown(
    cases: Iterable[tuple[str, str]],
    studies: int,
    make: Callable[[EncounterTables, str], EncounterPolicy],
    orders: slice = slice(None),
) -> tuple[int, int]:
    """The verdicts that say that a mind knows, on ``orders`` of partners, and all of them."""
    shown = count = 0
    for game, population in cases:
        tables = tabulate(game, population, 3, 0.0)
        for study in range(studies):
            evidence = simulate_study(
                tables,
                lambda tables, partner, rng, population=population: make(tables, population),
                12 * len(POPULATIONS[population]),
                seed=study,
            )
            for order in (0, *ORDERS[population])[orders]:
                shown += judge_order(tables, evidence, order).kind in SHOWS
                count += 1
    return shown, count


@pytest.mark.parametrize("studies", depth(4, 100))
@pytest.mark.parametrize("pick", [pick_usual, pick_last, pick_other, pick_rarest])
def test_who_looks_up_acts_without_who_saw_what_shows_no_knowledge(
    pick: Callable[[list[Role]], Role], studies: int
) -> None:
    """In at most 5 % of studies over games, populations and orders."""
    shown, count = count_shown(
        product(("meet", "hide", "tell"), POPULATIONS),
        studies,
        lambda tables, population: LookUp(tables, look_from_outside, pick),
    )
    assert shown <= 0.05 * count


@pytest.mark.parametrize("studies", depth(1, 30))
def test_who_infers_all_but_who_saw_what_shows_no_knowledge(studies: int) -> None:
    """Not even the best reasoner that counts which courses are left and never looks at who saw or heard what."""
    shown, count = count_shown(product(("meet", "hide", "tell"), POPULATIONS), studies, BlindBayes)
    assert shown <= 0.05 * count


@pytest.mark.parametrize("studies", depth(3, 50))
@pytest.mark.parametrize("look", [look_at_first_belief, look_at_course])
def test_who_looks_up_acts_without_the_order_of_belief_does_not_know_it(
    look: Callable[[Context], Hashable], studies: int
) -> None:
    """What partners of order 2 and 3 did in the first half does not tell what they do in the second."""
    shown, count = count_shown(
        product(("meet", "hide"), ("second", "all", "held_out")),
        studies,
        lambda tables, population: LookUp(tables, look, pick_usual),
        slice(2, None),
    )
    assert shown <= 0.05 * count
