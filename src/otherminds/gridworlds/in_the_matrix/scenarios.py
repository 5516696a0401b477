"""The 27 scenarios of the *in the matrix* substrates: ``rws-repeated-0-v1`` and so on.

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
from otherminds.gridworlds.grid import scenarios as grid
from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.gridworlds.in_the_matrix.bots import Reach, bot, bot_names, describe_partner
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES
from otherminds.gridworlds.in_the_matrix.skills import skills
from otherminds.gridworlds.in_the_matrix.verbalizer import InTheMatrixVerbalizer
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld

QUESTION = "Which behaviour will this player show in its next duel?"
DUELS = 200  # The horizon of planning minds in duels: more than an episode can have, since its end is random


def _pool(about: str, names: str) -> tuple[str, tuple[str, ...]]:
    return about, tuple(names.split())


MET: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "rws-repeated": (
        _pool("one of the three pure strategies", "paper_margin_0 rock_margin_0 scissors_margin_0"),
        _pool("the best response to the last duel", "resp2prev_margin_0"),
        _pool(
            "a pure strategy, or the best response to the last duel",
            "paper_margin_0 resp2prev_margin_0 rock_margin_0 scissors_margin_0",
        ),
        _pool(
            "often a change of strategy after two duels",
            "flip_p2r_0 flip_r2s_0 flip_s2p_0 paper_0 paper_margin_0 rock_0 rock_margin_0 scissors_0 "
            "scissors_margin_0",
        ),
        _pool(
            "a change after one duel, once or always", "flip_p2r_1 flip_r2s_1 flip_s2p_1 resp2prev_margin_0"
        ),
        _pool("a gullible opponent", "free_0"),
        _pool("pure rock", "rock_margin_0"),
        _pool("pure paper", "paper_margin_0"),
        _pool("pure scissors", "scissors_margin_0"),
    ),
    "rws-arena": (
        _pool(
            "all three pure strategies",
            "paper_margin_0 paper_margin_1 rock_margin_0 rock_margin_1 scissors_margin_0 scissors_margin_1",
        ),
        _pool("gullible opponents", "free_0"),
        _pool(
            "rock, and some who change to scissors after two duels", "flip_r2s_0 rock_margin_0 rock_margin_1"
        ),
        _pool("paper, and some who change after two duels", "flip_p2r_0 paper_margin_0 paper_margin_1"),
        _pool(
            "scissors, and some who change to paper after two duels",
            "flip_s2p_0 scissors_margin_0 scissors_margin_1",
        ),
        _pool("pure paper", "paper_margin_0 paper_margin_1"),
        _pool("pure rock", "rock_margin_0 rock_margin_1"),
        _pool("pure scissors", "scissors_margin_0 scissors_margin_1"),
    ),
    "pd-repeated": (
        _pool(
            "a cooperator or a defector",
            "puppet_cooperator_margin_0 puppet_cooperator_margin_1 puppet_defector_margin_0 "
            "puppet_defector_margin_1",
        ),
        _pool("a cooperator", "puppet_cooperator_margin_0 puppet_cooperator_margin_1"),
        _pool("a defector", "puppet_defector_margin_0 puppet_defector_margin_1"),
        _pool("grim after one defection", "puppet_grim_one_strike_margin_0 puppet_grim_one_strike_margin_1"),
        _pool(
            "grim after two defections", "puppet_grim_two_strikes_margin_0 puppet_grim_two_strikes_margin_1"
        ),
        _pool("tit for tat", "puppet_tft_margin_0 puppet_tft_margin_1"),
        _pool("tit for tat that trembles", "puppet_tft_tremble_margin_0 puppet_tft_tremble_margin_1"),
        _pool("cooperation for a while, then defection", "puppet_flip_0"),
        _pool("defection until punished, then tit for tat", "puppet_corrigible_0"),
        _pool("defection until punished, then tit for tat that trembles", "puppet_corrigible_tremble_0"),
    ),
}
"""By substrate and scenario number: what the others do, and the bots they are drawn from."""


def met_in(substrate: str, which: str) -> tuple[tuple[str, ...], ...]:
    """The pools of bots of a scenario, or of all of a substrate's for ``mixed``."""
    pools = MET[substrate]
    return tuple(bots for _, bots in pools) if which == grid.MIXTURE else (pools[int(which)][1],)


