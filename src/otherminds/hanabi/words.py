"""What a player of Hanabi is told, and how its answers are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Brief, Invalid, Moment, Question, Seat, Turn
from otherminds.hanabi.rules import COLOURS, Move, Rules
from otherminds.hanabi.view import View
from otherminds.hanabi.world import KINDS, SCORES, find_topic, name_seats, read_view
from otherminds.replies.answers import asked, listed, read, several

MEANINGS = {
    "discard": "it discards a card",
    "play": "it plays a card",
    "colour": "it gives a hint about a colour",
    "number": "it gives a hint about a number",
}


@dataclass(frozen=True)
class HanabiVerbalizer(Verbalizer):
    """The words of one seat. Cards are numbered from 1, the oldest."""

    size: Rules
    seat: Seat

    def rules(self, brief: Brief) -> str:
        size = self.size
        copies = several(
            [f"{count} of number {rank + 1}" for rank, count in enumerate(size.copies[: size.ranks])], "and"
        )
        seats = name_seats(size.players)
        return (
            "\n".join(
                (
                    f"You are {self.seat}. You play a card game as a team with {several(list(brief.others), 'and')}. "
                    f"The turns go {' → '.join(seats)} → {seats[0]}, and so on.",
                    f"There are {size.deck_size} cards: in each of the colours {several(COLOURS[: size.colours], 'and')}, {copies}.",
                    f"Everybody has {size.hand} cards. You see the cards of the others, and never your own. Card 1 of a hand is "
                    f"the oldest; a new card becomes the last.",
                    "In each colour the team builds a pile that starts with number 1, then 2, and so on. In its turn a player does one of these:",
                    "- play a card: it goes on the pile of its colour if it is the next number there, which scores 1 point. If not, it "
                    "is lost and so is a life. Then the player takes a new card.",
                    f"- discard a card: it is lost, and the team gets a hint token back. It is forbidden with all {size.information} tokens there. Then the "
                    "player takes a new card.",
                    "- give a hint, for one token: name a colour or a number to another player, who learns which of its cards are of it, all "
                    "of them. At least one has to be. There is no other communication.",
                    f"A complete pile gives a token back. The game ends when {size.lives} lives are lost (then the score is 0), when all piles are "
                    f"complete ({size.best} points), or after each player had one more turn once the last card was taken.",
                    "The team's score is what you earn. Each player plays by habits of its own; hints may mean more than they say.",
                )
            )
            + "\n"
        )

    def tell(self, moment: Moment) -> str:
        view = self.find_view(moment)
        lines = [self._tell_last(view.last)] if view.last is not None else []
        if moment.last:
            score = sum(view.fireworks) if view.lives else 0
            return "\n".join([*lines, f"The game is over. The score is {score}."])
        if view.player == view.seat:
            lines += ["", *self._tell_table(view)]
        return "\n".join(lines)

    def summary(self, moments: Sequence[Moment]) -> str:
        views = (self.find_view(moment) for moment in moments)
        return "\n".join(self._tell_last(view.last) for view in views if view.last is not None)

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        if isinstance(about, Question):
            if about.id != SCORES:
                text = f"{about.text} {several([f'{kind}: {MEANINGS[kind]}' for kind in KINDS], 'or')}."
                return asked(f"{text} Answer with {listed(KINDS, 'or')}.", KINDS, KINDS, "other")
            slot = find_topic(self.find_view(moment)) if moment.observation is not None else 0
            text = (
                f"Would your card {slot + 1} score if you played it now? Answer with Option yes or Option no."
            )
            return asked(text, about.options, about.options)
        view = self.find_view(moment) if moment.observation is not None else None
        legal = range(self.size.actions) if view is None else view.list_legal() or range(1)
        labels = [self.name_action(action) for action in legal]
        return asked(f"What do you do? Answer with {listed(labels, 'or')}.", labels, tuple(legal))

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, reply)

    def settled(self, moment: Moment) -> Any | None:
        """Any action in the turn of another player."""
        if moment.observation is None or self.find_view(moment).player == self.find_view(moment).seat:
            return None
        return 0

    def name_action(self, action: int) -> str:
        """An action in one word."""
        hint = self.size.hints[action]
        if hint is None:
            return f"{KINDS[action // self.size.hand]}_{action % self.size.hand + 1}"
        seats = name_seats(self.size.players)
        to = seats[(seats.index(self.seat) + hint.offset) % len(seats)]
        return f"hint_{to}_{COLOURS[hint.value] if hint.is_colour else hint.value + 1}"

    def find_view(self, moment: Moment) -> View:
        """What the seat sees."""
        return read_view(self.size, name_seats(self.size.players).index(self.seat), moment.observation)

    def _tell_last(self, move: Move) -> str:
        seats = name_seats(self.size.players)
        return tell_move(self.size, move, ["You" if seat == self.seat else seat for seat in seats])

    def _tell_table(self, view: View) -> list[str]:
        """The table before the own turn."""
        piles = several(
            [f"{COLOURS[colour]} {height}" for colour, height in enumerate(view.fireworks)], "and"
        )
        lost = [
            f"{call_card(self.size, card)}{f' (x{count})' if count > 1 else ''}"
            for card, count in enumerate(view.discarded)
            if count
        ]
        lines = [
            f"It is your turn. Piles: {piles}. Hint tokens: {view.information}. Lives: {view.lives}. Cards in the deck: {view.in_deck}.",
            f"Lost cards: {several(lost, 'and') if lost else 'none'}.",
        ]
        return [*lines, *self.tell_hands(view)]

    def tell_hands(self, view: View) -> list[str]:
        """The cards of the others, and what hints say of all cards."""
        seats, lines = name_seats(self.size.players), list[str]()
        for player in view.others:
            cards = [
                f"card {slot + 1} {call_card(self.size, card)} (it knows: {tell_hints(view, player, slot)})"
                for slot, card in enumerate(view.hands[player])
            ]
            lines.append(f"{seats[player]} has {'; '.join(cards)}.")
        own = [f"card {slot + 1} {tell_hints(view, view.seat, slot)}" for slot in range(view.size)]
        return [*lines, f"Of your own cards you know: {'; '.join(own)}."]


def call_card(rules: Rules, card: int) -> str:
    """A card in words.

    >>> call_card(Rules(), 7)
    'yellow 3'
    """
    return f"{COLOURS[card // rules.ranks]} {card % rules.ranks + 1}"


def tell_move(rules: Rules, move: Move, names: Sequence[str]) -> str:
    """A finished turn in a sentence, with the ``names`` of all players."""
    name, hint = names[move.player], rules.hints[move.action]
    if hint is None:
        slot, card = move.action % rules.hand + 1, call_card(rules, move.card)
        if move.action < rules.hand:
            return f"{name} discarded card {slot}: {card}."
        return f"{name} played card {slot}: {card}. {'It scores.' if move.scored else 'It does not fit: a life is lost.'}"
    hearer = names[(move.player + hint.offset) % rules.players]
    slots = [str(slot + 1) for slot in range(rules.hand) if move.touched >> slot & 1]
    cards = f"card{'s' * (len(slots) > 1)} {several(slots, 'and')}"
    value = COLOURS[hint.value] if hint.is_colour else f"number {hint.value + 1}"
    return f"{name} told {'you' if hearer == 'You' else hearer}: {cards} {'are' if len(slots) > 1 else 'is'} {value}."


def tell_hints(view: View, player: int, slot: int) -> str:
    """What hints leave open of a card."""
    rules, colours, ranks = view.rules, view.colours_of[player][slot], view.ranks_of[player][slot]
    names = [COLOURS[colour] for colour in range(rules.colours) if colours >> colour & 1]
    numbers = [str(rank + 1) for rank in range(rules.ranks) if ranks >> rank & 1]
    parts = [several(names, "or")] if len(names) < rules.colours else []
    parts += [f"number {several(numbers, 'or')}"] if len(numbers) < rules.ranks else []
    return several(parts, "and") if parts else "nothing"
