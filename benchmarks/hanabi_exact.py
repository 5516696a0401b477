"""Exact values of the smallest Hanabi with two colours: conventions among themselves, and best responses to known and unknown ones.

OpenSpiel's own algorithms on its own game are the check: ``policy_value`` for pairs of conventions, and ``BestResponsePolicy`` for best
responses where hands have one card; with two, its tree of all histories is too large. Needs OpenSpiel, of ``requirements/benchmarks.txt``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from common import arguments, finish, show
from hanabi_open_spiel import load_game

from otherminds.hanabi.rules import Rules, Table, size_rules
from otherminds.hanabi.scenarios import POPULATIONS
from otherminds.hanabi.view import look

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.hanabi.exact_values import EGO, PARTNER, ExactGame, State, act

NAMES = POPULATIONS["mixed"]
ONE_CARD = Rules(2, 2, 2, hand=1, information=1, lives=1)
SINGLE = ("iggi", "outer")
"""Conventions that can play with one card in each hand."""
CLOSE = 1e-9


class Node:
    """A state of OpenSpiel's game with what its algorithms lack: all that ego has seen and all moves, as its information state.

    ``seats`` has the states of conventions by seat and name, ``weights`` the probabilities of the partner's.
    """

    def __init__(
        self,
        game: ExactGame,
        state: Any,
        table: Table | None,
        seats: dict[tuple[int, str], State],
        weights: dict[str, float],
        seen: tuple[str, ...] = (),
        pending: int = -1,
    ) -> None:
        self.game, self.state, self.table, self.weights = game, state, table, weights
        self.seen, self.pending = seen, pending
        self._children: dict[int, Node] = {}
        self.seats = seats
        if table is not None and pending < 0 and not table.ended:
            self.seats = {key: game.watch(held, look(table, key[0])) for key, held in seats.items()}
            self.seen = (*seen, state.observation_string(EGO))
        for name in ("is_terminal", "is_chance_node", "current_player", "chance_outcomes", "returns"):
            setattr(self, name, getattr(state, name))
        self.player_return = state.player_return

    def is_simultaneous_node(self) -> bool:
        return False

    def legal_actions(self, player: int | None = None) -> list[int]:
        return self.state.legal_actions()

    def information_state_string(self, player: int) -> str:
        return repr(self.seen)

    def history_str(self) -> str:
        return self.state.history_str()

    def child(self, action: int) -> Node:
        if action not in self._children:
            self._children[action] = self._apply(action)
        return self._children[action]

    def _apply(self, action: int) -> Node:
        after = self.state.child(action)
        table, pending, weights, rules = self.table, -1, self.weights, self.game.rules
        seen = self.seen if self.state.is_chance_node() else (*self.seen, str(action))
        if table is None:
            dealt = self.state.history()
            if len(dealt) == 2 * rules.hand - 1:
                table = Table(rules, finish_deck(rules, [*dealt, action]))
        elif self.state.is_chance_node():
            deck = finish_deck(rules, [*table.deck[: table.next_card], action])
            table = act(table, self.pending, tuple(deck))
        else:
            if table.player == PARTNER and len(weights) > 1:
                chances = self.weigh_actions(PARTNER)
                weights = {name: weights[name] * chances[name].get(action, 0.0) for name in weights}
            if after.is_chance_node():
                pending = action
            else:
                table = act(table, action, table.deck)
        assert table is None or pending >= 0 or after.is_terminal() == table.ended
        return Node(self.game, after, table, self.seats, weights, seen, pending)

    def weigh_actions(self, seat: int) -> dict[str, dict[int, float]]:
        """The probabilities of actions by convention."""
        assert self.table is not None, "the cards are dealt"
        view = look(self.table, seat)
        return {
            name: self.game.weigh_choices(held, view) for (at, name), held in self.seats.items() if at == seat
        }


def finish_deck(rules: Rules, cards: list[int]) -> list[int]:
    """A deck that begins with ``cards``."""
    rest = [card for card, count in enumerate(rules.copies) for _ in range(count - cards.count(card))]
    return [*cards, *rest]


class Mixture:
    """The policy of a partner whose convention is one of several, as what it does on average after a history."""

    def action_probabilities(self, node: Node, player: int | None = None) -> dict[int, float]:
        seat = node.state.current_player()
        total, chances = sum(node.weights.values()), dict[int, float]()
        for name, chosen in node.weigh_actions(seat).items():
            share = node.weights[name] / total
            for action, chance in chosen.items():
                chances[action] = chances.get(action, 0.0) + share * chance
        return {action: chance for action, chance in chances.items() if chance}


def start(game: ExactGame, weights: Mapping[str, float], seats: tuple[int, ...]) -> Node:
    """The first state, with conventions in ``seats``."""
    held = {(seat, name): game.start(name, seat) for seat in seats for name in weights}
    return Node(game, load_game(game.rules).new_initial_state(), None, held, dict(weights))


def value_pair_there(game: ExactGame, name: str) -> float:
    """The score of a convention with itself, by OpenSpiel's ``policy_value``."""
    from open_spiel.python.algorithms.expected_game_score import policy_value

    return policy_value(start(game, {name: 1.0}, (EGO, PARTNER)), [Mixture(), Mixture()])[0]


def value_response_there(game: ExactGame, weights: Mapping[str, float]) -> float:
    """The value of OpenSpiel's best response."""
    from open_spiel.python.algorithms.best_response import BestResponsePolicy

    root = start(game, weights, (PARTNER,))
    return BestResponsePolicy(load_game(game.rules), EGO, Mixture(), root).value(root)


def compare(ours: float, theirs: float) -> str:
    """The value that both have.

    Raises:
        AssertionError: they differ.
    """
    assert abs(ours - theirs) < CLOSE, (ours, theirs)
    return f"{ours:.6f}"


def main() -> None:
    parser = arguments(__doc__)
    options = parser.parse_args()
    if find_spec("pyspiel") is None:
        raise SystemExit("install requirements/benchmarks.txt first: it has OpenSpiel")
    figures: dict[str, Any] = {}
    rows = []
    equal = dict.fromkeys(SINGLE, 1 / len(SINGLE))
    for weights in (*({name: 1.0} for name in SINGLE), equal):
        game, started = ExactGame(ONE_CARD), perf_counter()
        value = compare(game.value_response(weights), value_response_there(game, weights))
        rows.append((" or ".join(weights), value, game.valued, f"{perf_counter() - started:.0f}"))
    show(
        "best responses, hands of one card: equal to OpenSpiel's",
        ("partner", "value", "beliefs", "seconds"),
        rows,
    )
    rules = size_rules("minimal", 2)
    rows = []
    for name in NAMES:
        game, started = ExactGame(rules), perf_counter()
        pair = compare(game.value_pair(name, name), value_pair_there(game, name))
        informed = game.value_response({name: 1.0})
        figures[name] = pair, informed
        rows.append((name, pair, f"{informed:.6f}", game.valued, f"{perf_counter() - started:.0f}"))
    for population, names in POPULATIONS.items():
        game, started = ExactGame(rules), perf_counter()
        figures[population] = blind = game.value_response(dict.fromkeys(names, 1 / len(names)))
        seconds = f"{perf_counter() - started:.0f}"
        rows.append((f"any of {population}", "", f"{blind:.6f}", game.valued, seconds))
    show(
        "two colours, numbers 1 and 2, hands of two; the first column equal to OpenSpiel's",
        ("partner", "with itself", "best response", "beliefs", "seconds"),
        rows,
    )
    finish(options, figures, ("open_spiel",))


if __name__ == "__main__":
    main()
