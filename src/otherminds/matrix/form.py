"""The drawn form of a round of a matrix game: the payoffs as a table whose heads are the options, and the last rounds."""

from __future__ import annotations

from string import Formatter

from otherminds.matrix.words import OPTION, MatrixVerbalizer
from otherminds.play.seat_context import Scene
from otherminds.web.forms import Button, Form, Part, Table, forms

RECENT = 10
"""Rounds in the table of the last rounds."""
TITLES = {
    "round": "round",
    "own": "you",
    "other": "the other player",
    "gain": "what you got",
    "other_gain": "what the other player got",
}


@forms.register("matrix")
def draw_round(scene: Scene) -> Form | None:
    """The form of a choice, or of a question about the other player; ``None`` for other worlds.

    Only what the frame of the prompts tells is drawn: a pack may leave out what the other player gets.
    """
    words = scene.verbalizer
    if not isinstance(words, MatrixVerbalizer):
        return None
    parts: list[Part] = []
    if scene.brief.game is not None:
        parts.append(draw_payoffs(words, scene))
    rounds = [met for moment in scene.moments for met in moment.encounters][-RECENT:]
    fields = [name for name in TITLES if name in list_fields(words.frame.round)]
    if rounds and fields:
        described = map(words.describe_round, rounds)
        rows = tuple(tuple(played[name] for name in fields) for played in described)
        parts.append(Table("The last rounds", tuple(TITLES[name] for name in fields), rows))
    return Form(tuple(parts), tuple(map(words.tell_round, rounds))) if parts else None


def draw_payoffs(words: MatrixVerbalizer, scene: Scene) -> Table:
    """Own options as rows and those of the other player as columns; the options that are asked for are buttons."""
    fields = list_fields(words.frame.payoff)
    own, other = words.list_options("own"), words.list_options("other")

    def head(label: str, whose: str) -> str | Button:
        name = f"{OPTION}{label}"
        return Button(name, scene.reply(label)) if scene.ask.whose == whose else name

    rows = []
    for i, label in own:
        cells = []
        for j, _ in other:
            pays = words.describe_payoffs(i, j)
            gains = [
                f"{who} {pays[name]}"
                for name, who in (("gain", "you"), ("other_gain", "other"))
                if name in fields
            ]
            cells.append("\n".join(gains))
        rows.append((head(label, "own"), *cells))
    return Table(
        "What you and the other player get: rows are your options, columns the other player's",
        ("", *(head(label, "other") for _, label in other)),
        tuple(rows),
    )


def list_fields(text: str) -> set[str]:
    """The names in braces in a text of the frame.

    >>> sorted(list_fields("In round {round}, you chose Option {own}."))
    ['own', 'round']
    """
    return {name for _, name, _, _ in Formatter().parse(text) if name}
