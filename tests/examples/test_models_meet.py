"""``examples/models_meet.toml``: two models in a matrix game, a gridworld and a house by one study file."""

from __future__ import annotations

from pathlib import Path

from otherminds.reports.findings import findings
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides
from tests.studies.conftest import Heard

STUDY = Path(__file__).parents[2] / "examples" / "models_meet.toml"
MODEL = "scripted:uniform"


def test_two_models_meet_in_three_kinds_of_worlds(tmp_path: Path) -> None:
    plan = plan_file(STUDY, RunOverrides((MODEL,), rounds=4, episodes=2))
    assert run(plan, tmp_path, Heard()) == {"scored": 14}
    seats: dict[str, set[tuple[str, str]]] = {}
    for record in results(tmp_path)[1]:
        callers = {call.seat for call in record.calls}
        with_models = {seat for seat, who in record.spec.seats.items() if who.model}
        assert callers == with_models
        if len(with_models) == 2:
            first, second = (record.spec.seats[seat].model for seat in record.seats)
            seats.setdefault(record.spec.title.split("-")[0], set()).add((first, second))
    assert seats == {
        "ipd": {(MODEL, "competent"), ("competent", MODEL)},
        "pd": {(MODEL, "competent"), ("competent", MODEL)},
        "household": {(MODEL, "scripted:first"), ("scripted:first", MODEL)},
    }
    made = findings(plan.cells(), results(tmp_path)[1], {}, {}, curves=False)
    assert {row.scenario.split("-")[0] for row in made.worlds["pairs"]} == {"ipd", "pd"}
    assert {verdict.kind for verdict in made.verdicts} == {"not measured"}
