"""Scores of the conventions of Hanabi among themselves, beside the published ones, and their cross-play with two players.

Published means are those of the README of https://github.com/Quuxplusone/Hanabi (commit 369b531), which counts the points
on the table even after the last life is lost. The last column has the score of the Hanabi Learning Environment, which is 0 then.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev
from time import perf_counter

from common import arguments, finish, show

from otherminds.hanabi.conventions.convention import conventions, play_conventions
from otherminds.hanabi.rules import size_rules

PUBLISHED = {
    "simple": (16.92, 18.48, 19.32, 18.50),
    "holmes": (20.75, 20.86, 20.46, 18.40),
    "smart": (23.09, 23.30, 22.44, 20.69),
}


def play(names: Sequence[str], games: int, seed: int) -> dict[str, float]:
    """Mean points with their standard error, mean score, and the share of perfect games."""
    rules = size_rules("full", len(names))
    tables = [play_conventions(names, rules, seed + game) for game in range(games)]
    points = [table.points for table in tables]
    return {
        "points": mean(points),
        "se": stdev(points) / games**0.5,
        "score": mean(table.score for table in tables),
        "perfect": points.count(rules.best) / games,
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--games", type=int, default=10_000, help="games of each convention (default 10,000)")
    parser.add_argument("--cross", type=int, default=500, help="games of each pair (default 500)")
    parser.add_argument("--only", nargs="*", help="these conventions alone")
    options = parser.parse_args()
    names = options.only or list(conventions)
    rows, figures = [], {}
    for name in names:
        for place, players in enumerate(range(2, 6)):
            started = perf_counter()
            figure = figures[f"{name}_{players}"] = play([name] * players, options.games, options.seed)
            published = PUBLISHED[name][place] if name in PUBLISHED else None
            away = (figure["points"] - published) / figure["se"] if published is not None else None
            row = (
                name,
                players,
                f"{figure['points']:.3f} ± {figure['se']:.3f}",
                "" if published is None else f"{published:.2f}",
                "" if away is None else f"{away:+.1f} SE",
                f"{figure['score']:.2f}",
                f"{100 * figure['perfect']:.2f} %",
            )
            print(*row, f"{perf_counter() - started:.0f} s", sep=" | ", flush=True)
            rows.append(row)
    show(
        f"{options.games:,} games each",
        ("convention", "players", "points ± SE", "published", "away", "score", "perfect"),
        rows,
    )
    pairs = []
    for first in names:
        figures |= {
            f"{first}+{second}": play((first, second), options.cross, options.seed) for second in names
        }
        pairs.append((first, *(f"{figures[f'{first}+{second}']['score']:.1f}" for second in names)))
    show(f"score of two players, {options.cross} games a pair; rows play first", ("", *names), pairs)
    finish(options, figures)


if __name__ == "__main__":
    main()
