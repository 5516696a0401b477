"""The find tools: deterministic look-ups in the agent's own graph."""

from __future__ import annotations

import re

from otherminds.worlds.household.commands import Command
from otherminds.worlds.household.rules.actions import WHERE
from otherminds.worlds.household.seeing import HouseSight


def find(sight: HouseSight, i: int, command: Command) -> str:
    """What agent ``i`` knows that fits the text of a find tool; in the order of the scene."""
    text = command.args[0].lower()
    house = sight.house
    if command.tool == "FindRoomTool":
        found = [room for room in house.rooms if fits(room, text)]
        return "; ".join(found) or f"Found no room that fits {text[:40]!r} in what you know."
    if command.tool == "FindReceptacleTool":
        pieces = [f for f in house.furniture if fits(f, text) or _names(text, house.room_of[f])]
        lines = [f"{f} in {house.room_of[f]}" for f in pieces]
        return "; ".join(lines) or f"Found no furniture that fits {text[:40]!r} in what you know."
    lines = [f"{o} is {_place(sight, i, o)}" for o in house.objects if sight.knows(i, o) and fits(o, text)]
    return "; ".join(lines) or f"Found no object that fits {text[:40]!r} in what you know."


def fits(name: str, text: str) -> bool:
    """Whether ``text`` means ``name``: by its name, its kind, or a part of either.

    >>> fits("chest_of_drawers_34", "the chest of drawers"), fits("bowl_0", "bowl_1")
    (True, False)
    """
    if re.search(r"_\d+", text):
        return _names(text, name)
    kind = re.sub(r"_\d+$", "", name).replace("_", " ")
    wanted = text.replace("_", " ")
    return re.search(rf"(?<!\w){re.escape(kind)}s?(?!\w)", wanted) is not None or (
        len(wanted) > 2 and wanted.strip() in kind
    )


def _names(text: str, name: str) -> bool:
    """Whether ``name`` occurs in ``text`` as a whole word: ``kitchen_1`` does not in ``kitchen_10``."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _place(sight: HouseSight, i: int, o: str) -> str:
    place = sight.where(i, o)
    if place is None:
        return "somewhere you do not know"
    predicate, where = place
    if predicate == "is_held_by":
        return f"held by {'you' if where == sight.agents[i] else where}"
    return f"{WHERE[predicate]} {where} in {sight.house.room_of[where]}"
