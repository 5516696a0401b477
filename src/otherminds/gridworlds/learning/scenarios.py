"""Learned policies as partners: ``rws-repeated-learned-v1``, and one such scenario for each other substrate.

The partners are the policies of the package that learned in their own populations, PPO and OPRE, each with the same
weight; in the arena each seat draws its own. Nobody scripted them and no mind is informed of them, so that these
scenarios have no F. What can be earned without knowing the partner is found by playing the fixed plans (``constant``;
in the kitchen ``role``, and ``blind``, the best roles beside scripted cooks). Playing them needs numpy alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from otherminds.core.contracts import Mind
from otherminds.core.data import Partner, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Independent, Population, Scenario, scenario, scenarios
from otherminds.gridworlds.grid.scenarios import MIXTURE
from otherminds.minds.learned.files import Learned, shipped_networks

SUBSTRATES = ("cooking-asymmetric", "pd-repeated", "rws-arena", "rws-repeated")
KINDS = ("ppo", "opre")
"""The policies that learned in their own population."""
KNOWING = ("informed", "bayesian")
"""Minds of a scenario that know its scripted partners."""
LEARNED = "Learned background of short trainings, not comparable with published Melting Pot scores"


def policies(substrate: str) -> tuple[SeatSpec, ...]:
    """The partners met in ``substrate``, with the hashes of their weights.

    Raises:
        StudyError: the package has none.
    """
    shipped = [network.policy for kind in KINDS for network in shipped_networks(kind)]
    fit = [policy for policy in shipped if policy.info.substrate == f"{substrate}-v1"]
    if not fit:
        raise StudyError(f"the package has no policy that learned in its own population in {substrate}")
    return tuple(
        SeatSpec("learned", {"policy": {"name": policy.name, "sha256": policy.sha256}}) for policy in fit
    )


def build(substrate: str, steps: int | None = None) -> Scenario:
    """The scenario with learned partners of ``substrate``; ``steps`` ends episodes at that step at the latest.

    Raises:
        StudyError: ``steps`` is not a whole number of at least 1.
    """
    scripted = scenario(f"{substrate}-{MIXTURE}-v1", {"steps": steps})
    met = policies(substrate)
    seats = len(scripted.others)
    share = Fraction(1, len(met))
    rules = scripted.description.partition(":")[0]
    return replace(
        scripted,
        id=f"{substrate}-learned-v1",
        population=Population(tuple((share, (spec,)) for spec in met))
        if seats == 1
        else Independent((met,), seats),
        partner=_partner,
        priors={},
        grants={name: grant for name, grant in scripted.grants.items() if name != "family"},
        minds={name: make for name, make in scripted.minds.items() if name not in KNOWING},
        bounds=None,
        description=f"{rules}: policies that learned in their own populations",
        caution=LEARNED,
    )


def _partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
    return Learned(**spec.params), Partner(spec.params["policy"]["name"])


def _bind_scenario(substrate: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None) -> Scenario:
        return build(substrate, steps)

    return make_scenario


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """One scenario a substrate."""
    return {f"{substrate}-learned-v1": _bind_scenario(substrate) for substrate in SUBSTRATES}
