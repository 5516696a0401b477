"""HolmesBot, of the repository ``Quuxplusone/Hanabi`` by Arthur O'Dwyer: hints of playable cards, warnings, and inference."""

from __future__ import annotations

from otherminds.hanabi.conventions.convention import conventions
from otherminds.hanabi.conventions.inference import Inference, is_known
from otherminds.hanabi.conventions.simple import free_token, frees_token
from otherminds.hanabi.rules import Move
from otherminds.hanabi.view import View


@conventions.register("holmes")
class HolmesBot(Inference):
    """Warns the next player of a last copy that it would discard; else plays, hints playable cards, gambles at the end, discards.

    The hint of a colour names the next card of its firework, unless its rank is known. The hint of a rank says that what it touches
    is playable. If it touches the card that its hearer would discard, and that can be a last copy, it warns of that card alone.
    """

    def choose(self, view: View) -> int:
        for act in (self._warn, self._play, self._help, self._gamble):
            action = act(view)
            if action is not None:
                return action
        if view.information == self.rules.information:
            return free_token(view)
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
        return not cards & ~self._valuable

    @property
    def _valuable(self) -> int:
        return self.piles.last & ~self.piles.played

    def learn_from_hint(self, move: Move, to: int, colour: int | None, rank: int | None) -> None:
        hand, piles = self.possible[to], self.piles
        if colour is not None:
            fitting = self.colour_sets[colour]
            next_card = fitting & piles.playable
            for slot, cards in enumerate(hand):
                if move.touched >> slot & 1 and self.find_rank(cards) < 0 and not self.is_worthless(cards):
                    hand[slot] = cards & next_card
            self.narrow_by_hint(move, to, fitting)
            return
        assert rank is not None
        if frees_token(self.view, move, to):
            return
        fitting, discard = self.rank_sets[rank], self._find_discard(to)
        is_warning = (
            discard >= 0 and move.touched >> discard & 1 and bool(hand[discard] & fitting & self._valuable)
        )
        if is_warning:
            hand[discard] &= self._valuable
            if rank == min(self.view.fireworks):
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

    def _find_discard(self, player: int) -> int:
        """The slot that a player would discard; -1 where it would play, or discards without a loss, or holds last copies only."""
        hand = self.possible[player]
        if any(self.is_playable(cards) or self.is_worthless(cards) for cards in hand):
            return -1
        return next((slot for slot, cards in enumerate(hand) if not self.is_valuable(cards)), -1)

    def _warn(self, view: View) -> int | None:
        player = next(view.others)
        slot = self._find_discard(player)
        if slot < 0 or not view.information or not self._valuable >> view.hands[player][slot] & 1:
            return None
        fresh, action = self._find_hint(view, player)
        return action if fresh > 0 else view.hint_rank(player, view.hands[player][slot] % self.rules.ranks)

    def _play(self, view: View) -> int | None:
        own = self.possible[self.seat]
        slots = [slot for slot, cards in enumerate(own) if self.is_playable(cards)]
        return self.rules.hand + min(slots, key=lambda slot: self.find_rank(own[slot])) if slots else None

    def _help(self, view: View) -> int | None:
        if not view.information:
            return None
        fresh, action = max(
            (self._find_hint(view, player) for player in view.others), key=lambda hint: hint[0]
        )
        return action if fresh > 0 else None

    def _find_hint(self, view: View, player: int) -> tuple[int, int]:
        """The hint to ``player`` by which most cards become playable and none is misread, with their number."""
        cards, beliefs, ranks = view.hands[player], self.possible[player], self.rules.ranks
        discard, avoided = self._find_discard(player), -1
        if discard >= 0 and beliefs[discard] & self.rank_sets[cards[discard] % ranks] & self._valuable:
            avoided = cards[discard] % ranks
        best = (0, -1)
        for action, is_colour, value in self._list_hints(view, player):
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

    def _list_hints(self, view: View, player: int) -> list[tuple[int, bool, int]]:
        colours = sorted({card // self.rules.ranks for card in view.hands[player]})
        ranks = sorted({card % self.rules.ranks for card in view.hands[player]})
        hints = [(view.hint_colour(player, colour), True, colour) for colour in colours]
        return hints + [(view.hint_rank(player, rank), False, rank) for rank in ranks]

    def _gamble(self, view: View) -> int | None:
        """When the deck ends, plays the newest card that might score."""
        own = self.possible[self.seat]
        for slot in reversed(range(len(own))) if view.in_deck <= 1 else ():
            if not self.is_worthless(own[slot]) and not is_known(own[slot]):
                return self.rules.hand + slot
        return None
