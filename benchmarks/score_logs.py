"""What `otherminds score` says of logs whose partners are known: benchmarks/results/logs.md.

Histories are those of the automata of Axelrod-Python's strategies that the project ships (docs/axelrod.md). Their exact ends of F
are computed by `games.best_response` and `games.blind`, which share no code with the scores of logs."""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from otherminds.core.data import Automaton, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.games.automata import deterministic
from otherminds.games.best_response import best_response
from otherminds.games.blind import blind_value
from otherminds.matrix.axelrod import table
from otherminds.matrix.logs.episodes import SILENT, LoggedEpisode, axelrod_game, pay, read_log
from otherminds.matrix.logs.explanations import STATES, explain_play
from otherminds.matrix.logs.player_scores import LEAST_ROOM, PlayerScore, score_logs

Player = Callable[[list[int], list[int]], int]
"""Its own acts and the other's so far; the next act."""
HEADS = [
    "Interaction index",
    "Player index",
    "Opponent index",
    "Repetition",
    "Player name",
    "Opponent name",
    "Actions",
]


def play_automaton(automaton: Automaton, rng: Random) -> Player:
    def choose(own: list[int], other: list[int]) -> int:
        state = automaton.start
        for a, b in zip(own, other, strict=True):
            state = automaton.next[state][a][b]
        return rng.choices((0, 1), automaton.output[state])[0]

    return choose


def play_at_random(rng: Random) -> Player:
    return lambda own, other: rng.randrange(2)


def play_match(
    player: Player, partner: Automaton, rounds: int, rng: Random, noise: float = 0.0
) -> tuple[list[int], list[int]]:
    own: list[int] = []
    other: list[int] = []
    state = partner.start
    for _ in range(rounds):
        a = player(own, other)
        b = rng.choices((0, 1), partner.output[state])[0]
        b = 1 - b if rng.random() < noise else b
        own.append(a)
        other.append(b)
        state = partner.next[state][b][a]
    return own, other


def log_match(name: str, partner: str, own: list[int], other: list[int]) -> LoggedEpisode:
    acts = np.array(own, np.int8), np.array(other, np.int8)
    silent = np.full(len(own), SILENT, np.int8)
    return LoggedEpisode(axelrod_game(), (name, partner), acts, pay(axelrod_game(), *acts), (silent, silent))


def small_automata() -> dict[str, Automaton]:
    """The strategies that are deterministic automata of at most three states."""
    return {
        name: automaton
        for name, automaton in table().automata.items()
        if deterministic(automaton) and len(automaton.output) <= STATES
    }


def recover(seed: int) -> None:
    """Every strategy by its play against a random player: is it explained, by how many, and is it among them?"""
    print("recovery: strategies of at most 3 states (small) and all others")
    print(
        "episodes x rounds  noise  small: explained  it is among them  one alone and whole  others: explained"
    )
    small = small_automata()
    for episodes, rounds, noise in (
        (1, 10, 0.0),
        (1, 50, 0.0),
        (1, 200, 0.0),
        (10, 100, 0.0),
        (10, 100, 0.01),
        (10, 100, 0.03),
    ):
        explained = among = alone = others = 0
        for k, (name, automaton) in enumerate(table().automata.items()):
            rng = Random(f"{seed}-{k}-{episodes}-{rounds}-{noise}")
            plays = []
            for _ in range(episodes):
                own, other = play_match(play_at_random(rng), automaton, rounds, rng, noise)
                plays.append((np.array(other, np.int8), np.array(own, np.int8)))
            explanation, _ = explain_play(plays, 2, 2)
            if name not in small:
                others += explanation is not None
            elif explanation is not None:
                explained += 1
                among += any(one.agrees(automaton) for one in explanation.automata)
                first = explanation.automata[0]
                alone += len(explanation.automata) == 1 and first.whole and first.agrees(automaton)
        print(
            f"{episodes} x {rounds}  {noise}  {explained}/{len(small)}  {among}/{len(small)}  {alone}/{len(small)}  "
            f"{others}/{len(table().automata) - len(small)}"
        )


