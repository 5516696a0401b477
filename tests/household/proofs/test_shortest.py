"""Certificates of shortest plans, from the plans of calibrated tasks."""

from __future__ import annotations

from otherminds.household.epistemic.certificate import Claim, Known
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.check_rules import ProblemRules
from otherminds.household.epistemic.formula import physical, show
from otherminds.household.epistemic.predicates import positive
from otherminds.household.house import House
from otherminds.household.pool.store import load_split
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.replayed import shortest
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Task
from otherminds.household.tasks.load import playable
from tests.cases import for_each

HANDED_OVER, PAIR = "sequencing_691407385830", "mixed_810227038910"
"""An object goes through two hands; one agent reaches two parts of the goal, of which neither alone takes as long."""
BY_MIRROR, BUSY = "mirrored_drawers", "safety_staging"
"""One agent has to bring about several parts, one of them by a mirrored piece in another room; two agents have to bring about
three parts, while a fourth one keeps one of them busy."""


def pooled(name: str) -> House:
    task = next(split[name].task for split in map(load_split, ("standard", "hard", "dev")) if name in split)
    return House(task, load_scene(task.scene_id))


def plan_of(task: Task) -> tuple[tuple[str, ...], ...]:
    assert task.calibration is not None
    return task.calibration.plan


def claimed(house: House, *more: tuple[str, ...]) -> tuple[ProblemRules, Claim | None]:
    rules = ProblemRules(exported(house))
    parts: tuple[Known, ...] = tuple(((), show(positive(one))) for one in physical(house.goal))
    return rules, shortest(house, rules, parts, (*plan_of(house.task), *more))


@for_each(
    ("name", "turns", "slowest"),
    [
        *((HANDED_OVER, 7, 1), (PAIR, 4, 2), ("one_shot_relay", None, 1), ("cabinet_confirmation", None, 8)),
        *((BY_MIRROR, None, 5), (BUSY, None, 4)),
    ],
)
def test_the_plan_of_a_calibrated_task_is_shown_to_be_shortest(
    name: str, turns: int | None, slowest: int
) -> None:
    house = pooled(name) if turns else playable(name)
    rules, claim = claimed(house)
    assert claim is not None
    assert refuted(rules.problem, claim) == ""
    assert len(claim.turns) == len(plan_of(house.task)) == (turns or len(claim.turns))
    assert len(claim.slowest) == slowest


@for_each("name", (PAIR, BY_MIRROR, BUSY))
def test_a_plan_with_a_turn_too_many_is_not(name: str) -> None:
    house = pooled(name) if name == PAIR else playable(name)
    idle = ("Wait[]",) * len(house.agents)
    assert claimed(house, idle)[1] is None


def test_calls_that_fail_are_no_acts() -> None:
    house = pooled(PAIR)
    calls = tuple(
        tuple("Open[nothing_9]" if call == "Wait[]" else call for call in turn)
        for turn in plan_of(house.task)
    )
    assert calls != plan_of(house.task)
    rules, claim = claimed(house)
    assert claim is not None
    assert shortest(house, rules, claim.parts, calls) == claim


def test_a_plan_that_fails_proves_nothing() -> None:
    house = pooled(PAIR)
    rules = ProblemRules(exported(house))
    parts: tuple[Known, ...] = (((), show(positive(physical(house.goal)[0]))),)
    assert shortest(house, rules, parts, plan_of(house.task)[:-1]) is None
    assert shortest(house, rules, parts, (("Wait[]",),)) is None
