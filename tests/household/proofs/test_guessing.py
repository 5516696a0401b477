"""The guess bound of tasks: against the exact value of every silent policy in the simulator, and its check."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest
from msgspec import structs

from otherminds.household.commands import Command
from otherminds.household.epistemic.formula import physical, show
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.house import House
from otherminds.household.proofs.guess_check import check_guess
from otherminds.household.proofs.guessing import Guess, bound_guesses
from otherminds.household.scenes.load import load_scene
from otherminds.household.scenes.scene import Spawn
from otherminds.household.shared import house_of
from otherminds.household.task import Binding, Task
from otherminds.household.tasks.load import load_task, shipped_tasks
from tests.household.proofs.silent import Silent, family
from tests.household.small_house import scene, task

BARRED = Binding("room_restriction", restricted_rooms=("study_1", "bedroom_1"), for_agents=("agent_0",))
CABINETS = ("cabinet_6", "cabinet_10", "cabinet_12")


def secret(goal: str, *bindings: Binding, knows: tuple[str, ...] = (), **fields: object) -> Task:
    """A task whose goal agent_0 knows, for agent_1 to reach: agent_0 enters neither study, bedroom nor store."""
    told = {"agent_0": tuple(f"(goal {part})" for part in parts(goal)), "agent_1": knows}
    return task(BARRED, *bindings, agents=2, goal=goal, agent_knows=told, **fields)


def parts(goal: str) -> tuple[str, ...]:
    return tuple(show(literal) for literal in physical(goal_of(goal)))


def exact(one: Task, things: tuple[str, ...], moved: tuple[str, ...], turns: int) -> Fraction:
    calls = [Command(tool, (f,)) for f in things for tool in ("Navigate", "Open", "Close")]
    return Silent(family(one, things, moved), 1, calls).share(turns)


@pytest.mark.parametrize(
    ("goal", "moved", "turns", "value"),
    [
        ("(and (is_open cabinet_6) (is_closed cabinet_10))", ("cabinet_6", "cabinet_10"), 6, "1/3"),
        ("(and (is_open cabinet_12) (is_closed cabinet_6) (is_closed cabinet_10))", CABINETS[::-1], 6, "1/3"),
        ("(and (is_open cabinet_6))", ("cabinet_6",), 6, "1"),
        ("(and (is_open cabinet_6))", ("cabinet_6",), 1, "1/3"),
        ("(and (is_open cabinet_6) (is_open cabinet_12))", ("cabinet_6", "cabinet_12"), 3, "1"),
    ],
)
def test_no_silent_policy_beats_the_bound(goal: str, moved: tuple[str, ...], turns: int, value: str) -> None:
    one = secret(goal)
    found = bound_guesses(House(one, scene()), turns=turns)
    assert [hidden.things for hidden in found.hidden] == [CABINETS]
    assert exact(one, CABINETS, moved, turns) <= found.bound.value == Fraction(value)
    assert check_guess(House(one, scene()), found) == []


def test_the_bound_is_reached_when_there_is_time() -> None:
    one = secret("(and (is_open cabinet_6) (is_closed cabinet_10))")
    assert exact(one, CABINETS, ("cabinet_6", "cabinet_10"), 6) == Fraction(1, 3)
    assert bound_guesses(House(one, scene()), turns=6).bound.value == Fraction(1, 3)


LOCKED = Binding("room_restriction", restricted_rooms=("kitchen_1",), for_agents=("agent_0", "agent_1"))
REMOTE = Binding("remote_control", trigger_object="cabinet_10", target_object="fridge_3", target_state="open")
MIRROR = Binding("state_mirroring", trigger_object="cabinet_2", target_object="cabinet_10")
HALL = {"agent_0": Spawn((6.0, 0.0, 3.7), "hallway_1"), "agent_1": Spawn((6.0, 0.0, 1.5), "study_1")}


@pytest.mark.parametrize(("binding", "target"), [(REMOTE, "fridge_3"), (MIRROR, "cabinet_2")])
@pytest.mark.parametrize("inverse", [False, True])
def test_a_hidden_trigger_is_guessed_without_feedback(binding: Binding, target: str, inverse: bool) -> None:
    reverse = (Binding("inverse_state", trigger_object="cabinet_12"),) if inverse else ()
    one = secret(
        f"(and (is_open {target}) (is_closed cabinet_6))", LOCKED, binding, *reverse, agent_spawns=HALL
    )
    house = House(one, scene())
    found = bound_guesses(house, turns=6)
    (hidden,) = [hidden for hidden in found.hidden if hidden.share < 1]
    assert (hidden.things, hidden.change, hidden.stay) == (CABINETS, ("cabinet_10",), ("cabinet_6",))
    assert exact(one, CABINETS, ("cabinet_10", "cabinet_6"), 6) == found.bound.value == Fraction(1, 3)
    assert check_guess(house, found) == []


def test_a_trigger_whose_effect_its_actor_sees_is_not_hidden() -> None:
    """The actor could open one cabinet after another and look."""
    seen = structs.replace(REMOTE, target_object="chest_11")
    one = secret("(and (is_open chest_11) (is_closed cabinet_6))", seen)
    found = bound_guesses(House(one, scene()), turns=8)
    assert [hidden.parts for hidden in found.hidden] == [("(is_closed cabinet_6)",)]
    assert found.bound.value == 1


def test_what_an_actor_is_told_is_not_hidden() -> None:
    goal = "(and (is_open cabinet_6) (is_closed cabinet_10))"
    told = secret(goal, knows=("(goal (is_open cabinet_6))",))
    assert bound_guesses(House(told, scene())).bound.value == 1
    prose = secret(goal, agent_secrets={"agent_1": ("Think of cabinet_10.",)})
    assert bound_guesses(House(prose, scene())).bound.value == 1
    public = structs.replace(secret(goal), task="Mind cabinet_6.")
    assert bound_guesses(House(public, scene())).bound.value == 1


def test_prose_alone_hides_nothing_for_certain() -> None:
    one = structs.replace(secret("(and (is_open cabinet_6) (is_closed cabinet_10))"), agent_knows={})
    assert bound_guesses(House(one, scene())).bound.value == 1


def test_a_target_is_hidden_from_those_who_can_act_only() -> None:
    """Without its bar agent_0 opens the cabinet itself."""
    one = secret("(and (is_open cabinet_6) (is_closed cabinet_10))")
    free = structs.replace(one, mechanic_bindings=())
    assert bound_guesses(House(free, scene())).bound.value == 1


def test_silent_codes_are_counted_apart() -> None:
    goal = "(and (is_open cabinet_6) (is_closed cabinet_10))"
    met = bound_guesses(House(secret(goal), scene()), turns=6)
    assert (met.bound.value, met.coded.value) == (Fraction(1, 3), 1)
    apart = Binding("room_restriction", restricted_rooms=("hallway_1",), for_agents=("agent_0",))
    away = Binding("room_restriction", restricted_rooms=("kitchen_1",), for_agents=("agent_1",))
    alone = bound_guesses(House(secret(goal, apart, away), scene()), turns=6)
    assert alone.coded.value == alone.bound.value == Fraction(1, 3)


def test_a_code_through_a_mechanic_is_a_code() -> None:
    """agent_0 in the kitchen sets what agent_1 sees in the study."""
    goal = "(and (is_open cabinet_6) (is_closed cabinet_10))"
    apart = Binding("room_restriction", restricted_rooms=("hallway_1",), for_agents=("agent_0",))
    away = Binding("room_restriction", restricted_rooms=("kitchen_1",), for_agents=("agent_1",))
    wire = Binding("remote_control", trigger_object="stove_4", target_object="tv_7", target_state="on")
    assert bound_guesses(House(secret(goal, apart, away, wire), scene()), turns=6).coded.value == 1


@pytest.fixture(scope="module")
def shipped() -> dict[str, tuple[House, Guess]]:
    houses = {name: load_task(name) for name in shipped_tasks()}
    made = {name: house_of(one, load_scene(one.scene_id)) for name, one in houses.items()}
    return {name: (house, bound_guesses(house)) for name, house in made.items()}


def test_the_independent_check_accepts_all_shipped_tasks(shipped: dict[str, tuple[House, Guess]]) -> None:
    for house, guess in shipped.values():
        assert check_guess(house, guess) == []
        assert check_guess(house, bound_guesses(house, by_ability=True)) == []


def test_every_shipped_task_is_guess_proof(shipped: dict[str, tuple[House, Guess]]) -> None:
    shares = {name: guess.bound.value for name, (_, guess) in shipped.items()}
    assert {name: share for name, share in shares.items() if share > Fraction(1, 4)} == {}


def test_the_evidence_is_data(shipped: dict[str, tuple[House, Guess]]) -> None:
    for house, guess in shipped.values():
        again = msgspec.json.decode(msgspec.json.encode(guess), type=Guess)
        assert again == guess
        assert check_guess(house, again) == []


def test_the_independent_check_rejects_altered_evidence(shipped: dict[str, tuple[House, Guess]]) -> None:
    house, guess = shipped["inspection_staging"]
    (counters, cabinets, *others), bound = guess.hidden, guess.bound

    def faults(first: object = counters, second: object = cabinets, **changes: object) -> list[str]:
        return check_guess(house, structs.replace(guess, hidden=(first, second, *others), **changes))

    assert faults() == []
    assert faults(bound=structs.replace(bound, share="1/5"))
    assert faults(bound=structs.replace(bound, share="1/16", order=(0, 1)))
    assert faults(coded=bound)
    assert faults(second=structs.replace(cabinets, things=(*cabinets.things, "cabinet_1")))
    assert faults(second=structs.replace(cabinets, things=(*cabinets.things, "chest_of_drawers_36")))
    assert faults(second=structs.replace(cabinets, informed=()))
    assert len(cabinets.actors) == 2
    assert faults(second=structs.replace(cabinets, most=2 * guess.turns - 1))
    assert faults(second=structs.replace(cabinets, most=2 * guess.turns)) == []
    assert faults(second=structs.replace(cabinets, stay=("cabinet_38", "cabinet_40")))
    assert faults(second=structs.replace(cabinets, change=cabinets.stay, stay=cabinets.change))
    assert faults(first=structs.replace(counters, most=1))
    assert check_guess(
        house,
        structs.replace(
            guess, hidden=(counters, counters), bound=structs.replace(bound, share="1/16", order=(0, 1))
        ),
    )
