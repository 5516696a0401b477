"""Tournaments: what every player got against every other, ratings, and self-play against cross-play.

The rating of a player is its payoff against an average opponent of the tournament. It is the least-squares fit of
``payoff(i against j) = mean + own(i) + conceded(j)`` to the cells of the cross-play matrix, each with weight 1; where every
pair has played, ``mean + own(i)`` is the mean of row i. Elo and Bradley-Terry ratings (1952) see wins only: in a game in which
both can gain they rate who takes more than the other, and their numbers depend on how often pairs met. The fit leaves out
cycles; the share of the variation between cells that it does not explain says how much a ranking hides.

Intervals are those of a bootstrap that draws seeds with replacement: all episodes of a seed have the same draws, and are one
cluster. They hold for this field of players alone.

Self-play and cross-play are means over both seats, as in zero-shot coordination (Hu et al. 2020, "Other-Play")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from otherminds.core.record import Record
from otherminds.measures.intervals import TAIL, Estimate, Numbers
from otherminds.measures.registry import by_rounds

DRAWS = 1000
"""Bootstrap samples of an interval."""


class PlayerResult(Struct, frozen=True):
    """One player: ``rating``, ``conceded`` (what its opponents get beyond what they usually get), and both kinds of play.

    ``self_play`` is its payoff with itself, ``cross_play`` the mean of both seats' over the pairs with others, ``transfer``
    the second minus the first. All in payoff per round, or per episode where rounds are no encounters.
    """

    player: str
    rating: Estimate
    conceded: Estimate
    self_play: Estimate
    cross_play: Estimate
    transfer: Estimate


class Tournament(Struct, frozen=True):
    """The episodes of one scenario between ``players``.

    ``payoffs[i][j]`` is the mean payoff of player i against player j over both seats, ``None`` where they did not meet;
    ``episodes[i][j]`` are the scored episodes with i in the first seat and j in the second, ``lost`` all that were not
    scored. ``unexplained`` is the share (0 to 1) of the variation between cells that ratings do not explain, ``None``
    where cells do not vary or ratings are not determined.
    """

    scenario: str
    players: tuple[str, ...]
    payoffs: tuple[tuple[float | None, ...], ...]
    episodes: tuple[tuple[int, ...], ...]
    lost: int
    unexplained: float | None
    results: tuple[PlayerResult, ...]


ScoredEpisode: TypeAlias = tuple[int, tuple[str, str], tuple[float, float]]
"""The seed of an episode, and by seat the player and its payoff."""


def list_tournaments(records: Iterable[Record]) -> list[Tournament]:
    """A tournament for each scenario with two seats. Players are named by mind, model and parameters, in alphabetical order."""
    scored: dict[str, list[ScoredEpisode]] = {}
    lost: Counter[str] = Counter()
    for record in records:
        if len(record.seats) != 2:
            continue
        if record.outcome.status != "scored":
            lost[record.spec.title] += 1
            continue
        first, second = record.seats
        rounds = len(record.rewards) if by_rounds(record) else 1
        players = record.spec.seats[first].called, record.spec.seats[second].called
        payoffs = record.total(first) / rounds, record.total(second) / rounds
        scored.setdefault(record.spec.title, []).append((record.spec.seed, players, payoffs))
    return [_rate_players(title, sorted(episodes), lost[title]) for title, episodes in sorted(scored.items())]


def _rate_players(title: str, scored: Sequence[ScoredEpisode], lost: int) -> Tournament:
    players = tuple(sorted({player for _, pair, _ in scored for player in pair}))
    place, n = {player: i for i, player in enumerate(players)}, len(players)
    seeds = {seed: s for s, seed in enumerate(sorted({seed for seed, _, _ in scored}))}
    sums, counts = np.zeros((len(seeds), n, n)), np.zeros((len(seeds), n, n))
    episodes = np.zeros((n, n), dtype=int)
    for seed, (first, second), (payoff, other_payoff) in scored:
        s, i, j = seeds[seed], place[first], place[second]
        episodes[i, j] += 1
        sums[s, i, j] += payoff
        sums[s, j, i] += other_payoff
        counts[s, i, j] += 1
        counts[s, j, i] += 1
    rng = np.random.default_rng(0)
    weights = rng.multinomial(len(seeds), np.full(len(seeds), 1 / len(seeds)), size=DRAWS)
    means = [_mean_cells(sums.sum(0), counts.sum(0))]
    means += [_mean_cells(np.einsum("s,sij", w, sums), np.einsum("s,sij", w, counts)) for w in weights]
    figures = np.array([_compute_figures(cells) for cells in means])
    results = [
        PlayerResult(player, *(_estimate(figures[:, k, i], len(seeds)) for k in range(figures.shape[1])))
        for i, player in enumerate(players)
    ]
    return Tournament(
        title,
        players,
        tuple(tuple(None if np.isnan(x) else float(x) for x in row) for row in means[0]),
        tuple(tuple(map(int, row)) for row in episodes),
        lost,
        _measure_unexplained(means[0]),
        tuple(results),
    )


def _mean_cells(sums: Numbers, counts: Numbers) -> Numbers:
    """The mean payoff of each cell, NaN where nobody played: float64[n, n]."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / counts


