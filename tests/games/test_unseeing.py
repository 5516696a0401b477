"""The floor of L: the accuracy of the best predictor that never observes its partner."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.core.scenario import scenario
from otherminds.games.blind import literal_room

IBS = scenario("ibs-single-v1", {}).game


def room_of(name: str, rounds: int = 12):
    built = scenario(name, {"rounds": rounds})
    return literal_room(built.game, built.priors["reference"](), rounds, rounds // 2)


@pytest.mark.parametrize(
    ("name", "floors", "weights"),
    [
        ("rps-single-v1", (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 3, 1 / 3)),
        ("rps-mixed-v1", (1 / 3, 1 / 3, 1 / 3, 1.0), (1 / 3, 1 / 3, 1 / 3, 0.0)),
        ("ibs-single-v1", (0.5, 0.5), (0.5, 0.5)),
        ("ibs-mixed-v1", (0.5, 0.5, 1.0), (0.5, 0.5, 0.0)),
    ],
)
def test_constants_have_room_and_partners_that_answer_the_own_move_have_none(name, floors, weights) -> None:
    room = room_of(name)
    assert room.floors == pytest.approx(floors)
    assert room.weights == pytest.approx(weights)
    assert room.base == 0
    assert room.ceilings == pytest.approx([1.0] * len(floors))


def constant(column: int) -> Automaton:
    return Automaton(0, ((float(column == 0), float(column == 1)),), (((0, 0), (0, 0)),))


def test_unequal_weights_leave_nothing_to_know_where_a_fixed_plan_is_right_about_all_that_counts() -> None:
    """The likelier constant has no room, so that always naming the other one would score L = 1."""
    family = (WeightedPolicy(0.7, constant(0)), WeightedPolicy(0.3, constant(1)))
    room = literal_room(IBS, family, 6, 3)
    assert room.floors == (1.0, 0.0)
    assert room.weights == (0.0, 0.0)


deterministic = st.integers(1, 3).flatmap(
    lambda n: st.builds(
        lambda outputs, after: Automaton(
            0,
            tuple((float(x == 0), float(x == 1)) for x in outputs),
            tuple(((row[0], row[1]), (row[2], row[3])) for row in after),
        ),
        st.lists(st.integers(0, 1), min_size=n, max_size=n),
        st.lists(st.lists(st.integers(0, n - 1), min_size=4, max_size=4), min_size=n, max_size=n),
    )
)


def shown(automaton: Automaton, plan: tuple[int, ...]) -> list[int]:
    state, outputs = automaton.start, []
    for own in plan:
        column = automaton.output[state].index(1.0)
        outputs.append(column)
        state = automaton.next[state][column][own]
    return outputs


@settings(max_examples=30, deadline=None)
@given(st.lists(deterministic, min_size=2, max_size=3))
def test_no_plan_fixed_in_advance_scores_above_zero(family: list[Automaton]) -> None:
    """All plans of four rounds with all predictions of the last two, against the floor."""
    policies = tuple(WeightedPolicy(1 / len(family), automaton) for automaton in family)
    room = literal_room(IBS, policies, 4, 2)
    if not any(room.weights):
        return
    best = max(
        sum(
            weight * room.rescale(i, sum(a == b for a, b in zip(said, shown(one, plan)[2:], strict=True)) / 2)
            for i, (one, weight) in enumerate(zip(family, room.weights, strict=True))
            if weight
        )
        for plan in product((0, 1), repeat=4)
        for said in product((0, 1), repeat=2)
    )
    assert best == pytest.approx(0.0, abs=1e-9) or best < 0
    assert all(
        room.rescale(i, room.ceilings[i]) == pytest.approx(1.0) for i, w in enumerate(room.weights) if w
    )


def test_a_game_of_one_behaviour_has_no_room() -> None:
    game = Game("one", (("a", "b"), ("x",)), (((1.0, 1.0),), ((0.0, 0.0),)))
    automaton = Automaton(0, ((1.0,),), (((0, 0),),))
    assert not any(literal_room(game, (WeightedPolicy(1.0, automaton),), 4, 2).weights)
