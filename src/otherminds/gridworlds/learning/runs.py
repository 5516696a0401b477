"""A training in a folder: its curve, its checkpoints, its policies.

A checkpoint is the complete state of a training, from which it goes on as if it had never stopped. Policy files are
safetensors with all that it takes to play them, which numpy alone can read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save as encode_tensors

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock, stopping
from otherminds.gridworlds.learning.stored_arrays import arrays_of
from otherminds.gridworlds.learning.trainer import SCORED, Trainer, TrainingFile
from otherminds.studies.progress import in_time

Arrays = dict[str, NDArray[Any]]


def save(trainer: Trainer, path: Path) -> None:
    """Writes the checkpoint; after a fault, the file is the old or the new one.

    Raises:
        StudyError: it cannot be written.
    """
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **snapshot(trainer))
    replace_file(path, buffer.getvalue(), durable=True)


def load(trainer: Trainer, path: Path) -> None:
    """Continues from the checkpoint in ``path``.

    Raises:
        StudyError: it cannot be read, or is not one of such a training.
    """
    try:
        restore(trainer, arrays_of(read_file(path)))
    except (LookupError, OverflowError, TypeError, ValueError) as error:
        raise StudyError(f"{path}: no checkpoint of this training ({error}); delete the folder") from error


def snapshot(trainer: Trainer) -> Arrays:
    """All that the rest of a training depends on."""
    players, memory = trainer.players, trainer.memory
    arrays: Arrays = {"update": np.array(trainer.update)}
    for name, tree in _trees(trainer).items():
        arrays |= {f"{name}.{n}": np.asarray(leaf) for n, leaf in enumerate(jax.tree.leaves(tree))}
    arrays |= {f"players.{name}": getattr(players, name) for name in ("h", "action", "reward", "first")}
    arrays |= {f"batch.{name}": array for name, array in players.batch.snapshot().items()}
    arrays |= {f"simulator.{name}": array for name, array in trainer.simulator.remembered.items()}
    if trainer.partners is not None:
        arrays |= {f"partners.{name}": array for name, array in trainer.partners.snapshot().items()}
    for n, rollout in enumerate(memory.rollouts):
        arrays |= {f"memory.{n}.{part}": array for part, array in enumerate(rollout)}
    arrays["means"] = np.array([*trainer.means.totals.values(), *trainer.means.weights.values()], np.float64)
    arrays["means.names"] = np.array([*trainer.means.totals], np.str_)
    return arrays


def restore(trainer: Trainer, arrays: Arrays) -> None:
    """Sets the state of a new training.

    Raises:
        KeyError: something is missing.
        ValueError: something has another shape.
    """
    trainer.update = int(arrays["update"])
    for name, tree in _trees(trainer).items():
        leaves, form = jax.tree.flatten(tree)
        setattr(
            trainer, name, form.unflatten([jnp.asarray(arrays[f"{name}.{n}"]) for n in range(len(leaves))])
        )
    for name in ("h", "action", "reward", "first"):
        getattr(trainer.players, name)[:] = arrays[f"players.{name}"]
    trainer.players.batch.restore(_under("batch.", arrays))
    trainer.simulator.remembered.update(_under("simulator.", arrays))
    if trainer.partners is not None:
        trainer.partners.restore(_under("partners.", arrays))
    for n in range(sum(name.startswith("memory.") for name in arrays) // 3):
        trainer.memory.add(*(arrays[f"memory.{n}.{part}"] for part in range(3)))
    names = arrays["means.names"].tolist()
    values = arrays["means"].tolist()
    trainer.means.totals = dict(zip(names, values[: len(names)], strict=True))
    trainer.means.weights = dict(zip(names, values[len(names) :], strict=True))


def _trees(trainer: Trainer) -> dict[str, Any]:
    names = ("parameters", "optimising", "probe", "probe_optimising")
    return {name: getattr(trainer, name) for name in names}


def _under(prefix: str, arrays: Arrays) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


FORMAT = 1
KEY = "otherminds"
"""The metadata's key."""
TRAINING_ONLY = ("value.", "posterior.", "model.")
"""Beginnings of the names of parameters that acting does not need."""


def export(trainer: Trainer, folder: Path) -> list[Path]:
    """Writes ``policy-0.safetensors``, ..., a file for each member, and returns their paths.

    Raises:
        StudyError: a file cannot be written.
    """
    paths = []
    for member in range(trainer.config.members):
        path = folder / f"policy-{member}.safetensors"
        replace_file(path, policy_file(trainer, member), durable=True)
        paths.append(path)
    return paths


def policy_file(trainer: Trainer, member: int) -> bytes:
    """The file of a member."""
    tensors = {
        name: np.ascontiguousarray(np.asarray(value)[member], np.float32)
        for name, value in (trainer.parameters | trainer.probe).items()
        if not name.startswith(TRAINING_ONLY)
    }
    return encode_tensors(tensors, {KEY: json.dumps(describe_policy(trainer, member))})


