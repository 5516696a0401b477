"""The project's worlds on the real Melting Pot: the same observations, encounters and truths, another engine.

Every mind, skill, bot and verbalizer works here as it does in the native worlds.
Needs the extra ``meltingpot``: docs/melting_pot.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.bridges.melting_pot_engines import KitchenEngine, MatrixEngine, RealEngine
from otherminds.bridges.melting_pot_lab import versions
from otherminds.worlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.worlds.cooking.rules import Rules as CookingRules
from otherminds.worlds.cooking.world import CookingWorld
from otherminds.worlds.grid.world import GridWorld
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.world import InTheMatrixWorld


class OnRealEngine(GridWorld):
    """What the worlds on the real engine share."""

    def _use(self, played: RealEngine) -> None:
        self.metadata["name"] = f"real_{self.metadata['name']}"
        self.engine = played
        self.lab = played.lab

    def facts(self) -> dict[str, Any]:
        """What the native world says, and what engine played."""
        return super().facts() | {"engine": versions()}

    def render(self) -> str | NDArray[np.uint8]:
        """The map in characters (``ansi``), or as the engine draws it, uint8[height·8, width·8, 3]."""
        return self.lab.see("WORLD.RGB") if self.render_mode == "rgb_array" else super().render()


class RealInTheMatrix(OnRealEngine, InTheMatrixWorld):
    """:class:`InTheMatrixWorld` on the real engine, which plays the shipped rules (``maximum`` may differ).

    Raises:
        StudyError: the extra is not installed, or ``rules`` are others than the shipped ones.
    """

    def __init__(
        self,
        rules: Rules,
        skills: tuple[str, ...] = (),
        rounds: int = 0,
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(rules, skills, rounds, plain=True, rgb=rgb, render_mode=render_mode)
        self._use(MatrixEngine(rules))


class RealCooking(OnRealEngine, CookingWorld):
    """:class:`CookingWorld` on the real engine, which plays the shipped rules (``maximum`` may differ).

    Raises:
        StudyError: the extra is not installed, or ``rules`` are others than the shipped ones.
    """

    def __init__(
        self,
        rules: CookingRules = COOKING_ASYMMETRIC,
        skills: tuple[str, ...] = (),
        rounds: int = 0,
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(rules, skills, rounds, plain=True, rgb=rgb, render_mode=render_mode)
        self._use(KitchenEngine(rules))
