"""Automata fitted to play, by exact search, and the payoff of the best reply to those that fit.

Every automaton of ``k`` states that starts in state 0 is tried. It moves between states by a table, and chooses in each
state with the frequencies of the play, to which one half is added (Krichevsky and Trofimov 1981)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.core.data import Game

STATES = 2
"""The most states of an automaton: 256 tables of moves with two options a seat, 262,144 with three."""
TABLES = 600_000
"""The most tables of moves in one search; in games with more options an automaton has one state."""
WORK = 40_000_000
"""The most steps of automata in one search; of longer play it takes the first episodes that stay below, at least two."""
LIKELY = 20.0
"""Automata count that are at least 1/20 as likely as the best."""
ROOM = 0.05
"""Where the best reply gains less than this share of the range of payoffs, nothing can be used."""
Plays = Sequence[Sequence[tuple[int, int]]]
"""Episodes, each a pair (own behaviour, the other's) a round."""


class FittedPolicy(Struct, frozen=True):
    """What is known of an unknown policy from its play.

    ``states`` is the number of states with which automata foretell held-out episodes best: with the log-likelihood
    ``held_out``, in bits a choice, where guessing has ``chance``. ``count`` is the number of likely automata of that
    size. Over these, ``best_reply`` is the range of the best reply's payoff a round, and ``score`` that of (payoff −
    best single behaviour) / (best reply − best single behaviour), ``None`` where no likely automaton leaves room.
    """

    states: int
    held_out: float
    chance: float
    count: int
    best_reply: tuple[float, float]
    score: tuple[float, float] | None


def fit_policy(game: Game, plays: Plays, most_states: int = STATES) -> FittedPolicy | None:
    """Fits the play of the *column* seat of ``game``; the scores are those of the row seat.

    To choose the number of states, automata are fitted to every second episode and tried on the others; the ranges use
    all episodes. ``None`` for fewer than two episodes, or where one has no round.
    """
    if len(plays) < 2 or not all(plays):
        return None
    payoffs = np.array([[cell[0] for cell in row] for row in game.payoffs])
    rows, columns = (len(names) for names in game.behaviours)
    while most_states > 1 and most_states ** (most_states * rows * columns) > TABLES:
        most_states -= 1
    got = float(np.mean([payoffs[own, other] for play in plays for own, other in play]))
    ends = np.cumsum([len(play) for play in plays]) * most_states ** (most_states * rows * columns)
    plays = plays[: max(2, int((ends <= WORK).sum()))]
    held_out: list[float] = []
    for states in range(1, most_states + 1):
        moves = _list_moves(states, rows * columns)
        fit, test = _count_choices(moves, plays[::2], columns), _count_choices(moves, plays[1::2], columns)
        best = _sum_log_likelihood(fit, _estimate_choices(fit)).argmax()
        held_out.append(float(_sum_log_likelihood(test, _estimate_choices(fit))[best]))
    states = int(np.argmax(held_out)) + 1
    moves = _list_moves(states, rows * columns)
    counts = _count_choices(moves, plays, columns)
    choices = _estimate_choices(counts)
    fits = _sum_log_likelihood(counts, choices)
    likely = fits >= fits.max() - np.log(LIKELY)
    best, single = _value_replies(payoffs, moves[likely], choices[likely], max(map(len, plays)))
    room = best - single > ROOM * (payoffs.max() - payoffs.min())
    scores = (got - single[room]) / (best[room] - single[room])
    choices_tried = sum(map(len, plays[1::2]))
    return FittedPolicy(
        states,
        max(held_out) / choices_tried / float(np.log(2)),
        -float(np.log2(columns)),
        int(likely.sum()),
        (float(best.min()), float(best.max())),
        (float(scores.min()), float(scores.max())) if room.any() else None,
    )


def _list_moves(states: int, joint: int) -> NDArray[np.int8]:
    """Every table of moves, int8[automata, states, joint behaviours]."""
    digits = states * joint
    numbers = np.arange(int(states**digits), dtype=np.int64)[:, None]
    powers = np.array([states**digit for digit in range(digits)], dtype=np.int64)
    return (numbers // powers % states).astype(np.int8).reshape(-1, states, joint)


def _count_choices(moves: NDArray[np.int8], plays: Plays, columns: int) -> NDArray[np.float64]:
    """How often each automaton's state saw each choice, float64[automata, states, columns]."""
    each = np.arange(len(moves))
    counts = np.zeros((*moves.shape[:2], columns))
    for play in plays:
        state = np.zeros(len(moves), dtype=np.int8)
        for own, other in play:
            counts[each, state, other] += 1
            state = moves[each, state, own * columns + other]
    return counts


def _estimate_choices(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return (counts + 0.5) / (counts + 0.5).sum(-1, keepdims=True)


def _sum_log_likelihood(counts: NDArray[np.float64], choices: NDArray[np.float64]) -> NDArray[np.float64]:
    return (counts * np.log(choices)).sum((1, 2))


def _value_replies(
    payoffs: NDArray[np.float64], moves: NDArray[np.int8], choices: NDArray[np.float64], rounds: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Payoff a round of the best reply to each automaton, and of the best behaviour that is always shown: float64[automata]."""
    rows, columns = payoffs.shape
    table = moves.reshape(*moves.shape[:2], rows, columns)
    each = np.arange(len(moves))[:, None, None, None]
    best = np.zeros(moves.shape[:2])
    single = np.zeros((rows, *moves.shape[:2]))
    gain = np.einsum("msb,ab->msa", choices, payoffs)
    for _ in range(rounds):
        best = (gain + np.einsum("msb,msab->msa", choices, best[each, table])).max(-1)
        single = np.stack(
            [
                gain[..., a] + np.einsum("msb,msb->ms", choices, single[a][each[..., 0], table[:, :, a]])
                for a in range(rows)
            ]
        )
    return best[:, 0] / rounds, single[:, :, 0].max(0) / rounds
