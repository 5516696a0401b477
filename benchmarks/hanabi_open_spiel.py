"""Our rules of Hanabi against OpenSpiel's: the same games turn by turn, and the speed of both loops side by side.

Every turn compares the observations of all seats, the legal actions, whose turn it is, the end and the returns, in games
of all sizes and numbers of players that are played in five ways. The speed is that of random games stepped from Python;
batches alternate on one core, and the ratio is the median of batch ratios. ``--write FILE`` also records games for
``tests/data/hanabi/open_spiel.json``.

Needs OpenSpiel, of ``requirements/benchmarks.txt``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

from common import arguments, finish, show

from otherminds.hanabi.rules import Rules, Table, size_rules
from otherminds.hanabi.tiny.game import DEALS, MOST, PAYOFFS, SPEAKERS, find_ends

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.hanabi.open_spiel_text import digest, list_games, write_observation

RECORDED_EACH = 2


def load_game(rules: Rules) -> Any:
    """OpenSpiel's game of the same size."""
    import pyspiel

    return pyspiel.load_game(
        "hanabi",
        {
            "players": rules.players,
            "colors": rules.colours,
            "ranks": rules.ranks,
            "hand_size": rules.hand,
            "max_information_tokens": rules.information,
            "max_life_tokens": rules.lives,
        },
    )


def compare(rules: Rules, seed: int, choose: Callable[[Table, Random], int]) -> dict[str, Any]:
    """Plays one game on both sides, and returns it for a recording.

    Raises:
        AssertionError: they differ.
    """
    rng = Random(seed)
    table = Table(rules, rules.shuffle(rng))
    game = load_game(rules)
    state, dealt = game.new_initial_state(), 0
    assert game.num_distinct_actions() == rules.actions
    turns: list[Any] = []
    actions: list[int] = []
    while True:
        while state.is_chance_node():
            assert table.deck[dealt] in dict(state.chance_outcomes())
            state.apply_action(table.deck[dealt])
            dealt += 1
        assert state.is_terminal() == table.ended
        if table.ended:
            break
        seats = range(rules.players)
        theirs = (
            state.current_player(),
            state.legal_actions(),
            [state.observation_string(p).rstrip() for p in seats],
        )
        ours = table.player, table.list_legal(), [write_observation(table, p).rstrip() for p in seats]
        assert theirs == ours, (rules, seed, theirs, ours)
        turns.append((*ours[:2], [write_observation(table, p) for p in seats]))
        actions.append(choose(table, rng))
        table.act(actions[-1])
        state.apply_action(actions[-1])
    assert state.returns() == [table.score] * rules.players
    size = (rules.players, rules.colours, rules.ranks, rules.hand, rules.information, rules.lives)
    return {
        "rules": size,
        "deck": table.deck,
        "actions": actions,
        "score": table.score,
        "digest": digest(turns),
    }


def compare_tiny() -> int:
    """Compares the worth of every pair of pure policies of tiny Hanabi with OpenSpiel's; returns their number.

    Raises:
        AssertionError: a worth, the best team, or the best reply to a convention differs.
    """
    import pyspiel

    game = pyspiel.load_game("tiny_hanabi")
    returns = {}
    for deal in DEALS:
        for signal, action in product(range(3), repeat=2):
            state = game.new_initial_state()
            for move in (*deal, signal, action):
                state.apply_action(move)
            assert state.returns() == [PAYOFFS[deal.theirs][deal.own][signal][action]] * 2
            returns[deal, signal, action] = state.returns()[0]
    best: dict[tuple[int, ...], float] = {}
    pairs = 0
    for convention in product(range(3), repeat=2):
        for reader in product(range(3), repeat=6):
            worth = sum(
                returns[deal, signal := convention[deal.theirs], reader[3 * deal.own + signal]]
                for deal in DEALS
            )
            best[convention] = max(best.get(convention, 0.0), worth / len(DEALS))
            pairs += 1
    for convention in SPEAKERS.values():
        assert best[convention] == find_ends(convention).informed
    assert max(best.values()) == MOST
    return pairs


def play_ours(rules: Rules, games: int) -> int:
    """Random games; returns the number of turns."""
    rng, turns = Random(0), 0
    for _ in range(games):
        table = Table(rules, rules.shuffle(rng))
        while not table.ended:
            table.act(rng.choice(table.list_legal()))
        turns += len(table.moves)
    return turns


def play_theirs(rules: Rules, games: int) -> int:
    """The same with OpenSpiel: chance nodes are drawn by their probabilities, as its examples do."""
    game, rng, turns = load_game(rules), Random(0), 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                turns += 1
    return turns


def rate(play: Callable[[Rules, int], int], rules: Rules, games: int) -> float:
    """Turns a second of processor time."""
    started = process_time()
    return play(rules, games) / (process_time() - started)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--each", type=int, default=50, help="games of each size, number of players and way to play"
    )
    parser.add_argument("--games", type=int, default=150, help="games a batch for the speed (default 150)")
    parser.add_argument("--batches", type=int, default=7, help="batches of each (default 7)")
    parser.add_argument("--write", metavar="FILE", help="record games for the tests")
    options = parser.parse_args()
    if find_spec("pyspiel") is None:
        raise SystemExit("install requirements/benchmarks.txt first: it has OpenSpiel")
    if options.write:
        lines = [json.dumps(compare(*game), separators=(",", ":")) for game in list_games(RECORDED_EACH)]
        Path(options.write).write_text("[\n" + ",\n".join(lines) + "\n]\n")
    compared = [compare(*game) for game in list_games(options.each, options.seed)]
    turns = sum(len(game["actions"]) for game in compared)
    observations = sum(len(game["actions"]) * game["rules"][0] for game in compared)
    print(f"{len(compared):,} games, {turns:,} turns, {observations:,} observations: all equal")
    print(
        f"tiny Hanabi: {compare_tiny():,} pairs of pure policies, all worths equal, the best team earns {MOST}"
    )
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows, figures = [], {"games": len(compared), "turns": turns, "observations": observations}
    for players in (2, 5):
        rules = size_rules("full", players)
        rates = [
            [rate(play, rules, options.games) for play in (play_ours, play_theirs)]
            for _ in range(options.batches)
        ]
        ours, theirs = (median(column) for column in zip(*rates, strict=True))
        ratio = median(one / other for one, other in rates)
        rows.append((players, f"{ours:,.0f}", f"{theirs:,.0f}", f"{ratio:.2f} x"))
        figures[f"ratio_{players}_players"] = ratio
    show("random full games, turns a second on one core", ("players", "ours", "OpenSpiel", "ratio"), rows)
    finish(options, figures, ("open_spiel",))


if __name__ == "__main__":
    main()