def _compute_figures(cells: Numbers) -> Numbers:
    """The figures of each player, in the order of :class:`PlayerResult`: float64[5, n], NaN where one is not determined."""
    joint = (cells + cells.T) / 2
    alone = np.diagonal(joint)
    others = np.where(np.eye(len(cells), dtype=bool), np.nan, joint)
    met = ~np.isnan(others)
    with np.errstate(invalid="ignore"):
        cross = np.where(met, others, 0).sum(1) / met.sum(1)
    return np.stack([*_fit_ratings(cells), alone, cross, cross - alone])


def _fit_ratings(cells: Numbers) -> tuple[Numbers, Numbers]:
    """Ratings and what is conceded, float64[n] each; NaN unless the pairs that met determine all of them."""
    n = len(cells)
    rows, columns = np.nonzero(~np.isnan(cells))
    design = np.hstack([np.ones((len(rows), 1)), np.eye(n)[rows], np.eye(n)[columns]])
    centred = np.zeros((2, 1 + 2 * n))
    centred[0, 1 : n + 1] = centred[1, n + 1 :] = 1
    system = np.vstack([design, centred])
    solution, _, rank, _ = np.linalg.lstsq(system, np.append(cells[rows, columns], [0.0, 0.0]), rcond=None)
    if rank < 1 + 2 * n:
        return np.full(n, np.nan), np.full(n, np.nan)
    solution = np.asarray(solution, np.float64)
    return solution[0] + solution[1 : n + 1], solution[n + 1 :]


def _measure_unexplained(cells: Numbers) -> float | None:
    ratings, conceded = _fit_ratings(cells)
    met = ~np.isnan(cells)
    variation = float(((cells[met] - cells[met].mean()) ** 2).sum())
    if np.isnan(ratings).any() or variation < 1e-12:
        return None
    return float(((cells - ratings[:, None] - conceded)[met] ** 2).sum()) / variation


def _estimate(draws: Numbers, clusters: int) -> Estimate:
    """The first of ``draws`` with the interval that the others give."""
    if np.isnan(draws[0]):
        return Estimate(None, reason="the pairs that met do not determine it", n=clusters)
    sampled = draws[1:][~np.isnan(draws[1:])]
    if clusters < 2 or len(sampled) < DRAWS / 2:
        reason = (
            "one seed only: no interval" if clusters < 2 else "few samples of seeds determine it: no interval"
        )
        return Estimate(float(draws[0]), reason=reason, n=clusters)
    low, high = np.quantile(sampled, [TAIL, 1 - TAIL])
    return Estimate(float(draws[0]), float(low), float(high), n=clusters)
