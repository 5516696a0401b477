"""The command ``otherminds train``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from otherminds.cli.shared import Out, seed_option

LACKING = "training needs the extra 'learn': pip install 'otherminds[learn]'"


def train(
    config: Annotated[Path, typer.Argument(help="A training file (TOML), or the name of a shipped one.")],
    out: Out,
    seed: Annotated[int | None, seed_option("The seed; overrides the file.", 32)] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Agent steps of the whole population; overrides the file.")
    ] = None,
) -> None:
    """Train a population of learners in a gridworld, or resume a training that was stopped.

    Needs the extra 'learn'. Repeat the command to resume: the curve and the policies are those of a training that was not
    stopped. Written are the curve, a checkpoint, TensorBoard's logs and a policy file for each member.

    \b
    Examples:
      otherminds train rws-repeated-ppo --steps 100000 --out runs/train
    """
    from otherminds.core.errors import StudyError

    if any(find_spec(name) is None for name in ("jax", "optax", "safetensors")):
        raise StudyError(LACKING)
    from otherminds.gridworlds.learning.runs import train as run_training
    from otherminds.gridworlds.learning.trainer import load_training

    overrides = {name: value for name, value in (("seed", seed), ("steps", steps)) if value is not None}
    training = load_training(config).model_copy(update=overrides)
    for path in run_training(training, out, lambda text: typer.echo(text, err=True)):
        typer.echo(path)
