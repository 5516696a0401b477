"""The world of word games, its scenarios, records and texts."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

import otherminds as om
from otherminds.core.contracts import Mind
from otherminds.core.data import Question
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, SeatSpec, prompts
from otherminds.core.scenario import Scenario, Setup, World, scenario, scenarios
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.known_types import find_type
from otherminds.measures.registry import Accuracy, Unknown
from otherminds.play.loop import play_now
from otherminds.testing import MindConformance, ScenarioConformance, WorldConformance
from otherminds.wordgames.evidence import measure_accuracy, read_evidence, read_rounds
from otherminds.wordgames.game import EGO, PARTNER
from otherminds.wordgames.lexicon import read_lexicon
from otherminds.wordgames.partners import POPULATIONS, make_listener
from otherminds.wordgames.rules import GAMES, GameRules, read_rules
from otherminds.wordgames.scenarios import name_scenario
from otherminds.wordgames.words import make_form
from otherminds.wordgames.world import WordGameWorld
from tests.cases import for_each


def play(game: str, mind: str, seed: int = 0, **options: object) -> Record:
    """The record of an episode of one of the scenario's own minds."""
    place = scenario(name_scenario(game, "mixed"), dict(options))
    return play_now(Setup(place, {EGO: place.make(mind, {})}, seed))[0]


class WordGameConformance(WorldConformance):
    game = ""
    has_chance = True

    def make_world(self) -> World:
        return WordGameWorld(GameRules(self.game, "mixed", 0.05, ()), rounds=4)

    def questions(self) -> Sequence[Question]:
        place = scenario(name_scenario(self.game, "mixed"), {"boards": 4})
        return [probe.question for probe in place.probes_for({})]

    def grants(self) -> dict[str, object]:
        return {"secrets": super().grants()["secrets"]}


class TestGuesserWorld(WordGameConformance):
    game = "wavelength-guesser"


class TestTabooWorld(WordGameConformance):
    game = "taboo"


class TestGiverScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return scenario("wavelength-giver-mixed-v1", {"boards": 4})


class TestGuesserScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return scenario("codenames-guesser-stranger-v1", {"boards": 4})


class TestPolicyMind(MindConformance):
    def make_mind(self) -> Mind:
        return self.make_scenario().make("half_used", {})

    def make_scenario(self) -> Scenario:
        return scenario("wavelength-guesser-mixed-v1", {"boards": 4})


def test_every_game_and_population_is_a_scenario() -> None:
    names = {name_scenario(game, population) for game in GAMES for population in POPULATIONS}
    assert names <= {*scenarios}


def test_a_game_without_words_is_another_world() -> None:
    record = om.play("rps-single-v1", "bayes", options={"rounds": 4})
    assert read_rules(record) is None
    assert read_evidence(record) is None


@for_each("game, mind", [(game, mind) for game in GAMES for mind in ("bayes", "half_used", "echo", "hash")])
def test_a_record_has_the_evidence_of_what_was_played(game: str, mind: str) -> None:
    for seed in range(1):
        record = play(game, mind, seed, boards=8)
        rules = read_rules(record)
        assert rules is not None
        rounds = read_rounds(record, rules)
        paid = [
            rules.rules.payoffs(np.array([board.secret]), played.moves)[0]
            for board, played in zip(rules.boards, rounds, strict=True)
        ]
        assert record.total(EGO) == record.total(PARTNER) == pytest.approx(sum(paid))
        assert [bool(played.answers) for played in rounds] == [False] * 4 + [True] * 4
        evidence = episode_evidence(record)
        assert isinstance(evidence, EpisodeEvidence)
        assert evidence == read_evidence(record)
        partner = find_type(record, PARTNER, rules.tables.names)
        assert partner is not None
        assert evidence.partner == rules.tables.groups[partner]
        assert (evidence.answers, evidence.unread) == (len(record.asked), 0)


