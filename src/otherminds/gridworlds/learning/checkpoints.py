"""The complete state of a training in a file, from which it goes on as if it had never stopped."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.gridworlds.learning.stored_arrays import arrays_of
from otherminds.gridworlds.learning.trainer import Trainer

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
