"""The project's gridworlds on the real Melting Pot: the same observations, encounters and truths, another engine.

Every mind, skill, bot and verbalizer works here as it does in the native worlds.
Needs the extra ``meltingpot``: docs/melting_pot.md.

The state is read from what the engine shows: the sprites of the whole map, each
player's observations, its events. Only three things are derived: how long a duel is
pending and, in the kitchen, whether a beam cools and what it did, which follows from
what its avatar holds. Windows are cut from that state as in the native worlds,
because the engine's own LAYER is not turned with the player; ``pixels`` are the
engine's own. Columns of the state that no observer reads stay 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.gridworlds.cooking import rules as kitchen
from otherminds.gridworlds.cooking import state as cooking
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.cooking.world import engine as cooking_engine
from otherminds.gridworlds.grid.actions import DX, DY, INTERACT
from otherminds.gridworlds.grid.engine import GridEngine, Sights
from otherminds.gridworlds.grid.world import GridWorld
from otherminds.gridworlds.in_the_matrix import rules as matrix
from otherminds.gridworlds.in_the_matrix import state as columns
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.gridworlds.in_the_matrix.world import engine as matrix_engine
from otherminds.gridworlds.melting_pot_lab import Lab, versions

CHANCE, LIMIT = 1, 2
"""How an episode ended, in ``clock``."""
MARKS = ("Ready", *(f"ResultIndicatorColor{n}" for n in range(1, 6)))
"""The sprites above avatars, in the order of the codes of MARK."""


class RealEngine(ABC):
    """What both engines share; ``native`` is the project's own engine, which cuts windows from the state.

    Raises:
        StudyError: ``rules`` differ from those of ``shipped`` in more than ``maximum``,
            or the extra is not installed.
    """

    def __init__(self, rules: Any, shipped: Mapping[str, Any], native: GridEngine) -> None:
        own_rules = shipped.get(rules.name)
        if own_rules is None or replace(own_rules, maximum=rules.maximum) != rules:
            raise StudyError(f"the real engine plays {rules.name} by its own rules alone")
        self.rules = rules
        self.lab = Lab(rules.name, rules.maximum)
        self.state = native.state
        self.observe = native.observe

    def reset(self, seed: int) -> None:
        self.lab.reset(seed)
        for array in self.state:
            array.fill(0)

    @abstractmethod
    def step(self, actions: Sequence[int]) -> None:
        """Plays a step and takes in what is seen then."""

    def play(self, actions: Sequence[int]) -> Sights:
        self.step(actions)
        return self.observe()

    def tick(self, going: bool) -> None:
        """Counts a step, and says how the episode ended."""
        clock = self.state.clock[0]
        clock[columns.STEP] += 1
        if not going:
            clock[columns.OVER] = LIMIT if clock[columns.STEP] >= self.rules.maximum else CHANCE

    def see_common(self, alive: NDArray[Any], beams: NDArray[np.uint8]) -> None:
        """Takes in what both engines show alike; their states have the same columns for it."""
        state, avatars = self.state, self.state.avatars[0]
        avatars[:, : columns.FACING] = self.lab.see_all("POSITION") * alive[:, None]
        avatars[:, columns.FACING] = self.lab.see_all("ORIENTATION").ravel() * alive
        state.rewards[0] = self.lab.see_all("REWARD").ravel()
        state.here[0].fill(0)
        for i in np.flatnonzero(alive).tolist():
            state.here[0][avatars[i, columns.Y] * self.rules.size[0] + avatars[i, columns.X]] = i + 1
        state.beam[0] = beams.ravel()
        state.clock[0, columns.BEAMS] = beams.any()

    def pixels(self) -> NDArray[np.uint8]:
        return self.lab.see_all("RGB")


class MatrixEngine(RealEngine):
    """The engine of :class:`~otherminds.gridworlds.in_the_matrix.world.InTheMatrixWorld`, played by the real one."""

    rules: matrix.Rules
    state: columns.State

    def __init__(self, rules: matrix.Rules) -> None:
        super().__init__(rules, matrix.SUBSTRATES, matrix_engine(rules))

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.state.avatars[0, :, columns.PENDING] = -1
        codes = self.lab.codes
        self._resource = codes(lambda name, way: int(name[14]) if name.startswith("resource_class") else 0)
        self._mark = codes(lambda name, way: 1 + MARKS.index(name) if name in MARKS else 0)
        self._beam = codes(lambda name, way: name == "BeamInteraction")
        self._self = codes(lambda name, way: name == "Self")
        grown = self._read()
        # All resources are there at the start, so their classes are seen.
        for n, (x, y) in enumerate(self.rules.places):
            self.state.resources[0, n, columns.KIND] = grown[y, x] - 1

    def step(self, actions: Sequence[int]) -> None:
        going = self.lab.step(actions)
        pending = self.state.avatars[0, :, columns.PENDING]
        pending[pending >= 0] -= 1
        self._read()
        for duel in self.lab.events("interaction"):
            row, column = int(duel["row_player_idx"]) - 1, int(duel["col_player_idx"]) - 1
            for i, other, zapper, pay in ((row, column, 1, "row_reward"), (column, row, 0, "col_reward")):
                self.state.avatars[0, i, [columns.FOE, columns.ZAPPER]] = other, zapper
                pending[i] = self.rules.freeze
                self.state.pay[0, i] = float(duel[pay])
        self.tick(going)

    def _read(self) -> NDArray[np.uint8]:
        """Takes in what is seen now; returns the resources on the map, 1 + class [y, x]."""
        lab, state, rules = self.lab, self.state, self.rules
        layers = lab.see("WORLD.LAYER")
        grown, marks, beams = (
            codes[layers].max(axis=-1) for codes in (self._resource, self._mark, self._beam)
        )
        # A removed avatar sees nothing, not even itself.
        alive = self._self[lab.see_all("LAYER")[:, rules.view.forward, rules.view.left]].max(axis=-1)
        avatars = state.avatars[0]
        avatars[:, columns.ALIVE] = alive
        self.see_common(alive, beams)
        avatars[:, columns.MARK] = marks[avatars[:, columns.Y], avatars[:, columns.X]] * alive
        ready = lab.see_all("READY_TO_SHOOT").ravel()
        avatars[:, columns.COOLDOWN] = np.rint((1 - ready) * rules.cooldown)
        avatars[:, columns.COUNTS :] = lab.see_all("INVENTORY")
        state.met[0] = lab.see_all("INTERACTION_INVENTORIES")
        state.resources[0, :, columns.SHOWN] = [grown[y, x] > 0 for x, y in rules.places]
        return grown


class KitchenEngine(RealEngine):
    """The engine of :class:`~otherminds.gridworlds.cooking.world.CookingWorld`, played by the real one."""

    rules: kitchen.Rules
    state: cooking.State

    def __init__(self, rules: kitchen.Rules) -> None:
        super().__init__(rules, kitchen.SUBSTRATES, cooking_engine(rules))

    def reset(self, seed: int) -> None:
        super().reset(seed)
        codes = self.lab.codes
        self._inside = codes(lambda name, way: _inside(name))
        self._cooked = codes(lambda name, way: name == "CookingPot_cooked")
        self._bar = codes(lambda name, way: int(name[12:]) if name.startswith("loading_bar_") else 0)
        self._lying = codes(lambda name, way: _item(name))
        self._held = codes(lambda name, way: _item(name.removesuffix("_offset")) * name.endswith("_offset"))
        self._beam = codes(lambda name, way: int(name[-1]) if name.startswith("interact_") else 0)
        self._read()

    def step(self, actions: Sequence[int]) -> None:
        going = self.lab.step(actions)
        hands = self.state.avatars[0, :, cooking.HELD].tolist()
        cooling = self.state.avatars[0, :, cooking.COOLDOWN]
        cooling[:] = (np.array(actions) == INTERACT) & (cooling == 0)
        self._read()
        for avatar, before in zip(self.state.avatars[0], hands, strict=True):
            x, y, facing = avatar[: cooking.COOLDOWN].tolist()
            ahead = self.rules.things[y + DY[facing]][x + DX[facing]]
            avatar[cooking.DID] = did(before, int(avatar[cooking.HELD]), ahead)
        self.tick(going)

    def _read(self) -> None:
        """Takes in what is seen now."""
        lab, state, rules = self.lab, self.state, self.rules
        layers = lab.see("WORLD.LAYER")
        inside, cooked, bars, lying, hands, beams = (
            codes[layers].max(axis=-1)
            for codes in (self._inside, self._cooked, self._bar, self._lying, self._held, self._beam)
        )
        avatars = state.avatars[0]
        self.see_common(np.ones(rules.players, np.uint8), beams)
        avatars[:, cooking.HELD] = hands[avatars[:, cooking.Y], avatars[:, cooking.X]]
        for n, ((x, y), stock) in enumerate(zip(rules.containers, rules.stock, strict=True)):
            state.items[0, n] = stock or lying[y, x]
        for n, (x, y) in enumerate(rules.pots):
            pot_state = inside[y, x], cooked[y, x], bars[y, x]
            state.pots[0, n, [cooking.INSIDE, cooking.COOKED, cooking.BAR]] = pot_state


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
        rules: matrix.Rules,
        skills: tuple[str, ...] = (),
        rounds: int = 0,
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(rules, skills, rounds, rgb=rgb, render_mode=render_mode)
        self._use(MatrixEngine(rules))


class RealCooking(OnRealEngine, CookingWorld):
    """:class:`CookingWorld` on the real engine, which plays the shipped rules (``maximum`` may differ).

    Raises:
        StudyError: the extra is not installed, or ``rules`` are others than the shipped ones.
    """

    def __init__(
        self,
        rules: kitchen.Rules = kitchen.COOKING_ASYMMETRIC,
        skills: tuple[str, ...] = (),
        rounds: int = 0,
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(rules, skills, rounds, rgb=rgb, render_mode=render_mode)
        self._use(KitchenEngine(rules))


def did(before: int, after: int, ahead: int) -> int:
    """What a beam at a cell ``ahead`` did that left ``after`` in hands that held ``before``: a code of ``DID``.

    >>> did(kitchen.TOMATO, kitchen.EMPTY, kitchen.POT) == cooking.FILLED
    True
    >>> did(kitchen.DISH, kitchen.SOUP, kitchen.POT) == cooking.SERVED
    True
    """
    if before == after:
        return cooking.NOTHING
    if before == kitchen.EMPTY:
        return cooking.TOOK + after
    if after == kitchen.SOUP:
        return cooking.SERVED
    if ahead == kitchen.POT:
        return cooking.FILLED
    return cooking.DELIVERED if ahead == kitchen.HATCH else cooking.PUT + before


def _inside(name: str) -> int:
    """How many tomatoes a pot shows; cooked ones count."""
    if not name.startswith("CookingPot_"):
        return 0
    return 3 if name == "CookingPot_cooked" else name.count("tomato")


def _item(name: str) -> int:
    return kitchen.ITEMS.index(name) if name in kitchen.ITEMS else 0
