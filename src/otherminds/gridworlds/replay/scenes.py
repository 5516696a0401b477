"""An episode in a world with a map, played again: a frame and the happenings of each step.

A frame is a grid of codes, one a cell; the stage says which tile a code is to each seat, whichever way it faces. So one
grid a step holds the whole map and every seat's own window, pixel for pixel.

A world with a map becomes replayable by one module that registers a :class:`Scenery` for it, found by the entry points
``otherminds.sceneries``. Those of this package's substrates stand here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import SkillChoice
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.core.registry import Registry
from otherminds.core.scenario import Scenario, World
from otherminds.gridworlds.commons import rules as commons
from otherminds.gridworlds.commons import views as commons_pixels
from otherminds.gridworlds.commons.acts import ATE
from otherminds.gridworlds.commons.world import CommonsWorld
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking import rules as kitchen
from otherminds.gridworlds.cooking import views as kitchen_pixels
from otherminds.gridworlds.cooking.rules import DISH, ITEMS, SOUP, TOMATO
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.pixels import Codes, Paint, Pixels, overlaid, picture, sprites
from otherminds.gridworlds.grid.rules import GridRules, View
from otherminds.gridworlds.in_the_matrix import rules as matrix
from otherminds.gridworlds.in_the_matrix import views as matrix_pixels
from otherminds.gridworlds.in_the_matrix.world import Duel, InTheMatrixWorld
from otherminds.reports.replay.replays import Again, Happening, describe_choice


@dataclass(frozen=True)
class HeldThing:
    """Something that a seat can hold, with the colour (``#rrggbb``) that it is shown in."""

    name: str
    colour: str


@dataclass(frozen=True)
class Stage:
    """What is constant in an episode of P seats.

    ``size`` is the map's width and height in cells; ``view`` and ``gaze`` (see
    :class:`~otherminds.gridworlds.grid.pixels.Paint`) say what of it a seat sees. ``tiles`` uint8[n, 8, 8, 3] are
    all tiles there are; ``looks`` uint16[P + 1, 4, codes] says which of them a code is to each seat facing N,
    E, S, W; the last viewer is the spectator, who looks north. Code 0 is what lies outside the map.
    ``colours`` (``#rrggbb``) are the colours of the seats. ``things`` are counted in inventories; a bar is
    full at ``most``, or at the greatest count of the episode. ``states`` name what may keep a seat from
    acting, the first being nothing. ``stop`` names the happenings that a spectator jumps between.
    """

    size: tuple[int, int]
    view: View
    gaze: NDArray[np.int32]
    tiles: Pixels
    looks: NDArray[np.uint16]
    colours: tuple[str, ...]
    things: tuple[HeldThing, ...]
    most: int
    states: tuple[str, ...]
    actions: tuple[str, ...]
    stop: str

    def window(self, codes: Codes, stand: Sequence[int], seat: int) -> NDArray[np.uint16]:
        """The tiles [rows, columns] that ``seat`` sees in its window from ``stand``; see :class:`Frame`."""
        x, y, facing = stand
        if x < 0:
            return np.full(self.view.shape, self.looks[seat, 0, 0])
        width, height = self.size
        dy, dx = self.gaze[facing]
        rows, columns = y + dy, x + dx
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        visible = np.where(inside, codes[rows.clip(0, height - 1), columns.clip(0, width - 1)], 0)
        return self.looks[seat, facing, visible]

    def whole(self, codes: Codes) -> NDArray[np.uint16]:
        """The tiles [height, width] that the spectator sees."""
        return self.looks[-1, 0, codes]


@dataclass(frozen=True)
class Frame:
    """A world at one moment: ``codes`` uint16[height, width], and for each of P seats a row.

    ``stands`` int16[P, 3] are x, y and orientation, x = -1 for a seat that is not
    on the map; ``counts`` int16[P, K] its inventory; ``states`` uint8[P] numbers of
    ``Stage.states``; ``beams`` uint8[P] how far its beam is charged, in per cent.
    """

    codes: Codes
    stands: NDArray[np.int16]
    counts: NDArray[np.int16]
    states: NDArray[np.uint8]
    beams: NDArray[np.uint8]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of these, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Scenery(Protocol):
    """How the worlds of one class are shown."""

    @property
    def world(self) -> type[World]: ...

    def stage(self, world: Any) -> Stage:
        """The stage of the episode that ``world`` was just reset to."""
        ...

    def frame(self, world: Any) -> Frame:
        """``world`` as it is now."""
        ...

    def happened(self, world: Any, before: Frame, after: Frame, step: int) -> list[Happening]:
        """What the last step, number ``step`` from 1, brought about."""
        ...


sceneries: Registry[Scenery] = Registry("scenery", plural="sceneries")


def find_scenery(world: World) -> Scenery | None:
    """How ``world`` is shown; ``None`` if it has no map."""
    candidates = map(sceneries.get, sceneries)
    return next((candidate for candidate in candidates if isinstance(world, candidate.world)), None)


def scenery(world: World, scenario: str) -> Scenery:
    """How ``world`` is shown.

    Raises:
        StudyError: it has no map.
    """
    if fitting := find_scenery(world):
        return fitting
    raise StudyError(
        f"a page or a film is for worlds with a map, and {scenario!r} has none; it replays as text"
    )


def grid_stage(
    rules: GridRules,
    paint: Paint,
    colours: Iterable[str],
    holdings: Iterable[HeldThing],
    most: int,
    states: tuple[str, ...],
    stop: str,
) -> Stage:
    """The stage of a gridworld; the codes are those of ``paint``."""
    viewers, ways, codes, *shape = paint.tiles.shape
    flat, numbers = np.unique(paint.tiles.reshape(viewers * ways * codes, -1), axis=0, return_inverse=True)
    tiles, looks = flat.reshape(-1, *shape), numbers.reshape(viewers, ways, codes).astype(np.uint16)
    details = tuple(colours), tuple(holdings), most, states, rules.actions, stop
    return Stage(rules.size, rules.view, paint.gaze, tiles, looks, *details)


def measure_charge(cooldown: NDArray[np.integer], longest: int) -> NDArray[np.uint8]:
    """How far beams are charged, in per cent, when ``cooldown`` of at most ``longest`` steps are left."""
    return (100 - 100 * cooldown // longest).astype(np.uint8)


def inside(paint: Paint, codes: Codes) -> Codes:
    """``codes`` without the margin of ``paint``."""
    within = slice(paint.margin, -paint.margin)
    return codes[within, within]


def hue(tile: Pixels) -> str:
    """The colour, ``#rrggbb``, that a tile uint8[8, 8, 3] has most of, apart from black."""
    lit = tile[tile.any(axis=2)]
    shades, counts = np.unique(lit, axis=0, return_counts=True)
    return f"#{bytes(shades[counts.argmax()]).hex()}"


TILE_ROW = 32
"""Tiles in a row of a sheet."""


def sheet(tiles: Pixels) -> Pixels:
    """Tiles uint8[n, 8, 8, 3] as one picture, ``TILE_ROW`` a row; black where there are no more."""
    rows = -(-len(tiles) // TILE_ROW)
    padded = np.zeros((rows * TILE_ROW, *tiles.shape[1:]), np.uint8)
    padded[: len(tiles)] = tiles
    return picture(padded, np.arange(rows * TILE_ROW, dtype=np.uint16).reshape(rows, TILE_ROW))


SPEED = 10.0
"""Steps a second."""


@dataclass(frozen=True)
class GridReplay:
    """An episode of T steps and P seats as T + 1 ``frames``; each of their arrays is over frames first.

    ``first`` is the number of the first frame, 0 unless the replay was cut.
    ``fault`` says where the replay departs from the record; empty if nowhere.
    """

    record: Record
    stage: Stage
    frames: Frame
    happenings: tuple[Happening, ...]
    first: int = 0
    fault: str = ""

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return self.first + len(self.frames.codes) - 1

    @property
    def totals(self) -> NDArray[np.float64]:
        """What each seat has earned by each frame, float64[frames, P]."""
        rewards = np.array(self.record.rewards, np.float64).reshape(-1, len(self.record.seats))
        sums = np.vstack([np.zeros(len(self.record.seats)), rewards.cumsum(axis=0)])
        return sums[self.first : self.last + 1]

    def cut(self, first: int, last: int) -> GridReplay:
        """The frames from ``first`` to ``last``, both counted in.

        Raises:
            StudyError: there are no such frames.
        """
        if not self.first <= first <= last <= self.last:
            raise StudyError(f"steps {first}:{last} are not within {self.first}:{self.last}")
        part = slice(first - self.first, last + 1 - self.first)
        frames = Frame(*(array[part] for array in self.frames.arrays().values()))
        within = tuple(h for h in self.happenings if first <= h.step + h.steps and h.step <= last)
        return replace(self, frames=frames, happenings=within, first=first)


def again(record: Record, scenario: Scenario | None = None) -> GridReplay:
    """Plays ``record`` again, in ``scenario`` or else in the one that it names.

    Raises:
        StudyError: its world has no map, or there is no such scenario.
    """
    played = Again(record, scenario)
    world = played.world
    painter = scenery(world, record.spec.scenario)
    stage = painter.stage(world)
    frames = [painter.frame(world)]
    happenings: list[Happening] = []
    for step in played.steps():
        frames.append(painter.frame(world))
        happenings += painter.happened(world, frames[-2], frames[-1], step)
    stacked = Frame(*map(np.stack, zip(*(frame.arrays().values() for frame in frames), strict=True)))
    return GridReplay(record, stage, stacked, tuple(happenings), fault=played.fault)


def skills(replay: GridReplay) -> Iterator[tuple[int, int, int, str]]:
    """Each choice of a skill: its seat's number, the frames from which to which it held, and its words."""
    record = replay.record
    for i, seat in enumerate(record.seats):
        own = (choice for choice in record.choices if choice.seat == seat)
        chosen = [choice for choice in own if isinstance(choice.made, SkillChoice)]
        ends = [*(choice.step for choice in chosen), len(record.actions)][1:]
        for choice, end in zip(chosen, ends, strict=False):
            if end > replay.first and choice.step < replay.last:
                yield i, choice.step, end, describe_choice(choice)


SHADES = {TOMATO: "#ed394a", DISH: "#aab4c8", SOUP: "#f59ca4"}
"""As the items' sprites are coloured; a dish a little darker, to be seen on white."""
HANDLED = {
    **dict.fromkeys((acts.TOOK_TOMATO, acts.FILLED_POT), TOMATO),
    **dict.fromkeys((acts.TOOK_DISH, acts.PUT_DISH), DISH),
    **dict.fromkeys((acts.TOOK_SOUP, acts.DELIVERED), SOUP),
}
"""The item that each act is about."""


class CookingScenery:
    """The kitchen with its margin cut off; deliveries are what one jumps between.

    The cooks' own colours, navy and lime, are lost on black or white; seats have
    those of the pairs *in the matrix*, blue for who sees itself so.
    """

    world = CookingWorld

    def stage(self, world: CookingWorld) -> Stage:
        colours = (hue(overlaid(look[0])) for look in sprites()["pair"])
        holdings = (HeldThing(ITEMS[item], shade) for item, shade in SHADES.items())
        return grid_stage(
            world.rules, kitchen_pixels.mix_paint(world.rules), colours, holdings, 1, ("",), "delivery"
        )

    def frame(self, world: CookingWorld) -> Frame:
        rules, state = world.rules, world.engine.state
        avatars = state.avatars[0]
        hands = avatars[:, kitchen.HELD, None] == np.arange(1, len(ITEMS))
        return Frame(
            codes=inside(kitchen_pixels.mix_paint(rules), kitchen_pixels.encode_map(rules, state, 0)),
            stands=avatars[:, : kitchen.FACING + 1].astype(np.int16),
            counts=hands.astype(np.int16),
            states=np.zeros(rules.players, np.uint8),
            beams=measure_charge(avatars[:, kitchen.COOLDOWN], rules.cooldown),
        )

    def happened(self, world: CookingWorld, before: Frame, after: Frame, step: int) -> list[Happening]:
        """The acts of the step; a delivery is paid to all."""
        happenings: list[Happening] = []
        for act in world.acts:
            if act.step == step - 1 and act.behaviour in HANDLED:
                paid = act.behaviour == acts.DELIVERED
                text = f"{world.possible_agents[act.player]} {act.behaviour}"
                text += f", {world.rules.pay:+g} for everyone" if paid else ""
                kind, item = "delivery" if paid else "act", ITEMS[HANDLED[act.behaviour]]
                happenings.append(Happening(step, kind, (act.player,), text, (item,), stop=paid))
        return happenings


sceneries.add("cooking", CookingScenery())


FREE, DUEL, REMOVED = range(3)
STATES = ("", "frozen in a duel", "removed")


class InTheMatrixScenery:
    """The map with its margin cut off; duels are what one jumps between."""

    world = InTheMatrixWorld

    def stage(self, world: InTheMatrixWorld) -> Stage:
        rules, paint = world.rules, matrix_pixels.mix_paint(world.rules)
        kinds = paint.tiles[
            -1, 0, matrix_pixels.PAINTED_RESOURCE : matrix_pixels.PAINTED_RESOURCE + len(rules.classes)
        ]
        holdings = (HeldThing(name, hue(tile)) for name, tile in zip(rules.classes, kinds, strict=True))
        # Each seat has the colour of its avatar; where others look alike, as the first seat sees itself and them.
        bodies = sprites()[matrix_pixels.BODIES[rules.looks]]
        first = 1 if rules.distinct else 0
        alike = rules.sides if rules.roles else (0, *(1,) * (rules.players - 1))
        looks = range(rules.players) if rules.distinct else alike
        colours = (hue(overlaid(bodies[first + look, 0])) for look in looks)
        return grid_stage(rules, paint, colours, holdings, 6, STATES, "duel")

    def frame(self, world: InTheMatrixWorld) -> Frame:
        rules, state = world.rules, world.engine.state
        avatars = state.avatars[0]
        alive = avatars[:, matrix.ALIVE] > 0
        stands = np.where(alive[:, None], avatars[:, : matrix.FACING + 1], (-1, -1, 0))
        duelling = np.where(avatars[:, matrix.PENDING] >= 0, DUEL, FREE)
        return Frame(
            codes=inside(matrix_pixels.mix_paint(rules), matrix_pixels.encode_map(rules, state, 0)),
            stands=stands.astype(np.int16),
            counts=avatars[:, matrix.COUNTS :].astype(np.int16),
            states=np.where(alive, duelling, REMOVED).astype(np.uint8),
            beams=measure_charge(avatars[:, matrix.COOLDOWN], rules.cooldown),
        )

    def happened(self, world: InTheMatrixWorld, before: Frame, after: Frame, step: int) -> list[Happening]:
        """Duels as they are resolved, and who comes back; a removal is the end of a duel."""
        seats = world.possible_agents
        returning = np.flatnonzero((before.states == REMOVED) & (after.states != REMOVED)).tolist()
        happenings = [Happening(step, "back", (i,), f"{seats[i]} is back") for i in returning]
        new = [duel for duel in reversed(world.duels) if duel.step == step - 1]
        return happenings + [_describe_duel(duel, world) for duel in new]


sceneries.add("in_the_matrix", InTheMatrixScenery())


class CommonsScenery:
    """The map with its margin cut off; what one jumps between are the acts that concern others but for eating, of which there is much.

    A seat holds an apple or a coin in the step in which it takes it.
    """

    world = CommonsWorld

    def stage(self, world: CommonsWorld) -> Stage:
        rules, palette = world.rules, commons_pixels.mix_palette(world.rules)
        avatars = world.engine.state.avatars[0]
        bodies = commons_pixels.sprites()[commons_pixels.BODIES[rules.law]]
        looks = avatars[:, commons.COLOUR].tolist() if rules.law == "chance" else range(rules.players)
        tiles = palette.paint.tiles[0]
        own = [tiles[:, palette.see_oneself(look)] for look in looks]
        paint = replace(palette.paint, tiles=np.stack([*own, tiles]))
        fruit = "coin" if rules.law == "chance" else "apple"
        colours = [hue(overlaid(bodies[look, 0])) for look in looks]
        return grid_stage(
            rules, paint, colours, (HeldThing(fruit, SHADES[TOMATO]),), 1, ("", "removed"), "act"
        )

    def frame(self, world: CommonsWorld) -> Frame:
        rules, state = world.rules, world.engine.state
        avatars = state.avatars[0]
        alive = avatars[:, commons.ALIVE] > 0
        codes = commons_pixels.encode_map(rules, state, 0)
        return Frame(
            codes=inside(commons_pixels.mix_palette(rules).paint, codes),
            stands=np.where(alive[:, None], avatars[:, : commons.FACING + 1], (-1, -1, 0)).astype(np.int16),
            counts=(avatars[:, commons.DID, None] & commons.ATE > 0).astype(np.int16),
            states=(~alive).astype(np.uint8),
            beams=measure_charge(avatars[:, commons.COOLDOWN], rules.zap.cooldown if rules.zap else 1),
        )

    def happened(self, world: CommonsWorld, before: Frame, after: Frame, step: int) -> list[Happening]:
        """What each seat did in the step that concerns others."""
        return [
            Happening(step, "act", (i,), f"{seat} {act}", stop=act != ATE)
            for i, seat in enumerate(world.possible_agents)
            for when, act in world.acts[seat]
            if when == step - 1
        ]


sceneries.add("commons", CommonsScenery())


def _describe_duel(duel: Duel, world: InTheMatrixWorld) -> Happening:
    rules, seats = world.rules, world.possible_agents
    played = [duel.played(seat, rules.classes) for seat in duel.seats]
    parts = [
        f"{seat} {'/'.join(did)} ({' '.join(map(str, counts))}) {reward:+.2f}"
        for seat, did, counts, reward in zip(duel.seats, played, duel.inventories, duel.rewards, strict=True)
    ]
    whom = tuple(map(seats.index, duel.seats))
    did = tuple(did[0] if len(did) == 1 else "" for did in played)
    text, steps = " zapped ".join(parts), rules.freeze + 1
    return Happening(duel.step + 1, "duel", whom, text, did, duel.rewards, steps, stop=True)
