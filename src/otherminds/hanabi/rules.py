"""The rules of Hanabi: sizes, cards, actions, and a table on which a game is played.

The parameters, the numbers of cards and actions and the order of dealing are those of the Hanabi Learning Environment (Bard
et al. 2020, "The Hanabi Challenge", Artificial Intelligence 280, 103216), which OpenSpiel contains. A card is the number
``colour * ranks + rank``, both from 0. Slot 0 of a hand is its oldest card.

With ``h`` cards in a hand, action ``i`` discards slot ``i``, and ``h + i`` plays it. Then follow, for the player after the one
who acts and for each further one, the hints of all colours, and after these the hints of all ranks in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from random import Random
from typing import NamedTuple

from msgspec import Struct

from otherminds.core.errors import StudyError, WorldError

COLOURS = ("red", "yellow", "green", "white", "blue")
LETTERS = "RYGWB"


class Hint(NamedTuple):
    """What a hint says: to the player ``offset`` seats further, about a colour or a rank, from 0."""

    offset: int
    is_colour: bool
    value: int


class Rules(Struct, frozen=True, dict=True):
    """The size of a game; the full one by default, which has 50 cards. A hand has ``hand`` cards, ``information`` and ``lives`` are tokens."""

    players: int = 2
    colours: int = 5
    ranks: int = 5
    hand: int = 5
    information: int = 8
    lives: int = 3

    def __post_init__(self) -> None:
        """Checks the size.

        Raises:
            StudyError: a number that the game cannot have, or more cards in hands than there are.
        """
        limits = {"players": (2, 5), "colours": (1, 5), "ranks": (2, 5), "hand": (1, 5), "lives": (1, 3)}
        limits["information"] = (1, 8)
        for name, (least, most) in limits.items():
            number = getattr(self, name)
            if not least <= number <= most:
                raise StudyError(f"{name} must be from {least} to {most}, not {number}")
        if self.players * self.hand > self.deck_size:
            raise StudyError(f"{self.players} hands of {self.hand} are more than {self.deck_size} cards")

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """How often each card exists: three of the lowest rank, one of the highest, two of the others."""
        counts = (3, *(2,) * (self.ranks - 2), 1)
        return counts * self.colours

    @cached_property
    def deck_size(self) -> int:
        """The number of cards."""
        return 2 * self.ranks * self.colours

    @cached_property
    def best(self) -> int:
        """The highest score."""
        return self.colours * self.ranks

    @cached_property
    def actions(self) -> int:
        """The number of actions."""
        return 2 * self.hand + (self.players - 1) * (self.colours + self.ranks)

    @cached_property
    def longest(self) -> int:
        """No game has more turns: each card taken from the deck frees at most one token, and then each player has a last turn."""
        taken = self.deck_size - self.players * self.hand
        return 2 * taken + self.information + self.players

    @cached_property
    def hints(self) -> tuple[Hint | None, ...]:
        """By action: the hint that it gives; ``None`` for a discard or a play."""
        offsets = range(1, self.players)
        colours = [Hint(offset, True, colour) for offset in offsets for colour in range(self.colours)]
        ranks = [Hint(offset, False, rank) for offset in offsets for rank in range(self.ranks)]
        return (None,) * (2 * self.hand) + (*colours, *ranks)

    def hint_colour(self, offset: int, colour: int) -> int:
        """The action that hints a colour to the player ``offset`` seats further."""
        return 2 * self.hand + (offset - 1) * self.colours + colour

    def hint_rank(self, offset: int, rank: int) -> int:
        """The action that hints a rank to the player ``offset`` seats further."""
        return 2 * self.hand + (self.players - 1) * self.colours + (offset - 1) * self.ranks + rank

    def name_card(self, card: int) -> str:
        """A card as a letter and a number.

        >>> Rules().name_card(7)
        'Y3'
        """
        return f"{LETTERS[card // self.ranks]}{card % self.ranks + 1}"

    def shuffle(self, rng: Random) -> list[int]:
        """All cards in random order; the first is dealt first."""
        deck = [card for card, copies in enumerate(self.copies) for _ in range(copies)]
        rng.shuffle(deck)
        return deck


def size_rules(size: str, players: int) -> Rules:
    """The rules of the sizes ``full``, ``small`` (two colours), ``very_small`` (one colour) and ``minimal`` (two colours, two ranks).

    The first three are those of the Hanabi Learning Environment: a full hand has five cards, and four from four players on. Of
    ``minimal``, for two, exact values are known.

    Raises:
        StudyError: another size, or too many players for it.

    >>> size_rules("full", 4).hand, size_rules("small", 2).deck_size
    (4, 20)
    """
    if size == "full":
        return Rules(players, hand=5 if players < 4 else 4)
    if size == "small":
        return Rules(players, colours=2, hand=2, information=3, lives=1)
    if size == "very_small":
        return Rules(players, colours=1, hand=2, information=3, lives=1)
    if size == "minimal":
        return Rules(players, colours=2, ranks=2, hand=2, information=1, lives=1)
    raise StudyError(f"size must be 'full', 'small', 'very_small' or 'minimal', not {size!r}")


class Move(NamedTuple):
    """What all saw of a turn: the ``card`` that was discarded or played and whether it ``scored``, or the slots that a hint
    ``touched``, as bits. ``card`` is -1 for a hint."""

    player: int
    action: int
    card: int
    scored: bool
    touched: int


def list_legal(rules: Rules, information: int, cards: int, others: Sequence[Sequence[int]]) -> list[int]:
    """The legal actions with ``information`` tokens and ``cards`` in the own hand, in ascending order; ``others`` are the
    hands of the other players, from the next one on."""
    hand, ranks = rules.hand, rules.ranks
    legal = list(range(cards)) if information < rules.information else []
    legal += range(hand, hand + cards)
    if information:
        hints: set[int] = set()
        base, late = 2 * hand, 2 * hand + len(others) * rules.colours
        for offset, cards_of in enumerate(others):
            for card in cards_of:
                colour, rank = divmod(card, ranks)
                hints.add(base + offset * rules.colours + colour)
                hints.add(late + offset * ranks + rank)
        legal += sorted(hints)
    return legal


class Table:
    """A game that is going on, with ``deck`` in the order in which it is dealt.

    ``colours_of`` and ``ranks_of`` have for each card in a hand what hints leave open, as bits; the bit after the last
    colour, or rank, is set where a hint named it.
    """

    __slots__ = (
        "colours_of",
        "deck",
        "discards",
        "fireworks",
        "hands",
        "information",
        "lives",
        "moves",
        "next_card",
        "player",
        "ranks_of",
        "rules",
        "turns_left",
    )

    def __init__(self, rules: Rules, deck: Sequence[int]) -> None:
        self.rules = rules
        self.deck = tuple(deck)
        hand, players = rules.hand, rules.players
        self.hands = [list(deck[p * hand : (p + 1) * hand]) for p in range(players)]
        self.colours_of = [[(1 << rules.colours) - 1] * hand for _ in range(players)]
        self.ranks_of = [[(1 << rules.ranks) - 1] * hand for _ in range(players)]
        self.next_card = players * hand
        self.fireworks = [0] * rules.colours
        self.discards: list[int] = []
        self.information, self.lives = rules.information, rules.lives
        self.player = 0
        self.turns_left = players
        self.moves: list[Move] = []

    @property
    def in_deck(self) -> int:
        """The number of cards that are not yet dealt."""
        return len(self.deck) - self.next_card

    @property
    def points(self) -> int:
        """The cards that lie in the fireworks."""
        return sum(self.fireworks)

    @property
    def score(self) -> int:
        """The score of the Hanabi Learning Environment: the points, and 0 once the last life is lost."""
        return self.points if self.lives else 0

    @property
    def ended(self) -> bool:
        """Whether the game is over: no life left, all fireworks complete, or each has had a turn after the last card was taken."""
        return not self.lives or not self.turns_left or self.points == self.rules.best

    def list_legal(self) -> list[int]:
        """The legal actions of the player whose turn it is, in ascending order."""
        if self.ended:
            return []
        others = self.hands[self.player + 1 :] + self.hands[: self.player]
        return list_legal(self.rules, self.information, len(self.hands[self.player]), others)

    def act(self, action: int) -> Move:
        """Plays a legal ``action`` of the player whose turn it is.

        Raises:
            WorldError: the action is illegal, or the game is over.
        """
        rules, player = self.rules, self.player
        hand = rules.hand
        if self.ended or not 0 <= action < rules.actions:
            raise WorldError(f"action {action!r} of player {player} is impossible in this game")
        is_last_round = not self.in_deck
        if action >= 2 * hand:
            move = self._hint(action)
        else:
            slot, plays = action % hand, action >= hand
            if slot >= len(self.hands[player]) or (not plays and self.information == rules.information):
                raise WorldError(f"action {action} of player {player} is illegal now")
            move = self._spend(action, slot, plays)
        self.turns_left -= is_last_round
        self.moves.append(move)
        self.player = (player + 1) % rules.players
        return move

    def _spend(self, action: int, slot: int, plays: bool) -> Move:
        rules, player = self.rules, self.player
        hand = self.hands[player]
        card = hand.pop(slot)
        del self.colours_of[player][slot], self.ranks_of[player][slot]
        colour, rank = divmod(card, rules.ranks)
        scored = plays and self.fireworks[colour] == rank
        if scored:
            self.fireworks[colour] += 1
        else:
            self.discards.append(card)
            self.lives -= plays
        if (scored and rank == rules.ranks - 1) or not plays:
            self.information = min(self.information + 1, rules.information)
        if self.lives and self.in_deck and self.points < rules.best:
            hand.append(self.deck[self.next_card])
            self.next_card += 1
            self.colours_of[player].append((1 << rules.colours) - 1)
            self.ranks_of[player].append((1 << rules.ranks) - 1)
        return Move(player, action, card, scored, 0)

    def _hint(self, action: int) -> Move:
        rules, player = self.rules, self.player
        hint = rules.hints[action]
        assert hint is not None
        to = (player + hint.offset) % rules.players
        size = rules.colours if hint.is_colour else rules.ranks
        left = (self.colours_of if hint.is_colour else self.ranks_of)[to]
        bit, touched = 1 << hint.value, 0
        for slot, card in enumerate(self.hands[to]):
            value = card // rules.ranks if hint.is_colour else card % rules.ranks
            if value == hint.value:
                touched |= 1 << slot
        if not touched or not self.information:
            raise WorldError(f"action {action} of player {player} is illegal now")
        for slot in range(len(left)):
            if touched >> slot & 1:
                left[slot] = bit | 1 << size
            else:
                left[slot] &= ~bit
        self.information -= 1
        return Move(player, action, -1, False, touched)
