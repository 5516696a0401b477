"""Where kinds of models become known, and spec strings are opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from otherminds.core.contracts import Model
from otherminds.core.registry import Registry

Kind: TypeAlias = Callable[[str], Model]
"""``kind(rest)``: the model that a spec string names; ``rest`` is what follows its first colon."""

models: Registry[Kind] = Registry("model", "otherminds.models")


def open_model(spec: str) -> Model:
    """The model that ``spec`` names, such as ``smollm2`` or ``gguf:PATH``.

    >>> open_model("scripted:first").spec
    'scripted:first'

    Raises:
        StudyError: no such kind of model, or a name that this kind does not have.
        ProviderError: its files are missing or damaged, or cannot be fetched.
    """
    kind, _, rest = spec.partition(":")
    return models.get(kind)(rest)
