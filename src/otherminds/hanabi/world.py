"""Hanabi as a PettingZoo environment: in each step one player has its turn."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import msgspec
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete

from otherminds.core.data import Action, Answer, Brief, Question, Seat
from otherminds.core.discrete_world import DiscreteWorld, Started, Stepped
from otherminds.core.scenario import worlds
from otherminds.hanabi.rules import Move, Rules, Table
from otherminds.hanabi.view import View, find_playable, look

EGO = "agent_0"
FACT = "hanabi"
"""The fact of a record that has the rules, the deck and the score."""
SCORES = "own:scores"
"""The question whether one own card would score now: see :func:`find_topic`."""
NEXT = "next:"
"""Begins the id of the question for the kind of the next move of a seat."""
KINDS = ("discard", "play", "colour", "number")
"""The kinds of moves; the last two are hints."""


def name_seats(players: int) -> list[Seat]:
    """The seats in the order of their turns."""
    return [f"agent_{player}" for player in range(players)]


def name_kind(rules: Rules, action: int) -> str:
    """The kind of an action, one of :data:`KINDS`."""
    hint = rules.hints[action]
    return KINDS[action // rules.hand] if hint is None else KINDS[2 if hint.is_colour else 3]


def find_topic(view: View) -> int:
    """The own card that questions are about: the newest that a hint touched, else the oldest."""
    named = 1 << view.rules.colours, 1 << view.rules.ranks
    hands = zip(view.colours_of[view.seat], view.ranks_of[view.seat], strict=True)
    touched = [slot for slot, (colours, ranks) in enumerate(hands) if colours & named[0] or ranks & named[1]]
    return touched[-1] if touched else 0


@worlds.register("hanabi")
class HanabiWorld(DiscreteWorld):
    """One game. An action is a number as in :mod:`otherminds.hanabi.rules`; only that of the player in turn counts.

    A forbidden one is replaced by the first that is legal. All players earn what the score gains, and lose all of it with the
    last life, so that the sum of rewards is the score of the Hanabi Learning Environment.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's form
        "name": "hanabi_v1",
        "render_modes": ["ansi"],
        "observations": "whole numbers, see otherminds.hanabi.world.write_view",
    }

    def __init__(self, rules: Rules, render_mode: str | None = None) -> None:
        self._rules = rules
        actions = {seat: Discrete(rules.actions) for seat in name_seats(rules.players)}
        super().__init__(actions, MultiDiscrete(list_sizes(rules)), render_mode)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Started:
        self._table = Table(self._rules, self._rules.shuffle(Random(seed)))
        self._refused = 0
        self._topics: list[tuple[bool, ...]] = []
        return self.start(options)

    def step(self, actions: dict[Seat, Action]) -> Stepped:
        self.check(actions)
        table = self._table
        action, legal = int(actions[self.possible_agents[table.player]]), table.list_legal()
        self._refused += action not in legal
        before = table.score
        table.act(action if action in legal else legal[0])
        gained = dict.fromkeys(self.possible_agents, float(table.score - before))
        return self.finish(gained, {}, ended=table.ended)

    def brief(self, seat: Seat) -> Brief:
        best = float(self._rules.best)
        behaviours = dict.fromkeys(self.possible_agents, KINDS)
        return self.describe_seat(seat, behaviours, (1 - best, 1.0), self._rules.longest)

    def truth(self, question: Question, step: int) -> Answer | None:
        """Whether the card that the question is about would have scored; or the kind of the next move of a seat."""
        if question.id == SCORES:
            number = self.possible_agents.index(question.seat)
            return "yes" if self._topics[step][number] else "no"
        player = self.possible_agents.index(question.about)
        later = (move for move in self._table.moves[step:] if move.player == player)
        return next((name_kind(self._rules, move.action) for move in later), None)

    def facts(self) -> dict[str, Any]:
        """The rules, the deck, and what the game came to, as JSON."""
        table = self._table
        return {
            FACT: {
                "rules": msgspec.to_builtins(self._rules),
                "deck": list(table.deck),
                "points": table.points,
                "score": table.score,
                "refused": self._refused,
            }
        }

    def render(self) -> str:
        """The fireworks, the tokens, and all hands."""
        rules, table = self._rules, self._table
        hands = (" ".join(map(rules.name_card, hand)) for hand in table.hands)
        rows = [f"{seat}: {hand}" for seat, hand in zip(self.possible_agents, hands, strict=True)]
        return "\n".join(
            [f"fireworks {table.fireworks}, {table.information} tokens, {table.lives} lives", *rows]
        )

    def observe(self) -> dict[Seat, Any]:
        views = [look(self._table, seat) for seat in range(self._rules.players)]
        playable = find_playable(self._rules, views[0].fireworks)
        hands = zip(views, self._table.hands, strict=True)
        self._topics.append(
            tuple(bool(playable >> hand[find_topic(view)] & 1) if hand else False for view, hand in hands)
        )
        return {seat: write_view(view) for seat, view in zip(self.possible_agents, views, strict=True)}


