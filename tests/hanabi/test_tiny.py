"""Tiny Hanabi: exact ends, the world, and the verdicts on minds of known nature."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from msgspec.structs import replace

import otherminds as om
from otherminds.core.contracts import Mind
from otherminds.core.data import Question
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario, Setup, World, scenario
from otherminds.hanabi.tiny.evidence import Decision, measure_games, read_evidence, read_games
from otherminds.hanabi.tiny.game import (
    CARDS,
    DEALS,
    MOST,
    PAYOFFS,
    SPEAKERS,
    find_ends,
    list_blind,
    pay_blindly,
)
from otherminds.hanabi.tiny.minds import IGNORANT, POLICIES, Guesser, Reader, ReaderMind
from otherminds.hanabi.tiny.world import TinyWorld
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.registry import Unknown
from otherminds.measures.verdict import KNOWLEDGE
from otherminds.play.loop import play_now
from otherminds.testing import MindConformance, ScenarioConformance, WorldConformance
from tests.cases import depth, for_each
from tests.hanabi.tiny_studies import count_verdicts, judge_study, simulate_study
from tests.models.serving import Answer, Asked, Reply, chat, scripted, serving

NAME, EGO, SPEAKER = "tiny_hanabi-mixed-v1", "agent_0", "agent_1"
READERS = [*product(range(3), repeat=6)]
"""All pure policies of the second player: an action for each own card and each signal."""


def play(mind: str, seed: int = 0) -> Record:
    place = scenario(NAME, {})
    return play_now(Setup(place, {EGO: place.make(mind, {})}, seed))[0]


class TestTinyWorld(WorldConformance):
    has_chance = True

    def make_world(self) -> World:
        return TinyWorld(4)

    def questions(self) -> Sequence[Question]:
        return [probe.question for probe in scenario(NAME, {}).probes_for({})]

    def grants(self) -> dict[str, object]:
        return {"secrets": super().grants()["secrets"]}


class TestTinyScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return scenario(NAME, {"games": 4})


class TestReaderMind(MindConformance):
    def make_mind(self) -> Mind:
        return self.make_scenario().make("half_used", {})

    def make_scenario(self) -> Scenario:
        return scenario(NAME, {"games": 4})


def worth(convention: Sequence[int], reader: Sequence[int]) -> float:
    """The mean payoff of two pure policies."""
    signal = [convention[deal.theirs] for deal in DEALS]
    return sum(
        PAYOFFS[deal.theirs][deal.own][action][reader[3 * deal.own + action]]
        for deal, action in zip(DEALS, signal, strict=True)
    ) / len(DEALS)


def test_payoffs_are_those_of_open_spiel() -> None:
    """The parameter ``payoff`` of ``tiny_hanabi`` in OpenSpiel 2.0.2."""
    theirs = "10;0;0;4;8;4;10;0;0;0;0;10;4;8;4;0;0;10;0;0;10;4;8;4;0;0;0;10;0;0;4;8;4;10;0;0"
    ours = [PAYOFFS[a][b][c][d] for a, b, c, d in product(range(2), range(2), range(3), range(3))]
    assert ";".join(map(str, ours)) == theirs


def test_ends_are_those_of_all_pure_policies() -> None:
    """The published optimum of a team is 10; informed is the best reply to a convention."""
    best = {pair: max(worth(pair, reader) for reader in READERS) for pair in product(range(3), repeat=2)}
    assert max(best.values()) == MOST == 10
    for convention in SPEAKERS.values():
        assert find_ends(convention).informed == best[convention]


def test_no_plan_that_ignores_earlier_games_is_above_the_floor_of_all_conventions() -> None:
    floor = sum(find_ends(convention).floor for convention in SPEAKERS.values())
    assert (
        max(sum(worth(convention, reader) for convention in SPEAKERS.values()) for reader in READERS) == floor
    )


@for_each("mind", POLICIES)
def test_a_record_has_the_evidence_of_what_was_played(mind: str) -> None:
    for seed in range(6):
        record = play(mind, seed)
        games = read_games(record)
        assert games is not None
        paid = [
            PAYOFFS[deal.theirs][deal.own][one.signal][one.action] for deal, one in zip(*games, strict=True)
        ]
        assert record.total(EGO) == record.total(SPEAKER) == sum(paid)
        evidence = episode_evidence(record)
        assert isinstance(evidence, EpisodeEvidence)
        assert evidence == read_evidence(record)
        assert (evidence.answers, evidence.unread) == (24, 0)
        answers = [(asked.answer, asked.truth) for asked in record.asked]
        assert [truth for _, truth in answers] == [CARDS[deal.theirs] for deal in games[0]]


def test_who_knows_the_convention_is_always_right_and_earns_most() -> None:
    for seed in range(12):
        record = play("informed", seed)
        games = read_games(record)
        assert games is not None
        assert all(asked.answer == asked.truth for asked in record.asked)
        most = sum(max(PAYOFFS[deal.theirs][deal.own][one.signal]) for deal, one in zip(*games, strict=True))
        assert record.total(EGO) == most


@pytest.mark.parametrize("studies", depth(10, 200))
@pytest.mark.parametrize("mind", IGNORANT)
def test_ignorant_minds_show_no_knowledge(mind: str, studies: int) -> None:
    counts = count_verdicts(mind, 24, studies)
    shown = sum(counts[kind] for kind in KNOWLEDGE | {"plays better than it says"})
    assert shown <= 0.05 * studies, counts


def test_every_fixed_code_shows_no_knowledge() -> None:
    """A code says which card an action means, for each own card: all 64 of them, whose answers are at the floor together."""
    for code in product(range(2), repeat=6):

        def guess(own: int, signal: int, games: int, code: tuple[int, ...] = code) -> int:
            return code[3 * own + signal]

        verdict = judge_study(simulate_study(lambda rng, speaker, guess=guess: Guesser(rng, guess), 24))
        assert verdict.kind == "no evidence", code


@pytest.mark.parametrize("studies", depth(10, 200))
@for_each(
    "mind, kind",
    [
        ("informed", "uses"),
        ("bayes", "uses"),
        ("half_used", "uses in part"),
        ("acts_at_random", "does not use"),
        ("plays_blind", "does not use"),
    ],
)
def test_who_learns_the_convention_gets_the_verdict_that_fits_its_acts(
    studies: int, mind: str, kind: str
) -> None:
    counts = count_verdicts(mind, 24, studies)
    assert counts[kind] >= (0.7 if studies < 100 else 0.9) * studies, counts


@pytest.mark.parametrize("studies", depth(6, 60))
def test_the_unused_share_is_that_of_the_mind(studies: int) -> None:
    for use in (0.0, 0.25, 0.5, 0.75, 1.0):
        shares = [
            judge_study(
                simulate_study(lambda rng, _, use=use: Reader(rng, use), 36, seed=f"{use} {study}")
            ).unused.mean
            for study in range(studies)
        ]
        assert sum(share or 0.0 for share in shares) / studies == pytest.approx(1 - use, abs=0.06)


def test_a_choice_that_is_best_whatever_the_convention_is_no_use_of_it() -> None:
    """After green both cards pay the same: a study in which the speaker always chooses it has nothing to use."""
    for own in range(2):
        assert list_blind(own, 1) == [1]
        decisions = [
            Decision(deal.theirs, True, SPEAKERS["moon-red-sun-green"][deal.theirs], 0) for deal in DEALS
        ]
        greens = [deal for deal in DEALS if deal.theirs] * 3
        evidence = measure_games(
            "moon-red-sun-green", [*DEALS, *greens], [*decisions, *[Decision(1, True, 1, own)] * len(greens)]
        )
        assert isinstance(evidence, EpisodeEvidence)
        assert (evidence.literal, evidence.unused, evidence.reach) == (1.0, None, 0.0)


def test_unread_answers_are_missing_and_lost_games_are_wrong() -> None:
    speaker, rng = next(iter(SPEAKERS)), Random(0)
    deals = [DEALS[k % 4] for k in range(12)]
    reader = Reader(rng)
    decisions = []
    for deal in deals:
        signal = SPEAKERS[speaker][deal.theirs]
        decisions.append(
            Decision(reader.predict(deal.own, signal), True, signal, reader.choose(deal.own, signal))
        )
        reader.learn(deal.theirs, signal)
    whole = measure_games(speaker, deals, decisions)
    silent = measure_games(speaker, deals, [one._replace(word=None) for one in decisions])
    lost = measure_games(speaker, deals, decisions[:9], lost=True)
    assert isinstance(whole, EpisodeEvidence)
    assert isinstance(silent, EpisodeEvidence)
    assert isinstance(lost, EpisodeEvidence)
    assert (whole.literal, silent.unread, silent.reach) == (1.0, 12, whole.reach)
    assert lost.literal == 0.0, "three of six games right, three missing"
    assert (lost.functional or 0) < (whole.functional or 0)
    assert isinstance(measure_games(speaker, deals, []), Unknown)


def test_of_full_hanabi_there_is_no_verdict_and_it_says_why() -> None:
    place = scenario("hanabi-small-2p-mixed-v1", {})
    record, _ = play_now(Setup(place, {EGO: place.make("smart", {})}, 0))
    evidence = episode_evidence(record)
    assert isinstance(evidence, Unknown)
    assert "cannot be solved" in evidence.reason


def test_a_speaker_of_another_population_is_unknown() -> None:
    record = play("bayes")
    strange = replace(record, partners={SPEAKER: replace(record.partners[SPEAKER], name="moon-red-sun-red")})
    assert isinstance(read_evidence(strange), Unknown)


@for_each("games", [3, 101, True, 12.0])
def test_a_bad_number_of_games_is_refused(games: object) -> None:
    with pytest.raises(StudyError, match="games"):
        scenario(NAME, {"games": games})


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(StudyError, match="bayes"):
        ReaderMind("nobody")


def answer_as(learns: bool) -> Answer:
    """A server whose model names the card that the signal meant before, and acts on it; or always the first option."""
    listing = scripted()

    def answer(asked: Asked) -> Reply:
        if asked.path != "/v1/chat/completions":
            return listing(asked)
        prompt = "\n".join(message["content"] for message in asked.body["messages"])
        signal = re.findall(r"agent_1 chose (\w+)\.", prompt)
        shown = re.findall(r"agent_1 had (\w+)\.", prompt)
        means = dict(zip(signal, shown, strict=False)) if learns else {}
        card = means.get(signal[-1], "sun")
        if "Which card" in prompt[prompt.rindex("Game ") :]:
            return Reply(chat(Completion(f"A: Option {card}")))
        own = re.findall(r"You have (\w+)\.", prompt)[-1]
        row = re.search(rf"agent_1 has {card}, agent_0 has {own}:.*agent_1 {signal[-1]}: ([^;.]*)", prompt)
        assert row is not None, prompt
        pays = {action: int(points) for action, points in re.findall(r"(\w+) earns (\d+)", row[1])}
        return Reply(chat(Completion(f"A: Option {max(pays, key=lambda action: pays[action])}")))

    return answer


@for_each("learns, kind", [(True, "uses"), (False, "no evidence")])
def test_verdicts_of_scripted_models(learns: bool, kind: str) -> None:
    """From the prompts alone a model can learn the convention and find the best choice."""
    cell = {"scenarios": [NAME], "minds": ["qa@MODEL"], "episodes": 24}
    with TemporaryDirectory() as folder, serving(answer_as(learns)) as server:
        report = om.run([cell], Path(folder) / "run", models=f"openai:toy@{server.url}")
    (verdict,) = report.verdicts
    assert verdict.kind == kind, verdict.sentence
    assert (verdict.lost, verdict.unread) == (0, 0)


def test_a_blind_player_earns_the_mean_of_its_best_actions() -> None:
    assert pay_blindly(DEALS[0], 1) == 8
