"""What each act of an episode was worth to one who knows the partner, in worlds of any kind.

Arms of an experiment (:mod:`otherminds.measures.interventions`) are compared by what a mind loses with its acts. A world
without a stage game registers a function here that reads its records, by an entry point of the group
``otherminds.weighed_acts``; for stage games it is :func:`weigh_game_acts`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.data import EXCHANGED, Automaton, Behaviour, Exchange, Game, Seat, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.core.record import Record
from otherminds.core.registry import Registry
from otherminds.games.belief import best_replies, valuation
from otherminds.games.best_response import ENDLESS
from otherminds.measures.literal import NO_POLICY, Round, rounds_played, setting
from otherminds.measures.notes import read_note
from otherminds.measures.registry import NO_GAME, Inapplicable, Unknown, by_rounds, ego


class WeighedAct(Struct, frozen=True):
    """An act that a prediction about the partner can matter for.

    ``step`` is the world step before which the mind was last shown something for it, or a later one within the same
    encounter; ``act`` is the option taken, by index. ``worths`` are the expected returns of all options, under the best play
    afterwards of one who knows the partner's policy: Q(h, a). ``coming`` is what the partner most likely does, by that policy,
    and ``said`` the mind's prediction of it (``None`` without one). ``replies`` are the best options against each behaviour of
    the partner, in the order of the brief's. ``believed`` is the behaviour that would follow from what the partner believes, in
    worlds that tell beliefs; a partner may do something else.
    """

    step: int
    act: int
    worths: tuple[float, ...]
    coming: Behaviour
    said: Behaviour | None
    replies: dict[Behaviour, tuple[int, ...]]
    believed: Behaviour | None = None

    @property
    def loss(self) -> float:
        """What the act gives away."""
        return max(self.worths) - self.worths[self.act]

    @property
    def random_loss(self) -> float:
        """What a random act gives away on average."""
        return max(self.worths) - sum(self.worths) / len(self.worths)

    @property
    def matters(self) -> bool:
        """Whether no option is a best reply to everything."""
        first, *others = self.replies.values()
        return not any(all(option in replies for replies in others) for option in first)


ActReader: TypeAlias = Callable[[Record], list[WeighedAct] | Unknown]
"""The acts of the mind under test in one scored episode; :class:`~.registry.Inapplicable` in worlds of another kind."""
weighed_acts: Registry[ActReader] = Registry("weighed act", "otherminds.measures", "weighed_acts")


def weigh_acts(record: Record) -> list[WeighedAct] | Unknown:
    """The acts of ``record``, by the first reader that applies to it."""
    readings = (weighed_acts.get(name)(record) for name in weighed_acts)
    return next((acts for acts in readings if not isinstance(acts, Inapplicable)), Inapplicable(NO_GAME))


def find_exchange(record: Record) -> Exchange | None:
    """The exchange of the partner; ``None`` in every arm but ``swap``."""
    entries = (read_note(note, EXCHANGED, Exchange) for note in record.notes)
    return next((exchange for exchange in entries if exchange is not None), None)


def name_partner(record: Record, seat: Seat, step: int) -> str:
    """The name of the partner that is in ``seat`` at ``step``, also where another one comes midway; empty where a mind sits there."""
    exchange, partner = find_exchange(record), record.partners.get(seat)
    if exchange is not None:
        return exchange.first if step < exchange.step else exchange.second
    return partner.name if partner else ""


@weighed_acts.register("game")
def weigh_game_acts(record: Record) -> list[WeighedAct] | Unknown:
    """The encounters of a stage game, each weighed by the plan that is best against the partner's automaton.

    The plan is for the encounters that are left; where avatars bring encounters about and chance ends the episode, for
    :data:`ENDLESS`, as nobody can know the last one. A partner that comes in the middle is weighed from there on.
    """
    if record.game is None:
        return Inapplicable(NO_GAME)
    policies = _list_policies(record)
    if isinstance(policies, Unknown):
        return policies
    steps = [encounter.step for encounter in record.met[ego(record)]]
    rounds = rounds_played(record)
    acts: list[WeighedAct] = []
    try:
        for (first, policy), (end, _) in pairwise([*policies, (len(record.rewards) + 1, policies[0][1])]):
            within = [i for i, step in enumerate(steps) if first <= step < end]
            horizon = len(within) if by_rounds(record) else max(ENDLESS, len(within))
            acts += _weigh(record.game, policy, [(steps[i], rounds[i]) for i in within], horizon)
    except WorldError as error:
        return Unknown(str(error))
    return acts


def _list_policies(record: Record) -> list[tuple[int, Automaton]] | Unknown:
    """The partners' policies, with the step from which each was met."""
    exchange = find_exchange(record)
    if exchange is None:
        matchup = setting(record)
        return matchup if isinstance(matchup, Unknown) else [(0, matchup.met)]
    population = record.bounds.population if record.bounds else ()
    automata = {member.name: member.automaton for member in population}
    first, second = automata.get(exchange.first), automata.get(exchange.second)
    if first is None or second is None:
        return Unknown(NO_POLICY)
    return [(0, first), (exchange.step, second)]


def _weigh(
    game: Game, policy: Automaton, played: list[tuple[int, Round]], horizon: int
) -> Iterator[WeighedAct]:
    if not played:
        return
    known = valuation(game, (WeightedPolicy(1.0, policy),), horizon)
    others = game.behaviours[1]
    replies = dict(zip(others, best_replies(game), strict=True))
    state = policy.start
    for t, (step, done) in enumerate(played):
        output = policy.output[state]
        yield WeighedAct(
            step=step,
            act=done.own,
            worths=known.worths(t, ((0, 1.0, state),)),
            coming=others[output.index(max(output))],
            said=None if done.said is None else others[done.said],
            replies=replies,
        )
        state = policy.next[state][done.other][done.own]