def list_sizes(rules: Rules) -> list[int]:
    """For each number of an observation how many values it has."""
    cards = rules.colours * rules.ranks
    slot = [cards + 1, 1 << rules.colours + 1, 1 << rules.ranks + 1]
    table = [rules.players, rules.information + 1, rules.lives + 1, rules.deck_size]
    move = [rules.players + 1, rules.actions, cards + 1, 2, 1 << rules.hand]
    return [
        *table,
        *[rules.ranks + 1] * rules.colours,
        *[4] * cards,
        *slot * (rules.players * rules.hand),
        *move,
    ]


def write_view(view: View) -> Any:
    """A view as whole numbers.

    Whose turn it is, the tokens, the lives, the cards in the deck, the height of each firework, how many of each card are in the
    discards; for each slot of each player the card plus 1 (0: hidden, or none) and what hints leave open of colour and rank, as
    bits (0: no card); then of the last move the player plus 1 (0: no move), the action, the card plus 1, whether it scored, and
    the touched slots, as bits.
    """
    rules = view.rules
    numbers = [view.player, view.information, view.lives, view.in_deck, *view.fireworks, *view.discarded]
    for player, (colours, ranks) in enumerate(zip(view.colours_of, view.ranks_of, strict=True)):
        hand = view.hands[player] or (-1,) * len(colours)
        for slot in range(rules.hand):
            numbers += [hand[slot] + 1, colours[slot], ranks[slot]] if slot < len(colours) else [0, 0, 0]
    last = view.last or Move(-1, 0, -1, False, 0)
    numbers += [last.player + 1, last.action, last.card + 1, last.scored, last.touched]
    return np.array(numbers, np.int64)


def read_view(rules: Rules, seat: int, observation: Any) -> View:
    """The view of ``seat`` that :func:`write_view` wrote."""
    numbers = map(int, observation)

    def take(count: int) -> tuple[int, ...]:
        return tuple(islice(numbers, count))

    turn, information, lives, in_deck = take(4)
    fireworks, discarded = take(rules.colours), take(len(rules.copies))
    slots = [[take(3) for _ in range(rules.hand)] for _ in range(rules.players)]
    hands = [[slot for slot in hand if slot[1]] for hand in slots]
    player, action, card, scored, touched = take(5)
    seen = (
        () if number == seat else tuple(slot[0] - 1 for slot in hand) for number, hand in enumerate(hands)
    )
    colours, ranks = (tuple(tuple(slot[part] for slot in hand) for hand in hands) for part in (1, 2))
    last = Move(player - 1, action, card - 1, bool(scored), touched) if player else None
    table = turn, information, lives, in_deck, fireworks, discarded
    return View(rules, seat, *table, tuple(seen), colours, ranks, last)
