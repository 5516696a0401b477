"""A user's own substrate, a file of twelve lines, does by its path what a shipped one does by its name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import otherminds as om
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.gridworlds.own import Bot, Machine, Puppeteer, always, make_scenario, read_rules, substrate
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from tests.cases import for_each
from tests.cli.running import invoked

FILE = Path(__file__).parents[2] / "examples" / "market.toml"


def test_it_is_played_and_scored() -> None:
    record = om.play(str(FILE), "bayesian", seed=1, options={"steps": 300})
    assert record.spec.scenario == str(FILE)
    assert record.facts["duels"]
    assert om.score(record).returns == record.total("ego")
    again = om.play(record.spec.scenario, "bayesian", seed=1, options=record.spec.options)
    assert again.actions == record.actions


@for_each(("which", "bots"), [("0", {"wheat", "wine"}), ("mixed", {"wheat", "wine"}), (0, {"wheat", "wine"})])
def test_its_scenarios_are_an_option(which: str | int, bots: set[str]) -> None:
    built = scenario(str(FILE), {"which": which})
    assert {spec.mind for members in built.population.meet(8) for spec in members} == bots


def test_a_number_that_there_is_not_is_said_with_those_there_are() -> None:
    with pytest.raises(om.StudyError, match=r"market\.toml has no scenario 3; there are 0, mixed"):
        scenario(str(FILE), {"which": 3})
    with pytest.raises(om.StudyError, match=r"none\.toml: there is no file"):
        om.make("none.toml")


def test_a_file_that_misspells_a_key_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "market.toml"
    for key in ("row", "classes", "symbols", "colours", "map"):
        path.write_text(
            FILE.read_text(encoding="utf-8").replace(f"{key} =", f"{key}x =", 1), encoding="utf-8"
        )
        with pytest.raises(
            om.StudyError, match=rf"market\.toml: line \d+: there is no key '{key}x' here; did you mean"
        ):
            scenario(str(path), {})


def test_it_is_a_batch_with_its_own_bots_as_partners() -> None:
    envs = om.make(str(FILE), num_envs=4, partners=str(FILE))
    first, _ = envs.reset(seed=0)
    for _ in range(20):
        second, rewards, *_ = envs.step(np.full(4, 7))
    assert first.shape == second.shape
    assert rewards.shape == (4,)
    assert substrate(str(FILE)).name == "market"


def test_it_is_a_cell_of_a_study_and_replayed(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    cell = f'[[cells]]\nscenarios = ["{FILE}"]\nminds = ["uniform"]\noptions = {{ steps = 60 }}\n'
    study.write_text(f'name = "own"\nepisodes = 2\n{cell}', encoding="utf-8")
    om.run(study, out=tmp_path / "run")
    assert {record.spec.scenario for record in om.records(tmp_path / "run")} == {str(FILE)}
    page = tmp_path / "episode.html"
    assert invoked("replay", tmp_path / "run", "0", "--page", page).exit_code == 0
    assert page.stat().st_size > 20_000


def test_a_partner_of_ones_own_takes_one_import() -> None:
    rules = read_rules(FILE)
    turns = Machine(0, lambda turn: always(turn, 2), lambda turn, own, other: 1 - turn)
    trader = Bot(rules, Puppeteer(turns.automaton(rules.game, 50), (2, 2)))
    built = make_scenario(rules, "0", steps=300)
    record, _ = play_now(
        Setup(
            built, {"ego": Participant(trader), "partner_0": make_mind(om.SeatSpec("uniform"))}, partners={}
        )
    )
    duels = [
        dict(zip(duel["seats"], duel["inventories"], strict=True))["ego"] for duel in record.facts["duels"]
    ]
    assert {int(np.argmax(inventory)) for inventory in duels} == {0, 1}
    assert all(max(inventory) - min(inventory) >= 1 for inventory in duels)


@pytest.mark.slow
def test_learners_train_in_it(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    from otherminds.gridworlds.learning.runs import train
    from otherminds.gridworlds.learning.trainer import TrainingFile

    config = TrainingFile(
        substrate=str(FILE),
        partners=str(FILE),
        steps=2048,
        members=1,
        worlds=8,
        length=16,
        checkpoints=1,
        evaluations=1,
    )
    train(config, tmp_path / "run", print)
    assert [*(tmp_path / "run").glob("policy-*.safetensors")]
