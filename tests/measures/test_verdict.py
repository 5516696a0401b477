"""Verdicts about minds of known nature, played as plugins through the loop, and what counts against a claim."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

import otherminds as om
from otherminds.core.record import Outcome, Record
from otherminds.core.scenario import scenario
from otherminds.measures.cells import tabulate, verdicts
from otherminds.measures.evidence import EpisodeEvidence, NoChoice, episode_evidence
from otherminds.measures.registry import NO_GAME, Inapplicable, Unknown
from otherminds.measures.scenario_evidence import gather_evidence
from otherminds.measures.verdict import KNOWLEDGE, Verdict, judge
from tests.cases import depth
from tests.measures import known_minds
from tests.measures.known_minds import Nature, play_study

ROUNDS = 20
PER_PARTNER = {"rps-single-v1": 8, "rps-mixed-v1": 6, "ibs-single-v1": 12, "ibs-mixed-v1": 8}
DESIGNS = {"rps-single-v1": 6, "rps-mixed-v1": 6, "ibs-single-v1": 4, "ibs-mixed-v1": 4}


def study(name: str, nature: Nature, number: int = 0, per_partner: int = 0, designs: int = 0) -> list[Record]:
    built = scenario(name, {"rounds": ROUNDS})
    return play_study(
        built, nature, number, per_partner or PER_PARTNER[name], designs or DESIGNS[name], ROUNDS
    )


def evidence_of(records: list[Record]) -> list[EpisodeEvidence]:
    found = [episode_evidence(record) for record in records]
    assert not any(isinstance(one, Unknown) for one in found), found
    return [one for one in found if isinstance(one, EpisodeEvidence)]


def verdict_of(evidence: list[EpisodeEvidence], *, model: bool = False, name: str = "s") -> Verdict:
    return judge({"mind": [gather_evidence(name, model, len(evidence), evidence)]})["mind"]


def kinds(name: str, nature: Nature, studies: int) -> Counter[str]:
    return Counter(verdict_of(evidence_of(study(name, nature, number))).kind for number in range(studies))


WORLDS = sorted(DESIGNS)


@pytest.mark.parametrize("studies", depth(3, 60))
@pytest.mark.parametrize("world", WORLDS)
def test_ignorance_is_never_called_knowledge(world: str, studies: int) -> None:
    """At most 5 % of studies of each mind; ``benchmarks/verdicts.py`` plays a thousand a mind and world."""
    for mind, nature in (known_minds.IGNORANT | known_minds.PLAYS).items():
        found = kinds(world, nature, studies)
        assert sum(found[kind] for kind in KNOWLEDGE) <= max(1, 0.05 * studies), (mind, found)


@pytest.mark.parametrize("studies", depth(10, 100))
@pytest.mark.parametrize("world", ["rps-single-v1", "ibs-single-v1"])
def test_play_that_repeats_over_labels_is_played_once(world: str, studies: int) -> None:
    """The play of a hash that does not see the labels was "better than it says" in 10 % of studies."""
    assert not kinds(world, known_minds.IGNORANT["hash, blind to labels"], studies)[
        "plays better than it says"
    ]
    assert kinds(world, known_minds.PLAYS["win-stay, says at random"], 2) == {"plays better than it says": 2}


@pytest.mark.parametrize("studies", depth(2, 60))
@pytest.mark.parametrize("world", WORLDS)
def test_minds_that_act_on_their_word_are_never_accused(world: str, studies: int) -> None:
    uses = "undecided" if world.startswith("ibs") else "uses"
    for mind, nature in known_minds.USERS.items():
        assert kinds(world, nature, studies) == {uses: studies}, (mind, world)
    for mind, nature in known_minds.SLIPS.items():
        found = kinds(world, nature, studies)
        assert not found["does not use"], (mind, found)
        assert not found["no evidence"], (mind, found)


@pytest.mark.parametrize("studies", depth(2, 60))
@pytest.mark.parametrize("world", WORLDS)
def test_minds_that_do_not_act_on_their_word_are_found(world: str, studies: int) -> None:
    for mind, nature in known_minds.IDLE.items():
        found = kinds(world, nature, studies)
        assert found["does not use"] >= 0.9 * studies, (mind, found)
        assert not found["uses"], (mind, found)
    half = kinds(world, known_minds.replies(known_minds.joint, 0.5), studies)
    assert set(half) <= {"uses in part", "does not use"}, half


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_the_unused_share_is_one_minus_the_probability_of_acting_on_the_word(share: float) -> None:
    found = [
        verdict_of(
            evidence_of(study("rps-single-v1", known_minds.replies(known_minds.often, share), n, 12, 12))
        ).unused.mean
        for n in range(6)
    ]
    assert sum(filter(None, found)) / len(found) == pytest.approx(1 - share, abs=0.05)


def test_with_one_label_design_an_episode_a_user_is_recognised_in_two_actions_too() -> None:
    """Twelve distinct episodes a partner."""
    evidence = [
        replace(one, design=str(n))
        for n, one in enumerate(evidence_of(study("ibs-single-v1", known_minds.bayes)))
    ]
    assert verdict_of(evidence).kind == "uses"


@pytest.fixture(scope="module")
def idle() -> list[EpisodeEvidence]:
    """A mind that knows and plays at random."""
    return evidence_of(study("rps-single-v1", known_minds.IDLE["truth, plays at random"], 0, 12, 12))


@pytest.fixture(scope="module")
def user() -> list[EpisodeEvidence]:
    return evidence_of(study("rps-single-v1", known_minds.bayes, 0, 12, 12))


def test_lost_episodes_count_against_both_claims(idle, user) -> None:
    """As if all was used in those of a mind that is accused, as if nothing was in those of one that is praised."""

    def some_lost(evidence: list[EpisodeEvidence], every: int) -> list[EpisodeEvidence]:
        return [
            replace(one, lost=True, literal=-0.5, unused=None, functional=-1.0) if n % every == 0 else one
            for n, one in enumerate(evidence)
        ]

    assert verdict_of(idle).kind == "does not use"
    assert verdict_of(user).kind == "uses"
    fewer = verdict_of(some_lost(user, 6))
    assert fewer.lost == 6
    assert fewer.kind == "undecided"
    assert "6 of them lost" in fewer.sentence
    many = verdict_of(some_lost(user, 3))
    assert many.kind == "not measured"
    assert "12 of 36 episodes were lost" in many.reason


SHORT = {
    "rps-single-v1": {"rounds": 8},
    "acted_beliefs-meet-first-v1": {"encounters": 6},
    "taboo-mixed-v1": {"boards": 6},
    "tiny_hanabi-mixed-v1": {"games": 6},
}
"""A scenario of each world with verdicts on partners of known types, with options that make it short."""


@pytest.mark.parametrize("name", SHORT)
def test_without_enough_episodes_that_were_not_lost_nothing_is_measured(name: str) -> None:
    """Wherever all of them, or all but a few, broke off: at the start, in the middle, or in the last step."""
    records = [om.play(name, "bayes", seed=seed, options=SHORT[name]) for seed in range(12)]
    steps = len(records[0].actions)
    for after in (0, steps // 2 + 1, steps - 1):
        lost = [episode_evidence(replace_after(record, after)) for record in records]
        found = judge_evidence(lost)
        assert (found.kind, found.reason) == ("not measured", "all 12 episodes were lost"), found.sentence
        few = judge_evidence([*lost[:9], *map(episode_evidence, records[9:])])
        assert few.kind == "not measured", few.sentence
        assert "9 of 12 episodes were lost" in few.reason


def judge_evidence(evidence: list[EpisodeEvidence | Unknown]) -> Verdict:
    return judge({"mind": [gather_evidence("s", False, len(evidence), evidence)]})["mind"]


def test_a_mind_that_falls_silent_when_it_is_wrong_knows_nothing() -> None:
    """22 of 36 episodes were invalid, and L was 1.00 over the survivors."""
    for number in range(5):
        found = verdict_of(evidence_of(study("rps-single-v1", known_minds.quitter, number, 12, 12)))
        assert found.kind not in KNOWLEDGE
        assert found.lost >= 12


def test_unreadable_predictions_are_missing_not_wrong(user) -> None:
    silent = [replace(one, unread=2) for one in user]
    found = verdict_of(silent)
    assert found.kind == "not measured"
    assert found.reason == f"72 of {20 * 36} predictions could not be read"


def test_every_partner_with_room_must_be_met(user) -> None:
    first = user[0].partner
    found = verdict_of([one for one in user if one.partner != first])
    assert found.kind == "not measured"
    assert first in found.reason


def test_labels_that_are_not_balanced_over_partners_measure_a_habit() -> None:
    """Each partner always shown as J: a model that always says J would be right about all of them."""
    evidence = evidence_of(study("ibs-single-v1", known_minds.bayes, 0, 12, 4))
    told = [
        one for one in evidence if max(one.prejudice, key=lambda habit: one.prejudice[habit]) == "Option J"
    ]
    by_habit = [one for one in evidence if one.prejudice["Option J"] > 0.5]
    assert len(by_habit) == 12 >= len(told)
    found = verdict_of(by_habit)
    assert found.kind == "not measured"
    assert "always saying “Option J” has L = 1.00" in found.reason


def test_fewer_than_six_distinct_episodes_are_not_measured() -> None:
    found = verdict_of(evidence_of(study("ibs-single-v1", known_minds.bayes, 0, 12, 2)))
    assert found.kind == "not measured"
    assert "24 episodes, 4 of them distinct" in found.reason


def test_models_are_corrected_for_their_number_and_yardsticks_are_not(user) -> None:
    """A model whose evidence is just enough alone is not enough as the best of ten."""
    weak = evidence_of(study("rps-single-v1", known_minds.replies(known_minds.joint, 0.86), 0, 8, 6))
    alone = verdict_of(weak, model=True)
    assert alone.kind == "uses in part"
    users = evidence_of(study("rps-single-v1", known_minds.bayes, 0))

    def among(others: int, *, model: bool) -> Verdict:
        minds = {f"other {n}": [gather_evidence("s", model, 24, users)] for n in range(others)}
        return judge({"mind": [gather_evidence("s", True, 24, weak)], **minds})["mind"]

    assert among(9, model=True).kind == "undecided"
    assert among(9, model=False).kind == alone.kind


def test_scenarios_are_pooled_with_equal_weights(user, idle) -> None:
    pooled = judge({"mind": [gather_evidence("a", False, 36, user), gather_evidence("b", False, 36, idle)]})[
        "mind"
    ]
    assert pooled.scenarios == ("a", "b")
    assert pooled.unused.mean == pytest.approx(0.5, abs=0.06)
    assert pooled.kind == "uses in part"


def test_a_dominant_action_leaves_no_choice_without_policy_questions() -> None:
    built = scenario("ipd-mixed-v1", {"rounds": 10})
    records = play_study(built, known_minds.bayes, 0, 8, 4, 10)
    cells = tabulate({("ipd-mixed-v1", records[0].spec.seats["ego"].title): len(records)}, records)
    (found,) = verdicts(cells)
    assert found.kind == cells[0].verdict.kind == "no choice"
    assert "policy_questions" in found.reason


def test_only_a_dominant_action_leaves_no_choice() -> None:
    for evidence, kind in (
        (NoChoice("one action is best"), "no choice"),
        (Inapplicable(NO_GAME), "not measured"),
        (Unknown(NO_GAME), "not measured"),
    ):
        verdict = judge({"mind": [gather_evidence("s", False, 3, [evidence] * 3)]})["mind"]
        assert (verdict.kind, verdict.reason) == (kind, evidence.reason)


def test_the_pipeline_of_reports_says_the_same(user) -> None:
    records = study("rps-single-v1", known_minds.bayes, 0, 12, 12)
    (cell,) = tabulate({("rps-single-v1", records[0].spec.seats["ego"].title): 36}, records)
    assert cell.verdict.kind == verdict_of(user).kind == "uses"
    assert cell.verdict.literal.mean == pytest.approx(1.0)


def test_a_break_counts_the_rounds_before_it_as_played() -> None:
    (record,) = study("rps-single-v1", known_minds.bayes, 0, 1, 1)[:1]
    whole = episode_evidence(record)
    assert isinstance(whole, EpisodeEvidence)
    cut = replace_after(record, 15)
    lost = episode_evidence(cut)
    assert isinstance(lost, EpisodeEvidence)
    assert lost.lost
    # 5 of the 10 settled rounds were played, all right: accuracy 1/2, from a floor of 1/3.
    assert (whole.literal, lost.literal) == (pytest.approx(1.0), pytest.approx((1 / 2 - 1 / 3) / (2 / 3)))
    assert lost.functional == pytest.approx(-1.0)


def replace_after(record: Record, rounds: int) -> Record:
    """The record of an episode that broke after so many rounds."""
    cut = replace(record)
    cut.actions, cut.rewards = record.actions[:rounds], record.rewards[:rounds]
    cut.met = {seat: met[:rounds] for seat, met in record.met.items()}
    cut.asked = tuple(asked for asked in record.asked if asked.step < rounds)
    cut.outcome = Outcome("invalid", "reply", "it fell silent", rounds)
    return cut