def exact_functional(
    episodes: Sequence[LoggedEpisode], partners: dict[str, Automaton]
) -> tuple[float, float] | None:
    """F and regret a round by the partners' own automata, as many episodes with each; F is ``None`` without room."""
    game, rounds = axelrod_game(), len(episodes[0].acts[0])
    met = [partners[episode.players[1]] for episode in episodes]
    family = tuple(WeightedPolicy(1 / len(met), automaton) for automaton in met)
    informed = sum(best_response(game, automaton, rounds).value for automaton in met)
    blind = blind_value(game, family, rounds) * len(met)
    earned = sum(float(episode.rewards[0].sum()) for episode in episodes)
    if informed - blind < LEAST_ROOM * 5 * rounds * len(met):
        return None
    return (earned - blind) / (informed - blind), (informed - earned) / rounds / len(met)


def cover(trials: int, seed: int) -> None:
    """How often the bounds hold the exact F and regret, and how wide they are, by rounds and kind of player."""
    small, every = small_automata(), table().automata

    def play_plan(rng: Random, partner: Automaton, rounds: int) -> Player:
        plan = [rng.randrange(2) for _ in range(rounds)]
        return lambda own, other: plan[len(own)]

    kinds: dict[str, Callable[[Random, Automaton, int], Player]] = {
        "strategies": lambda rng, partner, rounds: play_automaton(every[rng.choice(list(every))], rng),
        "fixed": play_plan,
        "random": lambda rng, partner, rounds: play_at_random(rng),
        "informed": lambda rng, partner, rounds: follow_best_response(partner, rounds),
    }
    print(
        "player  rounds  scored  F inside  regret inside  mean width of F (median)  F above 0 shown  F below 1 shown"
    )
    for kind, make in kinds.items():
        for rounds in (5, 10, 20, 50, 100):
            scored = inside = regrets = above = below = regret_scored = 0
            widths: list[float] = []
            for trial in range(trials):
                rng = Random(f"{seed}-{kind}-{rounds}-{trial}")
                names = rng.sample(list(small), rng.randint(2, 5))
                state, plan = rng.getstate(), None
                episodes = []
                for name in names:
                    if kind == "fixed":  # the same plan against every partner
                        rng.setstate(state)
                    plan = make(rng, small[name], rounds)
                    own, other = play_match(plan, small[name], rounds, rng)
                    episodes.append(log_match("player", name, own, other))
                score = next(one for one in score_logs(episodes).players if one.player == "player")
                explained = explained_by_log(episodes)
                truth = (
                    exact_functional([e for e in episodes if e.players[1] in explained], small)
                    if explained
                    else None
                )
                if truth is None or score.regret is None:
                    continue
                regret_scored += 1
                regrets += score.regret.low - 1e-9 <= truth[1] <= score.regret.high + 1e-9
                scored += 1
                if score.functional is None:
                    continue
                inside += score.functional.low - 1e-9 <= truth[0] <= score.functional.high + 1e-9
                widths.append(score.functional.high - score.functional.low)
                above += score.functional.low > 1e-9
                below += score.functional.high < 1 - 1e-9
            print(
                f"{kind}  {rounds}  {scored}  {inside}/{scored}  {regrets}/{regret_scored}  "
                f"{np.mean(widths) if widths else 0:.2f} ({np.median(widths) if widths else 0:.2f})  {above}  {below}"
            )


