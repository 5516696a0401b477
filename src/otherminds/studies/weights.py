"""The digests of model files that a run was played with, so that a resumed run has one model under one name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError

WEIGHTS = "weights.json"
"""In a run's folder: the SHA-256 of each model's file, by the model's name."""


def kept_weights(folder: Path) -> dict[str, str]:
    """The digests in ``folder``, by model; none if no model of its run is a file.

    Raises:
        StudyError: the file of digests is damaged.
    """
    path = folder / WEIGHTS
    if not path.is_file():
        return {}
    try:
        return msgspec.json.decode(read_file(path), type=dict[str, str])
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{path}: is damaged ({error}); restore it, or choose another --out") from error


def keep_weights(folder: Path, digests: Mapping[str, str]) -> None:
    """Adds ``digests`` (by model) to those of the run in ``folder``. The caller holds the lock of the folder.

    Raises:
        StudyError: a model of the run had another file.
    """
    kept = kept_weights(folder)
    for model, digest in digests.items():
        if kept.get(model, digest) != digest:
            raise StudyError(
                f"{folder}: its episodes of {model} were played with the file of SHA-256 {kept[model]}, and the file "
                f"there now has {digest}; put the first file back, or choose another --out"
            )
    if any(model not in kept for model in digests):
        replace_file(folder / WEIGHTS, msgspec.json.encode({**kept, **digests}), durable=True)
