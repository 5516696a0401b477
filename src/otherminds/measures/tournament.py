"""Tournaments: what every player got against every other, ratings, and self-play against cross-play.

The rating of a player is its payoff against an average opponent of the tournament. It is the least-squares fit of
``payoff(i against j) = mean + own(i) + conceded(j)`` to the cells of the cross-play matrix, each with weight 1; where every
pair has played, ``mean + own(i)`` is the mean of row i. Elo and Bradley-Terry ratings (1952) see wins only: in a game in which
both can gain they rate who takes more than the other, and their numbers depend on how often pairs met. The fit leaves out
cycles; the share of the variation between cells that it does not explain says how much a ranking hides.

Intervals are those of a bootstrap that draws seeds with replacement: all episodes of a seed have the same draws, and are one
cluster. They hold for this field of players alone.

Self-play and cross-play are means over both seats, as in zero-shot coordination (Hu et al. 2020, "Other-Play").

A seat whose reply stops an episode, or that could not act in one that failed, gets the least payoff of the game in every planned round from there on, so that no player
gains by stopping; without a stage game, the least payoff of all scored episodes. It counts for the other seat nowhere: its
payoff against this opponent is that of the scored episodes, or without any its mean against the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from otherminds.core.record import STOPPED, Outcome, Record
from otherminds.measures.intervals import TAIL, Estimate, Numbers
from otherminds.measures.registry import by_rounds, planned_rounds

DRAWS = 1000
"""Bootstrap samples of an interval."""
FIGURES = 5
"""Estimates of a player."""


class PlayerResult(Struct, frozen=True):
    """One player: ``rating``, ``conceded`` (what its opponents get beyond what they usually get), and both kinds of play.

    ``self_play`` is its payoff with itself, ``cross_play`` the mean of both seats' over the pairs with others, ``transfer``
    the second minus the first. All in payoff per round, or per episode where rounds are no encounters. ``lost`` are the
    episodes that its replies or its failures stopped, each charged to it.
    """

    player: str
    lost: int
    rating: Estimate
    conceded: Estimate
    self_play: Estimate
    cross_play: Estimate
    transfer: Estimate


class Tournament(Struct, frozen=True):
    """The episodes of one scenario between ``players``.

    ``payoffs[i][j]`` is the mean payoff of player i against player j over both seats, ``None`` where they did not meet;
    ``episodes[i][j]`` are the scored episodes with i in the first seat and j in the second, ``lost`` all that were not
    scored. ``uncharged`` names those of them that count for nobody, since the record does not say which seat stopped them, as
    where the software failed, and in failed episodes of older versions. Of ``planned`` episodes ``recorded`` are there.
    ``unexplained`` is the share (0 to 1) of the variation between cells that ratings do not explain, ``None``
    where cells do not vary or ratings are not determined.
    """

    scenario: str
    players: tuple[str, ...]
    payoffs: tuple[tuple[float | None, ...], ...]
    episodes: tuple[tuple[int, ...], ...]
    planned: int
    recorded: int
    lost: int
    uncharged: tuple[str, ...]
    unexplained: float | None
    results: tuple[PlayerResult, ...]


Game: TypeAlias = tuple[int, tuple[str, str], tuple[float, float], int, Outcome]
"""An episode: its seed, by seat the player and the payoff (NaN where it is not known), the index of the seat that
stopped it (-1 without one), and how it ended."""


def list_tournaments(records: Iterable[Record], planned: Mapping[str, int] | None = None) -> list[Tournament]:
    """A tournament for each scenario with two seats. Players are named by mind, model and parameters, in alphabetical order.

    ``planned`` has the number of planned episodes by scenario; by default all are recorded. A scenario in which no payoff of
    any player is known is left out.
    """
    games: dict[str, list[Game]] = {}
    for record in records:
        if len(record.seats) == 2:
            players = record.spec.seats[record.seats[0]].called, record.spec.seats[record.seats[1]].called
            breaker = _find_breaker(record)
            payoffs = _read_payoffs(record, breaker)
            games.setdefault(record.spec.title, []).append(
                (record.spec.seed, players, payoffs, breaker, record.outcome)
            )
    return [
        _rate_players(title, played, planned or {})
        for title, played in sorted(games.items())
        if not all(isnan(payoff) for game in played for payoff in game[2])
    ]


def _find_breaker(record: Record) -> int:
    """The index of the seat that stopped the episode by its reply or its failure; -1 without one.

    Old records name no seat, but the reason begins with that of a reply.
    """
    outcome = record.outcome
    seat = outcome.seat
    if not seat and outcome.status in {status for status, _ in STOPPED.values()}:
        seat = outcome.reason.partition(":")[0]
    return record.seats.index(seat) if seat in record.seats else -1


def _read_payoffs(record: Record, breaker: int) -> tuple[float, float]:
    """The payoffs by seat. Of a lost episode, that of the seat that stopped it alone: as played, then the least of the game."""
    first, second = record.seats
    per_round = by_rounds(record)
    if record.outcome.status == "scored":
        rounds = len(record.rewards) if per_round else 1
        return record.total(first) / rounds, record.total(second) / rounds
    payoff, planned = nan, planned_rounds(record)
    if breaker >= 0 and record.game is not None and per_round:
        payoff = min(cell[breaker] for row in record.game.payoffs for cell in row)
        if planned is not None:
            # From this step on somebody else may have replied in its place, and the episode went on.
            until = record.outcome.step if record.outcome.step >= 0 else len(record.rewards)
            own = [rewards[breaker] for rewards in record.rewards[:until]]
            payoff = (sum(own) + (planned - len(own)) * payoff) / planned
    return (payoff, nan) if breaker == 0 else (nan, payoff)


def _rate_players(title: str, games: Sequence[Game], planned: Mapping[str, int]) -> Tournament:
    players = tuple(sorted({player for _, pair, *_ in games for player in pair}))
    place, n = {player: i for i, player in enumerate(players)}, len(players)
    seeds = {
        seed: s
        for s, seed in enumerate(
            sorted({game[0] for game in games if game[4].status == "scored" or game[3] >= 0})
        )
    }
    sums, counts = np.zeros((len(seeds), n, n)), np.zeros((len(seeds), n, n))
    episodes = np.zeros((n, n), dtype=int)
    lost: Counter[str] = Counter()
    uncharged: list[str] = []
    least = min((min(game[2]) for game in games if game[4].status == "scored"), default=nan)
    for seed, pair, payoffs, breaker, outcome in sorted(games, key=lambda game: game[:2]):
        if outcome.status == "scored":
            episodes[place[pair[0]], place[pair[1]]] += 1
        elif breaker >= 0:
            lost[pair[breaker]] += 1
        else:
            uncharged.append(f"{' – '.join(pair)}, seed {seed}: {outcome.status} ({outcome.blame})")
        for seat, payoff in enumerate(payoffs):
            value = least if seat == breaker and isnan(payoff) else payoff
            if not isnan(value):
                cell = seeds[seed], place[pair[seat]], place[pair[1 - seat]]
                sums[cell] += value
                counts[cell] += 1
    rng = np.random.default_rng(0)
    weights = rng.multinomial(len(seeds), np.full(len(seeds), 1 / len(seeds)), size=DRAWS)
    means = [_mean_cells(sums.sum(0), counts.sum(0))]
    means += [_mean_cells(np.einsum("s,sij", w, sums), np.einsum("s,sij", w, counts)) for w in weights]
    rated = np.nonzero((counts.sum((0, 1)) + counts.sum((0, 2))) > 0)[0]
    figures = np.full((len(means), FIGURES, n), np.nan)
    figures[:, :, rated] = [_compute_figures(cells[np.ix_(rated, rated)]) for cells in means]
    results = [
        PlayerResult(player, lost[player], *(_estimate(figures[:, k, i], len(seeds)) for k in range(FIGURES)))
        for i, player in enumerate(players)
    ]
    return Tournament(
        title,
        players,
        tuple(tuple(None if np.isnan(x) else float(x) for x in row) for row in means[0]),
        tuple(tuple(map(int, row)) for row in episodes),
        max(planned.get(title, 0), len(games)),
        len(games),
        len(games) - int(episodes.sum()),
        tuple(uncharged),
        _measure_unexplained(means[0][np.ix_(rated, rated)]),
        tuple(results),
    )


def _mean_cells(sums: Numbers, counts: Numbers) -> Numbers:
    """The mean payoff of each cell, NaN where nobody played: float64[n, n].

    Where the column's player stopped all episodes, it is the mean of the row.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        cells = sums / counts
        rows = np.nansum(cells, axis=1) / (~np.isnan(cells)).sum(axis=1)
    return np.where(np.isnan(cells) & ~np.isnan(cells.T), rows[:, None], cells)


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
