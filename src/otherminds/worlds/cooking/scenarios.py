"""The three scenarios of ``cooking-asymmetric-v1`` and their mixture: ``cooking-asymmetric-0-v1`` and so on.

Their number is Melting Pot's, their partners are scripted stand-ins under its
names. ``cooking-asymmetric-mixture-v1`` meets the partners of all three, each
scenario as often as the others: it is the population that F and L refer to, because
with one known policy there is nothing to adapt to. The grant ``family`` tells nothing: it declares
a mind that knows the stand-ins already, as ``bayesian`` does (:mod:`.teammates`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

from otherminds.core.contracts import Mind, Probe
from otherminds.core.data import Moment, Partner, Question, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario
from otherminds.worlds.cooking.acts import BEHAVIOURS
from otherminds.worlds.cooking.bayesian import BayesianCook
from otherminds.worlds.cooking.cooks import (
    COOKS,
    NAMES,
    NOOP_BOT,
    OPTIMUM,
    BlindCook,
    InformedCook,
    SharingCook,
    in_role,
    scripted,
)
from otherminds.worlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.worlds.cooking.skills import skills
from otherminds.worlds.cooking.telling import CookingVerbalizer
from otherminds.worlds.cooking.world import CookingWorld
from otherminds.worlds.grid.noop import Noop
from otherminds.worlds.grid.published import SCRIPTED
from otherminds.worlds.registry import scenarios

SUBSTRATE = "cooking-asymmetric"
EGO, TEAMMATE = "ego", "partner_0"
MIXTURE = "mixture"
MET: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("a skilled chef", ("chef_0", "chef_1")),
    ("a semi-skilled apprentice", ("apprentice_0", "apprentice_1")),
    ("a partner who does nothing", (NOOP_BOT,)),
)
"""By scenario number: what the teammate is like, and the stand-ins it is drawn from (Melting Pot 2.4.1)."""
BY_REFERENCE_MINDS = "no optimum is known here; F refers to the minds informed and blind on the same seeds"


def weights(which: str) -> tuple[tuple[Fraction, str], ...]:
    """The share of each stand-in in a scenario, or in all alike for ``mixture``, in alphabetical order."""
    pools = [names for _, names in MET] if which == MIXTURE else [MET[int(which)][1]]
    shares = {name: Fraction(1, len(pools) * len(pool)) for pool in pools for name in pool}
    return tuple((shares[name], name) for name in sorted(shares))


BOUNDS = Bounds(
    None,
    None,
    None,
    f"{SUBSTRATE}-{MIXTURE}",
    tuple(Member(float(share), name) for share, name in weights(MIXTURE)),
    BY_REFERENCE_MINDS,
)
"""In every scenario F and L refer to the mixture, and need all of its stand-ins."""


def build(which: str, steps: int | None = None, noise: float = 0.0) -> Scenario:
    """Scenario ``which``: its number, or ``mixture``.

    ``steps`` makes episodes shorter. ``noise`` is that of the stand-ins
    (:class:`~otherminds.worlds.cooking.cooks.Cook`).

    Raises:
        StudyError: an option has a bad value.
    """
    rules = COOKING_ASYMMETRIC
    if steps is not None:
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise StudyError(f"steps must be a whole number of at least 1, not {steps!r}")
        rules = replace(rules, maximum=min(steps, rules.maximum))
    for name in COOKS:
        scripted(rules, name, noise)
    able = skills(rules)
    soups = max(1, OPTIMUM * rules.maximum // COOKING_ASYMMETRIC.maximum)

    def spec(name: str) -> SeatSpec:
        return SeatSpec(name, {"noise": noise} if noise and name != NOOP_BOT else {})

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return scripted(rules, met.mind, **met.params), Partner(met.mind)

    def draw(rng: Random) -> dict[str, Any]:
        order = list(range(len(BEHAVIOURS)))
        rng.shuffle(order)
        return {"order": order}

    return Scenario(
        id=f"{SUBSTRATE}-{which}-v1",
        world=partial(CookingWorld, rules, tuple(able), soups),
        population=Population(tuple((share, (spec(name),)) for share, name in weights(which))),
        partner=partner,
        probes=(_probe(),),
        skills=able,
        draw=draw,
        verbalizer=lambda drawn, seat: CookingVerbalizer(rules, seat, tuple(drawn["order"])),
        grants={"map": lambda seat: True, "family": lambda seat: True},
        minds={
            **{name: partial(scripted, rules, name) for name in NAMES},
            "noop": Noop,
            "cook": partial(SharingCook, rules),
            "informed": partial(InformedCook, rules),
            "blind": partial(BlindCook, rules),
            "bayesian": partial(BayesianCook, rules),
            "role": partial(in_role, rules),
        },
        bounds=lambda met: BOUNDS,
        description=f"{rules.name}: {_about(which)}; scripted stand-ins",
        caution=SCRIPTED,
    )


def _about(which: str) -> str:
    return "the partners of all its scenarios" if which == MIXTURE else MET[int(which)][0]


def _probe() -> Probe:
    """What the teammate does next, asked at the start and whenever soup was delivered."""
    question = Question(
        id=f"next:{TEAMMATE}",
        seat=EGO,
        when="before",
        text="What will your teammate do next?",
        options=BEHAVIOURS,
        chance=1 / len(BEHAVIOURS),
        about=TEAMMATE,
    )

    def due(moment: Moment) -> bool:
        return moment.step == 0 or bool(moment.encounters)

    return Probe(question, due)


def _named(which: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None, noise: float = 0.0) -> Scenario:
        return build(which, steps, noise)

    return make_scenario


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The three scenarios by number, and their mixture."""
    numbers = (*map(str, range(len(MET))), MIXTURE)
    return {f"{SUBSTRATE}-{which}-v1": _named(which) for which in numbers}