def describe_policy(trainer: Trainer, member: int) -> dict[str, Any]:
    """The metadata of a member's file."""
    config, shape, batch = trainer.config, trainer.shape, trainer.simulator.batch
    return {
        "format": FORMAT,
        "algorithm": config.algorithm,
        "substrate": config.substrate,
        "window": list(shape.window),
        "codes": list(shape.codes),
        "vector": [list(part) for part in batch.substrate.vector],
        "scale": list(shape.scale),
        "reward_scale": shape.reward_scale,
        "behaviours": list(trainer.simulator.behaviours),
        "others": batch.players - 1,
        "steps": trainer.steps // config.members,
        "seed": config.seed,
        "member": member,
        "members": config.members,
        "partners": config.partners,
        "config": config.model_dump(mode="json"),
    }


CONFIG, CURVE, CHECKPOINT, TIMES = "training.json", "curve.csv", "checkpoint.npz", "times.json"
Row = dict[str, float | int]


def train(config: TrainingFile, out: Path, say: Callable[[str], None]) -> list[Path]:
    """Runs a training in ``out``, or resumes it there, and returns its policy files.

    ``say`` gets lines on progress. Written are ``training.json`` (the configuration), ``curve.csv`` (a row for each evaluation),
    ``checkpoint.npz``, ``times.json`` (processor seconds by part), TensorBoard's event files in ``logs`` if tensorboardX is
    installed, and at the end ``policy-0.safetensors``, ...

    Raises:
        StudyError: the folder holds another training or is in use, or learners cannot play the substrate.
        RunStoppedError: the folder or its disk failed meanwhile; the same call resumes from the last checkpoint.
    """
    out.mkdir(parents=True, exist_ok=True)
    lock = Lock(out)
    try:
        _claim(config, out)
        trainer = Trainer(config)
        rows: list[Row] = []
        if (out / CHECKPOINT).exists():
            load(trainer, out / CHECKPOINT)
            rows = [row for row in _read_curve(out / CURVE) if row["update"] <= trainer.update]
            say(f"{out}: resumes after {trainer.steps:,} of {trainer.updates * trainer.per_update:,} steps")
        with stopping():
            _go_on(trainer, lock, rows, say)
            replace_file(out / TIMES, json.dumps(trainer.times))
            return export(trainer, out)
    finally:
        lock.release()


def _go_on(trainer: Trainer, lock: Lock, rows: list[Row], say: Callable[[str], None]) -> None:
    config, out = trainer.config, lock.folder
    logs = _logs(out / "logs", trainer.steps)
    evaluated, stored = (
        {round(trainer.updates * (n + 1) / count) for n in range(count)}
        for count in (config.evaluations, config.checkpoints)
    )
    began, first = monotonic(), trainer.update
    while trainer.update < trainer.updates:
        trainer.advance()
        lock.check()
        if trainer.update in evaluated:
            rows.append(_row(trainer))
            replace_file(out / CURVE, _write_curve(rows))
            for name, value in rows[-1].items():
                logs(name, value, trainer.steps)
            remaining = (trainer.updates - trainer.update) * (monotonic() - began) / (trainer.update - first)
            say(f"{_line(rows[-1], trainer)}, about {in_time(remaining)} left")
        if trainer.update in stored:
            save(trainer, out / CHECKPOINT)


def _row(trainer: Trainer) -> Row:
    """A row of the curve: returns are undiscounted, without pseudo-rewards, over ``SCORED`` steps of a seat."""
    row: Row = {"update": trainer.update, "steps": trainer.steps}
    for name, value in sorted(trainer.means.take().items()):
        row[name] = value * SCORED if name.startswith(("own", "shown")) else value
    for member, returns in enumerate(trainer.evaluate()):
        row[f"random {member}"] = float(returns.mean())
        row[f"random error {member}"] = float(returns.std(ddof=1) / np.sqrt(len(returns)))
    return row


def _line(row: Row, trainer: Trainer) -> str:
    members = range(trainer.config.members)
    own, random = (
        ", ".join(f"{row[f'{name} {member}']:.1f}" for member in members) for name in ("own", "random")
    )
    total = trainer.updates * trainer.per_update
    partners = trainer.config.partners
    return f"{row['steps']:,} of {total:,} steps: with the {partners} {own}, among random players {random}"


def _claim(config: TrainingFile, out: Path) -> None:
    path, text = (
        out / CONFIG,
        msgspec.json.format(msgspec.json.encode(config.model_dump(mode="json")), indent=2),
    )
    if not path.exists():
        replace_file(path, text)
    elif read_file(path) != text:
        raise StudyError(
            f"{out}: holds another training; choose another folder, or give its configuration again"
        )


def _read_curve(path: Path) -> list[Row]:
    if not path.exists():
        return []
    table = csv.DictReader(io.StringIO(read_file(path).decode()))
    return [
        {
            name: int(text) if name in {"update", "steps"} else float(text or "nan")
            for name, text in row.items()
        }
        for row in table
    ]


def _write_curve(rows: list[Row]) -> str:
    """The curve as CSV. Numbers are written so that reading gives them back exactly."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    table = csv.DictWriter(text, names, lineterminator="\n", restval="nan")
    table.writeheader()
    table.writerows([{name: repr(value) for name, value in row.items()} for row in rows])
    return text.getvalue()


def _logs(folder: Path, steps: int) -> Callable[[str, float, int], Any]:
    """What adds a number to TensorBoard's logs; nothing, if the package is not installed."""
    if find_spec("tensorboardX") is None:
        return lambda name, value, at: None
    from tensorboardX import SummaryWriter

    return SummaryWriter(str(folder), purge_step=steps).add_scalar
