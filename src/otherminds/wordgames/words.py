"""What a seat is told of a word game, and how its answers are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Brief, Invalid, Moment, Question, Seat, Turn
from otherminds.replies.answers import asked, read, several
from otherminds.wordgames.game import EGO, PARTNER, POSITION, TABLE, Board, Mover, Moves
from otherminds.wordgames.questions import name_answer, read_slot
from otherminds.wordgames.rules import GameRules, View, ViewForm

WAIT = "wait"
"""The only choice while the other seat moves."""
NUMBER = re.compile(r"(\bOption[^\S\n]+)(\d)(?!\w|[.,:]?\d|\s*,)")
"""A position as models write it, by its number alone."""
_BEGIN, _END = r"""[\s"'*`{(]*(?:(?:A|answer)["']?\s*:)?[\s"'*`]*(?:option\s+)?""", r"""[\s"'*`.!)}]*"""
BARE_NUMBER = re.compile(rf"{_BEGIN}(?:position|dial)?\s*(\d){_END}", re.IGNORECASE)
"""A reply that is a position and nothing else: ``7``, ``dial 7``, ``{"answer": 7}``."""
BARE_CLUE = re.compile(rf"{_BEGIN}([a-z]+),?\s+(?:for\s+)?(\d){_END}", re.IGNORECASE)
"""A reply that is a clue with its number and nothing else: ``street 2``, ``A: street, 2``."""
WAYS = (
    "Players differ in how they associate words: some by what kind of thing the words stand for, some by what occurs together, "
    "some by how the words sound, some by a mix of these, and some in a way that only they know."
)


@dataclass(frozen=True)
class GameVerbalizer(Verbalizer):
    """The words of one seat in an episode of ``rounds`` rounds. Words of the board are the options."""

    setting: GameRules
    form: ViewForm
    rounds: int
    seat: Seat

    def rules(self, brief: Brief) -> str:
        game = self.setting.rules
        lines = [
            f"You play {self.rounds} rounds of a word game with a partner.",
            game.explain(gives=game.gives == (self.seat == EGO)),
        ]
        if self.seat == EGO:
            slips = " Once in a while it slips." if self.setting.slip > 0 else ""
            lines.append(f"{WAYS} Your partner does it in the same way in all rounds.{slips}")
        lines.append("After each round you are both told all about it; then there are other words.")
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        return "\n".join(self._tell(moment))

    def summary(self, moments: Sequence[Moment]) -> str:
        return "\n".join(line.strip() for moment in moments for line in self._tell(moment))

    def _tell(self, moment: Moment) -> Iterator[str]:
        view = self.form.read(moment.observation)
        if moment.encounters and view.past is not None:
            names = self.name_words(view.past)
            yield from self._tell_moves(names, view.past_moves)
            end = self.setting.rules.tell_end(names, view.past.secret)
            points = moment.encounters[-1].reward
            yield f"{end} You both earned {points:g}.".strip()
        if moment.last:
            yield "The game is over."
        elif view.moves:
            yield from self._tell_moves(self.name_words(view.board), view.moves)
        else:
            yield f"\nRound {view.round + 1} of {self.rounds}."
            yield self.tell_board(view.board)

    def tell_board(self, board: Board) -> str:
        """The words of a round, with the secret if the seat knows it."""
        return self.setting.rules.show_board(self.name_words(board), board)

    def _tell_moves(self, names: Sequence[str], moves: Moves) -> Iterator[str]:
        """The last choice of a seat, and what the table showed after it."""
        game = self.setting.rules
        last = max(end for end in range(len(moves)) if game.mover(moves[:end]) != TABLE)
        for end in range(last, len(moves)):
            mover = game.mover(moves[:end])
            assert mover is not None, "the round went on"
            who = "You" if mover == self.seat else "Your partner"
            yield game.tell_move(names, who, mover, moves[end], moves[:end])

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        game, view = self.setting.rules, self._read(moment)
        names, number = self.name_words(view.board), f"Round {view.round + 1}."
        if isinstance(about, Question):
            slot = read_slot(about.id)
            assert slot is not None, "questions are about the partner"
            labels = [game.label_answer(names, answer) for answer in range(game.answers)]
            moves = view.moves if game.mover(()) == EGO else view.moves or (0,)
            text = game.ask_about(names, slot, moves)
            options = [name_answer(answer) for answer in range(game.answers)]
            return asked(f"{number} {text} {_offer(labels)}", labels, options, "other")
        if game.mover(view.moves) != self.seat:
            return asked(f"{number} It is not your turn. {_offer([WAIT])}", [WAIT], [0])
        choices = game.choices(view.moves)
        labels = [game.label(names, self._mover, choice, view.moves) for choice in choices]
        text = game.invite(names, self._mover, view.moves)
        return asked(f"{number} {text} {_offer(labels)}", labels, choices)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, spell_option(reply, ask.labels))

    def settled(self, moment: Moment) -> Any | None:
        """Nothing is to be chosen while the other seat moves."""
        return 0 if self.setting.rules.mover(self._read(moment).moves) != self.seat else None

    @property
    def _mover(self) -> Mover:
        return EGO if self.seat == EGO else PARTNER

    def name_words(self, board: Board) -> list[str]:
        """The words of a board."""
        lexicon = self.setting.tables.lexicon.words
        return [lexicon[word] for word in board.words]

    def _read(self, moment: Moment) -> View:
        """What the seat perceives; without an observation, a round in which it is its turn."""
        if moment.observation is not None:
            return self.form.read(moment.observation)
        game = self.setting.rules
        moves: Moves = () if game.mover(()) == self.seat else (0,)
        return View(0, Board(tuple(range(game.size)), 0), moves, None, ())


def make_form(rules: GameRules, rounds: int) -> ViewForm:
    """The form of the views of an episode."""
    return ViewForm(rules.rules, len(rules.tables.lexicon.words), rounds)


def spell_option(reply: str, labels: Sequence[str]) -> str:
    """The reply with a position, or a clue and its number, as the label that it means; else as it is.

    >>> spell_option("dial 7", ["position 6", "position 7"]), spell_option("A: Street, 2", ["street for 1", "street for 2"])
    ('A: Option position 7', 'A: Option street for 2')
    >>> spell_option("7 or 8", ["position 7", "position 8"]), spell_option("street 3", ["street for 1", "street for 2"])
    ('7 or 8', 'street 3')
    """
    meant = ""
    if number := BARE_NUMBER.fullmatch(reply):
        meant = f"{POSITION} {number[1]}"
    elif clue := BARE_CLUE.fullmatch(reply):
        meant = f"{clue[1].lower()} for {clue[2]}"
    if meant in labels:
        return f"A: Option {meant}"
    return NUMBER.sub(rf"\1{POSITION} \2", reply) if POSITION in labels[0] else reply


def _offer(labels: Sequence[str]) -> str:
    return f"Answer with {several([f'Option {label}' for label in labels], 'or')}."
