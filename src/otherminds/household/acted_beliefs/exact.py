"""Exact values of encounters: where each type goes, what each plan is worth, and what one can know without looking.

A *blind* mind may use where the thing was put, where it is, what was said (not by whom and to whom) and the design of
contexts. It never uses who saw or heard what, nor what the partner did. For each type of partner, the best blind answer and
the best blind plan are those that are best against this type alone, so that no ignorant mind is above them.

The *floor* of a type is what its best blind answer, or plan, reaches. In the designs of :mod:`.contexts` a mind that conceives of
lower orders only reaches no more against a type of order 2 or 3."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from random import Random

from msgspec import Struct

from otherminds.household.acted_beliefs.contexts import Context, PartnerView, draw_contexts, list_contexts
from otherminds.household.acted_beliefs.partner_types import (
    DESIGN_OF,
    PartnerType,
    find_type,
    list_members,
)
from otherminds.household.acted_beliefs.stage_games import GAMES, Plan, StageGame, list_plans

TIE = 1e-9
"""Values that differ by less are equal."""


class Situation(Struct, frozen=True):
    """All values of one context; types and plans are in the order of their tables.

    ``words`` has the place of each type unless ego changes what it knows, ``worths`` the expected payoff of each plan against each
    type. ``floor_answer`` is the probability that the answer at each type's floor is right about its word, and
    ``floor_worth`` the payoff of the plan at its floor. ``blind_guess`` is the probability that the best blind answer
    about all types together is right about each.
    """

    words: tuple[int, ...]
    worths: tuple[tuple[float, ...], ...]
    floor_answer: tuple[float, ...]
    floor_worth: tuple[float, ...]
    blind_guess: tuple[float, ...]


class Ends(Struct, frozen=True):
    """Expected values of one encounter of the second half, for each type.

    ``floor_answer`` is the accuracy at a type's floor. ``informed`` and ``floor`` are the payoffs of the best plan against it and at
    its floor.
    """

    floor_answer: tuple[float, ...]
    informed: tuple[float, ...]
    floor: tuple[float, ...]


class EncounterTables:
    """The values of all contexts of a stage game with a population.

    ``members`` are those of the population with their weights; ``types``, ``weights`` and ``names`` (as in records) are theirs.
    """

    def __init__(self, game: str, population: str, size: int, slip: float) -> None:
        self.members = members = list_members(population, size)
        self.game: StageGame = GAMES[game]
        self.size, self.slip = size, slip
        self.types: tuple[PartnerType, ...] = tuple(find_type(spec) for _, spec in members)
        self.names = tuple(spec.title for _, spec in members)
        self.weights = tuple(float(weight) for weight, _ in members)
        self.plans: tuple[Plan, ...] = list_plans(self.game, size)
        self.number_of: dict[Plan, int] = {plan: number for number, plan in enumerate(self.plans)}
        self._design = DESIGN_OF.get(population, population)
        self._situations: dict[Context, Situation] = {}
        self._destinations: dict[tuple[Context, int], tuple[int, ...]] = {}
        self._values: dict[Context, tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]] = {}

    def draw(self, rng: Random, encounters: int) -> tuple[Context, ...]:
        """The contexts of an episode."""
        return draw_contexts(rng, self._design, self.size, encounters, aims=self.game.aims)

    def go(self, kind: PartnerType, context: Context, plan: Plan | None = None) -> int:
        """Where a partner of ``kind`` goes without a slip; without a ``plan``, ego does not change what it knows."""
        view = context.view if plan is None else self.game.perceive(context.view, context, plan)
        return kind.goes(view, context.now, self.size)

    def go_all(self, context: Context, plan: Plan) -> tuple[int, ...]:
        """Where each type goes without a slip after ego's ``plan``."""
        if self.game.steps == 1:
            return self.read(context).words
        key = context, plan[0]
        places = self._destinations.get(key)
        if places is None:
            places = tuple(self.go(kind, context, plan) for kind in self.types)
            self._destinations[key] = places
        return places

    def read(self, context: Context) -> Situation:
        """The values of ``context``."""
        situation = self._situations.get(context)
        if situation is None:
            situation = self._situations[context] = self._evaluate(context)
        return situation

    @cached_property
    def ends(self) -> Ends:
        """The expected values of an encounter of the second half."""
        totals = [[0.0] * len(self.types) for _ in range(3)]
        for context, weight in self._weighted:
            situation = self.read(context)
            for i, worths in enumerate(situation.worths):
                totals[0][i] += weight * situation.floor_answer[i]
                totals[1][i] += weight * max(worths)
                totals[2][i] += weight * situation.floor_worth[i]
        return Ends(*(tuple(total) for total in totals))

    @cached_property
    def _weighted(self) -> tuple[tuple[Context, float], ...]:
        """The contexts of the second half with their probabilities: courses are equally likely."""
        return self._weigh(early=False)

    def _weigh(self, *, early: bool) -> tuple[tuple[Context, float], ...]:
        contexts = list_contexts(self._design, self.size, early=early, aims=self.game.aims)
        sizes: dict[str, int] = {}
        for context in contexts:
            sizes[context.course] = sizes.get(context.course, 0) + 1
        return tuple((context, 1 / len(sizes) / sizes[context.course]) for context in contexts)

    @cached_property
    def _alike(self) -> dict[tuple[object, ...], list[tuple[Context, float]]]:
        """The contexts of both halves that a blind mind cannot tell apart."""
        alike: dict[tuple[object, ...], list[tuple[Context, float]]] = {}
        for context, weight in (*self._weigh(early=True), *self._weighted):
            alike.setdefault(_describe_blindly(context), []).append((context, weight))
        return alike

    @cached_property
    def _blind(self) -> dict[tuple[object, ...], tuple[list[list[int]], list[list[int]], list[int]]]:
        """The best answers and the best plans for each type, by what a blind mind may use."""
        return {key: self._answer_blindly(group) for key, group in self._alike.items()}

    def _answer_blindly(
        self, group: Sequence[tuple[Context, float]]
    ) -> tuple[list[list[int]], list[list[int]], list[int]]:
        right = [[0.0] * self.size for _ in self.types]
        worths = [[0.0] * len(self.plans) for _ in self.types]
        for context, weight in group:
            words, rows = self._value(context)
            for number, (word, row) in enumerate(zip(words, rows, strict=True)):
                right[number][word] += weight
                worths[number] = [
                    total + weight * worth for total, worth in zip(worths[number], row, strict=True)
                ]
        together = [
            sum(share * chance for share, chance in zip(self.weights, column, strict=True))
            for column in zip(*right, strict=True)
        ]
        return [*map(_list_best, right)], [*map(_list_best, worths)], _list_best(together)

    def _value(self, context: Context) -> tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]:
        """The word of each type, and the expected payoff of each plan against it."""
        values = self._values.get(context)
        if values is None:
            values = self._values[context] = self._compute_values(context)
        return values

    def _compute_values(self, context: Context) -> tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]:
        return (
            tuple(self.go(kind, context) for kind in self.types),
            tuple(self._pay(kind, context) for kind in self.types),
        )

    def _pay(self, kind: PartnerType, context: Context) -> tuple[float, ...]:
        """The expected payoff of each plan against ``kind``."""
        goes = {
            plan[0]: kind.goes(view, context.now, self.size) for plan, view in self._perceive(context).items()
        }
        return tuple(
            (1 - self.slip) * row[goes[plan[0]]] + offset
            for plan, (row, offset) in self._list_payoffs(context).items()
        )

    def _perceive(self, context: Context) -> dict[Plan, PartnerView]:
        """The partner's view after each first choice, by the first plan with it."""
        views: dict[int, tuple[Plan, PartnerView]] = {}
        for plan in self.plans:
            if plan[0] not in views:
                views[plan[0]] = plan, self.game.perceive(context.view, context, plan)
        return dict(views.values())

    def _list_payoffs(self, context: Context) -> dict[Plan, tuple[list[float], float]]:
        """For each plan: its payoff at each place of the partner, and what slips and its cost add to that."""
        game, slip = self.game, self.slip
        payoffs: dict[Plan, tuple[list[float], float]] = {}
        for plan in self.plans:
            row = [game.payoff(context, plan, place) for place in range(self.size)]
            payoffs[plan] = row, slip * sum(row) / self.size - game.cost(context, plan)
        return payoffs

    def _evaluate(self, context: Context) -> Situation:
        answers, plans, guesses = self._blind[_describe_blindly(context)]
        words, worths = self._value(context)
        return Situation(
            words=words,
            worths=worths,
            floor_answer=tuple((word in best) / len(best) for word, best in zip(words, answers, strict=True)),
            floor_worth=tuple(
                sum(row[number] for number in best) / len(best)
                for row, best in zip(worths, plans, strict=True)
            ),
            blind_guess=tuple((word in guesses) / len(guesses) for word in words),
        )


