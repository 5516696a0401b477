"""What a convention is, the registry of conventions, and games among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from otherminds.core.registry import Registry
from otherminds.hanabi.rules import Rules, Table
from otherminds.hanabi.view import View, look


class Convention(Protocol):
    """Plays one seat of one game: :meth:`watch` before each turn of any player, :meth:`choose` in the own turn.

    Its actions depend on its views and its random stream alone. In the company of others it may infer what cannot be; it then
    keeps to what hints say.
    """

    def watch(self, view: View) -> None:
        """Learns from what is seen before a turn; ``view.last`` is the turn before."""
        ...

    def choose(self, view: View) -> int:
        """The action in the own turn; :meth:`watch` had the same view."""
        ...


conventions: Registry[Callable[[Rules, int, Random], Convention]] = Registry("convention", __package__ or "")
"""Each entry makes a convention for a game, a seat and a random stream."""


def play_conventions(names: Sequence[str], rules: Rules, seed: int) -> Table:
    """A finished game of the conventions ``names``, one for each player."""
    rng = Random(seed)
    table = Table(rules, rules.shuffle(rng))
    players = [conventions.get(name)(rules, seat, rng) for seat, name in enumerate(names)]
    while not table.ended:
        for seat, player in enumerate(players):
            if seat != table.player:
                player.watch(look(table, seat))
        view = look(table, table.player)
        players[table.player].watch(view)
        table.act(choose_legally(players[table.player], view))
    return table


def choose_legally(convention: Convention, view: View) -> int:
    """The action that a convention chooses, or the first legal one where its choice is illegal.

    That happens only in games smaller than the one that a convention was made for.
    """
    action, legal = convention.choose(view), view.list_legal()
    return action if action in legal else legal[0]
