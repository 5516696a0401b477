"""What belongs to the structure of a task, and what does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import permutations
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.household.generating.structure import Relation, canonical_digest, goal_structure, structure
from otherminds.household.scenes.scene import Scene, Spawn
from otherminds.household.task import Binding, Calibration, Task
from otherminds.household.tasks.load import load_task, shipped_tasks
from tests.cases import examples, for_each
from tests.household import small_house as small

GOAL = "(and (is_on_top bowl_0 table_5) (is_open cabinet_12) (is_closed cabinet_6) (K agent_0 (K agent_1 (is_open cabinet_12))))"
KNOWS = {
    "agent_0": (
        "(goal (is_open cabinet_12))",
        "(goal (is_on_top bowl_0 table_5))",
        "(goal (K agent_0 (K agent_1 (is_open cabinet_12))))",
        "(message_limit agent_0 2)",
        "(can_communicate agent_0 agent_1)",
        "(not (can_communicate agent_0 agent_2))",
    ),
    "agent_1": ("(goal (is_closed cabinet_6))", "(mirrors cabinet_10 stand_14)", "(is_inverse cabinet_12)"),
    "agent_2": (
        "(private_goal (is_open chest_11))",
        "(controls (is_open cabinet_2) (is_open fridge_3))",
        "(is_on_top bowl_0 counter_0)",
    ),
}
BINDINGS = (
    Binding("room_restriction", restricted_rooms=("store_1",), for_agents=("agent_0",)),
    Binding("limited_bandwidth", message_limits={"agent_0": 2}),
    Binding("restricted_communication", allowed_targets={"agent_0": ("agent_1",)}),
    Binding("inverse_state", trigger_object="cabinet_12"),
    Binding("remote_control", trigger_object="cabinet_2", target_object="fridge_3", target_state="open"),
    Binding("state_mirroring", trigger_object="cabinet_10", target_object="stand_14"),
)
TASK = structs.replace(
    small.task(*BINDINGS, goal=GOAL, agent_knows=KNOWS),
    category="mixed",
    private_goals={"agent_2": "(is_open chest_11)"},
    agent_actions={"agent_2": ("Navigate", "Open")},
    initial_states={"cabinet_6": {"is_open": True}, "bowl_0": {"is_dirty": True}},
)
NAMES = (*small.scene().rooms, *small.scene().furniture, *small.scene().objects)


def digest(task: Task) -> str:
    return structure(task, small.scene())


def bound(number: int, **fields: Any) -> Task:
    """The task with other fields in one of its bindings."""
    bindings = [*BINDINGS]
    bindings[number] = structs.replace(bindings[number], **fields)
    return structs.replace(TASK, mechanic_bindings=tuple(bindings))


def asks(old: str, new: str) -> Task:
    """The task with another goal."""
    assert old in GOAL
    return structs.replace(TASK, problem_pddl=GOAL.replace(old, new))


def tells(**knows: tuple[str, ...]) -> Task:
    return structs.replace(TASK, agent_knows={**KNOWS, **knows})


def starts(**states: Mapping[str, bool | str]) -> Task:
    given = {name: dict(of) for name, of in {**TASK.initial_states, **states}.items()}
    return structs.replace(TASK, initial_states=given)


def without(number: int) -> Task:
    return structs.replace(TASK, mechanic_bindings=BINDINGS[:number] + BINDINGS[number + 1 :])


OTHERS: dict[str, Task] = {
    "category": structs.replace(TASK, category="cooperative"),
    "an agent more": structs.replace(
        TASK, num_agents=4, agent_spawns={"agent_3": Spawn((3.0, 0.0, 6.0), "bedroom_1")}
    ),
    "predicate": asks("(is_closed cabinet_6)", "(is_open cabinet_6)"),
    "no literal": asks(" (is_closed cabinet_6)", ""),
    "inside, not on top": asks("(is_on_top bowl_0 table_5)", "(is_inside bowl_0 shelves_8)"),
    "a shared thing": asks("(is_closed cabinet_6)", "(is_closed cabinet_10)"),
    "depth 1": asks("(K agent_0 (K agent_1 (is_open cabinet_12)))", "(K agent_0 (is_open cabinet_12))"),
    "depth 3": asks(
        "(K agent_0 (K agent_1 (is_open cabinet_12)))",
        "(K agent_1 (K agent_0 (K agent_1 (is_open cabinet_12))))",
    ),
    "knows of another literal": asks(
        "(K agent_0 (K agent_1 (is_open cabinet_12)))", "(K agent_0 (K agent_1 (is_closed cabinet_6)))"
    ),
    "who knows": asks("(K agent_0 (K agent_1", "(K agent_1 (K agent_0"),
    "who is told": tells(
        agent_0=KNOWS["agent_0"][1:], agent_1=(*KNOWS["agent_1"], "(goal (is_open cabinet_12))")
    ),
    "what is told": tells(agent_1=KNOWS["agent_1"][:-1]),
    "another number is told": tells(
        agent_0=tuple(one.replace("agent_0 2", "agent_0 3") for one in KNOWS["agent_0"])
    ),
    "no bar": without(0),
    "another agent is barred": bound(0, for_agents=("agent_1",)),
    "another room is barred": bound(0, restricted_rooms=("bedroom_1",)),
    "one more room is barred": bound(0, restricted_rooms=("store_1", "hallway_1")),
    "budget": bound(1, message_limits={"agent_0": 3}),
    "whose budget": bound(1, message_limits={"agent_1": 2}),
    "no links": bound(2, allowed_targets={"agent_0": ()}),
    "another link": bound(2, allowed_targets={"agent_0": ("agent_2",)}),
    "not reversed": without(3),
    "another is reversed": bound(3, trigger_object="cabinet_6"),
    "another state is set": bound(4, target_state="closed"),
    "target and trigger": bound(4, trigger_object="fridge_3", target_object="cabinet_2"),
    "no mirror": without(5),
    "private goal": structs.replace(TASK, private_goals={"agent_2": "(is_closed chest_11)"}),
    "whose private goal": structs.replace(TASK, private_goals={"agent_1": "(is_open chest_11)"}),
    "tools": structs.replace(TASK, agent_actions={"agent_2": ("Navigate", "Close")}),
    "state of furniture": starts(cabinet_6={"is_open": False}),
    "state of an object": starts(bowl_0={"is_dirty": False}),
    "place of an object": starts(bowl_0={"is_dirty": True, "is_on_top": "bed_9"}),
    "inside what is shut": starts(bowl_0={"is_dirty": True, "is_inside": "oven_17"}),
}


@for_each("name", sorted(OTHERS))
def test_each_part_of_the_structure_changes_the_digest(name: str) -> None:
    assert digest(OTHERS[name]) != digest(TASK)


def test_no_two_of_these_tasks_have_the_same_structure() -> None:
    assert len({digest(one) for one in OTHERS.values()}) == len(OTHERS)


SAME: dict[str, Task] = {
    "words": structs.replace(
        TASK, task_id="other", title="Another title", task="Other words.", agent_secrets={"agent_0": ("Hm.",)}
    ),
    "calibration": structs.replace(TASK, calibration=Calibration(3, 3, ())),
    "an empty list of tools": structs.replace(TASK, agent_actions={**TASK.agent_actions, "agent_0": ()}),
    "order of conjuncts": asks(
        "(is_open cabinet_12) (is_closed cabinet_6)", "(is_closed cabinet_6) (is_open cabinet_12)"
    ),
    "not open is closed": asks("(is_closed cabinet_6)", "(not (is_open cabinet_6))"),
    "order of what is told": tells(agent_1=KNOWS["agent_1"][::-1]),
    "order of a mirror": bound(5, trigger_object="stand_14", target_object="cabinet_10"),
    "order of bindings": structs.replace(TASK, mechanic_bindings=BINDINGS[::-1]),
    "a start in the same room": structs.replace(
        TASK, agent_spawns={"agent_1": Spawn((5.0, 0.0, 1.0), "study_1")}
    ),
    "things that nothing names": starts(
        window_16={"is_open": True}, cup_1={"is_dirty": True}, book_0={"is_on_top": "bed_9"}
    ),
    "another object in the same place": structs.replace(
        TASK,
        problem_pddl=GOAL.replace("bowl_0", "plate_0"),
        agent_knows={
            agent: tuple(one.replace("bowl_0", "plate_0") for one in several)
            for agent, several in KNOWS.items()
        },
        initial_states={"cabinet_6": {"is_open": True}, "plate_0": {"is_dirty": True}},
    ),
}


@for_each("name", sorted(SAME))
def test_what_is_not_part_of_the_structure_does_not_change_the_digest(name: str) -> None:
    assert digest(SAME[name]) == digest(TASK)


KITCHEN = Spawn((2.0, 0.0, 1.5), "kitchen_1")


def test_the_room_of_a_start_counts_only_by_where_the_agent_can_go() -> None:
    assert digest(structs.replace(TASK, agent_spawns={"agent_2": KITCHEN})) == digest(TASK)
    cut_off = bound(0, restricted_rooms=("hallway_1",), for_agents=("agent_2",))
    assert digest(structs.replace(cut_off, agent_spawns={"agent_2": KITCHEN})) != digest(cut_off)


def test_the_room_of_a_start_counts_where_the_goal_names_it() -> None:
    ends = asks("(is_closed cabinet_6)", "(agent_in_room agent_1 study_1)")
    assert digest(structs.replace(ends, agent_spawns={"agent_1": KITCHEN})) != digest(ends)


def replacing(names: Mapping[str, str]) -> Callable[[bytes], bytes]:
    """Replaces names everywhere in JSON, also in the names of floors and of spots."""
    pattern = re.compile(rf"(?<![a-z0-9])({'|'.join(map(re.escape, names))})(?!\d)")
    return lambda data: pattern.sub(lambda found: names[found[0]], data.decode()).encode()


@cache
def scene_data() -> bytes:
    return msgspec.json.encode(small.scene())


@given(st.permutations(range(3)), st.permutations(range(len(NAMES))))
def test_renaming_everything_leaves_the_digests(agents: list[int], things: list[int]) -> None:
    names = {f"agent_{k}": f"agent_{to}" for k, to in enumerate(agents)}
    names |= {name: f"thing_{to}" for name, to in zip(NAMES, things, strict=True)}
    rename = replacing(names)
    task = msgspec.json.decode(rename(msgspec.json.encode(TASK)), type=Task)
    scene = msgspec.json.decode(rename(scene_data()), type=Scene)
    assert structure(task, scene) == digest(TASK)
    assert goal_structure(task) == goal_structure(TASK)


def test_the_included_tasks_have_twelve_structures() -> None:
    assert len({structure(load_task(name)) for name in shipped_tasks()}) == len(shipped_tasks()) == 12


@for_each("name", ("no bar", "budget", "who is told", "private goal", "state of furniture"))
def test_the_structure_of_the_goal_is_that_of_the_shared_goal_alone(name: str) -> None:
    assert goal_structure(OTHERS[name]) == goal_structure(TASK)


@for_each("name", ("predicate", "no literal", "depth 1", "depth 3", "knows of another literal"))
def test_each_part_of_the_goal_changes_its_structure(name: str) -> None:
    assert goal_structure(OTHERS[name]) != goal_structure(TASK)


def test_conjuncts_that_share_a_thing_are_told_from_others() -> None:
    one, other = (
        structs.replace(TASK, problem_pddl=f"(and (is_on_top bowl_0 table_5) (is_clean {o}))")
        for o in ("bowl_0", "cup_0")
    )
    assert goal_structure(one) != goal_structure(other)


def test_a_scene_that_is_not_there_and_a_name_that_it_lacks_are_errors() -> None:
    with pytest.raises(TaskError, match="neither a shipped scene nor a file"):
        structure(TASK)
    with pytest.raises(TaskError, match="'cabinet_99' is not in scene 'small'"):
        digest(structs.replace(TASK, problem_pddl="(is_open cabinet_99)"))


THINGS = "abcd"
KINDS = {"a": "one", "b": "one", "c": "one", "d": "other"}
RELATIONS = st.frozensets(
    st.one_of(
        st.tuples(st.sampled_from("xy"), st.tuples(st.sampled_from(THINGS))),
        st.tuples(st.just("z"), st.tuples(st.sampled_from(THINGS), st.sampled_from(THINGS))),
    ),
    max_size=5,
)


def renamed(relations: frozenset[Relation], names: Mapping[str, str]) -> frozenset[Relation]:
    return frozenset((label, tuple(names[one] for one in things)) for label, things in relations)


def equal_up_to_names(one: frozenset[Relation], other: frozenset[Relation]) -> bool:
    orders = ((*order, "d") for order in permutations("abc"))
    return any(renamed(one, dict(zip(THINGS, order, strict=True))) == other for order in orders)


@settings(examples(6))
@given(RELATIONS, RELATIONS, st.permutations("abc"))
def test_digests_are_equal_exactly_for_relations_that_are_equal_up_to_names(one, other, order) -> None:
    digest = canonical_digest(KINDS, one)
    assert (digest == canonical_digest(KINDS, other)) == equal_up_to_names(one, other)
    names = dict(zip(THINGS, (*order, "d"), strict=True))
    assert canonical_digest({names[k]: kind for k, kind in KINDS.items()}, renamed(one, names)) == digest


def cycle(things: str) -> list[Relation]:
    pairs = zip(things, things[1:] + things[0], strict=True)
    return [("next", pair) for one, other in pairs for pair in ((one, other), (other, one))]


def test_relations_that_look_alike_from_each_thing_have_different_digests() -> None:
    """A ring of six and two rings of three: everything has two neighbours, so that refinement alone sees no difference."""
    kinds = dict.fromkeys("abcdef", "")
    digest = canonical_digest(kinds, cycle("abcdef"))
    assert digest == canonical_digest(kinds, cycle("afbecd"))
    assert digest != canonical_digest(kinds, cycle("abc") + cycle("def"))


def test_many_things_that_can_be_exchanged_take_no_time() -> None:
    """Without the look for exchangeable things, 30 factorial orders would be tried."""
    kinds = {f"thing_{k}": "" for k in range(30)}
    every = [("stays", (name,)) for name in kinds]
    assert canonical_digest(kinds, every) != canonical_digest(kinds, every[:-1])
