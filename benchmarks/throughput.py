"""Rounds a second on one core, side by side in one run with Axelrod-Python and OpenSpiel.

Ours: hundred-round IPD episodes through the one loop, records kept: two scripted
seats (tit-for-tat against a cooperator), and the same with a question a round.
Theirs: ``axelrod.Match`` of the same two strategies, and OpenSpiel's
``repeated_game`` with fixed actions stepped from Python. Batches alternate, so
that all four meet the same noise; the ratios are medians of batch ratios.

Needs the packages of ``requirements/benchmarks.txt``.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from time import perf_counter

from common import arguments, finish, show

from otherminds import Record
from otherminds.core.data import Question
from otherminds.core.encoding import encode
from otherminds.core.scenario import Setup, scenario
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton, games
from otherminds.play.loop import play_now

ROUNDS = 100


class Cooperator(AutomatonPlayer):
    """Always cooperates, and says that its partner does."""

    async def answer(self, question: Question) -> str:
        return "cooperate"


def ours(matches: int, ask: bool) -> list[Record]:
    """Plays ``matches`` episodes and keeps their records."""
    built = scenario("ipd-tit_for_tat-v1", {"rounds": ROUNDS})
    always = automaton("single", games.get("ipd")(), ROUNDS, {})
    return [play_now(Setup(built, {"ego": Cooperator(always)}, seed, ask=ask))[0] for seed in range(matches)]


def axelrod_matches(matches: int) -> None:
    """Plays the same matches with Axelrod-Python, whose matches keep their histories."""
    import axelrod

    for seed in range(matches):
        axelrod.Match((axelrod.TitForTat(), axelrod.Cooperator()), turns=ROUNDS, seed=seed).play()


def open_spiel_games(matches: int) -> None:
    """Steps OpenSpiel's repeated Prisoner's Dilemma with fixed actions."""
    import pyspiel

    stage = pyspiel.load_game("matrix_pd")
    game = pyspiel.create_repeated_game(stage, {"num_repetitions": ROUNDS})
    for _ in range(matches):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_actions([0, 0])


def rate(play: Callable[[], object], matches: int) -> float:
    """Rounds a second of one batch."""
    gc.collect()
    started = perf_counter()
    kept = play()
    seconds = perf_counter() - started
    del kept
    return matches * ROUNDS / seconds


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--matches", type=int, default=300, help="matches a batch (default 300)")
    parser.add_argument("--batches", type=int, default=7, help="batches of each (default 7)")
    options = parser.parse_args()
    if find_spec("axelrod") is None or find_spec("pyspiel") is None:
        raise SystemExit("install requirements/benchmarks.txt first: it has Axelrod-Python and OpenSpiel")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    n = options.matches
    kinds: dict[str, Callable[[], object]] = {
        "otherminds, two scripted seats": lambda: ours(n, ask=False),
        "otherminds, a question a round": lambda: ours(n, ask=True),
        "Axelrod-Python": lambda: axelrod_matches(n),
        "OpenSpiel": lambda: open_spiel_games(n),
    }
    for play in kinds.values():
        play()
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(options.batches):
        for name, play in kinds.items():
            rates[name].append(rate(play, n))
    records = ours(n, ask=True)
    started = perf_counter()
    size = sum(len(encode(record)) for record in records) / n
    encoding = n * ROUNDS / (perf_counter() - started)
    rows = []
    figures: dict[str, object] = {}
    for name, found in rates.items():
        ratio = median(x / y for x, y in zip(found, rates["Axelrod-Python"], strict=True))
        rows.append(
            (name, f"{median(found):,.0f}", f"{min(found):,.0f} to {max(found):,.0f}", f"{ratio:.2f} x")
        )
        figures[name] = {"rounds_per_second": median(found), "times_axelrod": ratio}
    show(
        f"{ROUNDS}-round matches on one core, {options.batches} batches of {n}",
        ("", "rounds/s (median)", "range", "against Axelrod"),
        rows,
    )
    print(f"writing records as JSON: {encoding:,.0f} rounds/s on top; {size / 1000:.1f} kB a record")
    figures["encoding_rounds_per_second"], figures["bytes_per_record"] = encoding, size
    finish(options, figures, ("axelrod", "open_spiel"))
    scripted, asked = (
        median(rates[name]) for name in ("otherminds, two scripted seats", "otherminds, a question a round")
    )
    sys.exit(scripted < median(rates["Axelrod-Python"]) or asked < 100_000)


if __name__ == "__main__":
    main()
