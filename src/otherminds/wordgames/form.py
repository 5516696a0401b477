"""The drawn form of a turn of a word game: the words as a board with the colours that the seat knows, the dial, clues as buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from otherminds.play.seat_context import Scene
from otherminds.web.forms import Board, Box, Button, Colour, Form, Part, Square, forms
from otherminds.wordgames import codenames, taboo, wavelength
from otherminds.wordgames.game import POSITION, Moves
from otherminds.wordgames.words import GameVerbalizer

ACROSS = 4
"""Words in a row of the board."""
COLOURS: tuple[Colour, ...] = ("green", "red", "brown", "black")
"""The colours of our words, theirs, neutral ones and the assassin."""


@forms.register("wordgames")
def draw_round(scene: Scene) -> Form | None:
    """The form of a turn in which the messages tell the words of the round; ``None`` for other worlds."""
    words = scene.verbalizer
    if not isinstance(words, GameVerbalizer) or not scene.moments:
        return None
    views = [words.form.read(moment.observation) for moment in scene.moments]
    view = views[-1]
    if not any(earlier.round == view.round and not earlier.moves for earlier in views):
        return None
    draw = DRAWERS[words.setting.game.partition("-")[0]]
    replies = {label: scene.reply(label) for label in scene.ask.labels}
    parts = draw(words.name_words(view.board), view.board.secret, view.moves, replies)
    return Form(tuple(parts), (words.tell_board(view.board),))


def draw_codenames(names: Sequence[str], secret: int, moves: Moves, replies: Mapping[str, str]) -> list[Part]:
    """The words in the colours of the key, or of what was said of those that were named; the clues with their numbers."""
    words, clues = names[: codenames.WORDS], names[codenames.WORDS :]
    known = (
        dict(enumerate(codenames.list_keys()[secret].tolist()))
        if secret >= 0
        else dict(zip(moves[1::2], moves[2::2], strict=False))
    )
    squares = [
        Square(
            word,
            codenames.COLOURS[known[i]] if i in known else "",
            COLOURS[known[i]] if i in known else "plain",
            replies.get(word, ""),
        )
        for i, word in enumerate(words)
    ]
    numbered = [f"{clue} for {number}" for clue in clues for number in range(1, codenames.NUMBERS + 1)]
    offered = numbered if replies.keys() >= {*numbered} else clues
    return [draw_words(squares), Box("The clue words", offer(offered, replies))]


def draw_wavelength(
    names: Sequence[str], secret: int, moves: Moves, replies: Mapping[str, str]
) -> list[Part]:
    """The dial between its two words, and the clues."""
    left, right, *clues = names
    labels = [f"{POSITION} {number}" for number in range(1, wavelength.POSITIONS + 1)]
    squares = tuple(
        Square(
            str(number),
            "the target" if number - 1 == secret else "",
            "green" if number - 1 == secret else "plain",
            replies.get(label, ""),
            label,
        )
        for number, label in enumerate(labels, 1)
    )
    title = f"The dial goes from 1 ({left}) to {wavelength.POSITIONS} ({right})"
    return [Board(title, (squares,)), Box("The clue words", offer(clues, replies))]


def draw_taboo(names: Sequence[str], secret: int, moves: Moves, replies: Mapping[str, str]) -> list[Part]:
    """The words with the target and those that were wrong; to the giver of clues, the clues that are allowed and those that are banned."""
    words, clues = names[: taboo.WORDS], names[taboo.WORDS :]
    wrong = moves[1:2] if moves[2:3] == (taboo.WRONG,) else ()
    squares = [
        Square(word, "the target", "green", replies.get(word, ""))
        if i == secret
        else Square(
            word, "wrong" if i in wrong else "", "red" if i in wrong else "plain", replies.get(word, "")
        )
        for i, word in enumerate(words)
    ]
    if secret < 0:
        return [draw_words(squares)]
    allowed, banned = clues[: taboo.CLUES], clues[taboo.CLUES :]
    return [
        draw_words(squares),
        Box("The clue words", offer(allowed, replies)),
        Box("Banned", offer(banned, replies), "red"),
    ]


def draw_words(squares: Sequence[Square]) -> Board:
    """The words of a round, :data:`ACROSS` in a row."""
    return Board("The words", tuple(tuple(squares[i : i + ACROSS]) for i in range(0, len(squares), ACROSS)))


def offer(labels: Iterable[str], replies: Mapping[str, str]) -> tuple[str | Button, ...]:
    """Each label, as a button if it is an option."""
    return tuple(Button(label, replies[label]) if label in replies else label for label in labels)


DRAWERS: dict[str, Callable[[Sequence[str], int, Moves, Mapping[str, str]], list[Part]]] = {
    "codenames": draw_codenames,
    "wavelength": draw_wavelength,
    "taboo": draw_taboo,
}
"""The part of a form that each game has, from its words, its secret (-1 if the seat does not know it), its moves, and the reply of each label."""
