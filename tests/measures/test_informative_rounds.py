"""Verdicts from policy questions in the Prisoner's Dilemma, for minds of known nature."""

from __future__ import annotations

from collections import Counter

import pytest

from otherminds.core.data import Answer, Invalid, Question, WeightedPolicy
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Participant, Setup
from otherminds.games.belief import valuation
from otherminds.games.blind import planned_actions, policy_room
from otherminds.games.registry import automaton, games
from otherminds.matrix.scenarios import policy_steps
from otherminds.measures.episode import summarise
from otherminds.measures.evidence import settled_rounds
from otherminds.measures.literal import Matchup, Round, rounds_played
from otherminds.measures.registry import Unknown
from otherminds.measures.verdict import KNOWLEDGE, Verdict
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from tests.cases import depth, for_each
from tests.measures.known_policy_minds import (
    AT_REST,
    DEFECT,
    HALF,
    IDLE,
    IGNORANT,
    ROUNDS,
    USERS,
    Nature,
    PolicyMind,
    built,
    play_policy_study,
    verdict_of,
)


class Silent(PolicyMind):
    """Answers the question about the next move, and no policy question."""

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("?") if question.supposed else await super().answer(question)


def verdicts(nature: Nature, studies: int) -> list[Verdict]:
    return [verdict_of(play_policy_study(nature, number)) for number in range(studies)]


@pytest.mark.parametrize("studies", depth(2, 60))
def test_minds_that_plan_by_what_they_say_are_never_accused(studies: int) -> None:
    for mind, nature in USERS.items():
        found = verdicts(nature, studies)
        assert {one.kind for one in found} <= {"uses", "undecided"}, mind
        assert all(one.unused.mean == pytest.approx(0.0, abs=0.01) for one in found), mind
        assert all(one.literal.mean > 0.9 for one in found), mind


@pytest.mark.parametrize("studies", depth(4, 60))
def test_defection_against_a_known_tit_for_tat_is_not_using_it(studies: int) -> None:
    for nature in IDLE.values():
        found = verdicts(nature, studies)
        assert {one.kind for one in found} == {"does not use"}
        assert all(one.unused.mean == pytest.approx(1.0, abs=0.01) for one in found)
    for nature in HALF.values():
        found = verdicts(nature, studies)
        kinds = Counter(one.kind for one in found)
        assert kinds["uses in part"] + kinds["does not use"] >= 0.95 * studies
        assert set(kinds) <= {"uses in part", "does not use", "undecided"}
        assert sum(one.unused.mean for one in found) / len(found) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("studies", depth(2, 60))
def test_defection_that_follows_from_what_it_says_is_not_accused(studies: int) -> None:
    """It is wrong about tit-for-tat, and right that defection is best against constants."""
    for nature in AT_REST.values():
        assert not {one.kind for one in verdicts(nature, studies)} & {"does not use", "uses in part"}


def test_who_is_wrong_about_the_next_move_is_not_accused_by_what_it_says_of_the_policy() -> None:
    """Its words are at odds: no plan follows from both, so that none was left unused."""
    found = verdict_of(play_policy_study(lambda k: (1 - k.shown, k.truth, DEFECT), 0))
    assert found.kind not in ("does not use", "uses in part")
    assert found.unused.mean is None


@pytest.mark.parametrize("studies", depth(5, 200))
def test_ignorance_is_never_called_knowledge(studies: int) -> None:
    for mind, nature in IGNORANT.items():
        kinds = Counter(one.kind for one in verdicts(nature, studies))
        assert sum(kinds[kind] for kind in KNOWLEDGE) <= max(1, 0.05 * studies), (mind, kinds)


def test_the_optimal_mind_is_not_accused() -> None:
    """It was: "L .98, F .98, a gap of 0.00 [0.00, 0.00] … Sure"."""
    for name in ("bayes", "rmax", "factored_rmax", "informed"):
        world = built()
        records = [
            play_now(Setup(world, {"ego": Participant(make_mind(SeatSpec(name)))}, seed))[0]
            for seed in range(48)
        ]
        assert verdict_of(records).kind not in ("does not use", "uses in part"), name
        if name in ("bayes", "informed"):
            assert verdict_of(records).kind in ("uses", "undecided"), name


