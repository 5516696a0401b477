"""The drawn form of an encounter: the places with the thing where ego last saw it, and a table of the encounters before.

What happened before the encounter stays a text above it."""

from __future__ import annotations

from otherminds.household.acted_beliefs.contexts import EGO, PARTNER
from otherminds.household.acted_beliefs.played import KITCHEN, THING
from otherminds.household.acted_beliefs.words import EncounterVerbalizer
from otherminds.play.seat_context import Scene
from otherminds.web.forms import Board, Form, Part, Square, Table, forms

RECENT = 12
"""Encounters in the table of those before."""


@forms.register("acted_beliefs")
def draw_encounter(scene: Scene) -> Form | None:
    """The form of ego's turn in the encounter that the messages tell last; ``None`` for other seats and worlds."""
    words = scene.verbalizer
    if not isinstance(words, EncounterVerbalizer) or words.seat != EGO or not scene.moments:
        return None
    parts: list[Part] = []
    steps = words.setting.stage.steps
    rows = tuple(
        (str(met.step // steps + 1), ", ".join(met.did[EGO]), met.did[PARTNER][0], f"{met.reward:g}")
        for moment in scene.moments
        for met in moment.encounters
    )
    if rows:
        head = ("encounter", "you chose", f"{PARTNER} went to", "you earned")
        parts.append(Table("The encounters before", head, rows[-RECENT:]))
    now = scene.moments[-1]
    if not now.last and scene.ask.text.startswith(words.title_encounter(now.step)):
        spot = words.find_last_sight(now)
        replies = {label: scene.reply(label) for label in scene.ask.labels}
        squares = tuple(
            Square(
                place,
                f"where you last saw {THING}" if place == spot else "",
                "brown" if place == spot else "plain",
                replies.get(place, ""),
            )
            for place in words.list_places()
        )
        parts.append(Board(f"The places in {KITCHEN}", (squares,)))
    return Form(tuple(parts)) if parts else None
