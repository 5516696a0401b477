"""What is recorded of each substrate: as it is, and with another map and other numbers, so that more happens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """Changes of a substrate so that much happens: another map, other numbers.

    ``sizes``: the least and greatest sides of the map of Coins. ``rates``: how fast things grow. ``longest``: the most steps.
    """

    drawing: str = ""
    players: int = 0
    sizes: tuple[int, int] = (0, 0)
    rates: tuple[float, ...] = ()
    fouling: float = 0.0
    longest: int = 5000


HARVEST_SMALL = """
WWWWWWWWWWWW
WQ AAA  A PW
WA AAA AA PW
WAAQAA   APW
WA  A  AA PW
WPPPPPPPPPPW
WWWWWWWWWWWW
"""
CLEAN_SMALL = """
WWWWWWWWWWWWW
WHFFHHFFHHFFW
WHFHFHHFHHHFW
WP P P P P PW
W  P  P P   W
W^T^T^T^T^T^W
WBBBBBBBBBBBW
WWWWWWWWWWWWW
"""
VARIANTS = {
    "coins-v1": (Variant(), Variant(sizes=(4, 6), rates=(0.05,), longest=700)),
    "harvest-open-v1": (Variant(), Variant(HARVEST_SMALL, 7, rates=(0.0, 0.02, 0.1, 0.3), longest=700)),
    "harvest-closed-v1": (Variant(), Variant(HARVEST_SMALL, 7, rates=(0.0, 0.02, 0.1, 0.3), longest=700)),
    "harvest-partnership-v1": (
        Variant(),
        Variant(HARVEST_SMALL, 7, rates=(0.0, 0.02, 0.1, 0.3), longest=700),
    ),
    "clean-up-v1": (Variant(), Variant(CLEAN_SMALL, 7, rates=(0.3,), fouling=0.9, longest=700)),
}
"""By substrate, what is recorded: as it is, and where more happens."""
