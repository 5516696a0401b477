"""Encounters: verdicts of minds of known nature over many studies, and encounters a second.

    python benchmarks/acted_beliefs.py --studies 100

Studies have 12 episodes of each type. Rates are of one core at the level of decisions, with what each mind computes; the played
engine, which language models read, is measured apart."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random
from time import perf_counter

from otherminds.household.acted_beliefs.contexts import EGO
from otherminds.household.acted_beliefs.evidence import keep_order
from otherminds.household.acted_beliefs.exact import EncounterTables, tabulate
from otherminds.household.acted_beliefs.minds import IGNORANT, POLICIES, play_encounters, simulate_study
from otherminds.household.acted_beliefs.partner_types import POPULATIONS
from otherminds.household.acted_beliefs.played import play_context
from otherminds.household.acted_beliefs.stage_games import GAMES
from otherminds.household.acted_beliefs.words import tell_context
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.registry import Unknown
from otherminds.measures.scenario_evidence import gather_evidence
from otherminds.measures.verdict import KNOWLEDGE, Kind, judge

ENCOUNTERS = 12
SHORT: dict[Kind, str] = {
    "uses": "uses",
    "uses in part": "in part",
    "does not use": "not used",
    "plays better than it says": "plays better",
    "no evidence": "no evidence",
    "undecided": "undecided",
    "not measured": "not measured",
    "no choice": "no choice",
}


def judge_orders(tables: EncounterTables, mind: str, episodes: int, seed: int) -> Iterator[tuple[int, Kind]]:
    """The verdict on each order of one study, and on all orders together (0)."""
    evidences = simulate_study(tables, POLICIES[mind], episodes, ENCOUNTERS, f"{mind} {seed}")
    by_order: dict[int, list[EpisodeEvidence | Unknown]] = {0: list(evidences)}
    orders = {name: kind.order for name, kind in zip(tables.names, tables.types, strict=True)}
    for evidence in evidences:
        if isinstance(evidence, EpisodeEvidence) and (order := orders[evidence.partner]):
            by_order.setdefault(order, []).append(keep_order(tables, evidence))
    for order, kept in by_order.items():
        yield order, judge({"mind": [gather_evidence("encounters", False, len(kept), kept)]})["mind"].kind


def print_verdicts(studies: int) -> None:
    """Over all stage games: what each mind gets in each population, and on each order."""
    for population, types in POPULATIONS.items():
        episodes = 12 * len(types)
        print(f"\n{population}: {studies} studies of {episodes} episodes in each of {len(GAMES)} games, %")
        for mind in POLICIES:
            counts: dict[int, Counter[Kind]] = {}
            for game in GAMES:
                tables = tabulate(game, population, 3, 0.0)
                for seed in range(studies):
                    for order, kind in judge_orders(tables, mind, episodes, seed):
                        counts.setdefault(order, Counter())[kind] += 1
            cells = [
                f"{'all' if not order else f'order {order}'}: "
                + ", ".join(f"{SHORT[kind]} {100 * n / count.total():.1f}" for kind, n in count.most_common())
                for order, count in sorted(counts.items())
            ]
            print(f"  {mind:15} {'; '.join(cells)}")
            if mind in IGNORANT:
                shown = sum(
                    n
                    for count in counts.values()
                    for kind, n in count.items()
                    if kind in (*KNOWLEDGE, "plays better than it says")
                )
                print(
                    f"  {'':15} of knowledge: {100 * shown / sum(count.total() for count in counts.values()):.2f} %"
                )


def print_rates(episodes: int) -> None:
    """Encounters a second for each mind, and as they are played and told."""
    print("\nencounters a second, one core")
    for game, population in (("meet", "first"), ("meet", "second"), ("screen", "all")):
        tables = tabulate(game, population, 3, 0.0)
        rng = Random(0)
        drawn = [tables.draw(rng, ENCOUNTERS) for _ in range(episodes)]
        for context in {context for contexts in drawn for context in contexts}:
            tables.read(context)
        rates: list[str] = []
        for mind, make in POLICIES.items():
            start = perf_counter()
            for number, contexts in enumerate(drawn):
                partner = number % len(tables.types)
                play_encounters(tables, make(tables, partner, rng), contexts, partner, rng)
            rates.append(f"{mind} {episodes * ENCOUNTERS / (perf_counter() - start):,.0f}")
        print(f"  {game}-{population}: {', '.join(rates)}")
    contexts = list({context for contexts in drawn for context in contexts})[:500]
    play_context.cache_clear()
    start = perf_counter()
    for context in contexts:
        list(tell_context(context, EGO))
    print(f"  played in the engine and told: {len(contexts) / (perf_counter() - start):,.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=20, help="studies of each mind, game and population")
    parser.add_argument("--episodes", type=int, default=1000, help="episodes of each measurement of speed")
    options = parser.parse_args()
    print_rates(options.episodes)
    print_verdicts(options.studies)


if __name__ == "__main__":
    main()
