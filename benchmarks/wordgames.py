"""Word games: how far boards tell partners apart, and the verdicts of minds of known nature over many studies.

    python benchmarks/wordgames.py --studies 8 [GAME ...]
    python benchmarks/wordgames.py --run runs/wordgames    # one verdict for each scenario of `otherminds run wordgames`

A study has 24 episodes of 24 rounds, played at the level of moves. All values but those of studies are exact for the deck."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from statistics import fmean

import otherminds as om
from otherminds.core.encoding import stream
from otherminds.measures.evidence import INFORMATIVE, EpisodeEvidence, episode_evidence
from otherminds.measures.intervals import Estimate
from otherminds.measures.registry import Unknown
from otherminds.measures.scenario_evidence import gather_evidence
from otherminds.measures.verdict import Verdict, judge
from otherminds.wordgames.exact import GameTables, PartnerModels
from otherminds.wordgames.game import EGO
from otherminds.wordgames.minds import POLICIES
from otherminds.wordgames.partners import POPULATIONS
from otherminds.wordgames.rules import GAMES, tabulate

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.wordgames.studies import play_rounds, simulate_study

WIDEST = 3.0
"""An interval of the unused share that is wider says nothing."""
EPISODES = ROUNDS = 24
SLIP = 0.05
AFTER = (3, 6, 12)
"""The rounds after which it is counted how often the partner is known."""
STRANGERS_MINDS = ("bayes", "familiar", "half_used", "acts_at_random", "blind", "coin")


def print_boards(tables: GameTables, population: str) -> None:
    """How often associations differ, what knowing the partner gains, and how soon it can be known."""
    ends = tables.ends
    apart = fmean(measure_difference(tables, board.words) for board in tables.deck)
    informed, blind, answers = (
        float(tables.weights @ values) for values in (ends.informed, ends.blind, ends.answers)
    )
    shares = " | ".join(f"{share:.0%}" for share in count_known(tables))
    print(
        f"| {tables.game.name} | {population} | {apart:.0%} | {answers:.2f} | {blind:.2f} | {informed:.2f} | {shares} |",
        flush=True,
    )


def measure_difference(tables: GameTables, words: tuple[int, ...]) -> float:
    """The share of answers in which two associations differ."""
    first = [tables.groups.index(group) for group in dict.fromkeys(tables.groups)]
    answers = [
        [
            answer
            for moves in tables.list_openings()
            for answer in tables.game.describe_partner(tables.listeners[i], words, moves)
        ]
        for i in first
    ]
    pairs = [(one, other) for n, one in enumerate(answers) for other in answers[:n]]
    return fmean(a != b for one, other in pairs for a, b in zip(one, other, strict=True))


def count_known(tables: GameTables, episodes: int = 120) -> list[float]:
    """The share of episodes in which the posterior of one type is .9 after some rounds, whatever ego does."""
    counts = Counter[int]()
    for episode in range(episodes):
        rng, partner = stream(episode, "known partners"), episode % len(tables.names)
        boards = tables.draw(rng, max(AFTER))
        models = PartnerModels(tables, tables.weights)
        rounds = play_rounds(tables, POLICIES["coin"](tables, partner, rng), boards, partner, rng)
        for number, (board, played) in enumerate(zip(boards, rounds, strict=True), 1):
            models.learn(board, played.moves)
            counts[number] += float(models.weights.max()) >= INFORMATIVE
    return [counts[number] / episodes for number in AFTER]


def judge_study(tables: GameTables, mind: str, study: int) -> Verdict:
    """The verdict of one study."""
    evidence = simulate_study(tables, POLICIES[mind], EPISODES, ROUNDS, f"{mind} {study}")
    return judge({mind: [gather_evidence(tables.game.name, False, EPISODES, evidence)]})[mind]


def print_verdicts(tables: GameTables, population: str, minds: tuple[str, ...], studies: int) -> None:
    """What each mind gets: verdicts in %, and the means of L, the unused share and F."""
    for mind in minds:
        verdicts = [judge_study(tables, mind, study) for study in range(studies)]
        counts = Counter(verdict.words for verdict in verdicts)
        kinds = ", ".join(f"{words} {100 * count / studies:.0f}" for words, count in counts.most_common())
        means: list[str] = []
        for name in ("literal", "unused", "functional"):
            values = [getattr(verdict, name).mean for verdict in verdicts]
            values = [value for value in values if value is not None]
            means.append(f"{round(fmean(values), 2) + 0.0:.2f}" if values else "–")
        print(f"| {tables.game.name} | {population} | {mind} | {kinds} | {' | '.join(means)} |", flush=True)


def print_run(folder: Path) -> None:
    """The verdict of each mind in each scenario of a run, with one-sided 95 % bounds."""
    evidence: dict[tuple[str, str], list[EpisodeEvidence | Unknown]] = {}
    for record in om.records(folder):
        key = record.spec.scenario, record.spec.seats[EGO].title
        evidence.setdefault(key, []).append(episode_evidence(record))
    for (scenario, mind), episodes in evidence.items():
        verdict = judge({mind: [gather_evidence(scenario, False, len(episodes), episodes)]})[mind]
        cells = (write_estimate(getattr(verdict, name)) for name in ("literal", "unused", "functional"))
        print(f"| {scenario} | {mind} | {verdict.words} | {' | '.join(cells)} |", flush=True)


def write_estimate(estimate: Estimate) -> str:
    """The mean between its bounds; a dash where there is none, or where nothing bounds it."""
    if (
        estimate.mean is None
        or estimate.low is None
        or estimate.high is None
        or estimate.high - estimate.low > WIDEST
    ):
        return "–"
    mean, low, high = (round(value, 2) + 0.0 for value in (estimate.mean, estimate.low, estimate.high))
    return f"{mean:.2f} [{low:.2f}, {high:.2f}]"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--studies", type=int, default=8)
    parser.add_argument("--run", type=Path)
    chosen = parser.parse_args()
    if chosen.run is not None:
        print_run(chosen.run)
        return
    for population in POPULATIONS:
        for game in chosen.games or GAMES:
            tables = tabulate(game, population, SLIP)
            print_boards(tables, population)
            minds = tuple(POLICIES) if population == "mixed" else STRANGERS_MINDS
            print_verdicts(tables, population, minds, chosen.studies)


if __name__ == "__main__":
    main()
