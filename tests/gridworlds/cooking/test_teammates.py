"""The table that roles are chosen by is the one that was measured, and choices by it are the best roles."""

from __future__ import annotations

from pathlib import Path

from otherminds.gridworlds.cooking.bayesian import KINDS, SOUPS, best
from otherminds.gridworlds.cooking.cooks import BEST, COOKS, NAMES
from otherminds.gridworlds.cooking.form import ROLES
from tests.cases import for_each

MEASURED = Path(__file__).parents[3] / "benchmarks" / "results" / "cooks.md"
COLUMNS = (
    "alone",
    "supply",
    "serve",
    "share",
    "apprentice_0",
    "apprentice_1",
    "chef_0",
    "chef_1",
    "noop_bot",
)
AS_COOKS = {"supplier": "supply", "server": "serve"}
"""How a kind that keeps to one role is called among cooks."""


def measured() -> dict[tuple[str, str], float]:
    """Soups by who is in the left room and who in the right one."""
    lines = MEASURED.read_text().split("soups in 1,000 steps, mean of 20 episodes")[1].splitlines()
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    return {
        (row[0], column): float(soups)
        for row in rows[: len(COLUMNS)]
        for column, soups in zip(COLUMNS, row[1:], strict=True)
    }


def test_the_table_is_the_measured_one() -> None:
    found = measured()
    for i, kind in enumerate(KINDS):
        cook = AS_COOKS.get(kind.name, kind.name)
        for role in ROLES:
            assert SOUPS[True][role][i] == found[role, cook]
            assert SOUPS[False][role][i] == found[cook, role]


def test_everybody_who_is_met_is_a_kind_with_its_own_policy() -> None:
    kinds = {kind.name: kind for kind in KINDS}
    assert {*NAMES} < {*kinds}
    assert all(kinds[name].policy == policy for name, policy in COOKS.items())
    assert len({kind.sentence for kind in KINDS}) == len({kind.policy for kind in KINDS}) == len(KINDS)


@for_each("name", NAMES)
@for_each("serves", [True, False])
def test_who_is_sure_plays_the_best_role(name: str, serves: bool) -> None:
    belief = [float(kind.name == name) for kind in KINDS]
    assert best(belief, serves) == (BEST[name].serving if serves else BEST[name].supplying)


def test_finding_out_costs_nothing() -> None:
    """Who does not know plays the role that begins like the best ones beside all who are met."""
    nobody_knows = [1 / len(KINDS)] * len(KINDS)
    assert best(nobody_knows, serves=True) == "alone"
    assert best(nobody_knows, serves=False) == "share"
    for i, kind in enumerate(KINDS):
        lost = max(SOUPS[False][role][i] for role in ROLES) - SOUPS[False]["share"][i]
        assert lost <= 3.0, kind
