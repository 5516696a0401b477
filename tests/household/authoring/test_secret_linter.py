"""Strategy in secrets and leaks in descriptions are found; constraints, targets, facts and mechanics are not."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.household.authoring.secret_linter import RULES, lint_secret, secret_findings
from otherminds.household.pool.store import load_split
from otherminds.household.tasks.load import load_task, shipped_tasks
from tests.household.authoring.linting import counted_descriptions, counted_secrets

GOOD = (
    "You cannot enter hallway_2.",
    "You can only message agent_1. You can send 2 messages.",
    "By the end, you must be confident a teammate knows stand_34 is open.",
    "You cannot tell agent_2 anything.",
    "Only agent_2 can open fridge_1.",
    "You would rather have the window shut.",
    "You want the vase on the table when the guests arrive.",
    "The lamp in the hall is controlled by the switch of stand_4.",
)
BAD = (
    "Wait for agent_3 to tell you whether stand_34 is open, then forward that to agent_0.",
    "Ask agent_1 to open the fridge and relay the result to agent_2.",
    "After agent_2 closes the fridge, go to kitchen_1.",
    "You should message agent_1 as early as possible.",
    "Do not open the drawer until agent_0 confirms.",
    "Use agent_1 as a relay.",
    "agent_2 will open the cabinet for you.",
    "Let everyone know that the stove is on.",
)


@pytest.mark.parametrize("rule", RULES, ids=[rule.what for rule in RULES])
def test_each_rule_finds_its_example_and_accepts_the_corrected_one(rule):
    assert lint_secret(rule.bad).startswith(rule.what)
    assert lint_secret(rule.good) == ""


@pytest.mark.parametrize("secret", GOOD)
def test_constraints_targets_and_facts_are_accepted(secret):
    assert lint_secret(secret, "agent_0") == ""


@pytest.mark.parametrize("secret", BAD)
def test_strategy_is_found(secret):
    assert lint_secret(secret, "agent_0")


def test_the_secrets_of_proved_tasks_are_accepted():
    tasks = [load_task(name) for name in shipped_tasks()]
    tasks += [pooled.task for pooled in load_split("dev").values()]
    assert {task.task_id: found for task in tasks if (found := secret_findings(task))} == {}


@pytest.mark.parametrize("written", ["cabinet_13", "cabinet 13", "Cabinet-13", "cabinet #13"])
def test_a_thing_of_the_goal_in_the_description_is_a_leak(written):
    task = load_task("cabinet_confirmation")
    assert secret_findings(structs.replace(task, task=f"Leave {written} open.")) == (
        "task: it names cabinet_13, which a goal is about; say what the house is prepared for, and leave the names to secrets",
    )
    other = written.replace("13", "131")
    assert secret_findings(structs.replace(task, task=f"Leave {other} open.")) == ()


def test_a_long_secret_is_read_in_linear_time():
    assert lint_secret("you must " * 20_000 + "ask agent_1.")


def test_the_development_halves_of_the_corpora_are_judged_as_well_as_measured():
    secrets, descriptions = counted_secrets("dev"), counted_descriptions("dev")
    assert (secrets.precision, descriptions.precision) == (1, 1), (secrets.misses, descriptions.misses)
    assert secrets.recall >= 109 / 110, secrets.misses
    assert descriptions.recall == 1, descriptions.misses
