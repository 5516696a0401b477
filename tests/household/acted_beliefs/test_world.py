"""The encounter world, its scenarios and its records."""

from collections.abc import Sequence

import pytest

import otherminds as om
from otherminds.core.contracts import Mind
from otherminds.core.data import Question
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, prompts
from otherminds.core.scenario import Scenario, Setup, World, scenario, scenarios
from otherminds.household.acted_beliefs.contexts import COURSES, EGO, PARTNER
from otherminds.household.acted_beliefs.evidence import read_decisions, read_evidence
from otherminds.household.acted_beliefs.minds import POLICIES
from otherminds.household.acted_beliefs.partner_types import POPULATIONS
from otherminds.household.acted_beliefs.played import PLACES
from otherminds.household.acted_beliefs.rules import EncounterRules, read_rules
from otherminds.household.acted_beliefs.scenarios import name_scenario
from otherminds.household.acted_beliefs.stage_games import GAMES
from otherminds.household.acted_beliefs.world import EncounterWorld
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.registry import Unknown
from otherminds.play.loop import play_now
from otherminds.testing import MindConformance, ScenarioConformance, WorldConformance
from tests.cases import for_each


def play(name: str, mind: str, seed: int = 0, **options: object) -> Record:
    """The record of an episode of one of the scenario's own minds."""
    place = scenario(name, dict(options))
    return play_now(Setup(place, {EGO: place.make(mind, {})}, seed))[0]


class TestPlaceWorld(WorldConformance):
    has_chance = True

    def make_world(self) -> World:
        return EncounterWorld(EncounterRules("hide", "first", PLACES[:3], 0.0, ()), encounters=4)

    def questions(self) -> Sequence[Question]:
        place = scenario("acted_beliefs-hide-first-v1", {"belief_questions": True})
        return [probe.question for probe in place.probes_for({})]

    def grants(self) -> dict[str, object]:
        return {"secrets": super().grants()["secrets"]}


class TestTwoStepWorld(TestPlaceWorld):
    def make_world(self) -> World:
        return EncounterWorld(EncounterRules("screen", "second", PLACES[:3], 0.0, ()), encounters=4)


class TestPlaceScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return scenario("acted_beliefs-leave-second-v1", {"encounters": 6, "slip": 0.2})


class TestTwoStepScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return scenario("acted_beliefs-tell-all-v1", {"encounters": 6, "places": 4})


class TestPolicyMind(MindConformance):
    def make_mind(self) -> Mind:
        return self.make_scenario().make("bayes", {})

    def make_scenario(self) -> Scenario:
        return scenario("acted_beliefs-screen-first-v1", {"encounters": 4})


def test_every_game_and_population_is_a_scenario() -> None:
    names = {name_scenario(game, population) for game in GAMES for population in POPULATIONS}
    assert names <= {*scenarios}


@for_each("game, mind", [(game, mind) for game in GAMES for mind in POLICIES])
def test_a_record_has_the_evidence_of_what_was_played(game: str, mind: str) -> None:
    for seed in range(3):
        record = play(name_scenario(game, "second"), mind, seed)
        rules = read_rules(record)
        assert rules is not None
        decisions = read_decisions(record, rules)
        paid = [
            rules.stage.payoff(context, decision.plan, decision.place)
            - rules.stage.cost(context, decision.plan)
            for context, decision in zip(rules.contexts, decisions, strict=True)
        ]
        assert record.total(EGO) == pytest.approx(sum(paid))
        sign = -1 if rules.stage.zero_sum else 1
        assert record.total(PARTNER) == pytest.approx(sign * record.total(EGO))
        evidence = episode_evidence(record)
        assert isinstance(evidence, EpisodeEvidence)
        assert evidence == read_evidence(record)
        assert evidence.partner == record.spec.seats[PARTNER].title
        assert (evidence.answers, evidence.unread) == (12, 0)


@for_each("game", GAMES)
def test_who_knows_the_partner_predicts_it_and_earns_the_most(game: str) -> None:
    for seed in range(9):
        record = play(name_scenario(game, "first"), "informed", seed)
        assert all(answer.answer == answer.truth for answer in record.asked)
        rules = read_rules(record)
        assert rules is not None
        tables = rules.tables
        partner = tables.names.index(record.spec.seats[PARTNER].title)
        most = sum(max(tables.read(context).worths[partner]) for context in rules.contexts)
        assert record.total(EGO) == pytest.approx(most)


def test_the_truth_of_belief_questions_is_what_the_partner_thinks() -> None:
    record = play("acted_beliefs-meet-second-v1", "bayes", 1, belief_questions=True)
    rules = read_rules(record)
    assert rules is not None
    for order, question in enumerate(("belief:agent_1", "belief:agent_1:agent_0")):
        truths = [answer.truth for answer in record.asked if record.questions[answer.question].id == question]
        assert truths == [rules.names[context.view.thinks[order]] for context in rules.contexts]


def test_slips_leave_the_word_of_the_partner_as_it_is() -> None:
    """With slips a partner strays, and a mind that knows it is still right about where it goes without one."""
    strays = 0
    for seed in range(12):
        record = play("acted_beliefs-meet-first-v1", "informed", seed, slip=0.4)
        evidence = read_evidence(record)
        assert isinstance(evidence, EpisodeEvidence)
        assert evidence.literal in (None, pytest.approx(1))
        strays += sum(answer.answer != answer.truth for answer in record.asked)
    assert strays > 10


BAD_OPTIONS = [
    {"encounters": 3},
    {"encounters": 101},
    {"encounters": True},
    {"encounters": 12.0},
    {"places": 2},
    {"places": 5},
    {"places": True},
    {"slip": -0.1},
    {"slip": 0.5},
    {"slip": "often"},
    {"slip": float("nan")},
    {"literal": "during"},
    {"belief_questions": 1},
    {"rounds": 12},
]


@for_each("options", BAD_OPTIONS)
def test_a_bad_option_is_refused_by_name(options: dict[str, object]) -> None:
    with pytest.raises(StudyError, match=next(iter(options))):
        scenario("acted_beliefs-meet-first-v1", dict(options))


@for_each("game", GAMES)
def test_a_mind_in_the_partners_seat_is_told_what_it_sees_itself(game: str) -> None:
    """Where a mind sits there, the partner's policy is not known, and nothing is judged."""
    record = om.play(name_scenario(game, "second"), {EGO: "bayes", PARTNER: "qa@scripted:first"}, seed=2)
    assert record.outcome.status == "scored"
    rules = read_rules(record)
    assert rules is not None
    assert isinstance(read_evidence(record), Unknown)
    text = "\n".join(message.content for message in prompts(record.calls)[-1])
    sections = text.split("\nEncounter ")[1:]
    for context, section in zip(rules.contexts, sections, strict=False):
        course = COURSES[context.course]
        saw_where_it_is = context.view.sighting == context.now != context.start
        assert (f"You see mug_0 on {rules.names[context.now]}." in section) == saw_where_it_is
        assert ("Place[" in section) == (PARTNER not in course.away and course.moved)


def test_records_of_other_worlds_have_no_encounters() -> None:
    record = om.play("rps-single-v1", "bayes", options={"rounds": 4})
    assert read_rules(record) is None
    assert read_evidence(record) is None
