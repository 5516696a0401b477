"""Literals that are said to exclude one another never hold together, and those that a mechanic joins are found."""

from __future__ import annotations

from msgspec import structs

from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.private_goals import Excluding
from otherminds.household.rules import PLACING
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.choosing import Chooser
from tests.household.mechanic_pairs import inverse, mirror, remote
from tests.household.test_rules import HOUSES

TURNS, SAMPLES = 300, 12


def stated(fact: tuple[str, ...]) -> str:
    return f"({' '.join(fact)})"


@for_each("name", sorted(HOUSES))
def test_what_holds_together_in_the_simulator_is_not_excluded(name: str) -> None:
    house = HOUSES[name]()
    about = {*OPPOSITES, *PLACING, "agent_in_room"}
    facts = [fact for fact in house.facts.named if fact[0] in about]
    problem = structs.replace(exported(house), literals={stated(fact): (fact,) for fact in facts})
    excluding, engine = Excluding(problem), HouseEngine(house)
    engine.reset()
    chooser = Chooser(engine, 5)
    states: set[int] = set()
    for turn in range(TURNS):
        engine.step([chooser.choose(i) for i in range(len(engine.agents))])
        if turn % (TURNS // SAMPLES) == 0:
            states.add(engine.state)
    assert len(states) > SAMPLES // 2
    for state in states:
        assert not excluding.exclude([stated(f) for f in house.facts.shown(state) if f[0] in about])


@for_each(
    ("bindings", "first", "second", "excluded"),
    [
        ((), "(is_open cabinet_6)", "(is_closed cabinet_12)", False),
        ((mirror("cabinet_6", "cabinet_12"),), "(is_open cabinet_6)", "(is_closed cabinet_12)", True),
        ((mirror("cabinet_6", "cabinet_12"),), "(is_open cabinet_6)", "(is_open cabinet_12)", False),
        (
            (mirror("cabinet_6", "cabinet_12"), mirror("cabinet_12", "cabinet_10")),
            "(is_open cabinet_6)",
            "(is_closed cabinet_10)",
            True,
        ),
        (
            (mirror("cabinet_6", "cabinet_12"), inverse("cabinet_6")),
            "(is_closed cabinet_6)",
            "(is_open cabinet_12)",
            True,
        ),
        ((remote("cabinet_6", "cabinet_12"),), "(is_open cabinet_6)", "(is_closed cabinet_12)", False),
        ((remote("counter_0", "cabinet_12"),), "(is_closed cabinet_12)", "(is_open cabinet_6)", False),
        ((), "(is_on_top bowl_0 table_5)", "(is_in_room bowl_0 study_1)", False),
        ((), "(is_on_top bowl_0 table_5)", "(is_on_floor bowl_0)", True),
        ((), "(is_in_room bowl_0 kitchen_1)", "(is_in_room bowl_0 study_1)", True),
        ((), "(is_held_by bowl_0 agent_0)", "(is_held_by cup_0 agent_1)", False),
        ((), "(is_clean bowl_0)", "(is_dirty bowl_0)", True),
    ],
)
def test_what_excludes_what(bindings: tuple[Binding, ...], first: str, second: str, excluded: bool) -> None:
    problem = exported(small.house(*bindings, goal=f"(and {first} {second})"))
    assert Excluding(problem).exclude((first, second)) == excluded
    assert Excluding(problem).least((first, second)) == ((first, second) if excluded else ())


def test_literals_that_are_not_needed_for_a_conflict_are_left_out() -> None:
    parts = ("(is_open fridge_3)", "(is_clean bowl_0)", "(is_closed fridge_3)")
    problem = exported(small.house(goal=f"(and {' '.join(parts)})"))
    assert Excluding(problem).least(parts) == (parts[0], parts[2])