@lru_cache(maxsize=64, typed=True)
def tabulate(game: str, population: str, size: int, slip: float) -> EncounterTables:
    """The values of a stage game with a population; made once for the same arguments."""
    return EncounterTables(game, population, size, slip)


def _describe_blindly(context: Context) -> tuple[object, ...]:
    """What a blind mind may use of a context."""
    return (context.start, context.now, context.sayings, context.target, context.early)


def _list_best(values: Sequence[float]) -> list[int]:
    """The places of the largest values."""
    return [place for place, value in enumerate(values) if value > max(values) - TIE]


class PartnerModels:
    """The posterior over types, from the acts of a partner; it starts with the ``prior``.

    ``slip`` is at least :data:`LEAST_SLIP`, so that an act that no type explains leaves the posterior as it was.
    """

    def __init__(self, tables: EncounterTables, prior: Sequence[float]) -> None:
        self._tables = tables
        self._slip = max(tables.slip, LEAST_SLIP)
        self.weights = list(prior)

    def learn(self, context: Context, plan: Plan, place: int) -> None:
        """Takes the partner's ``place`` after ego's ``plan`` into account."""
        slips = self._slip / self._tables.size
        agrees = 1 - self._slip + slips
        weights = [
            weight * (agrees if goes == place else slips)
            for weight, goes in zip(self.weights, self._tables.go_all(context, plan), strict=True)
        ]
        total = sum(weights)
        self.weights = [weight / total for weight in weights]


LEAST_SLIP = 1e-6
"""Where partners never slip, an observer still gives slips this probability."""
