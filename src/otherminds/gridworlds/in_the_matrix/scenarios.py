"""The scenarios of the *in the matrix* substrates: ``rws-repeated-0-v1`` and so on.

Numbers and lists of partners are those of Melting Pot 2.4.1 (Agapiou et al. 2022); the partners are scripted
bots under its names. ``<substrate>-mixed-v1`` meets the partners of all scenarios of a substrate, each
scenario as often as the others: it is the population that F refers to, because against one known policy there
is nothing to adapt to. Where players have roles, it has those scenarios in which ``ego`` has its usual one, and
``<substrate>-mixed_column-v1`` the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

from otherminds.core.contracts import Mind
from otherminds.core.data import Partner, Seat, WeightedPolicy
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Independent, Population, Scenario, scenarios
from otherminds.core.text import hint
from otherminds.games.best_response import ENDLESS
from otherminds.gridworlds.grid import scenarios as grid
from otherminds.gridworlds.grid.own_files import KINDS, OwnFiles
from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.gridworlds.in_the_matrix.bots import Reach, bot, bot_names, describe_partner
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, Pool, Rules, read_rules
from otherminds.gridworlds.in_the_matrix.skills import skills
from otherminds.gridworlds.in_the_matrix.verbalizer import InTheMatrixVerbalizer
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld, make_substrate

QUESTION = "Which behaviour will this player show in its next duel?"
DUELS = ENDLESS  # The horizon of planning minds in duels


MIXTURES = {"row": grid.MIXTURE, "column": f"{grid.MIXTURE}_column"}
"""The mixtures of a substrate, by the role of ``ego`` where players have roles."""
ONE_SHOT = (
    "one duel an episode: no duel before it tells anything of the other, so there are no ends and no verdict"
)


def list_numbers(rules: Rules) -> tuple[str, ...]:
    """The numbers of a substrate's scenarios, and its mixtures."""
    roles = sorted({_role(pool) for pool in rules.scenarios}, reverse=True)
    return (*map(str, range(len(rules.scenarios))), *(MIXTURES[role] for role in roles))


def _role(pool: Pool) -> str:
    return pool.roles[0] if pool.roles else "row"


def met_in(rules: Rules, which: str) -> tuple[tuple[str, ...], ...]:
    """The pools of bots of a scenario, or of all of a substrate's in which ``ego`` has one role for a mixture."""
    if which in MIXTURES.values():
        return tuple(pool.bots for pool in rules.scenarios if MIXTURES[_role(pool)] == which)
    return (rules.scenarios[int(which)].bots,)


def seat_players(rules: Rules, which: str) -> Rules:
    """``rules`` with the number of players of a scenario, and their roles."""
    if which in MIXTURES.values():
        # Turned round, each player has the other role.
        turned = {*rules.roles} and which != MIXTURES[rules.roles[0]]
        return replace(rules, roles=rules.roles[::-1]) if turned else rules
    pool = rules.scenarios[int(which)]
    return replace(rules, players=pool.players, roles=pool.roles)


@cache
def weights(rules: Rules, which: str) -> tuple[tuple[Fraction, str], ...]:
    """The share of each bot in a scenario, in alphabetical order."""
    return grid.shares(met_in(rules, which))


@cache
def family(rules: Rules, which: str) -> tuple[WeightedPolicy, ...]:
    """The policies met in a scenario, as automata over duels; bots that follow the same one are one member."""
    totals: dict[Any, float] = {}
    seated = seat_players(rules, which)
    for share, name in weights(rules, which):
        followed = describe_partner(seated, name, DUELS).automaton
        totals[followed] = totals.get(followed, 0.0) + float(share)
    return tuple(WeightedPolicy(weight, followed) for followed, weight in totals.items())


def choose_reference(rules: Rules, which: str) -> str:
    """The scenario whose population F and L refer to: its own, or the mixture where it has one policy only."""
    if len(family(rules, which)) > 1 or which in MIXTURES.values():
        return which
    return MIXTURES[_role(rules.scenarios[int(which)])]


