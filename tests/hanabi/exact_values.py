"""Exact values of small games of two: of a convention with itself, and of the best response to conventions, known or not.

The cards that are still to be dealt are drawn when they are dealt, and every draw is followed, of cards and of conventions that act at random.
Ego has the first seat. What it believes after a turn are the tables that look the same to it, with the states of its
partner; beliefs that several histories lead to are valued once."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import copy
from random import Random
from typing import Any, TypeVar

from otherminds.hanabi.conventions.convention import choose_legally, conventions
from otherminds.hanabi.rules import Rules, Table
from otherminds.hanabi.view import View, look

EGO, PARTNER = 0, 1
State = bytes
"""A convention amid a game."""
World = tuple[float, Table, State]
"""What ego may be in: its probability, the table, and the partner's state."""
Key = tuple[Hashable, State]
Beliefs = dict[Key, World]
DIGITS = 12
T = TypeVar("T")


class EveryDraw(Random):
    """A random stream of which all draws are tried, one after the other: :meth:`list_passes`."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._drawn: list[int] = []
        self._number = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return EveryDraw, ()

    def list_passes(self) -> Iterator[None]:
        """Repeats until all draws of what is done in each pass have been tried."""
        self._sizes, self._drawn = [], []
        while True:
            self._number = 0
            yield
            while self._drawn and self._drawn[-1] + 1 == self._sizes[-1]:
                self._drawn.pop()
                self._sizes.pop()
            if not self._drawn:
                return
            self._drawn[-1] += 1

    @property
    def chance(self) -> float:
        """The probability of the draws of this pass."""
        chance = 1.0
        for size in self._sizes[: self._number]:
            chance /= size
        return chance

    def _draw(self, size: int) -> int:
        if self._number == len(self._drawn):
            self._drawn.append(0)
            self._sizes.append(size)
        self._number += 1
        return self._drawn[self._number - 1]

    def choice(self, seq: Sequence[T]) -> T:  # type: ignore[override] - the base class takes more than sequences
        return seq[self._draw(len(seq))]

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return self._draw(start)

    def random(self) -> float:
        """Below one half, or not: conventions ask for no other share."""
        return (self._draw(2) + 0.5) / 2


class ExactGame:
    """The values of one size of the game for two players. ``valued`` counts the beliefs that were valued."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._values: dict[frozenset[tuple[Key, float]], float] = {}
        self._watched: dict[tuple[State, View], State] = {}
        self._chosen: dict[tuple[State, View], dict[int, float]] = {}

    @property
    def valued(self) -> int:
        return len(self._values)

    def start(self, name: str, seat: int) -> State:
        """A convention before the first turn."""
        return pickle.dumps((conventions.get(name)(self.rules, seat, rng := EveryDraw()), rng))

    def watch(self, state: State, view: View) -> State:
        """The state of a convention after what it sees."""
        key = state, view
        if key not in self._watched:
            convention, rng = pickle.loads(state)
            convention.watch(view)
            # The last move has been taken into account: forget it, so that equal beliefs have equal states.
            convention.watch(view._replace(last=None))
            self._watched[key] = pickle.dumps((convention, rng))
        return self._watched[key]

    def weigh_choices(self, state: State, view: View) -> dict[int, float]:
        """The probabilities of a convention's actions."""
        key = state, view
        if key not in self._chosen:
            convention, rng = pickle.loads(state)
            chances: dict[int, float] = defaultdict(float)
            for _ in rng.list_passes():
                action = choose_legally(convention, view)
                chances[action] += rng.chance
            self._chosen[key] = dict(chances)
        return self._chosen[key]

    def list_deals(self) -> Iterator[tuple[float, Table]]:
        """All hands with their probabilities; what lies in the deck is decided when it is drawn."""

        def deal(cards: list[int], left: list[int], chance: float) -> Iterator[tuple[float, Table]]:
            if len(cards) == 2 * self.rules.hand:
                rest = [card for card, count in enumerate(left) for _ in range(count)]
                yield chance, Table(self.rules, [*cards, *rest])
                return
            for card, count in enumerate(left):
                if count:
                    fewer = [number - (other == card) for other, number in enumerate(left)]
                    yield from deal([*cards, card], fewer, chance * count / sum(left))

        return deal([], [*self.rules.copies], 1.0)

    def follow(self, table: Table, action: int) -> list[tuple[float, Table]]:
        """The tables after an action, by the card that is drawn, with their probabilities."""
        if action >= 2 * self.rules.hand or not table.in_deck:
            return [(1.0, act(table, action, table.deck))]
        first, rest = table.next_card, table.deck[table.next_card :]
        tables = []
        for card in sorted({*rest}):
            others = [*rest]
            others.remove(card)
            after = act(table, action, (*table.deck[:first], card, *others))
            if after.next_card == first:
                return [(1.0, after)]
            tables.append((rest.count(card) / len(rest), after))
        return tables

    def value_pair(self, first: str, second: str) -> float:
        """The mean score of two conventions."""
        values: dict[Hashable, float] = {}

        def value(table: Table, states: tuple[State, ...]) -> float:
            if table.ended:
                return table.score
            views = [look(table, seat) for seat in range(2)]
            states = tuple(map(self.watch, states, views))
            key = write_key(table), table.player, states
            if key not in values:
                chosen = self.weigh_choices(states[table.player], views[table.player])
                values[key] = sum(
                    chance * share * value(after, states)
                    for action, share in chosen.items()
                    for chance, after in self.follow(table, action)
                )
            return values[key]

        states = self.start(first, EGO), self.start(second, PARTNER)
        return sum(chance * value(table, states) for chance, table in self.list_deals())

    def value_response(self, partners: Mapping[str, float]) -> float:
        """The mean score of the best response to a partner that has each convention with its probability, which ego knows."""
        groups: dict[Hashable, Beliefs] = {}
        for chance, table in self.list_deals():
            for name, weight in partners.items():
                state = self.watch(self.start(name, PARTNER), look(table, PARTNER))
                add_world(groups.setdefault(look(table, EGO), {}), (chance * weight, table, state))
        return sum(map(self._value, groups.values()))

    def _value(self, beliefs: Beliefs) -> float:
        """The score that ego can still expect in its turn, times the probability of ``beliefs``."""
        total = sum(weight for weight, _, _ in beliefs.values())
        key = frozenset((key, round(weight / total, DIGITS)) for key, (weight, _, _) in beliefs.items())
        if key not in self._values:
            _, table, _ = next(iter(beliefs.values()))
            best = max(self._value_action(beliefs, action) for action in table.list_legal())
            self._values[key] = best / total
        return self._values[key] * total

    def _value_action(self, beliefs: Beliefs, action: int) -> float:
        """The same once ego has chosen ``action``; then the partner acts."""
        ended, groups = 0.0, dict[Hashable, Beliefs]()
        for weight, table, state in beliefs.values():
            for chance, between in self.follow(table, action):
                if between.ended:
                    ended += weight * chance * between.score
                    continue
                view = look(between, PARTNER)
                seen = self.watch(state, view)
                for reply, share in self.weigh_choices(seen, view).items():
                    for luck, after in self.follow(between, reply):
                        reached = weight * chance * share * luck
                        if after.ended:
                            ended += reached * after.score
                            continue
                        world = reached, after, self.watch(seen, look(after, PARTNER))
                        add_world(groups.setdefault((between.moves[-1], look(after, EGO)), {}), world)
        return ended + sum(map(self._value, groups.values()))


def add_world(beliefs: Beliefs, world: World) -> None:
    """Adds a world, or its probability where the same is there."""
    weight, table, state = world
    key = write_key(table), state
    before, *_ = beliefs.get(key, (0.0,))
    beliefs[key] = before + weight, table, state


def act(table: Table, action: int, deck: tuple[int, ...]) -> Table:
    """A copy of the table after an action, with the rest of the deck in this order. It has the last move alone."""
    after = copy(table)
    after.deck = deck
    after.hands, after.colours_of, after.ranks_of = (
        [row[:] for row in rows] for rows in (table.hands, table.colours_of, table.ranks_of)
    )
    after.fireworks, after.discards, after.moves = table.fireworks[:], table.discards[:], []
    after.act(action)
    return after


def write_key(table: Table) -> Hashable:
    """What a table is, but for whose turn it is and the last move."""
    hands = (*map(tuple, table.hands), *map(tuple, table.colours_of), *map(tuple, table.ranks_of))
    tokens = table.lives, table.information, table.turns_left
    return (*table.fireworks, *tokens, *sorted(table.discards)), hands
