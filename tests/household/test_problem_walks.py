"""The exported epistemic problem is the simulator: the same steps, facts and knowledge, in random walks."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import Claim, EpistemicProblem, SightRule
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.grounder import Grounder
from otherminds.household.proofs.exported import exported
from tests.cases import depth
from tests.household import small_house as small
from tests.household.hidden_bindings import bandwidth
from tests.household.problem_interpreter import Interpreted
from tests.household.problem_walks import ProblemWalk, asking
from tests.household.test_rules import HOUSES, all_six
from tests.household.walks import DisagreementError


@pytest.mark.parametrize("actions", depth(120, 20_000))
@pytest.mark.parametrize("joint", [False, True], ids=["one acts", "all act"])
@pytest.mark.parametrize("name", HOUSES)
def test_the_problem_and_the_simulator_agree_on_steps_facts_and_knowledge(
    name: str, joint: bool, actions: int
) -> None:
    walk = ProblemWalk(asking(HOUSES[name]()), seed=7, joint=joint).walk(actions)
    assert walk.actions >= actions
    assert walk.facts > actions
    assert walk.chains > actions
    assert not walk.differences


@pytest.mark.parametrize("actions", depth(150, 20_000))
@pytest.mark.parametrize("joint", [False, True], ids=["one acts", "all act"])
def test_with_one_statement_a_message_they_agree_as_well(joint: bool, actions: int) -> None:
    """Every message of these walks is one sentence; the simulator refuses those with names that their sender never saw."""
    walk = ProblemWalk(asking(small.house(*small.ALL_SIX, bandwidth(1))), seed=7, joint=joint)
    walk.walk(actions)
    assert walk.chains > actions
    assert not walk.differences


def _without_sight(problem: EpistemicProblem, sight: SightRule) -> EpistemicProblem:
    return structs.replace(problem, sights=tuple(one for one in problem.sights if one != sight))


@pytest.mark.parametrize("shows", ["is_open", "is_held_by", "agent_in_room"])
def test_a_problem_without_a_sight_differs(shows: str) -> None:
    house = asking(all_six())
    problem = exported(house)
    for sight in problem.sights:
        if sight.shows[0] == shows:
            problem = _without_sight(problem, sight)
    with pytest.raises(DisagreementError, match="only the simulator knows"):
        ProblemWalk(house, seed=2, problem=problem).walk(2_000)


def test_knowledge_that_survives_a_moment_in_which_its_fact_is_false_differs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Interpreted, "forget", lambda _: None)
    with pytest.raises(DisagreementError, match="only the problem knows"):
        ProblemWalk(asking(all_six()), seed=7, joint=True).walk(6_000)


def test_a_problem_without_a_mechanic_differs() -> None:
    house = asking(all_six())
    problem = exported(house)
    acts = tuple(
        structs.replace(one, adds=one.adds[:1]) if "__" in one.name else one for one in problem.actions
    )
    with pytest.raises(DisagreementError):
        ProblemWalk(house, seed=7, problem=structs.replace(problem, actions=acts)).walk(6_000)


def test_the_states_of_an_object_in_view_are_known_at_the_start() -> None:
    """Sights whose needs have parameters that ``shows`` does not bind are used, also those of what is held."""
    problem = exported(small.house(goal="(K agent_0 (is_clean plate_0))"))
    assert Interpreted(problem).reached(problem.goal)
    assert refuted(problem, Claim("open", "start", parts=problem.goal)) == "they hold at the start"
    views = Grounder(problem).views("agent_0", ("is_clean", "plate_0"))
    held = [need for view in views for need in view.needs if need[0] == "is_held_by"]
    assert ("is_held_by", "plate_0", "agent_1") in held
    assert not [need for need in held if need[2].startswith("?")]
