"""The drawn form of a turn in a gridworld: a map of what the text says that the seat sees.

A choice is what a model chooses, a skill that is carried out step by step, so options are buttons and not keys. Of the map nothing is drawn
but what is told: where the text names no walls, there are none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from otherminds.core.data import Moment
from otherminds.gridworlds.commons.verbalizer import CommonsVerbalizer
from otherminds.gridworlds.cooking.rules import COUNTER, DISHES, HATCH, POT, TOMATOES
from otherminds.gridworlds.cooking.sightings import THINGS, see, side
from otherminds.gridworlds.cooking.verbalizer import CookingVerbalizer
from otherminds.gridworlds.grid.paths import Cell, Pose
from otherminds.gridworlds.grid.rules import COMPASS, player_of, seat_of
from otherminds.gridworlds.in_the_matrix.scaffold import read_sight
from otherminds.gridworlds.in_the_matrix.verbalizer import InTheMatrixVerbalizer
from otherminds.play.seat_context import Scene
from otherminds.web.forms import Board, Colour, Form, Square, forms

ARROWS = "▲▶▼◀"
"""The own place, by the direction that the seat faces."""
COLOURS: dict[str, Colour] = {
    "red": "red",
    "blue": "blue",
    "yellow": "yellow",
    "green": "green",
    "apples": "green",
    "dirt": "brown",
    "salmon": "red",
    "skyblue": "blue",
    "purple": "violet",
    "darkred": "red",
    "darkgreen": "green",
    "darkblue": "blue",
}
"""The colour in which boxes, coins, apples and dirt are drawn."""
FIXTURES: dict[int, tuple[str, Colour]] = {
    TOMATOES: ("T", "red"),
    DISHES: ("D", "blue"),
    HATCH: ("S", "green"),
    POT: ("P", "orange"),
    COUNTER: ("", "brown"),
}
"""The sign and the colour of what stands around the floor of a kitchen."""


@forms.register("gridworlds")
def draw_map(scene: Scene) -> Form | None:
    """The form of a turn whose messages tell what the seat sees; ``None`` for other worlds, and off the map."""
    words = scene.verbalizer
    moments = [moment for moment in scene.moments if not moment.last]
    if not moments:
        return None
    match words:
        case CommonsVerbalizer():
            return draw_commons(words, moments[-1])
        case InTheMatrixVerbalizer():
            return draw_duels(words, moments[-1])
        case CookingVerbalizer():
            return draw_kitchen(words, moments[-1], moments[0])
        case _:
            return None


def draw_commons(words: CommonsVerbalizer, moment: Moment) -> Form | None:
    """The window of the seat with coins, apples, dirt and players."""
    sight = words.read_sight(moment)
    if sight is None:
        return None
    squares = dict.fromkeys(sight.window, Square())
    for name, cells in sight.things:
        squares |= dict.fromkeys(cells, Square(name[0], name, COLOURS.get(name.partition(" ")[0], "orange")))
    squares |= {cell: draw_player(name) for name, cell in sight.people}
    squares[sight.pose[:2]] = draw_self(sight.pose)
    return Form((lay_out(f"Step {moment.step}: what you see", squares),), (words.tell_sight(sight),))


def draw_duels(words: InTheMatrixVerbalizer, moment: Moment) -> Form | None:
    """The whole map, of which the rules tell the walls, with the boxes and players in sight."""
    sight = read_sight(words.substrate, moment)
    if sight.pose is None:
        return None
    width, height = words.substrate.size
    every = [(x, y) for y in range(height) for x in range(width)]
    free = {*words.substrate.open}
    squares = {cell: Square() if cell in free else Square("", "walls", "wall") for cell in every}
    if "WORLD.MAP" not in moment.observation:
        squares |= {cell: Square("", "not in view", "dim") for cell in free if not sight.shows(cell)}
    for colour, cells in zip(words.substrate.colours, words.list_boxes(sight), strict=True):
        box = Square(colour[0], f"{colour} boxes", COLOURS.get(colour, "orange"))
        squares |= dict.fromkeys(cells, box)
    for who, cell, mark in words.list_players(sight):
        squares[cell] = draw_player(f"{who.strip() or 'another player'}{mark}")
    squares[sight.pose[:2]] = draw_self(sight.pose)
    return Form((lay_out(f"Step {moment.step}: the map", squares),), (words.tell_sight(sight, moment),))


def draw_kitchen(words: CookingVerbalizer, moment: Moment, first: Moment) -> Form | None:
    """The own side, which ``first`` tells, with pots, what lies on counters, and teammates."""
    if first.step:
        return None
    rules, player = words.substrate, player_of(words.seat)
    sight = see(rules, moment.observation, player)
    own = side(rules, see(rules, first.observation, player).pose[:2])
    squares = dict.fromkeys(own.floor, Square())
    for kind, (sign, colour) in FIXTURES.items():
        squares |= dict.fromkeys(own.things[kind], Square(sign, THINGS[kind], colour))
    for what, cell, state in words.list_things(sight):
        pot = what == "pot"
        squares[cell] = Square(
            "P" if pot else what[0], f"{what} {state}".strip(), "orange" if pot else "violet"
        )
    for mate in sight.mates:
        name = f"{words.name_player(seat_of(mate.player))}{words.describe_mate(mate)}"
        squares[mate.cell] = draw_player(name)
    squares[sight.pose[:2]] = draw_self(sight.pose)
    return Form((lay_out(f"Step {moment.step}: the kitchen", squares),), (words.tell_sight(sight),))


def draw_self(pose: Pose) -> Square:
    """The square on which the seat stands."""
    return Square(ARROWS[pose[2]], f"you, facing {COMPASS[pose[2]]}", "black")


def draw_player(name: str) -> Square:
    """The square on which another player stands."""
    return Square("●", name, "grey")


def lay_out(title: str, squares: Mapping[Cell, Square]) -> Board:
    """The map around ``squares``; what lies between them and is not told is dim."""
    columns, rows = span(x for x, _ in squares), span(y for _, y in squares)
    return Board(
        title,
        tuple(tuple(squares.get((x, y), Square(colour="dim")) for x in columns) for y in rows),
        tuple(map(str, columns)),
        tuple(map(str, rows)),
    )


def span(numbers: Iterable[int]) -> range:
    """From the smallest number to the largest."""
    ordered = sorted(numbers)
    return range(ordered[0], ordered[-1] + 1)
