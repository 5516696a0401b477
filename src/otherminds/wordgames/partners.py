"""Partners: explicit listeners with one association matrix and, in Wavelength, one calibration curve of the dial.

A population is the product of its associations and its curves. A partner keeps both for a whole episode."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.wordgames.lexicon import Lexicon

Curve: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A monotone function of [0, 1] onto itself: from the strength of an association to the dial."""
OWN = "idiosyncratic"
STRAIGHT = "straight"
CURVES: dict[str, Curve] = {
    STRAIGHT: lambda x: x,
    "steep_low": np.sqrt,
    "steep_high": np.square,
    "steep_middle": lambda x: x**2 / (x**2 + (1 - x) ** 2),
    "steepest_high": lambda x: x**3,
}
"""The calibration curves by name; each is 0 at 0 and 1 at 1."""
ASSOCIATIONS: dict[str, str] = {
    "taxonomic": "things of the same kind are close",
    "thematic": "things that go together are close",
    "phonetic": "words that sound alike are close",
    OWN: "words are close in a way of its own",
}
"""The ways to associate words that populations are mixed from, and what each says in words."""


class Population(Struct, frozen=True):
    """The associations of a population and its curves; each pair of both is equally likely.

    An association of two names joined by ``+`` is the mean of both matrices.
    """

    associations: tuple[str, ...]
    curves: tuple[str, ...]


POPULATIONS: dict[str, Population] = {
    "mixed": Population(tuple(ASSOCIATIONS), (STRAIGHT, "steep_low", "steep_high")),
    "stranger": Population(
        ("taxonomic+thematic", "taxonomic+phonetic", "thematic+phonetic"), ("steep_middle", "steepest_high")
    ),
}
"""The populations. ``stranger`` shares neither an association nor a curve with the other."""


class Listener(Struct, frozen=True, eq=False):
    """A type of partner: its name in records, its association, and the name of its curve, empty in games without a dial.

    ``matrix`` has a row and a column for each word of the lexicon.
    """

    name: str
    association: str
    curve: str
    matrix: NDArray[np.float64]

    @property
    def about(self) -> str:
        """The policy of this partner, in words."""
        kinds = [ASSOCIATIONS[part] for part in self.association.split("+")]
        dial = f"; its dial is {self.curve.replace('_', ' ')}" if self.curve else ""
        return f"to it, {', and '.join(kinds)}{dial}"


def list_members(population: str, *, curves: bool) -> tuple[tuple[Fraction, SeatSpec], ...]:
    """The members of a population with their weights; without ``curves``, one for each association."""
    kinds = POPULATIONS[population]
    if not curves:
        specs = [SeatSpec(_spell(association), {}) for association in kinds.associations]
    else:
        specs = [
            SeatSpec(_spell(association), {"curve": curve})
            for association, curve in product(kinds.associations, kinds.curves)
        ]
    return tuple((Fraction(1, len(specs)), spec) for spec in specs)


def make_listener(lexicon: Lexicon, spec: SeatSpec) -> Listener:
    """The listener that a member of a population is.

    Raises:
        StudyError: there is no such association or curve.
    """
    association, curve = spec.mind.replace("_and_", "+"), spec.params.get("curve", "")
    if (
        not {*association.split("+")} <= {*ASSOCIATIONS}
        or curve not in ("", *CURVES)
        or {*spec.params} - {"curve"}
    ):
        raise StudyError(
            f"there is no partner {spec.title} of word games; there are {', '.join(ASSOCIATIONS)}, two of "
            f"them joined by _and_, with a curve of {', '.join(CURVES)}"
        )
    parts = [_make_matrix(lexicon, part) for part in association.split("+")]
    return Listener(spec.title, association, curve, np.asarray(sum(parts) / len(parts)))


def _spell(association: str) -> str:
    """An association as a name of a mind.

    >>> _spell("taxonomic+thematic")
    'taxonomic_and_thematic'
    """
    return association.replace("+", "_and_")


def _make_matrix(lexicon: Lexicon, association: str) -> NDArray[np.float64]:
    return _permute(lexicon) if association == OWN else lexicon.associations[association]


def _permute(lexicon: Lexicon) -> NDArray[np.float64]:
    """The thematic matrix with its words exchanged: as dense as that of a person, and related to none of the others."""
    places = list(range(len(lexicon.words)))
    Random(OWN).shuffle(places)
    return lexicon.associations["thematic"][np.ix_(places, places)]
