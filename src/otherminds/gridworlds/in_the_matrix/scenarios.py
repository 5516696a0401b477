"""The scenarios of the *in the matrix* substrates: ``rws-repeated-0-v1`` and so on.

Numbers and lists of partners are those of Melting Pot 2.4.1 (Agapiou et al. 2022); the partners are scripted
bots under its names. ``<substrate>-mixed-v1`` meets the partners of all scenarios of a substrate, each
scenario as often as the others: it is the population that F refers to, because against one known policy there
is nothing to adapt to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Any, cast

from otherminds.core.contracts import Mind
from otherminds.core.data import Partner, Seat, WeightedPolicy
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Independent, Population, Scenario, scenarios
from otherminds.games.best_response import ENDLESS
from otherminds.gridworlds.grid import scenarios as grid
from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.gridworlds.in_the_matrix.bots import Reach, bot, bot_names, describe_partner
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, Rules
from otherminds.gridworlds.in_the_matrix.skills import skills
from otherminds.gridworlds.in_the_matrix.verbalizer import InTheMatrixVerbalizer
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld

QUESTION = "Which behaviour will this player show in its next duel?"
DUELS = ENDLESS  # The horizon of planning minds in duels


def met_in(rules: Rules, which: str) -> tuple[tuple[str, ...], ...]:
    """The pools of bots of a scenario, or of all of a substrate's for ``mixed``."""
    pools = tuple(pool.bots for pool in rules.scenarios)
    return pools if which == grid.MIXTURE else (pools[int(which)],)


@cache
def weights(rules: Rules, which: str) -> tuple[tuple[Fraction, str], ...]:
    """The share of each bot in a scenario, in alphabetical order."""
    return grid.shares(met_in(rules, which))


@cache
def family(rules: Rules, which: str) -> tuple[WeightedPolicy, ...]:
    """The policies met in a scenario, as automata over duels; bots that follow the same one are one member."""
    totals: dict[Any, float] = {}
    for share, name in weights(rules, which):
        followed = describe_partner(rules, name, DUELS).automaton
        totals[followed] = totals.get(followed, 0.0) + float(share)
    return tuple(WeightedPolicy(weight, followed) for followed, weight in totals.items())


def choose_reference(rules: Rules, which: str) -> str:
    """The scenario whose population F and L refer to: its own, or the mixture where it has one policy only."""
    return which if len(family(rules, which)) > 1 else grid.MIXTURE


@cache
def references(rules: Rules, which: str) -> Bounds:
    """The reference population of a scenario, with the automata that bots follow.

    It is not listed where several partners are met at once, unless the scenario refers to another one: its own
    episodes are then no sample of that population, and give neither F nor L.
    """
    referring = choose_reference(rules, which)
    listed = weights(rules, referring) if rules.players == 2 or referring != which else ()
    bots = [(float(share), name, describe_partner(rules, name, DUELS).automaton) for share, name in listed]
    population = tuple(Member(*entry) for entry in bots)
    return Bounds(None, None, None, f"{_stem(rules)}-{referring}", population, grid.BY_REFERENCE_MINDS)


def _stem(rules: Rules) -> str:
    """The name of a substrate without its version."""
    return rules.name.removesuffix("-v1")


def build(
    rules: Rules, which: str, steps: int | None = None, noise: float = 0.0, reach: str = "window"
) -> Scenario:
    """Scenario ``which`` (its number, or ``mixed``) of a substrate.

    ``steps`` ends episodes at that step at the latest. ``noise`` and ``reach`` are
    those of the bots (:class:`~otherminds.gridworlds.in_the_matrix.bots.Bot`).

    Raises:
        StudyError: an option has a bad value.
    """
    rules = grid.shorten_episodes(rules, steps)
    able = skills(rules)
    about = "the partners of all its scenarios" if which == grid.MIXTURE else rules.scenarios[int(which)].do
    others = tuple(f"partner_{i}" for i in range(rules.players - 1))
    bot(rules, bot_names(rules)[0], noise, cast("Reach", reach))

    def spec(name: str) -> SeatSpec:
        params: dict[str, Any] = {"noise": noise} if noise else {}
        return SeatSpec(name, params | ({"reach": reach} if reach != "window" else {}))

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return bot(rules, met.mind, **met.params), describe_partner(rules, met.mind, DUELS)

    population = Population(tuple((share, (spec(name),)) for share, name in weights(rules, which)))
    pools = tuple(tuple(map(spec, pool)) for pool in met_in(rules, which))
    return Scenario(
        id=f"{_stem(rules)}-{which}-v1",
        world=partial(InTheMatrixWorld, rules, tuple(able), DUELS),
        population=population if len(others) == 1 else Independent(pools, len(others)),
        partner=partner,
        probes=(
            *(grid.next_probe(seat, QUESTION, rules.classes) for seat in others),
            *(grid.next_probe("ego", QUESTION, rules.classes, seat) for seat in others),
        ),
        skills=able,
        arrange=grid.ordering(len(rules.classes)),
        verbalizer=lambda draw, seat: InTheMatrixVerbalizer(rules, seat, tuple(draw["order"])),
        game=rules.game,
        priors={
            "family": lambda: family(rules, which),
            "reference": lambda: family(rules, choose_reference(rules, which)),
        },
        grants={"inventories": lambda seat: True, "map": lambda seat: True},
        minds={name: partial(bot, rules, name) for name in bot_names(rules)} | {"noop": grid.Noop},
        bounds=lambda met: references(rules, which),
        description=f"{rules.name}: {about}; scripted background bots",
        caution=SCRIPTED,
    )


def _bind_scenario(rules: Rules, which: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None, noise: float = 0.0, reach: str = "window") -> Scenario:
        return build(rules, which, steps, noise, reach)

    return make_scenario


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The scenarios of each substrate by number, and its mixture."""
    return {
        f"{_stem(rules)}-{which}-v1": _bind_scenario(rules, which)
        for rules in SUBSTRATES.values()
        for which in (*map(str, range(len(rules.scenarios))), grid.MIXTURE)
    }
