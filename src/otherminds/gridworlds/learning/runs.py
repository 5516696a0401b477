"""A training in a folder: its curve, its checkpoints, its policies."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import numpy as np

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock, stopping
from otherminds.gridworlds.learning import checkpoints
from otherminds.gridworlds.learning.config import TrainingFile
from otherminds.gridworlds.learning.policy_files import export
from otherminds.gridworlds.learning.trainer import SCORED, Trainer
from otherminds.studies.progress import in_time

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
            checkpoints.load(trainer, out / CHECKPOINT)
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
            checkpoints.save(trainer, out / CHECKPOINT)


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
