"""Pairs of minds in a game of two seats: payoffs, predictions, and what the play of a seat shows of its policy.

Where the policy of the other is not known there is no F and no verdict. What remains is measured for both seats: the payoff, the share of
predictions that were right, and bounds from automata that are fitted to the other's play (:mod:`otherminds.games.fitting`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from msgspec import Struct

from otherminds.core.data import Game, Seat
from otherminds.core.record import Record
from otherminds.games.fitting import FittedPolicy, fit_policy
from otherminds.measures.episode import Key
from otherminds.measures.intervals import Estimate, Strata
from otherminds.measures.literal import right, rounds_played
from otherminds.measures.registry import details


class PairSeat(Struct, frozen=True):
    """One seat of an episode: its mind, the payoff an encounter, and the shares of right predictions and of right guesses."""

    seat: Seat
    player: str
    payoff: float
    right: float | None
    chance: float


class PairEpisode(Struct, frozen=True):
    """One scored episode; ``rounds`` has the behaviours of the first and the second seat, by index."""

    scenario: str
    mind: str
    seed: int
    game: Game
    rounds: tuple[tuple[int, int], ...]
    seats: tuple[PairSeat, ...]


class PairRow(Struct, frozen=True):
    """One seat of a pair: its payoff an encounter, its right predictions (0 to 1) with those of guessing, and its other's fitted policy."""

    scenario: str
    mind: str
    seat: Seat
    player: str
    payoff: Estimate
    right: Estimate
    chance: float
    fitted: FittedPolicy | None


@details.register("pairs")
def pair_episode(record: Record) -> PairEpisode | None:
    """The episode, if it is scored and minds sit in both seats of a game."""
    if record.game is None or len(record.seats) != 2 or record.partners or record.outcome.status != "scored":
        return None
    rounds = tuple((played.own, played.other) for played in rounds_played(record))
    if not rounds:
        return None
    seats = tuple(_read_seat(record, seat, len(rounds)) for seat in record.seats)
    mind = record.spec.seats[record.seats[0]].title
    return PairEpisode(record.spec.title, mind, record.spec.seed, record.game, rounds, seats)


def _read_seat(record: Record, seat: Seat, rounds: int) -> PairSeat:
    asked = [
        answer
        for answer in record.asked
        if record.questions[answer.question].seat == seat and answer.truth is not None
    ]
    share = sum(map(right, asked)) / len(asked) if asked else None
    chance = sum(record.questions[answer.question].chance for answer in asked) / max(len(asked), 1)
    return PairSeat(seat, record.spec.seats[seat].called, record.total(seat) / rounds, share, chance)


def pair_rows(planned: Mapping[Key, int], episodes: Iterable[PairEpisode]) -> list[PairRow]:
    """Two rows for each cell of a pair, the first seat first, in the order of ``planned``; a partner in turn has rows of its own."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[PairEpisode]] = {}
    for episode in sorted(episodes, key=lambda episode: episode.seed):
        players = tuple(seat.player for seat in episode.seats)
        groups.setdefault((episode.scenario, episode.mind, players), []).append(episode)
    place = {key: n for n, key in enumerate(planned)}
    rows: list[PairRow] = []
    for (scenario, mind, _), played in sorted(groups.items(), key=lambda item: place[item[0][:2]]):
        game = played[0].game
        plays = [episode.rounds for episode in played]
        views = (game, plays), (game.flipped(), [[(b, a) for a, b in play] for play in plays])
        for k, (view, behaviours) in enumerate(views):
            seats = [episode.seats[k] for episode in played]
            payoff = _estimate([seat.payoff for seat in seats])
            shares = _estimate([seat.right for seat in seats if seat.right is not None])
            seat, fitted = seats[0], fit_policy(view, behaviours)
            rows.append(PairRow(scenario, mind, seat.seat, seat.player, payoff, shares, seat.chance, fitted))
    return rows


def _estimate(values: list[float]) -> Estimate:
    return Strata([""] * len(values)).estimate(np.array(values)) if values else Estimate(None)
