"""The exact values of encounters equal a plain enumeration, and the posterior equals Bayes by hand."""

from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from otherminds.core.record import SeatSpec
from otherminds.household.acted_beliefs.contexts import COURSES, THIRD, Context, list_movers
from otherminds.household.acted_beliefs.exact import EncounterTables, PartnerModels, tabulate
from otherminds.household.acted_beliefs.partner_types import find_type
from tests.cases import depth, for_each
from tests.household.acted_beliefs import enumeration as plain

CASES = [(game, population) for game in plain.GAMES for population in plain.TYPES_OF]


def context_of(situation: plain.Situation, rng: Random) -> Context:
    """The product's context of a situation of the enumeration, with a random mover."""
    mover = rng.choice(list_movers(COURSES[situation.course]))
    return Context(
        situation.course, situation.places, mover, situation.size, situation.target, situation.early
    )


def name_of(kind: str) -> str:
    """The product's name of a type of the enumeration."""
    return f"habit(place={kind[5:]})" if kind.startswith("habit") else kind


@pytest.mark.parametrize("times", depth(60, 500))
def test_values_equal_a_plain_enumeration(times: int) -> None:
    """At least 500 random contexts for each game, population and number of places; 60 in the ordinary run."""
    for game, population in CASES:
        rng = Random(f"{game} {population}")
        size, slip = rng.choice((3, 4)), rng.choice((0.0, 0.1, 0.3))
        tables = tabulate(game, population, size, slip)
        every = [
            situation
            for early in (True, False)
            for situation, _ in plain.situations(game, population, size, early)
        ]
        for situation in rng.choices(every, k=times):
            values = tables.read(context_of(situation, rng))
            for number, (kind, weight) in enumerate(plain.kinds(population, size)):
                assert tables.names[number] == name_of(kind)
                assert tables.weights[number] == pytest.approx(weight, abs=1e-12)
                assert values.words[number] == plain.word(kind, situation)
                expected = [
                    plain.value(game, kind, situation, plan, slip) for plan in plain.plans(game, size)
                ]
                assert values.worths[number] == pytest.approx(expected, abs=1e-12)
            assert tables.plans == tuple(plain.plans(game, size))


SIMPLER = {
    "second_order": ("reality", "belief", "distrustful", "credulous"),
    "third_order": ("reality", "belief", "distrustful", "credulous", "second_order"),
}


class PlainEnds(NamedTuple):
    """The accuracy of the best blind answer about a type, the payoffs of the best plan against it and of the best blind plan, and
    what is reached by who knows in each context which simpler type fits best (for order 2 and 3).
    """

    answer: float
    informed: float
    blind: float
    simpler_answer: float
    simpler_worth: float


@cache
def find_ends(game: str, population: str) -> dict[str, PlainEnds]:
    """The ends of each type by plain enumeration."""
    alike: dict[tuple[object, ...], list[tuple[plain.Situation, float]]] = {}
    for situation, share in plain.situations(game, population, 3, early=False):
        alike.setdefault(plain.blind_description(situation), []).append((situation, share))
    plans = plain.plans(game, 3)
    ends: dict[str, PlainEnds] = {}
    for kind, _ in plain.kinds(population, 3):
        answer = informed = blind = 0.0
        simpler_answer = simpler_worth = 0.0 if kind in SIMPLER else -100.0
        for group in alike.values():
            answer += max(
                sum(share for situation, share in group if plain.word(kind, situation) == place)
                for place in range(3)
            )
            worths = [
                [share * plain.value(game, kind, situation, plan, 0.0) for plan in plans]
                for situation, share in group
            ]
            informed += sum(map(max, worths))
            blind += max(map(sum, zip(*worths, strict=True)))
            for (situation, share), row in zip(group, worths, strict=True):
                lower = SIMPLER.get(kind, ())
                simpler_answer += share * any(
                    plain.word(simple, situation) == plain.word(kind, situation) for simple in lower
                )
                best = [
                    max(range(len(plans)), key=lambda i: plain.value(game, simple, situation, plans[i], 0.0))
                    for simple in lower
                ]
                simpler_worth += max((row[i] for i in best), default=0.0)
        ends[kind] = PlainEnds(answer, informed, blind, simpler_answer, simpler_worth)
    return ends


