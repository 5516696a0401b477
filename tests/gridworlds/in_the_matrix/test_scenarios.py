"""The scenarios keep what every scenario keeps; their partners are those of Melting Pot."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

import otherminds as om
from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario, scenarios
from otherminds.gridworlds.grid.scenarios import MIXTURE
from otherminds.gridworlds.in_the_matrix.bots import bot_names, policy
from otherminds.gridworlds.in_the_matrix.rules import RWS_ARENA, SUBSTRATES, Rules
from otherminds.gridworlds.in_the_matrix.scenarios import family, met_in, weights
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from otherminds.testing import ScenarioConformance
from otherminds.testing.scenarios import EpisodePromises, PopulationPromises, ProbePromises
from tests.cases import for_each


class Short(PopulationPromises, EpisodePromises, ProbePromises):
    """What differs between scenarios; ``words/test_verbalizer.py`` tries the verbalizers and scaffolds of the others."""

    name = ""
    steps = 100
    seeds = (0, 1)

    def make_scenario(self) -> Scenario:
        return scenario(self.name, {"steps": self.steps})


class TestOftenFlips(Short):
    name = "rws-repeated-3-v1"


class TestTrembles(Short, ScenarioConformance):
    name = "pd-repeated-9-v1"


class TestArena(Short):
    name = "rws-arena-3-v1"
    steps = 60


class TestRolesAndSeatsUnderTest(Short):
    name = "bach-or-stravinsky-arena-2-v1"
    steps = 40


class TestOneShot(Short):
    name = "rws-one-shot-0-v1"


del Short  # a base class is no test of its own


def test_there_are_27_scenarios_and_a_mixture_of_each_substrate() -> None:
    names = [name for name in scenarios if name.startswith(("rws-repeated", "rws-arena", "pd-repeated"))]
    numbered = Counter(name.rsplit("-", 2)[0] for name in names if name.split("-")[-2].isdecimal())
    assert numbered == {"rws-repeated": 9, "rws-arena": 8, "pd-repeated": 10}
    assert sum(MIXTURE in name for name in names) == 3


@for_each("rules", SUBSTRATES.values(), ids=lambda rules: rules.name)
def test_every_bot_is_met_somewhere_and_known_to_its_substrate(rules: Rules) -> None:
    met = {name for pool in rules.scenarios for name in pool.bots}
    assert met == set(bot_names(rules))
    for names in (pool.bots for pool in rules.scenarios):
        assert list(names) == sorted(names), "Melting Pot draws from the sorted list"
        assert all(policy(rules, name) for name in names)


@for_each("rules", SUBSTRATES.values(), ids=lambda rules: rules.name)
def test_a_mixture_gives_each_scenario_the_same_share(rules: Rules) -> None:
    shares, pools = weights(rules, MIXTURE), met_in(rules, MIXTURE)
    assert sum(share for share, _ in shares) == 1
    for share, name in shares:
        due = sum(
            (Fraction(1, len(pools) * len(names)) for names in pools if name in names),
            Fraction(0),
        )
        assert share == due
    assert sum(member.weight for member in family(rules, MIXTURE)) == pytest.approx(1)


def test_where_players_have_roles_a_mixture_has_the_scenarios_of_one_role() -> None:
    usual, turned = (
        scenario(f"bach-or-stravinsky-repeated-{which}-v1", {}) for which in ("mixed", "mixed_column")
    )
    assert usual.game is not None
    assert turned.game == usual.game.flipped()
    seated = {which: scenario(f"bach-or-stravinsky-repeated-{which}-v1", {}).game for which in range(8)}
    assert [which for which, game in seated.items() if game == turned.game] == [0, 2, 5]
    met = [{spec.mind for (spec,) in built.population.meet(200)} for built in (usual, turned)]
    pools = SUBSTRATES["bach-or-stravinsky-repeated-v1"].scenarios
    assert met == [
        {name for n, pool in enumerate(pools) if (n in (0, 2, 5)) == column for name in pool.bots}
        for column in (False, True)
    ]


def test_several_seats_under_test_come_first_and_bots_fill_the_others() -> None:
    for rules in SUBSTRATES.values():
        for which, pool in enumerate(rules.scenarios):
            built = scenario(f"{rules.name.removesuffix('-v1')}-{which}-v1", {})
            assert (len(built.focal), len(built.seats)) == (pool.focal, pool.players)
            assert built.focal == built.seats[: pool.focal]
            assert all(len(members) == len(built.others) for members in built.population.meet(3))


def test_one_duel_an_episode_has_no_ends() -> None:
    built = scenario("rws-one-shot-0-v1", {})
    assert built.bounds is not None
    bounds = built.bounds({})
    assert (bounds.informed, bounds.best, bounds.blind, bounds.population) == (None, None, None, ())
    assert "no verdict" in bounds.reason
    assert "no verdict" in built.caution


def test_the_arena_draws_seven_bots_with_replacement() -> None:
    met = scenario("rws-arena-0-v1", {}).population.meet(400)
    assert all(len(members) == 7 for members in met)
    assert any(len({spec.mind for spec in members}) < 6 for members in met)
    counts = Counter(spec.mind for members in met for spec in members)
    assert set(counts) == set(RWS_ARENA.scenarios[0].bots)


@for_each(
    ("options", "text"),
    [
        ({"steps": 0}, "steps must be a whole number"),
        ({"steps": 1.5}, "steps must be a whole number"),
        ({"steps": "many"}, "steps must be a whole number"),
        ({"noise": True}, "noise"),
        ({"reach": ["map"]}, "'window' or the 'map'"),
        ({"noise": 1.5}, "noise"),
        ({"reach": "moon"}, "'window' or the 'map'"),
    ],
)
def test_bad_options_are_named(options: dict[str, object], text: str) -> None:
    with pytest.raises(StudyError, match=text):
        scenario("rws-repeated-0-v1", options)


@pytest.mark.parametrize("mind", ["informed", "blind", "random", "uniform", "noop", "rock_margin_0"])
def test_reference_minds_and_the_bots_themselves_play(mind: str) -> None:
    built = scenario("rws-repeated-0-v1", {"steps": 120})
    made = built.minds[mind]() if mind in built.minds else make_mind(SeatSpec(mind))
    record, _ = play_now(Setup(built, {"ego": made}, 0))
    assert record.outcome.status == "scored"
    assert len(record.actions) == 120


def test_informed_wins_what_blind_does_not() -> None:
    built = scenario("rws-repeated-6-v1", {"steps": 900})
    totals: dict[str, float] = {}
    for name in ("informed", "blind"):
        mind = make_mind(SeatSpec(name))
        record, _ = play_now(Setup(built, {"ego": mind}, 1))
        totals[name] = record.total("ego")
    assert totals["informed"] > 30 > totals["blind"]


def test_no_verdict_advises_an_option_that_the_scenario_lacks() -> None:
    for name in ("pd-repeated-mixed-v1", "pd-repeated-0-v1"):
        records = [om.play(name, "random", seed=seed, options={"steps": 300}) for seed in range(3)]
        (verdict,) = om.report(records).verdicts
        assert "policy_questions" not in verdict.sentence, "duels are no rounds, and there is no such option"


def test_a_scenario_lists_the_population_that_f_and_l_refer_to() -> None:
    """Its own only where one partner is met; the mixture's, which its episodes do not meet, where it has one policy."""
    for name, listed in (
        ("rws-repeated-0-v1", 3),
        ("rws-repeated-1-v1", 14),
        ("rws-arena-0-v1", 0),
        ("rws-arena-5-v1", 10),
    ):
        bounds = scenario(name, {}).bounds(())
        assert bounds is not None
        assert len(bounds.population) == listed, name
        assert not listed or sum(member.weight for member in bounds.population) == pytest.approx(1), name