@cache
def references(rules: Rules, which: str) -> Bounds:
    """The reference population of a scenario, with the automata that bots follow.

    It is not listed where several partners are met at once, unless the scenario refers to another one: its own
    episodes are then no sample of that population, and give neither F nor L. Nor is it where several seats are under test,
    which meet each other, or where there is one duel only.
    """
    referring = choose_reference(rules, which)
    seated = seat_players(rules, which)
    focal = 1 if which in MIXTURES.values() else rules.scenarios[int(which)].focal
    is_listed = focal == 1 and not rules.one_shot and (seated.players == 2 or referring != which)
    listed = weights(rules, referring) if is_listed else ()
    bots = [(float(share), name, describe_partner(seated, name, DUELS).automaton) for share, name in listed]
    population = tuple(Member(*entry) for entry in bots)
    note = ONE_SHOT if rules.one_shot else grid.BY_REFERENCE_MINDS
    return Bounds(None, None, None, f"{_stem(rules)}-{referring}", population, note)


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
    shipped, rules = rules, grid.shorten_episodes(seat_players(rules, which), steps)
    able = skills(rules)
    mixes = which in MIXTURES.values()
    about = "the partners of all its scenarios" if mixes else rules.scenarios[int(which)].do
    focal = 1 if mixes else rules.scenarios[int(which)].focal
    others = tuple(f"partner_{i}" for i in range(rules.players - 1))
    bots = rules.players - focal
    bot(rules, bot_names(rules)[0], noise, cast("Reach", reach))

    def spec(name: str) -> SeatSpec:
        params: dict[str, Any] = {"noise": noise} if noise else {}
        return SeatSpec(name, params | ({"reach": reach} if reach != "window" else {}))

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return bot(rules, met.mind, **met.params), describe_partner(rules, met.mind, DUELS)

    population = Population(tuple((share, (spec(name),)) for share, name in weights(shipped, which)))
    pools = tuple(tuple(map(spec, pool)) for pool in met_in(shipped, which))
    return Scenario(
        id=f"{_stem(rules)}-{which}-v1",
        world=partial(InTheMatrixWorld, rules, tuple(able), DUELS),
        population=population if bots == 1 else Independent(pools, bots),
        partner=partner,
        focal=("ego", *others[: focal - 1]),
        probes=(
            *(grid.next_probe(seat, QUESTION, rules.classes) for seat in others),
            *(grid.next_probe("ego", QUESTION, rules.classes, seat) for seat in others),
        ),
        skills=able,
        arrange=grid.ordering(len(rules.classes)),
        verbalizer=lambda draw, seat: InTheMatrixVerbalizer(rules, seat, tuple(draw["order"])),
        game=rules.game,
        priors={
            "family": lambda: family(shipped, which),
            "reference": lambda: family(shipped, choose_reference(shipped, which)),
        },
        grants={"inventories": lambda seat: True, "map": lambda seat: True},
        minds={
            **{name: partial(bot, rules, name) for name in bot_names(rules)},
            "noop": grid.Noop,
            "bayesian": _declare_family,
        },
        bounds=lambda met: references(shipped, which),
        description=f"{rules.name}: {about}; scripted background bots",
        caution=f"{SCRIPTED}. One duel an episode: no verdict" if rules.one_shot else SCRIPTED,
    )


def _declare_family(prior: str = "library", gathers: bool = True) -> Mind:
    """``bayesian``, in whose library the policies of all background bots stand."""
    from otherminds.minds.bayesian import Bayesian

    return Bayesian(prior, gathers, listed=True)


def _bind_scenario(rules: Rules, which: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None, noise: float = 0.0, reach: str = "window") -> Scenario:
        return build(rules, which, steps, noise, reach)

    return make_scenario


def bind_own(path: Path) -> Callable[..., Scenario]:
    """Makes the scenarios of the substrate in a user's file: ``which`` is a number, or a mixture.

    Raises:
        StudyError: it is no such file.
    """
    rules = read_rules(path)

    def make_scenario(
        which: str = grid.MIXTURE, steps: int | None = None, noise: float = 0.0, reach: str = "window"
    ) -> Scenario:
        numbers = list_numbers(rules)
        if str(which) not in numbers:
            raise StudyError(f"{path} has no scenario {which!r}{hint(str(which), numbers)}")
        return build(rules, str(which), steps, noise, reach)

    return make_scenario


# Any of them will do: a file that lacks one, or misspells it, is to be told so.
KINDS.extend(
    OwnFiles(key, bind_own, lambda path: make_substrate(read_rules(path)))
    for key in ("row", "classes", "symbols")
)


def list_whole() -> tuple[str, ...]:
    """The scenarios of all substrates in which the usual number of players have their usual roles."""
    return tuple(
        f"{_stem(rules)}-{which}-v1"
        for rules in SUBSTRATES.values()
        for which in list_numbers(rules)
        if seat_players(rules, which) == rules
    )


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The scenarios of each substrate by number, and its mixture."""
    return {
        f"{_stem(rules)}-{which}-v1": _bind_scenario(rules, which)
        for rules in SUBSTRATES.values()
        for which in list_numbers(rules)
    }
