"""Calls of skills: plans as they are written, ``move_to((3, 4), (5, 4))`` (read, never evaluated), and bad arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from otherminds.core.contracts import Controller
from otherminds.core.data import Ended, Invalid, SkillChoice
from otherminds.gridworlds.grid.paths import Cell

PLACE = r"\(\s*+(\d{1,4}+)\s*+,\s*+(\d{1,4}+)\s*+\)"
CALL = re.compile(rf"\s*+([a-z_]++)\(\s*+({PLACE}(?:\s*+,\s*+{PLACE})*+)?+\s*+\)\s*+", re.ASCII)
EACH = re.compile(PLACE, re.ASCII)
LONGEST = 200  # No call is longer; a longer text is not read


def call(text: str) -> tuple[str, tuple[Cell, ...]] | Invalid:
    """The name of the skill that ``text`` calls, and the places that it is called with.

    >>> call("move_to((3, 4), (5, 4))")
    ('move_to', ((3, 4), (5, 4)))
    >>> call("move_to(3, 4)").reason
    'no call of a skill with places (x, y)'
    """
    found = CALL.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        return Invalid("no call of a skill with places (x, y)", text[:LONGEST])
    return found[1], tuple((int(x), int(y)) for x, y in EACH.findall(found[2] or ""))


def plan(calls: Sequence[object], places: Mapping[str, tuple[int, ...]]) -> tuple[SkillChoice, ...] | Invalid:
    """The choices that ``calls`` mean; ``places`` says with how many places each skill may be called.

    A skill goes to the last of its places: where one starts from may be said (Cross et
    al. 2025, appendix D.4) and is not used, since a skill starts at the current place.
    Invalid if a call is none, or none of these, and if there is no call at all.

    >>> plan(["move_to((3, 4), (5, 4))", "fire_at((5, 6))"], {"move_to": (1, 2), "fire_at": (1,)})
    (SkillChoice(name='move_to', args=(5, 4)), SkillChoice(name='fire_at', args=(5, 6)))
    """
    made: list[SkillChoice] = []
    for text in calls:
        read = call(text) if isinstance(text, str) else Invalid("a call is a text", repr(text)[:LONGEST])
        if isinstance(read, Invalid):
            return read
        name, given = read
        if name not in places:
            return Invalid(f"there is no skill {name}; there are {', '.join(places)}", str(text))
        if len(given) not in places[name]:
            return Invalid(f"{name} cannot be called with {len(given)} places", str(text))
        made.append(SkillChoice(name, given[-1]))
    return tuple(made) or Invalid("a plan has at least one call")


def refused(why: str) -> Controller:
    """A controller that fails at once with the reason ``why``."""
    return lambda moment: Ended(False, why)


def shown(args: Sequence[Any]) -> str:
    """Arguments as text, for error messages."""
    return ", ".join(map(repr, args)) or "nothing"


def place(skill: str, args: Sequence[Any]) -> tuple[int, int] | str:
    """The cell that ``args`` name, or an error message.

    >>> place("move_to", (4, 2)), place("move_to", (True, 2.5))
    ((4, 2), 'move_to takes two whole numbers, x and y, not True, 2.5')
    """
    whole = [arg for arg in args if isinstance(arg, int) and not isinstance(arg, bool)]
    if len(args) != 2 or len(whole) != 2:
        return f"{skill} takes two whole numbers, x and y, not {shown(args)}"
    return whole[0], whole[1]
