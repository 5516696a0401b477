"""HolmesBot, of the repository ``Quuxplusone/Hanabi`` by Arthur O'Dwyer: hints of playable cards, warnings, and inference."""

from __future__ import annotations

from collections.abc import Callable

from otherminds.hanabi.conventions.convention import conventions
from otherminds.hanabi.conventions.inference import Inference, is_known
from otherminds.hanabi.conventions.simple import frees_token, list_hints
from otherminds.hanabi.rules import Hint, Move
from otherminds.hanabi.view import View


@conventions.register("holmes")
class HolmesBot(Inference):
    """Warns the next player of a last copy that it would discard; else plays, hints playable cards, gambles at the end, discards.

    The hint of a colour names the next card of its firework, unless its rank is known. The hint of a rank says that what it touches
    is playable. If it touches the card that its hearer would discard, and that can be a last copy, it warns of that card alone.
    """

    def list_plans(self, view: View) -> list[Callable[[View], int | None]]:
        return [self.warn, self._play, self.help, self._gamble]

    def discard(self) -> int:
        own = self.possible[self.seat]
        for slot, cards in enumerate(own):
            if self.is_worthless(cards):
                return slot
        for slot, cards in enumerate(own):
            if not self.is_valuable(cards):
                return slot
        return max(range(len(own)), key=lambda slot: self.find_rank(own[slot]))

    def is_playable(self, cards: int) -> bool:
        """Whether a card scores whatever it is."""
        return not cards & ~self.piles.playable

    def is_worthless(self, cards: int) -> bool:
        """Whether a card is on the table whatever it is."""
        return not cards & ~self.piles.played

    def is_valuable(self, cards: int) -> bool:
        """Whether a card is a last copy, and not on the table, whatever it is."""
        return not cards & ~self.valuable

    @property
    def valuable(self) -> int:
        return self.piles.last & ~self.piles.played

    def learn_from_hint(self, move: Move, to: int, hint: Hint) -> None:
        hand, piles, fitting = self.possible[to], self.piles, self.fit_hint(hint)
        if hint.is_colour:
            next_card = fitting & piles.playable
            for slot, cards in enumerate(hand):
                if move.touched >> slot & 1 and self.find_rank(cards) < 0 and not self.is_worthless(cards):
                    hand[slot] = cards & next_card
            self.narrow_by_hint(move, to, fitting)
            return
        if frees_token(self.view, move, to):
            return
        discard = self.find_discard(to)
        is_warning = (
            discard >= 0 and move.touched >> discard & 1 and bool(hand[discard] & fitting & self.valuable)
        )
        if is_warning:
            hand[discard] &= self.valuable
            if hint.value == min(self.view.fireworks):
                hand[discard] &= piles.playable
        else:
            for slot, cards in enumerate(hand):
                if move.touched >> slot & 1 and not self._has_colour(cards) and not self.is_worthless(cards):
                    hand[slot] = cards & piles.playable
        self.narrow_by_hint(move, to, fitting)

    def learn_from_card(self, move: Move) -> None:
        pass

    def _has_colour(self, cards: int) -> bool:
        return any(not cards & ~colour for colour in self.colour_sets)

    def find_discard(self, player: int) -> int:
        hand = self.possible[player]
        if any(self.is_playable(cards) or self.is_worthless(cards) for cards in hand):
            return -1
        return next((slot for slot, cards in enumerate(hand) if not self.is_valuable(cards)), -1)

    def _play(self, view: View) -> int | None:
        own = self.possible[self.seat]
        slots = [slot for slot, cards in enumerate(own) if self.is_playable(cards)]
        return self.rules.hand + min(slots, key=lambda slot: self.find_rank(own[slot])) if slots else None

    def find_hint(self, view: View, player: int) -> tuple[int, int]:
        cards, beliefs, ranks = view.hands[player], self.possible[player], self.rules.ranks
        discard, avoided = self.find_discard(player), -1
        if discard >= 0 and beliefs[discard] & self.rank_sets[cards[discard] % ranks] & self.valuable:
            avoided = cards[discard] % ranks
        best = (0, -1)
        for action, (_, is_colour, value) in list_hints(view, player):
            if not is_colour and value == avoided:
                continue
            touched = [
                (self.piles.playable >> card & 1, belief)
                for card, belief in zip(cards, beliefs, strict=True)
                if divmod(card, ranks)[not is_colour] == value
            ]
            misread = any(
                not scores and self._is_open(belief, is_colour=is_colour) for scores, belief in touched
            )
            fresh = sum(scores and not self.is_playable(belief) for scores, belief in touched)
            if not misread and fresh > best[0]:
                best = fresh, action
        return best

    def _is_open(self, belief: int, *, is_colour: bool) -> bool:
        """Whether a hint of a colour, or rank, is read as a claim about this card."""
        has_other = self.find_rank(belief) > 0 if is_colour else self._has_colour(belief)
        return not has_other and not self.is_worthless(belief)

    def _gamble(self, view: View) -> int | None:
        """When the deck ends, plays the newest card that might score."""
        own = self.possible[self.seat]
        for slot in reversed(range(len(own))) if view.in_deck <= 1 else ():
            if not self.is_worthless(own[slot]) and not is_known(own[slot]):
                return self.rules.hand + slot
        return None
