"""Suites: versioned studies in several sizes, with which models are compared."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from otherminds.core.errors import StudyError
from otherminds.core.near import hint, quoted
from otherminds.core.user_files import read_toml
from otherminds.studies.file import CellEntry, MindEntry, Strict, StudyFile, validate_data
from otherminds.studies.run_overrides import PLACE, entry_of

LEAST = 9
"""The least number of episodes of a mind in a size of a suite."""


class Size(Strict):
    """One size of a suite: the first ``episodes`` episodes of each scenario in its first ``cells`` cells (in all by default)."""

    name: str
    episodes: Annotated[int, Field(ge=1)]
    cells: Annotated[int, Field(ge=1)] | None = None


class Suite(Strict):
    """The cells of a suite, whose language minds have the model ``MODEL``, and its sizes, the smallest first.

    Sizes are nested: a larger one has all episodes of a smaller one, so that two results can be compared at the
    smaller of their sizes. Every episode has ``rounds`` rounds, where its world counts them.
    A change of anything that changes an episode raises ``version``.
    """

    name: str
    version: Annotated[int, Field(ge=1)]
    rounds: Annotated[int, Field(ge=1)] = 100
    cells: Annotated[list[CellEntry], Field(min_length=1)]
    sizes: Annotated[list[Size], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_nesting(self) -> Suite:
        for smaller, larger in pairwise(self.sizes):
            fewer = len(self.cells[: larger.cells]) < len(self.cells[: smaller.cells])
            if fewer or larger.episodes < smaller.episodes:
                raise ValueError(
                    f"size {larger.name!r} lacks episodes of {smaller.name!r}, which comes before it"
                )
        return self

    @model_validator(mode="after")
    def _large_enough(self) -> Suite:
        for size in self.sizes:
            episodes = size.episodes * sum(len(cell.scenarios) for cell in self.cells[: size.cells])
            if episodes < LEAST:
                raise ValueError(f"size {size.name!r} has {episodes} episodes of a mind, and needs {LEAST}")
        return self

    @property
    def title(self) -> str:
        """Name and version, such as ``core-1``."""
        return f"{self.name}-{self.version}"

    def size(self, name: str) -> Size:
        """The size called ``name``.

        Raises:
            StudyError: there is none.
        """
        for size in self.sizes:
            if size.name == name:
                return size
        sizes = [size.name for size in self.sizes]
        raise StudyError(f"suite {self.title} has no size {quoted(name)}{hint(name, sizes)}")

    def study(self, size: Size, mind: str = "") -> StudyFile:
        """The study of one size; ``mind``, with its default parameters, replaces the language mind of every cell.

        Studies of two sizes have the same name and rounds, and differ in cells and episodes only.
        """
        cells: list[CellEntry] = []
        for cell in self.cells[: size.cells]:
            entries = [entry_of(entry) for entry in cell.minds]
            minds = [_asking(entry, mind) if entry.model == PLACE else entry for entry in entries]
            cells.append(cell.model_copy(update={"minds": minds}))
        return StudyFile(name=self.title, episodes=size.episodes, rounds=self.rounds, cells=cells)

    def upto(self, size: Size) -> list[Size]:
        """``size`` and all that are smaller, the smallest first."""
        return self.sizes[: self.sizes.index(size) + 1]


def _asking(entry: MindEntry, mind: str) -> MindEntry:
    """A language mind, called by its name alone in reports."""
    if mind in ("", entry.mind):
        return entry.model_copy(update={"label": entry.mind})
    return MindEntry(mind=mind, model=PLACE, label=mind)


def suite(name: str) -> Suite:
    """The shipped suite called ``name``.

    Raises:
        StudyError: there is none.
    """
    files = suites()
    if name not in files:
        raise StudyError(f"there is no suite {quoted(name)}{hint(name, files)}")
    return validate_data(Suite, read_toml(files[name]))


def suites() -> dict[str, Path]:
    """The file of every shipped suite, by name; its first line describes it."""
    return {file.stem: file for file in sorted(Path(__file__).with_name("suites").glob("*.toml"))}
