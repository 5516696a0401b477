"""F of decisions: the best response is at 1, nobody is above it, the best blind pattern is at 0, and collecting is apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Automaton, Game
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.games.best_response import ENDLESS, best_response
from otherminds.games.blind import USUAL, blind_pattern, blind_value, open_loop_return, repeat
from otherminds.games.registry import automaton, ipd
from otherminds.gridworlds.grid.scenarios import MIXTURE
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES
from otherminds.gridworlds.in_the_matrix.scenarios import family
from otherminds.measures.decisions import FEWEST, compute_winnable, decision_functional, sum_losses
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.registry import Inapplicable
from otherminds.measures.weighed_acts import weigh_acts
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from tests.cases import for_each

SCENARIOS = (
    "rws-repeated-2-v1",
    "pd-repeated-mixed-v1",
    "rws-repeated-strangers-v1",
    "pd-repeated-strangers-v1",
)


@cache
def played(name: str, mind: str, seed: int, steps: int = 700) -> Record:
    built = scenario(name, {"steps": steps})
    made = built.minds[mind]() if mind in built.minds else make_mind(SeatSpec(mind))
    return play_now(Setup(built, {"ego": made}, seed))[0]


def decided(record: Record) -> float:
    pair = decision_functional(record)
    assert isinstance(pair, tuple), pair
    return pair[0] / pair[1]


@for_each("name", ["pd-repeated-mixed-v1", "pd-repeated-strangers-v1", "rws-repeated-2-v1"])
def test_who_knows_the_policy_and_sees_what_was_shown_is_at_one(name: str) -> None:
    """In rock, paper, scissors a reward may leave the state of a partner that errs open; here none of these errs."""
    for seed in range(4):
        assert decided(played(name, "informed", seed)) == pytest.approx(1, abs=1e-6)


@for_each("substrate", ["rws-repeated", "pd-repeated"])
def test_the_best_repeated_pattern_earns_nearly_what_the_best_fixed_plan_earns(substrate: str) -> None:
    rules = SUBSTRATES[f"{substrate}-v1"]
    met = family(rules, "2" if substrate == "rws-repeated" else "5")
    plan = repeat(blind_pattern(rules.game, met, USUAL, 4), USUAL)
    earned = sum(member.weight * open_loop_return(rules.game, member.automaton, plan) for member in met)
    exact = blind_value(rules.game, met, USUAL)
    highest = max(cell[0] for row in rules.game.payoffs for cell in row)
    assert exact - 0.05 * highest * USUAL <= earned <= exact + 1e-9


@for_each("name", ["tit_for_tat", "grim", "win_stay_lose_shift"])
@given(acts=st.lists(st.integers(0, 1), min_size=1, max_size=6))
def test_acts_lose_what_they_cost_in_the_encounters_that_the_episode_has(name: str, acts: list[int]) -> None:
    """Beside a partner without chance: the loss is what the same encounters pay to who knows it, less what they pay to the acts."""
    game = ipd()
    partner = automaton(name, game, 10, {})
    state, earned, played = partner.start, 0.0, []
    for own in acts:
        other = partner.output[state].index(1)
        earned += game.payoffs[own][other][0]
        played.append((own, other))
        state = partner.next[state][other][own]
    plan = best_response(game, partner, ENDLESS)
    state, best = partner.start, 0.0
    for t in range(len(acts)):
        own, other = plan.act(t, state), partner.output[state].index(1)
        best += game.payoffs[own][other][0]
        state = partner.next[state][other][own]
    assert sum_losses(game, partner, tuple(played)) == pytest.approx(best - earned)


@for_each(
    "substrate", ["pd-repeated", "stag-hunt-repeated", "chicken-repeated", "bach-or-stravinsky-repeated"]
)
@given(encounters=st.integers(1, 24), plan=st.lists(st.integers(0, 1), min_size=1, max_size=4))
def test_no_repeated_pattern_is_above_zero_and_the_best_one_is_at_zero(
    substrate: str, encounters: int, plan: list[int]
) -> None:
    """Whatever the length of the episode, so also for minds that stop after some encounters."""
    rules = SUBSTRATES[f"{substrate}-v1"]
    met = family(rules, MIXTURE)
    winnable = compute_winnable(rules.game, met, encounters)

    def lose(pattern: Sequence[int]) -> float:
        return sum(
            member.weight * expect_loss(rules.game, member.automaton, repeat(tuple(pattern), encounters))
            for member in met
        )

    assert lose(plan) >= winnable - 1e-9
    assert lose(blind_pattern(rules.game, met, encounters, 4)) == pytest.approx(winnable)


def expect_loss(game: Game, partner: Automaton, plan: tuple[int, ...]) -> float:
    """The expected loss of a fixed plan: over everything that the partner may show."""
    best = best_response(game, partner, ENDLESS)
    chances, value = {partner.start: 1.0}, 0.0
    for t in range(len(plan)):
        after: dict[int, float] = {}
        for state, chance in chances.items():
            own = best.act(t, state)
            for other, p in enumerate(partner.output[state]):
                if p:
                    value += chance * p * game.payoffs[own][other][0]
                    into = partner.next[state][other][own]
                    after[into] = after.get(into, 0.0) + chance * p
        chances = after
    return value - open_loop_return(game, partner, plan)


@for_each(
    "mind",
    [
        SeatSpec("constant", params={"behaviour": "cooperate"}),
        SeatSpec("constant", params={"behaviour": "defect"}),
    ],
)
@for_each("steps", [300, 1000])
def test_who_never_looks_is_not_above_zero_whatever_the_length_of_the_episode(
    mind: SeatSpec, steps: int
) -> None:
    built = scenario("pd-repeated-mixed-v1", {"steps": steps})
    pairs = [
        decision_functional(play_now(Setup(built, {"ego": make_mind(mind)}, seed))[0]) for seed in range(12)
    ]
    known_pairs = [pair for pair in pairs if isinstance(pair, tuple)]
    assert len(known_pairs) == len(pairs)
    gained, winnable = np.sum(known_pairs, axis=0)
    assert gained / winnable < 0.1


def test_an_episode_with_too_few_encounters_counts_as_zero_whoever_plays() -> None:
    for mind in ("informed", "uniform"):
        record = played("pd-repeated-strangers-v1", mind, 0, 150)
        assert 0 < len(record.met["ego"]) < FEWEST
        assert decided(record) == 0


def test_decisions_of_a_mind_that_knows_nothing_are_worse_than_those_of_the_best_pattern() -> None:
    for name in ("rws-repeated-strangers-v1", "pd-repeated-strangers-v1"):
        scores = [decided(played(name, "uniform", seed)) for seed in range(9)]
        assert sum(scores) / len(scores) < 0


def test_an_episode_that_is_cut_scores_the_encounters_it_has() -> None:
    """Collecting is apart: with fewer encounters, the best response is still at 1."""
    for steps in (620, 700):
        assert decided(played("pd-repeated-strangers-v1", "informed", 0, steps)) == pytest.approx(1, abs=1e-6)
    short, long = (
        weigh_acts(played("pd-repeated-strangers-v1", "informed", 0, steps)) for steps in (620, 700)
    )
    assert isinstance(short, list)
    assert isinstance(long, list)
    assert len(short) < len(long) < ENDLESS


def test_who_keeps_away_from_a_partner_decides_like_one_who_knows_nothing() -> None:
    record = played("pd-repeated-strangers-v1", "noop", 0, 200)
    assert not record.met["ego"]
    assert decided(record) == 0


def test_verdicts_of_duels_have_f_of_decisions() -> None:
    record = played("rws-repeated-2-v1", "informed", 0)
    evidence = episode_evidence(record)
    assert isinstance(evidence, EpisodeEvidence)
    assert evidence.functional == pytest.approx(decided(record))


def test_it_is_for_encounters_that_avatars_bring_about() -> None:
    matrix, _ = play_now(
        Setup(scenario("rps-mixed-v1", {"rounds": 6}), {"ego": make_mind(SeatSpec("uniform"))}, 0)
    )
    assert isinstance(decision_functional(matrix), Inapplicable)
    kitchen = scenario("cooking-asymmetric-0-v1", {"steps": 40})
    cooked, _ = play_now(Setup(kitchen, {"ego": kitchen.minds["cook"]()}, 0))
    assert isinstance(decision_functional(cooked), Inapplicable)
