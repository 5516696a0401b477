"""The cheap teams: no rule uses what a partner knows, needs or may do, and one episode shows three lengths of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from msgspec import structs

from otherminds.core.errors import StudyError
from otherminds.household.calibrate import played
from otherminds.household.house import House
from otherminds.household.pool.store import load_split
from otherminds.household.proofs.episodes import MULTIPLES, cheap_solvers, held_at, solved_after
from otherminds.household.reference.roster import ROSTER
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Task
from otherminds.household.teams import ACTING, PANEL, TALKING
from tests.cases import for_each

TASKS = tuple(load_split("hard"))[::30]
TEAMS = (*[*PANEL][::7], "random_messages-hallway")


def limited(task: Task, statements: int = 1) -> Task:
    """The task with so many statements a message."""
    bindings = (
        structs.replace(one, statements=statements) if one.mechanic_type == "limited_bandwidth" else one
        for one in task.mechanic_bindings
    )
    return structs.replace(task, mechanic_bindings=tuple(bindings))


def house_of(task: Task) -> House:
    return House(task, load_scene(task.scene_id))


def task_called(name: str) -> Task:
    return load_split("hard")[name].task


def turns_of(task: Task) -> int:
    assert task.calibration is not None
    return task.calibration.turns


def play(house: House, team: str, turns: int) -> Mapping[str, object]:
    record = played(house, {seat: ROSTER[team](house) for seat in house.agents}, turns)
    assert record.outcome.status == "scored", record.outcome.reason
    return record.facts


def test_every_pair_of_rules_is_a_team_and_can_be_seated() -> None:
    assert len(PANEL) == len(TALKING) * len(ACTING) >= 24
    assert set(PANEL) == {f"{talking}-{acting}" for talking in TALKING for acting in ACTING}
    assert set(PANEL) <= set(ROSTER)


def test_each_rule_is_said_in_a_sentence() -> None:
    rules = {*ACTING.values(), *(rule.speaker for rule in TALKING.values())}
    choices = {rule.choice for rule in TALKING.values()}
    for rule in (*rules, *choices):
        said = (rule.__doc__ or "").strip()
        assert said.endswith("."), rule
        assert len(said.split("\n\n")[0].split(". ")) == 1, rule


@for_each("name", TASKS[::2], every=2)
@for_each("team", TEAMS)
def test_what_is_said_about_partners_changes_no_call(team: str, name: str) -> None:
    """What a team is told about the rooms, links and knowledge of others is of no use to it."""
    task, without = with_and_without_partners(name)
    turns = 2 * turns_of(task)
    assert play(house_of(task), team, turns)["log"] == play(house_of(without), team, turns)["log"]


def test_a_team_that_models_its_partners_uses_what_is_said_about_them() -> None:
    """Otherwise the test above would show nothing."""
    changed = 0
    for name in TASKS:
        task, without = with_and_without_partners(name)
        logs = []
        for house in (house_of(task), house_of(without)):
            minds = {seat: ROSTER["level_k"](house, k=3) for seat in house.agents}
            logs.append(played(house, minds, 2 * turns_of(task)).facts["log"])
        changed += logs[0] != logs[1]
    assert changed > 0


AWARE = re.compile(r"agent_\d+ knows that (.* must end .*)")
"""A goal that a partner was told: without the partner it is still a goal of the team."""


def with_and_without_partners(name: str) -> tuple[Task, Task]:
    """A task with one statement a message and secrets in prose, and the same without the secrets about other agents."""
    task = limited(structs.replace(task_called(name), agent_knows={}))
    told = {
        seat: tuple(
            AWARE.sub(r"\1", one) for one in secrets if AWARE.match(one) or not one.startswith("agent_")
        )
        for seat, secrets in task.agent_secrets.items()
    }
    assert told != task.agent_secrets
    return task, structs.replace(task, agent_secrets=told)


@for_each("name", TASKS[::2], every=2)
@for_each("team", TEAMS)
def test_an_episode_shows_the_results_of_shorter_ones(team: str, name: str) -> None:
    house = house_of(limited(task_called(name)))
    shortest = turns_of(house.task)
    runs = {one: play(house, team, one * shortest)["solved"] for one in MULTIPLES}
    assert solved_after(house, team, shortest) == tuple(one for one, solved in runs.items() if solved)


@for_each("statements", [1, 2])
@for_each("team", TEAMS)
def test_no_message_says_more_than_arrives(team: str, statements: int) -> None:
    house = house_of(limited(task_called(TASKS[0]), statements))
    messages = play(house, team, 2 * turns_of(house.task))["messages"]
    assert isinstance(messages, list)
    assert not any(one["cut"] for one in messages)
    assert all(len(one["conveyed"]) <= statements for one in messages)


def test_trying_stops_at_the_first_team_that_is_too_many() -> None:
    house = house_of(task_called(TASKS[0]))
    every = cheap_solvers(house, turns_of(house.task), [*PANEL][:6])
    for most in range(len(every)):
        few = cheap_solvers(house, turns_of(house.task), [*PANEL][:6], most)
        assert few == dict([*every.items()][: most + 1])


@for_each(("turn", "holds"), [(0, False), (2, False), (3, True), (4, True), (5, False), (9, False)], ids=str)
def test_a_literal_holds_from_the_turn_in_which_it_begins_to(turn: int, holds: bool) -> None:
    assert held_at([(0, False), (3, True), (5, False)], turn) is holds


def test_the_planner_carries_out_the_plan_and_needs_one() -> None:
    for name in TASKS:
        house = house_of(task_called(name))
        facts = play(house, "planner", turns_of(house.task))
        assert facts["solved"]
        assert facts["messages"] == []
    bare = house_of(structs.replace(task_called(TASKS[0]), calibration=None))
    with pytest.raises(StudyError, match="has no plan"):
        ROSTER["planner"](bare)
