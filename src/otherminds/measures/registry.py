"""What a measure takes and returns: the registries, numbers that are unknown, and the seats under test in a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from otherminds.core.data import Automaton, Game, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.core.registry import Registry

T = TypeVar("T")
NOT_APPLYING = "it does not apply in this world"
"""The reason of a number that reports do not show."""


class Unknown(Struct, frozen=True, tag="unknown"):
    """A number that cannot be computed from a record; ``reason`` says why, as reports show it."""

    reason: str


class Inapplicable(Unknown, frozen=True, tag="inapplicable"):
    """A number that is defined for other kinds of episodes only; reports leave it out."""


class Accuracy(Struct, frozen=True, tag="accuracy"):
    """Shares (0 to 1) of right predictions in one episode: the mind's own, and the two ends of L.

    ``told``: the mind's own. ``blind``: expected of the best predictor that never observes the
    partner, on the same questions. ``known``: expected of a predictor that knows the partner's policy.
    """

    told: float
    blind: float
    known: float


def all_known(values: Iterable[T | Unknown | Inapplicable]) -> list[T] | Unknown:
    """The values, or the first one that is unknown."""
    known_values: list[T] = []
    for value in values:
        if isinstance(value, Unknown):
            return value
        known_values.append(value)
    return known_values


Measure: TypeAlias = Callable[[Record], float | Unknown]
"""One number of one scored episode, :class:`Inapplicable` where it is not defined.
A cell reports its mean over episodes."""

Ratio: TypeAlias = Callable[[Record], tuple[float, float] | Unknown]
"""Numerator and denominator of one scored episode. A cell reports the ratio of their sums over
episodes, so that an episode in which nothing was counted does not change it."""

Literal: TypeAlias = Callable[[Record], Accuracy | Unknown]
"""The ends of L in one episode; :class:`Inapplicable` where another literal score is defined."""

Detail: TypeAlias = Callable[[Record], Struct | None]
"""What the tables of one world need of one episode, scored or not; ``None`` in other worlds."""

measures: Registry[Measure] = Registry("measure", "otherminds.measures")
rates: set[str] = set()
"""The names of the measures that are 0 or 1 in an episode: a cell reports their share with a score interval."""
ratios: Registry[Ratio] = Registry("ratio", "otherminds.measures")
literals: Registry[Literal] = Registry("literal score", "otherminds.measures", "literal_scores")
details: Registry[Detail] = Registry("detail", "otherminds.measures")


def rate(name: str) -> Callable[[Measure], Measure]:
    """Registers a measure that is 0 or 1 in an episode under ``name``."""
    rates.add(name)
    return measures.register(name)


NO_GAME = "this world records no stage game"
NO_AUTOMATON = "the partner is not recorded as an automaton"
MOST_ROUNDS = 100_000
"""Rounds of an episode; a plan of more would take hours."""
UNSTEADY = "encounters are not single steps, or what was shown is not known for certain"


class ShownLabels(Struct, frozen=True):
    """The labels under which the behaviours of a stage game were shown, and the order of the options.

    ``names`` has those of the row seat, then those of the column seat, by behaviour; ``order`` are indices of behaviours.
    """

    names: tuple[tuple[str, ...], tuple[str, ...]]
    order: tuple[int, ...] = ()


def shown_labels(record: Record) -> ShownLabels | None:
    """What was drawn for the prompts of a stage game; ``None`` where something else was, or nothing."""
    if record.game is None:
        return None
    try:
        prompt_labels = msgspec.convert(record.drawn, ShownLabels)
    except msgspec.ValidationError:
        return None
    sizes = [len(behaviours) for behaviours in record.game.behaviours]
    every_option = [*range(max(sizes))]
    if [len(labels) for labels in prompt_labels.names] != sizes or sorted(
        prompt_labels.order or every_option
    ) != every_option:
        return None
    return (
        prompt_labels
        if prompt_labels.order
        else msgspec.structs.replace(prompt_labels, order=tuple(every_option))
    )


def planned_rounds(record: Record) -> int | None:
    """The rounds that were to be played, where the scenario has this option; ``None`` where they cannot be so many."""
    rounds = record.spec.options.get("rounds")
    if isinstance(rounds, bool) or not isinstance(rounds, int):
        return None
    return rounds if max(1, len(record.rewards)) <= rounds <= MOST_ROUNDS else None


def under_test(record: Record) -> tuple[Seat, ...]:
    """The seats without a partner, in their order: one in most worlds, a whole team in some.

    Raises:
        StudyError: partners fill every seat.
    """
    without_partner = tuple(seat for seat in record.seats if seat not in record.partners)
    if without_partner:
        return without_partner
    raise StudyError(
        f"an episode of {record.spec.title!r} has partners in every seat; put a mind under test in one"
    )


def ego(record: Record) -> Seat:
    """The first seat under test. Members of a team have equal rewards, so that its return is the team's.

    Raises:
        StudyError: partners fill every seat.
    """
    return under_test(record)[0]


def other(record: Record) -> Seat:
    """The seat that ego plays with: the first of the others (ego itself, if alone)."""
    mine = ego(record)
    return next((seat for seat in record.seats if seat != mine), mine)


def by_rounds(record: Record) -> bool:
    """Whether every step is an encounter, as in a matrix game, so that returns per round are defined."""
    return record.game is not None and len(record.met.get(ego(record), ())) == len(record.rewards)


def in_words(record: Record) -> bool:
    """Whether actions are texts and not primitive actions."""
    return any(isinstance(action, str) for row in record.actions for action in row)


def partner_met(record: Record) -> tuple[Game, Automaton] | Unknown:
    """The stage game and the partner's automaton, where both are recorded."""
    if record.game is None:
        return Inapplicable(NO_GAME)
    partner = record.partners.get(other(record))
    if partner is None or partner.automaton is None:
        return Unknown(NO_AUTOMATON)
    return record.game, partner.automaton


def rounds(record: Record, game: Game) -> list[tuple[int, int]] | Unknown:
    """Ego's and the other's behaviour in each round, by index into ``game``'s.

    Unknown where encounters are not single steps, or a behaviour is not certain.
    """
    mine, theirs = ego(record), other(record)
    own, others = ({name: i for i, name in enumerate(names)} for names in game.behaviours)
    behaviours: list[tuple[int, int]] = []
    for encounter in record.met[mine]:
        a, b = encounter.did.get(mine, ()), encounter.did.get(theirs, ())
        if len(a) != 1 or len(b) != 1 or encounter.step != len(behaviours):
            return Inapplicable(UNSTEADY)
        behaviours.append((own[a[0]], others[b[0]]))
    return behaviours if len(behaviours) == len(record.actions) else Inapplicable(UNSTEADY)
