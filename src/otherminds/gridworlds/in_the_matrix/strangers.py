"""``rws-repeated-strangers-v1`` and ``pd-repeated-strangers-v1``: partners that stand in no mind's library.

The bots follow the policies of :mod:`.stranger_policies`, each with the same weight, by the same puppet as the background
bots of Melting Pot. What a mind earns with these partners it has learnt within the episode. F and L refer to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import cast

from otherminds.core.contracts import Mind
from otherminds.core.data import Automaton, Partner, Seat
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario, scenarios
from otherminds.games.blind import LONGEST, weigh_policies
from otherminds.gridworlds.grid import scenarios as grid
from otherminds.gridworlds.in_the_matrix import scenarios as listed
from otherminds.gridworlds.in_the_matrix.bots import ENDLESS, Bot, Reach
from otherminds.gridworlds.in_the_matrix.charts import Puppeteer
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, Rules
from otherminds.gridworlds.in_the_matrix.stranger_policies import POLICIES
from otherminds.minds.references import Blind

WHICH = "strangers"
MARGIN = 5
"""By how much a stranger raises what it means to show, as most background bots do."""


@cache
def automata(substrate: str) -> Mapping[str, Automaton]:
    """The automaton over duels of each stranger of ``substrate``, by name."""
    game = SUBSTRATES[f"{substrate}-v1"].game
    return {name: policy(game, ENDLESS) for name, policy in sorted(POLICIES[substrate].items())}


def stranger(rules: Rules, automaton: Automaton, noise: float = 0.0, reach: Reach = "window") -> Bot:
    """The bot that follows ``automaton``; ``noise`` and ``reach`` as for :class:`~.bots.Bot`.

    Raises:
        StudyError: ``noise`` or ``reach`` has a bad value.
    """
    return Bot(rules, Puppeteer(automaton, (MARGIN,) * len(rules.classes)), noise, reach)


def build(substrate: str, steps: int | None = None, noise: float = 0.0, reach: str = "window") -> Scenario:
    """The scenario with strangers of ``substrate``; the options are those of its other scenarios.

    Raises:
        StudyError: an option has a bad value.
    """
    whole = SUBSTRATES[f"{substrate}-v1"]
    mixture = listed.build(whole, grid.MIXTURE, steps, noise, reach)
    rules = grid.shorten_episodes(whole, steps)
    policies = automata(substrate)
    share = Fraction(1, len(policies))
    met = tuple(Member(float(share), name, automaton) for name, automaton in policies.items())
    bounds = Bounds(None, None, None, f"{substrate}-{WHICH}", met, grid.BY_REFERENCE_MINDS)
    family = weigh_policies(met)

    def partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        bot = stranger(rules, policies[spec.mind], noise, cast("Reach", reach))
        return bot, Partner(spec.mind, policies[spec.mind])

    return replace(
        mixture,
        id=f"{substrate}-{WHICH}-v1",
        population=Population(tuple((share, (SeatSpec(name),)) for name in policies)),
        partner=partner,
        priors={"family": lambda: family, "reference": lambda: family},
        minds={
            **{name: partial(stranger, rules, automaton) for name, automaton in policies.items()},
            "noop": grid.Noop,
            "blind": partial(Blind, LONGEST),
        },
        bounds=lambda met: bounds,
        description=f"{rules.name}: partners that stand in no mind's library; scripted background bots",
    )


def _bind_scenario(substrate: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None, noise: float = 0.0, reach: str = "window") -> Scenario:
        return build(substrate, steps, noise, reach)

    return make_scenario


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """One scenario a substrate."""
    return {f"{substrate}-{WHICH}-v1": _bind_scenario(substrate) for substrate in POLICIES}
