"""The drawn form of a turn of Hanabi: piles, hands with what hints tell of them, and buttons under the own cards and the other hands.

In tiny Hanabi, what both earn by the own choice and the card of the other one, and the games before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from otherminds.hanabi.rules import COLOURS
from otherminds.hanabi.tiny.world import ACTIONS, CARDS, EGO, PAYOFFS, SPEAKER, TinyVerbalizer
from otherminds.hanabi.view import View
from otherminds.hanabi.words import HanabiVerbalizer, call_card, tell_hints
from otherminds.hanabi.world import name_seats
from otherminds.play.seat_context import Scene
from otherminds.web.forms import Board, Box, Button, Colour, Form, Part, Square, Table, forms

DRAWN: dict[str, Colour] = {"red": "red", "yellow": "yellow", "green": "green", "blue": "blue"}
"""The colours of cards; white ones are plain."""
RECENT = 12
"""Games in the table of those before."""


@forms.register("hanabi")
def draw_table(scene: Scene) -> Form | None:
    """The form of a decision or question in the own turn; ``None`` for other worlds and turns."""
    words = scene.verbalizer
    if not isinstance(words, HanabiVerbalizer) or not scene.moments or scene.moments[-1].last:
        return None
    view = words.find_view(scene.moments[-1])
    if view.player != view.seat:
        return None
    replies = {label: scene.reply(label) for label in scene.ask.labels}
    piles = tuple(
        Square(str(height), COLOURS[colour], DRAWN.get(COLOURS[colour], "plain"))
        for colour, height in enumerate(view.fireworks)
    )
    seats = name_seats(view.rules.players)
    parts: list[Part] = [Board("The piles", (piles,))]
    for player in view.others:
        parts.append(draw_hand(view, player, seats[player]))
        hints = [label for label in replies if label.startswith(f"hint_{seats[player]}_")]
        if hints:
            parts.append(
                Box(f"A hint to {seats[player]}", tuple(Button(label, replies[label]) for label in hints))
            )
    parts.append(Table("Your own cards", ("", "you know"), tuple(list_own(view, replies))))
    return Form(tuple(parts), tuple(words.tell_hands(view)))


def draw_hand(view: View, player: int, name: str) -> Table:
    """The cards of another player, and what it knows of them."""
    rows = (
        (f"card {slot + 1}", call_card(view.rules, card), tell_hints(view, player, slot))
        for slot, card in enumerate(view.hands[player])
    )
    return Table(f"{name} has", ("", "card", "it knows"), tuple(rows))


def list_own(view: View, replies: Mapping[str, str]) -> Iterator[tuple[str | Button, ...]]:
    """A row for each own card: what hints say of it, and what can be done with it."""
    for slot in range(view.size):
        labels = (f"{kind}_{slot + 1}" for kind in ("play", "discard"))
        acts = [Button(label, replies[label]) for label in labels if label in replies]
        yield f"card {slot + 1}", tell_hints(view, view.seat, slot), *acts


@forms.register("tiny_hanabi")
def draw_game(scene: Scene) -> Form | None:
    """The form of the second player's turn of tiny Hanabi, once the first has chosen; ``None`` for other worlds and turns."""
    words = scene.verbalizer
    if not isinstance(words, TinyVerbalizer) or words.seat != EGO or not scene.moments:
        return None
    now = scene.moments[-1]
    if now.last or not int(now.observation[1]):
        return None
    signals = {
        moment.step // 2: ACTIONS[int(moment.observation[1]) - 1]
        for moment in scene.moments
        if not moment.last and int(moment.observation[1])
    }
    own, signal = int(now.observation[0]), int(now.observation[1]) - 1
    replies = {label: scene.reply(label) for label in scene.ask.labels}

    def name(label: str, sentence: str) -> str | Button:
        text = sentence.format(label)
        return Button(text, replies[label]) if label in replies else text

    pays = Table(
        f"What you both earn: you have {CARDS[own]}, {SPEAKER} chose {ACTIONS[signal]}",
        ("", *(name(CARDS[card], f"{SPEAKER} has {{}}") for card in words.cards)),
        tuple(
            (name(ACTIONS[act], "{}"), *(str(PAYOFFS[card][own][signal][act]) for card in words.cards))
            for act in words.order
        ),
    )
    games = [
        (
            str(met.step // 2 + 1),
            signals[met.step // 2],
            met.did[EGO][0],
            met.did[SPEAKER][0],
            f"{met.reward:g}",
        )
        for moment in scene.moments
        for met in moment.encounters
        if met.step // 2 in signals
    ]
    head = ("game", f"{SPEAKER} chose", "you chose", f"{SPEAKER} had", "you both earned")
    before = [Table("The games before", head, tuple(games[-RECENT:]))] if games else []
    return Form((pays, *before))
