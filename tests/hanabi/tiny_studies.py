"""Studies of tiny Hanabi at the level of decisions, and their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

from otherminds.core.encoding import stream
from otherminds.hanabi.tiny.evidence import Decision, measure_games
from otherminds.hanabi.tiny.game import SPEAKERS, Deal
from otherminds.hanabi.tiny.minds import POLICIES, Reader
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.registry import Unknown
from otherminds.measures.scenario_evidence import gather_evidence
from otherminds.measures.verdict import Verdict, judge

Maker = Callable[[Random, str], Reader]


def play_games(reader: Reader, speaker: str, deals: list[Deal]) -> list[Decision]:
    """The games of an episode."""
    decisions: list[Decision] = []
    for deal in deals:
        signal = SPEAKERS[speaker][deal.theirs]
        decisions.append(
            Decision(reader.predict(deal.own, signal), True, signal, reader.choose(deal.own, signal))
        )
        reader.learn(deal.theirs, signal)
    return decisions


def simulate_study(
    make: Maker, episodes: int, games: int = 24, seed: object = 0
) -> list[EpisodeEvidence | Unknown]:
    """The evidence of ``episodes`` episodes of one policy, with each speaker equally often."""
    gathered: list[EpisodeEvidence | Unknown] = []
    names = [*SPEAKERS]
    for episode in range(episodes):
        rng = stream(episode, f"tiny {seed}")
        speaker = names[episode % len(names)]
        deals = [Deal(rng.randrange(2), rng.randrange(2)) for _ in range(games)]
        decisions = play_games(make(rng, speaker), speaker, deals)
        gathered.append(measure_games(speaker, deals, decisions, design=str(episode)))
    return gathered


def judge_study(evidences: list[EpisodeEvidence | Unknown]) -> Verdict:
    """The verdict on one mind."""
    return judge({"mind": [gather_evidence("tiny_hanabi", False, len(evidences), evidences)]})["mind"]


def count_verdicts(make: Maker | str, episodes: int, studies: int) -> Counter[str]:
    """The verdicts of many studies of one policy."""
    maker = POLICIES[make] if isinstance(make, str) else make
    return Counter(
        judge_study(simulate_study(maker, episodes, seed=f"{make} {study}")).kind for study in range(studies)
    )
