"""The vocabulary of the *in the matrix* substrates: players, boxes, inventories, rewards, duels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from otherminds.core.data import Encounter, Seat
from otherminds.gridworlds.grid.actions import player_of, seat_of
from otherminds.gridworlds.grid.words import number
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.replies.asking import several

SEAT = re.compile(r"\bpartner_\d+\b")


@dataclass(frozen=True)
class SeatVocabulary:
    """The vocabulary of ``seat`` in ``substrate``."""

    substrate: Rules
    seat: Seat

    @property
    def player(self) -> int:
        """The number of the own avatar."""
        return player_of(self.seat)

    @property
    def crowd(self) -> bool:
        """Whether there are several others, which need names."""
        return self.substrate.players > 2

    def name(self, seat: Seat) -> str:
        """Another seat."""
        return f"player {player_of(seat)}" if self.crowd else "the other player"

    @property
    def another(self) -> str:
        """Any other seat."""
        return "another player" if self.crowd else "the other player"

    @property
    def others(self) -> dict[str, Seat]:
        """The other seats by what they are called."""
        seats = [seat_of(number) for number in range(self.substrate.players)]
        return {self.name(seat): seat for seat in seats if seat != self.seat}

    def named(self, text: str) -> str:
        """``text`` with other seats called as they are here."""
        return SEAT.sub(lambda found: self.name(found[0]), text)

    def held(self, inventory: Sequence[int]) -> str:
        """An inventory, in the order of the classes."""
        counts = zip(self.substrate.classes, inventory, strict=True)
        return ", ".join(f"{name} {count:.0f}" for name, count in counts)

    def number(self, reward: float) -> str:
        """A reward; with its sign where some are negative."""
        rules = self.substrate
        return number(reward, signed=min(map(min, (*rules.row, *rules.column))) < 0)

    def played(self, encounter: Encounter) -> tuple[str, Seat, tuple[str, ...]]:
        """A duel: what the seat played, with whom, and what that one may have played."""
        other, did = next((seat, did) for seat, did in encounter.did.items() if seat != self.seat)
        return several(encounter.did[self.seat], "and"), other, did

    def duel(self, encounter: Encounter) -> str:
        """A duel in a sentence."""
        own, other, did = self.played(encounter)
        doubt = " (your reward fits each of these, the likeliest first)" if len(did) > 1 else ""
        return (
            f"A duel is over: you played {own}, {self.name(other)} played {several(did, 'or')}{doubt}, "
            f"and your reward is {self.number(encounter.reward)}."
        )

    def row(self, encounter: Encounter) -> str:
        """A duel in a row of a table: the step it was heard in, own play, the other's, reward."""
        own, other, did = self.played(encounter)
        who = f"{self.name(other)} " if self.crowd else ""
        return f"{encounter.step + 1}: {own}; {who}{several(did, 'or')}; {self.number(encounter.reward)}"
