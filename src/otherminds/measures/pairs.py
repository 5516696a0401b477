"""Pairs of minds in a game of two seats: what each seat got and foretold, and what its other's play shows of a policy.

Where the policy of the other is not known there is no F and no verdict. What remains is measured of both seats: the payoff, whether
predictions were what the other really did, and bounds from automata that are fitted to the other's play
(:mod:`otherminds.games.fitting`)."""

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


class PairEpisode(Struct, frozen=True):
    """One scored episode: by seat the mind, the payoff an encounter, and the shares of right predictions and of right guesses."""

    scenario: str
    mind: str
    seed: int
    game: Game
    rounds: tuple[tuple[int, int], ...]
    seats: tuple[Seat, Seat]
    minds: tuple[str, str]
    payoffs: tuple[float, float]
    right: tuple[float | None, float | None]
    chance: tuple[float, float]


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
    shares: list[tuple[float | None, float]] = []
    for seat in record.seats:
        asked = [
            answer
            for answer in record.asked
            if record.questions[answer.question].seat == seat and answer.truth is not None
        ]
        chances = [record.questions[answer.question].chance for answer in asked]
        share = sum(map(right, asked)) / len(asked) if asked else None
        shares.append((share, sum(chances) / len(asked) if asked else 0.0))
    first, second = record.seats
    (ours, chance), (theirs, other_chance) = shares
    return PairEpisode(
        record.spec.title,
        record.spec.seats[first].title,
        record.spec.seed,
        record.game,
        rounds,
        (first, second),
        (record.spec.seats[first].called, record.spec.seats[second].called),
        (record.total(first) / len(rounds), record.total(second) / len(rounds)),
        (ours, theirs),
        (chance, other_chance),
    )


def pair_rows(planned: Mapping[Key, int], episodes: Iterable[PairEpisode]) -> list[PairRow]:
    """Two rows for each cell of a pair, the first seat first, in the order of ``planned``; a partner in turn has rows of its own."""
    groups: dict[tuple[str, str, tuple[str, str]], list[PairEpisode]] = {}
    for episode in sorted(episodes, key=lambda episode: episode.seed):
        groups.setdefault((episode.scenario, episode.mind, episode.minds), []).append(episode)
    place = {key: n for n, key in enumerate(planned)}
    rows: list[PairRow] = []
    for (scenario, mind, minds), played in sorted(groups.items(), key=lambda item: place[item[0][:2]]):
        game = played[0].game
        for k, (view, seat) in enumerate(zip((game, game.flipped()), played[0].seats, strict=True)):
            shares = [share for episode in played if (share := episode.right[k]) is not None]
            plays = [
                [(own, other) if k == 0 else (other, own) for own, other in episode.rounds]
                for episode in played
            ]
            payoff = _estimate([episode.payoffs[k] for episode in played])
            chance = played[0].chance[k]
            rows.append(
                PairRow(
                    scenario, mind, seat, minds[k], payoff, _estimate(shares), chance, fit_policy(view, plays)
                )
            )
    return rows


def _estimate(values: list[float]) -> Estimate:
    return Strata([""] * len(values)).estimate(np.array(values)) if values else Estimate(None)
