"""The three scenarios of ``cooking-asymmetric-v1`` and their mixture: ``cooking-asymmetric-0-v1`` and so on.

Their number is Melting Pot's, their partners are scripted stand-ins under its
names. ``cooking-asymmetric-mixed-v1`` meets the partners of all three, each
scenario as often as the others: it is the population that F and L refer to, because
with one known policy there is nothing to adapt to. The grant ``family`` tells nothing: it declares
a mind that knows the stand-ins already, as ``bayesian`` does (:mod:`.teammate_model`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

from otherminds.core.contracts import Mind
from otherminds.core.data import Partner, Seat
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario, scenarios
from otherminds.gridworlds.cooking import cooks
from otherminds.gridworlds.cooking.acts import BEHAVIOURS
from otherminds.gridworlds.cooking.bayesian import BayesianCook
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.cooking.skills import skills
from otherminds.gridworlds.cooking.verbalizer import CookingVerbalizer
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid import scenarios as grid
from otherminds.gridworlds.grid.scenarios import SCRIPTED

SUBSTRATE = "cooking-asymmetric"
TEAMMATE = "partner_0"
MET: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("a skilled chef", ("chef_0", "chef_1")),
    ("a semi-skilled apprentice", ("apprentice_0", "apprentice_1")),
    ("a partner who does nothing", (cooks.NOOP_BOT,)),
)
"""By scenario number: what the teammate is like, and the stand-ins it is drawn from (Melting Pot 2.4.1)."""


def weights(which: str) -> tuple[tuple[Fraction, str], ...]:
    """The share of each stand-in in a scenario, or in all alike for ``mixed``, in alphabetical order."""
    return grid.shares([names for _, names in MET] if which == grid.MIXTURE else [MET[int(which)][1]])


BOUNDS = Bounds(
    None,
    None,
    None,
    f"{SUBSTRATE}-{grid.MIXTURE}",
    tuple(Member(float(share), name) for share, name in weights(grid.MIXTURE)),
    grid.BY_REFERENCE_MINDS,
)
"""In every scenario F and L refer to the mixture, and need all of its stand-ins."""


def build(which: str, steps: int | None = None, noise: float = 0.0) -> Scenario:
    """Scenario ``which``: its number, or ``mixed``.

    ``steps`` makes episodes shorter. ``noise`` is that of the stand-ins
    (:class:`~otherminds.gridworlds.cooking.cooks.Cook`).

    Raises:
        StudyError: an option has a bad value.
    """
    rules = grid.shorten_episodes(COOKING_ASYMMETRIC, steps)
    for name in cooks.COOKS:
        cooks.scripted(rules, name, noise)
    able = skills(rules)
    about = "the partners of all its scenarios" if which == grid.MIXTURE else MET[int(which)][0]
    soups = max(1, cooks.OPTIMUM * rules.maximum // COOKING_ASYMMETRIC.maximum)

    def spec(name: str) -> SeatSpec:
        return SeatSpec(name, {"noise": noise} if noise and name != cooks.NOOP_BOT else {})

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return cooks.scripted(rules, met.mind, **met.params), Partner(met.mind)

    return Scenario(
        id=f"{SUBSTRATE}-{which}-v1",
        world=partial(CookingWorld, rules, tuple(able), soups),
        population=Population(tuple((share, (spec(name),)) for share, name in weights(which))),
        partner=partner,
        probes=(grid.next_probe(TEAMMATE, "What will your teammate do next?", BEHAVIOURS),),
        skills=able,
        arrange=grid.ordering(len(BEHAVIOURS)),
        verbalizer=lambda draw, seat: CookingVerbalizer(rules, seat, tuple(draw["order"])),
        grants={"map": lambda seat: True, "family": lambda seat: True},
        minds={
            **{name: partial(cooks.scripted, rules, name) for name in cooks.NAMES},
            "noop": grid.Noop,
            "cook": partial(cooks.SharingCook, rules),
            "informed": partial(cooks.InformedCook, rules),
            "blind": partial(cooks.BlindCook, rules),
            "bayesian": partial(BayesianCook, rules),
            "role": partial(cooks.in_role, rules),
        },
        bounds=lambda met: BOUNDS,
        description=f"{rules.name}: {about}; scripted stand-ins",
        caution=SCRIPTED,
    )


def _bind_scenario(which: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None, noise: float = 0.0) -> Scenario:
        return build(which, steps, noise)

    return make_scenario


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The three scenarios by number, and their mixture."""
    numbers = (*map(str, range(len(MET))), grid.MIXTURE)
    return {f"{SUBSTRATE}-{which}-v1": _bind_scenario(which) for which in numbers}
