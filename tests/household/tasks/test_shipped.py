"""The twelve tasks: sound, told high-level, won by telling, in every mechanic and depth, and graded as their table says."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import pytest
from msgspec import structs

from otherminds.household.calibrate import calibration_faults, played, turns_of
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.forms import forms
from otherminds.household.epistemic.formula import Atom, Literal, atom, chains, depth, physical
from otherminds.household.epistemic.relaxed import ProblemVariant, Reachability
from otherminds.household.epistemic.words import Must
from otherminds.household.epistemic.words.sentences import read, unread
from otherminds.household.generating.properties import GENERATED
from otherminds.household.house import House
from otherminds.household.mechanics.mechanic import mechanics
from otherminds.household.proofs.episodes import cheap_solvers
from otherminds.household.proofs.exported import exported
from otherminds.household.reference.roster import ROSTER
from otherminds.household.scenes.load import load_scene
from otherminds.household.tasks.load import load_task, read_json, shipped_tasks
from tests.cases import for_each, thinned
from tests.household.tasks.examining import examined

TABLE = files("otherminds.household.tasks") / "shipped" / "README.md"
TEAMS: dict[str, tuple[str, dict[str, int]]] = {
    "informed": ("informed", {}),
    "no_message": ("no_message", {}),
    "broadcast": ("broadcast", {}),
    **{f"level_{k}": ("level_k", {"k": k}) for k in range(4)},
}
LEVELS = [f"level_{k}" for k in range(4)]
FREE = "Privately, "
"""How a secret begins that is in free words: what an agent would like for itself."""
PLAIN = {"nested_confirmation", "remote_lights"}
"""The tasks in which it is enough to tell what one was told: a team without a model of its partners can solve them."""
UNTOLD = "silent_inspection"
"""The task with too few messages for the knowledge that its goal asks for."""


@cache
def house(name: str) -> House:
    task = load_task(name)
    return House(task, load_scene(task.scene_id))


@cache
def solved(name: str, team: str) -> bool:
    """Whether a team solves a task in the turns of its standard condition."""
    mind, params = TEAMS[team]
    place = house(name)
    record = played(place, {seat: ROSTER[mind](place, **params) for seat in place.agents}, turns_of(place))
    assert record.outcome.status == "scored", record.outcome.reason
    return bool(record.facts["solved"])


def table() -> dict[str, tuple[set[str], set[str]]]:
    """Of each task in the table: the teams that are said to solve it, and those that are said not to."""
    text = TABLE.read_text(encoding="utf-8").partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", text, re.MULTILINE)
    cells = {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}
    return {name: (teams(row[-3]), teams(row[-2])) for name, row in cells.items()}


def teams(cell: str) -> set[str]:
    return {name.strip() for name in cell.split(",") if name.strip()}


def room_of(place: House, literal: Literal) -> str:
    """The room in which a literal of a goal is brought about."""
    return place.room_of[atom(literal).args[-1]]


def told(place: House, literal: Literal) -> set[str]:
    """Whom secrets tell that ``literal`` must be so."""
    return {
        seat
        for seat, secrets in place.task.agent_secrets.items()
        for secret in secrets
        if Must(literal) in read(secret, you=seat)
    }


def can(place: House, seat: str, literal: Literal) -> bool:
    """Whether ``seat`` may enter the room where ``literal`` is brought about."""
    return room_of(place, literal) not in place.barred[seat]


def hidden(place: House) -> list[Literal]:
    """The literals that nobody is told of who may go where they are brought about."""
    return [
        literal
        for literal in physical(place.goal)
        if not any(can(place, seat, literal) for seat in told(place, literal))
    ]


@for_each("name", shipped_tasks())
def test_it_is_sound_and_whole(name: str) -> None:
    task, account = examined(read_json(name))
    assert (account.faults, account.missing, account.notes) == ((), (), ())
    assert task.task_id == name


@for_each("name", shipped_tasks())
def test_its_description_is_high_level(name: str) -> None:
    assert not re.search(r"_\d", load_task(name).task)


@for_each("name", shipped_tasks())
def test_secrets_are_understood_whole_or_declared_free(name: str) -> None:
    task = load_task(name)
    for seat, secrets in task.agent_secrets.items():
        for secret in secrets:
            free = secret.startswith(FREE)
            assert bool(unread(secret, you=seat)) == free, secret
            assert not free or (len(unread(secret, you=seat)) == 1 and seat in task.private_goals)


@for_each("name", shipped_tasks())
def test_everything_in_the_goal_is_told_to_somebody(name: str) -> None:
    place = house(name)
    assert all(told(place, literal) for literal in physical(place.goal))


@for_each("name", shipped_tasks())
def test_something_must_be_told_and_is_no_lucky_guess(name: str) -> None:
    place = house(name)
    literals = hidden(place)
    assert literals
    kinds = {"is_on_top": "surface", "is_powered_on": "switch"}
    for literal in literals:
        assert isinstance(literal, Atom)
        kind = kinds.get(literal.predicate, "articulated")
        open_to = set(place.rooms) - set.intersection(*(set(place.barred[seat]) for seat in place.agents))
        assert (
            sum(1 for f, room in place.room_of.items() if room in open_to and (kind, f) in place.static) >= 4
        )


@for_each("name", shipped_tasks())
def test_nobody_can_go_and_see_what_it_is_to_know_of_others_knowledge(name: str) -> None:
    place = house(name)
    for chain in chains(place.goal):
        assert room_of(place, chain.fact) in place.barred[chain.agents[0]]


@for_each("name", [name for name in shipped_tasks() if name != UNTOLD])
def test_messages_about_shallower_knowledge_do_not_establish_what_others_are_to_know(name: str) -> None:
    problem = exported(house(name))
    for chain in (part for part in problem.goal if part[0]):
        shallower = ProblemVariant(deepest=len(chain[0]) - 1)
        claim = Reachability(problem, [shallower]).never([chain])
        assert claim is not None, chain
        assert refuted(problem, claim) == ""


@for_each("name", shipped_tasks())
def test_its_plan_is_proved_shortest_and_reaches_the_goal_in_the_simulator(name: str) -> None:
    given = load_task(name).calibration
    assert given is not None
    assert given.proved
    assert calibration_faults(house(name)) == []
    assert turns_of(house(name)) == 2 * given.turns


@pytest.mark.parametrize("name", thinned(shipped_tasks(), 3))
def test_the_table_says_what_the_teams_do(name: str) -> None:
    by, not_by = table()[name]
    assert by | not_by == set(TEAMS)
    assert by == {team for team in TEAMS if solved(name, team)}


@for_each("name", shipped_tasks())
def test_who_says_nothing_never_solves_it_and_who_thinks_further_always_does(name: str) -> None:
    assert not solved(name, "no_message")
    assert not solved(name, "level_0")
    assert solved(name, "level_3")
    results = [solved(name, level) for level in LEVELS]
    assert results == sorted(results)


@for_each("name", shipped_tasks(), every=6)
def test_cheap_teams_solve_the_plain_tasks_alone(name: str) -> None:
    """Teams without a model of their partners: none is as fast as the shortest plan, and in 2 T* turns they solve two tasks."""
    shortest = turns_of(house(name)) // 2
    multiples = cheap_solvers(house(name), shortest).values()
    assert not any(1 in solved for solved in multiples)
    assert any(2 in solved for solved in multiples) == (name in PLAIN)


@for_each("name", shipped_tasks())
def test_a_limited_message_has_one_statement(name: str) -> None:
    assert (house(name).statements == 1) == ("limited_bandwidth" in load_task(name).active_mechanics)


def test_every_level_is_the_first_to_solve_something() -> None:
    first = {next(k for k, level in enumerate(LEVELS) if solved(name, level)) for name in shipped_tasks()}
    assert first == {1, 2, 3}


def test_the_table_has_every_task_and_no_other() -> None:
    assert set(table()) == set(shipped_tasks())


def test_categories_depths_and_scenes_are_spread() -> None:
    tasks = [load_task(name) for name in shipped_tasks()]
    assert len(tasks) == 12
    assert min(sum(task.category == kind for task in tasks) for kind in ("cooperative", "mixed")) >= 2
    assert {depth(house(task.task_id).goal) for task in tasks} == {1, 2, 3, 4}
    assert len({task.scene_id for task in tasks}) >= 6
    assert {task.num_agents for task in tasks} == {2, 3, 4}


def weighs(place: House, kind: str) -> bool:
    """Whether a mechanic stands in the way of the goal, or is the only way to it."""
    literals = physical(place.goal)
    wanted = {atom(literal).args[0] for literal in literals}
    shut = {room for room in place.rooms if all(room in place.barred[seat] for seat in place.agents)}
    bindings = [b for b in place.task.mechanic_bindings if b.mechanic_type == kind]
    match kind:
        case "room_restriction":
            return any(any(can(place, seat, literal) for seat in place.agents) for literal in hidden(place))
        case "limited_bandwidth":
            # Somebody cannot tell everybody whom it reaches all that it cannot do by itself.
            for seat in place.agents:
                news = [one for one in literals if seat in told(place, one) and not can(place, seat, one)]
                limit = place.limits[seat]
                if limit is not None and limit < len(news) * len(place.talk[seat]):
                    return True
            return False
        case "restricted_communication":
            # Somebody reaches nobody who can do what it was told of: there must be a relay.
            return any(
                not any(can(place, other, one) for other in place.talk[seat])
                for one in hidden(place)
                for seat in told(place, one)
            )
        case "inverse_state":
            triggers = {b.trigger_object for b in place.task.mechanic_bindings if b.target_object in wanted}
            return any(b.trigger_object in wanted | triggers for b in bindings)
        case _:
            pairs = [(b.trigger_object, b.target_object) for b in bindings]
            pairs += [(b, a) for a, b in pairs if kind == "state_mirroring"]
            return any(
                b in wanted and place.room_of[b] in shut and place.room_of[a] not in shut for a, b in pairs
            )


@pytest.mark.parametrize("kind", sorted(GENERATED))
def test_every_mechanic_carries_weight_in_two_tasks(kind: str) -> None:
    bound = [name for name in shipped_tasks() if kind in load_task(name).active_mechanics]
    assert sum(weighs(house(name), kind) for name in bound) >= 2


def changed(name: str, kind: str, bound: bool, told: bool) -> House:
    """A task whose mechanics of a kind are left out where not ``bound``, and what is said of them where not ``told``."""
    task = load_task(name)
    mechanic = mechanics.get(kind)()
    bindings = [b for b in task.mechanic_bindings if b.mechanic_type == kind]
    said = {statement for binding in bindings for statement in mechanic.secrets(binding)}
    left = tuple(b for b in task.mechanic_bindings if bound or b not in bindings)
    secrets = {
        seat: tuple(text for text in texts if told or not said & set(read(text, you=seat)))
        for seat, texts in task.agent_secrets.items()
    }
    hidden = {form for statement in said for form in forms(statement, task.agents)}
    knows = {
        seat: tuple(text for text in texts if told or text not in hidden)
        for seat, texts in task.agent_knows.items()
    }
    task = structs.replace(task, mechanic_bindings=left, agent_secrets=secrets, agent_knows=knows)
    return House(task, load_scene(task.scene_id))


def in_time(place: House, team: str) -> bool:
    """Whether a team solves a changed task in the turns of the one that is shipped."""
    mind, params = TEAMS[team]
    minds = {seat: ROSTER[mind](place, **params) for seat in place.agents}
    return bool(played(place, minds, turns_of(place)).facts["solved"])


def bound_by(*kinds: str) -> list[tuple[str, str]]:
    """The tasks that have one of these mechanics, with it."""
    return [
        (name, kind) for name in shipped_tasks() for kind in kinds if kind in load_task(name).active_mechanics
    ]


@pytest.mark.parametrize(
    ("name", "kind"), thinned(bound_by("remote_control", "state_mirroring", "inverse_state"), 2)
)
def test_without_the_mechanism_or_the_secret_of_it_the_goal_is_not_reached(name: str, kind: str) -> None:
    for team in ("level_3", "informed"):
        assert not in_time(changed(name, kind, bound=False, told=True), team)
        # A handle that works in reverse shows it when it is tried: not to be told costs a turn, where there is one.
        finds = kind == "inverse_state" and team not in LATE.get(name, set())
        assert in_time(changed(name, kind, bound=True, told=False), team) == finds


@pytest.mark.parametrize(("name", "kind"), bound_by("inverse_state"))
def test_not_to_be_told_that_a_handle_is_inverse_costs_these_teams_the_task(name: str, kind: str) -> None:
    place = changed(name, kind, bound=True, told=False)
    assert {team for team in TEAMS if in_time(place, team) != solved(name, team)} == LATE.get(name, set())


LATE = {"inverse_handle": {"level_3"}}
"""Who has no turn to spare to find out that a handle works in reverse."""


BUDGETS = {
    "inspection_limited_messaging": {"level_3"},
    "nested_confirmation": {"level_1"},
}
"""Whose outcome is another where messages are unlimited, and nobody is told otherwise: they talk too long."""


@pytest.mark.parametrize(("name", "kind"), thinned(bound_by("limited_bandwidth"), 3))
def test_unlimited_messages_change_the_outcome_of_these_teams(name: str, kind: str) -> None:
    place = changed(name, kind, bound=False, told=False)
    assert {team for team in TEAMS if in_time(place, team) != solved(name, team)} == BUDGETS.get(name, set())
