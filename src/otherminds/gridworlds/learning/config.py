"""Training files: TOML, checked before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from otherminds.core.errors import StudyError
from otherminds.core.near import near
from otherminds.core.user_files import check_kind, is_file, read_toml
from otherminds.gridworlds.learning.ppo import Settings
from otherminds.studies.faults import FaultyStudyError, faults_of

OWN = "own population"
SHIPPED = Path(__file__).parent / "configs"
Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Whole = Annotated[int, Field(ge=1)]


class TrainingFile(BaseModel):
    """One training of a population of ``members``, who share no weights.

    ``partners`` is ``own population``, or a scenario of the substrate: then a member plays the seat ``ego`` of each world,
    and partners drawn from the scenario's population anew in each episode play the others.
    ``steps`` are those of all members' seats together (agent steps). A world's seats belong to different members as far as there are
    enough. ``length`` is T, the steps of a rollout and of back-propagation. ``learning_rate`` falls linearly
    to zero, ``entropy`` linearly from its first to its second number. ``bonus`` gives pseudo-rewards by event, in the unit of rewards,
    which fall linearly to zero at ``bonus_until``, a share of ``steps``; scores never contain them.
    ``checkpoints`` and ``evaluations`` are how many there are in a training. ``modelling`` is the weight of PPO's prediction of what
    other players hold, 0 for none (:class:`~otherminds.gridworlds.learning.modelling.Modelling`). ``options``, ``posterior`` (what it sees of
    the others), ``divergence`` and ``spread`` are OPRE's, see :class:`~otherminds.gridworlds.learning.opre.OPRE`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    substrate: str
    partners: str = OWN
    algorithm: Literal["ppo", "opre"] = "ppo"
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    steps: Whole = 6_000_000
    members: Whole = 2
    worlds: Whole = 64
    length: Annotated[int, Field(ge=8, le=512)] = 64
    learning_rate: Positive = 1e-3
    entropy: tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]] = (0.02, 0.005)
    discount: Share = 0.99
    trace: Share = 0.95
    clip: Positive = 0.2
    value_weight: Positive = 0.5
    norm: Positive = 0.5
    epochs: Whole = 2
    minibatches: Whole = 4
    bonus: dict[str, float] = {}
    bonus_until: Share = 0.5
    checkpoints: Whole = 10
    evaluations: Whole = 12
    modelling: Annotated[float, Field(ge=0)] = 0.0
    options: Annotated[int, Field(ge=2, le=64)] = 8
    posterior: Literal["windows", "vectors"] = "windows"
    divergence: Annotated[float, Field(ge=0)] = 0.01
    spread: Annotated[float, Field(ge=0)] = 0.01

    @model_validator(mode="after")
    def _fits(self) -> TrainingFile:
        turns = self.members * (max(1, self.members - 1) if self.partners == OWN else 1)
        if self.worlds % turns:
            raise ValueError(
                f"worlds = {self.worlds} is no multiple of {turns}, so that members would not play equally often with "
                f"each other; use {max(turns, self.worlds // turns * turns)}"
            )
        return self

    @model_validator(mode="after")
    def _models(self) -> TrainingFile:
        if self.modelling and self.algorithm != "ppo":
            raise ValueError("modelling is an addition to ppo; opre has a posterior")
        return self

    @property
    def settings(self) -> Settings:
        """What the algorithm keeps fixed."""
        return Settings(
            self.discount, self.trace, self.clip, self.value_weight, self.norm, self.epochs, self.minibatches
        )


def shipped_trainings() -> list[str]:
    """The names of the shipped training files."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def load_training(name: Path) -> TrainingFile:
    """Reads a training file, or the shipped one of that name.

    Raises:
        StudyError: there is none, or it is not a training; the text lists all errors with their places.
    """
    path = name if is_file(name) else SHIPPED / f"{name}.toml"
    if not is_file(path):
        check_kind(path, StudyError)
        suggestion = near(name.stem, shipped_trainings())
        raise StudyError(
            f"{name}: no such training file{suggestion}; shipped are {', '.join(shipped_trainings())}"
        )
    raw = read_toml(path)
    try:
        return TrainingFile.model_validate(raw)
    except ValidationError as error:
        raise FaultyStudyError(faults_of(error, raw, TrainingFile.model_fields), str(path)) from error
