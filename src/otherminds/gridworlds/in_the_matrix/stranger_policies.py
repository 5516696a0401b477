"""Policies over duels that no mind of the package has in its library, as automata.

The library of ``bayesian`` (:func:`~otherminds.games.registry.library`), the sentences of the scripted model
``competent`` and the background bots of Melting Pot list the same families: a partner that is drawn from them has to be
recognised, not learnt. These have to be learnt. No state that one of them can reach behaves, for every behaviour of the
other from there on, as a state of a listed one (``tests/gridworlds/in_the_matrix/test_strangers.py``).

An automaton plays the column seat of a game, as a bot does. Behaviour 0 is the friendly one where there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import Chances, Machine, State, always, anything, mostly, shape
from otherminds.games.partners.best_responding import best_answers
from otherminds.games.partners.tit_for_tat import reply

SWITCH = 0.15
"""The probability with which a regime ends in a duel."""
SLIP = 0.15
"""The probability with which a contrite partner does the opposite of what it means to do."""
FIRST, LEAST = 0.6, 0.1
"""Shares of the first and of the last behaviour of a mixture; the one between has the rest."""
GRUDGE = 3
"""The most duels for which a gradual partner pays back."""

StrangerPolicy: TypeAlias = Callable[[Game, int], Automaton]
"""``policy(game, duels)``: its automaton over the states that it can reach in ``duels``."""


def answer_before_last(game: Game, duels: int) -> Automaton:
    """Tit-for-tat or the best response, to the duel before the last; anything in the first two."""
    answers, of = reply(game), shape(game)[1]

    def output(last: State) -> Chances:
        return always(answers[last[0]], of) if len(last) == 2 else anything(of)

    return Machine((), output, lambda last, own, other: (*last, other)[-2:]).automaton(game, duels)


def keep_timetable(game: Game, duels: int) -> Automaton:
    """In turn: answers the last duel, plays behaviour 0, and answers the last duel as if it had been the next behaviour."""
    answers, of = reply(game), shape(game)[1]

    def output(state: State) -> Chances:
        turn, last = state
        return always((answers[last], 0, answers[(last + 1) % len(answers)])[turn], of)

    return Machine((0, 0), output, lambda state, own, other: ((state[0] + 1) % 3, other)).automaton(
        game, duels
    )


def mix(game: Game, duels: int) -> Automaton:
    """Draws each behaviour anew: the first with .6, of three the last with .1."""
    of = shape(game)[1]
    chances = (FIRST, 1 - FIRST) if of == 2 else (FIRST, *((1 - FIRST - LEAST) / (of - 2),) * (of - 2), LEAST)
    return Machine(0, lambda state: chances, lambda state, own, other: state).automaton(game, duels)


def switch_regimes(game: Game, duels: int) -> Automaton:
    """Answers the last duel, or as if it had been the next behaviour; changes between the two at random.

    A regime ends with a behaviour that is not its answer.
    """
    answers, of = reply(game), shape(game)[1]

    def answer(state: State) -> int:
        regime, last = state
        return answers[(last + regime) % len(answers)]

    def after(state: State, own: int, other: int) -> State:
        return (state[0] if own == answer(state) else 1 - state[0]), other

    return Machine((0, 0), lambda state: mostly(answer(state), of, SWITCH), after).automaton(game, duels)


def shift_after_two_losses(game: Game, duels: int) -> Automaton:
    """Keeps a behaviour until two duels in a row paid it less than the game's mean, then takes the next one."""
    pays = [[cell[1] for cell in column] for column in zip(*game.payoffs, strict=True)]
    mean = sum(map(sum, pays)) / (len(pays) * len(pays[0]))
    of = shape(game)[1]

    def after(state: State, own: int, other: int) -> State:
        losses = state[1] + 1 if pays[own][other] < mean else 0
        return ((own + 1) % of, 0) if losses == 2 else (own, losses)

    return Machine((0, 0), lambda state: always(state[0], of), after).automaton(game, duels)


def answer_majority(game: Game, duels: int) -> Automaton:
    """Answers what the other played most often in its last three duels, the latest of several; anything at first."""
    answers, of = reply(game), shape(game)[1]

    def output(last: State) -> Chances:
        if not last:
            return anything(of)
        most = max(map(last.count, last))
        return always(answers[next(b for b in reversed(last) if last.count(b) == most)], of)

    return Machine((), output, lambda last, own, other: (*last, other)[-3:]).automaton(game, duels)


def add_behaviours(game: Game, duels: int) -> Automaton:
    """Plays the behaviour whose number is the sum of both last ones, modulo their count."""
    of = shape(game)[1]
    return Machine(
        0, lambda state: always(state, of), lambda state, own, other: (own + other) % of
    ).automaton(game, duels)


def answer_best_response(game: Game, duels: int) -> Automaton:
    """Best-responds to the best response to its own last behaviour, but repeats that behaviour in every fourth duel."""
    own_answers, answers, of = best_answers(game.flipped()), best_answers(game), shape(game)[1]

    def after(state: State, own: int, other: int) -> State:
        turn = (state[0] + 1) % 4
        return turn, own if turn == 0 else answers[own_answers[own]]

    return Machine((0, 0), lambda state: always(state[1], of), after).automaton(game, duels)


def pay_back_gradually(game: Game, duels: int) -> Automaton:
    """Cooperates; pays the n-th defection back with n defections, at most 3, then cooperates twice whatever comes.

    Gradual (Beaufils, Delahaye and Mathieu 1997) with a bounded memory.
    """

    def output(state: State) -> Chances:
        return always(1 if state[1] > 2 else 0, 2)

    def after(state: State, own: int, other: int) -> State:
        grudges, remaining = state
        if remaining:
            return grudges, remaining - 1
        grudges = min(GRUDGE, grudges + other)
        return grudges, grudges + 2 if other else 0

    return Machine((0, 0), output, after).automaton(game, duels)


def repent(game: Game, duels: int) -> Automaton:
    """Tit-for-tat that errs at times, and takes the other's answer to its own error without paying that back.

    Contrite tit-for-tat (Sugden 1986; Boerlijst, Nowak and Sigmund 1997), with its own errors.
    """

    def meant(state: State) -> int:
        good, other_good = state
        return 0 if other_good or not good else 1

    def after(state: State, own: int, other: int) -> State:
        """Who defects without a reason loses its good standing, and regains it by cooperating."""
        good, other_good = state
        fair, other_fair = good and not other_good, other_good and not good
        return own == 0 or fair, other == 0 or other_fair

    return Machine((True, True), lambda state: mostly(meant(state), 2, SLIP), after).automaton(game, duels)


def pay_back_twice(game: Game, duels: int) -> Automaton:
    """Defects in two duels for each defection of the other, then cooperates again. Two tits for tat, in Axelrod 1984."""
    return Machine(
        0, lambda due: always(1 if due else 0, 2), lambda due, own, other: 2 if other else max(0, due - 1)
    ).automaton(game, duels)


BOTH: Mapping[str, StrangerPolicy] = {
    "lagged": answer_before_last,
    "majority": answer_majority,
    "mixture": mix,
    "regimes": switch_regimes,
    "timetable": keep_timetable,
    "two_losses": shift_after_two_losses,
}
POLICIES: Mapping[str, Mapping[str, StrangerPolicy]] = {
    "rws-repeated": {**BOTH, "adding": add_behaviours, "walking": answer_best_response},
    "pd-repeated": {**BOTH, "contrite": repent, "gradual": pay_back_gradually, "two_tits": pay_back_twice},
}
"""The strangers of each substrate by name."""
