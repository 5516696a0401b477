"""What all players can infer of all cards: the base of conventions that remember."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from random import Random

from otherminds.hanabi.conventions.simple import free_token
from otherminds.hanabi.rules import Hint, Move, Rules
from otherminds.hanabi.view import View, find_playable, find_useless, hinted_cards, list_cards


class Piles:
    """Sets of cards by what lies on the table: ``playable`` now, ``played``, ``useless`` for ever, and ``last`` copies."""

    def __init__(self, view: View) -> None:
        rules = view.rules
        self.playable = find_playable(rules, view.fireworks)
        self.useless = find_useless(rules, view.fireworks, view.discarded)
        self.played = sum(
            (1 << height) - 1 << colour * rules.ranks for colour, height in enumerate(view.fireworks)
        )
        self.gone = [count + (self.played >> card & 1) for card, count in enumerate(view.discarded)]
        self.last = sum(1 << card for card, count in enumerate(self.gone) if count == rules.copies[card] - 1)


class Inference:
    """A convention that keeps for each card of each player the set of cards that it can be.

    ``possible`` is common knowledge, as far as all players follow the convention: it uses hints, what their choice says, the
    table, and cards that are known. Where a set would become empty, it is what hints and the table leave open.
    """

    def __init__(self, rules: Rules, seat: int, rng: Random) -> None:
        self.rules, self.seat = rules, seat
        self.all = (1 << rules.colours * rules.ranks) - 1
        self.possible = [[self.all] * rules.hand for _ in range(rules.players)]
        self.colour_sets = [hinted_cards(rules, 1 << colour, -1) for colour in range(rules.colours)]
        self.rank_sets = [hinted_cards(rules, -1, 1 << rank) for rank in range(rules.ranks)]
        self.view: View
        self.piles: Piles

    def watch(self, view: View) -> None:
        move = view.last
        if move is not None:
            if move.card < 0:
                self._hear(move)
            else:
                self._spend(move, view)
        self.view, self.piles = view, Piles(view)
        self.settle()

    @property
    @abstractmethod
    def valuable(self) -> int:
        """The set of last copies that can still be of use."""

    @abstractmethod
    def find_discard(self, player: int) -> int:
        """The slot that a player would discard; -1 where it would play, or discards without a loss, or holds last copies only."""

    @abstractmethod
    def find_hint(self, view: View, player: int) -> tuple[int, int]:
        """The best hint to ``player`` that is not misread: how good it is, 0 where there is none, and the action."""

    @abstractmethod
    def learn_from_hint(self, move: Move, to: int, hint: Hint) -> None:
        """Takes a hint to player ``to`` into account; the view is that before it, the sets of touched cards are not yet narrowed."""

    @abstractmethod
    def learn_from_card(self, move: Move) -> None:
        """Takes a discard or a play into account; the view is that before it."""

    def _hear(self, move: Move) -> None:
        hint = self.rules.hints[move.action]
        assert hint is not None
        self.learn_from_hint(move, (move.player + hint.offset) % self.rules.players, hint)

    def fit_hint(self, hint: Hint) -> int:
        """The set of cards that a hint touches."""
        return (self.colour_sets if hint.is_colour else self.rank_sets)[hint.value]

    def _spend(self, move: Move, view: View) -> None:
        self.learn_from_card(move)
        hand = self.possible[move.player]
        hand.pop(move.action % self.rules.hand)
        hand += [self.all] * (len(view.colours_of[move.player]) - len(hand))

    def narrow_by_hint(self, move: Move, to: int, fitting: int) -> None:
        """Leaves only the cards ``fitting`` a hint to touched cards, and takes it from the others; a hint overrides all that was inferred."""
        hand, others = self.possible[to], self.all & ~fitting
        for slot, cards in enumerate(hand):
            kept = fitting if move.touched >> slot & 1 else others
            hand[slot] = cards & kept or kept

    def settle(self) -> None:
        """Takes from unknown cards those of which all copies are on the table or known in hands, until nothing changes."""
        copies, gone, view = self.rules.copies, self.piles.gone, self.view
        for player, hand in enumerate(self.possible):
            hints = zip(view.colours_of[player], view.ranks_of[player], strict=True)
            for slot, (colours, ranks) in enumerate(hints):
                if not hand[slot]:
                    hand[slot] = hinted_cards(self.rules, colours, ranks)
        exhausted = -1
        while True:
            counts = gone.copy()
            for hand in self.possible:
                for cards in hand:
                    if is_known(cards):
                        counts[cards.bit_length() - 1] += 1
            known = sum(1 << card for card, count in enumerate(counts) if count >= copies[card])
            if known == exhausted:
                return
            exhausted = known
            for hand in self.possible:
                for slot, cards in enumerate(hand):
                    if not is_known(cards):
                        hand[slot] = cards & ~exhausted or cards

    def choose(self, view: View) -> int:
        for act in self.list_plans(view):
            action = act(view)
            if action is not None:
                return action
        return free_token(view) if view.information == self.rules.information else self.discard()

    @abstractmethod
    def list_plans(self, view: View) -> list[Callable[[View], int | None]]:
        """What to try in this order; each gives an action, or ``None`` where it does not apply."""

    @abstractmethod
    def discard(self) -> int:
        """The own slot to discard where nothing else applies."""

    def warn(self, view: View) -> int | None:
        """Where the next player would discard a last copy: a hint after which it plays instead, or the warning, its rank."""
        player = next(view.others)
        slot = self.find_discard(player)
        if slot < 0 or not view.information or not self.valuable >> view.hands[player][slot] & 1:
            return None
        worth, action = self.find_hint(view, player)
        return action if worth > 0 else view.hint_rank(player, view.hands[player][slot] % self.rules.ranks)

    def help(self, view: View) -> int | None:
        """The best hint to anybody."""
        if not view.information:
            return None
        worth, action = max(
            (self.find_hint(view, player) for player in view.others), key=lambda hint: hint[0]
        )
        return action if worth > 0 else None

    def find_rank(self, cards: int) -> int:
        """The rank that all of ``cards`` share, from 1; -1 where there are several."""
        ranks = {card % self.rules.ranks for card in list_cards(cards)}
        return ranks.pop() + 1 if len(ranks) == 1 else -1

    def see(self, cards: int) -> int:
        """What an own card can be of ``cards``, also by the hands that this player sees."""
        if is_known(cards):
            return cards
        counts = self.piles.gone.copy()
        for hand in self.view.hands:
            for card in hand:
                counts[card] += 1
        for other in self.possible[self.seat]:
            if is_known(other):
                counts[other.bit_length() - 1] += 1
        copies = self.rules.copies
        return cards & ~sum(1 << card for card, count in enumerate(counts) if count >= copies[card]) or cards


def is_known(cards: int) -> bool:
    """Whether a set has one card."""
    return not cards & cards - 1