@for_each("game", GAMES)
def test_who_knows_the_partner_answers_every_question_rightly(game: str) -> None:
    """The truth in the record is that of the partner's association, whatever it did and whether it slipped."""
    for seed in range(2):
        record = play(game, "informed", seed, boards=8)
        assert record.asked
        assert all(answer.answer == answer.truth for answer in record.asked)
        accuracy = measure_accuracy(record)
        assert isinstance(accuracy, Accuracy)
        assert accuracy.told == accuracy.known == 1


@for_each("game", GAMES)
def test_nobody_is_told_the_secret_before_the_round_is_over(game: str) -> None:
    """Two episodes that differ only in a secret look alike to the guesser until it is told."""
    rules = GameRules(game, "mixed", 0.05, ())
    guesser = PARTNER if rules.rules.gives else EGO
    world = WordGameWorld(rules, 4)
    observed, _ = world.reset(seed=3)
    form = make_form(rules, 4)
    while world.agents:
        view = form.read(observed[guesser])
        giver = form.read(observed[EGO if guesser == PARTNER else PARTNER])
        assert view.board.secret == -1
        assert giver.board.secret >= 0
        assert view.board.words == giver.board.words
        assert view.past == giver.past
        actions = dict.fromkeys(world.possible_agents, 0)
        observed, *_ = world.step(actions)


def dialogue_of(record: Record, seat: str) -> str:
    """All that a model in ``seat`` reads before its last reply."""
    called = zip(record.calls, prompts(record.calls), strict=True)
    return "\n".join(
        message.content for message in [prompt for call, prompt in called if call.seat == seat][-1]
    )


@for_each("game", GAMES)
def test_a_newcomer_reads_the_rules_the_board_and_all_of_a_finished_round(game: str) -> None:
    record = om.play(name_scenario(game, "mixed"), "qa@scripted:first", seed=1, options={"boards": 4})
    assert record.outcome.status == "scored"
    rules = read_rules(record)
    assert rules is not None
    text = dialogue_of(record, EGO)
    words = read_lexicon().words
    for board, played in zip(rules.boards[:-1], read_rounds(record, rules), strict=False):
        assert all(words[word] in text for word in board.words)
        names = [words[word] for word in board.words]
        for end, choice in enumerate(played.moves):
            mover = rules.rules.mover(played.moves[:end])
            assert mover is not None
            who = "You" if mover == EGO else "Your partner"
            assert rules.rules.tell_move(names, who, mover, choice, played.moves[:end]) in text
    assert rules.rules.explain(gives=rules.rules.gives) in text
    assert not any(name in text for name in (*rules.tables.names, "taxonomic", "thematic", "phonetic"))


@for_each("game", GAMES)
def test_models_play_in_both_seats_and_nothing_is_judged(game: str) -> None:
    seats = {EGO: "qa@scripted:first", PARTNER: "qa@scripted:first"}
    record = om.play(name_scenario(game, "mixed"), seats, seed=2, options={"boards": 4})
    assert record.outcome.status == "scored"
    assert isinstance(read_evidence(record), Unknown)
    rules = read_rules(record)
    assert rules is not None
    assert rules.rules.explain(gives=not rules.rules.gives) in dialogue_of(record, PARTNER)


def bad_options() -> Iterable[dict[str, object]]:
    for boards in (3, 73, True, 12.0):
        yield {"boards": boards}
    for slip in (-0.1, 0.5, "often", float("nan"), True):
        yield {"slip": slip}
    yield {"words": 3}


@for_each("options", [*bad_options()])
def test_a_bad_option_is_refused_by_name(options: dict[str, object]) -> None:
    with pytest.raises(StudyError, match=next(iter(options))):
        scenario("wavelength-giver-mixed-v1", dict(options))


@for_each(
    "spec", [SeatSpec("loud"), SeatSpec("taxonomic", {"curve": "round"}), SeatSpec("taxonomic", {"x": 1})]
)
def test_an_unknown_partner_is_refused(spec: SeatSpec) -> None:
    with pytest.raises(StudyError, match="there is no partner"):
        make_listener(read_lexicon(), spec)
