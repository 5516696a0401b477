"""The claim that a task is hard is bound to the task by what cheap teams play there: true claims, and forged ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import msgspec
import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import Certificate, HardClaim, TeamEpisode, decoded
from otherminds.household.epistemic.check import RejectedError, check, lines
from otherminds.household.house import House
from otherminds.household.pool.store import PooledTask, load_split
from otherminds.household.proofs.episodes import MOST_SOLVERS, MULTIPLES, judge_hard, team_episodes
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.matching import check_for
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Calibration
from otherminds.household.teams import PANEL
from tests.cases import for_each

replace = structs.replace
UNSOLVED = next(team for team in PANEL if team.startswith("relay_news_only"))
"""A team that solves none of the tasks here."""


@cache
def pooled(split: str, solvers: int) -> PooledTask:
    """The first task of a split that so many cheap teams solve."""
    return next(one for one in load_split(split).values() if len(one.entry.cheap or ()) == solvers)


@cache
def house_of(split: str, solvers: int) -> House:
    task = pooled(split, solvers).task
    return House(task, load_scene(task.scene_id))


@cache
def true(solvers: int) -> Certificate:
    """The episodes and the claim of a hard task that so many cheap teams solve."""
    house = house_of("hard", solvers)
    episodes, problem = team_episodes(house), exported(house)
    verdict, claim = judge_hard(house, episodes, fair=True)
    assert verdict.proved
    return Certificate(problem, problem.sha256(), {}, episodes, claim)


def claim_of(whole: Certificate) -> HardClaim:
    assert whole.hard is not None
    return whole.hard


def rejection(house: House, whole: Certificate) -> str:
    """Why the claim in a certificate is rejected; "" if it is accepted."""
    return check_for(house, msgspec.json.encode(whole)).claims["hard"]


@for_each("solvers", range(MOST_SOLVERS + 1), every=MOST_SOLVERS)
def test_a_true_claim_is_accepted(solvers: int) -> None:
    whole = true(solvers)
    assert claim_of(whole) == HardClaim(
        tuple(PANEL), turns(solvers), dict(pooled("hard", solvers).entry.cheap or {})
    )
    assert rejection(house_of("hard", solvers), whole) == ""


def turns(solvers: int) -> int:
    calibration = pooled("hard", solvers).task.calibration
    assert calibration is not None
    return calibration.turns


FORGED: dict[str, tuple[Callable[[HardClaim], HardClaim], str]] = {
    "no solvers": (lambda one: replace(one, solvers={}), "solves it after"),
    "a solver less": (lambda one: replace(one, solvers=dict([*one.solvers.items()][1:])), "not never"),
    "other solvers": (
        lambda one: replace(one, solvers={UNSOLVED: MULTIPLES}),
        f"{UNSOLVED} solves it never",
    ),
    "a team that there is not": (lambda one: replace(one, solvers=one.solvers | {"x": (4,)}), "more than"),
    "solved after no turns": (lambda one: replace(one, solvers=dict.fromkeys(one.solvers, ())), "not never"),
    "fewer turns": (lambda one: replace(one, shortest=one.shortest - 1), "T* is"),
    "a solver more": (lambda one: replace(one, solvers=one.solvers | {UNSOLVED: (4,)}), "more than"),
    "solved at another time": (
        lambda one: replace(one, solvers=dict.fromkeys(one.solvers, (1, 2, 4))),
        "not after 1, 2, 4 T*",
    ),
    "no turns": (lambda one: replace(one, shortest=0), "T* is"),
    "more turns": (lambda one: replace(one, shortest=2 * one.shortest), "T* is"),
    "no teams": (lambda one: replace(one, teams=()), "cheap teams, in their order"),
    "a team less": (lambda one: replace(one, teams=one.teams[1:]), "cheap teams, in their order"),
    "without its solvers": (
        lambda one: replace(one, teams=tuple(t for t in one.teams if t not in one.solvers), solvers={}),
        "cheap teams, in their order",
    ),
    "a team twice": (lambda one: replace(one, teams=(*one.teams, one.teams[0])), "in their order"),
    "teams in another order": (lambda one: replace(one, teams=one.teams[::-1]), "in their order"),
}


@for_each("kind", FORGED, every=5)
def test_a_forged_claim_is_rejected(kind: str) -> None:
    forge, why = FORGED[kind]
    whole = true(MOST_SOLVERS)
    forged = forge(claim_of(whole))
    assert forged != claim_of(whole)
    assert why in rejection(house_of("hard", MOST_SOLVERS), replace(whole, hard=forged))


@for_each("solvers", [None, {}, dict.fromkeys([*PANEL][:MOST_SOLVERS], MULTIPLES)], every=3)
def test_a_task_that_more_cheap_teams_solve_is_not_hard_whatever_is_claimed(
    solvers: dict[str, tuple[int, ...]] | None,
) -> None:
    """The task is one that no easy team solves, but that many cheap teams do."""
    one = next(
        one
        for one in load_split("standard").values()
        if len(one.entry.cheap or ()) > MOST_SOLVERS
        and not any(one.entry.levels[team] for team in ("level 2", "broadcast"))
    )
    house = House(one.task, load_scene(one.task.scene_id))
    episodes, problem = team_episodes(house), exported(house)
    calibration = one.task.calibration
    assert calibration is not None
    said = dict(one.entry.cheap or {}) if solvers is None else solvers
    claim = HardClaim(tuple(PANEL), calibration.turns, said)
    assert rejection(house, Certificate(problem, problem.sha256(), {}, episodes, claim))


def easy_solves(one: TeamEpisode) -> TeamEpisode:
    return replace(one, solved=True) if one.team == "level 2" else one


def fails(one: TeamEpisode) -> TeamEpisode:
    return replace(one, solved=False) if one.team == "level 3" else one


@for_each(("change", "why"), [(easy_solves, "solved by level 2"), (fails, "level 3 does not solve")])
def test_the_claim_needs_the_episodes_of_a_hard_task(
    change: Callable[[TeamEpisode], TeamEpisode], why: str
) -> None:
    whole = true(0)
    assert why in rejection(house_of("hard", 0), replace(whole, episodes=tuple(map(change, whole.episodes))))
    assert rejection(house_of("hard", 0), replace(whole, episodes=()))


def test_the_claim_of_another_task_is_rejected() -> None:
    mine, other = true(0), true(MOST_SOLVERS)
    assert rejection(house_of("hard", MOST_SOLVERS), replace(other, hard=mine.hard))
    assert rejection(house_of("hard", 0), replace(mine, hard=other.hard))
    with pytest.raises(RejectedError, match="the problem is not that of task"):
        check_for(house_of("hard", MOST_SOLVERS), msgspec.json.encode(mine))


def test_another_number_of_turns_makes_another_task() -> None:
    house = house_of("hard", 0)
    shorter = House(replace(house.task, calibration=Calibration(2, 2, ())), house.scene)
    with pytest.raises(RejectedError, match="the problem is not that of task"):
        check_for(shorter, msgspec.json.encode(true(0)))


def test_without_a_claim_nothing_is_said_about_hard() -> None:
    raw = msgspec.json.encode(replace(true(0), hard=None))
    assert "hard" not in check_for(house_of("hard", 0), raw).claims
    assert check(raw).unchecked == {}


@for_each("field", ["teams", "shortest", "solvers"])
def test_a_part_of_the_claim_that_is_missing_makes_no_certificate(field: str) -> None:
    data = msgspec.to_builtins(true(0))
    del data["hard"][field]
    for look in (check, lambda raw: check_for(house_of("hard", 0), raw)):
        with pytest.raises(RejectedError, match="no certificate"):
            look(msgspec.json.encode(data))


def test_the_checker_without_the_household_says_that_it_does_not_check_the_claim() -> None:
    whole = true(0)
    for hard in (whole.hard, replace(claim_of(whole), solvers={UNSOLVED: (4,)})):
        said = check(msgspec.json.encode(replace(whole, hard=hard)))
        assert "hard" not in said.claims
        (line,) = (line for line in lines(said, {}) if line.startswith("hard: "))
        assert line.startswith("hard: not checked: ")


def test_the_household_says_that_the_claim_is_accepted() -> None:
    said = check_for(house_of("hard", 0), msgspec.json.encode(true(0)))
    assert "hard: accepted: played again" in [*lines(said, {})]


def test_a_certificate_with_a_claim_is_read_back() -> None:
    for whole in (true(MOST_SOLVERS), replace(true(0), hard=None)):
        assert decoded(msgspec.json.encode(whole)) == whole
