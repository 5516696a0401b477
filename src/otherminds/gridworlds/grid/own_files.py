"""A user's own substrate: the path of its TOML file stands where the name of a scenario or of a substrate does.

A kind of world registers a :class:`OwnFiles`. The file says of which kind it is by its keys.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from otherminds.core.scenario import Scenario, scenarios
from otherminds.core.user_files import read_toml
from otherminds.gridworlds.grid.learner import Substrate, substrates


class OwnFiles(NamedTuple):
    """What is made of the files of one kind of world: those that have ``key``.

    ``bind_scenario`` gives a maker of scenarios, whose option ``which`` is a number or a mixture; ``make_substrate`` what
    learners train on.
    """

    key: str
    bind_scenario: Callable[[Path], Callable[..., Scenario]]
    make_substrate: Callable[[Path], Substrate]


KINDS: list[OwnFiles] = []
"""The first is that of a file without any of the keys, whose reader then says what is missing."""


def choose_kind(path: Path) -> OwnFiles:
    """The kind of the file at ``path``.

    Raises:
        StudyError: there is no such file, or it is not TOML.
    """
    content = read_toml(path)
    return next((kind for kind in KINDS if kind.key in content), KINDS[0])


@scenarios.opens(".toml")
def open_scenario(path: Path) -> Callable[..., Scenario]:
    """The scenarios of a user's own substrate."""
    return choose_kind(path).bind_scenario(path)


@substrates.opens(".toml")
def open_substrate(path: Path) -> Callable[[], Substrate]:
    """A user's own substrate."""
    return lambda: choose_kind(path).make_substrate(path)
