"""SimpleBot, of the repository ``Quuxplusone/Hanabi`` by Arthur O'Dwyer: every hint says that what it touches is playable."""

from __future__ import annotations

from random import Random

from otherminds.hanabi.conventions.convention import conventions
from otherminds.hanabi.rules import Hint, Move, Rules
from otherminds.hanabi.view import View, find_playable


class Belief:
    """What a player believes of a card: colour and rank, ``None`` where no hint gave them, and whether it scores."""

    def __init__(self) -> None:
        self.colour: int | None = None
        self.rank: int | None = None
        self.is_playable = False


@conventions.register("simple")
class SimpleBot:
    """Plays what it believes to be playable, lowest rank first; else hints the most cards that are and no other; else discards.

    A play ends the belief that a card is playable where that card may be the same, unless it is of the highest rank. With all tokens
    there, it hints the rank of the oldest card of the player before it, which nobody reads as a hint.
    """

    def __init__(self, rules: Rules, seat: int, rng: Random) -> None:
        self._rules, self._seat = rules, seat
        self._beliefs = [[Belief() for _ in range(rules.hand)] for _ in range(rules.players)]
        self._view: View

    def watch(self, view: View) -> None:
        if view.last is not None:
            if view.last.card < 0:
                self._hear(view.last)
            else:
                self._spend(view.last, view)
        self._view = view

    def choose(self, view: View) -> int:
        own = self._beliefs[self._seat]
        slots = [slot for slot, belief in enumerate(own) if belief.is_playable]
        if slots:
            return self._rules.hand + min(slots, key=lambda slot: (own[slot].rank, slot))
        if view.information:
            hints = [hint for player in view.others for hint in list_hints(view, player)]
            best = max(hints, key=lambda pair: self._count_fresh(view, pair[1]))
            if self._count_fresh(view, best[1]):
                return best[0]
        return free_token(view) if view.information == self._rules.information else 0

    def _hear(self, move: Move) -> None:
        hint = self._rules.hints[move.action]
        assert hint is not None
        to = (move.player + hint.offset) % self._rules.players
        if not hint.is_colour and frees_token(self._view, move, to):
            return
        for slot, belief in enumerate(self._beliefs[to]):
            if move.touched >> slot & 1:
                if hint.is_colour:
                    belief.colour, belief.rank = hint.value, self._view.fireworks[hint.value]
                else:
                    belief.rank = hint.value
                belief.is_playable = True

    def _spend(self, move: Move, view: View) -> None:
        hand = self._beliefs[move.player]
        hand.pop(move.action % self._rules.hand)
        hand += [Belief() for _ in range(len(view.colours_of[move.player]) - len(hand))]
        if move.action < self._rules.hand:
            return
        colour, rank = divmod(move.card, self._rules.ranks)
        for belief in (belief for hand in self._beliefs for belief in hand):
            is_same = belief.colour in (None, colour) and belief.rank in (None, rank)
            if is_same and belief.rank != self._rules.ranks - 1:
                belief.is_playable = False

    def _count_fresh(self, view: View, hint: Hint) -> int:
        """How many cards a hint makes playable in the belief of its hearer; 0 if one of the touched is not playable."""
        to = (self._seat + hint.offset) % self._rules.players
        playable, fresh = find_playable(self._rules, view.fireworks), 0
        for card, belief in zip(view.hands[to], self._beliefs[to], strict=True):
            if divmod(card, self._rules.ranks)[not hint.is_colour] == hint.value:
                if not playable >> card & 1:
                    return 0
                fresh += not belief.is_playable
        return fresh


def list_hints(view: View, player: int) -> list[tuple[int, Hint]]:
    """All legal hints to ``player``, colours first: the order in which these bots prefer equal ones."""
    offset = (player - view.seat) % view.rules.players
    legal = {*view.list_legal()}
    return [
        (action, hint)
        for action, hint in enumerate(view.rules.hints)
        if hint is not None and hint.offset == offset and action in legal
    ]


def free_token(view: View) -> int:
    """With all tokens there, discards are forbidden: the hint of the rank of the oldest card of the player before."""
    before = (view.seat - 1) % view.rules.players
    return view.hint_rank(before, view.hands[before][0] % view.rules.ranks)


def frees_token(before: View, move: Move, to: int) -> bool:
    """Whether a hint of a rank to player ``to`` is read as :func:`free_token`; ``before`` is what was seen before it."""
    rules = before.rules
    return (
        before.information == rules.information
        and move.player == (to + 1) % rules.players
        and bool(move.touched & 1)
    )
