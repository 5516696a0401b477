"""What can be had without observing the partner: blind plans, the ends of F, the floor of L, and stated policies.

F = 0 is the best open-loop sequence of behaviours, on average over a family of partners;
L = 0 is the likeliest behaviour under the family's prior, given the own actions alone.

The floor of L is the accuracy of a predictor that fixes in advance what it plays and what it predicts. It knows the
population, and what each member would answer to its plan. Nothing of it depends on an episode: a floor computed from a
mind's own moves would take the room from those minds whose moves answer their partner.

In a game with a dominant action a prediction of one move cannot matter. A statement such as "after J it plays J, after F
it plays F" can: it has a best plan. Partners here answer the own last behaviour alone, as constants and tit-for-tat do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.data import Automaton, Game, Seat, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.games.best_response import TIE, Branch, Solution, best_response, solve

Spread: TypeAlias = tuple[tuple[int, float], ...]
"""A distribution over an automaton's states."""

LIMIT = 20_000
"""The most situations of an exact plan."""
WORK = 120_000
"""The most situations times members of an exact plan."""

USUAL = 24
"""The rounds over which patterns are compared: as many as an episode of duels has."""
LONGEST = 4
"""The most behaviours of a pattern."""


@lru_cache(maxsize=128)
def blind_plan(game: Game, family: tuple[WeightedPolicy, ...], rounds: int) -> tuple[int, ...]:
    """The row seat's best open-loop sequence of ``rounds`` behaviours against ``family``.

    The situation after a sequence is a distribution over states for each member. Ties go to
    the lowest behaviour.

    Raises:
        WorldError: too many situations can be reached to solve it exactly.
    """
    rows = range(len(game.behaviours[0]))

    def expand(key: tuple[Spread, ...]) -> list[Branch[tuple[Spread, ...]]]:
        branches: list[Branch[tuple[Spread, ...]]] = []
        for a in rows:
            moved = [advance_spread(game, m.automaton, s, a) for m, s in zip(family, key, strict=True)]
            gain = sum(m.weight * g for m, (g, _) in zip(family, moved, strict=True))
            branches.append((gain, ((1.0, tuple(spread for _, spread in moved)),)))
        return branches

    start = tuple(((m.automaton.start, 1.0),) for m in family)
    plan = solve(start, expand, rounds, min(LIMIT, WORK // len(family)))
    sequence: list[int] = []
    key = start
    for t in range(rounds):
        a = plan.act(t, key)
        sequence.append(a)
        key = expand(key)[a][1][0][1]
    return tuple(sequence)


@lru_cache(maxsize=64)
def blind_pattern(
    game: Game, family: tuple[WeightedPolicy, ...], rounds: int, longest: int
) -> tuple[int, ...]:
    """The pattern of at most ``longest`` behaviours that earns most against ``family`` if repeated for ``rounds`` rounds.

    For families with too many situations for :func:`blind_plan`; the first of equals, the shortest first.
    """
    rows = range(len(game.behaviours[0]))
    patterns = [pattern for length in range(1, longest + 1) for pattern in product(rows, repeat=length)]

    def earn(pattern: tuple[int, ...]) -> float:
        plan = repeat(pattern, rounds)
        return round(sum(m.weight * open_loop_return(game, m.automaton, plan) for m in family), 9)

    return max(patterns, key=earn)


def repeat(pattern: tuple[int, ...], rounds: int) -> tuple[int, ...]:
    """``pattern`` over and over, ``rounds`` long.

    >>> repeat((0, 1), 3)
    (0, 1, 0)
    """
    return tuple(pattern[t % len(pattern)] for t in range(rounds))


def open_loop_return(game: Game, automaton: Automaton, plan: tuple[int, ...]) -> float:
    """The expected return of a fixed sequence of behaviours against one partner."""
    spread: Spread = ((automaton.start, 1.0),)
    total = 0.0
    for a in plan:
        gain, spread = advance_spread(game, automaton, spread, a)
        total += gain
    return total


def blind_value(game: Game, family: tuple[WeightedPolicy, ...], rounds: int) -> float:
    """The expected return of :func:`blind_plan` over ``family``.

    Raises:
        WorldError: see :func:`blind_plan`.
    """
    plan = blind_plan(game, family, rounds)
    return sum(member.weight * open_loop_return(game, member.automaton, plan) for member in family)


class BlindPredictor:
    """Predicts from the prior over ``family`` and the own actions alone.

    It caches situations: use one for all episodes with the same family.
    """

    def __init__(self, game: Game, family: tuple[WeightedPolicy, ...]) -> None:
        self._game = game
        self._family = family
        self._start: tuple[Spread, ...] = tuple(((m.automaton.start, 1.0),) for m in family)
        self._advance = lru_cache(LIMIT)(self._compute_next)
        self._likelihood = lru_cache(LIMIT)(self._largest)

    def accuracies(self, own: Sequence[int]) -> list[float]:
        """For each round, the prior probability of the likeliest column behaviour after the actions so far.

        ``own`` are the row seat's behaviours, round by round, taken as fixed in advance.
        """
        accuracies: list[float] = []
        key = self._start
        for a in own:
            accuracies.append(self._likelihood(key))
            key = self._advance(key, a)
        return accuracies

    def _largest(self, key: tuple[Spread, ...]) -> float:
        chances = [0.0] * len(self._game.behaviours[1])
        for member, spread in zip(self._family, key, strict=True):
            for state, share in spread:
                for b, p in enumerate(member.automaton.output[state]):
                    chances[b] += member.weight * share * p
        return max(chances)

    def _compute_next(self, key: tuple[Spread, ...], a: int) -> tuple[Spread, ...]:
        moved = zip(self._family, key, strict=True)
        return tuple(advance_spread(self._game, m.automaton, spread, a)[1] for m, spread in moved)


blind_predictor = lru_cache(maxsize=64)(BlindPredictor)
"""``blind_predictor(game, family)``: the :class:`BlindPredictor` of a game and a family."""


def advance_spread(game: Game, automaton: Automaton, spread: Spread, a: int) -> tuple[float, Spread]:
    """The expected payoff of row behaviour ``a`` against ``automaton`` in a distribution of states, and the next one."""
    gain = 0.0
    after: dict[int, float] = {}
    for state, weight in spread:
        for b, p in enumerate(automaton.output[state]):
            if p:
                gain += weight * p * game.payoffs[a][b][0]
                n = automaton.next[state][b][a]
                after[n] = after.get(n, 0.0) + weight * p
    return gain, tuple((n, round(p, 12)) for n, p in sorted(after.items()))


STATES = 1024
"""Reference populations with more states than this together are recorded by name alone."""


def compute_bounds(
    game: Game, rounds: int, name: str, population: tuple[Member, ...], met: Automaton
) -> Bounds:
    """The ends of F for a partner ``met``, where F and L refer to ``population``, whose members are automata.

    ``name`` is what reports call the population. An end that cannot be computed is ``None``, with the reason.
    """
    likely = weigh_policies(population)
    small = sum(len(member.automaton.output) for member in likely) <= STATES
    recorded = population if small else tuple(Member(m.weight, m.name) for m in population)
    try:
        informed = best_response(game, met, rounds).value
        best = sum(m.weight * best_response(game, m.automaton, rounds).value for m in likely)
    except WorldError as error:
        return Bounds(None, None, None, name, recorded, str(error))
    blind, reason = _value_blind_plan(game, likely, rounds)
    return Bounds(informed, best, blind, name, recorded, reason)


def bound_by_partner(
    seat: Seat, ends: Callable[[SeatSpec], Bounds]
) -> Callable[[Mapping[Seat, SeatSpec]], Bounds]:
    """A scenario's ``bounds`` from the ends for each partner in ``seat``; unknown where a mind under test sits there."""

    def bounds(met: Mapping[Seat, SeatSpec]) -> Bounds:
        if seat not in met:
            return Bounds(
                None, None, None, reason=f"a mind under test sits in {seat!r}, not one of the population"
            )
        return ends(met[seat])

    return bounds


def weigh_policies(population: tuple[Member, ...]) -> tuple[WeightedPolicy, ...]:
    """The members that are automata, as a prior."""
    return tuple(WeightedPolicy(member.weight, member.automaton) for member in population if member.automaton)


@cache
def _value_blind_plan(
    game: Game, likely: tuple[WeightedPolicy, ...], rounds: int
) -> tuple[float | None, str]:
    """The blind plan's return, or why it is not known; computed once for all partners of a population."""
    try:
        return blind_value(game, likely, rounds), ""
    except WorldError as error:
        return None, f"the best plan fixed in advance is not known: {error}"


LEAST_ROOM = 0.05
"""A member counts in L only if knowing it improves predictions about it by at least this share."""

Situation: TypeAlias = tuple[int, tuple[Spread, ...]]
"""A round, and for each member the distribution of its state."""


class LiteralRoom(Struct, frozen=True):
    """What there is to know about each member of a population, for predictions from round ``first`` (0-based) on.

    ``floors`` and ``ceilings`` are float[members]: the accuracy about each of the best predictor that never
    observes its partner (ties between plans averaged), and of one who knows the member. ``weights`` are the
    members' shares in L, summing to 1: 0 without room between the two. ``base`` is the largest L that any plan fixed in
    advance can reach; above 0 where populations have unequal weights. ``weights`` are all 0 where nothing can be known.
    """

    floors: tuple[float, ...]
    ceilings: tuple[float, ...]
    weights: tuple[float, ...]
    base: float

    def slope(self, member: int) -> float:
        """The L that one unit of accuracy about a member with room is worth."""
        return 1 / ((self.ceilings[member] - self.floors[member]) * (1 - self.base))

    def rescale(self, member: int, accuracy: float) -> float:
        """L of predictions about one member that has room: 0 for the best fixed plan, 1 for one who knows it."""
        floor, ceiling = self.floors[member], self.ceilings[member]
        return ((accuracy - floor) / (ceiling - floor) - self.base) / (1 - self.base)


@lru_cache(maxsize=256)
def literal_room(game: Game, family: tuple[WeightedPolicy, ...], rounds: int, first: int) -> LiteralRoom:
    """The room of each member of ``family`` in rounds ``first`` to ``rounds`` - 1.

    Raises:
        WorldError: too many situations can be reached to find the floors exactly.
    """
    plans = _UnseeingPlans(game, family, rounds, first)
    prior = [member.weight for member in family]
    floors, ceilings = plans.accuracies(plans.solve(prior), prior)
    shares = [
        weight / (ceiling - floor) if ceiling - floor >= LEAST_ROOM else 0.0
        for weight, floor, ceiling in zip(prior, floors, ceilings, strict=True)
    ]
    there = sum(weight for weight, share in zip(prior, shares, strict=True) if share)
    nothing = LiteralRoom(floors, ceilings, (0.0,) * len(family), 0.0)
    if not there:
        return nothing
    shares = [share / there for share in shares]
    reached = plans.solve(shares).value / (rounds - first)
    base = max(0.0, reached - sum(share * floor for share, floor in zip(shares, floors, strict=True)))
    if base > 1 - LEAST_ROOM:
        return nothing
    weights = tuple(weight / there if share else 0.0 for weight, share in zip(prior, shares, strict=True))
    return LiteralRoom(floors, ceilings, weights, base if base > TIE else 0.0)


class _UnseeingPlans:
    """Plans of own behaviours and predictions that are fixed in advance, against a population."""

    def __init__(self, game: Game, family: tuple[WeightedPolicy, ...], rounds: int, first: int) -> None:
        self._game, self._family, self._rounds, self._first = game, family, rounds, first
        rows, columns = (range(len(names)) for names in game.behaviours)
        self._options = list(product(rows, columns))
        self._start: Situation = (0, tuple(((member.automaton.start, 1.0),) for member in family))
        self._after = lru_cache(LIMIT)(self._move)
        self._chances = lru_cache(LIMIT)(self._predict)

    def solve(self, shares: Sequence[float]) -> Solution[Situation]:
        """The plan that maximises the number of right predictions, each member counted with its share."""

        def expand(at: Situation) -> list[Branch[Situation]]:
            gains = self._gains(at, shares)
            moved = [self._after(at, a) for a in range(len(self._game.behaviours[0]))]
            return [(gains[x], ((1.0, moved[a]),)) for a, x in self._options]

        return solve(self._start, expand, self._rounds, min(LIMIT, WORK // len(self._family)))

    def accuracies(
        self, plan: Solution[Situation], shares: Sequence[float]
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The accuracy about each member of the best plans, and of one who knows it, averaged over ties."""
        floors, ceilings = ([0.0] * len(self._family) for _ in range(2))
        reached = {self._start: 1.0}
        for t in range(self._rounds):
            following: dict[Situation, float] = {}
            for at, chance in reached.items():
                gains = self._gains(at, shares)
                worths = [
                    gains[x] + float(plan.values[t + 1, plan.number[self._after(at, a)]])
                    for a, x in self._options
                ]
                best = [
                    option
                    for option, worth in zip(self._options, worths, strict=True)
                    if worth > max(worths) - TIE
                ]
                for a, x in best:
                    share = chance / len(best)
                    after = self._after(at, a)
                    following[after] = following.get(after, 0.0) + share
                    if t >= self._first:
                        for i, (chances, surest) in enumerate(self._chances(at)):
                            floors[i] += share * chances[x]
                            ceilings[i] += share * surest
            reached = following
        settled = self._rounds - self._first
        return tuple(sum_ / settled for sum_ in floors), tuple(sum_ / settled for sum_ in ceilings)

    def _gains(self, at: Situation, shares: Sequence[float]) -> list[float]:
        """For each prediction, the expected number of right ones in this round."""
        columns = range(len(self._game.behaviours[1]))
        if at[0] < self._first:
            return [0.0 for _ in columns]
        members = self._chances(at)
        return [
            sum(share * chances[x] for share, (chances, _) in zip(shares, members, strict=True))
            for x in columns
        ]

    def _predict(self, at: Situation) -> tuple[tuple[tuple[float, ...], float], ...]:
        """For each member, the chances of its behaviours, and the expected chance of the likeliest in its state."""
        columns = range(len(self._game.behaviours[1]))
        return tuple(
            (
                tuple(sum(p * member.automaton.output[state][x] for state, p in spread) for x in columns),
                sum(p * max(member.automaton.output[state]) for state, p in spread),
            )
            for member, spread in zip(self._family, at[1], strict=True)
        )

    def _move(self, at: Situation, a: int) -> Situation:
        moved = zip(self._family, at[1], strict=True)
        return at[0] + 1, tuple(
            advance_spread(self._game, member.automaton, spread, a)[1] for member, spread in moved
        )


Response: TypeAlias = tuple[int, ...]
"""For each own behaviour, the partner's in the round after."""


@lru_cache(maxsize=256)
def response_of(automaton: Automaton) -> Response | None:
    """How the automaton answers each own behaviour; ``None`` where that depends on more, or on chance."""
    reached, responses = [automaton.start], set[Response]()
    for state in reached:
        if max(automaton.output[state]) < 1:
            return None
        following = automaton.next[state][automaton.output[state].index(1.0)]
        if any(max(automaton.output[after]) < 1 for after in following):
            return None
        responses.add(tuple(automaton.output[after].index(1.0) for after in following))
        reached += [after for after in dict.fromkeys(following) if after not in reached]
    return responses.pop() if len(responses) == 1 else None


@lru_cache(maxsize=4096)
def planned_actions(game: Game, behaviour: int, response: Response, rounds: int) -> tuple[int, ...]:
    """The best own behaviours, with all ties, against a partner that shows ``behaviour`` now and then follows ``response``.

    ``rounds`` are those left, this one included. By dynamic programming.
    """
    values = [0.0] * len(game.behaviours[1])
    own = range(len(game.behaviours[0]))
    for _ in range(rounds - 1):
        values = [max(game.payoffs[a][x][0] + values[response[a]] for a in own) for x in range(len(values))]
    worths = [game.payoffs[a][behaviour][0] + values[response[a]] for a in own]
    return tuple(a for a in own if worths[a] > max(worths) - TIE)


@lru_cache(maxsize=64)
def policy_room(game: Game, family: tuple[WeightedPolicy, ...]) -> LiteralRoom | None:
    """The room of each member for stated policies: the floor is the best single guess, the same about every partner.

    Ties between guesses are averaged. ``None`` where a member's answer depends on more than the own last behaviour.
    """
    responses = [response_of(member.automaton) for member in family]
    stated = [response for response in responses if response is not None]
    if len(stated) < len(family):
        return None
    own, others = (range(len(names)) for names in game.behaviours)
    guesses = [
        [sum(a == b for a, b in zip(guess, response, strict=True)) / len(own) for response in stated]
        for guess in product(others, repeat=len(own))
    ]

    def worth(accuracies: Sequence[float], shares: Sequence[float]) -> float:
        return sum(share * accuracy for share, accuracy in zip(shares, accuracies, strict=True))

    prior = [member.weight for member in family]
    most = max(worth(guess, prior) for guess in guesses)
    best = [guess for guess in guesses if worth(guess, prior) > most - TIE]
    floors = tuple(sum(column) / len(best) for column in zip(*best, strict=True))
    counted = [
        weight if 1 - floor >= LEAST_ROOM else 0.0 for weight, floor in zip(prior, floors, strict=True)
    ]
    if not sum(counted):
        return LiteralRoom(floors, (1.0,) * len(family), (0.0,) * len(family), 0.0)
    weights = tuple(weight / sum(counted) for weight in counted)
    shares = [weight / (1 - floor) if weight else 0.0 for weight, floor in zip(weights, floors, strict=True)]
    base = max(worth(guess, shares) for guess in guesses) - worth(floors, shares)
    return LiteralRoom(floors, (1.0,) * len(family), weights, base if base > TIE else 0.0)
