"""What the scenarios of all gridworlds share: the mixture, options, the order of options, the probe, the mind ``noop``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from otherminds.core.contracts import Mind, MindContext, Probe
from otherminds.core.data import (
    Action,
    Answer,
    Behaviour,
    Brief,
    Invalid,
    Moment,
    Question,
    Seat,
    SkillChoice,
)
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Meeting, order
from otherminds.gridworlds.grid.rules import NOOP, GridRules

MIXTURE = "mixture"
"""In place of a number: the partners of all scenarios of a substrate, each scenario with the same share."""
BY_REFERENCE_MINDS = "no optimum is known here; F refers to the minds informed and blind on the same seeds"
SCRIPTED = "Scripted background, not comparable with published Melting Pot scores"
"""The caution that goes with every score against scripted background bots."""
Rules = TypeVar("Rules", bound=GridRules)


def shares(pools: Sequence[Sequence[str]]) -> tuple[tuple[Fraction, str], ...]:
    """The share of each name, in alphabetical order, if pools have equal shares, and the names of a pool too.

    >>> shares([["b", "a"], ["a"]])
    ((Fraction(3, 4), 'a'), (Fraction(1, 4), 'b'))
    """
    totals: dict[str, Fraction] = {}
    for pool in pools:
        for name in pool:
            totals[name] = totals.get(name, Fraction(0)) + Fraction(1, len(pools) * len(pool))
    return tuple((share, name) for name, share in sorted(totals.items()))


def shorten_episodes(rules: Rules, steps: int | None) -> Rules:
    """``rules`` with episodes of at most ``steps`` steps; ``None`` changes nothing.

    Raises:
        StudyError: ``steps`` is not a whole number of at least 1.
    """
    if steps is None:
        return rules
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise StudyError(f"steps must be a whole number of at least 1, not {steps!r}")
    return replace(rules, maximum=min(steps, rules.maximum))


def ordering(size: int) -> Callable[[Meeting], dict[str, Any]]:
    """A scenario's ``arrange``: ``order``, in which its ``size`` options are listed (:func:`~.balance.order`)."""
    return lambda meeting: {"order": order(size, meeting)}


def next_probe(about: Seat, text: str, options: tuple[Behaviour, ...], seat: Seat = "ego") -> Probe:
    """Asks ``seat`` what ``about`` does next: at the start, and after each encounter with that seat."""
    question = Question(
        id=f"next:{about}" if seat == "ego" else f"next:{about}:{seat}",
        seat=seat,
        when="before",
        text=text,
        options=options,
        chance=1 / len(options),
        about=about,
    )

    def due(moment: Moment) -> bool:
        return moment.step == 0 or any(about in encounter.did for encounter in moment.encounters)

    return Probe(question, due)


def check_noise(noise: float, whose: str) -> None:
    """Raises :class:`~otherminds.core.errors.StudyError` if ``noise``, an option, is no probability."""
    if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0.0 <= noise <= 1.0:
        raise StudyError(f"the noise of a {whose} must be from 0 to 1, not {noise!r}")


class Noop(Mind):
    """Always does nothing, and answers nothing: a lower bound beside random play."""

    answers = False

    def begin(self, brief: Brief, context: MindContext) -> None:
        """Keeps nothing."""

    async def perceive(self, moment: Moment) -> None:
        """Keeps nothing."""

    async def act(self) -> Action | SkillChoice | Invalid:
        return NOOP

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a mind that does nothing answers nothing")
