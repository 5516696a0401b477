"""Every registered scenario of the matrix world keeps what every scenario keeps."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from fractions import Fraction
from inspect import signature
from typing import Any

import pytest

from otherminds.core.data import Moment, Turn
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario, scenario, scenarios
from otherminds.games.registry import games
from otherminds.matrix.world import MatrixWorld
from otherminds.testing import ScenarioConformance
from otherminds.testing.compare import promise
from otherminds.testing.episodes import elsewhere
from tests.cases import depth, for_each

ROUNDS = 10
CHICKEN = {
    "name": "chicken",
    "behaviours": ["swerve", "straight"],
    "payoffs": [[[3, 3], [1, 4]], [[4, 1], [0, 0]]],
}
MISMATCH = {
    "name": "mismatch",
    "behaviours": [["up", "down"], ["left", "middle", "right"]],
    "payoffs": [[[1, -2], [0, 0.5], [4, 4]], [[2, 2], [-3, 1], [0, 0]]],
}
OURS = tuple(f"{game}-" for game in (*games, "bimatrix"))
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        name: (name, {"game": CHICKEN} if name.startswith("bimatrix") else {})
        for name in scenarios
        if name.startswith(OURS)
    },
    **{
        f"rps-mixed-v1 {names}": ("rps-mixed-v1", {"names": names})
        for names in ("letters", "canonical", "repeated", "nonsense")
    },
    **{f"ipd-mixed-v1 {names}": ("ipd-mixed-v1", {"names": names}) for names in ("canonical", "repeated")},
    "ipd-single-v1 own names": ("ipd-single-v1", {"names": ["Stay", "Stay out"]}),
    "ibs-mixed-v1 asked before": ("ibs-mixed-v1", {"literal": "before"}),
    "bimatrix-cycler-v1 not square": ("bimatrix-cycler-v1", {"game": MISMATCH}),
    "bimatrix-level_k-v1 not square": ("bimatrix-level_k-v1", {"game": MISMATCH, "names": "neutral"}),
}


class OneScenario(ScenarioConformance):
    case: str

    def make_scenario(self) -> Scenario:
        name, options = CASES[self.case]
        return scenario(name, {"rounds": ROUNDS, **options})


class NotSquare(OneScenario):
    """Where there is nothing to copy, the prior with tit-for-tat cannot be had; the others can."""

    def make_scenario(self) -> Scenario:
        made = super().make_scenario()
        with pytest.raises(StudyError, match="cannot copy"):
            made.priors["mixed"]()
        return replace(made, priors={name: prior for name, prior in made.priors.items() if name != "mixed"})


def kind(case: str) -> type[OneScenario]:
    base = NotSquare if case.endswith("not square") else OneScenario
    return type(re.sub(r"\W|_", "", case.title()), (base,), {"case": case})


KINDS = {case: kind(case) for case in CASES}
CHECKS = [name for name in dir(ScenarioConformance) if name.startswith("test_")]
HERE = [name for name in CHECKS if name not in ("test_same_in_another_process", "test_garbage_is_no_answer")]
"""The checks of each scenario by itself. Another process is asked once for all of them; garbage is read once for each way to ask."""


@pytest.mark.parametrize("case", KINDS)
@for_each("check", HERE)
def test_every_scenario_keeps_it(case: str, check: str) -> None:
    getattr(KINDS[case](), check)()


def list_asks(case: str) -> str:
    """All that the reading of a reply depends on in a scenario: who reads it in each seat, and what was asked."""
    made = KINDS[case]().make_scenario()
    assert made.verbalizer is not None
    drawn = made.drawn(OneScenario.seeds[0])
    questions = [probe.question for probe in made.probes_for(drawn)]
    asks: list[object] = []
    for seat in made.seats:
        verbalizer = made.verbalizer(drawn, seat)
        put = (Turn(), *(question for question in questions if question.seat == seat))
        asks += [(type(verbalizer), verbalizer.ask(about, Moment(0, None))) for about in put]
    return repr(asks)


@pytest.mark.parametrize("every", depth(3, 1))
def test_garbage_is_no_answer_however_it_is_asked(every: int) -> None:
    different = {list_asks(case): case for case in KINDS}
    assert len(different) > len(OURS)
    for case in [*different.values()][::every]:
        KINDS[case]().test_garbage_is_no_answer()


class AllScenarios:
    def fingerprint(self) -> str:
        return hashlib.sha256("".join(made().fingerprint() for made in KINDS.values()).encode()).hexdigest()


def test_all_scenarios_are_the_same_in_another_process() -> None:
    hashes = [AllScenarios().fingerprint(), *elsewhere(AllScenarios(), "fingerprint")]
    promise(len(set(hashes)) == 1, "the same records in every process", f"their hashes are {hashes}")


def test_no_scenario_is_left_out() -> None:
    native = [name for name in scenarios if not name.startswith(("axelrod-", "household-"))]
    made = {name for name in native if isinstance(_world(name), MatrixWorld)}
    assert made == {name for name, _ in CASES.values()}
    assert len(KINDS) == len(CASES) == len({made.__name__ for made in KINDS.values()})


def _world(name: str) -> object:
    options = {"game": CHICKEN} if "game" in signature(scenarios.get(name)).parameters else {}
    return scenario(name, options).world()


@for_each("game", ["ibs", "ipd", "rps"])
def test_in_mixed_populations_half_of_the_partners_are_constant(game: str) -> None:
    """Riemer et al. 2025: tit for tat with probability one half, else each constant behaviour alike."""
    columns = len(games.get(game)().behaviours[1])
    members = {
        partner.title: weight for weight, (partner,) in scenario(f"{game}-mixed-v1", {}).population.members
    }
    assert members.pop("tit_for_tat") == Fraction(1, 2)
    assert [*members.values()] == [Fraction(1, 2 * columns)] * columns
    assert all(name.startswith("single") for name in members)
