"""Secrets that messages must state: without a message about one of them, no run of the exact referee reaches the goal."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from otherminds.household.epistemic.certificate import Known, PlanTell
from otherminds.household.epistemic.relaxed import (
    WHOLE,
    Reachability,
    leave_untold,
    list_secrets,
    needed_secrets,
)
from tests.household.epistemic.random_problems import Case, drawn
from tests.household.epistemic.referee import Referee
from tests.household.epistemic.refereed import LENGTH, witness

SLOW = [pytest.param(range(k, k + 100), marks=pytest.mark.slow) for k in range(60, 1160, 100)]


def needed_of(case: Case, parts: tuple[Known, ...]) -> tuple[str, ...]:
    secrets = list_secrets(case.problem)
    reach = Reachability(case.problem, [WHOLE, *map(leave_untold, secrets)])
    return needed_secrets(reach, parts, secrets)


def referee(case: Case, points: int, untold: Iterable[str] = ()) -> Referee:
    return Referee(case.problem, case.wide, LENGTH, nature=case.nature, points=points, untold=untold)


@pytest.mark.parametrize("seeds", [range(60), *SLOW], ids=str)
def test_no_run_does_without_a_message_about_a_needed_secret(seeds: range) -> None:
    proved = reached = 0
    for seed in seeds:
        case, points = drawn(seed), 300 if len(seeds) > 100 else 1_500
        for part in case.problem.goal:
            for secret in needed_of(case, (part,)):
                proved += 1
                assert witness(case, referee(case, points, [secret]), part, 1) is None, (seed, part, secret)
            run = witness(case, referee(case, points), part, 1)
            if run is not None:
                reached += 1
                told = [step for step in run if isinstance(step, PlanTell)]
                assert len(told) >= len(needed_of(case, (part,))), (seed, part, run)
    assert proved > len(seeds) / 20
    assert reached > len(seeds) / 4


def test_a_wrong_claim_is_found() -> None:
    """If every secret were called needed, the referee would reach some part without a message about it."""
    wrong = 0
    for seed in range(120):
        case = drawn(seed)
        for secret in list_secrets(case.problem):
            without = referee(case, 300, [secret])
            wrong += any(witness(case, without, part, 1) is not None for part in case.problem.goal)
    assert wrong > 5
