"""The verdict partner-proof in the household: an office that has to choose whom it helps, and neighbours of that task."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations
from typing import Any

import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import Claim
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.check_partners import family_of, with_roles
from otherminds.household.epistemic.check_rules import ProblemRules
from otherminds.household.epistemic.fast_downward import program
from otherminds.household.house import House
from otherminds.household.pool.store import pool_called, shipped_splits
from otherminds.household.proofs.episodes import team_episode
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.partners import (
    bound_partners,
    judge_partners,
    swap_abilities,
)
from otherminds.household.scenes.scene import Scene, Spawn
from otherminds.household.task import Binding, Task
from otherminds.household.teams import PANEL
from otherminds.household.world import HouseholdWorld
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.tasks.telling import untold_abilities

installed = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
ROOMS = ("office_1", "hallway_1", *(f"bedroom_{k}" for k in range(1, 6)))
SECRET = "(goal (is_open cabinet_{}))"
AGENTS = tuple(f"agent_{k}" for k in range(6))


@cache
def row() -> Scene:
    """Seven rooms in a row, with a cabinet in each of the last five, and doors where nobody looks through."""
    edges = [2.0 * k for k in range(len(ROOMS) + 1)]
    walls = dict(zip(ROOMS, pairwise(edges), strict=True))
    shapes = {room: ((a, 0.0), (b, 0.0), (b, 3.0), (a, 3.0)) for room, (a, b) in walls.items()}
    doors = [(pair, ((walls[pair[1]][0], 2.1), (walls[pair[1]][0], 2.95))) for pair in pairwise(ROOMS)]
    things = {"office_1": {"table_0": (1.0, 0.5, "T")}, "hallway_1": {"stool_0": (3.0, 0.5, "T")}}
    things |= {
        room: {f"cabinet_{k}": (walls[room][0] + 1.0, 0.5, "AIT")} for k, room in enumerate(ROOMS[2:], 1)
    }
    spawns = {agent: _spawn(k) for k, agent in enumerate(AGENTS)}
    return small.built(
        "row", shapes, doors, things, {}, {agent: (at.position, at.room) for agent, at in spawns.items()}
    )


def _spawn(k: int) -> Spawn:
    """The middle of the room with cabinet ``k``; of the office for 0."""
    number = k + bool(k)
    return Spawn((2.0 * number + 1.0, 0.0, 1.5), ROOMS[number])


def office(
    messages: int = 2,
    statements: int = 1,
    links: dict[str, tuple[str, ...]] | None = None,
    where: tuple[int, ...] = (2, 1, 3, 4, 5),
) -> House:
    """Each agent stays in its room, and is told of one cabinet; by default agents 1 and 2 are in each other's rooms.

    Agent 0 is told of all cabinets, and of who is where.
    """
    at = dict(zip(AGENTS, (0, *where), strict=True))
    knows: dict[str, tuple[str, ...]] = {agent: (SECRET.format(k),) for k, agent in enumerate(AGENTS) if k}
    knows["agent_0"] = tuple(SECRET.format(k) for k in range(1, 6))
    knows["agent_0"] += tuple(
        f"(is_restricted {agent} {room})"
        for agent, k in at.items()
        for room in ROOMS
        if room != _spawn(k).room
    )
    targets = dict[str, tuple[str, ...]].fromkeys(AGENTS[1:], ()) | (links or {})
    task = Task(
        task_id="office",
        task="Do as you were told.",
        scene_id="row",
        num_agents=6,
        agent_spawns={agent: _spawn(k) for agent, k in at.items()},
        mechanic_bindings=(
            *(
                Binding(
                    "room_restriction",
                    restricted_rooms=tuple(room for room in ROOMS if room != _spawn(k).room),
                    for_agents=(agent,),
                )
                for agent, k in at.items()
            ),
            Binding("limited_bandwidth", message_limits={"agent_0": messages}, statements=statements),
            Binding("restricted_communication", allowed_targets=targets),
        ),
        problem_pddl=f"(and {' '.join(f'(is_open cabinet_{k})' for k in range(1, 6))})",
        agent_knows=knows,
    )
    return House(task, row())


def test_an_office_with_too_few_messages_must_know_who_is_where() -> None:
    """Of eleven tasks (nobody or two agents in wrong rooms), two fixed goals serve two."""
    bound = bound_partners(ProblemRules(exported(office())))
    assert bound is not None
    assert (bound.share, len(bound.family)) == (Fraction(2, 11), 11)
    assert (bound.partners, bound.choosing) == (AGENTS[1:], AGENTS[:1])


@installed
def test_the_claim_is_checked_and_everything_in_it_counts() -> None:
    house = office()
    problem = exported(house)
    verdict, claim = judge_partners(house, ProblemRules(problem), 10.0)
    assert (verdict.name, verdict.status, verdict.decisive) == ("partner-proof", "proved and checked", False)
    assert claim is not None
    assert refuted(problem, claim) == ""
    first, *others = claim.members
    forged: dict[str, Claim] = {
        "another share": structs.replace(claim, share="1/11"),
        "no share": structs.replace(claim, share=""),
        "a member less": structs.replace(claim, members=tuple(others)),
        "a member twice": structs.replace(claim, members=(*claim.members, first)),
        "no members": structs.replace(claim, members=()),
        "one agent": structs.replace(claim, members=(structs.replace(first, roles={"agent_1": "agent_1"}),)),
        "a plan less": structs.replace(claim, members=(structs.replace(first, plan=()), *others)),
        "plans exchanged": structs.replace(
            claim, members=(structs.replace(first, plan=others[0].plan), *others)
        ),
        "a part less": structs.replace(claim, parts=claim.parts[1:]),
        "another kind": structs.replace(claim, kind="reached", evidence="plan"),
    }
    assert [kind for kind, one in forged.items() if not refuted(problem, one)] == []
    more = structs.replace(problem, budgets={"agent_0": 5})
    assert refuted(more, claim), "with more messages it need not choose"


NEIGHBOURS: dict[str, dict[str, Any]] = {
    "as many messages as goals": {"messages": 5},
    "messages that carry everything": {"statements": 0},
    "messages of two statements": {"statements": 2},
    "news of a partner": {"links": {"agent_3": ("agent_0",)}},
}


@for_each("kind", NEIGHBOURS)
def test_with_enough_to_say_or_news_of_partners_it_is_unknown(kind: str) -> None:
    house = office(**NEIGHBOURS[kind])
    verdict, claim = judge_partners(house, ProblemRules(exported(house)), 10.0)
    assert (verdict.status, claim) == ("unknown", None)
    says = f"of a hard task it can only be said how many of {len(PANEL)} cheap teams it resists"
    assert verdict.says.endswith(says)


FAMILY = tuple(
    where for where in permutations(range(1, 6)) if sum(k != j for j, k in enumerate(where, 1)) <= 2
)
"""Where the partners are in the tasks of the family."""


@for_each("team", ("no_message", "broadcast", "level 1"))
def test_teams_that_ignore_where_partners_are_solve_no_more_than_the_bound(team: str) -> None:
    solved = sum(team_episode(office(where=where), team, turns=12).solved for where in FAMILY)
    assert Fraction(solved, len(FAMILY)) <= Fraction(2, 11)


def test_an_office_that_tells_those_in_wrong_rooms_solves_all_tasks_of_the_family() -> None:
    """It uses what it was told of its partners; these open the cabinet in their room if they were told of it."""
    for where in FAMILY:
        world = HouseholdWorld(office(where=where), 12)
        world.reset()
        told = {agent: {k} for k, agent in enumerate(AGENTS)}
        for agent, k in zip(AGENTS[1:], where, strict=True):
            if k not in told[agent]:
                told[agent].add(k)
                message = f'Communicate[{agent}, "cabinet_{k} must end open."]'
                world.step(dict.fromkeys(AGENTS, "Wait[]") | {"agent_0": message})
        for tool in ("Navigate", "Open"):
            acts = {a: f"{tool}[cabinet_{k}]" for a, k in zip(AGENTS[1:], where, strict=True) if k in told[a]}
            world.step(dict.fromkeys(AGENTS, "Wait[]") | acts)
        assert world.solved(), where


def test_a_task_of_the_family_is_the_problem_with_other_roles() -> None:
    """The rules of the family are those of the household: what is exported of the swapped house."""
    house = office()
    problem = exported(house)
    for roles in family_of(AGENTS[1:4]):
        mine, its = with_roles(problem, roles), exported(swap_abilities(house, roles))
        assert {*mine.static} == {*its.static}
        assert {*mine.start} == {*its.start}
        assert (mine.known, mine.links, mine.budgets, mine.goal) == (
            its.known,
            its.links,
            its.budgets,
            its.goal,
        )


@for_each("split", shipped_splits())
def test_the_literal_family_of_a_generated_task_has_that_task_alone(split: str) -> None:
    """Every agent is told its own bars, links and limits, so that no task differs in these with the same secrets."""
    assert [one.task.task_id for one in pool_called(split) if untold_abilities(one.task)] == []


def test_an_ability_that_its_agent_is_not_told_is_found() -> None:
    task = office().task
    limit = "(message_limit agent_0 2)"
    assert limit in untold_abilities(task)
    told = structs.replace(task, agent_knows={"agent_0": (limit,)})
    assert limit not in untold_abilities(told)
