"""Which seat of a gridworld a player sits in."""

from __future__ import annotations

from otherminds.core.data import Seat


def seat_of(player: int) -> Seat:
    """The seat of player number ``player``.

    >>> seat_of(0), seat_of(3)
    ('ego', 'partner_2')
    """
    return "ego" if player == 0 else f"partner_{player - 1}"