def meet_larger(trials: int, seed: int) -> None:
    """How often the bounds hold where a partner of more than three states is explained all the same."""
    every = {name: automaton for name, automaton in table().automata.items() if deterministic(automaton)}
    small = small_automata()
    larger = [name for name in every if name not in small]
    print("rounds  episodes a partner  logs with such a partner, of all  F inside  regret inside")
    for rounds, repetitions in ((20, 1), (20, 10), (100, 1), (100, 10)):
        scored = inside = regrets = 0
        for trial in range(trials):
            rng = Random(f"{seed}-larger-{rounds}-{repetitions}-{trial}")
            names = [*rng.sample(list(small), 1), *rng.sample(larger, 2)]
            episodes = [
                log_match("player", name, *play_match(play_at_random(rng), every[name], rounds, rng))
                for name in names
                for _ in range(repetitions)
            ]
            explained = explained_by_log(episodes)
            score = next(player for player in score_logs(episodes).players if player.player == "player")
            if explained.isdisjoint(larger) or score.functional is None or score.regret is None:
                continue
            try:
                truth = exact_functional([e for e in episodes if e.players[1] in explained], every)
            except WorldError:  # the exact blind plan has too many situations
                continue
            if truth is not None:
                scored += 1
                inside += score.functional.low - 1e-9 <= truth[0] <= score.functional.high + 1e-9
                regrets += score.regret.low - 1e-9 <= truth[1] <= score.regret.high + 1e-9
        print(f"{rounds}  {repetitions}  {scored} of {trials}  {inside}  {regrets}")


def explained_by_log(episodes: Sequence[LoggedEpisode]) -> set[str]:
    return {
        finding.partner
        for finding in score_logs(episodes).partners
        if finding.automata and finding.partner != "player"
    }


def follow_best_response(partner: Automaton, rounds: int) -> Player:
    plan = best_response(axelrod_game(), partner, rounds)

    def choose(own: list[int], other: list[int]) -> int:
        state = partner.start
        for a, b in zip(own, other, strict=True):
            state = partner.next[state][b][a]
        return plan.act(len(own), state)

    return choose


def write_tournament(path: Path, names: Sequence[str], rounds: int, repetitions: int, seed: int) -> int:
    """A tournament in the format of Axelrod-Python, every pair; the number of matches."""
    rng = Random(seed)
    number = 0
    with path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(HEADS)
        for i, first in enumerate(names):
            for j in range(i, len(names)):
                for repetition in range(repetitions):
                    own, other = play_pair(table().automata[first], table().automata[names[j]], rounds, rng)
                    for (x, y), acts in (((i, j), own), ((j, i), other)):
                        text = "".join("CD"[act] for act in acts)
                        rows.writerow([number, x, y, repetition, names[x], names[y], text])
                    number += 1
    return number


def play_pair(first: Automaton, second: Automaton, rounds: int, rng: Random) -> tuple[list[int], list[int]]:
    own: list[int] = []
    other: list[int] = []
    x, y = first.start, second.start
    for _ in range(rounds):
        a = rng.choices((0, 1), first.output[x])[0]
        b = rng.choices((0, 1), second.output[y])[0]
        own.append(a)
        other.append(b)
        x, y = first.next[x][a][b], second.next[y][b][a]
    return own, other


def time_scores(seed: int) -> None:
    """The time for 10,000 matches or more, read from a file."""
    small = list(small_automata())
    for title, names, repetitions in (
        ("strategies of at most 3 states", small, 24),
        ("all automata", list(table().automata), 2),
    ):
        with TemporaryDirectory() as folder:
            path = Path(folder, "interactions.csv")
            matches = write_tournament(path, names, 100, repetitions, seed)
            begin, busy = time.perf_counter(), time.process_time()
            scores = score_logs(read_log(path))
            print(
                f"{title}: {matches} matches of 100 rounds, {len(scores.players)} players, "
                f"{sum(one.automata > 0 for one in scores.partners)} partners explained: "
                f"{time.perf_counter() - begin:.1f} s, {time.process_time() - busy:.1f} s of processor time"
            )
            if title != "all automata":
                show(scores.players)


def show(players: Sequence[PlayerScore]) -> None:
    for score in players:
        if score.player in {"TitForTat", "Defector", "Cooperator", "WinStayLoseShift"} and score.functional:
            print(f"  {score.player}: F [{score.functional.low:.2f}, {score.functional.high:.2f}]")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("recovery", "bounds", "larger", "speed"))
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.part == "recovery":
        recover(given.seed)
    elif given.part == "bounds":
        cover(given.trials, given.seed)
    elif given.part == "larger":
        meet_larger(given.trials, given.seed)
    else:
        time_scores(given.seed)
