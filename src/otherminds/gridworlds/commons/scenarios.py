"""Scenarios: each substrate with scripted cooperators, defectors, reciprocators, or any of them in each seat.

``coins-cooperator-v1``, ``harvest-open-mixed-v1`` and so on. There are no ends here, neither an exact optimum nor a mind
that is known to be informed or blind, so there is no F, and no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

from otherminds.core.contracts import Mind
from otherminds.core.data import Partner, Seat
from otherminds.core.record import Bounds, SeatSpec
from otherminds.core.scenario import Independent, Population, Scenario, scenarios
from otherminds.gridworlds.commons import partners
from otherminds.gridworlds.commons.acts import BEHAVIOURS
from otherminds.gridworlds.commons.partners import MANNERS
from otherminds.gridworlds.commons.rules import SUBSTRATES
from otherminds.gridworlds.commons.skills import skills
from otherminds.gridworlds.commons.verbalizer import CommonsVerbalizer
from otherminds.gridworlds.commons.world import CommonsWorld
from otherminds.gridworlds.grid import scenarios as grid

NO_ENDS = "neither an optimum nor an informed or a blind mind is known here, so there is no F and no verdict"
CAUTION = f"{grid.SCRIPTED}; {NO_ENDS}"
QUESTION = "Which of these will the other player do next?"


def build(substrate: str, which: str, steps: int | None = None, noise: float = 0.0) -> Scenario:
    """Scenario ``which`` (a manner, or ``mixed``) of ``substrate``.

    ``steps`` ends episodes at that step at the latest; ``noise`` is that of the partners (:class:`~.partners.Partner`).

    Raises:
        StudyError: an option has a bad value.
    """
    rules = grid.shorten_episodes(SUBSTRATES[f"{substrate}-v1"], steps)
    manners = MANNERS if which == grid.MIXTURE else (which,)
    partners.Partner(rules, MANNERS[0], noise)
    able = skills(rules)

    def spec(name: str) -> SeatSpec:
        return SeatSpec(name, {"noise": noise} if noise else {})

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return partners.Partner(rules, met.mind, **met.params), Partner(met.mind)

    pool = tuple(map(spec, manners))
    alone = rules.players == 2
    return Scenario(
        id=f"{substrate}-{which}-v1",
        world=partial(CommonsWorld, rules, tuple(able)),
        population=Population(tuple((Fraction(1, len(pool)), (member,)) for member in pool))
        if alone
        else Independent((pool,), rules.players - 1),
        partner=partner,
        probes=(grid.next_probe("partner_0", QUESTION, BEHAVIOURS[rules.law]),) if alone else (),
        skills=able,
        arrange=grid.ordering(len(BEHAVIOURS[rules.law])),
        verbalizer=lambda draw, seat: CommonsVerbalizer(rules, seat, tuple(draw["order"])),
        grants={"map": lambda seat: True},
        minds={name: partial(partners.Partner, rules, name) for name in MANNERS} | {"noop": grid.Noop},
        bounds=lambda met: Bounds(None, None, None, reason=NO_ENDS),
        description=f"{rules.name}: {which} partners, scripted",
        caution=CAUTION,
    )


def _bind_scenario(substrate: str, which: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None, noise: float = 0.0) -> Scenario:
        return build(substrate, which, steps, noise)

    return make_scenario


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The scenarios of each substrate by the manner of partners, and their mixture."""
    return {
        f"{name.removesuffix('-v1')}-{which}-v1": _bind_scenario(name.removesuffix("-v1"), which)
        for name in SUBSTRATES
        for which in (*MANNERS, grid.MIXTURE)
    }
