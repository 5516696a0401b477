"""What a seat is told of a word game, and how its answers are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Brief, Invalid, Moment, Question, Seat, Turn, Whose
from otherminds.replies.answers import asked, listed, read
from otherminds.wordgames.game import EGO, PARTNER, POSITION, TABLE, Board, Mover, Moves
from otherminds.wordgames.questions import name_answer, read_slot
from otherminds.wordgames.rules import GameRules, View, ViewForm

WAIT = "wait"
"""The only choice while the other seat moves."""
NUMBER = re.compile(r"(\bOption[^\S\n]+)(\d)(?!\w|[.,:]?\d|\s*,)")
"""A position as models write it, by its number alone."""
_BEGIN, _END = r"""[\s"'*`{(]*(?:(?:A|answer)["']?\s*:)?[\s"'*`]*(?:option\s+)?""", r"""[\s"'*`.!)}]*"""
_I = r"i(?:['’](?:d|ll)|\s+would|\s+will)?\s+"
SAYINGS: dict[Whose, str] = {
    "own": rf"{_I}(?:say|guess|name|choose|pick|give|set|go\s+(?:with|for))(?:\s+the)?(?:\s+(?:word|clue|dial\s+to))?",
    "other": rf"{_I}(?:say|guess|think|expect)",
}
"""How a reply announces an own choice, or a prediction: a word for the former says nothing of what the other does."""
BARE = {
    whose: re.compile(
        rf"{_BEGIN}(?:(?P<says>{says})[\s\"'*`]+)?(?:(?:position|dial)?\s*(?P<position>\d)"
        rf"|(?P<clue>[a-z]+),?\s+(?:for\s+)?(?P<number>\d)|(?:{_I})?(?P<stop>stop)(?:\s+(?:here|now))?|(?P<word>[a-z]+)){_END}",
        re.IGNORECASE,
    )
    for whose, says in SAYINGS.items()
}
"""A reply that is an answer and nothing else: ``7``, ``I would say dial 7``, ``A: street, 2``, ``I stop here``."""
LONGEST = 80
"""Characters of such a reply. There are many ways to match the spaces of a long one."""
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
        last = max(len(before) for mover, _, before in game.unfold(moves) if mover != TABLE)
        for mover, choice, before in [*game.unfold(moves)][last:]:
            who = "You" if mover == self.seat else "Your partner"
            yield game.tell_move(names, who, mover, choice, before)

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
            return asked(f"{number} {text} Answer with {listed(labels, 'or')}.", labels, options, "other")
        if game.mover(view.moves) != self.seat:
            return asked(f"{number} It is not your turn. Answer with {listed([WAIT], 'or')}.", [WAIT], [0])
        choices = game.choices(view.moves)
        labels = [game.label(names, self._mover, choice, view.moves) for choice in choices]
        text = game.invite(names, self._mover, view.moves)
        return asked(f"{number} {text} Answer with {listed(labels, 'or')}.", labels, choices)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, spell_option(reply, ask.labels, ask.whose))

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


def spell_option(reply: str, labels: Sequence[str], whose: Whose = "own") -> str:
    """The reply as the label that it means, where it is that and nothing else; a position by its number alone as its label.

    >>> spell_option("dial 7", ["position 6", "position 7"]), spell_option("A: Street, 2", ["street for 1", "street for 2"])
    ('A: Option position 7', 'A: Option street for 2')
    >>> spell_option("I would say Cat.", ["dog", "cat"]), spell_option("I stop here", ["dog", "stop"])
    ('A: Option cat', 'A: Option stop')
    >>> spell_option("7 or 8", ["position 7", "position 8"]), spell_option("I name cat", ["dog", "cat"], "other")
    ('7 or 8', 'I name cat')
    """
    if len(reply) <= LONGEST and (bare := BARE[whose].fullmatch(reply)):
        clue, word, stop = ((bare[name] or "").lower() for name in ("clue", "word", "stop"))
        # A word alone is left to the reader of all worlds.
        meant = (word if bare["says"] else "") or stop or f"{clue} for {bare['number']}"
        if bare["position"]:
            meant = f"{POSITION} {bare['position']}"
        if meant in labels:
            return f"A: Option {meant}"
    return NUMBER.sub(rf"\1{POSITION} \2", reply) if POSITION in labels[0] else reply