@cache
def weights(substrate: str, which: str) -> tuple[tuple[Fraction, str], ...]:
    """The share of each bot in a scenario, in alphabetical order."""
    return grid.shares(met_in(substrate, which))


@cache
def family(substrate: str, which: str) -> tuple[WeightedPolicy, ...]:
    """The policies met in a scenario, as automata over duels; bots that follow the same one are one member."""
    rules = SUBSTRATES[f"{substrate}-v1"]
    totals: dict[Any, float] = {}
    for share, name in weights(substrate, which):
        followed = describe_partner(rules, name, DUELS).automaton
        totals[followed] = totals.get(followed, 0.0) + float(share)
    return tuple(WeightedPolicy(weight, followed) for followed, weight in totals.items())


def choose_reference(substrate: str, which: str) -> str:
    """The scenario whose population F and L refer to: its own, or the mixture where it has one policy only."""
    return which if len(family(substrate, which)) > 1 else grid.MIXTURE


@cache
def references(substrate: str, which: str) -> Bounds:
    """The reference population of a scenario, with the automata that bots follow.

    It is not listed where several partners are met at once, unless the scenario refers to another one: its own
    episodes are then no sample of that population, and give neither F nor L.
    """
    rules = SUBSTRATES[f"{substrate}-v1"]
    referring = choose_reference(substrate, which)
    listed = weights(substrate, referring) if rules.players == 2 or referring != which else ()
    bots = [(float(share), name, describe_partner(rules, name, DUELS).automaton) for share, name in listed]
    population = tuple(Member(*entry) for entry in bots)
    return Bounds(None, None, None, f"{substrate}-{referring}", population, grid.BY_REFERENCE_MINDS)


def build(
    substrate: str, which: str, steps: int | None = None, noise: float = 0.0, reach: str = "window"
) -> Scenario:
    """Scenario ``which`` (its number, or ``mixed``) of ``substrate``.

    ``steps`` ends episodes at that step at the latest. ``noise`` and ``reach`` are
    those of the bots (:class:`~otherminds.gridworlds.in_the_matrix.bots.Bot`).

    Raises:
        StudyError: an option has a bad value.
    """
    rules = grid.shorten_episodes(SUBSTRATES[f"{substrate}-v1"], steps)
    able = skills(rules)
    about = "the partners of all its scenarios" if which == grid.MIXTURE else MET[substrate][int(which)][0]
    others = tuple(f"partner_{i}" for i in range(rules.players - 1))
    bot(rules, bot_names(rules)[0], noise, cast("Reach", reach))

    def spec(name: str) -> SeatSpec:
        params: dict[str, Any] = {"noise": noise} if noise else {}
        return SeatSpec(name, params | ({"reach": reach} if reach != "window" else {}))

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return bot(rules, met.mind, **met.params), describe_partner(rules, met.mind, DUELS)

    population = Population(tuple((share, (spec(name),)) for share, name in weights(substrate, which)))
    pools = tuple(tuple(map(spec, pool)) for pool in met_in(substrate, which))
    return Scenario(
        id=f"{substrate}-{which}-v1",
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
            "family": lambda: family(substrate, which),
            "reference": lambda: family(substrate, choose_reference(substrate, which)),
        },
        grants={"inventories": lambda seat: True, "map": lambda seat: True},
        minds={name: partial(bot, rules, name) for name in bot_names(rules)} | {"noop": grid.Noop},
        bounds=lambda met: references(substrate, which),
        description=f"{rules.name}: {about}; scripted background bots",
        caution=SCRIPTED,
    )


def _bind_scenario(substrate: str, which: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None, noise: float = 0.0, reach: str = "window") -> Scenario:
        return build(substrate, which, steps, noise, reach)

    return make_scenario


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The scenarios of each substrate by number, and its mixture."""
    return {
        f"{substrate}-{which}-v1": _bind_scenario(substrate, which)
        for substrate, pools in MET.items()
        for which in (*map(str, range(len(pools))), grid.MIXTURE)
    }
