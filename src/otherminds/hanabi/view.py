"""What a player sees of a table, and sets of cards as bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from otherminds.hanabi.rules import Move, Rules, Table, list_legal


class View(NamedTuple):
    """What the player in ``seat`` sees; players are numbered from 0, as the first to play.

    ``discarded`` has the number of each card in the discards. ``hands`` are in the order of players, the own one is empty.
    ``colours_of`` and ``ranks_of`` have what hints leave open of all cards, as in :class:`~otherminds.hanabi.rules.Table`.
    """

    rules: Rules
    seat: int
    player: int
    information: int
    lives: int
    in_deck: int
    fireworks: tuple[int, ...]
    discarded: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    colours_of: tuple[tuple[int, ...], ...]
    ranks_of: tuple[tuple[int, ...], ...]
    last: Move | None

    @property
    def others(self) -> Iterator[int]:
        """The other players, from the next one on."""
        players = self.rules.players
        return ((self.seat + offset) % players for offset in range(1, players))

    @property
    def size(self) -> int:
        """The number of own cards."""
        return len(self.colours_of[self.seat])

    def hint_colour(self, player: int, colour: int) -> int:
        """The action that hints ``colour`` to ``player``."""
        return self.rules.hint_colour((player - self.seat) % self.rules.players, colour)

    def hint_rank(self, player: int, rank: int) -> int:
        """The action that hints ``rank`` to ``player``."""
        return self.rules.hint_rank((player - self.seat) % self.rules.players, rank)

    def list_legal(self) -> list[int]:
        """The legal actions in the own turn, in ascending order."""
        others = [self.hands[player] for player in self.others]
        return list_legal(self.rules, self.information, self.size, others)

    def count_unseen(self) -> list[int]:
        """How many of each card are in the own hand or in the deck."""
        counts = [copies - gone for copies, gone in zip(self.rules.copies, self.discarded, strict=True)]
        for colour, height in enumerate(self.fireworks):
            for rank in range(height):
                counts[colour * self.rules.ranks + rank] -= 1
        for hand in self.hands:
            for card in hand:
                counts[card] -= 1
        return counts

    def list_own(self) -> list[int]:
        """For each own card the set of cards that it can be by its hints and by what is seen."""
        unseen = sum(1 << card for card, count in enumerate(self.count_unseen()) if count)
        hands = zip(self.colours_of[self.seat], self.ranks_of[self.seat], strict=True)
        return [hinted_cards(self.rules, colours, ranks) & unseen for colours, ranks in hands]


def look(table: Table, seat: int) -> View:
    """What ``seat`` sees of ``table``."""
    discarded = [0] * len(table.rules.copies)
    for card in table.discards:
        discarded[card] += 1
    return View(
        table.rules,
        seat,
        table.player,
        table.information,
        table.lives,
        table.in_deck,
        tuple(table.fireworks),
        tuple(discarded),
        tuple(() if player == seat else tuple(hand) for player, hand in enumerate(table.hands)),
        tuple(map(tuple, table.colours_of)),
        tuple(map(tuple, table.ranks_of)),
        table.moves[-1] if table.moves else None,
    )


@lru_cache(maxsize=1 << 16)
def hinted_cards(rules: Rules, colours: int, ranks: int) -> int:
    """The set of cards with one of ``colours`` and one of ``ranks``, which are bits."""
    row = ranks & (1 << rules.ranks) - 1
    return sum(row << colour * rules.ranks for colour in range(rules.colours) if colours >> colour & 1)


def find_playable(rules: Rules, fireworks: tuple[int, ...]) -> int:
    """The set of cards that would score now."""
    return sum(
        1 << colour * rules.ranks + height for colour, height in enumerate(fireworks) if height < rules.ranks
    )


def find_useless(rules: Rules, fireworks: tuple[int, ...], discarded: tuple[int, ...]) -> int:
    """The set of cards that can never score any more: already played, or a card below them is lost."""
    useless = 0
    for colour, height in enumerate(fireworks):
        first = colour * rules.ranks
        lost = [
            rank
            for rank in range(height, rules.ranks)
            if discarded[first + rank] == rules.copies[first + rank]
        ]
        for rank in range(rules.ranks):
            if rank < height or (lost and rank > lost[0]):
                useless |= 1 << first + rank
    return useless


@lru_cache(maxsize=1 << 16)
def list_cards(cards: int) -> tuple[int, ...]:
    """The cards of a set, in ascending order.

    >>> list_cards(0b1010)
    (1, 3)
    """
    return tuple(card for card in range(cards.bit_length()) if cards >> card & 1)


def share_cards(unseen: Sequence[int], cards: int, sought: int) -> float:
    """The probability that a card of the set ``cards`` is one of ``sought``, by how many of each are ``unseen``; 0 where none is."""
    copies = sum(unseen[card] for card in list_cards(cards))
    return sum(unseen[card] for card in list_cards(cards & sought)) / copies if copies else 0.0
