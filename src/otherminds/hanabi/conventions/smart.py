"""SmartBot, of the repository ``Quuxplusone/Hanabi`` by Arthur O'Dwyer: as HolmesBot, and what is *not* said counts."""

from __future__ import annotations

from collections.abc import Callable

from otherminds.hanabi.conventions.convention import conventions
from otherminds.hanabi.conventions.inference import Inference, is_known
from otherminds.hanabi.conventions.simple import frees_token, list_hints
from otherminds.hanabi.rules import Hint, Move
from otherminds.hanabi.view import View

GAMBLES = (0, 1, 1, 3)
"""With so many lives left, by number, it gambles once the deck has at most so many cards."""


@conventions.register("smart")
class SmartBot(Inference):
    """Plays first what nobody knows that it knows, and infers from the silence of others.

    A hint says that it makes a card known to be playable, or else that the newest card of those that it touches and that may be
    playable is. A hint of a rank to the next player that touches the card that it would discard, and that can be a last copy, says that
    it is one. Whoever gives no such warning says that it is none. Who discards a known playable card says that
    another player has the same as its newest card.
    """

    def list_plans(self, view: View) -> list[Callable[[View], int | None]]:
        plans = [self.warn, self._hand_over, self._play, self.help, self._gamble]
        return plans if view.in_deck else [self._play, self._gamble, *plans]

    def is_playable(self, cards: int) -> bool | None:
        """Whether a card scores; ``None`` where it is open."""
        return _judge(cards, self.piles.playable)

    def is_useless(self, cards: int) -> bool | None:
        """Whether a card can never score any more; ``None`` where it is open."""
        return _judge(cards, self.piles.useless)

    def is_valuable(self, cards: int) -> bool | None:
        """Whether a card is a last copy that can score; ``None`` where it is open."""
        return _judge(cards, self.valuable)

    @property
    def valuable(self) -> int:
        return self.piles.last & ~self.piles.useless

    def learn_from_hint(self, move: Move, to: int, hint: Hint) -> None:
        expecting = (move.player + 1) % self.rules.players
        hand, discard, fitting = self.possible[to], self.find_discard(expecting), self.fit_hint(hint)
        says_nothing = not hint.is_colour and frees_token(self.view, move, to)
        if not hint.is_colour and not says_nothing and to == expecting and discard >= 0:
            is_open = self.is_valuable(hand[discard]) is None
            if move.touched >> discard & 1 and is_open and hand[discard] & fitting & self.valuable:
                hand[discard] &= self.valuable
                says_nothing = True
        before = hand.copy()
        self.narrow_by_hint(move, to, fitting)
        is_revealing, newest = self._read_hint(before, hand, move.touched)
        if not says_nothing and not is_revealing and newest >= 0:
            hand[newest] &= self.piles.playable
        if to != expecting:
            self._hear_silence(move.player)

    def learn_from_card(self, move: Move) -> None:
        self._hear_silence(move.player)
        cards = self.possible[move.player][move.action % self.rules.hand]
        if move.action >= self.rules.hand or not is_known(cards) or not self.is_playable(cards):
            return
        owner = self.seat
        for player, hand in enumerate(self.view.hands):
            if player not in (move.player, self.seat) and hand and hand[-1] == move.card:
                owner = player
                break
        if owner != move.player:
            self.possible[owner][-1] = 1 << move.card

    def _read_hint(self, before: list[int], after: list[int], touched: int) -> tuple[bool, int]:
        """Whether a hint makes a card known to be playable, and the newest touched slot that it leaves open; -1 where there is none."""
        is_revealing, newest = False, -1
        for slot, cards in enumerate(after):
            if self.is_playable(before[slot]) is None:
                is_playable = self.is_playable(cards)
                is_revealing |= is_playable is True
                if is_playable is None and touched >> slot & 1:
                    newest = slot
        return is_revealing, newest

    def _hear_silence(self, player: int) -> None:
        """``player`` did not warn the next one, so that the card that this one would discard is no last copy."""
        if not self.view.in_deck or not self.view.information:
            return
        expecting = (player + 1) % self.rules.players
        discard = self.find_discard(expecting)
        if discard >= 0:
            self.possible[expecting][discard] &= ~self.valuable

    def find_discard(self, player: int) -> int:
        hand = self.possible[player]
        if any(self.is_playable(cards) or self.is_useless(cards) for cards in hand):
            return -1
        slots = [slot for slot, cards in enumerate(hand) if not self.is_valuable(cards)]
        return max(slots, key=lambda slot: _share(hand[slot], self.piles.useless)) if slots else -1

    def _hand_over(self, view: View) -> int | None:
        """Discards a known playable card that exactly one other player has as its newest."""
        if view.information == self.rules.information:
            return None
        newest = [hand[-1] for hand in view.hands if hand]
        for slot, cards in enumerate(self.possible[self.seat]):
            is_sure = is_known(cards) and self.is_playable(cards) and self.is_valuable(cards) is False
            if is_sure and newest.count(cards.bit_length() - 1) == 1:
                return slot
        return None

    def _play(self, view: View) -> int | None:
        most, best = 0, None
        for slot, cards in enumerate(self.possible[self.seat]):
            seen = self.see(cards)
            if self.is_playable(cards) is not False and self.is_playable(seen):
                worth = 6 - self.find_rank(seen) + 100 * (self.is_playable(cards) is not True)
                if worth > most:
                    most, best = worth, self.rules.hand + slot
        return best

    def find_hint(self, view: View, player: int) -> tuple[int, int]:
        cards, before, ranks = view.hands[player], self.possible[player], self.rules.ranks
        avoided = -1
        if player == next(view.others):
            slot = self.find_discard(player)
            if slot >= 0 and self.is_valuable(before[slot]) is None:
                rank = cards[slot] % ranks
                avoided = rank if before[slot] & self.rank_sets[rank] & self.valuable else -1
        best = (0, -1)
        for action, hint in list_hints(view, player):
            if not hint.is_colour and hint.value == avoided:
                continue
            fitting = self.fit_hint(hint)
            after = [
                old & (fitting if fitting >> card & 1 else ~fitting)
                for card, old in zip(cards, before, strict=True)
            ]
            touched = sum(1 << slot for slot, card in enumerate(cards) if fitting >> card & 1)
            is_revealing, newest = self._read_hint(before, after, touched)
            narrowed = sum(map(int.bit_count, before)) - sum(map(int.bit_count, after))
            is_true = newest >= 0 and self.piles.playable >> cards[newest] & 1
            if (is_revealing or is_true) and narrowed > best[0]:
                best = narrowed, action
        return best

    def _gamble(self, view: View) -> int | None:
        """When the deck ends, plays the card that scores most probably."""
        if view.in_deck > GAMBLES[view.lives]:
            return None
        own = [self.see(cards) for cards in self.possible[self.seat]]
        slot = max(reversed(range(len(own))), key=lambda slot: _share(own[slot], self.piles.playable))
        return self.rules.hand + slot if own[slot] & self.piles.playable else None

    def discard(self) -> int:
        own = self.possible[self.seat]
        useless = [slot for slot, cards in enumerate(own) if self.is_useless(self.see(cards))]
        if useless:
            return min(useless, key=lambda slot: _share(own[slot], self.piles.useless))
        slot = self.find_discard(self.seat)
        return slot if slot >= 0 else max(range(len(own)), key=lambda slot: self.find_rank(own[slot]))


def _judge(cards: int, sought: int) -> bool | None:
    if not cards & ~sought:
        return True
    return None if cards & sought else False


def _share(cards: int, sought: int) -> float:
    return (cards & sought).bit_count() / cards.bit_count()
