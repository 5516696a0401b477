"""Words that the verbalizers of gridworlds share: places, stretches of floor, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from otherminds.core.contracts import Controller
from otherminds.core.data import Ask, Behaviour, Ended, Invalid, Moment, Question, Seat, SkillChoice, Turn
from otherminds.gridworlds.grid.paths import Cell, Pose
from otherminds.gridworlds.grid.rules import COMPASS, View
from otherminds.replies.answers import asked, listed

MAP = (
    "A place is (x, y): x grows to the east and y to the south, from (0, 0) in the north-west corner. "
    "One faces north (N), east (E), south (S) or west (W)."
)


def places(cells: Iterable[Cell]) -> str:
    """A list of places, or ``none``.

    >>> places([(1, 2), (3, 4)]), places([])
    ('(1, 2), (3, 4)', 'none')
    """
    return ", ".join(f"({x}, {y})" for x, y in cells) or "none"


def stretches(cells: Iterable[Cell]) -> str:
    """Many places in short, row by row.

    >>> stretches([(1, 1), (2, 1), (3, 1), (5, 1), (2, 2)])
    'y=1: x=1-3, 5; y=2: x=2'
    """
    rows: list[str] = []
    for y, row in groupby(sorted(cells, key=lambda cell: (cell[1], cell[0])), key=lambda cell: cell[1]):
        numbered = enumerate(x for x, _ in row)
        runs = [[x for _, x in run] for _, run in groupby(numbered, key=lambda pair: pair[1] - pair[0])]
        spans = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
        rows.append(f"y={y}: x={spans}")
    return "; ".join(rows)


def pose(pose: Pose) -> str:
    """Position and orientation.

    >>> pose((3, 4, 1))
    '(3, 4) facing E'
    """
    x, y, facing = pose
    return f"({x}, {y}) facing {COMPASS[facing]}"


def window(view: View) -> str:
    """The size of a window.

    >>> window(View(2, 2, 3, 1))
    'You see only a window of 5 by 5 cells: 3 ahead of you, 1 behind you, and 2 to each side.'
    """
    height, width = view.shape
    left, right = view.left, view.right
    sides = f"{left} to each side" if left == right else f"{left} to the left, {right} to the right"
    return (
        f"You see only a window of {width} by {height} cells: {view.forward} ahead of you, "
        f"{view.backward} behind you, and {sides}."
    )


def outcome(ended: Ended) -> str:
    """How a chosen skill ended.

    >>> outcome(Ended(False, "no way leads to (4, 2)", SkillChoice("move_to", (4, 2))))
    'What you chose, move_to(4, 2), failed: no way leads to (4, 2).'
    """
    why = f": {ended.why}" if ended.why else ""
    choice, which = ended.made, ""
    if choice is not None:
        which = (
            f", {choice.name}({', '.join(map(str, choice.args))})," if choice.args else f", {choice.name},"
        )
    return f"What you chose{which} {'is done' if ended.ok else 'failed'}{why}."


def chosen(choice: SkillChoice, labels: Mapping[str, str]) -> str:
    """A choice: an option by its label, any other skill as a call.

    >>> chosen(SkillChoice("rock"), {"rock": "rock"}), chosen(SkillChoice("move_to", (4, 2)), {"rock": "rock"})
    ('You chose Option rock.', 'You chose move_to(4, 2).')
    """
    if choice.name in labels and not choice.args:
        return f"You chose Option {labels[choice.name]}."
    return f"You chose {choice.name}({', '.join(map(str, choice.args))})."


def ask(
    about: Turn | Question,
    moment: Moment,
    own: Any,
    seat: Seat,
    labels: Mapping[Behaviour, str],
    turn: str,
    ahead: Callable[[Seat], str],
) -> Ask:
    """The question for a choice (``turn``), for the next behaviour of a seat (``ahead``), or for anything else.

    ``labels`` are the names of the behaviours as options, in the order listed; ``own`` is
    the choice made before the question, if any. Questions are written without their end.
    """
    now = f"It is step {moment.step}."
    names = [*labels.values()]
    if isinstance(about, Turn):
        choices = [SkillChoice(behaviour) for behaviour in labels]
        return asked(f"{now}\nQ: {turn}, {listed(names, 'or')}?", names, choices)
    if isinstance(own, SkillChoice):
        now += f" {chosen(own, labels)}"
    predicts = about.when != "end" and about.about not in ("", seat) and not about.truth_is
    if not predicts or {*about.options} != {*labels}:
        names = [str(option) for option in about.options]
        whose = "own" if about.about in ("", seat) else "other"
        return asked(f"{now}\nQ: {about.text} {listed(names, 'or')}?", names, about.options, whose)
    return asked(f"{now}\nQ: {ahead(about.about)}, {listed(names, 'or')}?", names, [*labels], "other")


def number(value: float, signed: bool = False) -> str:
    """A reward to three decimals, without trailing zeros.

    >>> number(25 / 7, signed=True), number(3), number(-0.0, signed=True)
    ('+3.571', '3', '0')
    """
    text = f"{round(value, 3) or 0:.3f}".rstrip("0").rstrip(".")
    return f"+{text}" if signed and value > 0 and text != "0" else text


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
    match = CALL.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return Invalid("no call of a skill with places (x, y)", text[:LONGEST])
    return match[1], tuple((int(x), int(y)) for x, y in EACH.findall(match[2] or ""))


def plan(calls: Sequence[object], places: Mapping[str, tuple[int, ...]]) -> tuple[SkillChoice, ...] | Invalid:
    """The choices that ``calls`` mean; ``places`` says with how many places each skill may be called.

    A skill goes to the last of its places: where one starts from may be said (Cross et
    al. 2025, appendix D.4) and is not used, since a skill starts at the current place.
    Invalid if a call is none, or none of these, and if there is no call at all.

    >>> plan(["move_to((3, 4), (5, 4))", "fire_at((5, 6))"], {"move_to": (1, 2), "fire_at": (1,)})
    (SkillChoice(name='move_to', args=(5, 4)), SkillChoice(name='fire_at', args=(5, 6)))
    """
    choices: list[SkillChoice] = []
    for text in calls:
        read = call(text) if isinstance(text, str) else Invalid("a call is a text", repr(text)[:LONGEST])
        if isinstance(read, Invalid):
            return read
        name, cells = read
        if name not in places:
            return Invalid(f"there is no skill {name}; there are {', '.join(places)}", str(text))
        if len(cells) not in places[name]:
            return Invalid(f"{name} cannot be called with {len(cells)} places", str(text))
        choices.append(SkillChoice(name, cells[-1]))
    return tuple(choices) or Invalid("a plan has at least one call")


def refuse_skill(why: str) -> Controller:
    """A controller that fails at once with the reason ``why``."""
    return lambda moment: Ended(False, why)


def format_arguments(args: Sequence[Any]) -> str:
    """Arguments as text, for error messages."""
    return ", ".join(map(repr, args)) or "nothing"


def place(skill: str, args: Sequence[Any]) -> tuple[int, int] | str:
    """The cell that ``args`` name, or an error message.

    >>> place("move_to", (4, 2)), place("move_to", (True, 2.5))
    ((4, 2), 'move_to takes two whole numbers, x and y, not True, 2.5')
    """
    integers = [arg for arg in args if isinstance(arg, int) and not isinstance(arg, bool)]
    if len(args) != 2 or len(integers) != 2:
        return f"{skill} takes two whole numbers, x and y, not {format_arguments(args)}"
    return integers[0], integers[1]
