"""What a partner was: the automata that explain its play, each with its probability.

An automaton has at most :data:`STATES` states, starts in state 0 in each episode, and moves by the joint behaviour. It plays
one behaviour in each state, and now and then another by a slip. All of them are searched. Several may explain the same play:
they are a set, and what follows from the play is what follows from each of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import lgamma, log
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.core.data import Automaton

STATES = 3
"""The most states of an automaton."""
FREE_SLIPS, SLIPS = 1, 0.05
"""Slips that are allowed at any time, and the share of the rounds so far that may be slips besides."""
MOST = 20_000, 50_000_000
"""Where more automata of a size explain the play, or the search takes more steps through it, those of one state fewer are taken."""
COMPLETIONS = 9
"""The most ways in which unknown transitions are completed one by one; of more they stay unknown."""
SURE = 0.98
"""The probability of the automata that are kept together."""
UNLIKELY = 1e-3
"""Automata of so many times less likelihood than the best are not searched for."""
RECENT = 4
"""The most rounds by which slips are foretold, where they are no accidents."""
DECIDED = 0.05
"""Of slips that a rule foretells: the Beta prior of their share where the rule has spoken, close to none or all."""
ACCIDENT = 20.0
"""Slips are no accidents where a rule makes them so many times as likely."""
Plays = Sequence[tuple[NDArray[np.int8], NDArray[np.int8]]]
"""Episodes: the partner's behaviours and the player's, each int8[rounds]."""


class PartialAutomaton(Struct, frozen=True):
    """An automaton as far as it is known, with its start in state 0.

    ``output[s]`` is the behaviour in state s, and ``next[s][a]`` the state after the other's behaviour a; -1 is not known.
    Of ``states`` states those without a row were not met.
    """

    states: int
    output: tuple[int, ...]
    next: tuple[tuple[int, ...], ...]

    def agrees(self, automaton: Automaton) -> bool:
        """Whether a deterministic ``automaton`` does the same wherever this one is known."""
        reached = [(0, automaton.start)]
        for state, actual in reached:
            behaviour = self.output[state]
            if automaton.output[actual][behaviour] != 1.0:
                return False
            for own, after in enumerate(self.next[state]):
                pair = after, automaton.next[actual][behaviour][own]
                if after >= 0 and pair not in reached:
                    reached.append(pair)
        return True

    @property
    def whole(self) -> bool:
        """Whether every transition is known."""
        return all(after >= 0 for row in self.next for after in row)


class Explanation(Struct, frozen=True):
    """The automata that explain a partner's play, the likeliest first, with their probabilities ``weights``.

    ``slips`` are the rounds in which the likeliest one would have played another behaviour: episode, round, that behaviour.
    """

    automata: tuple[PartialAutomaton, ...]
    weights: tuple[float, ...]
    slips: tuple[tuple[int, int, int], ...]


def explain_play(
    plays: Plays, rows: int, columns: int, states: int = STATES
) -> tuple[Explanation | None, str]:
    """The automata behind the partner's ``plays`` of ``columns`` behaviours against ``rows``, or ``None`` and why there are none.

    Their probabilities are posterior: each number of states is as likely as another, and so is each automaton of a size. The
    likelihood of a play with e slips is the one of Krichevsky and Trofimov (1981), each round foretold from those before it,
    so that an automaton is preferred only as far as it foretells play that it was not fitted to (Dawid 1984).
    """
    theirs = np.concatenate([play[0] for play in plays])
    search = _search(plays, rows, columns, states)
    if isinstance(search, str):
        return None, search
    _, tables, outputs, slips = search
    likelihood = [_weigh_slips(e, len(theirs), columns) for e in range(int(slips.max()) + 1)]
    forms, leaf, logs = _complete(search, [likelihood[e] for e in slips], rows, columns)
    evidence = float(np.logaddexp.reduce(logs))
    mixture = _weigh_mixture(np.bincount(theirs, minlength=columns))
    # As much doubt as there is beforehand about the automaton that plays one behaviour.
    if evidence < mixture - log(columns * states):
        return None, "its play is no likelier by automata than by a fixed mixture of behaviours"
    codes, of = np.unique(forms, axis=0, return_inverse=True)
    of = of.reshape(-1)
    shares = np.bincount(of, np.exp(logs - evidence), len(codes))
    order = np.argsort(-shares, kind="stable")
    order = order[: int(np.searchsorted(np.cumsum(shares[order]), SURE)) + 1]
    automata = tuple(_as_automaton(codes[i], rows) for i in order)
    alike = leaf[of == order[0]]
    best = alike[slips[alike].argmin()]
    slipped: tuple[tuple[int, int, int], ...] = ()
    if slips[best]:
        states_met = _follow_play(plays, tables[best], rows)
        if _follow_a_rule(outputs[best][states_met] != theirs, states_met, plays, rows):
            return None, f"no automaton of at most {states} states explains its play by accidental slips"
        slipped = _list_slips(plays, outputs[best][states_met])
    return Explanation(automata, tuple(float(shares[i]) for i in order), slipped), ""


class _Search(NamedTuple):
    """Automata of at most ``size`` states: transitions, behaviours and slips, as the search lists them."""

    size: int
    tables: NDArray[np.int8]
    outputs: NDArray[np.int8]
    slips: NDArray[np.int32]


def _search(plays: Plays, rows: int, columns: int, states: int) -> _Search | str:
    """The automata of at most ``states`` states that are likely enough, or why there are none.

    Where those of one size are too many, and none of them slips less than one of fewer states, it lists those of fewer.
    """
    from otherminds.matrix.logs._search import list_explanations

    theirs, own = (np.concatenate([play[seat] for play in plays]) for seat in (0, 1))
    starts = np.zeros(len(theirs), np.bool_)
    starts[np.cumsum([0, *(len(play[0]) for play in plays)])[:-1]] = True
    allowed = (FREE_SLIPS + SLIPS * np.arange(1, len(theirs) + 1)).astype(np.int32)
    likelihood = [_weigh_slips(e, len(theirs), columns) for e in range(int(allowed[-1]) + 1)]
    slack = np.array([_count_likely(likelihood, e) for e in range(len(likelihood))], np.int32)
    fewest_of_more = len(likelihood)
    for size in range(states, 0, -1):
        # Most partners make no slip, and the search for those takes a thousandth of the time.
        for budget in (np.minimum(allowed, slack[0]), allowed):
            count, tables, outputs, slips, complete = list_explanations(
                theirs, own, starts, (size, rows, columns), budget, slack[: int(budget[-1]) + 1], MOST
            )
            fewest = int(slips[:count].min()) if count else len(likelihood)
            if not complete or (count and fewest + slack[fewest] <= budget[-1]):
                break
        if complete and not count:
            return f"no automaton of at most {states} states explains its play"
        if complete and fewest <= fewest_of_more:
            return _Search(size, tables[:count], outputs[:count], slips[:count])
        fewest_of_more = min(fewest_of_more, fewest)
    return "too many automata could explain its play"


def _follow_play(plays: Plays, table: NDArray[np.int8], rows: int) -> NDArray[np.int8]:
    """The state in each round of all episodes."""
    met: list[int] = []
    for theirs, own in plays:
        state = 0
        for entry in (theirs.astype(int) * rows + own).tolist():
            met.append(state)
            state = int(table[state, entry])
    return np.array(met, np.int8)


def _follow_a_rule(slips: NDArray[np.bool_], states: NDArray[np.int8], plays: Plays, rows: int) -> bool:
    """Whether slips are foretold by the state, by it and up to :data:`RECENT` rounds before, or by the number of the round.

    Then they are no accidents: the partner follows a rule that the automaton lacks.
    """
    rounds = np.concatenate([np.arange(len(theirs)) for theirs, _ in plays])
    joint = np.concatenate([theirs.astype(np.int64) * rows + own + 1 for theirs, own in plays])
    context = states.astype(np.int64)
    contexts = [rounds, context]
    for back in range(1, RECENT + 1):
        before = np.concatenate([np.zeros(back, np.int64), joint[:-back]])[: len(joint)]
        context = context * (int(joint.max()) + 1) + np.where(rounds >= back, before, 0)
        contexts.append(context)
    chance = _weigh_slips(int(slips.sum()), len(slips), 2)
    for context in contexts:
        _, place = np.unique(context, return_inverse=True)
        times, slipped = np.bincount(place), np.bincount(place, slips)
        if sum(
            _weigh_slips(int(e), int(n), 2, DECIDED) for e, n in zip(slipped, times, strict=True)
        ) > chance + log(ACCIDENT):
            return True
    return False


def _list_slips(plays: Plays, meant: NDArray[np.int8]) -> tuple[tuple[int, int, int], ...]:
    slips: list[tuple[int, int, int]] = []
    begin = 0
    for episode, (theirs, _) in enumerate(plays):
        planned = meant[begin : begin + len(theirs)]
        slips += [(episode, int(t), int(planned[t])) for t in np.flatnonzero(planned != theirs)]
        begin += len(theirs)
    return tuple(slips)


def _weigh_slips(slips: int, rounds: int, columns: int, prior: float = 0.5) -> float:
    """The log-likelihood of ``slips`` slips in ``rounds``, to one of the other behaviours each."""
    ends = lgamma(2 * prior) - 2 * lgamma(prior) - lgamma(rounds + 2 * prior)
    total = ends + lgamma(slips + prior) + lgamma(rounds - slips + prior)
    return total - slips * log(max(columns - 1, 1))


def _count_likely(likelihood: Sequence[float], slips: int) -> int:
    """How many slips more than ``slips`` are still likely enough."""
    more = 0
    while slips + more + 1 < len(likelihood) and likelihood[slips + more + 1] - likelihood[slips] > log(
        UNLIKELY
    ):
        more += 1
    return more


def _complete(
    search: _Search, likelihood: Sequence[float], rows: int, columns: int
) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.float64]]:
    """Least forms (see ``reduce_explanations``, with the number of states not met behind each), the automaton of each, and its log-probability.

    A few unknown transitions between states that were all met are replaced by each of those states. The prior is that
    of automata of each size with these behaviours and transitions, under any names of states.
    """
    from otherminds.matrix.logs._search import reduce_explanations

    size = search.size
    forms, met, fixed = reduce_explanations(search.tables, search.outputs, rows)
    wider: list[NDArray[np.int8]] = []
    unmet: list[int] = []
    leaf: list[int] = []
    logs: list[float] = []
    for i, form in enumerate(forms):
        count, states = int(met[i]), int((form[:, 0] >= 0).sum())
        unknown = np.argwhere(form[:states] < 0)
        for whole in range(count, size + 1):
            names = lgamma(whole) - lgamma(whole - count + 1)
            weight = likelihood[i] + names - int(fixed[i]) * log(whole) - count * log(columns) - log(size)
            several = len(unknown) > 0 and whole == count and states ** len(unknown) <= COMPLETIONS
            for values in product(range(states), repeat=len(unknown)) if several else [()]:
                filled = form.copy()
                for (s, a), value in zip(unknown, values, strict=False):
                    filled[s, a] = value
                wider.append(filled)
                unmet.append(whole - count if len(unknown) and not several else 0)
                leaf.append(i)
                logs.append(weight - (len(unknown) * log(states) if several else 0.0))
    filled = np.stack(wider)
    tables = np.full((len(filled), size, rows * columns), -1, np.int8)
    for b in range(columns):
        tables[:, :, b * rows : (b + 1) * rows] = filled[:, :, 1:]
    least, _, _ = reduce_explanations(tables, np.ascontiguousarray(filled[:, :, 0]), rows)
    coded = np.concatenate([least.reshape(len(least), -1), np.array(unmet, np.int8)[:, None]], 1)
    return coded, np.array(leaf), np.array(logs)


def _weigh_mixture(counts: NDArray[np.int64]) -> float:
    """The log-likelihood of behaviours drawn from one unknown distribution (Krichevsky and Trofimov 1981)."""
    half = 0.5 * len(counts)
    ends = lgamma(half) - lgamma(half + int(counts.sum()))
    return ends + sum(lgamma(int(n) + 0.5) - lgamma(0.5) for n in counts)


def _as_automaton(code: NDArray[np.int8], rows: int) -> PartialAutomaton:
    met = [row for row in code[:-1].reshape(-1, 1 + rows).tolist() if row[0] >= 0]
    return PartialAutomaton(
        len(met) + int(code[-1]), tuple(row[0] for row in met), tuple(tuple(row[1:]) for row in met)
    )