def test_unanswered_policy_questions_are_missing() -> None:
    found = verdict_of(play_policy_study(USERS["knows the policy, plans"], 0, Silent))
    assert found.kind == "not measured"
    assert "192 of 192 predictions could not be read" in found.reason


def test_they_are_asked_in_the_second_half_at_most_four_times_and_never_at_the_end() -> None:
    for rounds in range(1, 60):
        steps = policy_steps(rounds)
        assert len(steps) <= 4
        assert all(rounds // 2 <= step <= rounds - 2 for step in steps)
        assert steps or rounds < 3


@for_each("literal", ["before", "after"])
@for_each("mind", ["rmax", "factored_rmax", "bayes", "bayesian", "level_k", "uniform", "echo", "random"])
def test_published_columns_and_play_stay_as_they_were(mind: str, literal: str) -> None:
    ego = Participant(make_mind(SeatSpec(mind)))
    for seed in range(3):
        asked, plain = (
            play_now(Setup(built(questions=questions, literal=literal), {"ego": ego}, seed))[0]
            for questions in (True, False)
        )
        assert asked.actions == plain.actions
        assert rounds_played(asked) == rounds_played(plain)
        assert len(asked.asked) == len(plain.asked) + 2 * len(policy_steps(ROUNDS))
        with_them, without = summarise(asked), summarise(plain)
        for part in (
            "reward",
            "replies",
            "values",
            "basis",
            "profile",
            "regrets",
            "hits",
            "ratios",
            "predictions",
        ):
            assert repr(getattr(with_them, part)) == repr(getattr(without, part)), part


def test_unread_policy_answers_are_no_invalid_replies() -> None:
    """They are counted by the verdict; a mind without them has the columns that it had."""
    for record in play_policy_study(USERS["knows the policy, plans"], 0, Silent)[:3]:
        assert summarise(record).replies == (0, 2 * ROUNDS)


def test_partners_that_remember_more_are_not_measured_by_them() -> None:
    world = built(population="grim")
    record = play_now(Setup(world, {"ego": Participant(make_mind(SeatSpec("bayes")))}, 0))[0]
    assert verdict_of([record]).kind == "not measured"
    assert "remembers more" in verdict_of([record]).reason


def test_the_floor_is_the_best_single_guess() -> None:
    """ "Tit for tat" is right about it, and about half of the answers of each constant."""
    world = built()
    room = policy_room(world.game, world.priors["reference"]())
    assert room is not None
    assert room.floors == (0.5, 0.5, 1.0)
    assert room.weights == (0.5, 0.5, 0.0)
    assert room.base == 0


def test_plans_by_hand() -> None:
    game = built().game
    tit_for_tat, cooperator, defector = (0, 1), (0, 0), (1, 1)
    assert planned_actions(game, 0, tit_for_tat, 5) == (0,)
    assert planned_actions(game, 0, tit_for_tat, 1) == (1,)
    for response in (cooperator, defector):
        assert planned_actions(game, 0, response, 5) == (1,)


@for_each(("noise", "informative"), [(0.0, 4), (0.1, 4), (0.11, 0)])
def test_a_behaviour_of_nine_in_ten_is_informative_and_one_below_is_not(
    noise: float, informative: int
) -> None:
    """Of eight rounds the second four are settled, whose predictions count where the partner slips in at most one of ten."""
    game = games.get("rps")()
    partner = automaton("tit_for_tat", game, 8, {"noise": noise})
    family = (WeightedPolicy(1.0, partner),)
    rounds = [Round(0, 1, asked=True, said=1)] * 8
    settled = settled_rounds(Matchup(game, family, partner), valuation(game, family, 8), rounds, 8)
    assert not isinstance(settled, Unknown)
    assert len(settled) == informative
