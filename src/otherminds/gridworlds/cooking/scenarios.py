"""The scenarios of the kitchens: ``cooking-asymmetric-0-v1`` and so on, and the mixture of each.

Their numbers are Melting Pot's, their partners are scripted stand-ins under its names; the kitchen's file has both
(:mod:`.form`). A mixture such as ``cooking-asymmetric-mixed-v1`` meets the partners of all scenarios of its kitchen, each
scenario as often as the others: it is the population that F and L refer to, because with one known policy there is
nothing to adapt to. In kitchens for more than two, the numbered scenarios have several seats under test, as in Melting
Pot, and their mixture has one, with every other seat drawn apart; neither has reference minds, so there is neither F nor
a verdict. The grant ``family`` tells nothing: it declares a mind that knows the stand-ins already, as ``bayesian`` does
(:mod:`.bayesian`), which is there where the best answer to each of them was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

from otherminds.core.contracts import Mind
from otherminds.core.data import Partner, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Independent, Population, Scenario, scenarios
from otherminds.core.text import hint
from otherminds.gridworlds.cooking import cooks
from otherminds.gridworlds.cooking.acts import BEHAVIOURS
from otherminds.gridworlds.cooking.bayesian import BayesianCook
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SUBSTRATES, Rules, read_rules
from otherminds.gridworlds.cooking.skills import skills
from otherminds.gridworlds.cooking.verbalizer import CookingVerbalizer
from otherminds.gridworlds.cooking.world import CookingWorld, make_substrate
from otherminds.gridworlds.grid import scenarios as grid
from otherminds.gridworlds.grid.own_files import KINDS, OwnFiles
from otherminds.gridworlds.grid.rules import player_of, seat_of
from otherminds.gridworlds.grid.scenarios import SCRIPTED

QUESTION = "What will your teammate do next?"


def met_in(rules: Rules, which: str) -> tuple[tuple[str, ...], ...]:
    """The pools of cooks of a scenario, or of all of a kitchen's for ``mixed``."""
    pools = tuple(pool.cooks for pool in rules.scenarios)
    return pools if which == grid.MIXTURE else (pools[int(which)],)


def weights(which: str, rules: Rules = COOKING_ASYMMETRIC) -> tuple[tuple[Fraction, str], ...]:
    """The share of each stand-in in a scenario, or in all alike for ``mixed``, in alphabetical order."""
    return grid.shares(met_in(rules, which))


@cache
def references(rules: Rules) -> Bounds:
    """In every scenario of a kitchen for two, F and L refer to the mixture, and need all of its stand-ins.

    No population is listed for larger kitchens: then there is neither.
    """
    members = weights(grid.MIXTURE, rules) if rules.players == 2 else ()
    population = tuple(Member(float(share), name) for share, name in members)
    return Bounds(None, None, None, f"{_stem(rules)}-{grid.MIXTURE}", population, grid.BY_REFERENCE_MINDS)


def _stem(rules: Rules) -> str:
    """The name of a kitchen without its version."""
    return rules.name.removesuffix("-v1")


def build(rules: Rules, which: str, steps: int | None = None, noise: float = 0.0) -> Scenario:
    """Scenario ``which`` of a kitchen: its number, or ``mixed``.

    ``steps`` makes episodes shorter. ``noise`` is that of the stand-ins
    (:class:`~otherminds.gridworlds.cooking.cooks.Cook`).

    Raises:
        StudyError: an option has a bad value.
    """
    long, rules = rules, grid.shorten_episodes(rules, steps)
    mixed = which == grid.MIXTURE
    names = [name for name, _ in rules.cooks]
    for name in names:
        cooks.scripted(rules, name, 0.0 if name == cooks.NOOP_BOT else noise)
    able = skills(rules)
    about = "the partners of all its scenarios" if mixed else rules.scenarios[int(which)].are
    seats = tuple(map(seat_of, range(rules.players)))
    focal = seats[: 1 if mixed else rules.scenarios[int(which)].focal]
    soups = max(1, cooks.OPTIMUM * rules.maximum // long.maximum)

    def spec(name: str) -> SeatSpec:
        return SeatSpec(name, {"noise": noise} if noise and name != cooks.NOOP_BOT else {})

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return cooks.scripted(rules, met.mind, **met.params), Partner(met.mind)

    population = Population(tuple((share, (spec(name),)) for share, name in weights(which, rules)))
    pools = tuple(tuple(map(spec, pool)) for pool in met_in(rules, which))
    others = seats[len(focal) :]
    return Scenario(
        id=f"{_stem(rules)}-{which}-v1",
        world=partial(CookingWorld, rules, tuple(able), soups),
        population=population if len(others) == 1 else Independent(pools, len(others)),
        partner=partner,
        focal=focal,
        probes=tuple(
            grid.next_probe(other, _ask_about(rules, other), BEHAVIOURS, seat)
            for seat in focal
            for other in others
        ),
        skills=able,
        arrange=grid.ordering(len(BEHAVIOURS)),
        verbalizer=lambda draw, seat: CookingVerbalizer(rules, seat, tuple(draw["order"])),
        grants={"map": lambda seat: True, "family": lambda seat: True},
        minds={
            **{name: partial(cooks.scripted, rules, name) for name in names},
            "noop": grid.Noop,
            "cook": partial(cooks.SharingCook, rules),
            "role": partial(cooks.in_role, rules),
            **_list_references(rules),
        },
        bounds=lambda met: references(rules),
        description=f"{rules.name}: {about}; scripted stand-ins",
        caution=SCRIPTED,
    )


def _ask_about(rules: Rules, other: Seat) -> str:
    return QUESTION if rules.players == 2 else f"What will player {player_of(other)} do next?"


def _list_references(rules: Rules) -> Mapping[str, Callable[..., Mind]]:
    """The minds that know the best answer to each partner, where that was measured."""
    if not rules.best or rules.players != 2:
        return {}
    minds = {"informed": partial(cooks.InformedCook, rules), "blind": partial(cooks.BlindCook, rules)}
    # What each role brings beside each kind of teammate was measured in one kitchen.
    return minds | (
        {"bayesian": partial(BayesianCook, rules)} if rules.drawing == COOKING_ASYMMETRIC.drawing else {}
    )


def _bind_scenario(rules: Rules, which: str) -> Callable[..., Scenario]:
    def make_scenario(steps: int | None = None, noise: float = 0.0) -> Scenario:
        return build(rules, which, steps, noise)

    return make_scenario


def list_numbers(rules: Rules) -> tuple[str, ...]:
    """The scenarios of a kitchen, by number, and its mixture."""
    return (*map(str, range(len(rules.scenarios))), grid.MIXTURE)


def bind_own(path: Path) -> Callable[..., Scenario]:
    """Makes the scenarios of the kitchen in a user's file: ``which`` is a number, or the mixture.

    Raises:
        StudyError: it is no such file.
    """
    rules = read_rules(path)

    def make_scenario(which: str = grid.MIXTURE, steps: int | None = None, noise: float = 0.0) -> Scenario:
        numbers = list_numbers(rules)
        if str(which) not in numbers:
            raise StudyError(f"{path} has no scenario {which!r}{hint(str(which), numbers)}")
        return build(rules, str(which), steps, noise)

    return make_scenario


KINDS.append(OwnFiles("cooking", bind_own, lambda path: make_substrate(read_rules(path))))


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The scenarios of each kitchen by number, and its mixture."""
    return {
        f"{_stem(rules)}-{which}-v1": _bind_scenario(rules, which)
        for rules in SUBSTRATES.values()
        for which in list_numbers(rules)
    }
