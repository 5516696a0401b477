"""Episodes whose turns are drawn: what each turn's messages are, and the form that a person would get."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple

import otherminds as om
from otherminds.api.sessions import Turn, describe_turn
from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Usage
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Participant
from otherminds.minds.registry import make_mind
from otherminds.models.wrapper import make_completion
from otherminds.play.loop import play_now
from otherminds.play.seat_context import Scene, current_scene
from otherminds.web.forms import Board, Button, Form, Part, Table, Writing, draw_form, list_buttons


def list_words(text: str) -> set[str]:
    """The words and numbers of a text, in small letters."""
    return {*re.findall(r"[+-]?\d+(?:\.\d+)?|[^\W\d_]+", text.lower())}


HOUSE = "household-standard-mixed_403546816650-v1"
"""A task of the household for three seats, all of which are drawn."""
WAITING = "Action: Wait[]"
MAPS = [
    "coins-mixed-v1",
    "clean-up-mixed-v1",
    "harvest-open-mixed-v1",
    "rws-repeated-mixed-v1",
    "pd-arena-mixed-v1",
    "cooking-asymmetric-mixed-v1",
    "cooking-cramped-mixed-v1",
]
"""Scenarios of gridworlds, whose forms are maps."""
DRAWN: dict[str, dict[str, Any]] = {
    "rps-mixed-v1": {"rounds": 4},
    "ipd-mixed-v1": {"rounds": 12},
    **{
        f"{game}-mixed-v1": {"boards": 6}
        for game in (
            "codenames-giver",
            "codenames-guesser",
            "wavelength-giver",
            "wavelength-guesser",
            "taboo",
        )
    },
    **{
        f"acted_beliefs-{game}-all-v1": {"encounters": 6}
        for game in ("meet", "hide", "tell", "screen", "leave", "avoid")
    },
    **{name: {"steps": 150} for name in MAPS},
    HOUSE: {},
    "hanabi-small-3p-mixed-v1": {},
    "tiny_hanabi-mixed-v1": {"games": 4},
}
"""Scenarios of each world with forms, with options that make their episodes short."""
FIXED = list_words(
    "round rounds you the other what got last player get rows are your options columns s and "
    "another message thing up look a before"
)
"""Words that forms add: titles and heads, the same in all episodes."""


def list_fixed(name: str) -> set[str]:
    """The words that forms of a scenario may have beside those of their messages: a dial has all its positions, a map its rows and columns."""
    numbers = range(-20, 60) if name in MAPS else range(1, 10) if name.startswith("wavelength") else ()
    return FIXED | {*map(str, numbers)}


class DrawnTurn(NamedTuple):
    """A turn of a model, the scene behind it, its form, and the reply."""

    turn: Turn
    scene: Scene | None
    form: Form | None
    reply: str


class Drawer:
    """A model that draws each turn, and presses a button at random: one of the form, or one of those below it."""

    spec = "person:ann"
    context = 2**31
    concurrency = 1

    def __init__(self, seed: int) -> None:
        self.turns: list[DrawnTurn] = []
        self._rng = Random(seed)

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        turn, scene = describe_turn(messages), current_scene.get()
        form = draw_form(scene, messages)
        buttons = [] if form is None else [button.reply for button in list_buttons(form)]
        if scene is None or not scene.ask.forms:
            buttons += [option for option in turn.options if option not in buttons]
        reply = self._rng.choice(buttons or [WAITING])
        self.turns.append(DrawnTurn(turn, scene, form, reply))
        return make_completion(
            reply, Usage(sum(self.count(message.content) for message in messages), self.count(reply))
        )

    def count(self, text: str) -> int:
        return len(text.split())


@cache
def draw_episode(
    name: str, seed: int, met: int | None = None, without: str = ""
) -> tuple[list[DrawnTurn], Record]:
    """The turns of an episode and its record; the replies are random, the same ones for a seed.

    ``met`` is who is met, as a place in :func:`list_partners`, in place of whom the seed draws; ``without`` a part of the prompts that is left out.
    """
    scenario, drawer = om.scenarios.make(name, DRAWN[name]), Drawer(seed)
    partners = None if met is None else dict(zip(scenario.others, list_partners(name)[met], strict=True))
    spec = SeatSpec("chat", {without: False} if without else {}, model=drawer.spec)
    seated = {seat: Participant(make_mind(spec), drawer) for seat in scenario.focal}
    setup = om.Setup(scenario, seated, seed=seed, partners=partners)
    return drawer.turns, play_now(setup)[0]


def list_partners(name: str) -> list[tuple[SeatSpec, ...]]:
    """Everyone that a scenario may seat beside the seat under test."""
    return [specs for _, specs in om.scenarios.make(name, DRAWN[name]).population.members]


def list_facts(form: Form) -> Iterator[str]:
    """Every text of a form."""
    for part in form.parts:
        yield from _list_facts_of(part)


def _list_facts_of(part: Part | str | Button) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Button):
        yield part.name
    elif isinstance(part, Table):
        yield part.title
        for cell in (*part.head, *(cell for row in part.rows for cell in row)):
            yield from _list_facts_of(cell)
    elif isinstance(part, Board):
        yield from (part.title, *part.columns, *part.row_names)
        yield from (square.spoken for row in part.rows for square in row)
    elif isinstance(part, Writing):
        yield part.title
        yield from (button.name for button in part.buttons)
    else:
        yield part.title
        for inside in part.parts:
            yield from _list_facts_of(inside)