@for_each("game, population", CASES)
def test_ends_equal_a_plain_enumeration(game: str, population: str) -> None:
    tables = tabulate(game, population, 3, 0.0)
    expected = find_ends(game, population).values()
    assert tables.ends.floor_answer == pytest.approx([end.answer for end in expected], abs=1e-9)
    assert tables.ends.informed == pytest.approx([end.informed for end in expected], abs=1e-9)
    assert tables.ends.floor == pytest.approx([end.blind for end in expected], abs=1e-9)


@for_each("game, population", CASES)
def test_who_conceives_of_lower_orders_only_reaches_no_more_than_the_floor(
    game: str, population: str
) -> None:
    """Even with the best choice among simpler types in every single context."""
    for ends in find_ends(game, population).values():
        assert ends.simpler_answer <= ends.answer + 1e-9
        assert ends.simpler_worth <= ends.blind + 1e-9


def test_the_worked_example_of_the_specification() -> None:
    """Reality, belief and habit with 1/3 each, moved in 2/3 and seen in half of these: belief has room 1/3, the others none."""
    ends = tabulate("meet", "first", 3, 0.0).ends
    room = [1 - answer for answer in ends.floor_answer]
    assert room == pytest.approx([0, 1 / 3, 0, 0, 0], abs=1e-9)


def test_every_type_with_room_is_told_apart_by_its_design() -> None:
    """No two types of a population go to the same places in all contexts of the first half."""
    for _, population in CASES[: len(plain.TYPES_OF)]:
        tables = tabulate("meet", population, 3, 0.0)
        every = [
            context_of(situation, Random(0))
            for situation, _ in plain.situations("meet", population, 3, early=True)
        ]
        courses = {
            tuple(tables.read(context).words[i] for context in every) for i in range(len(tables.types))
        }
        assert len(courses) == len(tables.types)


def meet(population: str, slip: float = 0.0) -> EncounterTables:
    return tabulate("meet", population, 3, slip)


def context(course: str, a: int = 0, b: int = 1, c: int = 2) -> Context:
    return Context(course, (a, b, c), THIRD if COURSES[course].moved else "", 3, early=True)


# Ten posteriors by hand, as weights before normalization: population, slip, encounters (course, place), weights by type.
# With three places a slip of .3 leads to each place with probability .1, so that a place has likelihood .8 where the type goes
# there and .1 elsewhere.
WORKED = [
    ("first", 0.0, [("moved away", 0)], [0, 1 / 3, 1 / 9, 0, 0]),
    ("first", 0.0, [("moved away", 1)], [1 / 3, 0, 0, 1 / 9, 0]),
    ("first", 0.0, [("moved away", 2)], [0, 0, 0, 0, 1 / 9]),
    ("first", 0.0, [("still together", 0), ("moved together", 1)], [1 / 3, 1 / 3, 0, 0, 0]),
    ("first", 0.3, [("moved away", 0)], [0.1 / 3, 0.8 / 3, 0.8 / 9, 0.1 / 9, 0.1 / 9]),
    (
        "first",
        0.3,
        [("moved away", 0), ("moved away", 1)],
        [0.08 / 3, 0.08 / 3, 0.08 / 9, 0.08 / 9, 0.01 / 9],
    ),
    ("second", 0.0, [("told of ego", 2)], [0, 0, 1 / 4, 0, 0, 1 / 12]),
    ("second", 0.0, [("moved without ego", 1), ("moved away", 0)], [0, 1 / 4, 0, 0, 0, 0]),
    ("messages", 0.0, [("misled", 2), ("misled, looked in", 1)], [1 / 4, 0, 0, 0, 0, 0]),
    ("messages", 0.3, [("misled", 0)], [0.1 / 4, 0.8 / 4, 0.1 / 4, 0.8 / 12, 0.1 / 12, 0.1 / 12]),
]


@for_each("population, slip, encounters, weights", WORKED)
def test_posteriors_by_hand(
    population: str, slip: float, encounters: list[tuple[str, int]], weights: list[float]
) -> None:
    tables = meet(population, slip)
    models = PartnerModels(tables, tables.weights)
    for course, place in encounters:
        models.learn(context(course), (0,), place)
    total = sum(weights)
    assert models.weights == pytest.approx([weight / total for weight in weights], abs=1e-5)


def test_an_unknown_partner_is_refused_by_name() -> None:
    with pytest.raises(Exception, match="there is no partner stranger"):
        find_type(SeatSpec("stranger"))
    with pytest.raises(Exception, match="habit takes a place"):
        find_type(SeatSpec("habit"))
