"""Whole trainings: the same bytes for the same seed, also after a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from otherminds.core.errors import StudyError
from otherminds.gridworlds.learning import runs
from otherminds.gridworlds.learning.population import simulator
from otherminds.gridworlds.learning.trainer import (
    OWN,
    Trainer,
    TrainingFile,
    load_training,
    shipped_trainings,
)
from tests.cases import for_each

TINY = TrainingFile(
    substrate="pd-repeated-v1",
    steps=8 * 8 * 32,
    worlds=4,
    length=32,
    minibatches=2,
    checkpoints=4,
    evaluations=2,
    bonus={"collected": 0.1, "duelled": 1.0},
)


def files(folder: Path) -> dict[str, bytes]:
    names = ["curve.csv", "policy-0.safetensors", "policy-1.safetensors"]
    return {name: (folder / name).read_bytes() for name in names}


def quiet(text: str) -> None:
    pass


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    runs.train(TINY, folder, quiet)
    return folder


def test_a_seed_trains_to_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    runs.train(TINY, tmp_path, quiet)
    assert files(tmp_path) == files(finished)


def test_another_seed_trains_to_other_policies(finished: Path, tmp_path: Path) -> None:
    runs.train(TINY.model_copy(update={"seed": 1}), tmp_path, quiet)
    found = files(tmp_path)
    assert all(found[name] != content for name, content in files(finished).items())


@pytest.mark.parametrize("killed_at", [3, 5])
def test_a_killed_training_resumes_to_the_same_bytes(
    killed_at: int, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after an update that no checkpoint holds, and after a row of the curve that is written again."""
    advance = Trainer.advance

    def killed(trainer: Trainer) -> None:
        if trainer.update == killed_at:
            raise KeyboardInterrupt
        advance(trainer)

    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "advance", killed)
        with pytest.raises(KeyboardInterrupt):
            runs.train(TINY, tmp_path, quiet)
    assert not (tmp_path / "policy-0.safetensors").exists()
    said: list[str] = []
    runs.train(TINY, tmp_path, said.append)
    assert "resumes after" in said[0]
    assert files(tmp_path) == files(finished)


def test_a_finished_training_is_not_trained_again(finished: Path) -> None:
    before = files(finished)
    said: list[str] = []
    runs.train(TINY, finished, said.append)
    assert len(said) == 1
    assert files(finished) == before


def test_another_training_in_the_folder_is_refused(finished: Path) -> None:
    with pytest.raises(StudyError, match="holds another training"):
        runs.train(TINY.model_copy(update={"steps": 1}), finished, quiet)


def test_a_damaged_checkpoint_is_an_error_of_one_line(finished: Path, tmp_path: Path) -> None:
    (tmp_path / runs.CHECKPOINT).write_bytes((finished / runs.CHECKPOINT).read_bytes()[:1000])
    with pytest.raises(StudyError, match="no checkpoint of this training") as error:
        runs.train(TINY, tmp_path, quiet)
    assert "\n" not in str(error.value)


def test_questions_change_no_action() -> None:
    """A training whose probe is changed in every update makes the same policies."""
    plain, other = Trainer(TINY), Trainer(TINY)
    for _ in range(3):
        plain.advance()
        other.probe = {name: value + 1 for name, value in other.probe.items()}
        other.advance()
    for name, value in plain.parameters.items():
        np.testing.assert_array_equal(value, other.parameters[name])


def test_pseudo_rewards_are_in_no_score() -> None:
    """A bonus of 1,000 for each resource changes what is learnt from, and not the returns of the curve."""
    rich = Trainer(TINY.model_copy(update={"bonus": {"collected": 1000.0}}))
    poor = Trainer(TINY.model_copy(update={"bonus": {}}))
    told: dict[str, Any] = {}
    for name, trainer in (("rich", rich), ("poor", poor)):
        trainer.advance()
        told[name] = trainer.means.take()
    assert told["rich"]["own 0"] == told["poor"]["own 0"]
    assert told["rich"]["value_loss"] > 100 * told["poor"]["value_loss"]


@pytest.mark.parametrize(
    ("substrate", "partners"),
    [
        ("pd-repeated-v1", OWN),
        ("pd-repeated-v1", "pd-repeated-mixed-v1"),
        ("cooking-asymmetric-v1", "cooking-asymmetric-mixed-v1"),
    ],
)
def test_a_snapshot_holds_everything(substrate: str, partners: str) -> None:
    """A training that is restored makes the same updates as the one that went on."""
    config = TINY.model_copy(update={"substrate": substrate, "partners": partners, "bonus": {}})
    first, second = Trainer(config), Trainer(config)
    for _ in range(3):
        first.advance()
    runs.restore(second, {name: array.copy() for name, array in runs.snapshot(first).items()})
    for trainer in (first, second):
        trainer.advance()
    ours, theirs = runs.snapshot(first), runs.snapshot(second)
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)


def test_members_learn_beside_the_partners_of_a_scenario_in_the_first_seat() -> None:
    trainer = Trainer(TINY.model_copy(update={"partners": "pd-repeated-mixed-v1"}))
    trainer.advance()
    assert trainer.players.seats.tolist() == [[0, 4], [2, 6]]
    assert trainer.partners is not None
    assert (trainer.partners.cast[:, 0] == -1).all()
    assert (trainer.partners.cast[:, 1] >= 0).all()
    assert trainer.steps == TINY.worlds * TINY.length
    assert runs.describe_policy(trainer, 0)["partners"] == "pd-repeated-mixed-v1"


@for_each(
    ("partners", "told"),
    [
        ("pd-repeated-mixed-v2", "pd-repeated-mixed-v2"),
        ("rws-repeated-0-v1", "of rws-repeated-0-v1 is none of"),
        ("cooking-asymmetric-0-v1", "partner 'chef_0' of cooking-asymmetric-0-v1 is none of"),
    ],
)
def test_partners_of_another_substrate_are_refused(partners: str, told: str) -> None:
    with pytest.raises(StudyError, match=told):
        Trainer(TINY.model_copy(update={"partners": partners}))


@for_each("name", shipped_trainings())
def test_shipped_trainings_are_valid(name: str) -> None:
    config = load_training(Path(name))
    made = simulator(config.substrate, 1)
    assert set(config.bonus) <= set(made.bonuses)
    batch = config.worlds * (made.batch.players if config.partners == OWN else 1) // config.members
    assert batch % config.minibatches == 0


@for_each(
    ("text", "told"),
    [
        ('substrate = "pd-repeated-v1"\nworlds = 63', "no multiple of 2"),
        ('substrate = "pd-repeated-v1"\nlearning_rat = 1', "did you mean learning_rate?"),
        ('substrate = "pd-repeated-v1"\ndiscount = 2', "discount"),
        ('substrate = "pd-repeated-v2"', "did you mean pd-repeated-v1"),
        ('substrate = "pd-repeated-v1"\nbonus = {duel = 1}', "'duelled'"),
        ('substrate = "pd-repeated-v1"\nminibatches = 3', "minibatches"),
    ],
)
def test_wrong_files_are_errors_of_one_line(
    text: str, told: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("wrong") / "mine.toml"
    path.write_text(text)
    with pytest.raises(StudyError) as error:
        Trainer(load_training(path))
    assert told in str(error.value)
    assert "\n" not in str(error.value)
